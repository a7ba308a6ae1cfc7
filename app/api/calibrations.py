"""Calibrations of vessels."""

from typing import Any

from flask import Response

from app.api import present
from app.api.operation import ApiBlueprint, RequestContext, created, json_response
from app.api.schemas.calibration import CalibrationSchema, CalibrationSummarySchema, RevertedSchema
from app.api.schemas.common import PageQuerySchema, page_of
from app.models import Role, Vessel, VesselCalibration
from app.services.vessels import calibrations, vessels

blueprint = ApiBlueprint(
    "Calibration", __name__, description="What a vessel's own reports measure of it"
)


@blueprint.operation("GET", "/vessel/<vessel_id>/calibrations")
@blueprint.arguments(PageQuerySchema, location="query")
@blueprint.response(200, page_of(CalibrationSummarySchema))
def list_vessel_calibrations(
    context: RequestContext, query: dict[str, Any], vessel_id: str
) -> Response:
    """List a vessel's calibrations, newest first."""
    vessel = _find(context, vessel_id)
    found = calibrations.list_page(context.session, vessel, **query)
    return json_response(present.page(found, lambda version: _summarise(vessel, version)))


@blueprint.operation(
    "POST", "/vessel/<vessel_id>/calibrations", role=Role.PLANNER, errors=(404, 409)
)
@blueprint.response(201, CalibrationSchema)
def create_vessel_calibration(context: RequestContext, vessel_id: str) -> Response:
    """Calibrate a vessel by its reports and declared performance; changes nothing by itself.

    Fits resistance, its trend between dockings, draught, weather and consumption, and judges the
    fit on the latest third of the reports, which it has not seen. It is PROPOSED if it is better
    there, else NOT_BETTER. At most 20,000 hours are read, the latest.
    """
    vessel = _find(context, vessel_id)
    version = calibrations.create(context.session, context.actor, vessel)
    return created(_present(vessel, version), f"/v1/vessel/{vessel.id}/calibrations/{version.id}")


@blueprint.operation("GET", "/vessel/<vessel_id>/calibrations/<calibration_id>")
@blueprint.response(200, CalibrationSchema)
def get_vessel_calibration(
    context: RequestContext, vessel_id: str, calibration_id: str
) -> Response:
    """Get a calibration with its evidence."""
    vessel = _find(context, vessel_id)
    version = calibrations.get(context.session, vessel, calibration_id)
    return json_response(_present(vessel, version))


@blueprint.operation(
    "POST",
    "/vessel/<vessel_id>/calibrations/<calibration_id>/accept",
    role=Role.ADMIN,
    errors=(404, 409),
)
@blueprint.response(200, CalibrationSchema)
def accept_vessel_calibration(
    context: RequestContext, vessel_id: str, calibration_id: str
) -> Response:
    """Accept a calibration: plans, quotes and estimates rest on it from now on."""
    vessel = _find(context, vessel_id)
    version = calibrations.get(context.session, vessel, calibration_id)
    calibrations.accept(context.session, context.actor, vessel, version)
    return json_response(_present(vessel, version))


@blueprint.operation(
    "POST", "/vessel/<vessel_id>/calibrations/revert", role=Role.ADMIN, errors=(404, 409)
)
@blueprint.response(200, RevertedSchema)
def revert_vessel_calibration(context: RequestContext, vessel_id: str) -> Response:
    """Withdraw the active calibration: the version accepted before it is active again, if any."""
    vessel = _find(context, vessel_id)
    earlier = calibrations.revert(context.session, context.actor, vessel)
    return json_response({"active": None if earlier is None else _summarise(vessel, earlier)})


def _find(context: RequestContext, vessel_id: str) -> Vessel:
    return vessels.get(context.session, context.actor.organization_id, vessel_id)


def _summarise(vessel: Vessel, version: VesselCalibration) -> dict[str, Any]:
    evidence = version.evidence
    return {
        "id": str(version.id),
        "vesselId": str(vessel.id),
        "number": version.number,
        "status": str(calibrations.status_of(vessel, version)),
        "createdAt": present.instant(version.created_at),
        "createdBy": version.created_by,
        "acceptedAt": present.instant(version.accepted_at),
        "acceptedBy": version.accepted_by,
        "withdrawnAt": present.instant(version.withdrawn_at),
        **{name: evidence[name] for name in ("records", "used", "days", "period", "heldOut")},
        "standardErrorPct": evidence["standardErrorPct"],
    }


def _present(vessel: Vessel, version: VesselCalibration) -> dict[str, Any]:
    evidence, response = version.evidence, version.response
    return {
        **_summarise(vessel, version),
        "response": {
            "resistance": response["calm"],
            "draftExponent": response["draft_exponent"],
            "weather": response["weather"],
            "consumption": response["fuel"],
        },
        **{
            name: evidence[name]
            for name in ("estimates", "weather", "leftOut", "outliers", "residuals")
        },
    }
