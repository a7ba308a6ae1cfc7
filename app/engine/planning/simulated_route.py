"""Routes: a geometry without times, and simulated, with fuel, depths and weather."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats, Ints
from app.engine.constants import HOURS_PER_DAY
from app.engine.particulars import FuelType, ShipParticulars
from app.engine.sailing.simulation import Simulation
from app.engine.sailing.track import Track
from app.engine.sea.bridge_crossings import BridgeCrossing, find_crossed
from app.engine.sea.bridges import Bridge
from app.engine.sea.path import Leg, PassageUse
from app.engine.times import add_hours
from app.engine.vessel import co2_factor, eca_factors, fuel_in_eca
from app.engine.weather import WeatherSamples
from app.engine.weather.records import Weather


@dataclass(frozen=True, slots=True)
class RouteGeometry:
    """A route's legs and track, without times.

    ``depth_m``, shape (n,), is the least depth of each segment of ``track``, NaN where unknown, and
    ``water_depth_m``, same shape, the depth at which the ship's resistance is computed: greater in
    a passage that is charted deeper than its least depth. ``is_unproven``, same shape, marks those
    of unknown depth on unproven water, and in passages of which neither depth nor draught limit is
    known. ``prices`` are as in ``Conditions``.
    """

    label: str
    uses: tuple[PassageUse, ...]
    legs: tuple[Leg, ...]
    track: Track
    depth_m: Floats
    water_depth_m: Floats
    is_unproven: Bools
    prices: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SeasMet:
    """Waves and wind met on a route, under way and during waits, in order of time, shape (m,).

    ``points`` are the points of the track at or just before each place, ``hours`` the times since
    departure.
    """

    departs_at: datetime
    points: Ints
    hours: Floats
    wave_height_m: Floats
    wind_speed_ms: Floats

    def time_at(self, sample: int) -> datetime:
        """Return the time of a sample, to the second."""
        return add_hours(self.departs_at, self.hours[sample])


@dataclass(frozen=True, slots=True)
class SimulatedRoute:
    """A route geometry simulated in time; ``simulation`` has its track.

    For each segment of the track, shape (n,): ``in_eca`` is whether it lies in an emission control
    area, ``fuel_t`` the fuel burnt [t] of the type burnt there, and ``ukc_m`` the under-keel
    clearance [m], NaN where unknown. ``weather`` is sampled at the track's n + 1 points and
    ``weather_at_middles`` in the middle of its segments, ``None`` if no weather is known;
    ``weather_at_waits`` during the wait at each point where the ship waits. ``surcharge_nm`` are
    the miles that the prices of areas add to those of the track. A route that ``is_given`` waits as
    its schedule states; on its first ``timed_legs`` legs the speeds follow from times due and were
    not ordered.
    """

    geometry: RouteGeometry
    simulation: Simulation
    in_eca: Bools
    fuel_t: Floats
    ukc_m: Floats
    weather: WeatherSamples | None
    surcharge_nm: float
    weather_at_middles: WeatherSamples | None = None
    weather_at_waits: tuple[tuple[int, WeatherSamples], ...] = ()
    is_given: bool = False
    timed_legs: int = 0

    @property
    def label(self) -> str:
        """Name of the candidate."""
        return self.geometry.label

    @property
    def uses(self) -> tuple[PassageUse, ...]:
        """Uses of passages, in order."""
        return self.geometry.uses

    @property
    def legs(self) -> tuple[Leg, ...]:
        """Legs, in order."""
        return self.geometry.legs

    @property
    def depth_m(self) -> Floats:
        """Least charted depth of each segment [m], NaN where unknown."""
        return self.geometry.depth_m

    @property
    def mean_price(self) -> float:
        """Mean of the prices of areas over the miles of the track, 1 outside them."""
        return 1.0 + self.surcharge_nm / self.simulation.track.length_nm

    @property
    def unproven_nm(self) -> float:
        """Distance over unproven water, unproven passages included [nm]."""
        return float(self.simulation.track.distance_nm[self.geometry.is_unproven].sum())

    @property
    def depth_unknown_nm(self) -> float:
        """Distance on which no depth is known, wide or narrow [nm]."""
        return float(self.simulation.track.distance_nm[np.isnan(self.depth_m)].sum())

    @property
    def total_fuel_t(self) -> float:
        """Fuel of all types for the whole route [t]."""
        return float(self.fuel_t.sum())

    def list_passed_below(self, bridges: Iterable[Bridge]) -> list[BridgeCrossing]:
        """List the bridges that the route passes below, in order; the steps are legs by number."""
        track = self.simulation.track
        found = find_crossed(bridges, track.lats, track.lngs)
        return [each._replace(step=int(track.leg[each.step])) for each in found]

    def co2_t(self, fuel_type: FuelType) -> float:
        """Return the main engine's tank-to-wake CO2 [t]."""
        return self._co2_of(self.fuel_t, fuel_type)

    def auxiliaries(self, ship: ShipParticulars) -> tuple[float, float] | None:
        """Return fuel and CO2 of the auxiliaries [t], waits included; ``None`` if unknown.

        In an emission control area they burn the fuel type used there, in the mass that has the
        same energy.
        """
        if ship.auxiliary_t_per_day is None:
            return None
        factor = eca_factors(self.in_eca, ship.fuel_type)
        fuel_t = ship.auxiliary_t_per_day / HOURS_PER_DAY * np.diff(self.simulation.hours) * factor
        return float(fuel_t.sum()), self._co2_of(fuel_t, ship.fuel_type)

    def _co2_of(self, fuel_t: Floats, fuel_type: FuelType) -> float:
        """Return the CO2 of the fuel burnt on all segments [t], by the fuel type of each."""
        inside_t = float(fuel_t[self.in_eca].sum())
        outside_t = float(fuel_t.sum()) - inside_t
        return outside_t * co2_factor(fuel_type) + inside_t * co2_factor(fuel_in_eca(fuel_type))

    @property
    def max_wave_m(self) -> float | None:
        """Highest waves at the track's points and during waits [m], ``None`` if unknown."""
        known = (met for met in self._weather_shown if met.has_waves.any())
        return max((float(met.wave_height_m.max()) for met in known), default=None)

    @property
    def max_wind_ms(self) -> float | None:
        """Strongest wind at the track's points and during waits [m/s], ``None`` if unknown."""
        return max((float(met.wind_speed_ms.max()) for met in self._weather_shown), default=None)

    @property
    def _weather_shown(self) -> Iterator[WeatherSamples]:
        """Weather that the profile of a plan shows."""
        if self.weather is not None:
            yield self.weather
        yield from (met for _, met in self.weather_at_waits)

    @property
    def forecast_coverage_pct(self) -> float:
        """Share of the time in which waves and wind are from the forecast alone [%]."""
        if self.weather_at_middles is None:
            return 0.0
        # customary waits, without samples of their own, count with the segments after them
        hours = np.diff(self.simulation.hours)
        covered, weights_h = [self.weather_at_middles.is_forecast], [hours]
        for point, met in self.weather_at_waits:
            waited_h, count = self.simulation.waited_h[point], met.is_forecast.size
            hours[point] -= waited_h
            covered.append(met.is_forecast)
            weights_h.append(np.full(count, waited_h / count))
        return float(100.0 * np.average(np.concatenate(covered), weights=np.concatenate(weights_h)))

    @property
    def seas(self) -> SeasMet | None:
        """Waves and wind at points, at middles and during waits, ``None`` if unknown."""
        if self.weather is None or self.weather_at_middles is None:
            return None
        simulation = self.simulation
        points = np.arange(simulation.hours.size)
        middle_h = 0.5 * (simulation.left_h + simulation.hours[1:])
        parts = [
            (points, simulation.hours, self.weather),
            (points[:-1], middle_h, self.weather_at_middles),
        ]
        for point, met in self.weather_at_waits:
            count = met.wave_height_m.size
            waiting_h = np.linspace(simulation.hours[point], simulation.left_h[point], count)
            parts.append((np.full(count, point), waiting_h, met))
        numbers, hours, weather = zip(*parts, strict=True)
        order = np.argsort(np.concatenate(hours), kind="stable")
        return SeasMet(
            simulation.departs_at,
            np.concatenate(numbers)[order],
            np.concatenate(hours)[order],
            np.concatenate([met.wave_height_m for met in weather])[order],
            np.concatenate([met.wind_speed_ms for met in weather])[order],
        )

    def weather_at(self, point: int) -> Weather | None:
        """Return the weather at a point of the track."""
        return None if self.weather is None else self.weather.records[point]
