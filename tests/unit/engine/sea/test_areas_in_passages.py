"""Forbidden areas in narrow waters of the real world."""

import numpy as np
import pytest
import shapely
from shapely.geometry import LineString, MultiPolygon, box

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.constants import DEGREE_M
from app.engine.errors import NoRoute
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.bypasses import find_bypass
from app.engine.sea.coast import is_land
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import Leg, ShipSize

pytestmark = pytest.mark.atlas

HANDYMAX = ShipSize(draft_m=9.5, breadth_m=32.2, loa_m=190.0, required_depth_m=11.2)


LISBON, GENOA = Position(38.7, -9.15), Position(44.4, 8.9)
SUEZ, JEDDAH = Position(29.8, 32.55), Position(21.4, 39.1)
#: A guard zone of 0.2 nm around a wreck [deg], and the least distance of a track from it [m].
GUARD_DEG = 0.0033
CLEAR_M = 105.0


def forbid(lat: float, lng: float, radius_deg: float, id: str = "z") -> Area:
    """Circular area that must not be entered."""
    circle = shapely.Point(lng, lat).buffer(radius_deg)
    return name_area(MultiPolygon([circle]), id)


def name_area(geometry: MultiPolygon, id: str = "z") -> Area:
    return Area(id, f"area {id}", AreaKind.NO_GO, AreaRule.NO_ENTRY, geometry)


def plan(sea: SeaAtlas, a: Position, b: Position, *areas: Area) -> tuple[Leg, ...]:
    path = sea.find_paths(a, b, ship=HANDYMAX, areas=areas, most=1)[0]
    return sea.build_legs(path, TrackKind.GREAT_CIRCLE)


def measure_nm(legs: tuple[Leg, ...]) -> float:
    return sum(leg.distance_nm for leg in legs)


def measure_gap_m(legs: tuple[Leg, ...], area: Area) -> float:
    """Measure the distance of legs, as great circles and rhumb lines, from an area [m]."""
    scales = DEGREE_M * np.array([np.cos(np.radians(area.geometry.centroid.y)), 1.0])
    zone = shapely.transform(area.geometry, lambda xy: xy * scales)
    return min(
        zone.distance(LineString(np.column_stack(sample_leg(*ends, line, 0.05)[::-1]) * scales))
        for ends in ((leg.start, leg.end) for leg in legs)
        for line in LegGeometry
    )


@pytest.mark.parametrize(
    ("departure", "arrival", "lat", "lng", "radius_deg"),
    [
        (Position(58.3, -134.42), Position(47.6, -122.4), 47.9626, -122.5663, 0.0075),
        (Position(1.25, 103.8), Position(14.55, 120.9), 14.3357, 120.6129, 0.03),
    ],
    ids=["Juneau to Seattle", "Singapore to Manila"],
)
def test_the_refusal_names_the_area_that_closes_the_approach_not_the_depth_beside_it(
    sea: SeaAtlas, departure: Position, arrival: Position, lat: float, lng: float, radius_deg: float
) -> None:
    with pytest.raises(NoRoute, match="area z") as caught:
        sea.find_paths(departure, arrival, ship=HANDYMAX, areas=(forbid(lat, lng, radius_deg),))
    assert caught.value.data["areas"] == ["z"]


@pytest.mark.parametrize(
    ("departure", "arrival", "lat", "lng"),
    [
        (LISBON, GENOA, 35.943, -5.503),
        (SUEZ, Position(18.9, 72.8), 12.568, 43.392),
        (Position(1.25, 103.8), Position(18.9, 72.8), 1.2326, 103.4428),
        (Position(58.3, -134.42), Position(47.6, -122.4), 47.9626, -122.5663),
        (Position(1.25, 103.8), Position(14.55, 120.9), 14.3357, 120.6129),
        (SUEZ, JEDDAH, 29.145, 32.7358),
    ],
    ids=["Gibraltar", "Bab el Mandeb", "Malacca", "Puget Sound", "Manila Bay", "two lanes' joint"],
)
def test_a_wreck_on_a_centre_line_is_passed_within_the_water_of_the_passage(
    sea: SeaAtlas, departure: Position, arrival: Position, lat: float, lng: float
) -> None:
    area = forbid(lat, lng, GUARD_DEG)
    free, legs = plan(sea, departure, arrival), plan(sea, departure, arrival, area)
    assert measure_gap_m(free, area) == 0.0
    assert measure_gap_m(legs, area) > CLEAR_M
    assert measure_nm(legs) < measure_nm(free) + 0.5
    passages = {passage.name: passage for passage in sea.passages}
    moved = [leg for leg in legs if leg not in free and leg.passage in passages]
    assert len(moved) >= 3
    for leg in moved:
        lats, lngs = sample_leg(leg.start, leg.end, leg.geometry, 0.05)
        passage = passages[leg.passage or ""]
        assert passage.distances_m(lats, lngs).max() <= passage.half_width_m
        assert leg.min_depth_m == passage.depth_m
        assert not any(is_land(sea.waters, *place) for place in zip(lats, lngs, strict=True))


def test_an_area_as_wide_as_one_lane_closes_that_lane_alone(sea: SeaAtlas) -> None:
    area = forbid(35.943, -5.503, 0.016)
    assert measure_nm(plan(sea, LISBON, GENOA, area)) > 10_000.0
    assert plan(sea, GENOA, LISBON, area) == plan(sea, GENOA, LISBON)


def test_areas_that_leave_room_each_but_not_together_close_the_lane(sea: SeaAtlas) -> None:
    north, south = (
        name_area(MultiPolygon([box(-5.504, *sides, -5.502, *others)]), name)
        for name, sides, others in (
            ("north", (35.9425,), (35.965,)),
            ("south", (35.925,), (35.9435,)),
        )
    )
    for area in (north, south):
        assert measure_nm(plan(sea, LISBON, GENOA, area)) < 1200.0
    assert measure_nm(plan(sea, LISBON, GENOA, north, south)) > 10_000.0


LANE = Passage(
    "lane",
    "the lane",
    PassageKind.LANE,
    (Position(0.0, 0.0), Position(0.0, 0.3)),
    half_width_m=1000.0,
    one_way=True,
)
EASTWARD = LineString([(0.0, 0.0), (0.3, 0.0)])


def draw_box(south: float, north: float) -> MultiPolygon:
    """Box across the lane's middle, 0.01 degrees long."""
    return MultiPolygon([box(0.145, south, 0.155, north)])


@pytest.mark.parametrize(
    ("south", "north", "side"),
    [(-0.002, 0.002, -1.0), (-0.002, 0.001, 1.0), (-0.001, 0.002, -1.0)],
    ids=["equal", "less to port", "less to starboard"],
)
def test_the_nearer_side_is_taken_and_the_starboard_side_at_equal_distance(
    south: float, north: float, side: float
) -> None:
    zone = draw_box(south, north)
    aside = find_bypass(EASTWARD, [LANE], [zone])
    assert aside is not None
    lats = np.array(aside.coords)[:, 1]
    assert np.abs(lats).max() == side * lats[np.abs(lats).argmax()]
    assert 110.0 < aside.distance(zone) * DEGREE_M < 120.0 + 1000.0 / 20.0
    assert aside.coords[0] == pytest.approx(EASTWARD.coords[0])
    assert aside.coords[-1] == pytest.approx(EASTWARD.coords[-1])


def test_no_bypass_leaves_the_water_of_the_passage() -> None:
    assert find_bypass(EASTWARD, [LANE], [draw_box(-0.008, 0.008)]) is None


def test_a_line_that_meets_no_area_stays() -> None:
    assert find_bypass(EASTWARD, [LANE], [draw_box(0.0012, 0.1)]) is EASTWARD


def test_where_one_side_is_no_water_the_other_is_taken() -> None:
    zone = draw_box(-0.001, 0.001)
    aside = find_bypass(EASTWARD, [LANE], [zone], lambda _, new: new.bounds[1] > -0.0001)
    assert aside is not None
    assert aside.bounds[3] > 0.001


def test_a_ship_that_joins_beside_the_area_has_no_bypass() -> None:
    assert (
        find_bypass(LineString([(0.149, 0.0), (0.3, 0.0)]), [LANE], [draw_box(-0.001, 0.001)])
        is None
    )
