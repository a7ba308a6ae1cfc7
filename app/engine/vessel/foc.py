"""Fuel oil consumption of a ship in service, from its particulars alone.

The consumption is that of owners' and charterers' speed and consumption tables: at design draught,
in the weather and with the hull fouling of ordinary service, not of a sea trial.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.constants import HOURS_PER_DAY
from app.engine.particulars import AS_ESTIMATED, Loading, MeasuredResponse, ShipParticulars
from app.engine.vessel.building import build_ship, expected_mcr_kw
from app.engine.vessel.evidence import estimate_log_fuel_error
from app.engine.vessel.loaded_ship import FOULING
from app.engine.vessel.sea_state import OCEAN_WAVE_M, OCEAN_WIND_MS, usual_peak_period_s
from app.engine.vessel.ship import Ship
from app.engine.weather.records import Weather, WeatherSource

#: Beaufort force of the sea of ordinary service for an ocean-going ship.
SERVICE_BEAUFORT: Final = 5.0

#: Ships shorter than the first length [m] trade in lower seas: three quarters of the wave height
#: at the second, linear between (the scale of MEPC.1/Circ.850/Rev.3 for adverse conditions), and
#: below that in proportion to length.
_OCEAN_LENGTH_M: Final = 250.0
_REGIONAL_LENGTH_M: Final = 200.0
_REGIONAL_SHARE: Final = 0.75

#: Directions off the bow of that weather [deg] and their weights.
_DIRECTIONS: Final = ((0.0, 0.5), (45.0, 1.0), (90.0, 1.0), (135.0, 1.0), (180.0, 0.5))

#: Speeds of the curve over the service speed.
_CURVE: Final = (0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 1.00, 1.05, 1.10)

_METHOD: Final = (
    "Holtrop-Mennen 1984 resistance and propulsion (container ships: wave-making of tested hulls), "
    "Wageningen B-series propeller, "
    "Fourth IMO GHG Study consumption curve by year and hull fouling; year of build and installed "
    "power as evidence; main engine, design draught, "
    "Beaufort 5, or the lower sea of short ships, from all directions (SNNM waves, Fujiwara wind)"
)


@dataclass(frozen=True, slots=True)
class FocPoint:
    """A point of the curve: speed [kn], main-engine fuel [t/day], brake power [kW]."""

    speed_kn: float
    foc_mt_per_day: float
    power_kw: float


@dataclass(frozen=True, slots=True)
class FocEstimate:
    """Consumption at the service speed, and the curve around it.

    ``inputs`` are the particulars used, by name, including those assumed because they were not
    given; ``standard_error_mt_per_day`` depends on the evidence on the ship.
    """

    foc_mt_per_day: float
    standard_error_mt_per_day: float
    service_speed_kn: float
    power_kw: float
    sfoc_g_per_kwh: float
    method: str
    curve: tuple[FocPoint, ...]
    inputs: Mapping[str, float | str | None]


def estimate_foc(particulars: ShipParticulars) -> FocEstimate:
    """Estimate the fuel oil consumption in service at the design draught.

    The curve has points within the speed range of the resistance method and the engine's power.
    """
    loading = Loading(particulars.draft_design_m, 0.0, particulars.dwt_t)
    ship = build_ship(particulars, loading)
    service = service_point(ship, particulars.service_speed_kn)
    low_kn, high_kn = ship.speed_range_kn
    speeds = [share * particulars.service_speed_kn for share in _CURVE]
    curve = [service_point(ship, v) for v in speeds if low_kn <= v <= high_kn]
    return FocEstimate(
        foc_mt_per_day=service.foc_mt_per_day,
        standard_error_mt_per_day=stated_fuel_error(particulars) * service.foc_mt_per_day,
        service_speed_kn=particulars.service_speed_kn,
        power_kw=service.power_kw,
        sfoc_g_per_kwh=service.foc_mt_per_day / HOURS_PER_DAY / service.power_kw * 1e6,
        method=_METHOD,
        curve=tuple(p for p in curve if p.power_kw <= ship.engine.mcr_kw or p == service),
        inputs=_inputs(ship),
    )


def fuel_standard_error(particulars: ShipParticulars) -> float:
    """Return the standard error of the logarithm of fuel in service, from particulars alone."""
    return estimate_log_fuel_error(particulars, expected_mcr_kw(particulars))


def stated_fuel_error(particulars: ShipParticulars) -> float:
    """Return the standard error of the logarithm of fuel: as measured, or else as estimated."""
    measured = particulars.response.standard_error
    return fuel_standard_error(particulars) if measured is None else measured


def service_point(ship: Ship, speed_kn: float, beaufort: float = SERVICE_BEAUFORT) -> FocPoint:
    """Compute fuel and power of a ship, as loaded, in weather of a Beaufort force."""
    weights = np.array([weight for _, weight in _DIRECTIONS])
    length_m = ship.particulars.lbp_m
    met = [
        ship.performance(speed_kn, weather=service_weather(length_m, angle, beaufort))
        for angle, _ in _DIRECTIONS
    ]
    fuel = np.average([p.fuel_t_per_h for p in met], weights=weights)
    power = np.average([p.power_kw for p in met], weights=weights)
    return FocPoint(speed_kn, HOURS_PER_DAY * float(fuel), float(power))


def service_weather(
    length_m: float, from_deg: float, beaufort: float = SERVICE_BEAUFORT
) -> Weather:
    """Return ordinary weather from a direction [deg] for ships of a length [m].

    It is that of a Beaufort force at sea, and lower for short ships.
    """
    return beaufort_weather(beaufort, from_deg, _sea_share(length_m))


def beaufort_weather(beaufort: float, from_deg: float, wave_share: float = 1.0) -> Weather:
    """Return weather of a Beaufort force from a direction [deg], or with a share of its waves.

    The wind is proportional to the Beaufort force to the power 1.5 and to the root of the wave
    height, as in a fully developed sea; the peak period is the usual one, at least 1 s.
    """
    share = wave_share * (beaufort / SERVICE_BEAUFORT) ** 3
    height_m = OCEAN_WAVE_M * share
    return Weather(
        wave_height_m=height_m,
        wave_period_s=max(float(usual_peak_period_s(height_m)), 1.0),
        wave_from_deg=from_deg,
        wind_speed_ms=OCEAN_WIND_MS * math.sqrt(share),
        wind_from_deg=from_deg,
        current_speed_kn=0.0,
        current_to_deg=0.0,
        wave_source=WeatherSource.CLIMATOLOGY,
        wind_source=WeatherSource.CLIMATOLOGY,
        current_source=WeatherSource.CLIMATOLOGY,
    )


def _sea_share(length_m: float) -> float:
    """Return the wave height of service over that of ocean-going ships, by length [m]."""
    if length_m < _REGIONAL_LENGTH_M:
        return _REGIONAL_SHARE * length_m / _REGIONAL_LENGTH_M
    step = (length_m - _REGIONAL_LENGTH_M) / (_OCEAN_LENGTH_M - _REGIONAL_LENGTH_M)
    return min(_REGIONAL_SHARE + (1.0 - _REGIONAL_SHARE) * step, 1.0)


def _inputs(ship: Ship) -> dict[str, float | str | None]:
    given = ship.particulars
    return {
        "type": given.ship_type.value,
        "dwt": given.dwt_t,
        "lbp": given.lbp_m,
        "breadth": given.breadth_m,
        "draftDesign": given.draft_design_m,
        "serviceSpeed": given.service_speed_kn,
        "pitch": given.pitch_m,
        "pitchAssumed": None if given.pitch_m is not None else round(ship.propeller.pitch_m, 2),
        "propellerDiameter": round(ship.propeller.diameter_m, 2),
        "installedPowerKw": round(ship.engine.mcr_kw),
        "blockCoefficient": round(ship.hull.block_coefficient_lpp, 3),
        "displacementMt": round(ship.hull.displacement_t),
        "fuelType": given.fuel_type.value,
        "fouling": round(FOULING, 3),
        "yearBuilt": given.year_built,
        "powerByYearAndEngine": round(math.exp(ship.log_power), 3),
    } | _measured(given.response)


def _measured(response: MeasuredResponse) -> dict[str, float | str | None]:
    """Return the measured factors over the estimate from particulars, if there are any."""
    if response == AS_ESTIMATED:
        return {}
    return {
        "measuredResistanceFactor": round(response.calm, 3),
        "measuredWeatherFactor": round(response.weather, 3),
    }
