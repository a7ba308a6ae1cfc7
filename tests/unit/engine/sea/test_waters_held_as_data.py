"""Routes follow the passages and keep off the shoals that are held as data."""

import pytest
from shapely.geometry import LineString

from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import Leg, ShipSize

pytestmark = pytest.mark.atlas

KIEL, GDANSK = Position(54.45, 10.25), Position(54.5, 18.9)
NORTH, SOUTH = Position(14.3, 72.5), Position(11.9, 72.4)
FLATTERY, VANCOUVER = Position(48.45, -125.2), Position(49.3, -123.1)
MINDORO, SIBUYAN = Position(13.6, 120.2), Position(12.9, 122.3)

#: Lines along the crests of two banks.
GEDSER_REV = LineString([(11.98, 54.55), (12.15, 54.465)])
BASSAS_DE_PEDRO = LineString([(72.45, 12.6), (72.35, 13.1), (72.45, 13.6)])


def lay(sea: SeaAtlas, start: Position, end: Position, draft_m: float) -> tuple[Leg, ...]:
    ship = ShipSize(draft_m, breadth_m=32.2, loa_m=190.0, required_depth_m=draft_m + 1.5)
    return sea.build_legs(sea.find_paths(start, end, ship=ship, most=1)[0], TrackKind.GREAT_CIRCLE)


def draw(legs: tuple[Leg, ...]) -> LineString:
    places = [legs[0].start, *(leg.end for leg in legs)]
    return LineString([(lng, lat) for lat, lng in places])


def measure_nm(legs: tuple[Leg, ...]) -> float:
    return sum(leg.distance_nm for leg in legs)


@pytest.mark.parametrize("draft_m", [5.0, 9.0, 13.5])
def test_a_ship_passes_gedser_by_the_kadetrenden_and_not_over_the_reef(
    sea: SeaAtlas, draft_m: float
) -> None:
    legs = lay(sea, KIEL, GDANSK, draft_m)
    assert not draw(legs).intersects(GEDSER_REV)
    assert "Kadetrenden, Route T" in {leg.passage for leg in legs}


def test_a_deep_ship_goes_round_bassas_de_pedro(sea: SeaAtlas) -> None:
    assert not draw(lay(sea, NORTH, SOUTH, 20.5)).intersects(BASSAS_DE_PEDRO)


@pytest.mark.parametrize("draft_m", [9.0, 11.3, 12.0, 13.0])
def test_a_deep_ship_reaches_vancouver_by_haro_strait_as_others_do(
    sea: SeaAtlas, draft_m: float
) -> None:
    assert measure_nm(lay(sea, FLATTERY, VANCOUVER, draft_m)) < 180.0


@pytest.mark.parametrize("draft_m", [9.0, 11.3, 12.0, 13.0])
def test_a_deep_ship_reaches_the_sibuyan_sea_by_verde_island_as_others_do(
    sea: SeaAtlas, draft_m: float
) -> None:
    legs = lay(sea, MINDORO, SIBUYAN, draft_m)
    assert measure_nm(legs) < 180.0
    assert "Verde Island Passage" in {leg.passage for leg in legs}


def test_a_deep_ship_turns_off_to_batangas_without_doubling_back(sea: SeaAtlas) -> None:
    legs = lay(sea, Position(10.0, 118.0), Position(13.74, 121.04), 18.0)
    assert measure_nm(legs) < 320.0


def test_the_line_by_verde_island_keeps_to_the_middle(sea: SeaAtlas) -> None:
    inside = [
        leg for leg in lay(sea, MINDORO, SIBUYAN, 9.0) if leg.passage == "Verde Island Passage"
    ]
    assert min(leg.xtd_m for leg in inside) == 800.0


@pytest.mark.parametrize(
    ("start", "end", "passage", "longest_nm"),
    [
        (Position(-34.7, 138.0), Position(-37.5, 139.0), "backstairs-passage", 230.0),
        (Position(13.55, 119.5), Position(12.9, 124.9), "ragay-gulf", 375.0),
        (Position(-41.0, 174.5), Position(-38.0, 169.0), "cook-strait-west", 325.0),
    ],
)
def test_deep_ships_pass_wide_waters_that_the_depth_grid_closes(
    sea: SeaAtlas, start: Position, end: Position, passage: str, longest_nm: float
) -> None:
    ship = ShipSize(14.0, breadth_m=45.0, loa_m=290.0, required_depth_m=16.0)
    path = sea.find_paths(start, end, ship=ship, most=1)[0]
    assert passage in {use.id for use in path.uses}
    assert path.distance_nm < longest_nm
