"""The planning context: request, ship, sea and weather of one planning, and its span of time."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from app.engine.area import Area
from app.engine.arrays import FloatOrArray, Floats
from app.engine.geodesy import great_circle_distance_nm
from app.engine.optimise.search_objective import MIN_FUEL_PRICE, Prices
from app.engine.planning.route_cost import CostBasis
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.progress import ProgressReporter
from app.engine.request import Objective, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.passage_limits import list_too_small
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg, ShipSize, Snap
from app.engine.sea.route_restrictions import list_blocking
from app.engine.vessel import Ship, build_ship
from app.engine.vessel.squat import squat_m
from app.engine.weather import WeatherField

#: Number of speeds of which the one with the cheapest mile is sought.
_CALM_SPEEDS: Final = 9
#: Length of the longest route assumed, as a multiple of the great circle.
_MAX_DETOUR: Final = 1.5
#: Least span assumed: round a peninsula the route may be many times the great circle.
_LEAST_SPAN: Final = timedelta(days=2)


@dataclass(frozen=True)
class PlanningContext:
    """The request of a planning, with its ship, sea and weather; ``None`` if that is unknown.

    ``keeps_shortest`` is true if only speeds are optimised, along each candidate's shortest track.
    ``progress`` reports the work done, and can cancel it.
    """

    request: VoyageRequest
    sea: SeaAtlas
    weather: WeatherField | None
    ship: Ship
    keeps_shortest: bool = False
    progress: ProgressReporter = field(default_factory=ProgressReporter, compare=False)

    @classmethod
    def of(
        cls, request: VoyageRequest, sea: SeaAtlas, weather: WeatherField | None
    ) -> "PlanningContext":
        """Return the context of a request, with its ship as loaded."""
        ship = build_ship(request.ship, request.loading, rpm_max=request.rpm_max)
        return cls(request, sea, weather, ship)

    @cached_property
    def passages(self) -> dict[str, Passage]:
        """Passages of the atlas by name; a ship under way inside one has waited for it."""
        passages = {passage.name: passage for passage in self.sea.passages}
        if self.request.under_way:
            here = self.request.departure
            entered = (p for p in self.sea.passages if p.waiting_h and p.has_entered(here))
            passages |= {p.name: replace(p, waiting_h=0.0) for p in entered}
        return passages

    @cached_property
    def too_small_passages(self) -> frozenset[str]:
        """Names of the passages whose limits the ship exceeds."""
        return frozenset(each.name for each in list_too_small(self.sea.passages, self.size))

    def find_passage(self, leg: Leg) -> Passage | None:
        """Return the passage that a leg runs through, if any."""
        return self.passages.get(leg.passage) if leg.passage else None

    def required_ukc_m(self, leg: Leg) -> float:
        """Return the under-keel clearance required on a leg [m]: the passage's or the request's."""
        passage = self.find_passage(leg)
        rule_m = None if passage is None else passage.min_ukc_m
        return self.request.ukc_margin_m if rule_m is None else rule_m

    @cached_property
    def snaps(self) -> tuple[Snap, Snap]:
        """Positions in navigable water nearest to departure and arrival."""
        request, find_water = self.request, self.sea.find_water
        return find_water(request.departure), find_water(request.arrival)

    @property
    def ends(self) -> tuple[Position, Position]:
        """Positions of departure and arrival in navigable water."""
        departure, arrival = self.snaps
        return departure.position, arrival.position

    @cached_property
    def blocking_areas(self) -> tuple[Area, ...]:
        """Areas that may not be entered while they are in force."""
        return list_blocking(self.request.areas, lambda: self.ends)

    @cached_property
    def lasting_areas(self) -> tuple[Area, ...]:
        """Areas without a window, which every candidate route respects."""
        return tuple(a for a in self.request.areas if not (a.is_binding and a.has_window))

    @property
    def size(self) -> ShipSize:
        """Ship size for passages and depths, at the highest ordered speed."""
        return self.size_at(self.request.speed_max_kn)

    @cached_property
    def calm_speed_max_kn(self) -> float:
        """Highest ordered speed that power and shaft speed allow in calm, deep water [kn]."""
        return self.ship.attainable_speed_kn(self.request.speed_max_kn)

    def size_at(self, ordered_kn: float) -> ShipSize:
        """Return the ship size for passages and depths at an ordered speed [kn].

        An ordered speed that the ship cannot make in calm, deep water counts as the highest that
        it can.
        """
        return measure_size(self.request, self.ship, min(ordered_kn, self.calm_speed_max_kn))

    def keel_depth_m(
        self, speed_kn: FloatOrArray, *, is_confined: ArrayLike = False
    ) -> FloatOrArray:
        """Return the sum of draught and squat at speeds through the water [m]; broadcasts."""
        block_coefficient = self.ship.hull.block_coefficient_lpp
        squat = squat_m(speed_kn, block_coefficient, is_confined=is_confined)
        return self.request.loading.deepest_draft_m + squat

    @cached_property
    def time_price_t_per_h(self) -> float:
        """Value of time on a balanced voyage [t/h]: the fuel rate at service speed."""
        return self.ship.performance(self.request.ship.service_speed_kn).fuel_t_per_h

    @property
    def longest_h(self) -> float | None:
        """Longest duration of the voyage [h]; ``None`` if the arrival is not limited."""
        arrive_by = self.request.arrive_by
        if arrive_by is None:
            return None
        return (arrive_by - self.request.departs_at) / timedelta(hours=1)

    def prices(self, objective: Objective) -> Prices:
        """Return the prices of an objective.

        Waiting burns no fuel that is counted. Without a price of it, a ship that minimises fuel
        without a latest arrival would wait for days to save a tonne. It is 0 in other cases.
        """
        request = self.request
        is_free = request.objective is Objective.FUEL and request.arrive_by is None
        wait = self.time_price_t_per_h if is_free else 0.0
        match objective:
            case Objective.FUEL:
                prices = Prices(1.0, 0.0, wait)
            case Objective.TIME:
                prices = Prices(MIN_FUEL_PRICE, 1.0, wait)
            case Objective.BALANCED:
                prices = Prices(1.0, self.time_price_t_per_h, wait)
        # a mile in a calm sea, at the speed at which it is cheapest
        speeds_kn, rates_t_per_h = self._calm_rates
        costs_per_mile = (rates_t_per_h + prices.priced_hour_t) / speeds_kn
        return prices._replace(mile=prices.fuel * float(costs_per_mile.min()))

    @cached_property
    def _calm_rates(self) -> tuple[Floats, Floats]:
        """Speeds with which the ship may be in time [kn] and their fuel rates [t/h], both (n,)."""
        request, fastest_kn = self.request, self.calm_speed_max_kn
        slowest_kn = request.speed_min_kn
        if self.longest_h:
            direct_nm = great_circle_distance_nm(*request.departure, *request.arrival)
            slowest_kn = max(slowest_kn, float(direct_nm) / self.longest_h)
        speeds_kn = np.linspace(min(slowest_kn, fastest_kn), fastest_kn, _CALM_SPEEDS)
        rates = [self.ship.performance(speed_kn).fuel_t_per_h for speed_kn in speeds_kn.tolist()]
        return speeds_kn, np.array(rates)

    @property
    def cost_basis(self) -> CostBasis:
        """Basis on which routes of this departure are compared."""
        prices = self.prices(self.request.objective)
        return CostBasis(prices, self.longest_h, self.blocking_areas)

    def cost(self, route: SimulatedRoute) -> tuple[float, float]:
        """Return the cost of a route: hours late, then the objective's value with all waits.

        Routes of one departure are compared by their :attr:`cost_basis` instead.
        """
        return CostBasis(self.prices(self.request.objective), self.longest_h).cost(route)


def measure_size(request: VoyageRequest, ship: Ship, speed_kn: float) -> ShipSize:
    """Return the ship size for passages and depths at a speed through the water [kn]."""
    draft_m = request.loading.deepest_draft_m
    squat = float(squat_m(speed_kn, ship.hull.block_coefficient_lpp))
    return ShipSize(
        draft_m=draft_m,
        breadth_m=request.ship.breadth_m,
        loa_m=request.ship.loa_m,
        air_draft_m=request.air_draft_m,
        required_depth_m=draft_m + squat + request.ukc_margin_m,
    )


def find_least_depth_m(request: VoyageRequest) -> float:
    """Return the least charted depth that the ship may cross at its highest ordered speed [m]."""
    ship = build_ship(request.ship, request.loading, rpm_max=request.rpm_max)
    fastest_kn = ship.attainable_speed_kn(request.speed_max_kn)
    return measure_size(request, ship, fastest_kn).least_depth_m


def estimate_longest_voyage(request: VoyageRequest) -> timedelta:
    """Return the time for the longest route assumed at the lowest speed."""
    direct_nm = float(great_circle_distance_nm(*request.departure, *request.arrival))
    return timedelta(hours=_MAX_DETOUR * direct_nm / max(request.speed_min_kn, 1.0))


def estimate_latest_arrival(request: VoyageRequest) -> datetime:
    """Return the end of the time for which the weather of a voyage is chosen.

    It is the required arrival or that of the longest voyage, whichever is earlier.
    """
    ends_at = request.departs_at + max(estimate_longest_voyage(request), _LEAST_SPAN)
    return ends_at if request.arrive_by is None else min(ends_at, request.arrive_by)
