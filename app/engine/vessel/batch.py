"""Fuel at many speeds in each of many sea states, in one compiled pass.

A search looks at the same water at the same hour with every speed it may
choose. What depends on the speed alone is worked out once per call, what
depends on the sea alone once per sea state; what is left for a pair is a few
multiplications and two square roots in loops that the compiler turns into
vector instructions. The answers are those of :func:`app.engine.vessel.kernels.fuel_rate`.
"""

import math

import numba
import numpy as np
from numpy.typing import NDArray

from app.engine.units import KNOT_MS
from app.engine.vessel import kernels as k
from app.engine.vessel.drift import DRIFT_MAX_RAD
from app.engine.vessel.machinery import LOAD_MAX, LOAD_MIN, SFOC_0, SFOC_1, SFOC_2

Array = NDArray[np.float64]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def fuel_rates(
    parameters: k.KernelParameters,
    speeds_kn: Array,
    course_deg: Array,
    wave_height_m: Array,
    wave_period_s: Array,
    wave_from_deg: Array,
    wind_speed_ms: Array,
    wind_from_deg: Array,
    fuel_t_per_h: Array,
) -> None:
    """Fuel [t/h] of each speed in each sea state, in deep water.

    Parameters
    ----------
    parameters
        The ship.
    speeds_kn
        Speeds through the water [kn], shape (m,), above zero.
    course_deg, wave_height_m, wave_period_s, wave_from_deg, wind_speed_ms, wind_from_deg
        The ship's heading and the weather, shapes (n,), units as in ``fuel_rate``.
    fuel_t_per_h
        Filled with the answer, shape (n, m).
    """
    scalars = parameters.scalars
    speeds = speeds_kn * KNOT_MS
    terms = np.empty((4, speeds.size))
    of_speed_alone(scalars, speeds, terms)
    calm, per_lift, loading, cubes = terms[0], terms[1], terms[2], terms[3]
    total = np.empty_like(speeds)
    wave = np.empty(4)
    for i in range(course_deg.size):
        off_bow = k.off_bow_deg(wave_from_deg[i], course_deg[i])
        along_ms, across_ms = k.wind_components_ms(
            wind_speed_ms[i], wind_from_deg[i], course_deg[i]
        )
        k.wave_cubic(parameters, wave_height_m[i], wave_period_s[i], off_bow, wave)
        add_resistance(
            scalars,
            speeds,
            calm,
            per_lift,
            wave,
            along_ms,
            across_ms,
            total,
        )
        fuel_of_resistance(scalars, loading, cubes, total, fuel_t_per_h[i])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def of_speed_alone(scalars: Array, speeds: Array, terms: Array) -> None:
    """Fill ``terms``, shape (4, m), with what depends on speeds [m/s], shape (m,), alone.

    Calm-water resistance [N]; drift per side force [1/N]; the loading per resistance
    [1/N]; what turns a torque loading into kW.
    """
    for j in range(speeds.size):
        speed = speeds[j]
        sailing = max(speed, scalars[k.SPEED_MIN_MS])
        terms[0, j] = k.calm_resistance_n(scalars, speed)
        terms[1, j] = 1.0 / (scalars[k.LIFT_SLOPE] * sailing * sailing)
        terms[2, j] = scalars[k.LOADING_SCALE] / (speed * speed)
        terms[3, j] = scalars[k.POWER_SCALE] * speed**3


@numba.njit(cache=True, nogil=True, error_model="numpy")
def add_resistance(
    scalars: Array,
    speeds: Array,
    calm: Array,
    per_lift: Array,
    wave: Array,
    along_ms: float,
    across_ms: float,
    total: Array,
) -> None:
    """Calm water, waves, wind and leeway at each speed [N]; still air where both winds are 0.

    The formulas of ``kernels.wind_resistance_n``, with its branches as choices of
    value so that the loop vectorises.
    """
    low, high = scalars[k.SPEED_MIN_MS], scalars[k.SPEED_MAX_MS]
    w0, w1, w2, w3 = wave[0], wave[1], wave[2], wave[3]
    f0, f1, f2 = scalars[k.WIND_AHEAD], scalars[k.WIND_AHEAD + 1], scalars[k.WIND_AHEAD + 2]
    a0, a1, a2 = scalars[k.WIND_ASTERN], scalars[k.WIND_ASTERN + 1], scalars[k.WIND_ASTERN + 2]
    beam_fore, beam_aft = scalars[k.BEAM_AHEAD], scalars[k.BEAM_ASTERN]
    still = scalars[k.STILL_AIR_COEFFICIENT]
    pressure, side = scalars[k.WIND_PRESSURE_AREA], scalars[k.SIDE_PRESSURE_AREA]
    half_beam = 0.5 / k.BEAM_COSINE
    across_squared, across = across_ms * across_ms, abs(across_ms)
    windy = 1.0 if along_ms != 0.0 or across_ms != 0.0 else 0.0
    for j in range(speeds.size):
        speed = speeds[j]
        held = min(max(speed, low), high)
        waves_n = max(w0 + held * (w1 + held * (w2 + held * w3)), 0.0)
        ahead = speed + along_ms
        squared = ahead * ahead + across_squared
        apparent = math.sqrt(squared) + 1e-9
        inverse = 1.0 / apparent
        cosine, sine = ahead * inverse, across * inverse
        c_squared = cosine * cosine
        fore = cosine > 0.0
        outer = cosine * (
            (f0 if fore else a0)
            + (f1 if fore else a1) * sine * sine * (1.0 - 0.5 * c_squared)
            + (f2 if fore else a2) * sine * c_squared
        )
        share = 0.5 + cosine * half_beam
        inner = beam_aft + share * (beam_fore - beam_aft)
        coefficient = inner if abs(cosine) < k.BEAM_COSINE else outer
        side_n = side * apparent * across
        drift_n = 0.5 * side_n * min(side_n * per_lift[j], DRIFT_MAX_RAD)
        wind_n = pressure * (coefficient * squared - still * speed * speed) + drift_n
        total[j] = max(calm[j] + waves_n + windy * wind_n, k.RESISTANCE_FLOOR * calm[j])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def fuel_of_resistance(
    scalars: Array, loading: Array, cubes: Array, total: Array, fuel: Array
) -> None:
    """Fuel [t/h] for resistances [N]; ``kernels.power_for_resistance``."""
    root_max, per_root_max = scalars[k.LOADING_ROOT_MAX], 1.0 / scalars[k.LOADING_ROOT_MAX]
    t0, t1, t2, t3 = (
        scalars[k.TORQUE],
        scalars[k.TORQUE + 1],
        scalars[k.TORQUE + 2],
        scalars[k.TORQUE + 3],
    )
    t4, t5, t6 = scalars[k.TORQUE + 4], scalars[k.TORQUE + 5], scalars[k.TORQUE + 6]
    per_mcr, fuel_scale = 1.0 / scalars[k.MCR_KW], scalars[k.FUEL_SCALE]
    for j in range(total.size):
        root = math.sqrt(total[j] * loading[j])
        x = min(root, root_max)
        torque = t0 + x * (t1 + x * (t2 + x * (t3 + x * (t4 + x * (t5 + x * t6)))))
        # Beyond the open-water curve torque goes as at the bollard.
        over = max(root * per_root_max, 1.0)
        power_kw = cubes[j] * torque * over * over * over
        load = min(max(power_kw * per_mcr, LOAD_MIN), LOAD_MAX)
        fuel[j] = fuel_scale * power_kw * (SFOC_0 + load * (SFOC_1 + load * SFOC_2))
