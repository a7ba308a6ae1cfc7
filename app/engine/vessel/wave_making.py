"""Wave-making resistance by Holtrop and Mennen, for Froude numbers up to 0.4.

The oscillating term is that of 1984. Sources as in :mod:`app.engine.vessel.calm_water`.
"""

import math
from typing import Final

from app.engine.constants import GRAVITY_MS2
from app.engine.vessel.hull_form import HullForm

#: Greatest length over draught of the wave resistance: the container ships of Holtrop & Mennen's
#: models reach a length over breadth of 9.5 (1982), and its breadths over draught 4.0. The term is
#: linear in an exponent, and gives shallow river-sea ships in ballast many times their power.
LENGTH_OVER_DRAFT_MAX: Final = 40.0


def half_angle_of_entrance_deg(hull: HullForm) -> float:
    """Half angle of entrance of the waterline [deg]; Holtrop & Mennen (1982)."""
    length_m, cp = hull.length_waterline_m, hull.prismatic_coefficient
    exponent = (
        (length_m / hull.breadth_m) ** 0.80856
        * (1.0 - hull.waterplane_coefficient) ** 0.30484
        * max(1.0 - cp - 0.0225 * hull.lcb_pct, 0.02) ** 0.6367
        * (length_of_run_m(hull) / hull.breadth_m) ** 0.34574
        * (100.0 * hull.volume_m3 / length_m**3) ** 0.16302
    )
    return 1.0 + 89.0 * math.exp(-exponent)


def bulb_wave_factor(hull: HullForm) -> float:
    """c2: reduction of wave resistance by the bulb."""
    return math.exp(-1.89 * math.sqrt(bulb_size_factor(hull)))


def bulb_size_factor(hull: HullForm) -> float:
    """c3: size of the bulb; zero without one."""
    if hull.bulb_area_m2 <= 0.0:
        return 0.0
    clearance_m = 0.31 * math.sqrt(hull.bulb_area_m2) + hull.draft_fore_m - hull.bulb_centre_m
    return float(0.56 * hull.bulb_area_m2**1.5 / (hull.breadth_m * hull.draft_m * clearance_m))


def breadth_length_factor(hull: HullForm) -> float:
    """c7 of the wave resistance."""
    ratio = hull.breadth_m / hull.length_waterline_m
    if ratio < 0.11:
        return float(0.229577 * ratio ** (1.0 / 3.0))
    return ratio if ratio <= 0.25 else 0.5 - 0.0625 / ratio


def slenderness_factor(hull: HullForm) -> float:
    """c15 of the wave resistance."""
    slenderness = hull.length_waterline_m / hull.volume_m3 ** (1.0 / 3.0)
    if slenderness**3 < 512.0:
        return -1.69385
    return -1.69385 + (slenderness - 8.0) / 2.36 if slenderness**3 < 1726.91 else 0.0


def wave_resistance_n(hull: HullForm, speed_ms: float, density_kgm3: float) -> float:
    """Wave-making resistance [N] for Fn up to 0.4: the regression's by the hull's ratio to it."""
    froude = hull.froude_number(speed_ms)
    m1, m2 = wave_exponents(hull, froude)
    return float(
        hull.wave_ratio
        * entrance_factor(hull)
        * bulb_wave_factor(hull)
        * transom_wave_factor(hull)
        * hull.volume_m3
        * density_kgm3
        * GRAVITY_MS2
        * math.exp(m1 * froude**-0.9 + m2 * math.cos(wave_phase(hull) / froude**2))
    )


def wave_phase(hull: HullForm) -> float:
    """lambda: phase of the oscillating term of the wave resistance."""
    length_to_breadth = min(hull.length_waterline_m / hull.breadth_m, 12.0)
    return 1.446 * hull.prismatic_coefficient - 0.03 * length_to_breadth


def entrance_factor(hull: HullForm) -> float:
    """c1 of the wave resistance."""
    return float(
        2_223_105.0
        * breadth_length_factor(hull) ** 3.78613
        * (hull.draft_m / hull.breadth_m) ** 1.07961
        * (90.0 - half_angle_of_entrance_deg(hull)) ** -1.37565
    )


def transom_wave_factor(hull: HullForm) -> float:
    """c5: reduction of wave resistance by an immersed transom."""
    section_m2 = hull.breadth_m * hull.draft_m * hull.midship_coefficient
    return 1.0 - 0.8 * hull.transom_area_m2 / section_m2


def wave_exponents(hull: HullForm, froude: float) -> tuple[float, float]:
    """m1, and m4 (1984), of the wave resistance at a Froude number."""
    length_m, cp = hull.length_waterline_m, hull.prismatic_coefficient
    c16 = 8.07981 * cp - 13.8673 * cp**2 + 6.984388 * cp**3 if cp < 0.8 else 1.73014 - 0.7067 * cp
    m1 = (
        0.0140407 * min(length_m / hull.draft_m, LENGTH_OVER_DRAFT_MAX)
        - 1.75254 * hull.volume_m3 ** (1.0 / 3.0) / length_m
        - 4.79323 * hull.breadth_m / length_m
        - c16
    )
    return m1, slenderness_factor(hull) * 0.4 * math.exp(-0.034 * froude**-3.29)


def length_of_run_m(hull: HullForm) -> float:
    """Length of run L_R [m]; Holtrop & Mennen (1982)."""
    cp = hull.prismatic_coefficient
    return hull.length_waterline_m * (1.0 - cp + 0.06 * cp * hull.lcb_pct / (4.0 * cp - 1.0))
