"""Routes over small drawn seas with answers that are easy to check."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import shapely
from shapely.affinity import translate
from shapely.geometry import MultiPolygon, box

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.errors import DraftTooDeep, EndInsideArea, NoRoute, PortOnLand
from app.engine.geodesy import great_circle_distance_nm, interpolate_leg, sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Limits, Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.leg_room import measure_leg_gap_m
from app.engine.sea.path import Leg, ShipSize
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.conditions import NO_CONDITIONS
from tests.unit.engine.sea.ascii_chart import Drawing

SMALL = ShipSize(draft_m=5.0, breadth_m=15.0, loa_m=100.0)
Drawings = dict[str, Drawing]


def area(rule: AreaRule, west: float, south: float, east: float, north: float) -> Area:
    box = shapely.box(west, south, east, north)
    return Area("a", "the area", AreaKind.NO_GO, rule, MultiPolygon([box]))


def run(sea: SeaAtlas, a: Position, b: Position, **options: object) -> tuple[Leg, ...]:
    path = sea.find_paths(a, b, ship=SMALL, **options)[0]  # type: ignore[arg-type]
    return sea.build_legs(path, TrackKind.GREAT_CIRCLE)


def draw_legs(legs: tuple[Leg, ...], geometry: LegGeometry) -> shapely.Geometry:
    lines = []
    for leg in legs:
        lats, lngs = sample_leg(leg.start, leg.end, geometry, 0.5)
        lines.append(shapely.linestrings(np.column_stack([np.unwrap(lngs, period=360.0), lats])))
    return shapely.union_all(lines)


@pytest.mark.parametrize("geometry", list(LegGeometry))
def test_a_route_between_islands_touches_none_of_them(
    tiny_sea: SeaAtlas, drawings: Drawings, geometry: LegGeometry
) -> None:
    sea = drawings["islands"]
    legs = run(tiny_sea, sea.places["A"], sea.places["B"])
    assert not draw_legs(legs, geometry).intersects(sea.land)


def test_a_route_round_an_island_is_little_longer_than_the_great_circle(
    tiny_sea: SeaAtlas, drawings: Drawings
) -> None:
    a, b = drawings["islands"].places["A"], drawings["islands"].places["B"]
    length = sum(leg.distance_nm for leg in run(tiny_sea, a, b))
    direct = float(great_circle_distance_nm(*a, *b))
    assert direct < length < 1.15 * direct


def test_legs_join_end_to_start_from_departure_to_arrival(
    tiny_sea: SeaAtlas, drawings: Drawings
) -> None:
    a, b = drawings["islands"].places["A"], drawings["islands"].places["B"]
    legs = run(tiny_sea, a, b)
    assert legs[0].start == pytest.approx(a)
    assert legs[-1].end == pytest.approx(b)
    assert all(one.end == two.start for one, two in pairwise(legs))


def test_a_lake_is_not_the_sea(tiny_sea: SeaAtlas, drawings: Drawings) -> None:
    places = drawings["islands"].places
    snapped = tiny_sea.find_water(places["L"])
    assert snapped.distance_nm > 10.0


def test_a_place_far_inland_is_refused(tiny_sea: SeaAtlas, drawings: Drawings) -> None:
    with pytest.raises(PortOnLand) as refusal:
        tiny_sea.find_water(drawings["islands"].places["L"], within_nm=5.0)
    assert refusal.value.data["within_nm"] == 5.0


def test_a_place_afloat_is_used_as_given(tiny_sea: SeaAtlas) -> None:
    place = Position(-45.0, 10.1234)
    assert tiny_sea.find_water(place) == (place, 0.0) or (
        tiny_sea.find_water(place).position == pytest.approx(place)
    )


def test_a_canal_is_taken_when_the_ship_fits(tiny_sea: SeaAtlas, drawings: Drawings) -> None:
    places = drawings["isthmus"].places
    path = tiny_sea.find_paths(places["W"], places["E"], ship=SMALL)[0]
    assert [use.id for use in path.uses] == ["ditch"]


def test_no_corner_of_a_canal_is_cut(tiny_sea: SeaAtlas, drawings: Drawings) -> None:
    places = drawings["isthmus"].places
    path = tiny_sea.find_paths(places["W"], places["E"], ship=SMALL)[0]
    line = tiny_sea.passages[0].centre_line
    track = list(zip(path.lats.tolist(), path.lngs.tolist(), strict=True))
    assert all(tuple(point) in track for point in line)


def test_a_canal_leg_has_the_canals_name_and_half_width(
    tiny_sea: SeaAtlas, drawings: Drawings
) -> None:
    places = drawings["isthmus"].places
    inside = [leg for leg in run(tiny_sea, places["W"], places["E"]) if leg.passage == "the Ditch"]
    assert len(inside) == 2
    assert {leg.xtd_m for leg in inside} == {100.0}


@pytest.mark.parametrize(
    "ship", [ShipSize(11.0, 15.0, 100.0), ShipSize(5.0, 31.0, 100.0)], ids=["deep", "broad"]
)
def test_a_ship_too_large_for_the_canal_goes_round(
    tiny_sea: SeaAtlas, drawings: Drawings, ship: ShipSize
) -> None:
    places = drawings["isthmus"].places
    path = tiny_sea.find_paths(places["W"], places["E"], ship=ship)[0]
    assert not path.uses
    assert abs(path.lats - places["W"].lat).max() > 2.0


def test_the_route_round_is_the_alternative_to_the_canal(
    tiny_sea: SeaAtlas, drawings: Drawings
) -> None:
    places = drawings["isthmus"].places
    paths = tiny_sea.find_paths(places["W"], places["E"], ship=SMALL)
    assert [bool(path.uses) for path in paths] == [True, False]
    assert paths[0].cost_nm < paths[1].cost_nm


def test_an_avoided_passage_is_not_used(tiny_sea: SeaAtlas, drawings: Drawings) -> None:
    places = drawings["isthmus"].places
    paths = tiny_sea.find_paths(
        places["W"], places["E"], ship=SMALL, avoid_passages=frozenset(["ditch"])
    )
    assert not any(path.uses for path in paths)


def test_a_strait_is_closed_to_a_ship_too_deep_for_it(
    tiny_sea: SeaAtlas, drawings: Drawings
) -> None:
    places = drawings["strait"].places
    deep = ShipSize(draft_m=9.0, breadth_m=15.0, loa_m=100.0)
    with pytest.raises(DraftTooDeep) as refusal:
        tiny_sea.find_paths(places["O"], places["I"], ship=deep)
    assert refusal.value.data["passages"][0]["id"] == "gut"
    assert refusal.value.data["passages"][0]["limit"] == 8.0


def test_a_strait_avoided_with_no_other_route_is_no_route(
    tiny_sea: SeaAtlas, drawings: Drawings
) -> None:
    places = drawings["strait"].places
    with pytest.raises(NoRoute):
        tiny_sea.find_paths(places["O"], places["I"], ship=SMALL, avoid_passages=frozenset(["gut"]))


def test_an_area_a_mile_wide_is_not_sailed_through(tiny_sea: SeaAtlas) -> None:
    wall = area(AreaRule.NO_ENTRY, 20.0, -50.0, 20.02, -40.0)
    legs = run(tiny_sea, Position(-45.0, 15.0), Position(-45.0, 25.0), areas=[wall])
    for geometry in LegGeometry:
        assert not draw_legs(legs, geometry).intersects(wall.geometry)


def test_an_area_over_the_antimeridian_is_not_sailed_through(tiny_sea: SeaAtlas) -> None:
    halves = [shapely.box(179.5, -50, 180, -40), shapely.box(-180, -50, -179.5, -40)]
    wall = Area("a", "the area", AreaKind.NO_GO, AreaRule.NO_ENTRY, MultiPolygon(halves))
    legs = run(tiny_sea, Position(-45.0, 175.0), Position(-45.0, -175.0), areas=[wall])
    lats = [leg.end.lat for leg in legs]
    assert max(lats) > -40.0 or min(lats) < -50.0


def test_an_end_inside_a_forbidden_area_is_refused_by_name(tiny_sea: SeaAtlas) -> None:
    around = area(AreaRule.NO_ENTRY, 14.0, -46.0, 16.0, -44.0)
    with pytest.raises(EndInsideArea) as refusal:
        tiny_sea.find_paths(
            Position(-45.0, 15.0), Position(-45.0, 25.0), ship=SMALL, areas=[around]
        )
    assert refusal.value.data["end"] == "departure"


def test_a_ship_bound_into_an_avoided_area_goes_there_by_the_shortest_route_in(
    tiny_sea: SeaAtlas,
) -> None:
    around = area(AreaRule.AVOID_UNLESS_ENDPOINT, 10.0, -50.0, 25.0, -44.0)
    legs = run(tiny_sea, Position(-45.0, 5.0), Position(-45.0, 20.0), areas=[around])
    inside = draw_legs(legs, LegGeometry.GREAT_CIRCLE).intersection(around.geometry)
    assert inside.length < 3.0


def test_an_area_only_reported_changes_nothing(tiny_sea: SeaAtlas) -> None:
    ends = Position(-45.0, 15.0), Position(-45.0, 25.0)
    told = area(AreaRule.REPORTED, 19.0, -50.0, 21.0, -40.0)
    assert run(tiny_sea, *ends, areas=[told]) == run(tiny_sea, *ends)


def test_a_route_over_the_antimeridian_is_short_and_its_longitudes_are_in_range(
    tiny_sea: SeaAtlas, drawings: Drawings
) -> None:
    places = drawings["dateline"].places
    legs = run(tiny_sea, places["F"], places["G"])
    direct = float(great_circle_distance_nm(*places["F"], *places["G"]))
    assert sum(leg.distance_nm for leg in legs) < 1.2 * direct
    assert all(-180.0 <= point.lng < 180.0 for leg in legs for point in (leg.start, leg.end))


def test_the_captains_northern_limit_is_kept(tiny_sea: SeaAtlas) -> None:
    a, b = Position(45.0, 60.0), Position(45.0, 140.0)
    free = run(tiny_sea, a, b)
    bound = run(tiny_sea, a, b, limits=Limits(north_lat=50.0))
    assert max(leg.end.lat for leg in free) > 52.0
    assert draw_legs(bound, LegGeometry.GREAT_CIRCLE).bounds[3] <= 50.0


def test_the_captains_southern_limit_is_kept(tiny_sea: SeaAtlas) -> None:
    a, b = Position(-45.0, 60.0), Position(-45.0, 140.0)
    free = run(tiny_sea, a, b)
    bound = run(tiny_sea, a, b, limits=Limits(south_lat=-50.0))
    assert min(leg.end.lat for leg in free) < -52.0
    assert draw_legs(bound, LegGeometry.GREAT_CIRCLE).bounds[1] >= -50.0


@pytest.mark.parametrize("end_lat", [45.0, 53.0])
def test_a_ship_bound_beyond_a_latitude_limit_sails_least_beyond_it(
    tiny_sea: SeaAtlas, end_lat: float
) -> None:
    # one end beyond the limit, or both: the great circle would reach 57 degrees
    a, b = Position(53.0, 60.0), Position(end_lat, 140.0)
    legs = run(tiny_sea, a, b, limits=Limits(north_lat=52.0))
    beyond = draw_legs(legs, LegGeometry.GREAT_CIRCLE).intersection(box(0.0, 52.2, 180.0, 90.0))
    assert beyond.length < 5.0


def test_the_pole_is_crossed_only_on_request(tiny_sea: SeaAtlas) -> None:
    a, b = Position(55.0, -170.0), Position(55.0, 10.0)
    assert max(leg.end.lat for leg in run(tiny_sea, a, b)) < 88.0
    assert max(leg.end.lat for leg in run(tiny_sea, a, b, limits=Limits(north_lat=90.0))) > 85.0


def test_long_great_circles_are_split_into_legs_close_to_rhumb_lines(
    tiny_sea: SeaAtlas,
) -> None:
    legs = run(tiny_sea, Position(-40.0, 20.0), Position(-40.0, 110.0))
    assert len(legs) > 3
    for leg in legs:
        middles = [interpolate_leg(leg.start, leg.end, geometry, [0.5]) for geometry in LegGeometry]
        (lat0, lng0), (lat1, lng1) = middles
        assert great_circle_distance_nm(lat0, lng0, lat1, lng1)[0] < 5.1


def test_rhumb_tracks_have_rhumb_line_legs(tiny_sea: SeaAtlas) -> None:
    path = tiny_sea.find_paths(Position(-40.0, 20.0), Position(-38.0, 60.0), ship=SMALL)[0]
    legs = tiny_sea.build_legs(path, TrackKind.RHUMB)
    assert {leg.geometry for leg in legs} == {LegGeometry.RHUMB}


@pytest.mark.parametrize(
    "lngs", [(20.0, 20.00002, 60.0), (20.0, 40.0, 40.00002, 60.0), (20.0, 60.0, 60.00002)]
)
def test_points_within_metres_of_each_other_make_no_leg(
    tiny_sea: SeaAtlas, lngs: tuple[float, ...]
) -> None:
    found = tiny_sea.find_paths(Position(-40.0, 20.0), Position(-40.0, 60.0), ship=SMALL)[0]
    marks = np.full(len(lngs) - 1, OPEN_SEA, dtype=np.int16)
    path = replace(found, lats=np.full(len(lngs), -40.0), lngs=np.array(lngs), leg_passages=marks)
    legs = tiny_sea.build_legs(path, TrackKind.RHUMB)
    assert min(leg.distance_nm for leg in legs) > 1.0
    assert (legs[0].start.lng, legs[-1].end.lng) == pytest.approx((lngs[0], lngs[-1]))


def test_a_harbour_at_the_head_of_a_creek_is_reached_inside_it(tiny_sea: SeaAtlas) -> None:
    berth, sea = Position(60.5, -39.88), Position(60.5, -35.0)
    legs = run(tiny_sea, berth, sea)
    inside = [leg for leg in legs if leg.end.lng < -39.0]
    assert all(60.45 < leg.end.lat < 60.55 for leg in inside)
    assert legs[0].passage == "harbour approach"


def test_legs_at_sea_keep_the_full_clearing_distance(
    tiny_sea: SeaAtlas, drawings: Drawings
) -> None:
    a, b = drawings["islands"].places["A"], drawings["islands"].places["B"]
    for leg in run(tiny_sea, a, b):
        assert leg.xtd_m == 1852.0 or leg.passage is not None
        xtd_m = leg.xtd_m - 0.1
        gap_m = measure_leg_gap_m(tiny_sea.waters, NO_CONDITIONS, leg.start, leg.end, xtd_m)
        assert gap_m >= xtd_m


def test_depth_is_known_offshore_and_unknown_inshore(
    tiny_sea: SeaAtlas,
) -> None:
    depths = tiny_sea.depth_m([-45.0, 30.125], [10.0, -26.5])
    assert depths[0] == pytest.approx(4000.0)
    assert np.isnan(depths[1])


def test_equal_requests_have_equal_routes(tiny_sea: SeaAtlas, drawings: Drawings) -> None:
    a, b = drawings["islands"].places["A"], drawings["islands"].places["B"]
    assert run(tiny_sea, a, b) == run(tiny_sea, a, b)


def test_a_forbidden_area_off_the_harbour_is_rounded_on_the_route_out(tiny_sea: SeaAtlas) -> None:
    berth, sea = Position(60.5, -39.88), Position(60.5, -35.0)
    off = area(AreaRule.NO_ENTRY, -38.9, 60.4, -38.7, 60.6)
    legs = run(tiny_sea, berth, sea, areas=[off])
    assert not draw_legs(legs, LegGeometry.GREAT_CIRCLE).intersects(off.geometry)


def test_an_area_that_closes_the_harbour_leaves_no_route(tiny_sea: SeaAtlas) -> None:
    berth, sea = Position(60.5, -39.88), Position(60.5, -35.0)
    plug = area(AreaRule.NO_ENTRY, -39.4, 60.3, -39.3, 60.7)
    with pytest.raises(NoRoute):
        tiny_sea.find_paths(berth, sea, ship=SMALL, areas=[plug])


@pytest.mark.parametrize("radius_deg", [0.02, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("outward", [True, False])
def test_a_ring_of_forbidden_water_is_neither_left_nor_entered(
    tiny_sea: SeaAtlas, radius_deg: float, outward: bool
) -> None:
    inside, outside = Position(-20.3, 100.1), Position(-25.0, 105.0)
    disc = shapely.Point(inside.lng, inside.lat).buffer(radius_deg)
    ring = MultiPolygon([disc.difference(disc.buffer(-0.4 * radius_deg))])
    wall = Area("ring", "the ring", AreaKind.NO_GO, AreaRule.NO_ENTRY, ring)
    ends = (inside, outside) if outward else (outside, inside)
    with pytest.raises(NoRoute, match="the ring") as refusal:
        run(tiny_sea, *ends, areas=[wall])
    assert refusal.value.data["areas"] == ["ring"]


def test_an_area_elsewhere_is_not_blamed_for_a_closed_ring(tiny_sea: SeaAtlas) -> None:
    around = shapely.Point(100.1, -20.3).buffer(0.5)
    ring = MultiPolygon([around.difference(around.buffer(-0.2))])
    areas = [
        Area("ring", "the ring", AreaKind.NO_GO, AreaRule.NO_ENTRY, ring),
        area(AreaRule.NO_ENTRY, 120.0, -40.0, 121.0, -39.0),
    ]
    with pytest.raises(NoRoute) as refusal:
        run(tiny_sea, Position(-20.3, 100.1), Position(-25.0, 105.0), areas=areas)
    assert refusal.value.data["areas"] == ["ring"]


def test_a_parallel_that_closes_the_route_is_named(tiny_sea: SeaAtlas) -> None:
    inside, outside = Position(29.8, -29.0), Position(29.8, -24.0)
    with pytest.raises(NoRoute, match="south of 30"):
        run(tiny_sea, inside, outside, limits=Limits(north_lat=30.0))


def test_a_limit_that_both_ends_exceed_still_holds_between_them(tiny_sea: SeaAtlas) -> None:
    legs = run(tiny_sea, Position(50.0, 50.0), Position(50.0, 150.0), limits=Limits(north_lat=48.0))
    lats = shapely.get_coordinates(draw_legs(legs, LegGeometry.GREAT_CIRCLE))[:, 1]
    assert lats.max() < 50.3
    assert np.mean(lats > 48.0) < 0.15


@pytest.mark.parametrize(("west", "east"), [(-180.0, 0.0), (0.0, 180.0), (-80.0, 95.0)])
def test_an_edge_across_half_the_world_is_not_crossed_at_its_end(
    tiny_sea: SeaAtlas, west: float, east: float
) -> None:
    wall = area(AreaRule.NO_ENTRY, west, -40.5, east, -40.0)
    line = draw_legs(
        run(tiny_sea, Position(-39.7, west + 0.2), Position(-40.8, west + 0.2), areas=[wall]),
        LegGeometry.RHUMB,
    )
    for turn in (-360.0, 0.0, 360.0):
        assert not line.intersects(translate(wall.geometry, turn))
