"""Barriers, lines that must not be crossed on a voyage: edges of areas, closed gates and lanes.

A ship that starts outside an area and crosses none of its edges stays outside, however narrow the
area. The centre line of a lane of a traffic separation scheme is crossed with the traffic or
nearly at right angles to it, but not against it (IMO, COLREG 1972, rule 10 (b) and (c)). The
diagonals of its water bar tracks that lead along it against the traffic, off the centre line.
Edges are sorted into buckets of half a degree.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from app.engine.arrays import Floats, Ints
from app.engine.compiled import njit, njit_borrowing
from app.engine.geodesy.longitudes import wrap
from app.engine.sea.coast import find_side

#: Kinds of barriers. Nothing crosses a line, such as the edge of an area; gates and lanes bind
#: tracks in the open sea, not those along passages, and so do the diagonals of lanes; nor do the
#: edges of areas that passages bypass, each of which has a kind of its own from BYPASSED to the
#: last.
LINE, GATE, LANE, LANE_DIAGONAL, BYPASSED = range(5)
LAST_KIND: Final = 255
#: Greatest angle between a lane and a track across it, in a search and of a leg [deg]. The rule
#: says "as nearly as practicable at right angles"; legs have two degrees more, because they are
#: tested in other steps.
_SEARCH_ANGLE_DEG: Final = 108.0
LEG_ANGLE_DEG: Final = 110.0
#: Greatest angle between a lane and a diagonal of its water [deg], and that between a diagonal and
#: a track across it, which leads out of the lane before long.
DIAGONAL_ANGLE_DEG: Final = 25.0
_DIAGONAL_COSINE: Final = math.cos(math.radians(150.0))
SEARCH_COSINE: Final = math.cos(math.radians(_SEARCH_ANGLE_DEG))
LEG_COSINE: Final = math.cos(math.radians(LEG_ANGLE_DEG))
#: For tests that ignore lanes: no angle has a lower cosine.
ANY_COSINE: Final = -2.0
_NONE: Final = np.empty((0, 4))
#: Buckets per degree.
BUCKETS: Final = 2
_ROWS: Final = 180 * BUCKETS
_COLS: Final = 360 * BUCKETS
#: Distance within which no barrier lies if none is near [deg of latitude].
NEAR_DEG: Final = 1.0 / BUCKETS


class Barriers(NamedTuple):
    """Barrier segments by bucket.

    ``segments`` is (m, 4): lng, lat of both ends [deg], straight in degrees, those of lanes in
    the direction of traffic. ``kinds``, (m,), is LINE, GATE, LANE, LANE_DIAGONAL or a bypassed
    area's.
    """

    segments: Floats
    kinds: NDArray[np.uint8]
    starts: NDArray[np.int32]


class LaneLines(NamedTuple):
    """Centre lines of lanes and diagonals of their water, each (m, 4) lng, lat [deg]."""

    centre: Floats = _NONE
    diagonals: Floats = _NONE


_NO_LANES: Final = LaneLines()


def list_ring_edges(rings: NDArray[np.object_]) -> Floats:
    """List the edges of rings in lng, lat [deg] as (m, 4)."""
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    is_edge = ring[:-1] == ring[1:]
    return np.hstack([xy[:-1][is_edge], xy[1:][is_edge]])


def build_barriers(
    lines: Floats,
    gates: Floats,
    lanes: LaneLines = _NO_LANES,
    bypassed: Sequence[Floats] = (),
) -> Barriers:
    """Sort lines, closed gates, lanes and bypassed areas' edges, (m, 4) lng, lat, into buckets."""
    sorts = lines, gates, *lanes, *bypassed
    segments = np.ascontiguousarray(np.concatenate(sorts).reshape(-1, 4))
    kinds = np.repeat(np.arange(len(sorts), dtype=np.uint8), [len(each) for each in sorts])
    member, bucket = _list_buckets(segments)
    member = member[np.argsort(bucket, kind="stable")]
    return Barriers(segments[member], kinds[member], _find_starts(bucket))


@njit(cache=True)
def _find_starts(bucket):  # type: ignore[no-untyped-def]
    """Return the index of each bucket's first segment after sorting, and the end of the last."""
    starts = np.zeros(_ROWS * _COLS + 1, dtype=np.int32)
    for b in bucket:
        starts[b + 1] += 1
    count = 0
    for b in range(starts.size):
        count += starts[b]
        starts[b] = count
    return starts


def _list_buckets(segments: Floats) -> tuple[Ints, Ints]:
    """List each segment with each bucket under its bounds: indices and buckets, shape (k,) each.

    Vectorised, because areas may have a million edges.
    """
    lngs, lats = np.sort(segments[:, 0::2], axis=1), np.sort(segments[:, 1::2], axis=1)
    first_col, last_col = np.floor((lngs.T + 180.0) * BUCKETS).astype(np.int64)
    first_row, last_row = np.floor((lats.T + 90.0) * BUCKETS).astype(np.int64)
    cols = last_col - first_col + 1
    count = cols * (last_row - first_row + 1)
    member = np.repeat(np.arange(len(segments)), count)
    place = np.arange(member.size) - (np.cumsum(count) - count)[member]
    row = np.clip(first_row[member] + place // cols[member], 0, _ROWS - 1)
    return member, row * _COLS + (first_col[member] + place % cols[member]) % _COLS


@njit_borrowing(cache=True)
def do_segments_touch(ax, ay, bx, by, cx, cy, dx, dy):  # type: ignore[no-untyped-def]
    """Return whether segments ab and cd cross or touch."""
    if max(ax, bx) < min(cx, dx) or max(cx, dx) < min(ax, bx):
        return False
    if max(ay, by) < min(cy, dy) or max(cy, dy) < min(ay, by):
        return False
    c = find_side(ax, ay, bx, by, cx, cy)
    d = find_side(ax, ay, bx, by, dx, dy)
    if (c > 0.0 and d > 0.0) or (c < 0.0 and d < 0.0):
        return False
    a = find_side(cx, cy, dx, dy, ax, ay)
    b = find_side(cx, cy, dx, dy, bx, by)
    return not ((a > 0.0 and b > 0.0) or (a < 0.0 and b < 0.0))


@njit_borrowing(cache=True)
def is_barred(  # type: ignore[no-untyped-def]
    segments, kinds, starts, lat0, lng0, lat1, lng1, in_open_sea, least_cosine
):
    """Return whether a track, straight in degrees, touches a barrier.

    All but lines bar only tracks ``in_open_sea``. ``least_cosine`` is that of the angle between
    a lane and a track that may cross it.
    """
    if segments.shape[0] == 0:
        return False
    of_diagonals = min(least_cosine, _DIAGONAL_COSINE)
    x1 = lng0 + wrap(lng1 - lng0)
    south = max(0, int((min(lat0, lat1) + 90.0) * BUCKETS))
    north = min(_ROWS - 1, int((max(lat0, lat1) + 90.0) * BUCKETS))
    west = int(np.floor((min(lng0, x1) + 180.0) * BUCKETS))
    east = int(np.floor((max(lng0, x1) + 180.0) * BUCKETS))
    for row in range(south, north + 1):
        for wide in range(west, east + 1):
            bucket = row * _COLS + wide % _COLS
            for i in range(starts[bucket], starts[bucket + 1]):
                if kinds[i] != LINE and not in_open_sea:
                    continue
                if kinds[i] == LANE or kinds[i] == LANE_DIAGONAL:
                    cosine = least_cosine if kinds[i] == LANE else of_diagonals
                    if not _is_against(segments[i], x1 - lng0, lat1 - lat0, lat0, cosine):
                        continue
                # by its middle, because an edge may span half the world
                middle = (segments[i, 0] + segments[i, 2]) / 2.0
                shift = 360.0 * np.round((lng0 - middle) / 360.0)
                if do_segments_touch(
                    lng0,
                    lat0,
                    x1,
                    lat1,
                    segments[i, 0] + shift,
                    segments[i, 1],
                    segments[i, 2] + shift,
                    segments[i, 3],
                ):
                    return True
    return False


@njit_borrowing(cache=True)
def _is_against(lane, east, north, lat, least_cosine):  # type: ignore[no-untyped-def]
    """Return whether a track, to east and north [deg], leads against a lane."""
    scale = np.cos(np.radians(lat))
    lane_east, lane_north = (lane[2] - lane[0]) * scale, lane[3] - lane[1]
    along = east * scale * lane_east + north * lane_north
    lengths = np.hypot(east * scale, north) * np.hypot(lane_east, lane_north)
    return along < least_cosine * lengths


@njit_borrowing(cache=True)
def is_bucket_barred(segments, starts, row, col):  # type: ignore[no-untyped-def]
    """Return whether a barrier lies in a bucket."""
    bucket = row * _COLS + col
    return segments.shape[0] > 0 and starts[bucket + 1] > starts[bucket]


@njit_borrowing(cache=True)
def is_barrier_near(segments, starts, lat, lng):  # type: ignore[no-untyped-def]
    """Return whether a barrier may lie within :data:`NEAR_DEG` of latitude, in any direction.

    Looked up are the bucket of the position and those around it, more of them to east and west
    where the meridians are close.
    """
    if segments.shape[0] == 0:
        return False
    row = int((lat + 90.0) * BUCKETS)
    col = int(np.floor((lng + 180.0) * BUCKETS))
    nearest_pole = min(abs(lat) + NEAR_DEG, 89.9)
    reach = min(int(np.ceil(1.0 / np.cos(np.radians(nearest_pole)))), _COLS // 2)
    for r in range(max(0, row - 1), min(_ROWS, row + 2)):
        for c in range(col - reach, col + reach + 1):
            bucket = r * _COLS + c % _COLS
            if starts[bucket + 1] > starts[bucket]:
                return True
    return False
