"""Quotes: estimates of a voyage in calm sea, computed at once and not stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session

from app.models import ChartingRevision, Vessel, utc_now
from app.records.charting import DEFAULTS, QUOTED
from app.services import charting_request
from app.services.areas.areas_in_force import build_present_request
from app.services.chartings.chartings import check_ends_are_at_sea, find_draft_fault
from app.services.engine_mapping import (
    build_ship_particulars,
    snapshot_vessel,
)
from app.services.errors import FieldError, Invalid
from app.services.platform.actor import Actor
from app.services.sea import sea
from app.services.vessels import vessel_particulars, vessels
from app.services.vessels.loading import load_to_draft

if TYPE_CHECKING:
    from app.engine.plan import Quote


def quote(session: Session, actor: Actor, asked: Mapping[str, Any]) -> Quote:
    """Estimate a voyage for a vessel of the organization or for given particulars.

    Areas apply as for a charting. Raises :class:`Invalid` for an invalid request, and the
    engine's typed errors if there is no route.
    """
    # imports numba, which would slow down the start of processes that need no quotes
    from app.engine.quote import quote_voyage

    vessel = find_vessel(session, actor, asked)
    request = charting_request.normalise(_charting(asked, vessel))
    fault = find_draft_fault(request["draft"], vessel)
    if fault is not None:
        raise Invalid([fault])
    atlas = sea.open_atlas()
    check_ends_are_at_sea(request, atlas)
    # a revision that is never stored: a quote is the calm-water voyage of such a charting
    revision = ChartingRevision(
        organization_id=actor.organization_id, request=request, vessel=snapshot_vessel(vessel)
    )
    return quote_voyage(build_present_request(session, revision), atlas)


def find_vessel(session: Session, actor: Actor, asked: Mapping[str, Any]) -> Vessel:
    """The stored vessel that is named, or an unsaved vessel with the given particulars."""
    particulars = asked["particulars"]
    if (asked["vesselId"] is None) == (particulars is None):
        raise Invalid.at("/vesselId", "Send either vesselId or particulars.")
    if particulars is None:
        vessel = vessels.find(session, actor.organization_id, asked["vesselId"])
        if vessel is None:
            raise Invalid.at("/vesselId", "You have no vessel with this id.")
        return vessel
    vessel = Vessel(**particulars)
    faults = vessel_particulars.find_faults(snapshot_vessel(vessel))
    if faults:
        raise Invalid(
            [FieldError(f"/particulars{fault.pointer}", fault.detail) for fault in faults]
        )
    return vessel


def _charting(asked: Mapping[str, Any], vessel: Vessel) -> dict[str, Any]:
    """The charting request of a quote: one speed, for the least fuel."""
    ship = build_ship_particulars(snapshot_vessel(vessel))
    loading = load_to_draft(ship, asked["draft"])
    return {
        **DEFAULTS,
        **{name: asked[name] for name in QUOTED},
        "startDate": asked["startDate"] or utc_now(),
        "speedRangeMin": asked["speed"],
        "speedRangeMax": asked["speed"],
        "trim": loading.trim_m,
        "rpm": None,
        "dwt": loading.deadweight_t,
        "lbp": ship.lbp_m,
        "pitch": ship.pitch_m,
        "optimizationType": "FUEL",
        "routeType": "WX",
        "portFromName": "departure",
        "portToName": "arrival",
    }
