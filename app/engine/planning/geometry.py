"""Building of route geometries: legs divided into a track with depths and speed limits.

Waves and currents of the sea do not enter the legs on inland waters. Where the depth is known, the
highest speed keeps the required under-keel clearance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats
from app.engine.planning.areas import split_at_ecas
from app.engine.planning.context import PlanningContext
from app.engine.planning.ice import slow_in_ice
from app.engine.planning.simulated_route import RouteGeometry
from app.engine.request import Position
from app.engine.sailing.track import Track, build_track
from app.engine.sea.leg_room import is_line_shoal
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import Leg, PassageUse
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.sea.shoals import count_steps
from app.engine.vessel.squat import squat_speed_kn

#: Number of positions along a segment at which the depth is read, including its ends.
_SOUNDINGS: Final = 11
#: Longest distance between a river or canal and a port on its bank, or the next one [nm].
_LONGEST_HARBOUR_NM: Final = 10.0
#: Lowest speed to which a ship is slowed [kn], so that it can steer; the plan warns if the
#: clearance is then too small. Assumed: about dead slow ahead of a laden ship.
_SLOWEST_FOR_SQUAT_KN: Final = 6.0

#: Tolerance of the under-keel clearance [m]: plans are stored to the centimetre, cut.
UKC_TOLERANCE_M: Final = 0.011

_CONFINED: Final = (PassageKind.CANAL, PassageKind.RIVER)


def build_geometry(
    context: PlanningContext,
    label: str,
    uses: tuple[PassageUse, ...],
    legs: tuple[Leg, ...],
    prices: NDArray[np.float32] = NO_CONDITIONS.prices,
) -> RouteGeometry:
    """Build a route geometry from legs: its track, depths, and speed limits by ice and squat.

    The track has points where it enters and leaves emission control areas.
    """
    legs = mark_inland_legs(legs, context.passages)
    track = split_at_ecas(build_track(legs, context.passages), context.request.areas)
    track = slow_in_ice(track, context.request)
    charted_m = context.sea.depth_m(*track.sample_segments(_SOUNDINGS)).min(axis=1)
    depth_m = _find_least_depths_m(context, track, legs, charted_m)
    limits_kn = find_squat_limits_kn(context, track, legs, depth_m)
    track = replace(track, speed_cap_kn=np.minimum(track.speed_cap_kn, limits_kn))
    unproven = [
        number
        for number, leg in enumerate(legs)
        if leg.is_unproven or ((passage := context.find_passage(leg)) and not passage.is_proven)
    ]
    is_unproven = np.isin(track.leg, unproven) & np.isnan(depth_m)
    # of a strait or lane often no more is known than a depth that it has throughout
    is_charted_deeper = ~track.is_inland & (charted_m > depth_m)
    water_depth_m = np.where(is_charted_deeper, charted_m, depth_m)
    return RouteGeometry(label, uses, legs, track, depth_m, water_depth_m, is_unproven, prices)


def _find_least_depths_m(
    context: PlanningContext, track: Track, legs: Sequence[Leg], charted_m: Floats
) -> Floats:
    """Return the least depth of each segment [m], shape (n,); NaN where unknown.

    In a passage it is the passage's depth, elsewhere ``charted_m``, the least charted depth at
    positions at most half a mile apart; a cell of the depth grid measures five miles.
    """
    waters, need = context.sea.waters, count_steps(context.size.least_depth_m)
    depth_m = charted_m.copy()
    for number, leg in enumerate(legs):
        passage = context.find_passage(leg)
        if passage is not None:
            depth_m[track.leg == number] = np.nan if passage.depth_m is None else passage.depth_m
        elif leg.is_unproven:
            for n in np.flatnonzero(track.leg == number).tolist():
                if is_line_shoal(waters, track.position(n), track.position(n + 1), need):
                    depth_m[n] = np.nan
    return depth_m


def mark_inland_legs(legs: Sequence[Leg], passages: Mapping[str, Passage]) -> tuple[Leg, ...]:
    """Mark the legs in rivers and canals, and those between one and a port on its bank.

    Marked too are those from one to the next, as from a lock across an estuary into a river.
    ``passages`` are the passages by name.
    """
    through = [None if leg.passage is None else passages.get(leg.passage) for leg in legs]
    inland = [passage is not None and passage.is_inland for passage in through]
    for before, after in pairwise([number for number, mark in enumerate(inland) if mark]):
        if _length_nm(legs[before + 1 : after]) <= _LONGEST_HARBOUR_NM:
            inland[before:after] = [True] * (after - before)
    used = [number for number, passage in enumerate(through) if passage is not None]
    if used:
        first, last = used[0], used[-1]
        if _is_harbour(legs[:first], through[first], legs[first].start):
            inland[:first] = [True] * first
        if _is_harbour(legs[last + 1 :], through[last], legs[last].end):
            inland[last:] = [True] * (len(legs) - last)
    return tuple(
        leg if leg.is_inland is mark else replace(leg, is_inland=mark)
        for leg, mark in zip(legs, inland, strict=True)
    )


def _is_harbour(legs: Sequence[Leg], passage: Passage | None, joined: Position) -> bool:
    """Return whether legs lead from a port to a river or canal, joined above its mouth."""
    return (
        passage is not None
        and passage.is_inland
        and not passage.is_mouth(joined)
        and _length_nm(legs) <= _LONGEST_HARBOUR_NM
    )


def _length_nm(legs: Sequence[Leg]) -> float:
    return sum(leg.distance_nm for leg in legs)


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
