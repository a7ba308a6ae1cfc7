"""Highest speeds that keep the required under-keel clearance, where the depth is known."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.planning.context import PlanningContext
from app.engine.sailing.track import Track
from app.engine.sea.passages import PassageKind
from app.engine.sea.path import Leg
from app.engine.vessel.squat import squat_speed_kn

#: Lowest speed to which a ship is slowed [kn], so that it can steer; the plan warns if the
#: clearance is then too small. Assumed: about dead slow ahead of a laden ship.
_SLOWEST_FOR_SQUAT_KN: Final = 6.0

#: Tolerance of the under-keel clearance [m]: plans are stored to the centimetre, cut.
UKC_TOLERANCE_M: Final = 0.011

_CONFINED: Final = (PassageKind.CANAL, PassageKind.RIVER)


def find_squat_limits_kn(
    context: PlanningContext, track: Track, legs: Sequence[Leg], depth_m: Floats
) -> Floats:
    """Return the highest speed through the water that keeps the clearance [kn], shape (n,).

    Infinite for segments of unknown depth. The clearance is that of the passage's rules, or else
    the margin of the request.
    """
    left_m = (
        depth_m
        - context.request.loading.deepest_draft_m
        - list_required_ukc_m(context, track, legs)
    )
    limits_kn = squat_speed_kn(
        left_m,
        context.ship.hull.block_coefficient_lpp,
        is_confined=find_confined(context, legs, track),
    )
    return np.where(np.isnan(depth_m), np.inf, np.maximum(limits_kn, _SLOWEST_FOR_SQUAT_KN))


def list_required_ukc_m(context: PlanningContext, track: Track, legs: Sequence[Leg]) -> Floats:
    """List the under-keel clearance required on each segment [m], shape (n,)."""
    return np.array([context.required_ukc_m(leg) for leg in legs])[track.leg]


def find_confined(context: PlanningContext, legs: Sequence[Leg], track: Track) -> Bools:
    """Mark the segments in canals and rivers, where squat is greater, shape (n,)."""
    passages = map(context.find_passage, legs)
    return np.array([each is not None and each.kind in _CONFINED for each in passages])[track.leg]


def slow_for_squat(
    context: PlanningContext, track: Track, legs: Sequence[Leg], depth_m: Floats
) -> Track:
    """Return the track with its highest speeds reduced to those that keep the clearance."""
    limits_kn = find_squat_limits_kn(context, track, legs, depth_m)
    return replace(track, speed_cap_kn=np.minimum(track.speed_cap_kn, limits_kn))
