"""Fuel against arrival: what each hour sooner or later costs on the way taken."""

from collections.abc import Iterable, Iterator
from functools import partial
from math import inf
from typing import Final

import numpy as np

from app.engine.pace import Pace
from app.engine.sailed_route import SailedRoute, Voyage, describe, helm, lay_way
from app.engine.side_by_side import work_side_by_side
from app.engine.voyage import Objective
from app.engine.ways import SailedWay

#: Arrivals asked for between the soonest and the thriftiest.
_ARRIVALS: Final = 4
#: Points of a front at the most, and hours that they lie apart at the least.
_MOST_POINTS: Final = 9
_APART_H: Final = 0.05


def find_front(voyage: Voyage, way: SailedWay, best: SailedRoute, pace: Pace) -> list[SailedRoute]:
    """Up to nine sailings of the best route's way, the soonest first, itself among them.

    None of them is both sooner and thriftier than another.
    """
    others = _sail_steadily(voyage, best) if way.routing is None else _sail_ahead(way, best, pace)
    return _keep_best(best, others)


def _sail_steadily(voyage: Voyage, best: SailedRoute) -> Iterator[SailedRoute]:
    """The track at speeds between the greatest and the least ordered."""
    request = voyage.request
    way = lay_way(voyage, best.label, best.uses, best.legs)
    for speed_kn in np.linspace(request.speed_max_kn, request.speed_min_kn, _ARRIVALS + 2):
        yield describe(voyage, way, helm(voyage, way)(float(speed_kn)))


def _sail_ahead(way: SailedWay, best: SailedRoute, pace: Pace) -> list[SailedRoute]:
    """The way with the weather: the soonest, the thriftiest, and arrivals between the two."""
    routing = way.routing
    if routing is None:
        raise AssertionError("asked of ways with a routing alone")
    along = lay_way(routing.voyage, best.label, best.uses, best.legs, routing.way.prices)
    ends = [
        partial(routing.sail_roughly, objective, None, along=along)
        for objective in (Objective.TIME, Objective.FUEL)
    ]
    soonest, thriftiest = (route or best for route in work_side_by_side(ends, pace.beat))
    first_h = min(soonest.sailing.total_h, best.sailing.total_h)
    last_h = max(thriftiest.sailing.total_h, best.sailing.total_h)
    # evenly in mean speed: in haste an hour costs most, and changes it most
    arrivals_h = 1.0 / np.linspace(1.0 / first_h, 1.0 / last_h, _ARRIVALS + 2)[1:-1]
    between = [
        partial(routing.sail_roughly, Objective.FUEL, float(longest_h)) for longest_h in arrivals_h
    ]
    sailed = work_side_by_side(between, pace.beat)
    return [soonest, thriftiest, *(route for route in sailed if route is not None)]


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
