"""The cost of a route, and the order of routes of which some wait for areas to open."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.engine.area import Area
from app.engine.optimise.search_objective import Prices
from app.engine.planning.areas import list_touched_areas
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.sailing.waiting import list_awaited_areas, sum_area_waits_h, sum_waits_h

#: Lateness that still counts as in time [h]: times are given to the second.
_IN_TIME_TOLERANCE_H: Final = 1.0 / 3600.0
#: Ratio of lengths up to which two tracks are as long as each other.
_SAME_LENGTH: Final = 1.001


def find_delay_h(total_h: float, longest_h: float | None) -> float:
    """Return the hours by which a duration exceeds the longest, 0 if it does not."""
    late_h = 0.0 if longest_h is None else total_h - longest_h
    return late_h if late_h > _IN_TIME_TOLERANCE_H else 0.0


@dataclass(frozen=True, slots=True)
class CostBasis:
    """Basis on which routes of one departure are compared: waits for ``areas`` do not count.

    ``longest_h`` is the longest duration, if it is limited.
    """

    prices: Prices
    longest_h: float | None
    areas: Sequence[Area] = ()

    def cost(self, route: SimulatedRoute) -> tuple[float, float]:
        """Return a route's cost: hours late, then its value without waits for the areas to open.

        A mile that the price of an area adds costs the same on all routes. By the fuel burnt there,
        a ship would be slow in an area that it avoids but must enter; by the mean cost of a route's
        own miles, cheap miles far from the area would pay for a detour.
        """
        simulation, hours, prices = route.simulation, route.simulation.total_h, self.prices
        waits_h = 0.0
        if prices.wait:
            waits_h = sum_waits_h(simulation) - sum_area_waits_h(simulation, self.areas)
        fuel_t = route.total_fuel_t + prices.wait * waits_h
        value = prices.fuel * fuel_t + prices.hour * hours + prices.mile * route.surcharge_nm
        return find_delay_h(hours, self.longest_h), value

    def list_costs(self, routes: Sequence[SimulatedRoute]) -> list[tuple[float, float]]:
        """List the costs by which routes are compared, as in :meth:`cost`.

        If the route of least cost waits, a route around the areas that it waits for gains the price
        of waiting for each hour by which it arrives earlier, but for no more hours than it waits
        less. A longer route that enters the areas after they have opened gains nothing: its detour
        only passes the time, or leads to a nearer place to wait.
        """
        if not routes:
            return []
        cheapest = min(routes, key=self.cost)
        awaited = list_awaited_areas(cheapest.simulation, self.areas) if self.prices.wait else []
        if not awaited:
            return [self.cost(route) for route in routes]
        opened = [replace(area, starts_at=area.ends_at, ends_at=None) for area in awaited]
        waits_h = sum_area_waits_h(cheapest.simulation, self.areas)

        def cost_less_gain(route: SimulatedRoute) -> tuple[float, float]:
            late_h, value = self.cost(route)
            length_nm = cheapest.simulation.track.length_nm
            is_longer = route.simulation.track.length_nm > _SAME_LENGTH * length_nm
            if is_longer and list_touched_areas(opened, route.simulation):
                return late_h, value
            earlier_h = cheapest.simulation.total_h - route.simulation.total_h
            shorter_h = waits_h - sum_area_waits_h(route.simulation, self.areas)
            return late_h, value - self.prices.wait * max(min(earlier_h, shorter_h), 0.0)

        return [cost_less_gain(route) for route in routes]

    def list_wait_costs(self, routes: Sequence[SimulatedRoute]) -> list[float]:
        """List the part of the values of :meth:`list_costs` that is due to waits, late or not."""
        with_waits = replace(self, longest_h=None)
        without = replace(with_waits, prices=self.prices._replace(wait=0.0))
        both = zip(with_waits.list_costs(routes), without.list_costs(routes), strict=True)
        return [value - rest for (_, value), (_, rest) in both]

    def sort(self, routes: Iterable[SimulatedRoute]) -> list[SimulatedRoute]:
        """Return routes, the best first by :meth:`list_costs`."""
        kept = list(routes)
        costs = self.list_costs(kept)
        return [kept[number] for number in sorted(range(len(kept)), key=costs.__getitem__)]
