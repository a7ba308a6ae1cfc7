"""Fuel rates of many speeds in many sea states, in compiled, vectorised loops.

Terms of the speed alone are computed once per speed, terms of the sea alone once per sea state;
each pair then takes a few multiplications and two square roots, in loops over the sea states that
the compiler vectorises. Results equal those of :func:`app.engine.vessel.kernels.fuel_rate`.
"""

import math
from typing import Final

from app.engine.arrays import Floats
from app.engine.compiled import njit_borrowing
from app.engine.vessel import kernels as k
from app.engine.vessel.drift import DRIFT_MAX_RAD
from app.engine.vessel.machinery import sfoc_over_base

#: Rows of arrays of sea states relative to a ship's course: coefficients of added resistance [N]
#: as a cubic in the speed [m/s], the constant first; components of the true wind from ahead and
#: from abeam [m/s].
SEA_ROWS: Final = 6
WAVES, ALONG_MS, ACROSS_MS = 0, 4, 5
#: Index of the speed [m/s] in :func:`speed_terms`.
SPEED_TERM: Final = 4


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def speed_terms(scalars: Floats, speed_ms: float) -> tuple[float, float, float, float, float]:
    """Return the terms that depend on a speed [m/s] alone.

    Calm-water resistance [N]; drift angle per side force [1/N]; thrust loading per resistance
    [1/N]; power per torque loading [kW]; the speed [m/s].
    """
    sailing_ms = max(speed_ms, scalars[k.SPEED_MIN_MS])
    return (
        k.calm_resistance_n(scalars, speed_ms),
        1.0 / (scalars[k.LIFT_SLOPE] * sailing_ms * sailing_ms),
        scalars[k.LOADING_SCALE] / (speed_ms * speed_ms),
        scalars[k.POWER_SCALE] * speed_ms**3,
        speed_ms,
    )


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def add_resistance(
    scalars: Floats, terms: tuple[float, float, float, float, float], seas: Floats, total: Floats
) -> None:
    """Compute the resistance of calm water, waves, wind and leeway at one speed [N], shape (n,).

    ``terms`` are :func:`speed_terms`; ``total`` is the output, and ``seas`` may have more
    columns. Air is still where both wind components are 0. The formulas are those of
    ``kernels.wind_resistance_n``, without branches so that the loop vectorises.
    """
    calm, per_lift, _, _, speed = terms
    clipped = min(max(speed, scalars[k.SPEED_MIN_MS]), scalars[k.SPEED_MAX_MS])
    f0, f1, f2 = scalars[k.WIND_AHEAD], scalars[k.WIND_AHEAD + 1], scalars[k.WIND_AHEAD + 2]
    a0, a1, a2 = scalars[k.WIND_ASTERN], scalars[k.WIND_ASTERN + 1], scalars[k.WIND_ASTERN + 2]
    beam_fore, beam_aft = scalars[k.BEAM_AHEAD], scalars[k.BEAM_ASTERN]
    still_n = scalars[k.STILL_AIR_COEFFICIENT] * speed * speed
    pressure, side = scalars[k.WIND_PRESSURE_AREA], scalars[k.SIDE_PRESSURE_AREA]
    half_beam, floor_n = 0.5 / k.BEAM_COSINE, k.RESISTANCE_FLOOR * calm
    for i in range(total.size):
        w0, w1, w2, w3 = seas[0, i], seas[1, i], seas[2, i], seas[3, i]
        along, across = seas[ALONG_MS, i], abs(seas[ACROSS_MS, i])
        waves_n = max(w0 + clipped * (w1 + clipped * (w2 + clipped * w3)), 0.0)
        ahead = speed + along
        squared = ahead * ahead + across * across
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
        drift_n = 0.5 * side_n * min(side_n * per_lift, DRIFT_MAX_RAD)
        wind_n = pressure * (coefficient * squared - still_n) + drift_n
        windy = 1.0 if along != 0.0 or across != 0.0 else 0.0
        total[i] = max(calm + waves_n + windy * wind_n, floor_n)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def fuel_of_resistance(
    scalars: Floats, terms: tuple[float, float, float, float, float], total: Floats, fuel: Floats
) -> None:
    """Compute the fuel [t/h] of resistances [N] at one speed, as ``power_for_resistance``."""
    _, _, loading, cube, _ = terms
    root_max, per_root_max = scalars[k.LOADING_ROOT_MAX], 1.0 / scalars[k.LOADING_ROOT_MAX]
    t0, t1, t2, t3 = (
        scalars[k.TORQUE],
        scalars[k.TORQUE + 1],
        scalars[k.TORQUE + 2],
        scalars[k.TORQUE + 3],
    )
    t4, t5, t6 = scalars[k.TORQUE + 4], scalars[k.TORQUE + 5], scalars[k.TORQUE + 6]
    per_mcr, fuel_scale = 1.0 / scalars[k.MCR_KW], scalars[k.FUEL_SCALE]
    for i in range(total.size):
        root = math.sqrt(total[i] * loading)
        x = min(root, root_max)
        torque = t0 + x * (t1 + x * (t2 + x * (t3 + x * (t4 + x * (t5 + x * t6)))))
        # beyond the open-water curve torque is extrapolated as at bollard pull
        over = max(root * per_root_max, 1.0)
        power_kw = cube * torque * over * over * over
        fuel[i] = fuel_scale * power_kw * sfoc_over_base(power_kw * per_mcr)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def engine_limit_ratio(
    scalars: Floats, terms: tuple[float, float, float, float, float], total: Floats, strain: Floats
) -> None:
    """Compute the ratio of one speed's demand to the limits of power and shaft speed, (n,).

    ``strain`` is the output: 1 where the speed can just be kept against the resistance ``total``
    [N]. It is about linear in the speed, because the cube root of power is taken.
    """
    _, _, loading, cube, speed = terms
    root_max, per_root_max = scalars[k.LOADING_ROOT_MAX], 1.0 / scalars[k.LOADING_ROOT_MAX]
    degree = k.PROPELLER_DEGREE
    of_power = cube / scalars[k.MCR_KW]
    of_turns = scalars[k.RPM_SCALE] * speed / scalars[k.RPM_MAX]
    for i in range(total.size):
        root = math.sqrt(total[i] * loading)
        x = min(root, root_max)
        torque, turns = scalars[k.TORQUE + degree], scalars[k.REVOLUTIONS + degree]
        for power in range(degree - 1, -1, -1):
            torque = torque * x + scalars[k.TORQUE + power]
            turns = turns * x + scalars[k.REVOLUTIONS + power]
        over = max(root * per_root_max, 1.0)
        share = of_power * torque * over * over * over
        # cube root by two steps of Halley's method, exact near 1
        first = (1.0 + 2.0 * share) / (2.0 + share)
        cubed = first * first * first
        of_engine = first * (cubed + 2.0 * share) / (2.0 * cubed + share)
        strain[i] = max(of_engine, of_turns * turns * over)
