"""What a straight run between two points costs, and whether it is clear at all."""

from typing import Final

import numpy as np
from numba import njit

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.sea.clearance import SLACK_NM, get_clearance_nm
from app.engine.sea.coast import segment_clearance_m
from app.engine.sea.offing import FULL_OFFING_NM, price_clearance
from app.engine.sea.shoals import SHOAL_MARGIN_CELLS, is_shoal
from app.engine.search.barriers import is_barred, is_barrier_near
from app.engine.search.conditions import get_price
from app.engine.search.sphere import RADIAN_NM, angle_between, on_great_circle, to_vector

#: Step [nm] along a run where a coast is near enough to price.
_COASTAL_STEP_NM: Final = 0.75
#: Longest step [nm] where prices change from place to place or a barrier is near.
_FINE_STEP_NM: Final = 7.5


@njit(cache=True)
def compute_chord_cost(waters, conditions, lat0, lng0, lat1, lng1, nearest_m, limit):  # type: ignore[no-untyped-def]
    """Cost of a great circle in open-sea miles; infinite when it isn't clear.

    Not clear is: nearer to a coast than ``nearest_m`` [m], across a barrier, or over
    or beside a shoal.
    Steps are as long as the water around allows. Gives up, with infinity, as
    soon as the cost exceeds ``limit``.
    """
    a = to_vector(lat0, lng0)
    b = to_vector(lat1, lng1)
    angle = angle_between(a, b)
    total = angle * RADIAN_NM
    done = 0.0
    cost = 0.0
    lat = lat0
    lng = lng0
    priced = conditions.prices.shape[0] > 0
    while done < total:
        near = get_clearance_nm(waters.field, lat, lng) - SLACK_NM
        step = max(_COASTAL_STEP_NM, near - FULL_OFFING_NM)
        if priced or is_barrier_near(conditions.segments, conditions.starts, lat, lng):
            step = min(step, _FINE_STEP_NM)
        if done + step >= total - 1e-9:
            step = total - done
            next_lat, next_lng = lat1, lng1
        else:
            next_lat, next_lng = on_great_circle(a, b, angle, (done + step) / total)
        if near * NAUTICAL_MILE_M < step * NAUTICAL_MILE_M + nearest_m:
            gap_m = segment_clearance_m(
                waters.edges, waters.edge_starts, lat, lng, next_lat, next_lng, nearest_m + 1.0
            )
            if gap_m < nearest_m or gap_m == 0.0:
                return np.inf
        if is_barred(
            conditions.segments,
            conditions.is_gate,
            conditions.starts,
            lat,
            lng,
            next_lat,
            next_lng,
            True,
        ):
            return np.inf
        if is_shoal(
            waters.shoals,
            waters.shoal_blocks,
            lat,
            lng,
            next_lat,
            next_lng,
            SHOAL_MARGIN_CELLS,
            conditions.depth_steps,
        ):
            return np.inf
        half = get_clearance_nm(waters.field, next_lat, next_lng)
        price = (price_clearance(near + SLACK_NM) + price_clearance(half)) / 2.0
        if priced:
            price *= get_price(conditions.prices, (lat + next_lat) / 2.0, next_lng)
        cost += step * price
        if cost > limit:
            return np.inf
        done += step
        lat = next_lat
        lng = next_lng
    return cost
