"""Turning ability of a ship, by its form and speed."""

import math
from dataclasses import dataclass
from typing import Final

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.vessel.hull_form import HullForm

#: Rudder angles [deg]: moderate, with a reserve for wind, current and shallow water; and hard over
#: (SOLAS chapter II-1, regulation 29.3.2).
MODERATE_RUDDER_DEG: Final = 10.0
FULL_RUDDER_DEG: Final = 35.0
_METRES_PER_FOOT: Final = 0.3048
#: Least tactical diameter over length, an assumption: tugs and other short, broad hulls are outside
#: the regression, whose diameters may be negative.
_LEAST_LENGTHS: Final = 2.0


@dataclass(frozen=True, slots=True)
class TurningAbility:
    """Turn radii of a ship at service speed in deep water [nm], and its length [nm].

    ``usual_radius_nm`` is with a moderate rudder angle, ``least_radius_nm`` with the rudder hard
    over.
    """

    usual_radius_nm: float
    least_radius_nm: float
    length_nm: float


def estimate_turning_ability(hull: HullForm, speed_kn: float) -> TurningAbility:
    """Estimate turn radii: half the tactical diameters at moderate and at full rudder."""
    return TurningAbility(
        0.5 * tactical_diameter_m(hull, speed_kn, MODERATE_RUDDER_DEG) / NAUTICAL_MILE_M,
        0.5 * tactical_diameter_m(hull, speed_kn, FULL_RUDDER_DEG) / NAUTICAL_MILE_M,
        hull.length_perpendiculars_m / NAUTICAL_MILE_M,
    )


def tactical_diameter_m(hull: HullForm, speed_kn: float, rudder_deg: float) -> float:
    """Estimate the tactical diameter of a single-screw ship in deep water [m].

    Lyster & Knights (1979), "Prediction equations for ships' turning circles", Transactions of
    the North East Coast Institution of Engineers and Shipbuilders 95, 217-230: the equations of
    STD/L and TD/L for single-screw ships, as in Crane, Eda & Landsburg (1989), Principles of
    Naval Architecture volume III, chapter IX, section 16. Their speed-length ratio is in knots
    and feet. A closed stern is assumed, which gives the wider turn, and the term of the bow
    profile's area is omitted, because owners give neither.
    """
    length_m = hull.length_perpendiculars_m
    steady = (
        4.19
        - 203.0 * hull.block_coefficient_lpp / rudder_deg
        + 47.4 * (hull.draft_aft_m - hull.draft_fore_m) / length_m
        - 13.0 * hull.breadth_m / length_m
        + 194.0 / rudder_deg
        - 3.82 * _rudder_area_ratio(hull)
    )
    speed_length_ratio = speed_kn / math.sqrt(length_m / _METRES_PER_FOOT)
    return length_m * max(0.910 * steady + 0.424 * speed_length_ratio + 0.675, _LEAST_LENGTHS)


def _rudder_area_ratio(hull: HullForm) -> float:
    """Rudder area over length times draught.

    Det Norske Veritas's least area, in Crane, Eda & Landsburg (1989), section 17:
    0.01 (1 + 25 (B / L)^2).
    """
    return 0.01 * (1.0 + 25.0 * (hull.breadth_m / hull.length_perpendiculars_m) ** 2)
