"""Quotes: estimates of a voyage in calm sea, computed at once and not stored."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from app.engine.plan import Quote
from app.engine.planner import quote_voyage
from app.engine.request import VoyageRequest
from app.engine.vessel.hull_form import load_to_draft
from app.models import ChartingRevision, Vessel, utc_now
from app.records.charting import DEFAULTS, QUOTED
from app.services import charting_request
from app.services.areas.areas_in_force import build_present_request
from app.services.chartings.chartings import check_ends_are_at_sea, find_draft_faults
from app.services.chartings.request_warnings import find_past_departure
from app.services.engine_mapping import build_registered_ship, snapshot_vessel
from app.services.errors import FieldError, Invalid, refuse
from app.services.platform.actor import Actor
from app.services.platform.sessions import end_reading
from app.services.sea import sea
from app.services.vessels import vessel_particulars, vessels


def quote(session: Session, actor: Actor, asked: Mapping[str, Any]) -> Quote:
    """Estimate a voyage for a vessel of the organization or for given particulars.

    Areas apply as for a charting. Raises :class:`Invalid` for an invalid request, and the
    engine's typed errors if there is no route.
    """
    vessel = find_vessel(session, actor, asked)
    request = charting_request.normalise(_charting(asked, vessel))
    refuse(find_draft_faults(request["draft"], vessel))
    atlas = sea.open_atlas()
    check_ends_are_at_sea(request, atlas)
    voyage = build_request(session, actor, vessel, request)
    end_reading(session)
    quoted = quote_voyage(voyage, atlas)
    past = find_past_departure(voyage.departs_at, utc_now())
    return replace(quoted, warnings=(*past, *quoted.warnings))


def find_vessel(session: Session, actor: Actor, asked: Mapping[str, Any]) -> Vessel:
    """The stored vessel that is named, or an unsaved vessel with the given particulars."""
    particulars = asked["particulars"]
    if (asked["vesselId"] is None) == (particulars is None):
        raise Invalid.at("/vesselId", "Send either vesselId or particulars.")
    if particulars is None:
        return vessels.get_of_request(session, actor.organization_id, asked["vesselId"])
    vessel = Vessel(**particulars)
    faults = vessel_particulars.find_faults(snapshot_vessel(vessel))
    refuse(FieldError(f"/particulars{fault.pointer}", fault.detail) for fault in faults)
    return vessel


def build_request(
    session: Session, actor: Actor, vessel: Vessel, request: dict[str, Any]
) -> VoyageRequest:
    """The engine's request of a charting that is not stored, with the areas in force now."""
    revision = ChartingRevision(
        organization_id=actor.organization_id, request=request, vessel=snapshot_vessel(vessel)
    )
    return build_present_request(session, revision)


def describe_voyage(
    vessel: Vessel, asked: Mapping[str, Any], names: Iterable[str]
) -> dict[str, Any]:
    """The charting request of a voyage for the least fuel, with the named fields as asked."""
    loading = load_to_draft(build_registered_ship(vessel), asked["draft"])
    return {
        **DEFAULTS,
        **{name: asked[name] for name in names},
        "trim": loading.trim_m,
        "rpm": None,
        "dwt": loading.deadweight_t,
        "optimizationType": "FUEL",
        "routeType": "WX",
        "portFromName": "departure",
        "portToName": "arrival",
    }


def _charting(asked: Mapping[str, Any], vessel: Vessel) -> dict[str, Any]:
    """The charting request of a quote: one speed."""
    return {
        **describe_voyage(vessel, asked, QUOTED),
        "startDate": asked["startDate"] or utc_now(),
        "speedRangeMin": asked["speed"],
        "speedRangeMax": asked["speed"],
        "lbp": vessel.lbp_m,
        "pitch": vessel.pitch_m,
    }
