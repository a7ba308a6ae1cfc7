"""Choice of a route by the members' distribution, and the tracks that are best in members."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.ensemble.measure import sail_members
from app.engine.ensemble.members import Ensemble
from app.engine.ensemble.offset import measure_widest_nm, name_side
from app.engine.ensemble.quantiles import percentile
from app.engine.ensemble.sailing import MemberSailing
from app.engine.geodesy.leg import sample_leg
from app.engine.planning.context import PlanningContext, find_delay_h
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Objective, Position, Risk
from app.engine.spread import BestTrack

Floats = NDArray[np.float64]

#: Tracks that lie no further apart count as one [nm].
APART_NM: Final = 15.0

#: Share of the members in which limits may break. A single unlikely member would else
#: send the ship on detours that cost half as much again.
_ALLOWED_SHARE: Final = {Risk.EXPECTED: 0.1, Risk.P90: 0.1, Risk.WORST: 0.0}

#: Farthest that positions along a track lie apart [nm].
_LONGEST_STEP_NM: Final = 60.0


@dataclass(frozen=True)
class MemberResults:
    """A route with its sailings in the members in which the ship makes headway."""

    context: PlanningContext
    route: SimulatedRoute
    sailings: tuple[MemberSailing, ...]
    member_count: int

    @cached_property
    def costs(self) -> dict[int, float]:
        """Cost by member: the objective, and fuel for hours that the ship is late [t or h]."""
        return {sailing.member.number: self._cost(sailing) for sailing in self.sailings}

    def _cost(self, sailing: MemberSailing) -> float:
        context, hours = self.context, sailing.total_h
        if context.request.objective is Objective.TIME:
            return hours
        price = self.route.priced_fuel_t / self.route.total_fuel_t
        fuel_t = price * sailing.total_fuel_t
        late_h = find_delay_h(hours, context.longest_h)
        counted_h = hours if context.request.objective is Objective.BALANCED else late_h
        return fuel_t + context.time_price_t_per_h * counted_h

    @property
    def breaches(self) -> int:
        """Members in which a limit on waves or wind is exceeded, or no headway is made."""
        limits = self.context.request.limits
        highest_m = np.inf if limits.wave_height_m is None else limits.wave_height_m
        strongest_ms = np.inf if limits.wind_speed_ms is None else limits.wind_speed_ms
        exceeding = sum(
            bool(
                (sailing.weather.wave_height_m > highest_m).any()
                or (sailing.weather.wind_speed_ms > strongest_ms).any()
            )
            for sailing in self.sailings
        )
        return exceeding + self.member_count - len(self.sailings)

    def score(self, risk: Risk) -> tuple[float, float]:
        """Return breaches of limits over those that the risk allows, then its measure of cost."""
        breaches = max(0.0, self.breaches - _ALLOWED_SHARE[risk] * self.member_count)
        costs = list(self.costs.values())
        if not costs:
            return breaches, np.inf
        measures: dict[Risk, Callable[[], float]] = {
            Risk.EXPECTED: lambda: float(np.mean(costs)),
            Risk.P90: lambda: percentile(costs, 90.0),
            Risk.WORST: lambda: max(costs),
        }
        return breaches, measures[risk]()


def sail_routes(
    context: PlanningContext,
    routes: Sequence[SimulatedRoute],
    ensemble: Ensemble,
    tick: Callable[[], None],
) -> list[MemberResults]:
    """Sail every route in every member."""
    count = len(ensemble.members)
    return [
        MemberResults(context, route, tuple(sail_members(context, route, ensemble, tick)), count)
        for route in routes
    ]


def choose_by_risk(sailed: Sequence[MemberResults], risk: Risk) -> SimulatedRoute:
    """Return the route that keeps limits in most members, as many as asked, and costs least."""
    return min(sailed, key=lambda each: each.score(risk)).route


def find_best_tracks(best: SimulatedRoute, sailed: Sequence[MemberResults]) -> list[BestTrack]:
    """Return the tracks that are best in some member, the plan's first; it is always there."""
    return [_describe(best, route, share) for route, share in find_best_routes(best, sailed)]


def find_best_routes(
    best: SimulatedRoute, sailed: Sequence[MemberResults]
) -> list[tuple[SimulatedRoute, float]]:
    """Return the routes that are best in some member with their shares (0..1), the plan's first."""
    groups = _group(best, sailed)
    wins = [0] * len(groups)
    numbers = {number for each in sailed for number in each.costs}
    for number in numbers:
        costs = [min(each.costs.get(number, np.inf) for each in group) for group in groups]
        wins[int(np.argmin(costs))] += 1
    return [
        (group[0].route, wins[n] / max(len(numbers), 1))
        for n, group in enumerate(groups)
        if n == 0 or wins[n]
    ]


def _group(best: SimulatedRoute, sailed: Sequence[MemberResults]) -> list[list[MemberResults]]:
    """Group routes whose tracks lie together, the plan's group first."""
    groups: list[list[MemberResults]] = []
    for each in sorted(sailed, key=lambda each: each.route is not best):
        for group in groups:
            if abs(measure_widest_nm(group[0].route, each.route)) <= APART_NM:
                group.append(each)
                break
        else:
            groups.append([each])
    return groups


def _describe(best: SimulatedRoute, route: SimulatedRoute, share: float) -> BestTrack:
    widest_nm = 0.0 if route is best else measure_widest_nm(best, route)
    label = "as planned" if route is best else name_side(best, route)
    return BestTrack(label, share, widest_nm, _trace(route))


def _trace(route: SimulatedRoute) -> tuple[Position, ...]:
    """Return positions along a route: its waypoints, and others on its long legs."""
    positions = [route.legs[0].start]
    for leg in route.legs:
        lats, lngs = sample_leg(leg.start, leg.end, leg.geometry, _LONGEST_STEP_NM)
        positions += map(Position, lats[1:-1].tolist(), lngs[1:-1].tolist())
        positions.append(leg.end)
    return tuple(positions)
