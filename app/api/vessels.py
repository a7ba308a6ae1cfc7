"""Vessels and their statistics."""

from typing import Any

from flask import Response

from app.api import present
from app.api.conditional import check_preconditions, state_tag, tagged
from app.api.operation import ApiBlueprint, RequestContext, created, json_response, no_content
from app.api.schemas.common import PageQuerySchema, page_of
from app.api.schemas.telemetry import PeriodQuerySchema
from app.api.schemas.vessel_statistics import VesselStatisticsSchema
from app.models import Scope, Vessel
from app.records.vessel import VesselRecordSchema, VesselSchema
from app.services.vessels import vessel_statistics, vessels

blueprint = ApiBlueprint("Vessel", __name__, description="Vessels and their particulars")
statistics = ApiBlueprint(
    "Vessel statistics", __name__, description="Distance, fuel and carbon intensity of vessels"
)


@blueprint.operation("GET", "/vessel", Scope.READ)
@blueprint.arguments(PageQuerySchema, location="query")
@blueprint.response(200, page_of(VesselRecordSchema))
def list_vessels(context: RequestContext, query: dict[str, Any]) -> Response:
    """List the organization's vessels, newest first."""
    found = vessels.list_page(context.session, context.organization_id, **query)
    return json_response(present.page(found, VesselRecordSchema.write))


@blueprint.operation("POST", "/vessel", Scope.PLAN)
@blueprint.arguments(VesselSchema)
@blueprint.response(201, VesselRecordSchema)
def create_vessel(context: RequestContext, body: dict[str, Any]) -> Response:
    """Register a vessel."""
    context.check_organization(body)
    vessel = vessels.create(context.session, context.actor, body)
    response = created(VesselRecordSchema.write(vessel), f"/v1/vessel/{vessel.id}")
    return tagged(response, _tag(vessel))


@blueprint.operation("GET", "/vessel/<vessel_id>", Scope.READ)
@blueprint.response(200, VesselRecordSchema)
def get_vessel(context: RequestContext, vessel_id: str) -> Response:
    """Get a vessel."""
    return _shown(find_vessel(context, vessel_id))


@blueprint.operation("PUT", "/vessel/<vessel_id>", Scope.PLAN, errors=(409, 412))
@blueprint.arguments(VesselSchema(read_back=VesselRecordSchema))
@blueprint.response(200, VesselRecordSchema)
def update_vessel(context: RequestContext, body: dict[str, Any], vessel_id: str) -> Response:
    """Replace a vessel's particulars; optional fields that are left out are cleared."""
    return _changed(context, vessel_id, body)


@blueprint.operation("PATCH", "/vessel/<vessel_id>", Scope.PLAN, errors=(409, 412))
@blueprint.arguments(VesselSchema.of_changes(VesselRecordSchema))
@blueprint.response(200, VesselRecordSchema)
def patch_vessel(context: RequestContext, body: dict[str, Any], vessel_id: str) -> Response:
    """Change the given particulars of a vessel."""
    return _changed(context, vessel_id, body)


@blueprint.operation("DELETE", "/vessel/<vessel_id>", Scope.PLAN, errors=(409, 412))
@blueprint.response(204)
def delete_vessel(context: RequestContext, vessel_id: str) -> Response:
    """Delete a vessel that has no active charting and is not under way.

    Its past chartings stay readable.
    """
    vessel = find_vessel(context, vessel_id)
    check_preconditions(_tag(vessel))
    vessels.delete(context.session, vessel)
    return no_content()


@statistics.operation("GET", "/vessel/<vessel_id>/stats", Scope.READ)
@statistics.arguments(PeriodQuerySchema, location="query")
@statistics.response(200, VesselStatisticsSchema)
def get_vessel_statistics(
    context: RequestContext, query: dict[str, Any], vessel_id: str
) -> Response:
    """Get totals of a vessel's telemetry and voyages in a period.

    The time between two records counts in the period in which it ends, so that the totals of
    consecutive days add up; what ends at midnight counts in the day before.
    """
    vessel = find_vessel(context, vessel_id)
    found = vessel_statistics.describe(context.session, vessel, **query)
    return json_response(VesselStatisticsSchema.write(found))


def _changed(context: RequestContext, vessel_id: str, body: dict[str, Any]) -> Response:
    vessel = find_vessel(context, vessel_id)
    check_preconditions(_tag(vessel))
    context.check_organization(body)
    return _shown(vessels.update(context.session, vessel, body))


def find_vessel(context: RequestContext, vessel_id: str) -> Vessel:
    """Return a vessel of the caller's organization; raises :class:`NotFound`."""
    return vessels.get(context.session, context.organization_id, vessel_id)


def _shown(vessel: Vessel) -> Response:
    return tagged(json_response(VesselRecordSchema.write(vessel)), _tag(vessel))


def _tag(vessel: Vessel) -> str:
    return state_tag("vessel", vessel.id, vessel.version)
