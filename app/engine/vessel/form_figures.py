"""Main form ratios of a hull."""

import math
from dataclasses import dataclass

from app.engine.constants import GRAVITY_MS2, SEA_WATER_DENSITY_KGM3
from app.engine.particulars import ShipParticulars
from app.engine.units import KNOT_MS
from app.engine.vessel.hull_form import displacement_at_draft_t


@dataclass(frozen=True, slots=True)
class FormFigures:
    """Form ratios at the design draught, on the length between perpendiculars.

    The displacement [t], and the block coefficient by it, are estimated from deadweight and type.
    The Froude number is that of the service speed.
    """

    displacement_t: float
    block_coefficient: float
    length_to_breadth: float
    breadth_to_draft: float
    froude_number: float


def find_form_figures(ship: ShipParticulars) -> FormFigures:
    """Compute the form ratios of a ship with plausible particulars."""
    displacement_t = displacement_at_draft_t(ship, ship.draft_design_m)
    box_t = ship.lbp_m * ship.breadth_m * ship.draft_design_m * SEA_WATER_DENSITY_KGM3 / 1000.0
    speed_ms = ship.service_speed_kn * KNOT_MS
    return FormFigures(
        displacement_t=displacement_t,
        block_coefficient=displacement_t / box_t,
        length_to_breadth=ship.lbp_m / ship.breadth_m,
        breadth_to_draft=ship.breadth_m / ship.draft_design_m,
        froude_number=speed_ms / math.sqrt(GRAVITY_MS2 * ship.lbp_m),
    )
