"""The planning context, route geometries, and routes simulated along them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.navigable_water import find_prices
from app.engine.planning.areas import eca_segments
from app.engine.planning.ice import slow_in_ice
from app.engine.sailing.constant_speed import choose_speed
from app.engine.sailing.simulation import Simulation, Simulator, simulate_track
from app.engine.sailing.track import Track, build_track
from app.engine.sailing.waiting import find_waits, sum_waits_h
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.closures import find_end_inside
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg, PassageUse, ShipSize, Snap
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.units import Floats
from app.engine.vessel import Ship, co2_factor, eca_fuel_factor, fuel_in_eca
from app.engine.vessel.squat import open_water_squat_m
from app.engine.voyage import (
    Area,
    AreaRule,
    FuelType,
    Objective,
    Position,
    ShipParticulars,
    VoyageRequest,
    Weather,
)
from app.engine.weather import WeatherField, WeatherSamples

#: Lateness that counts as in time [h]: times are given to the second.
_PUNCTUAL_H: Final = 1.0 / 3600.0
#: Soundings along a segment, its ends included.
_SOUNDINGS: Final = 11


@dataclass(frozen=True, slots=True)
class SimulatedRoute:
    """A route geometry simulated in time.

    Per segment of the track, shape (n,): whether it runs in an emission control area; the fuel
    burnt [t], of the kind burnt there; charted depth and under-keel clearance [m], nan where
    unknown. ``weather`` is sampled at the track's n + 1 points, ``weather_at_middles`` at the
    middles of its segments; ``None`` where no weather is known. ``weather_at_waits`` is sampled
    at points where the ship waits. ``priced_fuel_t`` weighs fuel by the prices of areas.
    """

    label: str
    uses: tuple[PassageUse, ...]
    legs: tuple[Leg, ...]
    simulation: Simulation
    in_eca: NDArray[np.bool_]
    fuel_t: NDArray[np.float64]
    depth_m: NDArray[np.float64]
    ukc_m: NDArray[np.float64]
    weather: WeatherSamples | None
    priced_fuel_t: float
    weather_at_middles: WeatherSamples | None = None
    weather_at_waits: tuple[tuple[int, WeatherSamples], ...] = ()

    @property
    def unproven_nm(self) -> float:
        """Miles over water of unknown depth."""
        legs = [number for number, leg in enumerate(self.legs) if leg.is_unproven]
        track = self.simulation.track
        return float(track.distance_nm[np.isin(track.leg, legs)].sum())

    @property
    def total_fuel_t(self) -> float:
        """Fuel of all kinds for the whole route [t]."""
        return float(self.fuel_t.sum())

    def co2_t(self, fuel_type: FuelType) -> float:
        """Return the main engine's CO2 from tank to wake [t]."""
        return self._co2_of(self.fuel_t, fuel_type)

    def auxiliaries(self, ship: ShipParticulars) -> tuple[float, float] | None:
        """Return fuel and CO2 of the auxiliaries [t], waits included; ``None`` where unknown.

        Inside an emission control area they burn the fuel that is burnt there, as much as carries
        the same heat.
        """
        if ship.auxiliary_t_per_day is None:
            return None
        factor = np.where(self.in_eca, eca_fuel_factor(ship.fuel_type), 1.0)
        fuel_t = ship.auxiliary_t_per_day / 24.0 * np.diff(self.simulation.hours) * factor
        return float(fuel_t.sum()), self._co2_of(fuel_t, ship.fuel_type)

    def _co2_of(self, fuel_t: NDArray[np.float64], fuel_type: FuelType) -> float:
        """Return CO2 of fuel per segment [t], each part by the fuel burnt there."""
        inside_t = float(fuel_t[self.in_eca].sum())
        outside_t = float(fuel_t.sum()) - inside_t
        return outside_t * co2_factor(fuel_type) + inside_t * co2_factor(fuel_in_eca(fuel_type))

    def weather_at(self, point: int) -> Weather | None:
        """Return the weather at a point of the track."""
        return None if self.weather is None else self.weather.at(point)


@dataclass(frozen=True)
class PlanningContext:
    """The request, and the ship, sea and weather that it is planned with."""

    request: VoyageRequest
    sea: SeaAtlas
    weather: WeatherField | None
    ship: Ship

    @cached_property
    def passages(self) -> dict[str, Passage]:
        """The atlas's passages by name."""
        return {passage.name: passage for passage in self.sea.passages}

    @cached_property
    def snaps(self) -> tuple[Snap, Snap]:
        """Navigable water nearest to departure and arrival."""
        request, find_water = self.request, self.sea.find_water
        return find_water(request.departure), find_water(request.arrival)

    @property
    def ends(self) -> tuple[Position, Position]:
        """Positions of departure and arrival on the water, by which areas bind."""
        departure, arrival = self.snaps
        return departure.position, arrival.position

    @cached_property
    def blocking_areas(self) -> tuple[Area, ...]:
        """Areas that may not be touched while they are in force."""
        return tuple(area for area in self.request.areas if self._blocks(area))

    def _blocks(self, area: Area) -> bool:
        if area.rule is AreaRule.AVOID_UNLESS_ENDPOINT:
            return find_end_inside(area, *self.ends) is None
        return area.rule is AreaRule.NO_ENTRY

    @property
    def deepest_draft_m(self) -> float:
        """Draught at the deeper end [m]."""
        loading = self.request.loading
        return loading.draft_m + abs(loading.trim_m) / 2.0

    @property
    def size(self) -> ShipSize:
        """Ship size for passages and depths, at the highest speed ordered."""
        particulars, keel_m = self.request.ship, self.keel_depth_m(self.request.speed_max_kn)
        return ShipSize(
            draft_m=self.deepest_draft_m,
            breadth_m=particulars.breadth_m,
            loa_m=particulars.loa_m,
            required_depth_m=float(keel_m) + self.request.ukc_margin_m,
        )

    def keel_depth_m(self, speed_kn: Floats) -> Floats:
        """Return draught and squat at speeds through the water [m]."""
        squat_m = open_water_squat_m(speed_kn, self.ship.hull.block_coefficient)
        return self.deepest_draft_m + squat_m

    @cached_property
    def time_price_t_per_h(self) -> float:
        """Fuel [t] that an hour is worth: as asked, else what service speed burns."""
        price = self.request.time_price_t_per_h
        if price is not None:
            return price
        return self.ship.performance(self.request.ship.service_speed_kn).fuel_t_per_h

    @property
    def longest_h(self) -> float | None:
        """Hours within which to arrive, ``None`` if free."""
        by = self.request.arrive_by
        return None if by is None else (by - self.request.departs_at) / timedelta(hours=1)

    @property
    def wait_price_t_per_h(self) -> float:
        """Fuel [t] that an hour's wait must save where arrival is free and fuel alone counts.

        A waiting ship burns nothing that is counted, so without a price it would wait for days to
        save a tonne. With a latest arrival or a price of time, that decides.
        """
        request = self.request
        is_free = request.objective is Objective.FUEL and request.arrive_by is None
        return self.time_price_t_per_h if is_free else 0.0

    def cost(self, route: SimulatedRoute) -> tuple[float, float]:
        """Return the cost of a route: hours late first, then the objective."""
        total_h = route.simulation.total_h
        late_h = find_delay_h(total_h, self.longest_h)
        match self.request.objective:
            case Objective.FUEL:
                waits_t = self.wait_price_t_per_h * sum_waits_h(route.simulation)
                return late_h, route.priced_fuel_t + waits_t
            case Objective.TIME:
                return late_h, total_h
            case Objective.BALANCED:
                return late_h, route.priced_fuel_t + self.time_price_t_per_h * total_h


def find_delay_h(total_h: float, longest_h: float | None) -> float:
    """Return hours by which an arrival is later than asked for, 0 where it is in time."""
    late_h = 0.0 if longest_h is None else total_h - longest_h
    return late_h if late_h > _PUNCTUAL_H else 0.0


@dataclass(frozen=True, slots=True)
class RouteGeometry:
    """A route in legs, not yet placed in time.

    ``depth_m``, per segment of ``track``, is nan where unknown; ``prices`` are as in
    ``Conditions``.
    """

    label: str
    uses: tuple[PassageUse, ...]
    legs: tuple[Leg, ...]
    track: Track
    depth_m: NDArray[np.float64]
    prices: NDArray[np.float32]


def build_geometry(
    context: PlanningContext,
    label: str,
    uses: tuple[PassageUse, ...],
    legs: tuple[Leg, ...],
    prices: NDArray[np.float32] = NO_CONDITIONS.prices,
) -> RouteGeometry:
    """Sample legs into a track and look up its depths."""
    track = slow_in_ice(build_track(legs, context.passages), context.request)
    return RouteGeometry(label, uses, legs, track, _depths_m(context, track, legs), prices)


def simulate_at(context: PlanningContext, geometry: RouteGeometry) -> Simulator:
    """Return the simulator of a route geometry at ordered speeds."""
    return partial(
        simulate_track,
        geometry.track,
        ship=context.ship,
        departs_at=context.request.departs_at,
        weather=context.weather,
        depth_m=geometry.depth_m,
    )


def simulate_constant_speed(
    context: PlanningContext,
    geometry: RouteGeometry,
    objective: Objective,
    longest_h: float | None,
    *,
    not_before_h: NDArray[np.float64] | None = None,
) -> SimulatedRoute:
    """Simulate a route geometry at the best constant speed.

    ``not_before_h`` is as in :func:`simulate_track`.
    """
    request = context.request
    simulation = choose_speed(
        partial(simulate_at(context, geometry), not_before_h=not_before_h),
        request.speed_min_kn,
        request.speed_max_kn,
        objective,
        context.time_price_t_per_h,
        longest_h,
    )
    return evaluate_route(context, geometry, simulation)


def evaluate_route(
    context: PlanningContext, geometry: RouteGeometry, simulation: Simulation
) -> SimulatedRoute:
    """Combine a geometry and its simulation with fuel, prices, depths and weather."""
    in_eca = eca_segments(context.request.areas, simulation)
    fuel_t = simulation.fuel_t * np.where(
        in_eca, eca_fuel_factor(context.request.ship.fuel_type), 1.0
    )
    track = geometry.track
    prices = find_prices(geometry.prices, track.middle_lats, track.middle_lngs)
    weather = context.weather
    return SimulatedRoute(
        label=geometry.label,
        uses=geometry.uses,
        legs=geometry.legs,
        simulation=simulation,
        in_eca=in_eca,
        fuel_t=fuel_t,
        depth_m=geometry.depth_m,
        ukc_m=geometry.depth_m - context.keel_depth_m(simulation.through_water_kn),
        weather=None if weather is None else simulation.weather_at_points(weather),
        priced_fuel_t=float(fuel_t @ prices),
        weather_at_middles=None if weather is None else simulation.weather_at_middles(weather),
        weather_at_waits=() if weather is None else tuple(_sample_at_waits(weather, simulation)),
    )


def _sample_at_waits(
    weather: WeatherField, simulation: Simulation
) -> Iterator[tuple[int, WeatherSamples]]:
    """Sample the weather at the points where the ship waits."""
    for point in find_waits(simulation):
        yield point, simulation.weather_at_wait(weather, point)


def _depths_m(context: PlanningContext, track: Track, legs: Sequence[Leg]) -> NDArray[np.float64]:
    """Return the least depth per segment: a passage's own where it has one, else the chart's.

    Soundings are at most half a mile apart: the cells of the grid measure five.
    """
    soundings_m = context.sea.depth_m(*track.sample_segments(_SOUNDINGS))
    depth_m: NDArray[np.float64] = soundings_m.min(axis=1)
    for number, leg in enumerate(legs):
        passage = context.passages.get(leg.passage) if leg.passage else None
        if passage is not None:
            depth_m[track.leg == number] = np.nan if passage.depth_m is None else passage.depth_m
        elif leg.is_unproven:
            depth_m[track.leg == number] = np.nan
    return depth_m
