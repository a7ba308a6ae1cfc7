"""Interaction of hull and propeller: wake, thrust deduction, efficiencies.

Source: Holtrop (1984), equations for single-screw ships with a conventional
stern and for twin-screw ships.
"""

import math
from dataclasses import dataclass
from typing import Final

from app.engine.constants import SEA_WATER_DENSITY_KGM3
from app.engine.particulars import ShipParticulars
from app.engine.vessel.calm_water import calm_water_resistance, wetted_surface_m2
from app.engine.vessel.hull_form import HullForm
from app.engine.vessel.propeller import (
    SERIES_AREA_RATIO_MAX,
    Propeller,
    best_pitch_m,
    keller_area_ratio,
    merchant_area_ratio,
)
from app.engine.vessel.ship_types import TYPE_STATISTICS

#: Resistance over that of the trial for which a propeller is designed: the usual 15 % sea margin
#: on power (MAN Energy Solutions, Basic Principles of Ship Propulsion, section 3).
_DESIGN_RESISTANCE_MARGIN: Final = 1.10


@dataclass(frozen=True, slots=True)
class PropulsionFactors:
    """Wake fraction w, thrust deduction t, relative rotative efficiency."""

    wake_fraction: float
    thrust_deduction: float
    relative_rotative_efficiency: float


def _viscous_coefficient(hull: HullForm, speed_ms: float) -> float:
    """C_V = (1 + k1) C_F + C_A."""
    calm = calm_water_resistance(hull, speed_ms)
    return calm.form_factor * calm.friction_coefficient + calm.allowance_coefficient


def propulsion_factors(
    hull: HullForm, speed_ms: float, diameter_m: float, area_ratio: float, pitch_ratio: float
) -> PropulsionFactors:
    """Compute wake, thrust deduction and relative rotative efficiency at a speed [m/s].

    The wake fraction is limited to 0.05..0.55 and the thrust deduction to 0.05..0.30, the range of
    the data of the regressions.
    """
    if hull.screws > 1:
        wake, deduction, rotative = _twin_screw(hull, speed_ms, diameter_m, pitch_ratio)
    else:
        wake, deduction, rotative = _single_screw(hull, speed_ms, diameter_m, area_ratio)
    return PropulsionFactors(min(max(wake, 0.05), 0.55), min(max(deduction, 0.05), 0.30), rotative)


def _single_screw(
    hull: HullForm, speed_ms: float, diameter_m: float, area_ratio: float
) -> tuple[float, float, float]:
    cp, lcb = hull.prismatic_coefficient, hull.lcb_pct
    rotative = 0.9922 - 0.05908 * area_ratio + 0.07424 * (cp - 0.0225 * lcb)
    return (
        _wake_fraction_single_screw(hull, _viscous_coefficient(hull, speed_ms), diameter_m),
        thrust_deduction_single_screw(hull, diameter_m),
        rotative,
    )


def _wake_fraction_single_screw(hull: HullForm, viscous: float, diameter_m: float) -> float:
    """Wake fraction of a single-screw ship from C_V; Holtrop (1984)."""
    length_m, breadth_m, aft_m = hull.length_waterline_m, hull.breadth_m, hull.draft_aft_m
    cp1 = min(1.45 * hull.prismatic_coefficient - 0.315 - 0.0225 * hull.lcb_pct, 0.97)
    c9, c11 = _stern_coefficients(hull, diameter_m)
    c20 = 1.0 + 0.015 * hull.stern_coefficient
    boundary_layer = c9 * viscous * length_m / aft_m
    return c20 * (
        boundary_layer * (0.050776 + 0.93405 * c11 * viscous / (1.0 - cp1))
        + 0.27915 * math.sqrt(breadth_m / (length_m * (1.0 - cp1)))
        + _fullness_wake(hull)
    )


def _stern_coefficients(hull: HullForm, diameter_m: float) -> tuple[float, float]:
    """c9 and c11 of the wake; Holtrop (1984)."""
    length_m, breadth_m, aft_m = hull.length_waterline_m, hull.breadth_m, hull.draft_aft_m
    surface_m2, breadth_to_draft = wetted_surface_m2(hull), breadth_m / aft_m
    if breadth_to_draft < 5.0:
        c8 = breadth_m * surface_m2 / (length_m * diameter_m * aft_m)
    else:
        c8 = (
            surface_m2
            * (7.0 * breadth_to_draft - 25.0)
            / (length_m * diameter_m * (breadth_to_draft - 3.0))
        )
    c9 = c8 if c8 < 28.0 else 32.0 - 16.0 / (c8 - 24.0)
    immersion = aft_m / diameter_m
    return c9, immersion if immersion < 2.0 else 0.0833333 * immersion**3 + 1.33333


def _fullness_wake(hull: HullForm) -> float:
    """c19 of the wake; Holtrop (1984)."""
    cp = hull.prismatic_coefficient
    if cp < 0.7:
        return 0.12997 / (0.95 - hull.block_coefficient) - 0.11056 / (0.95 - cp)
    return 0.18567 / (1.3571 - hull.midship_coefficient) - 0.71276 + 0.38648 * cp


def thrust_deduction_single_screw(hull: HullForm, diameter_m: float) -> float:
    """Thrust deduction of a single-screw ship; Holtrop (1984)."""
    fineness = 1.0 - hull.prismatic_coefficient + 0.0225 * hull.lcb_pct
    return float(
        0.25014
        * (hull.breadth_m / hull.length_waterline_m) ** 0.28956
        * (math.sqrt(hull.breadth_m * hull.draft_m) / diameter_m) ** 0.2624
        / fineness**0.01762
        + 0.0015 * hull.stern_coefficient
    )


def _twin_screw(
    hull: HullForm, speed_ms: float, diameter_m: float, pitch_ratio: float
) -> tuple[float, float, float]:
    block, cp = hull.block_coefficient, hull.prismatic_coefficient
    slot = diameter_m / math.sqrt(hull.breadth_m * hull.draft_m)
    viscous = _viscous_coefficient(hull, speed_ms)
    wake = 0.3095 * block + 10.0 * viscous * block - 0.23 * slot
    deduction = 0.325 * block - 0.1885 * slot
    rotative = 0.9737 + 0.111 * (cp - 0.0225 * hull.lcb_pct) - 0.06325 * pitch_ratio
    return wake, deduction, rotative


def propeller_diameter_m(particulars: ShipParticulars) -> float:
    """Return the propeller diameter [m] as given, or the type's share of the scantling draught."""
    if particulars.propeller_diameter_m is not None:
        return particulars.propeller_diameter_m
    statistics = TYPE_STATISTICS[particulars.hull_type]
    return min(statistics.diameter_ratio * particulars.draft_scantling_m, statistics.diameter_max_m)


def design_propeller(particulars: ShipParticulars, hull: HullForm, speed_ms: float) -> Propeller:
    """Design the ship's propeller.

    Diameter and pitch are as given or else the type's usual diameter and the pitch of best
    efficiency at the service speed ``speed_ms`` of the laden ``hull``; blade area by Keller.
    """
    blades = TYPE_STATISTICS[particulars.hull_type].blades
    diameter_m = propeller_diameter_m(particulars)
    factors = _design_factors(hull, speed_ms, diameter_m)
    thrust_n = _design_thrust_n(hull, speed_ms, factors)
    area_ratio = merchant_area_ratio(least_area_ratio(particulars, hull, speed_ms))
    advance_ms = speed_ms * (1.0 - factors.wake_fraction)
    loading = thrust_n / (SEA_WATER_DENSITY_KGM3 * diameter_m**2 * advance_ms**2)
    pitch_m = particulars.pitch_m or best_pitch_m(diameter_m, area_ratio, blades, loading)
    return Propeller(diameter_m, pitch_m, area_ratio, blades)


def needs_second_screw(particulars: ShipParticulars, hull: HullForm, speed_ms: float) -> bool:
    """Return whether one propeller would cavitate at the service speed with any blade area.

    By Keller's criterion, with the largest blade area ratio of the B-series (Oosterveld & van
    Oossanen 1975).
    """
    ratio = least_area_ratio(particulars, hull, speed_ms)
    return hull.screws == 1 and ratio > SERIES_AREA_RATIO_MAX


def least_area_ratio(particulars: ShipParticulars, hull: HullForm, speed_ms: float) -> float:
    """Return the least blade area ratio without cavitation at the service speed, by Keller."""
    blades = TYPE_STATISTICS[particulars.hull_type].blades
    diameter_m = propeller_diameter_m(particulars)
    thrust_n = _design_thrust_n(hull, speed_ms, _design_factors(hull, speed_ms, diameter_m))
    immersion_m = max(hull.draft_aft_m - 0.5 * diameter_m - 0.2, 0.5 * diameter_m)
    return keller_area_ratio(thrust_n, diameter_m, immersion_m, blades, hull.screws)


def _design_factors(hull: HullForm, speed_ms: float, diameter_m: float) -> PropulsionFactors:
    """Return the factors with usual ratios of blade area and pitch, before these are known."""
    return propulsion_factors(hull, speed_ms, diameter_m, 0.55, 0.8)


def _design_thrust_n(hull: HullForm, speed_ms: float, factors: PropulsionFactors) -> float:
    """Return the thrust [N] for which each propeller is designed."""
    return (
        _DESIGN_RESISTANCE_MARGIN
        * calm_water_resistance(hull, speed_ms).total_n
        / (1.0 - factors.thrust_deduction)
        / hull.screws
    )
