"""Fuel consumption of a vessel in service, from its particulars alone."""

from app.engine.vessel import FocEstimate, estimate_foc
from app.models import Vessel
from app.services.engine_mapping import build_ship_particulars, snapshot_vessel


def estimate_of(vessel: Vessel) -> FocEstimate:
    """Fuel oil consumption of a vessel as registered now."""
    return estimate_foc(build_ship_particulars(snapshot_vessel(vessel)))
