"""Lanes of traffic separation schemes: ships follow the lane of their direction.

IMO, Convention on the International Regulations for Preventing Collisions at Sea (COLREG), 1972,
rule 10 (b): proceed in the appropriate lane in its general direction of traffic flow; (c): cross
lanes as nearly as practicable at right angles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from math import atan2, cos, degrees, radians

import pytest
from cachetools import cached
from shapely import STRtree
from shapely.geometry import LineString

from app.datasources.passages import load_passages
from app.engine.geodesy import (
    great_circle_course_deg,
    great_circle_destination,
    sample_leg,
)
from app.engine.geodesy.leg import LegGeometry
from app.engine.planner import plan_voyage
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.gates import list_lane_lines
from app.engine.sea.passage_index import PassageIndex
from app.engine.sea.passages import Passage
from app.engine.sea.path import SeaPath, ShipSize
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import make_crossing
from tests.unit.engine.weather.seas import uniform_climatology

pytestmark = pytest.mark.atlas

LANES = [passage for passage in load_passages() if passage.gate is not None]
SHIP = ShipSize(draft_m=10.5, breadth_m=32.2, loa_m=190.0, required_depth_m=12.0)

ROTTERDAM, LISBON = Position(51.98, 4.0), Position(38.6, -9.4)
COLOMBO, SINGAPORE = Position(6.95, 79.8), Position(1.25, 103.9)
QINGDAO, TIANJIN = Position(36.0, 120.4), Position(38.9, 117.9)
JEDDAH, ADEN, DJIBOUTI = Position(21.47, 39.15), Position(12.783, 44.95), Position(11.6, 43.133)
YANBU = Position(24.09, 38.0)
ASSAB, MOKHA = Position(13.0, 42.75), Position(13.317, 43.23)
SUEZ, EL_TOR, RAS_GHARIB = Position(29.9, 32.56), Position(28.23, 33.6), Position(28.35, 33.1)
GULF_OF_SUEZ = {f"gulf-of-suez-{part}-" for part in ("north", "middle", "south")} | {"suez-bay-"}

MALACCA = {
    f"malacca-{part}-"
    for part in (
        "one-fathom-bank",
        "port-klang",
        "port-dickson",
        "melaka",
        "batu-pahat",
        "pulau-pisang",
        "iyu-kechil",
    )
}
SINGAPORE_STRAIT = {
    f"singapore-strait-{part}-"
    for part in ("karimun", "raffles", "sentosa", "changi", "horsburgh", "east")
}
GOTHENBURG = Position(57.6, 11.6)
ORESUND = {f"oresund-{part}-" for part in ("entrance", "helsingor", "helsingborg")}
COPENHAGEN, LANDSKRONA = Position(55.7, 12.61), Position(55.86, 12.827)
HELSINGOR, HELSINGBORG = Position(56.033, 12.617), Position(56.035, 12.688)
URAGA = {"uraga-south-", "uraga-north-"}
TOKYO, OSAKA = Position(35.62, 139.8), Position(34.6, 135.3)
KURIHAMA, KANAYA = Position(35.22, 139.72), Position(35.17, 139.81)
KLANG, HONG_KONG, BATAM = Position(3.0, 101.4), Position(22.2, 114.2), Position(1.18, 104.0)


def list_sections(schemes: set[str], direction: str) -> set[str]:
    return {scheme + direction for scheme in schemes}


@cached({}, key=lambda _sea, *ends: ends)
def route(sea: SeaAtlas, start: Position, end: Position) -> SeaPath:
    return sea.find_paths(start, end, ship=SHIP, most=1)[0]


def list_lanes(path: SeaPath) -> set[str]:
    return {use.id for use in path.uses} & {lane.id for lane in LANES}


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.id)
def test_from_a_lanes_beginning_to_its_end_a_ship_follows_it(sea: SeaAtlas, lane: Passage) -> None:
    path = route(sea, lane.centre_line[0], lane.centre_line[-1])
    assert list_lanes(path) == {lane.id}


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.id)
def test_against_a_lanes_direction_a_ship_follows_another_or_goes_round(
    sea: SeaAtlas, lane: Passage
) -> None:
    path = route(sea, lane.centre_line[-1], lane.centre_line[0])
    assert lane.id not in list_lanes(path)


@pytest.mark.parametrize(
    ("start", "end", "lanes"),
    [
        (ROTTERDAM, LISBON, {"dover-south-west", "casquets-west", "ushant-south-west"}),
        (LISBON, ROTTERDAM, {"dover-north-east", "casquets-east", "ushant-north-east"}),
        (COLOMBO, SINGAPORE, {"dondra-head-east"}),
        (SINGAPORE, COLOMBO, {"dondra-head-west"}),
        (QINGDAO, TIANJIN, {"chengshan-jiao-north"}),
        (TIANJIN, QINGDAO, {"chengshan-jiao-south"}),
        (JEDDAH, ADEN, {"bab-el-mandeb-southbound", "bab-el-mandeb-south-southbound"}),
        (ADEN, JEDDAH, {"bab-el-mandeb-northbound", "bab-el-mandeb-south-northbound"}),
        (MOKHA, DJIBOUTI, {"bab-el-mandeb-southbound", "bab-el-mandeb-south-southbound"}),
        (DJIBOUTI, ASSAB, {"bab-el-mandeb-northbound", "bab-el-mandeb-south-northbound"}),
        (ASSAB, MOKHA, set()),
        (SUEZ, JEDDAH, list_sections(GULF_OF_SUEZ, "southbound")),
        (JEDDAH, SUEZ, list_sections(GULF_OF_SUEZ, "northbound")),
        (COLOMBO, SINGAPORE, list_sections(MALACCA, "south-eastbound")),
        (SINGAPORE, COLOMBO, list_sections(MALACCA, "north-westbound")),
        (KLANG, HONG_KONG, list_sections(SINGAPORE_STRAIT, "eastbound")),
        (HONG_KONG, KLANG, list_sections(SINGAPORE_STRAIT, "westbound")),
        (GOTHENBURG, COPENHAGEN, list_sections(ORESUND, "southbound")),
        (LANDSKRONA, GOTHENBURG, list_sections(ORESUND, "northbound")),
        (HELSINGOR, HELSINGBORG, set()),
        (TOKYO, OSAKA, list_sections(URAGA, "southbound")),
        (OSAKA, TOKYO, list_sections(URAGA, "northbound")),
        (KURIHAMA, KANAYA, set()),
        (EL_TOR, JEDDAH, {"gulf-of-suez-south-southbound"}),
        (RAS_GHARIB, SUEZ, {"gulf-of-suez-middle-northbound", "gulf-of-suez-north-northbound"}),
    ],
)
def test_voyages_take_the_lanes_of_their_direction(
    sea: SeaAtlas, start: Position, end: Position, lanes: set[str]
) -> None:
    assert lanes <= list_lanes(route(sea, start, end))


@pytest.mark.parametrize(
    ("start", "end"),
    [(YANBU, SUEZ), (SUEZ, JEDDAH), (COLOMBO, SINGAPORE), (HONG_KONG, KLANG), (OSAKA, TOKYO)],
)
def test_legs_in_the_water_of_a_lane_are_legs_of_it(
    sea: SeaAtlas, start: Position, end: Position
) -> None:
    legs = sea.build_legs(route(sea, start, end), TrackKind.GREAT_CIRCLE)
    for leg in legs:
        lane = sea.passage_index.find_followed(leg.start, leg.end, leg.geometry, leg.passage)
        if lane is not None and lane.is_scheme_lane:
            assert (leg.passage, leg.xtd_m) == (lane.name, lane.half_width_m)


def test_a_lane_has_no_end_where_another_section_continues_it() -> None:
    ids = "bab-el-mandeb-southbound", "bab-el-mandeb-south-southbound"
    first, second = (next(lane for lane in LANES if lane.id == id) for id in ids)
    joint = first.centre_line[-1]
    assert joint == second.centre_line[0]
    both = list_lane_lines([first, second]).centre
    assert both[0, 2:].tolist() == both[1, :2].tolist() == [joint.lng, joint.lat]
    # legs across the first lane against its direction, a quarter of a mile before the joint
    before = first.centre_line[-2]
    course = great_circle_course_deg(*joint, *before)
    place = great_circle_destination(*joint, course, 0.25)
    against = [
        Position(*map(float, great_circle_destination(*place, course + turn, 1.0)))
        for turn in (220.0, 40.0)
    ]
    crossed = PassageIndex((first, second)).find_crossed_against(*against, LegGeometry.RHUMB)
    assert [crossing.lane for crossing in crossed] == [first]
    alone = PassageIndex((first,)).find_crossed_against(*against, LegGeometry.RHUMB)
    assert [*alone] == []
    # any course is free at an end, half a mile from there
    (lng, lat), (_, last) = both[0, :2], list_lane_lines([first]).centre[0, 2:]
    assert measure_nm(first.centre_line[0], lat, lng) == pytest.approx(0.5, abs=0.01)
    assert 60.0 * (last - joint.lat) == pytest.approx(0.45, abs=0.02)


def test_a_gate_leaves_the_water_of_a_harbour_beside_the_scheme_open(sea: SeaAtlas) -> None:
    zeit_bay, coaster = Position(27.8, 33.567), ShipSize(draft_m=5.0, breadth_m=22.0, loa_m=150.0)
    for start, end in ((zeit_bay, SUEZ), (SUEZ, zeit_bay)):
        assert sea.find_paths(start, end, ship=coaster, most=1)


#: Greatest angle between a lane and a track across it [deg]: 110 in a search, and a little more
#: because the test takes short lines as straight in degrees.
ACROSS_DEG = 111.0
#: Length at each end of a lane where a course is free [nm].
FREE_END_NM = 0.6
NANTES = Position(47.1, -2.6)
CUXHAVEN, EEMSHAVEN, SASSNITZ = Position(54.0, 8.1), Position(53.45, 6.84), Position(54.5, 13.7)
CALAIS, PLYMOUTH, DUBLIN = Position(50.967, 1.85), Position(50.367, -4.15), Position(53.3, -6.1)
BOSTON = Position(42.3, -70.9)
LOS_ANGELES, OAKLAND = Position(33.7, -118.25), Position(37.8, -122.3)

RHUMB = LegGeometry.RHUMB

#: A leg's ends and geometry, and the name of the passage that it follows.
Leg = tuple[Position, Position, LegGeometry, str | None]


def find_courses_across(lanes: Sequence[Passage], legs: Sequence[Leg]) -> Iterator[float]:
    """Yield the angle [deg] between each lane and each track across it, but at the lane's ends."""
    pieces = [(lane, a, b) for lane in lanes for a, b in pairwise(lane.centre_line)]
    lines = STRtree([LineString([(a.lng, a.lat), (b.lng, b.lat)]) for _, a, b in pieces])
    for start, end, geometry, followed in legs:
        lats, lngs = sample_leg(start, end, geometry, 2.0)
        for (lat0, lng0), (lat1, lng1) in pairwise(zip(lats, lngs, strict=True)):
            track = LineString([(lng0, lat0), (lng1, lat1)])
            for found in lines.query(track, predicate="crosses"):
                lane, a, b = pieces[found]
                at = track.intersection(lines.geometries[found])
                ends = (lane.centre_line[0], lane.centre_line[-1])
                is_free = min(measure_nm(end, at.y, at.x) for end in ends) <= FREE_END_NM
                if lane.name != followed and not is_free:
                    turn = course_deg(lat0, lng0, lat1, lng1) - course_deg(*a, *b)
                    yield abs((turn + 180.0) % 360.0 - 180.0)


def course_deg(lat0: float, lng0: float, lat1: float, lng1: float) -> float:
    return degrees(atan2((lng1 - lng0) * cos(radians(lat0)), lat1 - lat0))


def measure_nm(place: Position, lat: float, lng: float) -> float:
    east = (lng - place.lng) * cos(radians(lat))
    return 60.0 * float((east**2 + (lat - place.lat) ** 2) ** 0.5)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (LISBON, ROTTERDAM),
        (NANTES, GOTHENBURG),
        (DUBLIN, ROTTERDAM),
        (CUXHAVEN, LISBON),
        (SASSNITZ, EEMSHAVEN),
        (CALAIS, PLYMOUTH),
        (PLYMOUTH, CALAIS),
        (BOSTON, ROTTERDAM),
        (ROTTERDAM, BOSTON),
        (LOS_ANGELES, OAKLAND),
        (OAKLAND, LOS_ANGELES),
        (TIANJIN, QINGDAO),
        (ADEN, JEDDAH),
        (DJIBOUTI, ASSAB),
        (MOKHA, DJIBOUTI),
        (ASSAB, MOKHA),
        (SUEZ, JEDDAH),
        (JEDDAH, SUEZ),
        (EL_TOR, JEDDAH),
        (KLANG, HONG_KONG),
        (HONG_KONG, KLANG),
        (SINGAPORE, BATAM),
        (GOTHENBURG, COPENHAGEN),
        (COPENHAGEN, GOTHENBURG),
        (HELSINGBORG, HELSINGOR),
        (TOKYO, OSAKA),
        (OSAKA, TOKYO),
        (KANAYA, KURIHAMA),
    ],
)
def test_no_leg_crosses_a_lane_against_its_direction(
    sea: SeaAtlas, start: Position, end: Position
) -> None:
    legs = sea.build_legs(route(sea, start, end), TrackKind.GREAT_CIRCLE)
    across = find_courses_across(
        LANES, [(leg.start, leg.end, leg.geometry, leg.passage) for leg in legs]
    )
    assert max(across, default=0.0) < ACROSS_DEG
    assert all(leg.xtd_m > 0.0 for leg in legs)


def measure_against_nm(path: SeaPath, lane: Passage) -> float:
    """Return the miles of open-sea legs in a lane's water within 45 degrees of against it."""
    nm = 0.0
    points = [*zip(path.lats.tolist(), path.lngs.tolist(), strict=True)]
    for (a, b), mark in zip(pairwise(points), path.leg_passages.tolist(), strict=True):
        for c, d in pairwise(zip(*sample_leg(Position(*a), Position(*b), RHUMB, 0.5), strict=True)):
            place = Position((c[0] + d[0]) / 2.0, (c[1] + d[1]) / 2.0)
            if mark >= 0 or lane.distance_m(*place) > lane.half_width_m:
                continue
            n = min(int(lane.locate(place)), len(lane.centre_line) - 2)
            turn = course_deg(*c, *d) - course_deg(*lane.centre_line[n], *lane.centre_line[n + 1])
            if abs((turn + 180.0) % 360.0 - 180.0) > 135.0:
                nm += measure_nm(Position(*c), *d)
    return nm


@pytest.mark.parametrize("start", [LISBON, DUBLIN, PLYMOUTH])
def test_no_track_runs_along_a_lane_against_its_traffic(sea: SeaAtlas, start: Position) -> None:
    lane = next(lane for lane in LANES if lane.id == "dover-south-west")
    assert measure_against_nm(route(sea, start, ROTTERDAM), lane) < 1.5


@pytest.mark.parametrize(("start", "end"), [(LISBON, ROTTERDAM), (CUXHAVEN, LISBON)])
def test_no_leg_of_a_plan_crosses_a_lane_against_its_direction(
    sea: SeaAtlas, start: Position, end: Position
) -> None:
    due = DEPARTS_AT + timedelta(days=5)
    request = replace(make_crossing(), departure=start, arrival=end, arrive_by=due)
    plan = plan_voyage(request, sea, WeatherField(uniform_climatology()))
    legs = [
        (a.position, b.position, b.leg_geometry, b.passage) for a, b in pairwise(plan.waypoints)
    ]
    assert max(find_courses_across(LANES, legs), default=0.0) < ACROSS_DEG


def test_a_ship_from_a_pilot_station_at_the_end_of_a_lane_sails_straight_out(
    sea: SeaAtlas,
) -> None:
    # Ambrose, where the lane from the south-east ends
    lane = next(lane for lane in LANES if lane.id == "new-york-south-east-north-west")
    out = route(sea, lane.centre_line[-1], Position(38.0, -70.0))
    assert out.distance_nm < 1.02 * measure_nm(lane.centre_line[-1], 38.0, -70.0)


def test_no_centre_line_leads_against_a_lane() -> None:
    index = PassageIndex(load_passages())
    against = [
        (passage.id, crossing.lane.id)
        for passage in index.passages
        for leg in pairwise(passage.centre_line)
        for crossing in index.find_crossed_against(*leg, LegGeometry.RHUMB)
        if crossing.lane is not passage
    ]
    assert against == []
