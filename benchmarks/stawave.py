"""STAWAVE-1 and STAWAVE-2: added resistance in bow seas, to compare SNNM with."""

import math

import numpy as np
from scipy.special import i1, k1

from app.engine.arrays import FloatOrArray, Floats
from app.engine.constants import GRAVITY_MS2, SEA_WATER_DENSITY_KGM3
from app.engine.vessel.waves import WaveHull, bretschneider_spectrum, head_sea_scale


def stawave1_n(
    wave_height_m: float,
    breadth_m: float,
    bow_length_m: float,
    density_kgm3: float = SEA_WATER_DENSITY_KGM3,
) -> float:
    """Added resistance in short bow waves [N]; STAWAVE-1, ITTC 7.5-04-01-01.2 (2014).

    ``bow_length_m`` is the waterline's length from the stem to 95 % of the
    breadth. Valid for waves within 45 deg of the bow and heights up to
    2.25 sqrt(Lpp / 100 m) [m]; the method knows no ship speed.
    """
    return (
        density_kgm3
        * GRAVITY_MS2
        * wave_height_m**2
        * breadth_m
        * math.sqrt(breadth_m / bow_length_m)
        / 16.0
    )


def stawave2_motion(hull: WaveHull, speed_ms: float, omega: FloatOrArray) -> Floats:
    """Added resistance by ship motions in head waves [N per m2 of amplitude squared].

    STAWAVE-2, ITTC 7.5-04-01-01.2 (2014). ``omega`` [rad/s], any shape.
    """
    froude = speed_ms / math.sqrt(GRAVITY_MS2 * hull.length_m)
    reduced = (
        math.sqrt(hull.length_m / GRAVITY_MS2)
        * hull.pitch_gyration ** (1.0 / 3.0)
        / (1.17 * froude**-0.143)
        * np.asarray(omega, dtype=np.float64)
    )
    a1 = 60.3 * hull.block_coefficient**1.34
    low = reduced < 1.0
    b1 = np.where(low, 11.0, -8.5)
    d1 = np.where(low, 14.0, -566.0 * (hull.length_m / hull.breadth_m) ** -2.66)
    shape = reduced**b1 * np.exp(b1 / d1 * (1.0 - reduced**d1))
    return np.asarray(head_sea_scale(hull) * shape * a1 * froude**1.5 * math.exp(-3.5 * froude))


def stawave2_reflection(hull: WaveHull, speed_ms: float, omega: FloatOrArray) -> Floats:
    """Added resistance by reflection in head waves [N per m2 of amplitude squared].

    STAWAVE-2, ITTC 7.5-04-01-01.2 (2014). ``omega`` [rad/s], any shape.
    """
    draft_m = 0.5 * (hull.draft_fore_m + hull.draft_aft_m)
    argument = 1.5 * np.asarray(omega, dtype=np.float64) ** 2 / GRAVITY_MS2 * draft_m
    # I1 grows and K1 decays exponentially; beyond 30 the ratio is 1 to the last bit.
    argument = np.minimum(argument, 30.0)
    bessel_i, bessel_k = np.pi**2 * i1(argument) ** 2, k1(argument) ** 2
    f1 = (
        0.692 * (speed_ms / math.sqrt(draft_m * GRAVITY_MS2)) ** 0.769
        + 1.81 * hull.block_coefficient**6.95
    )
    pressure = 0.5 * SEA_WATER_DENSITY_KGM3 * GRAVITY_MS2 * hull.breadth_m
    return np.asarray(pressure * bessel_i / (bessel_i + bessel_k) * f1)


def irregular_resistance_n(
    transfer: Floats, omega: Floats, wave_height_m: float, mean_period: float
) -> float:
    """Mean added resistance [N] in long-crested irregular waves.

    ``2 integral R(w)/a^2 S(w) dw`` by trapezes over ``omega`` (ascending), with
    ``transfer`` [N/m2] of the same shape; ITTC 7.5-04-01-01.1.
    """
    spectrum = bretschneider_spectrum(omega, wave_height_m, mean_period)
    return float(2.0 * np.trapezoid(transfer * spectrum, omega))
