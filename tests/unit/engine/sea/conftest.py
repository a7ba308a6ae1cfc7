"""An atlas built once from a small world of drawn seas."""

from pathlib import Path

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from app.datasources.bathymetry import load_bathymetry
from app.datasources.stored_files import hold_lock
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.build import build_arrays
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.store import write_atlas
from tests.unit.datasources.test_bathymetry import write_tile
from tests.unit.engine.sea.ascii_chart import Drawing, draw, list_rings

#: A bay with a harbour, two islands to choose between, and a lake without an exit.
ISLANDS = """
........................
..####..................
..#..#.....####.........
A.#L.#.....####......B..
..#..#.....####.........
..####.....####.........
...........####.........
........................
"""

#: Two seas that only a canal through the isthmus joins, on the short way round.
_WALL = ["..........####.........."] * 12
ISTHMUS = "\n".join([*_WALL, "....W.....####.....E....", *_WALL])

#: An inland sea behind a strait of one character's width.
STRAIT = """
####################
#........###########
#........###########
#...I...........O...
#........###########
#........###########
####################
"""

#: An island astride the antimeridian.
DATELINE = """
..................
.......####.......
F......####.....G.
.......####.......
..................
"""

#: A harbour at the head of a creek a tenth of a degree wide.
CREEK_WALLS = (
    (60.0, -40.0, 60.45, -39.0),
    (60.55, -40.0, 61.0, -39.0),
    (60.45, -40.0, 60.55, -39.9),
)

#: Boxes (south, west, north, east) [deg] of land far from every test: wide ocean is dear to
#: build. Their edges lie just inside a degree, so that the cells beside them stay wide.
CONTINENTS = tuple(
    (south + 0.01, west + 0.01, north - 0.01, east - 0.01)
    for south, west, north, east in (
        (-90.0, -180.0, -58.0, 180.0),
        (-30.0, -172.0, 45.0, -50.0),
        (-25.0, -15.0, 42.0, 45.0),
        (-10.0, 80.0, 36.0, 165.0),
        # joined to those above
        (-59.0, -160.0, -29.0, -90.0),
        (44.0, -160.0, 87.0, -60.0),
        (65.0, 25.0, 87.0, 180.0),
        (-36.0, 110.0, -9.0, 178.0),
        (5.0, -51.0, 21.0, -14.0),
    )
)

#: Boxes (south, west, north, east) [deg] and their depth [m], later ones over earlier: a
#: bank in the ocean; and a basin inside a reef whose one gap has 15 m.
SHALLOWS = (
    ((-5.0, 60.0, -3.0, 61.0), 9),
    ((18.0, 58.0, 22.0, 62.0), 5),
    ((18.5, 58.5, 21.5, 61.5), 100),
    ((19.5, 61.0, 20.5, 62.5), 15),
)


def chart_depths() -> NDArray[np.int16]:
    """A depth grid with the shallows drawn in."""
    depths = np.full((2161, 4320), 4000, dtype=np.int16)
    for (south, west, north, east), depth_m in SHALLOWS:
        rows = slice(round((south + 90.0) * 12), round((north + 90.0) * 12) + 1)
        cols = slice(round((west + 180.0) * 12), round((east + 180.0) * 12) + 1)
        depths[rows, cols] = depth_m
    return depths


@pytest.fixture(scope="session")
def drawings() -> dict[str, Drawing]:
    return {
        "islands": draw(ISLANDS, north=1.0, west=-30.0),
        "isthmus": draw(ISTHMUS, north=-29.0, west=-30.0),
        "strait": draw(STRAIT, north=31.0, west=-30.0),
        "dateline": draw(DATELINE, north=10.5, west=178.0),
    }


@pytest.fixture(scope="session")
def canal(drawings: dict[str, Drawing]) -> Passage:
    west, east = drawings["isthmus"].places["W"], drawings["isthmus"].places["E"]
    return Passage(
        "ditch",
        "the Ditch",
        PassageKind.CANAL,
        (Position(west.lat, -27.6), Position(west.lat + 0.1, -27.0), Position(east.lat, -26.4)),
        half_width_m=100.0,
        max_draft_m=10.0,
        max_breadth_m=30.0,
        speed_kn=7.0,
        waiting_h=2.0,
    )


@pytest.fixture(scope="session")
def strait() -> Passage:
    return Passage(
        "gut",
        "the Gut",
        PassageKind.STRAIT,
        (Position(30.125, -27.6), Position(30.125, -26.0)),
        half_width_m=1000.0,
        max_draft_m=8.0,
        depth_m=11.0,
    )


@pytest.fixture(scope="session")
def tiny_sea(
    drawings: dict[str, Drawing],
    canal: Passage,
    strait: Passage,
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
) -> SeaAtlas:
    """The drawn seas as an atlas, which the processes of a run share.

    Around them is ocean 4,000 m deep but for SHALLOWS. An operator's tile has a bank besides that
    the 5' grid does not know.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "tiny-sea"
    with hold_lock(folder.with_suffix(".lock")):
        if not folder.exists():
            _build(folder, drawings, canal, strait)
    return SeaAtlas.open(folder)


def _build(folder: Path, drawings: dict[str, Drawing], canal: Passage, strait: Passage) -> None:
    boxes = [shapely.box(w, s, e, n) for s, w, n, e in (*CREEK_WALLS, *CONTINENTS)]
    lands = [drawing.land for drawing in drawings.values()]
    vertices, starts = list_rings([*lands, *shapely.get_parts(shapely.union_all(boxes))])
    depths = chart_depths()
    fine = load_bathymetry(write_tile(folder.with_name("tile.nc")), lambda share, what: None)
    arrays = build_arrays(
        vertices, starts, depths, (canal, strait), lambda share, what: None, fine.steps
    )
    unfinished = folder.with_suffix(".new")
    unfinished.mkdir()
    write_atlas(unfinished, arrays, (canal, strait), inputs="drawn", sources=[fine.source])
    unfinished.rename(folder)
