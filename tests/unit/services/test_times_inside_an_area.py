"""Times and distance of a voyage inside an area."""

from datetime import UTC, datetime
from typing import Any

import pytest
from shapely import MultiPolygon, box
from shapely.geometry import mapping

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.report.critical_points.zones import find_eca_borders
from app.models import ChartingRevision
from app.records.instants import format_instant
from app.services.areas.area_impact import measure_crossing
from app.services.areas.area_stays import list_stays
from app.services.chartings.plan_reading import list_areas_met
from tests.builders import Turn, make_plan, make_request

#: The samples of most voyages here.
EAST = [0.0, 1.0, 2.0, 3.0]


def _sail(lngs: list[float]) -> list[dict[str, Any]]:
    """A voyage along the equator, a degree an hour."""
    return [
        {
            "lat": 0.0,
            "lng": lng,
            "cumulativeNm": 60.0 * hour,
            "time": f"2026-01-14T{hour:02d}:00:00Z",
        }
        for hour, lng in enumerate(lngs)
    ]


def test_a_voyage_is_inside_from_outline_to_outline() -> None:
    inside = measure_crossing(_sail(EAST), _box(0.75, 2.125), None, None, _at(0))
    assert inside == (_at(0, 45), _at(2, 7, 30), pytest.approx(82.5))


def test_an_area_between_two_samples_is_crossed() -> None:
    inside = measure_crossing(_sail(EAST), _box(1.25, 1.375), None, None, _at(0))
    assert inside == (_at(1, 15), _at(1, 22, 30), pytest.approx(7.5))


def test_an_area_at_180_degrees_is_crossed_in_either_direction() -> None:
    strip = MultiPolygon([box(179.75, -1, 180, 1), box(-180, -1, -179.75, 1)])
    for lngs in ([178.5, 179.5, -179.5, -178.5], [-178.5, -179.5, 179.5, 178.5]):
        (stay,) = list_stays(_sail(lngs), strip, None, None)
        assert stay == (_at(1, 15), _at(1, 45), pytest.approx(30.0))


def test_a_sample_on_180_degrees_does_not_divide_a_stay() -> None:
    strip = MultiPolygon([box(179.75, -1, 180, 1), box(-180, -1, -179.5, 1)])
    for side in (180.0, -180.0):
        (stay,) = list_stays(_sail([178.0, 179.0, side, -179.0]), strip, None, None)
        assert stay == (_at(1, 45), _at(2, 30), pytest.approx(45.0))


def test_an_area_entered_twice_has_two_stays_and_one_crossing() -> None:
    areas = MultiPolygon([box(0.25, -1, 0.5, 1), box(2.5, -1, 5, 1)])
    stays = list_stays(_sail(EAST), areas, None, None)
    assert stays == [
        (_at(0, 15), _at(0, 30), pytest.approx(15.0)),
        (_at(2, 30), _at(3), pytest.approx(30.0)),
    ]
    crossing = measure_crossing(_sail(EAST), areas, None, None, _at(0))
    assert crossing == (_at(0, 15), _at(3), pytest.approx(45.0))


@pytest.mark.parametrize("now", [(0, 30), (2, 40)])
def test_only_stays_that_have_not_ended_are_still_to_come(now: tuple[int, int]) -> None:
    areas = MultiPolygon([box(0.25, -1, 0.5, 1), box(2.5, -1, 5, 1)])
    crossing = measure_crossing(_sail(EAST), areas, None, None, _at(*now))
    assert crossing == (_at(2, 30), _at(3), pytest.approx(30.0))
    assert measure_crossing(_sail(EAST), areas, None, None, _at(3)) is None


def test_a_window_that_begins_or_ends_inside_bounds_the_stay() -> None:
    area, voyage = _box(0.5, 2.5), _sail(EAST)
    later = measure_crossing(voyage, area, _at(1, 20), None, _at(0))
    assert later == (_at(1, 20), _at(2, 30), pytest.approx(70.0))
    sooner = measure_crossing(voyage, area, None, _at(1, 20), _at(0))
    assert sooner == (_at(0, 30), _at(1, 20), pytest.approx(50.0))


def test_an_area_in_force_at_other_times_is_not_crossed() -> None:
    area, voyage = _box(0.5, 2.5), _sail(EAST)
    assert measure_crossing(voyage, area, _at(2, 30), None, _at(0)) is None
    assert measure_crossing(voyage, area, None, _at(0, 30), _at(0)) is None


def test_a_wait_inside_an_area_is_part_of_the_stay() -> None:
    waiting = list_stays(_sail([0.0, 1.0, 1.0, 2.0]), _box(0.5, 1.5), None, None)
    assert [stay[:2] for stay in waiting] == [(_at(0, 30), _at(2, 30))]
    assert list_stays(_sail([2.0, 2.0, 3.0]), _box(0.5, 1.5), None, None) == []


def test_an_area_elsewhere_or_only_touched_is_not_crossed() -> None:
    away = MultiPolygon([box(1.25, 2, 1.75, 3)])
    touched = MultiPolygon([box(3.0, -1, 4.0, 1)])
    for area in (away, touched):
        assert measure_crossing(_sail(EAST), area, None, None, _at(0)) is None


def test_zones_entered_are_listed_by_time_with_their_windows() -> None:
    revision = ChartingRevision(
        profile=_sail(EAST),
        areas=[_keep("late", _box(2.25, 2.5)), _keep("early", _box(0.5, 2.0), _at(1, 10))],
    )
    crossed = list_areas_met(revision)
    met = [(each.area.name, each.crossing.from_time, each.crossing.to_time) for each in crossed]
    assert met == [("early", _at(1, 10), _at(2)), ("late", _at(2, 15), _at(2, 30))]


def _keep(name: str, area: MultiPolygon, starts_at: datetime | None = None) -> dict[str, Any]:
    """Return an area as a revision keeps it."""
    return {
        **{"id": name, "name": name, "kind": "ECA", "rule": "REPORTED"},
        **{"geometry": mapping(area), "endsAt": None},
        "startsAt": starts_at and starts_at.isoformat(),
    }


def _box(west: float, east: float) -> MultiPolygon:
    return MultiPolygon([box(west, -1, east, 1)])


def _at(hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2026, 1, 14, hour, minute, second, tzinfo=UTC)


def test_the_borders_of_an_emission_control_area_are_passed_when_the_critical_points_say() -> None:
    plan = make_plan([Turn(0.0, 0.0), Turn(1.0, 12.0)])
    outline = MultiPolygon([box(4.013, -1.0, 8.027, 2.0)])
    eca = Area("a", "North", geometry=outline, kind=AreaKind.ECA, rule=AreaRule.REPORTED)
    profile = [
        {"time": format_instant(point.time), "cumulativeNm": point.cumulative_nm}
        | {"lat": point.position.lat, "lng": point.position.lng}
        for point in plan.profile
    ]
    (stay,) = list_stays(profile, outline, None, None)
    enters, leaves = find_eca_borders(plan, make_request(plan, areas=(eca,)))
    assert (enters.eta, leaves.eta) == (stay.from_time, stay.to_time)
