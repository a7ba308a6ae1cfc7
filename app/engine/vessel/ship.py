"""Model of a ship on a voyage: power and fuel at a speed in any weather.

:func:`~app.engine.vessel.building.build_ship` builds a :class:`Ship` from particulars and loading;
:meth:`Ship.performance` is the reference calculation by the published formulas;
``Ship.kernel_parameters`` are the parameters of the compiled kernels.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from app.engine.constants import SEA_WATER_DENSITY_KGM3
from app.engine.units import KNOT_MS, direction_difference
from app.engine.vessel import kernels, seakeeping, tables
from app.engine.vessel.drift import drift_resistance_n
from app.engine.vessel.loaded_ship import LoadedShip
from app.engine.vessel.machinery import sfoc_g_per_kwh
from app.engine.vessel.propeller import operating_point
from app.engine.vessel.relative_sea import RelativeSea
from app.engine.vessel.seaway import irregular_wave_resistance_n
from app.engine.vessel.shallow_water import deep_water_speed_ms
from app.engine.vessel.turning import TurningAbility, estimate_turning_ability
from app.engine.vessel.wind import apparent_wind, wind_resistance_n
from app.engine.weather.records import Weather

#: Calm, deep water.
_CALM_SEA: Final = RelativeSea(0.0, 0.0, 0.0, 0.0, 0.0, math.inf)


@dataclass(frozen=True, slots=True)
class ResistanceParts:
    """Parts of the resistance [N]: calm deep water, shallow water, waves, wind, leeway."""

    calm_n: float
    shallow_n: float
    wave_n: float
    wind_n: float
    drift_n: float

    @property
    def total_n(self) -> float:
        """Total resistance [N], at least a tenth of that of calm water."""
        total = self.calm_n + self.shallow_n + self.wave_n + self.wind_n + self.drift_n
        return max(total, kernels.RESISTANCE_FLOOR * self.calm_n)


@dataclass(frozen=True, slots=True)
class Performance:
    """Power, shaft speed and fuel at a speed.

    ``load`` is power over MCR, also above 1.
    """

    speed_through_water_kn: float
    power_kw: float
    rpm: float
    fuel_t_per_h: float
    load: float
    resistance: ResistanceParts


@dataclass(frozen=True)
class Ship(LoadedShip):
    """A ship as loaded for a voyage, with its performance in weather."""

    @cached_property
    def kernel_parameters(self) -> kernels.KernelParameters:
        """Parameters of the compiled kernels; computed at first use."""
        return tables.build_kernel_parameters(self)

    @cached_property
    def seakeeping_parameters(self) -> seakeeping.SeakeepingParameters:
        """Parameters of the compiled seaway risks; computed at first use."""
        return seakeeping.build_seakeeping_parameters(self)

    @cached_property
    def turning_ability(self) -> TurningAbility:
        """Turn radii at service speed, as loaded."""
        return estimate_turning_ability(self.hull, self.particulars.service_speed_kn)

    def performance(
        self,
        speed_through_water_kn: float,
        *,
        course_deg: float = 0.0,
        weather: Weather | None = None,
        depth_m: float | None = None,
    ) -> Performance:
        """Compute power, shaft speed and fuel at a speed.

        The speed through the water is above zero, the course is the heading in degrees true.
        Without ``weather`` the sea is calm; its current is not used. Without ``depth_m`` [m] the
        water is deep.
        """
        speed_ms = speed_through_water_kn * KNOT_MS
        parts = self._resistance(speed_ms, course_deg, weather, depth_m)
        power_kw, rpm = self.power_for_resistance(speed_ms, parts.total_n)
        load = power_kw / self.engine.mcr_kw
        return Performance(
            speed_through_water_kn=speed_through_water_kn,
            power_kw=power_kw,
            rpm=rpm,
            fuel_t_per_h=power_kw * sfoc_g_per_kwh(self.engine, load) * 1e-6,
            load=load,
            resistance=parts,
        )

    def attainable_speed_kn(self, ordered_kn: float, sea: RelativeSea = _CALM_SEA) -> float:
        """Return the highest speed up to the ordered one that engine and motions allow [kn]."""
        return kernels.attainable_speed_kn(self.kernel_parameters, ordered_kn, sea)

    def voluntary_speed_kn(self, course_deg: float, weather: Weather) -> float:
        """Return the greatest speed [kn] with acceptable motions; infinite if not limited."""
        off_bow = abs(float(direction_difference(weather.wave_from_deg, course_deg)))
        return kernels.voluntary_speed_kn(
            self.kernel_parameters, weather.wave_height_m, weather.wave_period_s, off_bow
        )

    def power_for_resistance(self, speed_ms: float, resistance_n: float) -> tuple[float, float]:
        """Compute brake power [kW] and shaft speed [rpm].

        The open-water thrust of the propeller is the resistance over (1 - t); the wake is that of
        the service speed.
        """
        screws, diameter_m = self.hull.screws, self.propeller.diameter_m
        thrust_n = resistance_n / (1.0 - self.factors.thrust_deduction) / screws
        advance_ms = speed_ms * (1.0 - self.factors.wake_fraction)
        loading = thrust_n / (SEA_WATER_DENSITY_KGM3 * diameter_m**2 * advance_ms**2)
        point = operating_point(self.propeller, loading)
        per_second = advance_ms / (point.advance_ratio * diameter_m)
        torque_nm = (
            point.torque_coefficient * SEA_WATER_DENSITY_KGM3 * per_second**2 * diameter_m**5
        ) / self.factors.relative_rotative_efficiency
        delivered_kw = 2.0e-3 * math.pi * per_second * torque_nm * screws
        power_kw = delivered_kw / self.engine.transmission_efficiency * self.in_service_factor
        return power_kw, 60.0 * per_second

    def _resistance(
        self, speed_ms: float, course_deg: float, weather: Weather | None, depth_m: float | None
    ) -> ResistanceParts:
        calm_n = self.calm_resistance_n(speed_ms)
        shallow_n = self._shallow_n(speed_ms, calm_n, depth_m)
        if weather is None:
            return ResistanceParts(calm_n, shallow_n, 0.0, 0.0, 0.0)
        low, high = self.speed_range_ms
        wave_n = irregular_wave_resistance_n(
            self.wave_hull,
            min(max(speed_ms, low), high),
            weather.wave_height_m,
            weather.wave_period_s,
            float(direction_difference(weather.wave_from_deg, course_deg)),
        )
        angle_deg = float(direction_difference(weather.wind_from_deg, course_deg))
        wind_n = wind_resistance_n(
            self.wind, self.superstructure.front_area_m2, speed_ms, weather.wind_speed_ms, angle_deg
        )
        drift_n = self._drift_n(speed_ms, weather.wind_speed_ms, angle_deg)
        measured = self.particulars.response.weather
        return ResistanceParts(
            calm_n, shallow_n, measured * wave_n, measured * wind_n, measured * drift_n
        )

    def _shallow_n(self, speed_ms: float, calm_n: float, depth_m: float | None) -> float:
        if depth_m is None or depth_m >= self.deep_water_m:
            return 0.0
        deep_ms = deep_water_speed_ms(speed_ms, depth_m, self.midship_area_m2)
        return self.calm_resistance_n(deep_ms) * deep_ms / speed_ms - calm_n

    def _drift_n(self, speed_ms: float, wind_speed_ms: float, angle_deg: float) -> float:
        apparent_ms, _ = apparent_wind(speed_ms, wind_speed_ms, angle_deg)
        across_ms = abs(wind_speed_ms * math.sin(math.radians(angle_deg)))
        sailing_ms = max(speed_ms, self.speed_range_ms[0])
        return float(
            drift_resistance_n(
                self.side_pressure_area * apparent_ms * across_ms, self.lift_slope * sailing_ms**2
            )
        )
