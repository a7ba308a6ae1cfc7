"""Loading of a ship to a draught."""

from app.engine.particulars import Loading, ShipParticulars
from app.engine.vessel.hull_form import displacement_at_draft_t, summer_displacement_t


def load_to_draft(ship: ShipParticulars, draft_m: float) -> Loading:
    """The loading at a draught [m] on even keel, with its deadweight."""
    lighter_t = summer_displacement_t(ship) - displacement_at_draft_t(ship, draft_m)
    return Loading(draft_m, 0.0, max(ship.dwt_t - lighter_t, 1.0))
