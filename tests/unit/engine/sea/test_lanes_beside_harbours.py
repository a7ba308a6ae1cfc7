"""Ships from harbours beside a traffic lane join it over its side edge, and leave it likewise.

IMO, COLREG 1972, rule 10 (b) (iii): at as small an angle to the direction of traffic flow as
practicable.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from shapely.geometry import LineString, MultiPolygon, box

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.lane_joining import JOINING_ANGLE_DEG
from app.engine.sea.passages import Passage
from app.engine.sea.path import SeaPath, ShipSize

pytestmark = pytest.mark.atlas

SHIP = ShipSize(draft_m=6.5, breadth_m=20.0, loa_m=130.0)
CALAIS, DUNKIRK = Position(50.96667, 1.85), Position(51.06, 2.35)
FOLKESTONE, PLYMOUTH = Position(51.06, 1.2), Position(50.36667, -4.15)
CHARTED = ("charted", "charted_blocks")
VOYAGES = [
    (CALAIS, PLYMOUTH, "dover-south-west"),
    (PLYMOUTH, CALAIS, "dover-north-east"),
    (FOLKESTONE, DUNKIRK, "dover-north-east"),
    (FOLKESTONE, PLYMOUTH, "dover-south-west"),
]


def find_path(
    sea: SeaAtlas, start: Position, end: Position, areas: tuple[Area, ...] = ()
) -> SeaPath:
    return sea.find_paths(start, end, ship=SHIP, areas=areas, most=1)[0]


def list_lane_ids(sea: SeaAtlas, path: SeaPath) -> set[str]:
    lanes = {passage.id for passage in sea.passages if passage.gate is not None}
    return {use.id for use in path.uses} & lanes


def measure_course_deg(a: Position, b: Position) -> float:
    east = (b.lng - a.lng) * np.cos(np.radians((a.lat + b.lat) / 2.0))
    return float(np.degrees(np.arctan2(east, b.lat - a.lat)))


def find_lane_course_deg(lane: Passage, place: Position) -> float:
    """Return the direction of the piece of a lane nearest to a place."""
    pieces = list(pairwise(lane.centre_line))
    near = min(pieces, key=lambda piece: replace(lane, centre_line=piece).distance_m(*place))
    return measure_course_deg(*near)


def test_a_ship_from_calais_joins_the_lane_for_plymouth_beside_the_port(sea: SeaAtlas) -> None:
    path = find_path(sea, CALAIS, PLYMOUTH)
    assert list_lane_ids(sea, path) == {"dover-south-west"}
    # beyond the other lane, which it crosses nearly at right angles
    assert path.distance_nm == pytest.approx(250.5, abs=1.0)
    assert path.lats.max() < 51.1


@pytest.mark.parametrize("half_width_m", [900.0, 1000.0, 1300.0])
def test_a_lane_is_joined_beside_the_port_whatever_its_width(
    sea: SeaAtlas, half_width_m: float
) -> None:
    # 900 m, as an angle and back, is less than 900 m
    passages = tuple(
        replace(passage, half_width_m=half_width_m) if passage.gate is not None else passage
        for passage in sea.passages
    )
    path = find_path(replace(sea, passages=passages), CALAIS, PLYMOUTH)
    assert path.distance_nm == pytest.approx(250.5, abs=1.5)


def test_a_ship_for_calais_leaves_the_lane_beside_the_port(sea: SeaAtlas) -> None:
    # round the end of the other lane, which it must not cross against the traffic
    assert find_path(sea, PLYMOUTH, CALAIS).distance_nm == pytest.approx(245.1, abs=0.5)


@pytest.mark.parametrize(("start", "end", "lane_id"), VOYAGES)
def test_lanes_are_followed_in_their_direction_at_a_small_angle(
    sea: SeaAtlas, start: Position, end: Position, lane_id: str
) -> None:
    path = find_path(sea, start, end)
    assert lane_id in list_lane_ids(sea, path)
    points = [Position(*at) for at in zip(path.lats.tolist(), path.lngs.tolist(), strict=True)]
    for (a, b), mark in zip(pairwise(points), path.leg_passages.tolist(), strict=True):
        if mark >= 0 and sea.passages[mark].gate is not None:
            middle = Position((a.lat + b.lat) / 2.0, (a.lng + b.lng) / 2.0)
            turn = measure_course_deg(a, b) - find_lane_course_deg(sea.passages[mark], middle)
            assert abs((turn + 180.0) % 360.0 - 180.0) < JOINING_ANGLE_DEG + 0.5


@pytest.mark.parametrize(("start", "end", "lane_id"), VOYAGES)
def test_a_ship_stays_within_the_lane_while_it_joins_it(
    sea: SeaAtlas, start: Position, end: Position, lane_id: str
) -> None:
    lane = next(passage for passage in sea.passages if passage.id == lane_id)
    path = find_path(sea, start, end)
    use = next(use for use in path.uses if use.id == lane_id)
    for vertex in range(use.first, use.last + 1):
        off_m = lane.distance_m(float(path.lats[vertex]), float(path.lngs[vertex]))
        assert off_m < lane.half_width_m + 10.0
    assert all(leg.xtd_m > 0.0 for leg in sea.build_legs(path, TrackKind.GREAT_CIRCLE))


@pytest.mark.parametrize(
    ("place", "beyond", "lane_id"),
    [
        (Position(1.8646, 102.2984), Position(1.3, 104.8), "malacca-melaka-south-eastbound"),
        (Position(53.224, 4.585), Position(53.9, 5.6), "texel-north-east"),
    ],
    ids=["Malacca Strait", "Texel"],
)
def test_a_ship_under_way_in_a_lane_goes_on_along_it(
    sea: SeaAtlas, place: Position, beyond: Position, lane_id: str
) -> None:
    path = find_path(sea, place, beyond)
    assert lane_id in list_lane_ids(sea, path)
    first, second = zip(path.lats[:2], path.lngs[:2], strict=True)
    lane = next(passage for passage in sea.passages if passage.id == lane_id)
    course = measure_course_deg(Position(*first), Position(*second))
    assert abs(course - find_lane_course_deg(lane, place)) <= JOINING_ANGLE_DEG + 1.0


def test_a_lane_that_makes_the_route_longer_is_left_out(sea: SeaAtlas) -> None:
    assert not list_lane_ids(sea, find_path(sea, DUNKIRK, CALAIS))


def test_a_lane_is_not_joined_across_an_area_that_must_not_be_entered(sea: SeaAtlas) -> None:
    free = find_path(sea, CALAIS, PLYMOUTH)
    first = next(use for use in free.uses if use.id == "dover-south-west").first
    lat, lng = free.lats[first : first + 2].mean(), free.lngs[first : first + 2].mean()
    square = box(lng - 0.005, lat - 0.003, lng + 0.005, lat + 0.003)
    area = Area("area", "Area", AreaKind.CONSTRAINT, AreaRule.NO_ENTRY, MultiPolygon([square]))
    path = find_path(sea, CALAIS, PLYMOUTH, (area,))
    assert LineString(np.column_stack([free.lngs, free.lats])).intersects(square)
    assert not LineString(np.column_stack([path.lngs, path.lats])).intersects(square)


def test_a_lane_is_not_joined_over_a_charted_shoal(sea: SeaAtlas) -> None:
    shallow = {name: np.zeros_like(getattr(sea.waters, name)) for name in CHARTED}
    for charted in shallow.values():
        charted.flags.writeable = False  # as in an atlas, for which the kernels are compiled
    over_shoals = replace(sea, waters=sea.waters._replace(**shallow))
    assert find_path(over_shoals, CALAIS, PLYMOUTH).distance_nm > 280.0
