"""The judges of exported files find faults that were put there."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
import shapely

from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from benchmarks.exported_files import (
    Files,
    Leg,
    export,
    list_areas_entered,
    list_impossible_turns,
    list_tracks_in_areas,
    nearest_m,
)
from tests.builders import north_pacific_plan, panama_plan
from tests.unit.engine.sailing_builders import make_area

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def leg(start: tuple[float, float], end: tuple[float, float], xtd_m: float = 1852.0) -> Leg:
    return Leg(start, end, NOON, NOON + 10 * HOUR, True, xtd_m, "")


def test_files_are_read_back_as_the_plan_was() -> None:
    plan = panama_plan()
    files = export(plan)
    assert [item.arrives for item in files.legs] == [w.eta for w in plan.waypoints[1:]]
    assert files.legs[-1].end == pytest.approx(plan.waypoints[-1].position, abs=1e-6)
    assert len(files.table) == len(plan.waypoints)
    assert len(files.track) == len(plan.profile)


@pytest.mark.parametrize("geometry", list(LegGeometry))
def test_lines_are_those_of_the_engine_though_drawn_otherwise(geometry: LegGeometry) -> None:
    a, b = Position(40.0, 170.0), Position(55.0, -150.0)
    great_circle = geometry is LegGeometry.GREAT_CIRCLE
    drawn = shapely.linestrings(*leg(a, b).draw(great_circle)[::-1])
    lats, lngs = sample_leg(a, b, geometry, 20.0)
    assert max(drawn.distance(p) for p in shapely.points(lngs, lats)[1:-1]) < 1e-3


@pytest.mark.parametrize("great_circle", [True, False])
def test_an_area_on_either_line_is_entered(great_circle: bool) -> None:
    north = leg((60.0, 0.0), (60.0, 20.0))
    lats, lngs = north.draw(great_circle)
    lat, lng = lats[lats.size // 2], lngs[lngs.size // 2]
    area = make_area(lng - 0.05, lat - 0.02, lng + 0.05, lat + 0.02)
    assert list_areas_entered([north], [area]) == [(north, area)]


@pytest.mark.parametrize(("begins_h", "entered"), [(1.0, False), (4.0, True), (7.0, False)])
def test_a_dated_area_is_entered_only_in_its_time(begins_h: float, entered: bool) -> None:
    begins = NOON + begins_h * HOUR
    area = make_area(0.9, -1.0, 1.1, 1.0, starts_at=begins, ends_at=begins + 2 * HOUR)
    assert bool(list_areas_entered([leg((0.0, 0.0), (0.0, 2.0))], [area])) is entered
    track = ((0.0, 0.0, NOON), (0.0, 2.0, NOON + 10 * HOUR))
    assert bool(list_tracks_in_areas(Files((), (), track), [area])) is entered


def test_an_area_over_the_antimeridian_is_entered_from_the_west() -> None:
    area = make_area(-180.0, 9.0, -179.9, 11.0)
    assert list_areas_entered([leg((10.0, 179.0), (10.0, -179.0))], [area])


@pytest.mark.parametrize("lat", [0.0, 60.0])
def test_how_far_off_a_leg_passes_is_reported_in_metres(lat: float) -> None:
    tree = shapely.STRtree([shapely.box(1.01, lat - 0.5, 1.5, lat + 0.5)])
    northward = leg((lat - 0.2, 1.0), (lat + 0.2, 1.0))
    east_m = 0.01 * 111_195.0 * np.cos(np.radians(lat))
    assert nearest_m(northward, tree, 1852.0) == pytest.approx(east_m, rel=0.01)
    assert nearest_m(northward, tree, 100.0) == 100.0


def test_a_voyage_over_the_antimeridian_is_read_too() -> None:
    assert len(export(north_pacific_plan()).legs) == len(north_pacific_plan().waypoints) - 1


@pytest.mark.parametrize("great_circle", [True, False])
@pytest.mark.parametrize(
    ("radius_nm", "xtd_m", "why"),
    [
        (0.5, 1852.0, []),
        (None, 1852.0, ["no radius"]),
        (3.0, 1852.0, ["passes its end 2301 m off"]),
        (30.5, 40_000.0, ["30.000 nm for turns of 30.500 nm"]),
    ],
)
def test_a_turn_needs_a_radius_room_on_its_legs_and_its_corridor(
    great_circle: bool, radius_nm: float | None, xtd_m: float, why: list[str]
) -> None:
    ends = ((0.0, 0.0), (0.0, 1.0), (-0.5, 1.0))
    legs = [
        Leg(a, b, NOON, NOON + HOUR, great_circle, xtd_m, "", radius_nm) for a, b in pairwise(ends)
    ]
    assert [words for _, words in list_impossible_turns(legs)] == why
