"""Calm-water resistance by Holtrop and Mennen's edition of 1982, to which their example belongs.

It differs from that of 1984, which the ship model uses, in the form factor and in the oscillating
term of the wave resistance. Sources as in :mod:`app.engine.vessel.calm_water`.
"""

import math
from dataclasses import replace

from app.engine.vessel import calm_water, wave_making
from app.engine.vessel.hull_form import HullForm


def calm_water_resistance(
    hull: HullForm, speed_ms: float, water: calm_water.Water
) -> calm_water.CalmWaterResistance:
    """Return the resistance by the model's formulas, with those of 1982 in place of their own."""
    found = calm_water.calm_water_resistance(hull, speed_ms, water)
    froude = found.froude_number
    oscillating = math.cos(wave_making.wave_phase(hull) / froude**2)
    _, m4 = wave_making.wave_exponents(hull, froude)
    change = math.exp((wave_exponent(hull, froude) - m4) * oscillating)
    return replace(found, form_factor=form_factor(hull), wave_n=change * found.wave_n)


def wave_exponent(hull: HullForm, froude: float) -> float:
    """m2 of the wave resistance at a Froude number."""
    c15, cp = wave_making.slenderness_factor(hull), hull.prismatic_coefficient
    return c15 * cp**2 * math.exp(-0.1 / froude**2)


def form_factor(hull: HullForm) -> float:
    """Form factor 1 + k1 of the bare hull; diverges as CP approaches 0.95."""
    cp, run_m = hull.prismatic_coefficient, wave_making.length_of_run_m(hull)
    return float(
        stern_factor(hull)
        * (
            0.93
            + draft_length_factor(hull)
            * (hull.breadth_m / run_m) ** 0.92497
            * (0.95 - cp) ** -0.521448
            * (1.0 - cp + 0.0225 * hull.lcb_pct) ** 0.6906
        )
    )


def stern_factor(hull: HullForm) -> float:
    """c13 of the form factor."""
    return 1.0 + 0.003 * hull.stern_coefficient


def draft_length_factor(hull: HullForm) -> float:
    """c12 of the form factor."""
    ratio = hull.draft_m / hull.length_waterline_m
    if ratio > 0.05:
        return float(ratio**0.2228446)
    if ratio > 0.02:
        return float(48.20 * (ratio - 0.02) ** 2.078 + 0.479948)
    return 0.479948
