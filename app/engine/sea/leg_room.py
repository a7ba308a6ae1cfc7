"""Room and depth along the two lines of a leg: great circle and rhumb line."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit_borrowing
from app.engine.constants import EARTH_RADIUS_NM, NAUTICAL_MILE_M
from app.engine.geodesy.longitudes import wrap
from app.engine.request import Position
from app.engine.sea.clearance import SLACK_NM, get_clearance_nm
from app.engine.sea.coast import is_land, segment_clearance_m
from app.engine.sea.search.barriers import LEG_COSINE, is_barred, is_barrier_near
from app.engine.sea.search.conditions import NO_CONDITIONS, CoastData, Conditions
from app.engine.sea.search.sphere import angle_between, on_great_circle, on_rhumb, to_vector
from app.engine.sea.shoals import get_offshore_depth_m, is_shoal, is_shoal_near

#: Cross-track distance at sea [m].
XTD_M: Final = NAUTICAL_MILE_M
#: Least clearance of a new leg at sea [m]: slightly below a mile, because the ends of open
#: stretches may be exactly a mile from the coast.
LEAST_XTD_M: Final = 0.9 * XTD_M

#: Longest step treated as straight in degrees near a coast [nm]: chord error < 10 m.
_STEP_NM: Final = 4.0
#: Step between depth samples [nm]; a cell of the grid measures five.
_SOUNDING_NM: Final = 1.0


def measure_leg_gap_m(
    waters: CoastData, conditions: Conditions, a: Position, b: Position, within_m: float
) -> float:
    """Measure the least distance to the coast along both lines from a to b, up to ``within_m`` [m].

    Zero if either line touches the coast, a barrier or a shoal.
    """
    gap = within_m
    for rhumb in (False, True):
        gap = min(gap, float(measure_line_gap_m(waters, conditions, *a, *b, within_m, rhumb)))
        if gap == 0.0:
            break
    return gap


def measure_coast_gap_m(waters: CoastData, a: Position, b: Position, within_m: float) -> float:
    """Measure the least distance to the coast alone along both lines, up to ``within_m`` [m].

    Zero if they are not wholly in water: the coastline data lack that channel.
    """
    # on land the distance to the coast is positive too
    return 0.0 if is_land(waters, *a) else measure_leg_gap_m(waters, NO_CONDITIONS, a, b, within_m)


def is_leg_clear(waters: CoastData, conditions: Conditions, a: Position, b: Position) -> bool:
    """Return whether a new leg at sea keeps clear of coast, barriers and shoals on both lines."""
    return measure_leg_gap_m(waters, conditions, a, b, XTD_M) >= LEAST_XTD_M


def measure_depth_m(
    waters: CoastData, depths: NDArray[np.int16], a: Position, b: Position
) -> float | None:
    """Measure the least charted depth along both lines [m]; None if they are entirely inshore."""
    depth = min(float(_measure_depth(waters, depths, *a, *b, r)) for r in (False, True))
    return depth if np.isfinite(depth) else None


@njit_borrowing(cache=True, nogil=True)
def measure_line_gap_m(waters, conditions, lat0, lng0, lat1, lng1, within_m, rhumb):  # type: ignore[no-untyped-def]
    """Measure the least distance to the coast along one line; as :func:`measure_leg_gap_m`."""
    a = to_vector(lat0, lng0)
    b = to_vector(lat1, lng1)
    angle = angle_between(a, b)
    dlng = wrap(lng1 - lng0)
    total = angle * EARTH_RADIUS_NM
    if rhumb:
        scale = np.cos(np.radians(min(abs(lat0), abs(lat1))))
        total = np.sqrt((lat1 - lat0) ** 2 + (dlng * scale) ** 2) * 60.0
    need = conditions.depth_steps
    gap = within_m
    done = 0.0
    lat = lat0
    lng = lng0
    while done < total:
        near = (get_clearance_nm(waters.field, lat, lng) - SLACK_NM) - within_m / NAUTICAL_MILE_M
        step = max(_STEP_NM, near)
        # over a long step a line straight in degrees is up to 50 m off
        is_near = is_shoal_near(waters.shoal_blocks, lat, lng, step, need)
        if is_near or is_barrier_near(conditions.segments, conditions.starts, lat, lng):
            step = _STEP_NM
        if done + step >= total - 1e-9:
            step = total - done
            y, x = lat1, lng1
        elif rhumb:
            y, x = on_rhumb(lat0, lng0, lat1, dlng, (done + step) / total)
        else:
            y, x = on_great_circle(a, b, angle, (done + step) / total)
        if near <= step:
            found = segment_clearance_m(waters.edges, waters.edge_starts, lat, lng, y, x, gap)
            gap = min(gap, found)
            if gap <= 0.0:
                return 0.0
        barriers = conditions.segments, conditions.kinds, conditions.starts
        if is_barred(*barriers, lat, lng, y, x, True, min(conditions.lane_cosine, LEG_COSINE)):
            return 0.0
        if is_shoal(waters.shoals, waters.shoal_blocks, lat, lng, y, x, 0, need):
            return 0.0
        done += step
        lat = y
        lng = (x + 180.0) % 360.0 - 180.0
    return gap


def is_line_shoal(waters: CoastData, a: Position, b: Position, need: int) -> bool:
    """Return whether the great circle from a to b crosses a cell of less than ``need`` steps."""
    return bool(_is_line_shoal(waters, *a, *b, need))


@njit_borrowing(cache=True, nogil=True)
def _is_line_shoal(waters, lat0, lng0, lat1, lng1, need):  # type: ignore[no-untyped-def]
    a = to_vector(lat0, lng0)
    b = to_vector(lat1, lng1)
    angle = angle_between(a, b)
    count = max(1, int(np.ceil(angle * EARTH_RADIUS_NM / _STEP_NM)))
    lat, lng = lat0, lng0
    for i in range(count):
        y, x = on_great_circle(a, b, angle, (i + 1.0) / count)
        if is_shoal(waters.shoals, waters.shoal_blocks, lat, lng, y, x, 0, need):
            return True
        lat, lng = y, (x + 180.0) % 360.0 - 180.0
    return False


@njit_borrowing(cache=True, nogil=True)
def _measure_depth(waters, depths, lat0, lng0, lat1, lng1, rhumb):  # type: ignore[no-untyped-def]
    a = to_vector(lat0, lng0)
    b = to_vector(lat1, lng1)
    angle = angle_between(a, b)
    dlng = wrap(lng1 - lng0)
    steps = max(1, int(angle * EARTH_RADIUS_NM / _SOUNDING_NM))
    least = np.inf
    for i in range(steps + 1):
        if rhumb:
            lat, lng = on_rhumb(lat0, lng0, lat1, dlng, i / steps)
        else:
            lat, lng = on_great_circle(a, b, angle, i / steps)
        depth = get_offshore_depth_m(depths, waters.charted, waters.field, lat, lng)
        if depth < least:
            least = depth
    return least


@njit_borrowing(cache=True, nogil=True)
def find_open_run(waters, conditions, lat0, lng0, lat1, lng1, count, within_m):  # type: ignore[no-untyped-def]
    """Return the first and last part of the longest clear run of parts of a great circle."""
    a = to_vector(lat0, lng0)
    b = to_vector(lat1, lng1)
    angle = angle_between(a, b)
    best = (0, 0)
    first = 0
    lat = lat0
    lng = lng0
    for i in range(count):
        y, x = on_great_circle(a, b, angle, (i + 1.0) / count)
        if measure_line_gap_m(waters, conditions, lat, lng, y, x, within_m, False) < within_m:
            first = i + 1
        elif i + 1 - first > best[1] - best[0]:
            best = (first, i + 1)
        lat = y
        lng = x
    return best
