"""Arrays of a ship for the compiled kernels."""

from typing import Final

import numpy as np
from numpy.polynomial import chebyshev, polynomial

from app.engine.arrays import Floats
from app.engine.constants import AIR_DENSITY_KGM3, SEA_WATER_DENSITY_KGM3
from app.engine.vessel import kernels as k
from app.engine.vessel import voluntary_speed
from app.engine.vessel.loaded_ship import LoadedShip
from app.engine.vessel.propeller import loading_curves
from app.engine.vessel.seaway import (
    HEADINGS_DEG,
    PERIOD_MAX_S,
    PERIOD_MIN_S,
    resistance_per_height_squared,
)
from app.engine.vessel.wind import wind_coefficient

_PERIODS_S: Final = np.linspace(PERIOD_MIN_S, PERIOD_MAX_S, 45)


def build_kernel_parameters(ship: LoadedShip) -> k.KernelParameters:
    """Fit the polynomials and compute the tables of a ship."""
    scalars = np.zeros(k.SCALARS)
    _fill_calm(ship, scalars)
    _fill_propulsion(ship, scalars)
    _fill_wind(ship, scalars)
    scalars[k.MIDSHIP_AREA_M2] = ship.midship_area_m2
    scalars[k.DEPTH_LIMIT_M] = ship.deep_water_m
    scalars[k.DRAFT_M] = ship.hull.draft_m
    scalars[k.PERIOD_MIN_S] = PERIOD_MIN_S
    scalars[k.PERIOD_STEP_S] = _PERIODS_S[1] - _PERIODS_S[0]
    scalars[k.HEADING_STEP_DEG] = HEADINGS_DEG[1] - HEADINGS_DEG[0]
    scalars[k.LENGTH_M] = ship.hull.length_perpendiculars_m
    scalars[k.SERVICE_KN] = ship.particulars.service_speed_kn
    speeds_kn = voluntary_speed.table_speeds_kn(ship)
    scalars[[k.VOLUNTARY_FROM_KN, k.VOLUNTARY_TO_KN]] = speeds_kn[[0, -1]]
    voluntary = voluntary_speed.allowed_height_table(ship, speeds_kn)
    least = voluntary_speed.least_speeds_kn(ship, speeds_kn, voluntary)
    waves = ship.particulars.response.weather * _wave_table(ship)
    return k.KernelParameters(scalars, waves, voluntary, least)


def _wave_table(ship: LoadedShip) -> Floats:
    """Fit cubics in speed to added resistance over Hs^2, shape (periods, headings, 4)."""
    low, high = ship.speed_range_ms
    speeds = np.linspace(low, high, 9)
    samples = np.stack(
        [
            resistance_per_height_squared(ship.wave_hull, float(v), _PERIODS_S, HEADINGS_DEG)
            for v in speeds
        ]
    )
    fitted = polynomial.polyfit(speeds, samples.reshape(speeds.size, -1), 3)
    return np.ascontiguousarray(fitted.T.reshape(*samples.shape[1:], 4))


def _fill_calm(ship: LoadedShip, scalars: Floats) -> None:
    low, high = ship.speed_range_ms
    centre, half = 0.5 * (low + high), 0.5 * (high - low)
    nodes = chebyshev.chebpts1(40)
    speeds = centre + half * nodes
    drag = [ship.calm_resistance_n(float(v)) / float(v) ** 2 for v in speeds]
    fitted = chebyshev.cheb2poly(chebyshev.chebfit(nodes, drag, k.CALM_DEGREE))
    # shorter where the highest coefficients are zero
    scalars[k.CALM : k.CALM + fitted.size] = fitted
    scalars[[k.SPEED_MIN_MS, k.SPEED_MAX_MS]] = low, high
    scalars[[k.SPEED_CENTRE_MS, k.SPEED_HALF_SPAN_MS]] = centre, half


def _fill_propulsion(ship: LoadedShip, scalars: Floats) -> None:
    loading, torque, turns = loading_curves(ship.propeller)
    root = np.sqrt(loading)
    for start, values in ((k.TORQUE, torque), (k.REVOLUTIONS, turns)):
        scalars[start : start + k.PROPELLER_DEGREE + 1] = polynomial.polyfit(
            root, values, k.PROPELLER_DEGREE, w=1.0 / values
        )
    advance = 1.0 - ship.factors.wake_fraction
    diameter_m, screws = ship.propeller.diameter_m, ship.hull.screws
    area = SEA_WATER_DENSITY_KGM3 * diameter_m**2
    scalars[k.LOADING_SCALE] = 1.0 / (
        (1.0 - ship.factors.thrust_deduction) * screws * area * advance**2
    )
    scalars[k.LOADING_ROOT_MAX] = root[-1]
    efficiency = ship.factors.relative_rotative_efficiency * ship.engine.transmission_efficiency
    scalars[k.POWER_SCALE] = (
        2.0 * np.pi * area * advance**3 * screws * ship.in_service_factor / efficiency / 1000.0
    )
    scalars[k.RPM_SCALE] = 60.0 * advance / diameter_m
    scalars[k.FUEL_SCALE] = ship.engine.base_sfoc_g_kwh * 1e-6
    scalars[k.MCR_KW] = ship.engine.mcr_kw
    scalars[k.RPM_MAX] = np.inf if ship.rpm_max is None else ship.rpm_max


def _fill_wind(ship: LoadedShip, scalars: Floats) -> None:
    # drift resistance is side force squared over lift, so that scaling both scales it alike
    measured = ship.particulars.response.weather
    front_m2 = ship.superstructure.front_area_m2
    scalars[k.WIND_PRESSURE_AREA] = measured * 0.5 * AIR_DENSITY_KGM3 * front_m2
    scalars[k.SIDE_PRESSURE_AREA] = measured * ship.side_pressure_area
    scalars[k.LIFT_SLOPE] = measured * ship.lift_slope
    scalars[k.STILL_AIR_COEFFICIENT] = wind_coefficient(ship.wind, 0.0)
    scalars[k.BEAM_AHEAD] = wind_coefficient(ship.wind, 80.0)
    scalars[k.BEAM_ASTERN] = wind_coefficient(ship.wind, 100.0)
    scalars[k.WIND_AHEAD : k.WIND_AHEAD + 3] = ship.wind.ahead
    scalars[k.WIND_ASTERN : k.WIND_ASTERN + 3] = ship.wind.astern
