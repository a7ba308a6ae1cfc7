"""Simulation of a given route on its own schedule, with clearances and depths of the atlas."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from math import floor
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
from cachetools import LRUCache, cached

from app.engine.arrays import Floats
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy import interpolate_leg, leg_distance_nm, sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.plan import Waypoint
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import build_simulator, evaluate_route
from app.engine.planning.geometry import build_geometry
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Position
from app.engine.sailing.schedule import follow_schedule
from app.engine.sailing.track import LONGEST_SEGMENT_NM, Track
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.coast import is_land
from app.engine.sea.leg_room import (
    XTD_M,
    is_line_shoal,
    measure_coast_gap_m,
    measure_depth_m,
    measure_leg_gap_m,
)
from app.engine.sea.legs import (
    UNNAMED_NARROWS,
    find_xtd_in_passage_m,
    measure_off_line_m,
    name_narrows,
)
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import Leg
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.sea.shoals import count_steps
from app.engine.times import hours_since_epoch

#: Waypoints closer than this count as one [nm]: a metre.
SAME_PLACE_NM: Final = 1.0 / NAUTICAL_MILE_M
#: Shortest wait at a waypoint; a shorter time between arrival and departure is rounding.
_MIN_STAY: Final = timedelta(minutes=1)
#: Mean speed over the ground below which a ship drifts and waits rather than sails [kn].
_DRIFTING_KN: Final = 3.0


@dataclass(frozen=True, slots=True)
class GivenWaypoint:
    """A waypoint of a given route, and the leg that leads to it; ``None`` for data not given.

    Of the leg, ``speed_kn`` is the ordered speed through the water, ``ground_speed_kn`` the mean
    speed over the ground, which decides where no speed through the water is given, ``passage`` the
    name of the passage that it is stated to follow, and ``xtd_m`` the cross-track distance stated
    to be clear.
    ``due`` is the time of arrival, and ``leaves`` the time of departure if the ship waits here.
    ``turn_radius_nm`` is the radius of the turn, ``id`` the waypoint's name in its file, and
    ``number`` counts from 1 in the route as given, repeated waypoints included; of the rest of a
    route it is given, and 0 otherwise.
    """

    position: Position
    leg_geometry: LegGeometry = LegGeometry.GREAT_CIRCLE
    speed_kn: float | None = None
    due: datetime | None = None
    passage: str | None = None
    xtd_m: float | None = None
    turn_radius_nm: float | None = None
    leaves: datetime | None = None
    id: str | None = None
    ground_speed_kn: float | None = None
    number: int = 0

    @classmethod
    def of(cls, waypoint: Waypoint) -> "GivenWaypoint":
        """Return a waypoint of a plan, at the plan's speed; no time of arrival is given."""
        return cls(
            waypoint.position,
            waypoint.leg_geometry or LegGeometry.RHUMB,
            speed_kn=waypoint.speed_through_water_kn,
            passage=waypoint.passage,
            turn_radius_nm=waypoint.turn_radius_nm,
            leaves=waypoint.leaves_at,
        )


def build_given_waypoints(waypoints: Sequence[Waypoint]) -> list[GivenWaypoint]:
    """Return the waypoints of a plan as those of a given route, due at the planned times."""
    return [
        replace(
            GivenWaypoint.of(waypoint),
            speed_kn=None,
            due=waypoint.eta if waypoint.index else None,
            xtd_m=waypoint.xtd_m,
        )
        for waypoint in waypoints
    ]


def simulate_given_route(
    context: PlanningContext, waypoints: Sequence[GivenWaypoint], label: str
) -> SimulatedRoute:
    """Simulate a given route on its schedule, and at the request's highest speed where it ends.

    The ship waits at a waypoint if it arrives before the given time of departure. Raise
    :class:`LimitsTooTight` if the ship cannot make headway against a current.
    """
    legs = build_given_legs(
        context.sea, context.size.least_depth_m, waypoints, context.too_small_passages
    )
    geometry = build_geometry(context, label, context.sea.router.list_leg_uses(legs), legs)
    geometry = replace(geometry, track=_count_waits_once(geometry.track, waypoints, context))
    to, departs_at = waypoints[1:], context.request.departs_at
    due_h = _list_due_h(geometry.track, waypoints, departs_at)
    not_before_h = _list_departures_h(geometry.track, waypoints, departs_at)
    simulation = follow_schedule(
        partial(build_simulator(context, geometry), not_before_h=not_before_h),
        geometry.track,
        [w.speed_kn or w.ground_speed_kn for w in to],
        due_h,
        context.request.speed_max_kn,
    )
    timed_legs = max((leg for leg, due in enumerate(due_h, 1) if due is not None), default=0)
    route = evaluate_route(context, geometry, simulation)
    return replace(route, is_given=True, timed_legs=timed_legs)


def _list_due_h(
    track: Track, waypoints: Sequence[GivenWaypoint], departs_at: datetime
) -> list[float | None]:
    """Return the hours since departure at which each leg is due to end, ``None`` if not given.

    After the last time given, a speed over the ground gives the time, with the usual waits.
    """
    last_due = max((n for n, w in enumerate(waypoints) if w.due is not None), default=0)
    due_h: list[float | None] = []
    begins_h: float | None = 0.0
    for number, waypoint in enumerate(waypoints[1:], 1):
        ends_h, is_in = None, track.leg == number - 1
        if waypoint.due is not None:
            ends_h = (waypoint.due - departs_at) / timedelta(hours=1)
        elif waypoint.ground_speed_kn and not waypoint.speed_kn and number > last_due:
            under_way_h = float(track.distance_nm[is_in].sum()) / waypoint.ground_speed_kn
            if begins_h is not None:
                ends_h = begins_h + float(track.wait_h[is_in].sum()) + under_way_h
        due_h.append(ends_h)
        begins_h = ends_h
        if ends_h is not None and waypoint.leaves is not None:
            begins_h = max(ends_h, (waypoint.leaves - departs_at) / timedelta(hours=1))
    return due_h


def _count_waits_once(
    track: Track, waypoints: Sequence[GivenWaypoint], context: PlanningContext
) -> Track:
    """Return the track with the usual waits where the given times hold them.

    A route that does not name its passages may enter one a leg later or earlier than planned. The
    planned wait is then in the times of the leg before or after, which nobody sails that slowly,
    and the leg itself has no time for it: it is left out, or moved to the leg after.
    """
    request, wait_h = context.request, track.wait_h.copy()
    times = [request.departs_at, *(waypoint.leaves or waypoint.due for waypoint in waypoints[1:])]

    def slack_h(leg: int, speed_kn: float) -> float:
        if not 0 <= leg < len(waypoints) - 1:
            return 0.0
        return _slack_h(track, leg, times[leg], waypoints[leg + 1].due, speed_kn)

    for first in np.flatnonzero(wait_h).tolist():
        leg = int(track.leg[first])
        excess_h = wait_h[first] - slack_h(leg, request.speed_max_kn)
        if leg == 0 or excess_h <= 0.0:
            continue
        before_h = min(excess_h, slack_h(leg - 1, request.speed_min_kn))
        after_h = min(excess_h - before_h, slack_h(leg + 1, request.speed_min_kn))
        wait_h[first] -= before_h + after_h
        if after_h > 0.0:
            wait_h[np.searchsorted(track.leg, leg + 1)] += after_h
    return replace(track, wait_h=wait_h)


def _slack_h(
    track: Track, leg: int, leaves: datetime | None, due: datetime | None, speed_kn: float
) -> float:
    """Return the time of a leg beyond that at a speed [h]; 0 where its times are not given."""
    if leaves is None or due is None:
        return 0.0
    given_h = (due - leaves) / timedelta(hours=1)
    return max(given_h - float(track.distance_nm[track.leg == leg].sum()) / speed_kn, 0.0)


def _list_departures_h(
    track: Track, waypoints: Sequence[GivenWaypoint], departs_at: datetime
) -> Floats:
    """Return the earliest start of each segment in hours since 1970, shape (n,).

    Minus infinity except after a waypoint with a time of departure, and after one that is due so
    late that a ship would have to drift there: it waits for that time.
    """
    not_before_h = np.full(track.distance_nm.size, -np.inf)
    starts = np.searchsorted(track.leg, np.arange(len(waypoints) - 1)).tolist()
    begins_h, first = hours_since_epoch(departs_at), 0
    for number, waypoint in enumerate(waypoints[:-1]):
        due, leaves = waypoint.due if number else None, waypoint.leaves
        leaves_h = -np.inf
        if leaves is not None and (due is None or leaves - due >= _MIN_STAY):
            leaves_h = hours_since_epoch(leaves)
        elif due is not None:
            due_h, sailed = hours_since_epoch(due), slice(first, starts[number])
            drifts_h = float(track.distance_nm[sailed].sum()) / _DRIFTING_KN
            leaves_h = due_h if due_h - begins_h > drifts_h else -np.inf
            begins_h, first = due_h, starts[number]
        if leaves_h > -np.inf:
            not_before_h[starts[number]] = leaves_h
            begins_h, first = leaves_h, starts[number]
    return not_before_h


def is_same_place(a: Position, b: Position) -> bool:
    """Return whether two positions count as one waypoint."""
    return leg_distance_nm(a, b, LegGeometry.GREAT_CIRCLE) < SAME_PLACE_NM


def merge_repeated(waypoints: Sequence[GivenWaypoint], kept: Sequence[int]) -> list[GivenWaypoint]:
    """Return the waypoints of the indices ``kept``, each with the times of its repetitions.

    They keep their numbers, or get those of their order. A repetition with a later time means that
    the ship waits there.
    """
    merged = []
    for index, following in zip(kept, [*kept[1:], len(waypoints)], strict=True):
        here = waypoints[index:following]
        times = [time for each in here[1:] for time in (each.due, each.leaves) if time]
        due = next((each.due for each in here if each.due), None)
        leaves = max(filter(None, (here[0].leaves, *times)), default=None)
        merged.append(replace(here[0], due=due, leaves=leaves, number=here[0].number or index + 1))
    return merged


def list_distinct(positions: Sequence[Position]) -> list[int]:
    """Return the indices of the positions that differ from the last one kept."""
    kept = [0]
    for number, position in enumerate(positions):
        if not is_same_place(positions[kept[-1]], position):
            kept.append(number)
    return kept


class _RoutePassages(NamedTuple):
    """Names of passages that decide in which of them a leg of a given route lies.

    Those that the route states to follow, the canals that it does not enter, and the passages that
    are too small for the ship.
    """

    followed: frozenset[str]
    unentered: frozenset[str]
    too_small: frozenset[str]


def build_given_legs(
    sea: SeaAtlas,
    least_depth_m: float,
    waypoints: Sequence[GivenWaypoint],
    too_small: frozenset[str] = frozenset(),
) -> tuple[Leg, ...]:
    """Build the legs between given waypoints, with their passages, clearances and depths.

    ``too_small`` are the names of the passages that do not admit the ship.

    A leg in a passage has the passage's clearance and depth, unless a plan leads it outside. Any
    other has its distance to the coast, zero if it touches land or charted shoals, and the least
    charted depth. No leg is wider than stated.
    """
    steps = count_steps(least_depth_m)
    ends = waypoints[0].position, waypoints[-1].position
    followed = frozenset(filter(None, (waypoint.passage for waypoint in waypoints)))
    unentered = _list_unentered_canals(sea, waypoints) - followed
    passages = _RoutePassages(followed, unentered, too_small)
    legs = []
    for a, b in pairwise(waypoints):
        leg = a.position, b.position
        # a name for narrow waters depends on the ends, so that it is no longer true of other ends
        is_true = b.passage not in UNNAMED_NARROWS or b.passage == name_narrows(ends, *leg)
        name = b.passage if is_true else None
        built = _build_leg(sea, steps, *leg, b.leg_geometry, name, passages)
        legs.append(_complete(built, b, ends))
    return tuple(legs)


def _list_unentered_canals(sea: SeaAtlas, waypoints: Sequence[GivenWaypoint]) -> frozenset[str]:
    """List the canals in whose mouths a route has legs, but which it does not go through.

    Harbours and roads where ships wait lie there.
    """
    legs = [(a.position, b.position, b.leg_geometry) for a, b in pairwise(waypoints)]
    of_legs = [_find_canal(sea, *leg) for leg in legs]
    canals = {canal.name: canal for canal in of_legs if canal is not None}

    def is_entered(canal: Passage) -> bool:
        pairs = zip(legs, of_legs, strict=True)
        along = [leg for leg, own in pairs if own is not None and own.name == canal.name]
        points = np.hstack([sample_leg(*leg, LONGEST_SEGMENT_NM) for leg in along])
        return canal.leads_past_roads(*points)

    return frozenset(name for name, canal in canals.items() if not is_entered(canal))


# cached: an edit of a route changes only two of its legs
@cached(LRUCache(8192), key=lambda sea, *leg: (sea.identity, *leg), lock=Lock())
def _find_canal(sea: SeaAtlas, a: Position, b: Position, geometry: LegGeometry) -> Passage | None:
    """Find the canal in whose water a leg lies."""
    passage = sea.passage_index.find_followed(a, b, geometry)
    return passage if passage is not None and passage.kind is PassageKind.CANAL else None


def _complete(leg: Leg, given: GivenWaypoint, ends: tuple[Position, Position]) -> Leg:
    """Return a leg that is no wider than stated, and named where its water is narrow."""
    is_narrow = leg.xtd_m < XTD_M or leg.is_unproven
    name = name_narrows(ends, leg.start, leg.end) if is_narrow else None
    xtd_m = min(leg.xtd_m, given.xtd_m) if given.xtd_m else leg.xtd_m
    return replace(leg, passage=leg.passage or name, xtd_m=xtd_m)


@cached(LRUCache(8192), key=lambda sea, *leg: (sea.identity, *leg), lock=Lock())
def _build_leg(
    sea: SeaAtlas,
    depth_steps: int,
    a: Position,
    b: Position,
    geometry: LegGeometry,
    name: str | None,
    of_route: _RoutePassages,
) -> Leg:
    conditions = NO_CONDITIONS._replace(depth_steps=depth_steps)
    length_nm = leg_distance_nm(a, b, geometry)
    likely, too_small = of_route.followed, of_route.too_small
    passage = sea.passage_index.find_followed(a, b, geometry, name, likely, too_small)
    is_unproven = is_line_shoal(sea.waters, a, b, depth_steps)
    trusted = sea.waters.trust() if is_unproven else sea.waters
    # on land the distance to the coast is positive too
    is_afloat = not any(is_land(sea.waters, *position) for position in (a, b))
    gap_m = measure_leg_gap_m(trusted, conditions, a, b, XTD_M) if is_afloat else 0.0
    gap_m = floor(10.0 * gap_m) / 10.0
    is_narrow = gap_m < XTD_M or is_unproven
    leg = a, b, geometry
    if passage is not None and _binds(passage, leg, name, of_route, is_narrow=is_narrow):
        off_m = measure_off_line_m(passage, a, b, geometry)
        coast_m = measure_coast_gap_m(sea.waters, a, b, passage.half_width_m + 1.0)
        xtd_m = find_xtd_in_passage_m(passage, off_m, gap_m, coast_m)
        return Leg(a, b, geometry, xtd_m, passage.name, passage.depth_m, length_nm)
    depth_m = None if is_unproven else measure_depth_m(sea.waters, sea.depths, a, b)
    return Leg(a, b, geometry, gap_m, None, depth_m, length_nm, is_unproven)


def _binds(
    passage: Passage,
    leg: tuple[Position, Position, LegGeometry],
    name: str | None,
    of_route: _RoutePassages,
    *,
    is_narrow: bool,
) -> bool:
    """Return whether a passage counts for a leg of a given name in its water.

    It does unless the route does not enter the canal, or the leg has the name of a harbour or
    coast. If the route, as plans do, names the legs in the passages that it follows, others in wide
    water lie outside the passage, as on roads.
    """
    if passage.name in of_route.unentered:
        return False
    if name in UNNAMED_NARROWS:
        return passage.is_scheme_lane
    is_known = passage.name == name or passage.name not in of_route.followed
    if is_known or is_narrow or passage.is_scheme_lane:
        return True
    if passage.kind is not PassageKind.CANAL:
        return False
    middle = Position(*np.concatenate(interpolate_leg(*leg, [0.5])).tolist())
    return passage.has_entered(middle)
