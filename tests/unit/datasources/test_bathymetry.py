"""The operator's own grid of depths."""

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from numpy.typing import NDArray

from app.datasources.bathymetry import InvalidBathymetry, load_bathymetry
from app.datasources.build_atlas import hash_inputs
from app.engine.sea.depth import NO_DEPTH
from app.engine.sea.shoals import STEPS_PER_M, UNKNOWN

#: A tile of 30 seconds; a bank of 5 m in it, 1 degree wide, in 200 m of water.
SOUTH, WEST, NORTH, EAST = -40.0, 60.0, -36.0, 64.0
CELLS = 120


def write_tile(
    path: Path, *, falling: bool = False, name: str = "elevation", form: str = "NETCDF4"
) -> Path:
    """A grid as GEBCO lays it out: heights in int16 at the middles of its cells."""
    lats = np.arange(SOUTH + 0.5 / CELLS, NORTH, 1.0 / CELLS)
    lngs = np.arange(WEST + 0.5 / CELLS, EAST, 1.0 / CELLS)
    height_m = np.full((lats.size, lngs.size), -200, dtype=np.int16)
    height_m[np.ix_((lats > -39.5) & (lats < -36.5), (lngs > 61.5) & (lngs < 62.5))] = -5
    with netCDF4.Dataset(str(path), "w", format=form) as data:
        data.title = "The GEBCO_2024 Grid"
        data.createDimension("lat", lats.size)
        data.createDimension("lon", lngs.size)
        data.createVariable("lat", "f8", ("lat",))[:] = lats[::-1] if falling else lats
        data.createVariable("lon", "f8", ("lon",))[:] = lngs
        heights = data.createVariable(name, "i2", ("lat", "lon"))
        heights[:] = height_m[::-1] if falling else height_m
    return path


def write_world(path: Path, west: float, *, n_more: int = 0) -> Path:
    """A grid of 1 minute round the world between 17 and 18 S: an islet at 179.999, 200 m else."""
    lats = np.arange(-18.0 + 0.5 / 60, -17.0, 1.0 / 60)
    lngs = west + (np.arange(21_600 + n_more) + 0.5) / 60.0
    height_m = np.full((lats.size, lngs.size), -200, dtype=np.int16)
    height_m[30, np.abs((lngs % 360.0) - 180.0 + 0.5 / 60) < 1e-6] = 5
    with netCDF4.Dataset(str(path), "w") as data:
        data.createDimension("lat", lats.size)
        data.createDimension("lon", lngs.size)
        data.createVariable("lat", "f8", ("lat",))[:] = lats
        data.createVariable("lon", "f8", ("lon",))[:] = lngs
        data.createVariable("elevation", "i2", ("lat", "lon"))[:] = height_m
    return path


def load(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    fine = load_bathymetry(path, lambda share, what: None)
    return fine.steps, fine.nodes


def cell(lat: float, lng: float) -> tuple[int, int]:
    return int((lat + 90.0) * 32), int((lng + 180.0) * 32)


@pytest.mark.parametrize(("falling", "name"), [(False, "elevation"), (True, "z")])
def test_each_cell_holds_the_least_depth_of_its_samples(
    tmp_path: Path, falling: bool, name: str
) -> None:
    steps, nodes = load(write_tile(tmp_path / "tile.nc", falling=falling, name=name))
    assert steps[cell(-38.0, 62.0)] == 5 * STEPS_PER_M
    assert steps[cell(-38.0, 61.4)] == 200 * STEPS_PER_M or steps[cell(-38.0, 61.4)] == 254
    assert steps[cell(-38.0, 70.0)] == UNKNOWN
    assert nodes[52 * 12, 242 * 12] == 5
    assert nodes[52 * 12, 243 * 12] == 200
    told = steps != UNKNOWN
    rows, cols = np.nonzero(told)
    assert (rows.min(), rows.max()) == (50 * 32, 54 * 32 - 1)
    assert (cols.min(), cols.max()) == (240 * 32, 244 * 32 - 1)


def test_the_samples_at_the_east_edge_of_a_tile_count(tmp_path: Path) -> None:
    tile = write_tile(tmp_path / "tile.nc")
    with netCDF4.Dataset(str(tile), "a") as data:
        data["elevation"][240, -1] = 5
    steps, _ = load(tile)
    assert steps[cell(-38.0 + 0.5 / CELLS, EAST - 0.5 / CELLS)] == 0


@pytest.mark.parametrize(("west", "n_more"), [(-180.0, 0), (0.0, 0), (-180.0, 1)])
def test_a_grid_round_the_world_has_no_seam(tmp_path: Path, west: float, n_more: int) -> None:
    steps, nodes = load(write_world(tmp_path / "world.nc", west, n_more=n_more))
    row = cell(-17.5 + 0.5 / 60, 0.0)[0]
    assert (steps[row] != UNKNOWN).all()
    assert set(np.flatnonzero(steps[row] == 0)) == {0, 360 * 32 - 1}
    assert (nodes[72 * 12 + 6] != NO_DEPTH).all()
    assert set(np.flatnonzero(nodes[72 * 12 + 6] < 200)) == {0}


def test_a_file_that_is_no_grid_of_depths_is_refused_in_words(tmp_path: Path) -> None:
    text = tmp_path / "notes.nc"
    text.write_text("depths")
    with pytest.raises(InvalidBathymetry, match=r"notes\.nc is not a whole NetCDF file"):
        load(text)
    with pytest.raises(InvalidBathymetry, match="has no variable elevation or z"):
        load(write_tile(tmp_path / "other.nc", name="slope"))


@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF4"])
def test_a_grid_that_is_cut_short_is_refused(tmp_path: Path, form: str) -> None:
    tile = write_tile(tmp_path / "tile.nc", form=form)
    load(tile)
    tile.write_bytes(tile.read_bytes()[:-40_000])
    with pytest.raises(InvalidBathymetry, match=r"cut short and lacks|not a whole NetCDF file"):
        load(tile)
    tile.write_bytes(tile.read_bytes()[:60])
    with pytest.raises(InvalidBathymetry, match="not a whole NetCDF file"):
        load(tile)


def test_a_grid_that_is_not_there_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InvalidBathymetry, match="which is not a file"):
        hash_inputs((), (), (), tmp_path / "absent.nc")
