"""Calibrations of vessels."""

from functools import partial
from typing import Any

from flask import Response

from app.api import present
from app.api.operation import ApiBlueprint, RequestContext, accepted, json_response
from app.api.schemas.calibration import CalibrationSchema, CalibrationSummarySchema, RevertedSchema
from app.api.schemas.common import PageQuerySchema, page_of
from app.api.vessels import find_vessel
from app.models import Role, Scope, Vessel, VesselCalibration
from app.services.platform import background_runs
from app.services.vessels import calibrations

blueprint = ApiBlueprint(
    "Calibration", __name__, description="Vessel performance fitted to reports"
)


@blueprint.operation("GET", "/vessel/<vessel_id>/calibrations", Scope.READ)
@blueprint.arguments(PageQuerySchema, location="query")
@blueprint.response(200, page_of(CalibrationSummarySchema))
def list_vessel_calibrations(
    context: RequestContext, query: dict[str, Any], vessel_id: str
) -> Response:
    """List a vessel's calibrations, newest first."""
    vessel = find_vessel(context, vessel_id)
    found = calibrations.list_page(context.session, vessel, **query)
    return json_response(
        present.page(found, partial(_present, vessel, schema=CalibrationSummarySchema))
    )


@blueprint.operation("POST", "/vessel/<vessel_id>/calibrations", Scope.PLAN)
@blueprint.response(202, CalibrationSchema)
def create_vessel_calibration(context: RequestContext, vessel_id: str) -> Response:
    """Start a calibration of a vessel from its reports and declared performance.

    It runs in the background, one per vessel at a time, and takes effect only when it is accepted.
    Resistance, its trend between dockings, draught, weather and consumption are fitted. The fit is
    tested on the latest 30 % of the reports, which are held out: the status is PROPOSED if it is
    better than the particulars alone there, else NOT_BETTER. Of telemetry, the latest 20,000 hours
    are read; of noon reports, all.
    """
    vessel = find_vessel(context, vessel_id)
    version = calibrations.start(context.session, context.actor, vessel)
    address = f"/v1/vessel/{vessel.id}/calibrations/{version.id}"
    return accepted(_present(vessel, version), address)


@blueprint.operation("GET", "/vessel/<vessel_id>/calibrations/<calibration_id>", Scope.READ)
@blueprint.response(200, CalibrationSchema)
def get_vessel_calibration(
    context: RequestContext, vessel_id: str, calibration_id: str
) -> Response:
    """Get a calibration: its progress, and its evidence once it is fitted."""
    vessel = find_vessel(context, vessel_id)
    version = calibrations.get(context.session, vessel, calibration_id)
    return json_response(_present(vessel, version))


@blueprint.operation("POST", "/vessel/<vessel_id>/calibrations/<calibration_id>/cancel", Scope.PLAN)
@blueprint.response(200, CalibrationSchema)
def cancel_vessel_calibration(
    context: RequestContext, vessel_id: str, calibration_id: str
) -> Response:
    """Cancel a calibration; a running one stops within seconds."""
    vessel = find_vessel(context, vessel_id)
    version = calibrations.get(context.session, vessel, calibration_id)
    background_runs.cancel(context.session, context.actor, version)
    return json_response(_present(vessel, version))


@blueprint.operation(
    "POST", "/vessel/<vessel_id>/calibrations/<calibration_id>/accept", Scope.PLAN, role=Role.ADMIN
)
@blueprint.response(200, CalibrationSchema)
def accept_vessel_calibration(
    context: RequestContext, vessel_id: str, calibration_id: str
) -> Response:
    """Accept a calibration; new plans, quotes and estimates use it."""
    vessel = find_vessel(context, vessel_id)
    version = calibrations.get(context.session, vessel, calibration_id)
    calibrations.accept(context.session, context.actor, vessel, version)
    return json_response(_present(vessel, version))


@blueprint.operation("POST", "/vessel/<vessel_id>/calibrations/revert", Scope.PLAN, role=Role.ADMIN)
@blueprint.response(200, RevertedSchema)
def revert_vessel_calibration(context: RequestContext, vessel_id: str) -> Response:
    """Withdraw the active calibration; the one accepted before it, if any, is active again."""
    vessel = find_vessel(context, vessel_id)
    earlier = calibrations.revert(context.session, context.actor, vessel)
    active = earlier and _present(vessel, earlier, CalibrationSummarySchema)
    return json_response({"active": active})


def _present(
    vessel: Vessel,
    version: VesselCalibration,
    schema: type[CalibrationSummarySchema] = CalibrationSchema,
) -> dict[str, Any]:
    status = calibrations.status_of(vessel, version)
    return schema.write(version) | {"status": str(status)}
