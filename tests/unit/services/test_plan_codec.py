"""Plans as stored JSON, and back."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.plan import RoutePlan, Waypoint
from app.engine.request import Position
from app.models import ChartingRevision
from app.records.record import Json
from app.services.plan_codec import read_plan, write_plan
from tests.builders import north_atlantic_plan, north_pacific_plan, panama_plan

PLANS = [north_atlantic_plan, north_pacific_plan, panama_plan]

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9)
KNOWN = st.none() | NUMBERS
TIMES = st.datetimes(datetime(2000, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def through_json(plan: RoutePlan) -> Json:
    written = write_plan(plan)
    del written["alternative_profiles"]
    stored: Json = json.loads(json.dumps(written))
    return stored


def read(stored: Json) -> RoutePlan:
    return read_plan(ChartingRevision(**stored))


@pytest.mark.parametrize("make", PLANS)
def test_a_plan_that_was_read_is_written_the_same_again(make: Callable[[], RoutePlan]) -> None:
    stored = through_json(make())
    assert through_json(read(stored)) == stored


@pytest.mark.parametrize("make", PLANS)
def test_a_read_plan_says_what_the_written_one_said(make: Callable[[], RoutePlan]) -> None:
    plan = make()
    kept = read(through_json(plan))
    assert kept.label == plan.label
    assert kept.warnings == plan.warnings
    assert [alternative.kind for alternative in kept.alternatives] == [
        alternative.kind for alternative in plan.alternatives
    ]
    assert len(kept.profile) == len(plan.profile)
    for before, after in zip(plan.waypoints, kept.waypoints, strict=True):
        assert after.position == pytest.approx(before.position, abs=1e-6)
        assert abs((after.eta - before.eta).total_seconds()) < 0.001
        assert after.leg_geometry is before.leg_geometry
        assert (after.weather is None) == (before.weather is None)
        assert (after.in_eca, after.passage, after.note) == (
            before.in_eca,
            before.passage,
            before.note,
        )
    assert kept.summary.fuel_t == pytest.approx(plan.summary.fuel_t, abs=0.001)
    assert kept.summary.max_wave_m == pytest.approx(plan.summary.max_wave_m, abs=0.01)


@given(
    lat=st.floats(-90, 90),
    lng=st.floats(-180, 180, exclude_max=True),
    eta=TIMES,
    leaves_at=st.none() | TIMES,
    figures=st.fixed_dictionaries(
        {
            "cumulative_nm": NUMBERS,
            "course_deg": KNOWN,
            "xtd_m": KNOWN,
            "speed_kn": KNOWN,
            "ukc_m": KNOWN,
        }
    ),
)
def test_any_waypoint_is_written_the_same_again(
    lat: float,
    lng: float,
    eta: datetime,
    leaves_at: datetime | None,
    figures: dict[str, float],
) -> None:
    waypoint = Waypoint(
        index=0, position=Position(lat, lng), eta=eta, leaves_at=leaves_at, **figures
    )
    plan = replace(panama_plan(), waypoints=(waypoint,), alternatives=())
    stored = through_json(plan)
    assert through_json(read(stored)) == stored
    assert stored["plan"]["waypoints"][0]["lng"] < 180


def test_depths_and_margins_never_grow_by_being_stored() -> None:
    waypoint = replace(panama_plan().waypoints[1], min_depth_m=12.999, ukc_m=0.999, xtd_m=99.99)
    stored = write_plan(replace(panama_plan(), waypoints=(waypoint,)))["plan"]["waypoints"][0]
    assert (stored["minDepthM"], stored["ukcM"], stored["xtdM"]) == (12.99, 0.99, 99.9)
