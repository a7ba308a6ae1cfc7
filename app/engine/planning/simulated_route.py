"""A voyage that is asked for, and a way of it laid into legs and sailed."""

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
from app.engine.sailing.simulation import Helm, Sailing, sail
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

#: An arrival later than asked for by no more than this is in time [h]: times are to the second.
_PUNCTUAL_H: Final = 1.0 / 3600.0
#: Soundings along a segment, its ends included.
_SOUNDINGS: Final = 11


@dataclass(frozen=True, slots=True)
class SailedRoute:
    """A way laid into legs and sailed.

    Per segment of the track, shape (n,): whether it runs in an emission control
    area; the fuel burnt [t], of the kind burnt there; the charted depth and the
    water under the keel [m], nan where they are not known. ``weather`` is met at
    the track's n + 1 points, ``weather_amid`` amid its segments; ``None`` where no
    weather is known. ``weather_at_waits`` is met at points where the ship waits.
    ``priced_fuel_t`` is the fuel weighed by the prices of the areas it is burnt in.
    """

    label: str
    uses: tuple[PassageUse, ...]
    legs: tuple[Leg, ...]
    sailing: Sailing
    in_eca: NDArray[np.bool_]
    fuel_t: NDArray[np.float64]
    depth_m: NDArray[np.float64]
    under_keel_m: NDArray[np.float64]
    weather: WeatherSamples | None
    priced_fuel_t: float
    weather_amid: WeatherSamples | None = None
    weather_at_waits: tuple[tuple[int, WeatherSamples], ...] = ()

    @property
    def unproven_nm(self) -> float:
        """Miles over water of unknown depth."""
        legs = [number for number, leg in enumerate(self.legs) if leg.is_unproven]
        track = self.sailing.track
        return float(track.distance_nm[np.isin(track.leg, legs)].sum())

    @property
    def total_fuel_t(self) -> float:
        """Fuel of all kinds for the whole way [t]."""
        return float(self.fuel_t.sum())

    def co2_t(self, fuel_type: FuelType) -> float:
        """The main engine's CO2 from tank to wake [t]."""
        return self._co2_of(self.fuel_t, fuel_type)

    def auxiliaries(self, ship: ShipParticulars) -> tuple[float, float] | None:
        """Fuel and CO2 of the auxiliaries [t], waits included; ``None`` where not known.

        Inside an emission control area they burn the fuel that is burnt there, as much as
        carries the same heat.
        """
        if ship.auxiliary_t_per_day is None:
            return None
        factor = np.where(self.in_eca, eca_fuel_factor(ship.fuel_type), 1.0)
        fuel_t = ship.auxiliary_t_per_day / 24.0 * np.diff(self.sailing.hours) * factor
        return float(fuel_t.sum()), self._co2_of(fuel_t, ship.fuel_type)

    def _co2_of(self, fuel_t: NDArray[np.float64], fuel_type: FuelType) -> float:
        """CO2 of fuel per segment [t], each part by the fuel burnt there."""
        inside_t = float(fuel_t[self.in_eca].sum())
        outside_t = float(fuel_t.sum()) - inside_t
        return outside_t * co2_factor(fuel_type) + inside_t * co2_factor(fuel_in_eca(fuel_type))

    def weather_at(self, point: int) -> Weather | None:
        """Weather met at a point of the track."""
        return None if self.weather is None else self.weather.at(point)


@dataclass(frozen=True)
class Voyage:
    """What is asked, and the ship, sea and weather it is asked of."""

    request: VoyageRequest
    sea: SeaAtlas
    weather: WeatherField | None
    ship: Ship

    @cached_property
    def passages(self) -> dict[str, Passage]:
        """The atlas's narrow waters by name."""
        return {passage.name: passage for passage in self.sea.passages}

    @cached_property
    def snaps(self) -> tuple[Snap, Snap]:
        """The water used for departure and arrival."""
        request, find_water = self.request, self.sea.find_water
        return find_water(request.departure), find_water(request.arrival)

    @property
    def ends(self) -> tuple[Position, Position]:
        """Where the ship lies at departure and arrival: on the water, as areas bind her."""
        departure, arrival = self.snaps
        return departure.position, arrival.position

    @cached_property
    def blocking_areas(self) -> tuple[Area, ...]:
        """The areas that may not be touched while they are in force."""
        return tuple(area for area in self.request.areas if self._blocks(area))

    def _blocks(self, area: Area) -> bool:
        if area.rule is AreaRule.NO_ENTRY_UNLESS_BOUND_THERE:
            return find_end_inside(area, *self.ends) is None
        return area.rule is AreaRule.NO_ENTRY

    @property
    def deepest_draft_m(self) -> float:
        """Draught at the deeper end [m]."""
        loading = self.request.loading
        return loading.draft_m + abs(loading.trim_m) / 2.0

    @property
    def size(self) -> ShipSize:
        """What has to fit through, at the highest speed ordered."""
        particulars, keel_m = self.request.ship, self.keel_depth_m(self.request.speed_max_kn)
        return ShipSize(
            draft_m=self.deepest_draft_m,
            breadth_m=particulars.breadth_m,
            loa_m=particulars.loa_m,
            required_depth_m=float(keel_m) + self.request.ukc_margin_m,
        )

    def keel_depth_m(self, speed_kn: Floats) -> Floats:
        """How deep the keel is at speeds through the water [m]: draught and squat."""
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
        """Fuel [t] that an hour's wait must save where the arrival is free and fuel alone counts.

        A ship that waits burns nothing that is counted, and would wait for days to save a
        tonne. Where an arrival is asked for, or time is priced, that decides.
        """
        request = self.request
        is_free = request.objective is Objective.FUEL and request.arrive_by is None
        return self.time_price_t_per_h if is_free else 0.0

    def cost(self, route: SailedRoute) -> tuple[float, float]:
        """What the best way has least of: hours late first, then the objective."""
        total_h = route.sailing.total_h
        late_h = find_delay_h(total_h, self.longest_h)
        match self.request.objective:
            case Objective.FUEL:
                waits_t = self.wait_price_t_per_h * sum_waits_h(route.sailing)
                return late_h, route.priced_fuel_t + waits_t
            case Objective.TIME:
                return late_h, total_h
            case Objective.BALANCED:
                return late_h, route.priced_fuel_t + self.time_price_t_per_h * total_h


def find_delay_h(total_h: float, longest_h: float | None) -> float:
    """Hours by which an arrival comes later than asked for, 0 where it is in time."""
    late_h = 0.0 if longest_h is None else total_h - longest_h
    return late_h if late_h > _PUNCTUAL_H else 0.0


@dataclass(frozen=True, slots=True)
class LaidWay:
    """A way in legs, ready to be sailed.

    ``depth_m``, per segment of ``track``, is nan where it is not known; ``prices`` are
    as in ``Conditions``.
    """

    label: str
    uses: tuple[PassageUse, ...]
    legs: tuple[Leg, ...]
    track: Track
    depth_m: NDArray[np.float64]
    prices: NDArray[np.float32]


def lay_way(
    voyage: Voyage,
    label: str,
    uses: tuple[PassageUse, ...],
    legs: tuple[Leg, ...],
    prices: NDArray[np.float32] = NO_CONDITIONS.prices,
) -> LaidWay:
    """Sample legs into a track and look up its depths."""
    track = slow_in_ice(build_track(legs, voyage.passages), voyage.request)
    return LaidWay(label, uses, legs, track, _depths_m(voyage, track, legs), prices)


def helm(voyage: Voyage, way: LaidWay) -> Helm:
    """Sails a way at the speed ordered [kn], one for all or one per segment."""
    return partial(
        sail,
        way.track,
        ship=voyage.ship,
        departs_at=voyage.request.departs_at,
        weather=voyage.weather,
        depth_m=way.depth_m,
    )


def sail_steadily(
    voyage: Voyage,
    way: LaidWay,
    objective: Objective,
    longest_h: float | None,
    *,
    not_before_h: NDArray[np.float64] | None = None,
) -> SailedRoute:
    """Sail a way at the one ordered speed that is best; ``not_before_h`` as in :func:`sail`."""
    request = voyage.request
    sailing = choose_speed(
        partial(helm(voyage, way), not_before_h=not_before_h),
        request.speed_min_kn,
        request.speed_max_kn,
        objective,
        voyage.time_price_t_per_h,
        longest_h,
    )
    return describe(voyage, way, sailing)


def describe(voyage: Voyage, way: LaidWay, sailing: Sailing) -> SailedRoute:
    """A way and its sailing, with what is burnt and met there."""
    in_eca = eca_segments(voyage.request.areas, sailing)
    fuel_t = sailing.fuel_t * np.where(in_eca, eca_fuel_factor(voyage.request.ship.fuel_type), 1.0)
    track = way.track
    prices = find_prices(way.prices, track.middle_lats, track.middle_lngs)
    weather = voyage.weather
    return SailedRoute(
        label=way.label,
        uses=way.uses,
        legs=way.legs,
        sailing=sailing,
        in_eca=in_eca,
        fuel_t=fuel_t,
        depth_m=way.depth_m,
        under_keel_m=way.depth_m - voyage.keel_depth_m(sailing.through_water_kn),
        weather=None if weather is None else sailing.weather_met(weather),
        priced_fuel_t=float(fuel_t @ prices),
        weather_amid=None if weather is None else sailing.weather_amid(weather),
        weather_at_waits=() if weather is None else tuple(_look_out(weather, sailing)),
    )


def _look_out(weather: WeatherField, sailing: Sailing) -> Iterator[tuple[int, WeatherSamples]]:
    """What is met at the points where the ship waits."""
    for point in find_waits(sailing):
        yield point, sailing.weather_at_wait(weather, point)


def _depths_m(voyage: Voyage, track: Track, legs: Sequence[Leg]) -> NDArray[np.float64]:
    """Least depth per segment: a passage's own where it has one, else the chart's.

    Half a mile lies between soundings at most: the grid's cells measure five.
    """
    soundings_m = voyage.sea.depth_m(*track.sample_segments(_SOUNDINGS))
    depth_m: NDArray[np.float64] = soundings_m.min(axis=1)
    for number, leg in enumerate(legs):
        passage = voyage.passages.get(leg.passage) if leg.passage else None
        if passage is not None:
            depth_m[track.leg == number] = np.nan if passage.depth_m is None else passage.depth_m
        elif leg.is_unproven:
            depth_m[track.leg == number] = np.nan
    return depth_m
