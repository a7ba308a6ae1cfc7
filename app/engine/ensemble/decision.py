"""The decision point: the last waypoint at which the choice between tracks is still open."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from app.engine.ensemble.choice import (
    RouteResults,
    find_best_routes,
    find_largest_offset,
    simulate_in_members,
)
from app.engine.ensemble.members import Ensemble
from app.engine.geodesy import leg_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import simulate_at_best_speeds
from app.engine.request import Objective
from app.engine.sea.leg_room import is_leg_clear
from app.engine.sea.path import Leg
from app.engine.spread import DecisionPoint
from app.engine.weather import Group

#: Largest extra cost of joining a track later over following it from the departure, as a share.
_MAX_EXTRA_COST: Final = 0.01
#: Most waypoints of the other track at which joining it is tried.
_MAX_JOINS: Final = 4
#: Hours between runs of an ensemble, and the time until they are published: runs of 00 and 12 UTC,
#: about eight hours later, by the schedule of ECMWF's open data.
_CYCLE_H: Final = 12
_PUBLISHED_AFTER: Final = timedelta(hours=8)


@dataclass(frozen=True)
class TrackChoice:
    """The planned route and another route that is better in some members."""

    problem: RoutingProblem
    best: SimulatedRoute
    other: SimulatedRoute
    ensemble: Ensemble

    def find_last_waypoint(self) -> int:
        """Return the last waypoint of the plan from which the other route is open, by bisection.

        It is open at the departure, waypoint 0.
        """
        low, high = 0, len(self.best.legs)
        from_start = self._simulate_in_members(self.other)
        while high - low > 1:
            middle = (low + high) // 2
            if self._is_open(middle, from_start):
                low = middle
            else:
                high = middle
        return low

    def _is_open(self, waypoint: int, from_start: RouteResults) -> bool:
        """Return whether leaving the plan at a waypoint costs little more in every member.

        ``from_start`` are the results of following the other route from the departure.
        """
        joining = self._find_joining_route(waypoint)
        if joining is None:
            return False
        from_waypoint = self._simulate_in_members(joining)
        return all(
            from_waypoint.costs.get(number, np.inf) <= (1.0 + _MAX_EXTRA_COST) * cost
            for number, cost in from_start.costs.items()
        )

    def _simulate_in_members(self, route: SimulatedRoute) -> RouteResults:
        (results,) = simulate_in_members(self.problem.context, [route], self.ensemble)
        return results

    def _find_joining_route(self, waypoint: int) -> SimulatedRoute | None:
        """Return the cheapest route that leaves the plan at a waypoint for the other track."""
        problem, legs = self.problem, self.best.legs[:waypoint]
        joins = [
            (number, leg)
            for number in range(1, len(self.other.legs))
            if self._is_ahead(waypoint, number)
            and (leg := self._build_joining_leg(waypoint, number)) is not None
        ]
        objective, longest_h = problem.context.request.objective, problem.context.longest_h
        if objective is Objective.FUEL:
            # lower speeds would hide the cost of a detour
            longest_h = self.other.simulation.total_h
        search_objective = problem.search_objective(objective, longest_h)
        tried = joins[:: max(len(joins) // _MAX_JOINS, 1)][:_MAX_JOINS]
        routes = [
            simulate_at_best_speeds(
                problem,
                problem.build_geometry((*legs, leg, *self.other.legs[number:])),
                search_objective,
            )
            for number, leg in tried
        ]
        found = [route for route in routes if route is not None]
        return min(found, key=problem.context.cost, default=None)

    def _is_ahead(self, waypoint: int, number: int) -> bool:
        best, other = self.best.legs[waypoint:], self.other.legs[number:]
        return sum(leg.distance_nm for leg in other) < sum(leg.distance_nm for leg in best)

    def _build_joining_leg(self, waypoint: int, number: int) -> Leg | None:
        """Return the leg from a waypoint of the plan to one of the other route.

        ``None`` if it is not clear or shorter than a mile.
        """
        old, target = self.best.legs[waypoint - 1], self.other.legs[number].start
        waters, conditions = self.problem.context.sea.waters, self.problem.path.conditions
        if not is_leg_clear(waters, conditions, old.end, target):
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
    results: Sequence[RouteResults],
    ensemble: Ensemble,
) -> DecisionPoint | None:
    """Find the last waypoint from which every track that is best in some member is open.

    ``None`` if the planned track is the best in all members.
    """
    others = [route for route, _ in find_best_routes(best, results)[1:]]
    if not others:
        return None
    last = [TrackChoice(problem, best, other, ensemble).find_last_waypoint() for other in others]
    waypoint = min(last)
    binding = others[last.index(waypoint)]
    point = int(np.searchsorted(best.simulation.track.leg, waypoint))
    time = best.simulation.time_at(point)
    return DecisionPoint(
        waypoint_index=waypoint,
        position=best.simulation.track.position(point),
        time=time,
        forecast_at=_newest_forecast(ensemble, time),
        sides=f"for the planned track or {find_largest_offset(best, binding).description}",
    )


def _newest_forecast(ensemble: Ensemble, time: datetime) -> datetime | None:
    """Return the time of the newest run published by a time, ``None`` if the plan's is as new."""
    latest = time.astimezone(UTC) - _PUBLISHED_AFTER
    hour = latest.hour - latest.hour % _CYCLE_H
    newest = latest.replace(hour=hour, minute=0, second=0, microsecond=0)
    runs = [ensemble.members[0].weather.forecast_run(group) for group in (Group.WAVE, Group.WIND)]
    known = [run.reference_time for run in runs if run and run.reference_time]
    return None if known and newest <= max(known) else newest
