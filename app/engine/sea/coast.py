"""The coast: edges of the full-resolution shoreline in a spatial index.

Edges are copied into buckets of 1/16 degree, so that those near a point or a short segment are
contiguous in a memory-mapped array. The tests are exact for the vectors.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Ints
from app.engine.compiled import njit_borrowing
from app.engine.constants import DEGREE_M
from app.engine.sea.raster import CELLS, COLS, ROWS, get_bit
from app.engine.sea.squares import number_bucket

#: Buckets per degree.
BUCKETS: Final = 16
BUCKET_ROWS: Final = 180 * BUCKETS
BUCKET_COLS: Final = 360 * BUCKETS

#: Westernmost longitude of a point [deg]: land is cut at the antimeridian, and the state of a point
#: on an edge is undefined.
_WESTERNMOST_DEG: Final = -180.0 + 1e-9


class CoastIndex(NamedTuple):
    """Edges by bucket.

    ``edges`` is (m, 4) float32: lng, lat of both ends [deg]; those of bucket ``b``, as numbered
    by :func:`app.engine.sea.squares.number_bucket`, are ``edges[starts[b]:starts[b + 1]]``.
    """

    edges: NDArray[np.float32]
    starts: NDArray[np.int32]


def build_coast_index(vertices: NDArray[np.float32], starts: Ints) -> CoastIndex:
    """Sort the edges of closed rings of lng, lat [deg] into buckets."""
    counts = np.zeros(BUCKET_ROWS * BUCKET_COLS + 1, dtype=np.int64)
    _count_edges(vertices, starts, counts)
    bucket_starts = np.cumsum(counts).astype(np.int32)
    edges = np.empty((int(bucket_starts[-1]), 4), dtype=np.float32)
    _place_edges(vertices, starts, bucket_starts[:-1].copy(), edges)
    return CoastIndex(edges, bucket_starts)


@njit_borrowing(cache=True)
def _bucket_box(vertices, i):  # type: ignore[no-untyped-def]
    """Return the first and last rows and columns of the buckets under edge i."""
    x0 = (np.float64(vertices[i, 0]) + 180.0) * BUCKETS
    y0 = (np.float64(vertices[i, 1]) + 90.0) * BUCKETS
    x1 = (np.float64(vertices[i + 1, 0]) + 180.0) * BUCKETS
    y1 = (np.float64(vertices[i + 1, 1]) + 90.0) * BUCKETS
    return (
        max(0, int(min(y0, y1))),
        min(BUCKET_ROWS - 1, int(max(y0, y1))),
        max(0, int(min(x0, x1))),
        min(BUCKET_COLS - 1, int(max(x0, x1))),
    )


@njit_borrowing(cache=True)
def _count_edges(vertices, starts, counts):  # type: ignore[no-untyped-def]
    for ring in range(starts.size - 1):
        for i in range(starts[ring], starts[ring + 1] - 1):
            south, north, west, east = _bucket_box(vertices, i)
            for row in range(south, north + 1):
                for col in range(west, east + 1):
                    counts[number_bucket(row, col) + 1] += 1


@njit_borrowing(cache=True)
def _place_edges(vertices, starts, cursor, edges):  # type: ignore[no-untyped-def]
    for ring in range(starts.size - 1):
        for i in range(starts[ring], starts[ring + 1] - 1):
            south, north, west, east = _bucket_box(vertices, i)
            for row in range(south, north + 1):
                for col in range(west, east + 1):
                    bucket = number_bucket(row, col)
                    at = cursor[bucket]
                    cursor[bucket] += 1
                    edges[at, 0] = vertices[i, 0]
                    edges[at, 1] = vertices[i, 1]
                    edges[at, 2] = vertices[i + 1, 0]
                    edges[at, 3] = vertices[i + 1, 1]


@njit_borrowing(cache=True)
def is_land(waters, lat, lng):  # type: ignore[no-untyped-def]
    """Return whether a point lies on land by ``CoastData``, exactly.

    In a cell with a shore, the state is that of the cell's centre, inverted for each edge between
    the centre and the point.
    """
    lng = max((lng + 180.0) % 360.0 - 180.0, _WESTERNMOST_DEG)
    row = min(int((lat + 90.0) * CELLS), ROWS - 1)
    col = min(int((lng + 180.0) * CELLS), COLS - 1)
    land = get_bit(waters.inside, row, col)
    if not get_bit(waters.shore, row, col):
        return land
    edges, starts = waters.edges, waters.edge_starts
    centre_lat = (row + 0.5) / CELLS - 90.0
    centre_lng = (col + 0.5) / CELLS - 180.0
    bucket = number_bucket(row * BUCKETS // CELLS, col * BUCKETS // CELLS)
    for i in range(starts[bucket], starts[bucket + 1]):
        if _cross(
            centre_lng, centre_lat, lng, lat, edges[i, 0], edges[i, 1], edges[i, 2], edges[i, 3]
        ):
            land = not land
    return land


@njit_borrowing(cache=True)
def find_side(ax, ay, bx, by, px, py):  # type: ignore[no-untyped-def]
    """Return a number that is positive if p lies to the left of the line from a to b."""
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


@njit_borrowing(cache=True)
def _cross(ax, ay, bx, by, cx, cy, dx, dy):  # type: ignore[no-untyped-def]
    """Return whether segments ab and cd cross; an end on the other line counts on one side only."""
    c_side = find_side(ax, ay, bx, by, cx, cy) >= 0.0
    d_side = find_side(ax, ay, bx, by, dx, dy) >= 0.0
    if c_side == d_side:
        return False
    a_side = find_side(cx, cy, dx, dy, ax, ay) >= 0.0
    b_side = find_side(cx, cy, dx, dy, bx, by) >= 0.0
    return a_side != b_side


@njit_borrowing(cache=True)
def _point_segment2(px, py, ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """Return the squared distance from a point to a segment, in the plane."""
    dx = bx - ax
    dy = by - ay
    length2 = dx * dx + dy * dy
    t = 0.0
    if length2 > 0.0:
        t = min(1.0, max(0.0, ((px - ax) * dx + (py - ay) * dy) / length2))
    x = ax + t * dx - px
    y = ay + t * dy - py
    return x * x + y * y


@njit_borrowing(cache=True)
def segment_clearance_m(edges, starts, lat0, lng0, lat1, lng1, within_m):  # type: ignore[no-untyped-def]
    """Return the distance [m] from a short segment to the nearest coastline, at most ``within_m``.

    Zero if they cross. The segment is straight in latitude and longitude; the distance in the
    local tangent plane is accurate to 0.1 % for segments under 20 nm within 85 degrees of the
    equator.
    """
    x1 = lng0 + (lng1 - lng0 + 180.0) % 360.0 - 180.0
    reach_lat = within_m / DEGREE_M
    cos_far = max(0.01, np.cos(np.radians(min(89.0, max(abs(lat0), abs(lat1)) + reach_lat))))
    reach_lng = reach_lat / cos_far
    scale = max(0.01, np.cos(np.radians((lat0 + lat1) / 2.0)))
    south = max(0, int((min(lat0, lat1) - reach_lat + 90.0) * BUCKETS))
    north = min(BUCKET_ROWS - 1, int((max(lat0, lat1) + reach_lat + 90.0) * BUCKETS))
    west = int(np.floor((min(lng0, x1) - reach_lng + 180.0) * BUCKETS))
    east = int(np.floor((max(lng0, x1) + reach_lng + 180.0) * BUCKETS))
    best = (within_m / DEGREE_M) ** 2
    bx = (x1 - lng0) * scale
    by = lat1 - lat0
    for row in range(south, north + 1):
        for wide in range(west, east + 1):
            col = wide % BUCKET_COLS
            origin = lng0 - 360.0 * ((wide - col) // BUCKET_COLS)
            bucket = number_bucket(row, col)
            for i in range(starts[bucket], starts[bucket + 1]):
                cx = (edges[i, 0] - origin) * scale
                cy = edges[i, 1] - lat0
                dx = (edges[i, 2] - origin) * scale
                dy = edges[i, 3] - lat0
                if _cross(0.0, 0.0, bx, by, cx, cy, dx, dy):
                    return 0.0
                best = min(
                    best,
                    _point_segment2(0.0, 0.0, cx, cy, dx, dy),
                    _point_segment2(bx, by, cx, cy, dx, dy),
                    _point_segment2(cx, cy, 0.0, 0.0, bx, by),
                    _point_segment2(dx, dy, 0.0, 0.0, bx, by),
                )
    return np.sqrt(best) * DEGREE_M
