"""Thread-safe tests of lines and points against polygons in longitude and latitude."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import inf
from threading import Lock
from typing import Final, TypeAlias

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.affinity import translate
from shapely.geometry import MultiLineString
from shapely.geometry.base import BaseGeometry

from app.engine.arrays import Bools, Floats
from app.engine.units import wrap_longitude

#: Western, southern, eastern and northern bound [deg].
Bounds: TypeAlias = tuple[float, float, float, float]

#: Tolerance of comparisons of bounds [deg]: differences are rounded.
_ROUNDING_DEG: Final = 1e-9
#: Least absolute longitude of a position that lies on the antimeridian [deg]: a tenth of a
#: millimetre from it.
_ANTIMERIDIAN_DEG: Final = 180.0 - 1e-9
#: Parts of a segment below which stretches of a track are joined or are none: about a centimetre.
_ROUNDING_OF_SEGMENT: Final = 1e-6
#: Held while a prepared geometry is in use; see :func:`prepared`.
_preparing: Final = Lock()


@contextmanager
def prepared(geometry: BaseGeometry) -> Iterator[None]:
    """Prepare a geometry for tests by one thread at a time.

    A prepared geometry builds its indices at the first test and keeps their state there, and a
    second thread then crashes the process (https://github.com/libgeos/geos/issues/825). Shapely
    uses the prepared form in every test once there is one, so that all tests of a geometry that
    threads share are made in this context.
    """
    with _preparing:
        shapely.prepare(geometry)
        yield


def segments_within(
    geometry: BaseGeometry,
    lat0: Floats,
    lng0: Floats,
    lat1: Floats,
    lng1: Floats,
    within_deg: float = 0.0,
) -> Bools:
    """Mask of segments, straight in degrees, within a distance [deg] of a geometry, shape (n,).

    At a distance of zero, these are the segments that intersect it.
    """
    geometry = repeat_across_antimeridian(geometry, within_deg, lng0, lng1)
    near = overlaps_bounds(geometry, lat0, lng0, lat1, lng1, within_deg)
    if near.any():
        lines = build_lines(lat0[near], lng0[near], lat1[near], lng1[near])
        with prepared(geometry):
            near[near] = (
                shapely.dwithin(geometry, lines, within_deg)
                if within_deg > 0.0
                else shapely.intersects(geometry, lines)
            )
    return near


def contains_points(geometry: BaseGeometry, lats: Floats, lngs: Floats) -> Bools:
    """Mask of points inside a geometry, of the shape of their coordinates."""
    with prepared(geometry):
        return np.asarray(shapely.contains_xy(geometry, lngs, lats))


def intersects(geometry: BaseGeometry, shape: BaseGeometry) -> bool:
    """Return whether a shape has a point in common with a geometry."""
    with prepared(geometry):
        return bool(shapely.intersects(geometry, shape))


def lines_within(
    geometry: BaseGeometry, lines: NDArray[np.object_], within_deg: Floats | float
) -> Bools:
    """Mask of lines within a distance [deg] of a geometry, shape (n,)."""
    with prepared(geometry):
        return np.asarray(shapely.dwithin(geometry, lines, within_deg))


def repeat_across_antimeridian(
    geometry: BaseGeometry, within_deg: float, lng0: Floats, lng1: Floats
) -> BaseGeometry:
    """Return a geometry with copies beyond 180° of what segments may have within a distance [deg].

    Distances from a segment on the one side to a shape on the other are then those across it. It is
    the geometry itself if no segment is that near to the antimeridian.
    """
    if not within_deg or not lng0.size:
        return geometry
    least = 180.0 - within_deg
    if max(np.abs(lng0).max(), np.abs(lng1).max()) < least:
        return geometry
    west, _, east, _ = geometry.bounds
    return _repeat_again(geometry, (1,) * (west <= -least) + (-1,) * (east >= least))


def repeat_around(geometry: BaseGeometry, turns: tuple[int, ...] = (-1, 1)) -> BaseGeometry:
    """Return a geometry joined with its copies that are whole turns of the globe to the east."""
    copies = [translate(geometry, xoff=360.0 * turn) for turn in turns]
    return shapely.union_all([geometry, *copies]) if copies else geometry


# areas are compared with many legs
_repeat_again = lru_cache(maxsize=64)(repeat_around)


def overlaps_bounds(
    geometry: BaseGeometry,
    lat0: Floats,
    lng0: Floats,
    lat1: Floats,
    lng1: Floats,
    within_deg: float = 0.0,
) -> Bools:
    """Mask of segments whose bounds lie within a distance [deg] of a geometry's, shape (n,).

    Segments across or on the antimeridian are compared by latitude alone. The test is a cheap
    filter before geometries are built.
    """
    west, south, east, north = geometry.bounds
    apart_deg = within_deg + _ROUNDING_DEG
    by_lat = (np.maximum(lat0, lat1) >= south - apart_deg) & (
        np.minimum(lat0, lat1) <= north + apart_deg
    )
    by_lng = (np.maximum(lng0, lng1) >= west - apart_deg) & (
        np.minimum(lng0, lng1) <= east + apart_deg
    )
    return np.asarray(by_lat & (by_lng | mark_astride(lng0, lng1)))


def measure_bounds(
    lat0: Floats, lng0: Floats, lat1: Floats, lng1: Floats, within_deg: float = 0.0
) -> Bounds:
    """Measure the bounds of what lies within a distance [deg] of segments.

    They cover all longitudes if a segment is that near to the antimeridian, and are infinite and
    overlap nothing without any segment.
    """
    lats, lngs = np.concatenate([lat0, lat1]), np.concatenate([lng0, lng1])
    is_at_180 = (np.abs(lngs) >= 180.0 - within_deg).any() or mark_astride(lng0, lng1).any()
    west, east = (-180.0, 180.0) if is_at_180 else (lngs.min(initial=inf), lngs.max(initial=-inf))
    apart_deg = within_deg + _ROUNDING_DEG
    south, north = lats.min(initial=inf), lats.max(initial=-inf)
    return west - apart_deg, south - apart_deg, east + apart_deg, north + apart_deg


def do_bounds_overlap(one: Bounds, other: Bounds) -> bool:
    """Return whether bounds have a point in common."""
    return all(one[n] <= other[n + 2] and other[n] <= one[n + 2] for n in (0, 1))


def mark_astride(lng0: Floats, lng1: Floats) -> Bools:
    """Mask of segments that cross the antimeridian or lie on it, shape (n,)."""
    is_on = np.minimum(np.abs(lng0), np.abs(lng1)) > _ANTIMERIDIAN_DEG
    return np.asarray(is_on | (np.abs(lng1 - lng0) > 180.0))


def build_lines(lat0: Floats, lng0: Floats, lat1: Floats, lng1: Floats) -> NDArray[np.object_]:
    """Build lines between positions, straight in degrees, shape (n,).

    A line across the antimeridian is split into one part on each side; one on it is built on both
    sides.
    """
    astride = mark_astride(lng0, lng1)
    ends = np.stack([np.stack([lng0, lat0], axis=1), np.stack([lng1, lat1], axis=1)], axis=1)
    lines = shapely.linestrings(ends)
    lines[astride] = [
        _split_line(*pair)
        for pair in zip(lng0[astride], lat0[astride], lng1[astride], lat1[astride], strict=True)
    ]
    return np.asarray(lines)


def _split_line(lng1: float, lat1: float, lng2: float, lat2: float) -> MultiLineString:
    if min(abs(lng1), abs(lng2)) > _ANTIMERIDIAN_DEG:
        return MultiLineString([[(side, lat1), (side, lat2)] for side in (180.0, -180.0)])
    side = np.copysign(180.0, lng1)
    share = (side - lng1) / (lng2 + 2.0 * side - lng1)
    lat = lat1 + share * (lat2 - lat1)
    return MultiLineString([[(lng1, lat1), (side, lat)], [(-side, lat), (lng2, lat2)]])


def find_stretches(geometry: BaseGeometry, lats: Floats, lngs: Floats) -> Floats:
    """Find the stretches of a track inside a geometry, cut at its outline, shape (m, 2).

    They are in order, in segments from the start of the track: 2.5 is the middle of the third
    segment. Segments are straight in degrees; one without length, as during a wait, is inside if
    its position is.
    """
    along = np.stack([wrap_longitude(np.diff(lngs)), np.diff(lats)], axis=1)
    moves = along.any(axis=1)
    waits = np.flatnonzero(~moves)
    waits = waits[contains_points(geometry, lats[waits], lngs[waits])]
    near = moves & segments_within(geometry, lats[:-1], lngs[:-1], lats[1:], lngs[1:])
    cut = _cut_segments(geometry, lats, lngs, along, np.flatnonzero(near))
    return _join_stretches(np.concatenate([cut, np.stack([waits, waits + 1.0], axis=1)]))


def _cut_segments(
    geometry: BaseGeometry, lats: Floats, lngs: Floats, along: Floats, segments: NDArray[np.intp]
) -> Floats:
    """Cut segments of a track at the outline of a geometry; return the parts inside, (m, 2)."""
    ends = segments + 1
    lines = build_lines(lats[segments], lngs[segments], lats[ends], lngs[ends])
    parts, line_of = shapely.get_parts(shapely.intersection(lines, geometry), return_index=True)
    points, part_of = shapely.get_coordinates(parts, return_index=True)
    of = segments[line_of[part_of]]
    off = np.stack([wrap_longitude(points[:, 0] - lngs[of]), points[:, 1] - lats[of]], axis=1)
    shares = (off * along[of]).sum(axis=1) / (along[of] ** 2).sum(axis=1)
    places = of + np.clip(shares, 0.0, 1.0)
    # a part that touches the outline in a point has no second one
    goes_on = part_of[1:] == part_of[:-1]
    return np.sort(np.stack([places[:-1][goes_on], places[1:][goes_on]], axis=1), axis=1)


def _join_stretches(stretches: Floats) -> Floats:
    """Join stretches that overlap or follow each other, and leave out those without length."""
    if not stretches.size:
        return stretches
    begins, ends = stretches[np.argsort(stretches[:, 0])].T
    reached = np.maximum.accumulate(ends)
    is_apart = begins[1:] > reached[:-1] + _ROUNDING_OF_SEGMENT
    joined = np.stack([begins[np.append(True, is_apart)], reached[np.append(is_apart, True)]], 1)
    return np.asarray(joined[joined[:, 1] - joined[:, 0] > _ROUNDING_OF_SEGMENT])
