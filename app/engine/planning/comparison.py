"""What a plan's best route is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.engine.planning.candidates import (
    ClosedWay,
    SailedWay,
    find_closed_way,
    find_way_of,
)
from app.engine.planning.limits import LIMITS, find_excess
from app.engine.planning.progress import Pace
from app.engine.planning.references import PricedReference, price_references
from app.engine.planning.simulated_route import SailedRoute, Voyage, lay_way, sail_steadily
from app.engine.planning.trade_off_curve import find_front
from app.engine.sailing.waiting import wait_as_in
from app.engine.voyage import Objective

#: A limit is asked about when something compared comes this near to it.
_NEAR: Final = 0.95
#: Arrivals that lie no further apart are one [h].
_SAME_ARRIVAL_H: Final = 0.5


@dataclass(frozen=True, slots=True)
class Comparison:
    """What stands beside the best route.

    Other ways, the baseline, routes handed in, and a way that only areas close;
    ``at_one_speed`` is the best route's track at one speed with the same arrival, where
    that tells track from speeds; ``unlimited`` is what each limit that shapes the route
    keeps from being sailed, by the limit's name; ``front`` is fuel against arrival.
    """

    others: Sequence[SailedRoute]
    baseline: SailedRoute
    references: Sequence[PricedReference]
    closed: ClosedWay | None
    at_one_speed: SailedRoute | None
    unlimited: Sequence[tuple[str, SailedRoute]]
    front: Sequence[SailedRoute]


def arrive_alike(route: SailedRoute, other: SailedRoute) -> bool:
    """Whether two routes arrive so close together that their fuel can be compared."""
    return abs(route.sailing.total_h - other.sailing.total_h) <= _SAME_ARRIVAL_H


def compare(
    voyage: Voyage,
    ways: Sequence[SailedWay],
    best: SailedRoute,
    others: Sequence[SailedRoute],
    baseline: SailedRoute,
    pace: Pace,
) -> Comparison:
    """Find what the best route is to be compared with."""
    way = find_way_of(ways, best)
    return Comparison(
        others=others,
        baseline=baseline,
        references=price_references(voyage, best.sailing.total_h),
        closed=find_closed_way(voyage, best),
        at_one_speed=_sail_at_one_speed(voyage, best, baseline),
        unlimited=_lift_limits(voyage, ways, best, baseline),
        front=find_front(voyage, way.routing, way.ahead, best, pace),
    )


def _sail_at_one_speed(
    voyage: Voyage, best: SailedRoute, baseline: SailedRoute
) -> SailedRoute | None:
    """The best route's track at the one speed with its arrival, and with its waits."""
    if baseline is best or voyage.weather is None:
        return None
    way = lay_way(voyage, best.label, best.uses, best.legs)
    not_before_h = wait_as_in(best.sailing, way.track)
    return sail_steadily(
        voyage, way, Objective.FUEL, best.sailing.total_h, not_before_h=not_before_h
    )


def _lift_limits(
    voyage: Voyage, ways: Sequence[SailedWay], best: SailedRoute, baseline: SailedRoute
) -> list[tuple[str, SailedRoute]]:
    """What would be sailed without each limit, of those that something there comes near to."""
    request, routing = voyage.request, find_way_of(ways, best).routing
    if routing is None:
        return []
    found = []
    for name, field in LIMITS.items():
        allowed = getattr(request.limits, field)
        near = None if allowed is None else replace(request.limits, **{field: _NEAR * allowed})
        if near is None or not (find_excess(best, near) or find_excess(baseline, near)):
            continue
        free = replace(routing, limits=replace(request.limits, **{field: None}))
        route = free.sail_roughly(request.objective, voyage.longest_h)
        if route is not None and find_excess(route, request.limits):
            found.append((name, route))
    return found
