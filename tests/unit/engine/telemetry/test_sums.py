"""Sums of periods from those of days equal the sums of their records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.telemetry.records import (
    RecordedVoyage,
    VoyageRecords,
    join_records,
    select,
    sum_records,
)
from app.engine.telemetry.sums import (
    RecordSums,
    Timeline,
    exclude_days,
    find_days,
    find_split_days,
    pack,
    single_record_runs,
    sum_days,
    unpack,
)

DAY_0 = 20_000 * 24.0

#: Minutes from one record to the next: within the hour, noon reports, gaps too long to count.
GAPS_MIN = st.one_of(
    st.integers(1, 90), st.sampled_from([5, 60, 720, 1440, 1560, 1561]), st.integers(1, 4000)
)


@st.composite
def voyages(draw: st.DrawFn) -> VoyageRecords:
    """Draw records in order of time that begin near a midnight."""
    gaps_min = draw(st.lists(GAPS_MIN, max_size=40))
    start_min = draw(st.sampled_from([0, 1, 719, 1439]))
    minutes = start_min + np.cumsum([0, *gaps_min])
    n = len(minutes)
    values = st.lists(st.floats(0.0, 25.0), min_size=n, max_size=n)
    speed, fuel, lats = (np.array(draw(values)) for _ in range(3))
    return VoyageRecords(DAY_0 + minutes / 60.0, lats, -lats, speed, fuel)


def spans_of(records: VoyageRecords, shares: list[float]) -> np.ndarray:
    """Return spans between midnights, times of records and other times."""
    first, last = records.times_h[[0, -1]]
    times = [
        *np.quantile(records.times_h, shares),
        *np.quantile(records.times_h, shares, method="nearest"),
        *(24.0 * np.round(np.quantile(records.times_h, shares) / 24.0)),
        *(first, last, first - 100.0, last + 100.0),
    ]
    return np.array([(since, until) for since in times for until in times if since <= until])


def timeline_of(records: VoyageRecords, spans_h: np.ndarray) -> Timeline:
    """Return a timeline of stored days, and of the records of days that spans split."""
    packed = pack(sum_days(records))
    stored = unpack(b"".join(s for _, s, _ in packed), b"".join(c for _, _, c in packed))
    cut = find_split_days(stored.sums, spans_h)
    inside = np.isin(find_days(records.times_h), cut)
    single = single_record_runs(VoyageRecords(*(values[inside] for values in records)))
    return Timeline.of(exclude_days(stored, cut), single)


def figures(recorded: RecordedVoyage | None) -> list[float] | None:
    if recorded is None:
        return None
    curve = [(p.speed_kn, p.fuel_t_per_day, p.hours) for p in recorded.speed_curve]
    return [
        recorded.distance_nm,
        recorded.hours,
        recorded.hours_under_way,
        recorded.fuel_t,
        recorded.fuel_under_way_t,
        *(number for point in curve for number in point),
    ]


@given(voyages(), st.lists(st.floats(0.0, 1.0), max_size=3))
def test_the_sum_of_any_span_equals_that_of_its_records(
    records: VoyageRecords, shares: list[float]
) -> None:
    spans_h = spans_of(records, shares)
    timeline = timeline_of(records, spans_h)
    for since_h, until_h in spans_h:
        chosen = select(records, since_h - 1e-9, until_h)
        before = records.take(slice(0, records.times_h.searchsorted(since_h - 1e-9)))
        begins_inside = chosen.times_h.size and chosen.times_h[0] > since_h + 1e-9
        lead = before.take(slice(-1, None)) if begins_inside else before.take(slice(0, 0))
        expected = figures(sum_records(join_records([lead, chosen])))
        found = figures(timeline.sum_between(since_h, until_h, with_curve=True))
        assert found == (None if expected is None else pytest.approx(expected, abs=1e-9))
        ends = timeline.span_ends_h(since_h, until_h)
        assert ends == (tuple(chosen.times_h[[0, -1]]) if chosen.times_h.size else None)


@given(voyages())
def test_the_sums_of_days_add_up_to_that_of_all(records: VoyageRecords) -> None:
    days = np.unique(find_days(records.times_h))
    days = np.append(days, days[-1] + 1)
    # a calendar day ends a microsecond before midnight
    spans_h = 24.0 * np.column_stack((days, days + 1)) - [0.0, 1e-6 / 3600.0]
    timeline = timeline_of(records, spans_h)
    found = [timeline.sum_between(*span_h) for span_h in spans_h]
    whole = sum_records(records)
    for name in ("hours", "hours_under_way", "distance_nm", "fuel_t", "fuel_under_way_t"):
        total = sum(getattr(each, name) for each in found if each is not None)
        assert total == pytest.approx(0.0 if whole is None else getattr(whole, name), abs=1e-9)


@given(voyages())
def test_no_record_is_read_for_spans_that_split_no_day(records: VoyageRecords) -> None:
    spans_h = np.array([[records.times_h[0], records.times_h[-1]], [0.0, 1e6], [DAY_0, DAY_0]])
    begins_at_midnight = records.times_h[0] == DAY_0 and find_days(records.times_h[:2])[-1] == 20000
    cut = find_split_days(sum_days(records).sums, spans_h)
    assert cut.tolist() == ([20000] if begins_at_midnight and records.times_h.size > 1 else [])


def test_a_timeline_without_records_has_no_sum() -> None:
    timeline = Timeline.of(unpack(b""), RecordSums(*unpack(b"").sums))
    assert timeline.sum_between(0.0, 1e6, with_curve=True) is None
    assert timeline.span_ends_h(0.0, 1e6) is None
    assert timeline.gaps_h().size == 0


def test_no_records_give_no_days() -> None:
    found = sum_days(VoyageRecords(*(np.array([]) for _ in VoyageRecords._fields)))
    assert pack(found) == []
    assert found.curves.size == 0
