"""A ship that starts or ends beside a passage does not double back to a point of its line."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from app.engine.geodesy import great_circle_course_deg, great_circle_distance_nm
from app.engine.request import Position, TrackKind
from app.engine.sailing.track import build_track
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import SeaPath, ShipSize

pytestmark = pytest.mark.atlas

SHIP = ShipSize(draft_m=10.5, breadth_m=32.26, loa_m=229.0, required_depth_m=11.7)
#: In Unalaska Bay, between two points of the approach to Dutch Harbor that are seven miles apart.
ON_THE_LINE = Position(53.95, -166.5)
A_MILE_OFF = Position(53.95, -166.47)
PETROPAVLOVSK = Position(52.9, 158.7)


def find_path(sea: SeaAtlas, start: Position, end: Position) -> SeaPath:
    return sea.find_paths(start, end, ship=SHIP, most=1)[0]


def measure_greatest_turn_deg(path: SeaPath) -> float:
    """Return the greatest change of course; points of two lines may coincide."""
    legs = path.lats[:-1], path.lngs[:-1], path.lats[1:], path.lngs[1:]
    courses = great_circle_course_deg(*legs)[great_circle_distance_nm(*legs) > 0.05]
    return float(np.abs((np.diff(courses) + 180.0) % 360.0 - 180.0).max())


def test_a_ship_on_the_centre_line_leaves_along_it(sea: SeaAtlas) -> None:
    path = find_path(sea, ON_THE_LINE, PETROPAVLOVSK)
    assert path.lats[:2] == pytest.approx([53.95, 54.05])
    assert path.uses[0].id == "dutch-harbor"


def test_a_ship_arrives_on_the_centre_line_without_passing_it(sea: SeaAtlas) -> None:
    path = find_path(sea, PETROPAVLOVSK, ON_THE_LINE)
    assert path.lats[-2:] == pytest.approx([54.05, 53.95])


def test_a_ship_off_the_line_joins_it_abeam(sea: SeaAtlas) -> None:
    path = find_path(sea, A_MILE_OFF, PETROPAVLOVSK)
    assert path.lats[:3] == pytest.approx([53.95, 53.95, 54.05], abs=1e-4)
    assert path.lngs[1] == pytest.approx(-166.5, abs=1e-3)


def test_a_ship_bound_for_the_berths_keeps_to_the_line(sea: SeaAtlas) -> None:
    path = find_path(sea, A_MILE_OFF, Position(53.905, -166.515))
    assert path.lats.max() <= 53.951


@pytest.mark.parametrize(
    ("port", "bound_for"),
    [
        ((36.13, -5.43), (36.5, -9.0)),  # Algeciras, by the strait westward
        ((38.19, 15.57), (39.0, 11.0)),  # Messina, by the strait northward
        ((49.29, -123.11), (48.4, -125.5)),  # Vancouver, by Active Pass and Haro Strait
        ((31.22, 121.5), (30.0, 127.0)),  # Shanghai, by the Huangpu and the Yangtze
    ],
)
def test_no_passage_is_left_or_joined_by_doubling_back(
    sea: SeaAtlas, port: tuple[float, float], bound_for: tuple[float, float]
) -> None:
    assert measure_greatest_turn_deg(find_path(sea, Position(*port), Position(*bound_for))) < 105.0


def test_a_deep_ship_leaves_the_maasvlakte_by_the_maasgeul(sea: SeaAtlas) -> None:
    deep = replace(SHIP, draft_m=14.4, required_depth_m=16.2)
    (path, *_) = sea.find_paths(Position(51.95, 4.05), Position(51.0, 1.6), ship=deep, most=1)
    assert path.uses[0].id == "maasgeul"
    assert measure_greatest_turn_deg(path) < 105.0


@pytest.mark.parametrize(
    ("start", "end", "draft_m", "most_nm"),
    [
        ((39.2, -76.5), (36.95, -76.33), 10.0, 160.0),  # Baltimore to Norfolk
        ((51.82, 4.67), (51.9, 4.42), 5.6, 25.0),  # Dordrecht to Rotterdam
        ((59.9, 10.72), (59.73, 10.22), 5.6, 52.0),  # Oslo to Drammen
    ],
)
def test_a_passage_is_left_for_the_next_one_where_they_meet(
    sea: SeaAtlas,
    start: tuple[float, float],
    end: tuple[float, float],
    draft_m: float,
    most_nm: float,
) -> None:
    ship = ShipSize(draft_m, breadth_m=14.0, loa_m=90.0, required_depth_m=draft_m + 1.0)
    path = sea.find_paths(Position(*start), Position(*end), ship=ship, most=1)[0]
    assert path.distance_nm < most_nm
    assert measure_greatest_turn_deg(path) < 105.0


def test_a_track_from_one_river_to_the_next_lies_in_the_water_of_both(sea: SeaAtlas) -> None:
    coaster = ShipSize(5.6, breadth_m=14.0, loa_m=90.0, required_depth_m=6.6)
    (path,) = sea.find_paths(Position(51.82, 4.67), Position(51.9, 4.42), ship=coaster, most=1)
    rivers = [sea.passages[mark] for mark in sorted(set(path.leg_passages.tolist()) - {-1})]
    assert [river.id for river in rivers] == ["nieuwe-waterweg", "oude-maas"]
    for a, b in pairwise(zip(path.lats[1:-1], path.lngs[1:-1], strict=True)):
        middle = np.array([[a[0] + b[0]], [a[1] + b[1]]]) / 2.0
        assert any(river.distances_m(*middle)[0] <= river.half_width_m for river in rivers)


@pytest.mark.parametrize(
    ("port", "bound_for", "waits_h"),
    [
        ((9.36, -79.90), (10.5, -80.0), 0.0),  # Colón, from the Caribbean
        ((8.95, -79.57), (7.5, -79.5), 0.0),  # Balboa, from the Pacific
        ((31.27, 32.31), (32.5, 31.0), 0.0),  # Port Said, from the Mediterranean
        ((29.93, 32.55), (28.0, 33.5), 0.0),  # Suez, from the Red Sea
        ((9.36, -79.90), (7.5, -79.5), 12.0),  # Colón, by the canal
        ((29.93, 32.55), (32.5, 31.0), 5.0),  # Suez, by the canal
    ],
)
def test_only_a_ship_that_goes_through_a_canal_waits_for_it(
    sea: SeaAtlas, port: tuple[float, float], bound_for: tuple[float, float], waits_h: float
) -> None:
    passages = {passage.name: passage for passage in sea.passages}
    for ends in (port, bound_for), (bound_for, port):
        start, end = (sea.find_water(Position(*place)).position for place in ends)
        legs = sea.build_legs(find_path(sea, start, end), TrackKind.GREAT_CIRCLE)
        assert build_track(legs, passages).wait_h.sum() == waits_h
