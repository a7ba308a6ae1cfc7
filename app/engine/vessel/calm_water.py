"""Calm-water resistance by Holtrop and Mennen (1982, 1984).

Sources: J. Holtrop, G.G.J. Mennen, An approximate power prediction method,
International Shipbuilding Progress 29 (1982) 166-170; J. Holtrop, A statistical
re-analysis of resistance and propulsion data, ISP 31 (1984) 272-276. Friction
by the ITTC-1957 line.
"""

import math
from dataclasses import dataclass
from typing import Final

from app.engine.constants import GRAVITY_MS2, SEA_WATER_DENSITY_KGM3, SEA_WATER_VISCOSITY_M2S
from app.engine.vessel.hull_form import HullForm
from app.engine.vessel.wave_making import (
    LENGTH_OVER_DRAFT_MAX,
    bulb_wave_factor,
    length_of_run_m,
    wave_resistance_n,
)


@dataclass(frozen=True, slots=True)
class Water:
    """Properties of water: density [kg/m3] and kinematic viscosity [m2/s]."""

    density_kgm3: float = SEA_WATER_DENSITY_KGM3
    viscosity_m2s: float = SEA_WATER_VISCOSITY_M2S


_SEA_WATER = Water()


@dataclass(frozen=True, slots=True)
class CalmWaterResistance:
    """Calm-water resistance and its parts [N]; ``frictional_n`` excludes the form factor."""

    froude_number: float
    form_factor: float
    wetted_surface_m2: float
    friction_coefficient: float
    allowance_coefficient: float
    frictional_n: float
    appendage_n: float
    wave_n: float
    bulb_n: float
    transom_n: float
    correlation_n: float

    @property
    def total_n(self) -> float:
        """Total resistance [N]."""
        return (
            self.form_factor * self.frictional_n
            + self.appendage_n
            + self.wave_n
            + self.bulb_n
            + self.transom_n
            + self.correlation_n
        )


def ittc57_friction_coefficient(reynolds_number: float) -> float:
    """Return C_F of the ITTC-1957 model-ship correlation line, 0.075 / (log10 Re - 2)^2."""
    return 0.075 / (math.log10(reynolds_number) - 2.0) ** 2


def wetted_surface_m2(hull: HullForm) -> float:
    """Wetted surface with bulb, without appendages [m2]; Holtrop & Mennen (1982)."""
    block, midship = hull.block_coefficient, hull.midship_coefficient
    girth = hull.length_waterline_m * (2.0 * hull.draft_m + hull.breadth_m) * math.sqrt(midship)
    fullness = (
        0.453
        + 0.4425 * block
        - 0.2862 * midship
        - 0.003467 * hull.breadth_m / hull.draft_m
        + 0.3696 * hull.waterplane_coefficient
    )
    return girth * fullness + 2.38 * hull.bulb_area_m2 / block


def form_factor(hull: HullForm) -> float:
    """Form factor 1 + k1 of the bare hull; Holtrop (1984)."""
    length_m, run_m = hull.length_waterline_m, length_of_run_m(hull)
    c14 = 1.0 + 0.011 * hull.stern_coefficient
    return float(
        0.93
        + 0.487118
        * c14
        * (
            (hull.breadth_m / length_m) ** 1.06806
            * (hull.draft_m / length_m) ** 0.46106
            * (length_m / run_m) ** 0.121563
            * (length_m**3 / hull.volume_m3) ** 0.36486
            * (1.0 - hull.prismatic_coefficient) ** -0.604247
        )
    )


def bulb_emergence(hull: HullForm) -> float:
    """P_B: measure of the emergence of the bow; Holtrop & Mennen (1982)."""
    return 0.56 * math.sqrt(hull.bulb_area_m2) / (hull.draft_fore_m - 1.5 * hull.bulb_centre_m)


def bulb_froude_number(hull: HullForm, speed_ms: float) -> float:
    """F_ni: Froude number based on the bulb's immersion; Holtrop & Mennen (1982)."""
    immersion_m = hull.draft_fore_m - hull.bulb_centre_m - 0.25 * math.sqrt(hull.bulb_area_m2)
    return speed_ms / math.sqrt(GRAVITY_MS2 * immersion_m + 0.15 * speed_ms**2)


def _bulb_resistance_n(hull: HullForm, speed_ms: float, density_kgm3: float) -> float:
    """Pressure resistance of a bulb near the surface [N]; Holtrop & Mennen (1982)."""
    if hull.bulb_area_m2 <= 0.0:
        return 0.0
    fni = bulb_froude_number(hull, speed_ms)
    return float(
        0.11
        * math.exp(-3.0 / bulb_emergence(hull) ** 2)
        * fni**3
        * hull.bulb_area_m2**1.5
        * density_kgm3
        * GRAVITY_MS2
        / (1.0 + fni**2)
    )


def transom_froude_number(hull: HullForm, speed_ms: float) -> float:
    """F_nT: Froude number based on the transom's immersion; Holtrop & Mennen (1982)."""
    span_m = hull.breadth_m * (1.0 + hull.waterplane_coefficient)
    return speed_ms / math.sqrt(2.0 * GRAVITY_MS2 * hull.transom_area_m2 / span_m)


def _transom_resistance_n(hull: HullForm, speed_ms: float, density_kgm3: float) -> float:
    """Pressure resistance of an immersed transom [N]; Holtrop & Mennen (1982)."""
    if hull.transom_area_m2 <= 0.0:
        return 0.0
    c6 = max(0.2 * (1.0 - 0.2 * transom_froude_number(hull, speed_ms)), 0.0)
    return 0.5 * density_kgm3 * speed_ms**2 * hull.transom_area_m2 * c6


def allowance_draft_ratio(hull: HullForm) -> float:
    """c4 of the correlation allowance."""
    return min(hull.draft_fore_m / hull.length_waterline_m, 0.04)


def _correlation_allowance(hull: HullForm) -> float:
    """Model-ship correlation allowance C_A; Holtrop & Mennen (1982)."""
    length_m, c4 = hull.length_waterline_m, allowance_draft_ratio(hull)
    return float(
        0.006 * (length_m + 100.0) ** -0.16
        - 0.00205
        + 0.003
        * math.sqrt(length_m / 7.5)
        * hull.block_coefficient**4
        * bulb_wave_factor(hull)
        * (0.04 - c4)
    )


def calm_water_resistance(
    hull: HullForm, speed_ms: float, water: Water = _SEA_WATER
) -> CalmWaterResistance:
    """Compute the resistance in deep calm water.

    The speed through the water is above zero and at most Fn 0.40. The form factor and the
    oscillating term of the wave resistance are those of 1984, more reliable for full forms.
    """
    surface_m2 = wetted_surface_m2(hull)
    cf = ittc57_friction_coefficient(speed_ms * hull.length_waterline_m / water.viscosity_m2s)
    pressure = 0.5 * water.density_kgm3 * speed_ms**2
    allowance = _correlation_allowance(hull)
    return CalmWaterResistance(
        froude_number=hull.froude_number(speed_ms),
        form_factor=form_factor(hull),
        wetted_surface_m2=surface_m2,
        friction_coefficient=cf,
        allowance_coefficient=allowance,
        frictional_n=pressure * surface_m2 * cf,
        appendage_n=pressure * hull.appendage_area_m2 * hull.appendage_factor * cf,
        wave_n=wave_resistance_n(hull, speed_ms, water.density_kgm3),
        bulb_n=_bulb_resistance_n(hull, speed_ms, water.density_kgm3),
        transom_n=_transom_resistance_n(hull, speed_ms, water.density_kgm3),
        correlation_n=pressure * (surface_m2 + hull.appendage_area_m2) * allowance,
    )


#: Least and greatest length over breadth of Holtrop & Mennen's models; Holtrop (1984), and the
#: table of applicability of the 1982 paper, for all ship types together. Most ships in ballast
#: exceed their breadths over draught, for which the extra resistance at less draught corrects.
_LENGTH_OVER_BREADTH: Final = (3.9, 15.0)


def find_holtrop_violation(hull: HullForm) -> str | None:
    """Describe the proportion of a hull that Holtrop & Mennen's models do not have, if any."""
    over_breadth = hull.length_waterline_m / hull.breadth_m
    over_draft = hull.length_waterline_m / hull.draft_m
    low, high = _LENGTH_OVER_BREADTH
    if not low <= over_breadth <= high:
        return f"length over breadth is {over_breadth:.1f}, of its models {low:g} to {high:g}"
    if over_draft > LENGTH_OVER_DRAFT_MAX:
        return f"length over draught is {over_draft:.0f}, of its models {LENGTH_OVER_DRAFT_MAX:g}"
    return None
