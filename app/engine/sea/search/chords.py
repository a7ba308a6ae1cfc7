"""Cost and clearance of great circles between two points."""

from typing import Final

import numpy as np

from app.engine.compiled import njit_borrowing
from app.engine.constants import DEGREE_M, EARTH_RADIUS_NM, NAUTICAL_MILE_M
from app.engine.geodesy.longitudes import wrap
from app.engine.sea.clearance import SLACK_NM, UNIT_NM, get_clearance_nm, get_clearance_units
from app.engine.sea.coast import segment_clearance_m
from app.engine.sea.offing import FULL_OFFING_NM, price_clearance
from app.engine.sea.raster import is_box_water
from app.engine.sea.search.barriers import (
    ANY_COSINE,
    LEG_COSINE,
    NEAR_DEG,
    is_barred,
    is_barrier_near,
)
from app.engine.sea.search.conditions import get_price
from app.engine.sea.search.sphere import angle_between, on_arc, to_vector, turn_towards
from app.engine.sea.shoals import SHOAL_MARGIN_CELLS, is_shoal

#: Step where a coast is near enough for coastal clearance cost [nm].
_COASTAL_STEP_NM: Final = 0.75
#: Longest step where prices vary or a barrier is near [nm].
_FINE_STEP_NM: Final = 7.5
#: Longest piece treated as straight in degrees for the cost [nm]: within 30 m at 60 degrees.
_STRAIGHT_NM: Final = 15.0
#: Shortest step of the test against the coast [nm]: straight in degrees within a metre.
_CLEARING_STEP_NM: Final = 2.0
#: Units of clearance up to which the coastal step is used.
_COASTAL_UNITS: Final = int((_COASTAL_STEP_NM + SLACK_NM + FULL_OFFING_NM) / UNIT_NM)
#: Price of a mile by the units of clearance.
_PRICES: Final = np.array(
    [price_clearance.py_func(units * UNIT_NM) for units in range(256)]  # type: ignore[no-untyped-call]
)


@njit_borrowing(cache=True)
def compute_chord_cost(waters, conditions, lat0, lng0, lat1, lng1, nearest_m, limit):  # type: ignore[no-untyped-def]
    """Return the cost of a great circle in open-sea miles; infinite if it is not clear.

    It is not clear nearer to a coast than ``nearest_m`` [m], across a barrier, or over or next to
    a shoal. The cost is also infinite if it exceeds ``limit``, which is tested first, because most
    great circles tried cost too much.
    """
    chord = draw_chord(lat0, lng0, lat1, lng1)
    cost = price_chord(waters, conditions, chord, limit)
    if cost <= limit and is_clear(waters, conditions, chord, nearest_m, SHOAL_MARGIN_CELLS):
        return cost
    return np.inf


@njit_borrowing(cache=True, nogil=True)
def is_chord_clear(waters, conditions, lat0, lng0, lat1, lng1, nearest_m):  # type: ignore[no-untyped-def]
    """Return whether a great circle is clear, as in ``compute_chord_cost``, at any cost."""
    chord = draw_chord(lat0, lng0, lat1, lng1)
    return is_clear(waters, conditions, chord, nearest_m, SHOAL_MARGIN_CELLS)


@njit_borrowing(cache=True)
def leads_against_lane(conditions, lats, lngs, is_open):  # type: ignore[no-untyped-def]
    """Return whether an open step of a track crosses a lane against its direction.

    ``is_open``, shape (n - 1,), marks the steps in the open sea of a track of n points.
    """
    barriers = conditions.segments, conditions.kinds, conditions.starts
    for i in range(is_open.size):
        if not is_open[i]:
            continue
        a, tangent, angle, ends = draw_chord(lats[i], lngs[i], lats[i + 1], lngs[i + 1])
        steps = int(angle * EARTH_RADIUS_NM / _FINE_STEP_NM) + 1
        lat, lng = ends[0], ends[1]
        for n in range(steps):
            next_lat, next_lng = ends[2], ends[3]
            if n < steps - 1:
                next_lat, next_lng = on_arc(a, tangent, angle * (n + 1.0) / steps)
            line = lat, lng, next_lat, next_lng
            if is_barred(*barriers, *line, True, LEG_COSINE) and not is_barred(
                *barriers, *line, True, ANY_COSINE
            ):
                return True
            lat, lng = next_lat, next_lng
    return False


@njit_borrowing(cache=True)
def draw_chord(lat0, lng0, lat1, lng1):  # type: ignore[no-untyped-def]
    """Return a great circle as its first unit vector, tangent, angle [rad] and ends [deg]."""
    a = to_vector(lat0, lng0)
    b = to_vector(lat1, lng1)
    angle = angle_between(a, b)
    return a, turn_towards(a, b, angle), angle, (lat0, lng0, lat1, lng1)


@njit_borrowing(cache=True)
def price_chord(waters, conditions, chord, limit):  # type: ignore[no-untyped-def]
    """Integrate the cost of a great circle, in steps as long as the distance to land allows.

    Return infinity as soon as the cost so far and the miles to go, each of which costs at least
    one, exceed ``limit``. Between points ``_STRAIGHT_NM`` apart the line is straight in degrees.
    """
    a, tangent, angle, ends = chord
    total = angle * EARTH_RADIUS_NM
    if total > limit:
        return np.inf
    lat, lng = ends[0], ends[1]
    here = get_clearance_units(waters.field, lat, lng)
    priced = conditions.prices.shape[0] > 0
    cost = done = known = north = east = 0.0
    while done < total:
        # a separate loop for these most frequent steps runs faster in the processor's pipeline
        while here <= _COASTAL_UNITS and done + _COASTAL_STEP_NM <= known and not priced:
            lat += north * _COASTAL_STEP_NM
            lng += east * _COASTAL_STEP_NM
            there = get_clearance_units(waters.field, lat, lng)
            cost += (_PRICES[here] + _PRICES[there]) / 2.0 * _COASTAL_STEP_NM
            done += _COASTAL_STEP_NM
            here = there
            if cost + total - done > limit:
                return np.inf
        step = max(_COASTAL_STEP_NM, here * UNIT_NM - SLACK_NM - FULL_OFFING_NM)
        if priced:
            step = min(step, _FINE_STEP_NM)
        if done + step >= total - 1e-9:
            step = total - done
            next_lat, next_lng = ends[2], ends[3]
        elif step >= _STRAIGHT_NM:
            next_lat, next_lng = on_arc(a, tangent, (done + step) / EARTH_RADIUS_NM)
        else:
            if done + step > known:
                known = min(total, done + _STRAIGHT_NM)
                far_lat, far_lng = on_arc(a, tangent, known / EARTH_RADIUS_NM)
                north = (far_lat - lat) / (known - done)
                east = wrap(far_lng - lng) / (known - done)
            next_lat, next_lng = lat + step * north, lng + step * east
        there = get_clearance_units(waters.field, next_lat, next_lng)
        price = (_PRICES[here] + _PRICES[there]) / 2.0
        if priced:
            price *= get_price(conditions.prices, (lat + next_lat) / 2.0, next_lng)
        done += step
        cost += step * price
        if cost + total - done > limit:
            return np.inf
        lat, lng, here = next_lat, next_lng, there
    return cost


@njit_borrowing(cache=True)
def is_clear(waters, conditions, chord, nearest_m, margin_cells):  # type: ignore[no-untyped-def]
    """Return whether a great circle is clear of coasts, barriers and shoals.

    It keeps ``nearest_m`` from a coast [m], and ``margin_cells`` from a shoal.
    """
    a, tangent, angle, ends = chord
    total = angle * EARTH_RADIUS_NM
    lat, lng = ends[0], ends[1]
    done = 0.0
    while done < total:
        near = get_clearance_nm(waters.field, lat, lng) - SLACK_NM - nearest_m / NAUTICAL_MILE_M
        # no barrier lies in a step of this length if none is near
        step = min(max(_CLEARING_STEP_NM, near), 60.0 * NEAR_DEG)
        may_bar = is_barrier_near(conditions.segments, conditions.starts, lat, lng)
        if may_bar:
            step = min(step, _FINE_STEP_NM)
        if done + step >= total - 1e-9:
            step = total - done
            next_lat, next_lng = ends[2], ends[3]
        else:
            next_lat, next_lng = on_arc(a, tangent, (done + step) / EARTH_RADIUS_NM)
        if near < step and not _keeps_off(waters, lat, lng, next_lat, next_lng, nearest_m):
            return False
        if may_bar and is_barred(
            conditions.segments,
            conditions.kinds,
            conditions.starts,
            lat,
            lng,
            next_lat,
            next_lng,
            True,
            conditions.lane_cosine,
        ):
            return False
        if is_shoal(
            waters.shoals,
            waters.shoal_blocks,
            lat,
            lng,
            next_lat,
            next_lng,
            margin_cells,
            conditions.depth_steps,
        ):
            return False
        done += step
        lat, lng = next_lat, next_lng
    return True


@njit_borrowing(cache=True)
def _keeps_off(waters, lat0, lng0, lat1, lng1, nearest_m):  # type: ignore[no-untyped-def]
    """Return whether a short line is so far from the coast; the raster decides most cases."""
    if is_box_water(waters.inside, waters.shore, lat0, lng0, lat1, lng1, nearest_m / DEGREE_M):
        return True
    gap_m = segment_clearance_m(
        waters.edges, waters.edge_starts, lat0, lng0, lat1, lng1, nearest_m + 1.0
    )
    return gap_m >= nearest_m and gap_m > 0.0
