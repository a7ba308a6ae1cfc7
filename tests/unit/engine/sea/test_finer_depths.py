"""An operator's grid of depths changes the routes of the atlas that is built from it."""

from app.engine.geodesy import great_circle_distance_nm
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import ShipSize
from tests.unit.engine.sea.conftest import chart_depths

WEST, EAST = Position(-38.0, 58.0), Position(-38.0, 66.0)


def sail_nm(sea: SeaAtlas, draft_m: float) -> float:
    ship = ShipSize(draft_m=draft_m, breadth_m=30.0, loa_m=180.0)
    return sea.find_paths(WEST, EAST, ship=ship, most=1)[0].distance_nm


def test_a_bank_shown_only_by_the_finer_grid_is_avoided(tiny_sea: SeaAtlas) -> None:
    rows = slice(round((WEST.lat - 2.0 + 90.0) * 12), round((WEST.lat + 2.0 + 90.0) * 12))
    cols = slice(round((WEST.lng + 180.0) * 12), round((EAST.lng + 180.0) * 12))
    assert chart_depths()[rows, cols].min() == 4000
    direct_nm = float(great_circle_distance_nm(*WEST, *EAST))
    assert sail_nm(tiny_sea, 10.0) > 1.02 * direct_nm
    assert sail_nm(tiny_sea, 4.0) < 1.01 * direct_nm


def test_the_atlas_names_the_grid_that_it_was_built_from(tiny_sea: SeaAtlas) -> None:
    assert tiny_sea.sources == ("The GEBCO_2024 Grid (tile.nc)",)
