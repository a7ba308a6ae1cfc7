"""Routes follow the passages that are held as data."""

import pytest

from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import Leg, ShipSize

pytestmark = pytest.mark.atlas

FLATTERY, VANCOUVER = Position(48.45, -125.2), Position(49.3, -123.1)
MINDORO, SIBUYAN = Position(13.6, 120.2), Position(12.9, 122.3)


def lay(sea: SeaAtlas, start: Position, end: Position, draft_m: float) -> tuple[Leg, ...]:
    ship = ShipSize(draft_m, breadth_m=32.2, loa_m=190.0, required_depth_m=draft_m + 1.5)
    return sea.build_legs(sea.find_paths(start, end, ship=ship, most=1)[0], TrackKind.GREAT_CIRCLE)


def measure_nm(legs: tuple[Leg, ...]) -> float:
    return sum(leg.distance_nm for leg in legs)


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


def test_the_line_by_verde_island_keeps_to_the_middle(sea: SeaAtlas) -> None:
    inside = [
        leg for leg in lay(sea, MINDORO, SIBUYAN, 9.0) if leg.passage == "Verde Island Passage"
    ]
    assert min(leg.xtd_m for leg in inside) == 800.0
