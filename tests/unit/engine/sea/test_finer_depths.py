"""An operator's grid of depths changes the routes of the atlas that is built from it."""

from pathlib import Path

import pytest
import shapely

from app.datasources.bathymetry import load_bathymetry
from app.engine.geodesy import great_circle_distance_nm
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.build import build_arrays
from app.engine.sea.passages import Passage
from app.engine.sea.path import ShipSize
from app.engine.sea.store import write_atlas
from tests.unit.datasources.test_bathymetry import write_tile
from tests.unit.engine.sea.ascii_chart import list_rings
from tests.unit.engine.sea.conftest import CONTINENTS, chart_depths

WEST, EAST = Position(-38.0, 58.0), Position(-38.0, 66.0)


@pytest.fixture(scope="module")
def finer_sea(
    canal: Passage, strait: Passage, tmp_path_factory: pytest.TempPathFactory
) -> SeaAtlas:
    """The continents and a tile with a bank that the 5' grid does not know."""
    folder: Path = tmp_path_factory.mktemp("finer")
    fine = load_bathymetry(write_tile(folder / "tile.nc"), lambda share, what: None)
    vertices, starts = list_rings([shapely.box(w, s, e, n) for s, w, n, e in CONTINENTS])
    arrays = build_arrays(
        vertices, starts, chart_depths(), (canal, strait), lambda share, what: None, fine.steps
    )
    write_atlas(folder, arrays, (canal, strait), inputs="drawn", sources=[fine.source])
    return SeaAtlas.open(folder)


def sail_nm(sea: SeaAtlas, draft_m: float) -> float:
    ship = ShipSize(draft_m=draft_m, breadth_m=30.0, loa_m=180.0)
    return sea.find_paths(WEST, EAST, ship=ship, most=1)[0].distance_nm


def test_a_bank_that_only_the_finer_grid_shows_is_gone_round(
    tiny_sea: SeaAtlas, finer_sea: SeaAtlas
) -> None:
    direct_nm = float(great_circle_distance_nm(*WEST, *EAST))
    assert sail_nm(tiny_sea, 10.0) < 1.01 * direct_nm
    assert sail_nm(finer_sea, 10.0) > 1.02 * direct_nm
    assert sail_nm(finer_sea, 4.0) < 1.01 * direct_nm


def test_the_atlas_names_the_grid_that_it_was_built_from(finer_sea: SeaAtlas) -> None:
    assert finer_sea.sources == ("The GEBCO_2024 Grid (tile.nc)",)
