"""The decision point: until where a choice between tracks may wait for a newer forecast."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from app.engine.ensemble.choice import MemberResults, find_best_routes, sail_routes
from app.engine.ensemble.members import Ensemble
from app.engine.ensemble.offset import name_side
from app.engine.geodesy import leg_distance_nm
from app.engine.plan import LegGeometry
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import optimise_speeds_along
from app.engine.request import Objective
from app.engine.sea.legs import XTD_M, measure_leg_gap_m
from app.engine.sea.path import Leg
from app.engine.spread import DecisionPoint
from app.engine.weather import Group

#: What turning to a track late may cost over setting out on it, as a share, in every member.
_OPEN_SHARE: Final = 0.01
#: Waypoints of the other track at which joining it is tried.
_JOINS: Final = 4
#: Runs of an ensemble begin at 00 and 12 UTC and are published about eight hours later: schedule
#: of ECMWF's open data.
_CYCLE_H: Final = 12
_PUBLISHED_AFTER: Final = timedelta(hours=8)


@dataclass(frozen=True)
class Choice:
    """The planned route and another that is better in some members."""

    problem: RoutingProblem
    best: SimulatedRoute
    other: SimulatedRoute
    ensemble: Ensemble

    def find_last(self) -> int:
        """Return the last waypoint from which the other is open; it is at the departure."""
        low, high = 0, len(self.best.legs)
        at_once = self._costs(self.other)
        while high - low > 1:
            middle = (low + high) // 2
            if self._is_open(middle, at_once):
                low = middle
            else:
                high = middle
        return low

    def _is_open(self, waypoint: int, at_once: MemberResults) -> bool:
        """Return whether turning off at a waypoint costs hardly more in any member."""
        joined = self._join(waypoint)
        if joined is None:
            return False
        late = self._costs(joined)
        return all(
            late.costs.get(number, np.inf) <= (1.0 + _OPEN_SHARE) * cost
            for number, cost in at_once.costs.items()
        )

    def _costs(self, route: SimulatedRoute) -> MemberResults:
        problem = self.problem
        (sailed,) = sail_routes(problem.context, [route], self.ensemble, problem.heartbeat)
        return sailed

    def _join(self, waypoint: int) -> SimulatedRoute | None:
        """Return the cheapest route that leaves the plan at a waypoint for the other track."""
        problem, sailed = self.problem, self.best.legs[:waypoint]
        here = sailed[-1].end
        ahead = [
            (number, self._new_leg(waypoint, number))
            for number in range(1, len(self.other.legs))
            if self._is_ahead(waypoint, number)
        ]
        clear = [(number, leg) for number, leg in ahead if leg is not None and leg.start == here]
        picked = clear[:: max(len(clear) // _JOINS, 1)][:_JOINS]
        routes = [
            optimise_speeds_along(
                problem,
                (*sailed, leg, *self.other.legs[number:]),
                problem.context.request.objective,
                self._longest_h,
                None,
            )
            for number, leg in picked
        ]
        found = [route for route in routes if route is not None]
        return min(found, key=problem.context.cost, default=None)

    @property
    def _longest_h(self) -> float | None:
        """Hours of the other route, where fuel alone counts: less speed would hide a detour."""
        problem = self.problem
        if problem.context.request.objective is Objective.FUEL:
            return self.other.simulation.total_h
        return problem.context.longest_h

    def _is_ahead(self, waypoint: int, number: int) -> bool:
        """Return whether a waypoint of the other track has less to go than the ship has."""
        best, other = (
            self._to_go_nm(route, at) for route, at in ((self.best, waypoint), (self.other, number))
        )
        return other < best

    @staticmethod
    def _to_go_nm(route: SimulatedRoute, waypoint: int) -> float:
        return sum(leg.distance_nm for leg in route.legs[waypoint:])

    def _new_leg(self, waypoint: int, number: int) -> Leg | None:
        """Return the leg from a waypoint of the plan to one of the other; ``None`` if not clear."""
        old, target = self.best.legs[waypoint - 1], self.other.legs[number].start
        waters, conditions = self.problem.context.sea.waters, self.problem.path.conditions
        if measure_leg_gap_m(waters, conditions, old.end, target, XTD_M) < 0.9 * XTD_M:
            return None
        distance_nm = leg_distance_nm(old.end, target, LegGeometry.GREAT_CIRCLE)
        if distance_nm < 1.0:
            return None
        return replace(
            old,
            start=old.end,
            end=target,
            geometry=LegGeometry.GREAT_CIRCLE,
            passage=None,
            distance_nm=distance_nm,
        )


def find_decision(
    problem: RoutingProblem,
    best: SimulatedRoute,
    sailed: Sequence[MemberResults],
    ensemble: Ensemble,
) -> DecisionPoint | None:
    """Find the last waypoint from which every track that is best in some member is open.

    ``None`` where the planned track is the best in all.
    """
    rivals = [route for route, _ in find_best_routes(best, sailed)[1:]]
    if not rivals:
        return None
    last = {
        number: Choice(problem, best, rival, ensemble).find_last()
        for number, rival in enumerate(rivals)
    }
    at = min(last.values())
    binding = rivals[min(last, key=last.__getitem__)]
    point = int(np.searchsorted(best.simulation.track.leg, at))
    time = best.simulation.time_at(point)
    return DecisionPoint(
        waypoint_index=at,
        position=best.simulation.track.position(point),
        time=time,
        forecast_at=_newest_forecast(ensemble, time),
        sides=f"for the planned track or {name_side(best, binding)}",
    )


def _newest_forecast(ensemble: Ensemble, time: datetime) -> datetime | None:
    """Return the reference time of the newest run on board by then, if newer than the plan's."""
    by = time.astimezone(UTC) - _PUBLISHED_AFTER
    newest = by.replace(hour=by.hour - by.hour % _CYCLE_H, minute=0, second=0, microsecond=0)
    runs = [ensemble.members[0].weather.forecast_run(group) for group in (Group.WAVE, Group.WIND)]
    known = [run.reference_time for run in runs if run and run.reference_time]
    return None if known and newest <= max(known) else newest
