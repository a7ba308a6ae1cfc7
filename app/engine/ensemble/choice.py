"""Choice of a route by its costs in the members, and the tracks that are best in some members."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from scipy.spatial import KDTree

from app.engine.arrays import Bools
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.ensemble.measure import estimate_percentile, simulate_members
from app.engine.ensemble.members import Ensemble, MemberSimulation
from app.engine.geodesy import rhumb_course_deg, unit_vectors
from app.engine.geodesy.leg import sample_leg
from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import list_allowed
from app.engine.planning.route_cost import find_delay_h
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Objective, Position, Risk
from app.engine.spread import BestTrack, LimitKind

_SIDES = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
#: Largest distance between tracks that count as one [nm].
SAME_TRACK_NM: Final = 15.0

#: Share of the members in which limits may be exceeded. With none, a single unlikely member could
#: cause detours that cost half as much again.
ALLOWED_SHARE: Final = {Risk.EXPECTED: 0.1, Risk.P90: 0.1, Risk.WORST: 0.0}

#: Longest distance between positions along a described track [nm].
_LONGEST_STEP_NM: Final = 60.0


class Offset(NamedTuple):
    """Distance of another track [nm], negative to port, and its description.

    The description is such as "up to 140 nm north of the planned track".
    """

    distance_nm: float
    description: str


def find_largest_offset(route: SimulatedRoute, other: SimulatedRoute) -> Offset:
    """Find the largest distance between points of two tracks, which are at most 5 nm apart."""
    track, other_track = route.simulation.track, other.simulation.track
    tree = KDTree(unit_vectors(track.lats, track.lngs))
    chords, nearest = tree.query(unit_vectors(other_track.lats, other_track.lngs))
    at = int(np.argmax(chords))
    here = int(nearest[at])
    away_nm = EARTH_RADIUS_NM * 2.0 * np.arcsin(min(float(chords[at]) / 2.0, 1.0))
    there = other_track.lats[at], other_track.lngs[at]
    bearing_deg = float(rhumb_course_deg(track.lats[here], track.lngs[here], *there))
    course_deg = float(track.course_deg[min(here, track.course_deg.size - 1)])
    is_starboard = (bearing_deg - course_deg) % 360.0 < 180.0
    side = _SIDES[round(bearing_deg / 45.0) % 8]
    through = "" if other.label == route.label else f"{other.label}, "
    description = f"{through}up to {away_nm:.0f} nm {side} of the planned track"
    return Offset(float(away_nm if is_starboard else -away_nm), description)


@dataclass(frozen=True)
class RouteResults:
    """A route with its simulations in the members in which the ship makes headway.

    ``wait_cost`` is what its waits, which are the same in all members, add to the cost.
    """

    context: PlanningContext
    route: SimulatedRoute
    simulations: tuple[MemberSimulation, ...]
    member_count: int
    wait_cost: float

    @cached_property
    def costs(self) -> dict[int, float]:
        """Cost by member number: the objective's value with waits, and fuel for hours late."""
        return {simulated.member.number: self._cost(simulated) for simulated in self.simulations}

    def _cost(self, simulated: MemberSimulation) -> float:
        context, hours = self.context, simulated.simulation.total_h
        if context.request.objective is Objective.TIME:
            return hours
        prices = context.prices(context.request.objective)
        fuel_t = simulated.total_fuel_t + prices.mile * self.route.surcharge_nm
        if context.request.objective is Objective.BALANCED:
            return fuel_t + prices.hour * hours
        late_h = find_delay_h(hours, context.longest_h)
        return fuel_t + context.time_price_t_per_h * late_h + self.wait_cost

    @cached_property
    def exceeded(self) -> dict[LimitKind, Bools]:
        """Flags of the simulations that exceed each limit of the request that is set."""
        return {
            limit.kind: np.array(
                [limit.find_exceeded(each.weather, allowed).any() for each in self.simulations]
            )
            for limit, allowed in list_allowed(self.context.request.limits)
        }

    @property
    def breaches(self) -> int:
        """Number of members in which a limit is exceeded or the ship makes no headway."""
        exceeding = int(np.any([*self.exceeded.values()], axis=0).sum())
        return exceeding + self.member_count - len(self.simulations)

    def excess_breaches(self, risk: Risk) -> float:
        """Return the number of breaches above those allowed."""
        return max(0.0, self.breaches - ALLOWED_SHARE[risk] * self.member_count)

    @property
    def delay_h(self) -> float:
        """Hours by which the route is planned to arrive after the required arrival."""
        return find_delay_h(self.route.simulation.total_h, self.context.longest_h)

    def measure_cost(self, risk: Risk) -> float:
        """Return the risk's measure of the costs in the members."""
        return _measure_by_risk(list(self.costs.values()), risk)

    def fuel_t(self, risk: Risk) -> float:
        """Return the risk's measure of the fuel of all types [t]."""
        return _measure_by_risk([simulated.total_fuel_t for simulated in self.simulations], risk)


def _measure_by_risk(values: Sequence[float], risk: Risk) -> float:
    """Return the mean, the 90th percentile or the greatest of values; infinite without any."""
    if not values:
        return np.inf
    measures: dict[Risk, Callable[[], float]] = {
        Risk.EXPECTED: lambda: float(np.mean(values)),
        Risk.P90: lambda: estimate_percentile(values, 90.0),
        Risk.WORST: lambda: max(values),
    }
    return measures[risk]()


def simulate_in_members(
    context: PlanningContext, routes: Sequence[SimulatedRoute], ensemble: Ensemble
) -> list[RouteResults]:
    """Simulate every route in every member."""
    count = len(ensemble.members)
    return [
        RouteResults(context, route, tuple(simulate_members(context, route, ensemble)), count, wait)
        for route, wait in zip(routes, context.cost_basis.list_wait_costs(routes), strict=True)
    ]


def choose_by_risk(results: Sequence[RouteResults], risk: Risk) -> SimulatedRoute:
    """Return the route of least cost among those with the fewest breaches above those allowed.

    A route that is planned to arrive in time comes before all that are not.
    """

    def score(each: RouteResults) -> tuple[float, float, float]:
        return each.delay_h, each.excess_breaches(risk), each.measure_cost(risk)

    return min(results, key=score).route


def find_best_tracks(best: SimulatedRoute, results: Sequence[RouteResults]) -> list[BestTrack]:
    """Return the tracks that are best in some member, the plan's first, which is always listed."""
    return [_describe_track(best, route, share) for route, share in find_best_routes(best, results)]


def find_best_routes(
    best: SimulatedRoute, results: Sequence[RouteResults]
) -> list[tuple[SimulatedRoute, float]]:
    """Return the routes that are best in some member, each with its share of the members (0..1).

    The plan's comes first and is always listed.
    """
    groups = _group_by_track(best, results)
    wins = [0] * len(groups)
    numbers = {number for each in results for number in each.costs}
    for number in numbers:
        costs = [min(each.costs.get(number, np.inf) for each in group) for group in groups]
        wins[int(np.argmin(costs))] += 1
    return [
        (group[0].route, wins[n] / max(len(numbers), 1))
        for n, group in enumerate(groups)
        if n == 0 or wins[n]
    ]


def _group_by_track(
    best: SimulatedRoute, results: Sequence[RouteResults]
) -> list[list[RouteResults]]:
    """Group routes whose tracks count as one, the plan's group first."""
    groups: list[list[RouteResults]] = []
    for each in sorted(results, key=lambda each: each.route is not best):
        for group in groups:
            if abs(find_largest_offset(group[0].route, each.route).distance_nm) <= SAME_TRACK_NM:
                group.append(each)
                break
        else:
            groups.append([each])
    return groups


def _describe_track(best: SimulatedRoute, route: SimulatedRoute, share: float) -> BestTrack:
    positions = _list_positions(route)
    if route is best:
        return BestTrack("as planned", share, 0.0, positions)
    offset = find_largest_offset(best, route)
    return BestTrack(offset.description, share, offset.distance_nm, positions)


def _list_positions(route: SimulatedRoute) -> tuple[Position, ...]:
    """Return positions along a route: its waypoints, and more on its long legs."""
    positions = [route.legs[0].start]
    for leg in route.legs:
        lats, lngs = sample_leg(leg.start, leg.end, leg.geometry, _LONGEST_STEP_NM)
        positions += map(Position, lats[1:-1].tolist(), lngs[1:-1].tolist())
        positions.append(leg.end)
    return tuple(positions)
