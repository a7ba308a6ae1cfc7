"""Data derived from a charting's plan: consumption, segments, critical points, explanation."""

from typing import Any

from flask import Response, request

from app.api.chartings import blueprint, find_charting, get_planned
from app.api.conditional import state_tag, tagged
from app.api.operation import MOST_GEOMETRY_BYTES, RequestContext, json_response
from app.api.route_body import describe_route_body, read_route_body
from app.api.schemas.charting import RevisionQuerySchema
from app.api.schemas.charting_reading import (
    CriticalPointSchema,
    CriticalPointsSchema,
    ExplanationSchema,
    FocSchema,
    SegmentSchema,
    SegmentsSchema,
    SplitSchema,
    StoredSpreadSchema,
    TrackSchema,
)
from app.engine.vessel import estimate_foc
from app.models import ChartingRevision, Scope
from app.rate_limit import spend_explanation
from app.records.route_check import RouteComparisonRequestSchema, RouteComparisonSchema
from app.services.chartings import plan_reading, route_comparisons
from app.services.engine_mapping import build_registered_ship

#: The blueprint of chartings, with these operations added.
__all__ = ["blueprint"]


@blueprint.operation("GET", "/charting/<charting_id>/foc", Scope.READ)
@blueprint.response(200, FocSchema)
def get_charting_foc(context: RequestContext, charting_id: str) -> Response:
    """Get the vessel's daily fuel consumption, estimated from its particulars."""
    charting = find_charting(context, charting_id)
    vessel = charting.vessel
    shown = FocSchema.write(estimate_foc(build_registered_ship(vessel)))
    return tagged(json_response(shown), state_tag("foc", vessel.id, vessel.version))


@blueprint.operation("POST", "/charting/<charting_id>/segments/compute", Scope.READ)
@blueprint.arguments(RevisionQuerySchema, location="query")
@blueprint.arguments(SplitSchema, required=False)
@blueprint.response(200, SegmentsSchema)
def compute_charting_segments(
    context: RequestContext, query: dict[str, Any], body: dict[str, Any], charting_id: str
) -> Response:
    """Get totals for parts of the route, split at given waypoints or leg by leg."""
    planned = get_planned(context, charting_id, query["revision"]).planned
    segments = plan_reading.list_segments(planned, body["splitIndices"])
    shown = [*map(SegmentSchema.write, segments)]
    return json_response({"segments": shown, "revision": planned.revision})


@blueprint.operation(
    "POST", "/charting/<charting_id>/compare", Scope.READ, most_bytes=MOST_GEOMETRY_BYTES
)
@blueprint.arguments(RevisionQuerySchema, location="query")
@blueprint.doc(requestBody=describe_route_body(RouteComparisonRequestSchema))
@blueprint.response(200, RouteComparisonSchema)
def compare_route(context: RequestContext, query: dict[str, Any], charting_id: str) -> Response:
    """Compare another route with the charting's plan: the extra cost and its reasons.

    The route is sent in the same form as for a check. It is simulated with the plan's ship and
    departure. Both routes are simulated in the latest weather. Nothing is stored.
    """
    planned = get_planned(context, charting_id, query["revision"]).planned
    body, content = read_route_body(RouteComparisonRequestSchema)
    compared = route_comparisons.compare(context.session, planned, body, content)
    return json_response(RouteComparisonSchema.write(compared))


@blueprint.operation("GET", "/charting/<charting_id>/critical-points", Scope.READ, errors=(409,))
@blueprint.arguments(RevisionQuerySchema, location="query")
@blueprint.response(200, CriticalPointsSchema)
def list_critical_points(
    context: RequestContext, query: dict[str, Any], charting_id: str
) -> Response:
    """List the route's critical points in order of time."""
    planned = get_planned(context, charting_id, query["revision"]).planned
    points = plan_reading.list_critical_points(context.session, planned)
    items = [*map(CriticalPointSchema.write, points)]
    # they depend on the organization's required UKC too
    return tagged(_list(planned, items), state_tag("critical points", planned.revision, items))


@blueprint.operation("GET", "/charting/<charting_id>/explanation", Scope.READ, errors=(409,))
@blueprint.arguments(RevisionQuerySchema, location="query")
@blueprint.response(200, ExplanationSchema)
def get_charting_explanation(
    context: RequestContext, query: dict[str, Any], charting_id: str
) -> Response:
    """Get an explanation of the route in plain English.

    An organization may request 10 an hour. HEAD requests and responses with 304 are not counted.
    """
    planned = get_planned(context, charting_id, query["revision"]).planned
    shown = plan_reading.get_explanation(context.session, planned)
    tag = state_tag("explanation", shown)
    if request.method != "HEAD" and not request.if_none_match.contains_weak(tag):
        spend_explanation(context.actor)
    return tagged(json_response(shown), tag)


@blueprint.operation("GET", "/charting/<charting_id>/track", Scope.READ, errors=(409,))
@blueprint.arguments(RevisionQuerySchema, location="query")
@blueprint.response(200, TrackSchema)
def get_charting_track(
    context: RequestContext, query: dict[str, Any], charting_id: str
) -> Response:
    """Get the dense profile along the route: weather, speed, power, fuel and depth."""
    planned = get_planned(context, charting_id, query["revision"]).planned
    tag = state_tag(planned.charting_id, planned.revision, planned.finished_at)
    return tagged(_list(planned, planned.profile or []), tag)


@blueprint.operation("GET", "/charting/<charting_id>/spread", Scope.READ, errors=(409,))
@blueprint.arguments(RevisionQuerySchema, location="query")
@blueprint.response(200, StoredSpreadSchema)
def get_charting_spread(
    context: RequestContext, query: dict[str, Any], charting_id: str
) -> Response:
    """Get the plan's uncertainty: fuel, arrival and limits over the ensemble members.

    Without an ensemble the spread is that of typical forecast error; `basis` names which. A plan
    made without weather has no spread: 404.
    """
    planned = get_planned(context, charting_id, query["revision"]).planned
    shown = plan_reading.get_spread(planned) | {"revision": planned.revision}
    tag = state_tag("spread", planned.charting_id, planned.revision, planned.finished_at)
    return tagged(json_response(shown), tag)


def _list(planned: ChartingRevision, items: list[dict[str, Any]]) -> Response:
    return json_response({"items": items, "total": len(items), "revision": planned.revision})
