"""The order of routes of one departure if some of them wait for areas to open."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from app.engine.area import Area
from app.engine.planning.areas import list_touched_areas
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.sailing.waiting import list_awaited_areas, sum_area_waits_h, sum_waits_h

#: Function that returns a route's hours late and its objective's value.
Cost = Callable[[SimulatedRoute], tuple[float, float]]


def price_weather_waits(route: SimulatedRoute, wait_price: float, areas: Sequence[Area]) -> float:
    """Return the price of a route's waits that are not for one of the areas."""
    if not wait_price:
        return 0.0
    simulation = route.simulation
    return wait_price * (sum_waits_h(simulation) - sum_area_waits_h(simulation, areas))


def sort_by_cost(
    routes: Iterable[SimulatedRoute], cost: Cost, wait_price: float, areas: Sequence[Area]
) -> list[SimulatedRoute]:
    """Return routes of one departure, the best first.

    ``cost`` does not count waits for ``areas`` to open. If the route of least cost waits, a route
    around the areas that it waits for gains ``wait_price`` for each hour by which it arrives
    earlier, but for no more hours than it waits less. A route that enters the areas after they
    have opened gains nothing: its detour only passes the time, or leads to a nearer place to wait.
    """
    kept = list(routes)
    cheapest = min(kept, key=cost, default=None)
    awaited = list_awaited_areas(cheapest.simulation, areas) if cheapest and wait_price else []
    if cheapest is None or not awaited:
        return sorted(kept, key=cost)
    opened = [replace(area, starts_at=area.ends_at, ends_at=None) for area in awaited]
    waits_h = sum_area_waits_h(cheapest.simulation, areas)

    def cost_less_gain(route: SimulatedRoute) -> tuple[float, float]:
        late_h, value = cost(route)
        if list_touched_areas(opened, route.simulation):
            return late_h, value
        earlier_h = cheapest.simulation.total_h - route.simulation.total_h
        shorter_h = waits_h - sum_area_waits_h(route.simulation, areas)
        return late_h, value - wait_price * max(min(earlier_h, shorter_h), 0.0)

    return sorted(kept, key=cost_less_gain)
