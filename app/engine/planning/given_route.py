"""A route that is given, not found: laid over the atlas's waters and simulated on its schedule."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache, partial
from itertools import pairwise
from math import floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy import leg_distance_nm
from app.engine.plan import LegGeometry, Waypoint
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import evaluate_route, simulate_at
from app.engine.planning.geometry import build_geometry
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Position
from app.engine.sailing.schedule import follow_schedule
from app.engine.sailing.track import Track
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.coast import is_land
from app.engine.sea.legs import XTD_M, is_line_shoal, measure_depth_m, measure_leg_gap_m
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import Leg
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.sea.shoals import count_steps
from app.engine.weather.times import hours_since_epoch

#: Waypoints closer than this are one [nm]: a metre.
SAME_PLACE_NM: Final = 1.0 / NAUTICAL_MILE_M
#: A ship that leaves a waypoint so much later than it is due there stays; less is rounding.
_LEAST_STAY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class GivenWaypoint:
    """A waypoint as given, and the leg that leads to it.

    ``speed_kn`` is the speed through the water ordered on the leg; ``due`` the time at which the
    ship is to be here; ``passage`` the name of the water that the leg is said to run in; ``xtd_m``
    the cross-track distance claimed to be clear, ``turn_radius_nm`` that of the turn made here.
    ``leaves`` is when the ship leaves here, where it stays: later than ``due`` if that is given;
    ``id`` the waypoint's in its file.
    ``None`` leaves each open.
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


def as_given(waypoints: Sequence[Waypoint]) -> list[GivenWaypoint]:
    """Give the waypoints of a plan, due when the plan has them."""
    return [
        GivenWaypoint(
            waypoint.position,
            waypoint.leg_geometry or LegGeometry.RHUMB,
            due=waypoint.eta if waypoint.index else None,
            passage=waypoint.passage,
            xtd_m=waypoint.xtd_m,
            turn_radius_nm=waypoint.turn_radius_nm,
            leaves=waypoint.leaves_at,
        )
        for waypoint in waypoints
    ]


def simulate_given_route(
    context: PlanningContext, waypoints: Sequence[GivenWaypoint], label: str
) -> SimulatedRoute:
    """Simulate a given route on its schedule, at the highest speed of the request where it is free.

    Where the ship is to leave a waypoint later than it comes there, it waits.

    Raises
    ------
    LimitsTooTight
        Where a current is stronger than the ship.
    """
    legs = lay_given_legs(context.sea, context.size.least_depth_m, waypoints)
    geometry = build_geometry(context, label, (), legs)
    departs_at, hour = context.request.departs_at, timedelta(hours=1)
    to, stays_h = waypoints[1:], _list_stays_h(geometry.track, waypoints)
    simulation = follow_schedule(
        partial(simulate_at(context, geometry), not_before_h=stays_h),
        geometry.track,
        [waypoint.speed_kn or context.request.speed_max_kn for waypoint in to],
        [None if w.due is None else (w.due - departs_at) / hour for w in to],
    )
    return evaluate_route(context, geometry, simulation)


def _list_stays_h(track: Track, waypoints: Sequence[GivenWaypoint]) -> NDArray[np.float64]:
    """Return the time before which each segment is not entered, in hours since 1970, shape (n,)."""
    not_before_h = np.full(track.distance_nm.size, -np.inf)
    starts = np.searchsorted(track.leg, np.arange(len(waypoints) - 1))
    for start, waypoint in zip(starts.tolist(), waypoints[:-1], strict=True):
        due, leaves = waypoint.due, waypoint.leaves
        if leaves is not None and (due is None or leaves - due >= _LEAST_STAY):
            not_before_h[start] = hours_since_epoch(leaves)
    return not_before_h


def drop_repeated(positions: Sequence[Position]) -> list[int]:
    """Return the indices of positions that do not repeat the one before them."""
    kept = [0]
    for number, position in enumerate(positions):
        last = positions[kept[-1]]
        if leg_distance_nm(last, position, LegGeometry.GREAT_CIRCLE) >= SAME_PLACE_NM:
            kept.append(number)
    return kept


def lay_given_legs(
    sea: SeaAtlas, least_depth_m: float, waypoints: Sequence[GivenWaypoint]
) -> tuple[Leg, ...]:
    """Lay the legs between given waypoints: their passages, clearances and depths.

    A leg along a passage has the passage's water. Any other has the least distance to the coast,
    zero where it touches land or charted shoals, and the least charted depth.
    """
    waters = _Waters(sea, count_steps(least_depth_m))
    return tuple(
        _lay_leg(waters, a.position, b.position, b.leg_geometry, b.passage)
        for a, b in pairwise(waypoints)
    )


@dataclass(frozen=True, slots=True)
class _Waters:
    """An atlas, and the depth that a ship needs in steps; two of one atlas are alike."""

    sea: SeaAtlas
    depth_steps: int

    def __hash__(self) -> int:
        return hash((self.sea.identity, self.depth_steps))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Waters)
            and self.sea.identity == other.sea.identity
            and self.depth_steps == other.depth_steps
        )


# while a route is edited all its legs but two stay
@lru_cache(maxsize=8192)
def _lay_leg(
    waters: _Waters, a: Position, b: Position, geometry: LegGeometry, name: str | None
) -> Leg:
    sea, conditions = waters.sea, NO_CONDITIONS._replace(depth_steps=waters.depth_steps)
    length_nm = leg_distance_nm(a, b, geometry)
    passage = sea.passage_index.find_followed(a, b, geometry, name)
    is_unproven = is_line_shoal(sea.waters, a, b, waters.depth_steps)
    trusted = sea.waters.trust() if is_unproven else sea.waters
    # the distance to the coast says nothing of the side that a leg is on
    is_afloat = not any(_is_land(sea, place) for place in (a, b))
    gap_m = measure_leg_gap_m(trusted, conditions, a, b, XTD_M) if is_afloat else 0.0
    gap_m = floor(10.0 * gap_m) / 10.0
    is_open = gap_m >= XTD_M and not is_unproven
    if passage is not None and (passage.name == name or not is_open or _is_canal(passage)):
        clear_m = max(passage.half_width_m, gap_m)
        return Leg(a, b, geometry, clear_m, passage.name, passage.depth_m, length_nm)
    depth_m = None if is_unproven else measure_depth_m(sea.waters, sea.depths, a, b)
    return Leg(a, b, geometry, gap_m, None, depth_m, length_nm, is_unproven)


def _is_canal(passage: Passage) -> bool:
    """Return whether a passage's own pace also holds where open water lies beside its line."""
    return passage.kind is PassageKind.CANAL


def _is_land(sea: SeaAtlas, place: Position) -> bool:
    w = sea.waters
    return bool(is_land(w.inside, w.shore, w.edges, w.edge_starts, *place))
