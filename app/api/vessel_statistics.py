"""Vessel statistics."""

from typing import Any

from flask import Response

from app.api.operation import ApiBlueprint, RequestContext, json_response
from app.api.schemas.telemetry import PeriodQuerySchema
from app.api.schemas.vessel_statistics import VesselStatisticsSchema
from app.api.vessels import find_vessel
from app.models import Scope
from app.services.vessels import vessel_statistics

blueprint = ApiBlueprint(
    "Vessel statistics", __name__, description="Distance, fuel and carbon intensity of vessels"
)


@blueprint.operation("GET", "/vessel/<vessel_id>/stats", Scope.READ)
@blueprint.arguments(PeriodQuerySchema, location="query")
@blueprint.response(200, VesselStatisticsSchema)
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
