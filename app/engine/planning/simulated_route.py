"""A simulated route: a geometry with its simulation, fuel, depths and weather."""

from dataclasses import dataclass

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.particulars import FuelType, ShipParticulars
from app.engine.plan import Weather
from app.engine.planning.route_geometry import RouteGeometry
from app.engine.sailing.simulation import Simulation
from app.engine.sea.path import Leg, PassageUse
from app.engine.vessel import co2_factor, eca_factors, fuel_in_eca
from app.engine.weather import WeatherSamples


@dataclass(frozen=True, slots=True)
class SimulatedRoute:
    """A route geometry simulated in time; ``simulation`` has its track.

    For each segment of the track, shape (n,): ``in_eca`` is whether it lies in an emission control
    area, ``fuel_t`` the fuel burnt [t] of the type burnt there, and ``ukc_m`` the under-keel
    clearance [m], NaN where unknown. ``weather`` is sampled at the track's n + 1 points and
    ``weather_at_middles`` in the middle of its segments, ``None`` if no weather is known;
    ``weather_at_waits`` during the wait at each point where the ship waits. ``priced_fuel_t`` is
    the fuel weighted by the prices of areas.
    """

    geometry: RouteGeometry
    simulation: Simulation
    in_eca: Bools
    fuel_t: Floats
    ukc_m: Floats
    weather: WeatherSamples | None
    priced_fuel_t: float
    weather_at_middles: WeatherSamples | None = None
    weather_at_waits: tuple[tuple[int, WeatherSamples], ...] = ()

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
    def unproven_nm(self) -> float:
        """Distance of unknown depth on legs that cross unproven water [nm]."""
        legs = [number for number, leg in enumerate(self.legs) if leg.is_unproven]
        track = self.simulation.track
        return float(track.distance_nm[np.isin(track.leg, legs) & np.isnan(self.depth_m)].sum())

    @property
    def depth_unknown_nm(self) -> float:
        """Distance on which no depth is known, wide or narrow [nm]."""
        return float(self.simulation.track.distance_nm[np.isnan(self.depth_m)].sum())

    @property
    def total_fuel_t(self) -> float:
        """Fuel of all types for the whole route [t]."""
        return float(self.fuel_t.sum())

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
        fuel_t = ship.auxiliary_t_per_day / 24.0 * np.diff(self.simulation.hours) * factor
        return float(fuel_t.sum()), self._co2_of(fuel_t, ship.fuel_type)

    def _co2_of(self, fuel_t: Floats, fuel_type: FuelType) -> float:
        """Return the CO2 of the fuel burnt on all segments [t], by the fuel type of each."""
        inside_t = float(fuel_t[self.in_eca].sum())
        outside_t = float(fuel_t.sum()) - inside_t
        return outside_t * co2_factor(fuel_type) + inside_t * co2_factor(fuel_in_eca(fuel_type))

    def weather_at(self, point: int) -> Weather | None:
        """Return the weather at a point of the track."""
        return None if self.weather is None else self.weather.records[point]
