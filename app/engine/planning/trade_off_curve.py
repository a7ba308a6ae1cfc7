"""Fuel against arrival: what each hour sooner or later costs on the way taken."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import inf
from typing import Final

import numpy as np

from app.engine.optimise.labels import Heartbeat, Reached
from app.engine.optimise.track_search import Found
from app.engine.planning.parallel import work_side_by_side
from app.engine.planning.progress import Pace
from app.engine.planning.simulated_route import SailedRoute, Voyage, describe, helm, lay_way
from app.engine.planning.weather_routing import WeatherRouting
from app.engine.voyage import Objective

#: Arrivals asked for between the soonest and the thriftiest.
_ARRIVALS: Final = 4
#: Points of a front at the most, and hours that they lie apart at the least.
_MOST_POINTS: Final = 9
_APART_H: Final = 0.05


def find_front(
    voyage: Voyage,
    routing: WeatherRouting | None,
    ahead: Sequence[SailedRoute] | None,
    best: SailedRoute,
    pace: Pace,
) -> list[SailedRoute]:
    """Up to nine sailings of the best route's way, the soonest first, itself among them.

    None of them is both sooner and thriftier than another. ``ahead`` is what ``sail_ahead``
    has found, if it has been asked already.
    """
    if routing is None:
        return _keep_best(best, _sail_steadily(voyage, best))
    ahead = sail_ahead(routing, pace.beat) if ahead is None else ahead
    others = [*ahead, *_sail_along(routing, best, ahead, pace.beat)]
    if len(ahead) < 2:  # no ends by themselves: what is known by now bounds the arrivals
        others += _sail_between(routing, [best, *others], (), pace.beat)
    return _keep_best(best, others)


def sail_ahead(routing: WeatherRouting, heartbeat: Heartbeat) -> list[SailedRoute]:
    """A way with the weather, roughly: the soonest, the thriftiest, and arrivals between the two,
    in this order.

    It asks nothing of the way's best sailing, and may be found beside it.
    """
    ends = work_side_by_side(
        [partial(_sail_end, routing, objective) for objective in (Objective.TIME, Objective.FUEL)],
        heartbeat,
    )
    within = [found.reached for found, _ in ends if found is not None]
    sailed = [route for _, route in ends if route is not None]
    return sailed if len(sailed) < 2 else sailed + _sail_between(routing, sailed, within, heartbeat)


def _sail_end(
    routing: WeatherRouting, objective: Objective
) -> tuple[Found | None, SailedRoute | None]:
    found = routing.find_roughly(objective, None)
    return found, routing.draw_roughly(found, objective, None)


def _sail_between(
    routing: WeatherRouting,
    sailed: Sequence[SailedRoute],
    within: Sequence[Reached],
    heartbeat: Heartbeat,
) -> list[SailedRoute]:
    """Sailings that arrive between those there are."""
    hours = [route.sailing.total_h for route in sailed]
    # evenly in mean speed: in haste an hour costs most, and changes it most
    arrivals_h = 1.0 / np.linspace(1.0 / min(hours), 1.0 / max(hours), _ARRIVALS + 2)[1:-1]

    def sail_within(longest_h: float) -> SailedRoute | None:
        found = routing.find_roughly(Objective.FUEL, longest_h, within)
        return routing.draw_roughly(found, Objective.FUEL, longest_h)

    parts = [partial(sail_within, float(longest_h)) for longest_h in arrivals_h]
    return [route for route in work_side_by_side(parts, heartbeat) if route is not None]


def _sail_along(
    routing: WeatherRouting, best: SailedRoute, ahead: Sequence[SailedRoute], heartbeat: Heartbeat
) -> list[SailedRoute]:
    """The best route's track, sailed soonest and most thriftily."""
    near = ahead[1].sailing if len(ahead) > 1 else None
    parts = [
        partial(routing.sail_along, best.legs, Objective.TIME, None, None),
        partial(routing.sail_along, best.legs, Objective.FUEL, None, near),
    ]
    return [route for route in work_side_by_side(parts, heartbeat) if route is not None]


def _sail_steadily(voyage: Voyage, best: SailedRoute) -> Iterator[SailedRoute]:
    """The track at speeds between the greatest and the least ordered."""
    request = voyage.request
    way = lay_way(voyage, best.label, best.uses, best.legs)
    for speed_kn in np.linspace(request.speed_max_kn, request.speed_min_kn, _ARRIVALS + 2):
        yield describe(voyage, way, helm(voyage, way)(float(speed_kn)))


def _keep_best(best: SailedRoute, others: Iterable[SailedRoute]) -> list[SailedRoute]:
    """Those that no other is sooner and thriftier than; ``best`` stays whatever there is."""
    kept: list[SailedRoute] = []
    least_t = inf
    best_h, best_t = best.sailing.total_h, best.total_fuel_t
    for route in sorted([best, *others], key=lambda r: (r.sailing.total_h, r is not best)):
        hours, fuel_t = route.sailing.total_h, route.total_fuel_t
        is_beaten = (hours >= best_h and fuel_t >= best_t) or (
            hours <= best_h + _APART_H and fuel_t <= best_t
        )
        if route is best or (fuel_t < least_t and not is_beaten):
            kept.append(route)
            least_t = min(least_t, fuel_t)
    return kept[:_MOST_POINTS]
