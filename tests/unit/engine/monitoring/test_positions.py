"""Selection of credible positions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.monitoring.positions import PositionFault, select_credible
from app.engine.telemetry.records import VoyageRecords
from app.engine.times import hours_since_epoch
from tests.builders import north_atlantic_plan, north_pacific_plan
from tests.unit.engine.monitoring.sailed import follow

ATLANTIC = follow(north_atlantic_plan(), hours=72.0)
LATER = 1e9


def test_all_reports_of_one_ship_are_credible() -> None:
    for records in (ATLANTIC, follow(north_pacific_plan(), hours=200.0, every_h=1 / 60)):
        found = select_credible(records, LATER)
        assert not found.refused
        assert found.records.times_h.size == records.times_h.size


@given(index=st.integers(0, 144), away_deg=st.floats(3.0, 60.0))
def test_a_jump_of_more_than_sixty_knots_is_refused_wherever_it_comes(index, away_deg) -> None:
    lats = ATLANTIC.lats.copy()
    lats[index] -= away_deg
    found = select_credible(ATLANTIC._replace(lats=lats), LATER)
    assert [(hours_since_epoch(fix.time), fix.fault) for fix in found.refused] == [
        (pytest.approx(ATLANTIC.times_h[index]), PositionFault.JUMP)
    ]
    assert not found.is_ambiguous


def test_a_clock_ahead_of_the_service_s_is_refused() -> None:
    now_h = ATLANTIC.times_h[-5] + 0.01
    found = select_credible(ATLANTIC, now_h)
    assert {fix.fault for fix in found.refused} == {PositionFault.AHEAD_OF_CLOCK}
    assert found.records.times_h[-1] <= now_h + 0.2


def test_reports_of_two_ships_are_ambiguous() -> None:
    other = follow(north_pacific_plan(), hours=72.0)
    both = VoyageRecords(*(np.stack(pair, 1).ravel() for pair in zip(ATLANTIC, other, strict=True)))
    assert select_credible(both, LATER).is_ambiguous


def displace(records: VoyageRecords, indices: list[int], **to: float) -> VoyageRecords:
    """Return records of which some are elsewhere."""
    moved = {name: getattr(records, name).copy() for name in to}
    for name, value in to.items():
        moved[name][indices] = value
    return records._replace(**moved)


def test_a_receiver_without_a_fix_is_refused_and_no_other_ship() -> None:
    young = displace(ATLANTIC.take(slice(10)), [4, 6], lats=0.0, lngs=0.0)
    found = select_credible(young, LATER)
    assert [fix.fault for fix in found.refused] == [PositionFault.NO_FIX] * 2
    assert not found.is_ambiguous


@pytest.mark.parametrize("wrong", [[4, 6], [20, 21, 22, 23, 24]])
def test_few_wrong_positions_or_a_burst_of_them_are_no_other_ship(wrong: list[int]) -> None:
    sailed = ATLANTIC.take(slice(10 if len(wrong) == 2 else 25))
    found = select_credible(displace(sailed, wrong, lats=-30.0), LATER)
    assert {fix.fault for fix in found.refused} == {PositionFault.JUMP}
    assert not found.is_ambiguous


def test_two_ships_that_report_seldom_are_ambiguous_from_the_second_reports() -> None:
    both = displace(ATLANTIC.take(slice(4)), [1, 3], lats=-30.0)
    assert select_credible(both, LATER).is_ambiguous


def test_no_report_is_no_position() -> None:
    none = VoyageRecords(*(np.empty(0) for _ in VoyageRecords._fields))
    found = select_credible(none, LATER)
    assert not found.records.times_h.size
    assert not found.is_ambiguous
