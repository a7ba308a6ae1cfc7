"""Detours planned without a forecast: whether they pay in the weather of a month, not its mean.

A climatology holds the mean of a month's weather. No voyage meets that mean: in the westerlies most
directions occur every month, in trades and monsoons one prevails. A longer track that pays in the
mean is therefore simulated in courses of weather drawn from the climate. A detour into polar
waters, where a ship needs a certificate, is not planned by the mean of a month at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Final

import numpy as np

from app.engine.area import IceHazard
from app.engine.codes import WarningCode
from app.engine.ensemble.choice import RouteResults
from app.engine.ensemble.members import Member, choose_kept_setting, simulate_member
from app.engine.ensemble.typical_error import MEMBER_COUNT, draw_climate
from app.engine.parallel import run_parallel
from app.engine.particulars import IceClass
from app.engine.plan import PlanWarning
from app.engine.planning.areas import mark_touched_segments
from app.engine.planning.candidates import (
    CandidateRoute,
    avoids_closures,
    best_per_candidate,
    find_candidate,
)
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import optimise_shortest_track
from app.engine.weather import Group, WeatherField
from app.engine.weather.steadiness import with_steady_directions

#: Least probability with which a detour is better than the shortest track: its saving is then
#: positive at P10, the lower end of the spread that plans state.
_LEAST_PROBABILITY: Final = 0.9
#: Ratio of lengths below which a longer track is no detour: nobody would call it a choice.
_LEAST_DETOUR: Final = 1.01
#: Least standard deviation of the ratio's logarithm, of tracks that the weather changes alike.
_LEAST_DEVIATION: Final = 1e-9


@dataclass(frozen=True, slots=True)
class DoubtfulDetour:
    """A track that is better than the shortest in the mean only, or leads into polar waters.

    ``probability`` is that of being better in changing weather, ``None`` for polar waters.
    """

    route: SimulatedRoute
    probability: float | None

    @property
    def warning(self) -> PlanWarning:
        """The warning that names the track."""
        simulation = self.route.simulation
        detail = (
            f"No forecast covers this voyage. In the climatology's mean, a track of"
            f" {simulation.track.length_nm:.0f} nm takes {simulation.total_h:.1f} h and"
            f" {self.route.total_fuel_t:.1f} mt of fuel. {self._reason} The shortest track is"
            " planned. Plan again when a forecast covers the departure."
        )
        return PlanWarning(WarningCode.DETOUR_IN_DOUBT, detail)

    @property
    def _reason(self) -> str:
        if self.probability is None:
            return "It enters polar waters, which the shortest track avoids."
        return (
            "In a month's changing weather it is better than the shortest with a probability of"
            f" {self.probability:.2f} only, less than {_LEAST_PROBABILITY}."
        )


def find_doubtful_detour(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    routes: Sequence[SimulatedRoute],
) -> DoubtfulDetour | None:
    """Return the best of the routes if it is a detour into polar waters, or too unlikely to pay.

    ``None`` if a forecast covers a part of it, if it is hardly longer than the shortest track of
    its candidate, or if that track cannot be sailed as well within the limits, areas and hours.
    A ship with an ice class may enter polar waters. Without waves in the climatology no
    probability is found.
    """
    best = best_per_candidate(context, routes)[0]
    shortest = _find_shortest(context, candidates, best)
    if shortest is None or context.weather is None:
        return None
    if context.request.ship.ice_class is IceClass.NONE and (
        _enters_polar_waters(context, best) and not _enters_polar_waters(context, shortest)
    ):
        return DoubtfulDetour(best, None)
    if Group.WAVE not in context.weather.climatology.layers:
        return None
    steady = with_steady_directions(context.weather)
    cost_in_cases = partial(_cost_in_cases, context, context.weather, steady)
    detour, direct = map(cost_in_cases, (best, shortest))
    ratios = [direct[number] / cost for number, cost in detour.items() if number in direct]
    probability = _find_probability(ratios) if ratios else 0.0
    return None if probability >= _LEAST_PROBABILITY else DoubtfulDetour(best, probability)


def _find_probability(ratios: Sequence[float]) -> float:
    """Return the probability that a ratio is above 1, by a log-normal distribution of ratios.

    Strengths of the weather are log-normal, and so, nearly, are the costs.
    """
    logarithms = np.log(ratios)
    deviation = max(float(logarithms.std()), _LEAST_DEVIATION)
    return NormalDist().cdf(float(logarithms.mean()) / deviation)


def _find_shortest(
    context: PlanningContext, candidates: Sequence[CandidateRoute], best: SimulatedRoute
) -> SimulatedRoute | None:
    """Return the shortest track of the best route's candidate, if that route is a detour."""
    routing = find_candidate(candidates, best).routing
    met = best.weather_at_middles
    if routing is None or routing.track_search is None or met is None:
        return None
    if met.wave_weight.any() or met.wind_weight.any():
        return None
    if best.simulation.track.length_nm < _LEAST_DETOUR * routing.geometry.track.length_nm:
        return None
    shortest = optimise_shortest_track(routing, routing.requested_objective)
    if shortest is None or not avoids_closures(context, shortest):
        return None
    is_later = context.cost(shortest)[0] > context.cost(best)[0]
    return None if is_later else shortest


def _enters_polar_waters(context: PlanningContext, route: SimulatedRoute) -> bool:
    return any(
        area.ice is not None
        and area.ice.hazard is IceHazard.POLAR_WATERS
        and mark_touched_segments(area, route.simulation).any()
        for area in context.request.areas
    )


def _cost_in_cases(
    context: PlanningContext, weather: WeatherField, steady: WeatherField, route: SimulatedRoute
) -> dict[int, float]:
    """Return the cost of a route in each case of the climate in which the ship makes headway.

    ``steady`` is the weather with steady directions, from which the cases deviate.
    """
    simulation, kept = route.simulation, choose_kept_setting(context, route.simulation)
    deviations = draw_climate(
        weather,
        simulation.track.middle_lats,
        simulation.track.middle_lngs,
        simulation.middle_times_h,
        MEMBER_COUNT,
    )
    _ = steady.kernel_arrays  # opened here: from Python 3.12 two parts could open it at once
    parts = [
        partial(simulate_member, context, route, kept, Member(number, steady), each)
        for number, each in enumerate(deviations, 1)
    ]
    simulated = run_parallel(parts, context.progress.tick)
    sailed = tuple(each for each in simulated if each is not None)
    (wait_cost,) = context.cost_basis.list_wait_costs([route])
    return RouteResults(context, route, sailed, MEMBER_COUNT, wait_cost).costs
