"""Building of route geometries: legs divided into a track with depths and speed limits."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats
from app.engine.planning.areas import split_at_ecas
from app.engine.planning.context import PlanningContext
from app.engine.planning.ice import slow_in_ice
from app.engine.planning.inland_legs import mark_inland_legs
from app.engine.planning.route_geometry import RouteGeometry
from app.engine.planning.squat_limits import slow_for_squat
from app.engine.sailing.track import Track, build_track
from app.engine.sea.leg_room import is_line_shoal
from app.engine.sea.path import Leg, PassageUse
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.sea.shoals import count_steps

#: Number of positions along a segment at which the depth is read, including its ends.
_SOUNDINGS: Final = 11


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
    depth_m = _depths_m(context, track, legs)
    track = slow_for_squat(context, track, legs, depth_m)
    is_unproven = _mark_unproven(context, track, legs, depth_m)
    return RouteGeometry(label, uses, legs, track, depth_m, is_unproven, prices)


def _depths_m(context: PlanningContext, track: Track, legs: Sequence[Leg]) -> Floats:
    """Return the least depth of each segment [m], shape (n,); NaN where unknown.

    In a passage it is the passage's depth, elsewhere the least charted depth at positions at most
    half a mile apart; a cell of the depth grid measures five miles.
    """
    soundings_m = context.sea.depth_m(*track.sample_segments(_SOUNDINGS))
    depth_m: Floats = soundings_m.min(axis=1)
    for number, leg in enumerate(legs):
        passage = context.find_passage(leg)
        if passage is not None:
            depth_m[track.leg == number] = np.nan if passage.depth_m is None else passage.depth_m
        elif leg.is_unproven:
            depth_m[_list_unproven(context, track, number)] = np.nan
    return depth_m


def _mark_unproven(
    context: PlanningContext, track: Track, legs: Sequence[Leg], depth_m: Floats
) -> Bools:
    """Mark the segments of unknown depth on unproven legs and in unproven passages."""
    unproven = []
    for number, leg in enumerate(legs):
        passage = context.find_passage(leg)
        if leg.is_unproven or (passage is not None and not passage.is_proven):
            unproven.append(number)
    return np.isin(track.leg, unproven) & np.isnan(depth_m)


def _list_unproven(context: PlanningContext, track: Track, leg: int) -> list[int]:
    """List the segments of a leg that cross unproven water."""
    waters, need = context.sea.waters, count_steps(context.size.least_depth_m)
    return [
        segment
        for segment in np.flatnonzero(track.leg == leg).tolist()
        if is_line_shoal(waters, track.position(segment), track.position(segment + 1), need)
    ]
