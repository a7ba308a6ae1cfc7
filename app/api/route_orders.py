"""Routes ordered by names instead of figures."""

from typing import Any

from flask import Response

from app.api.chartings import present_created
from app.api.operation import MOST_GEOMETRY_BYTES, ApiBlueprint, RequestContext, json_response
from app.api.route_body import describe_route_body, read_route_body
from app.api.schemas.charting_record import ChartingRecordSchema
from app.api.schemas.quote import QuoteRequestSchema, QuoteSchema
from app.api.schemas.route_order import RouteOrderSchema
from app.config import MAX_BODY_BYTES
from app.models import Role
from app.records.route_check import RouteCheckRequestSchema, RouteCheckSchema
from app.services.chartings import quotes, route_checks, route_orders
from app.services.chartings.route_orders import RouteOrder

blueprint = ApiBlueprint("Orders", __name__, description="Routes ordered by names")


@blueprint.operation("POST", "/routes/quote", most_bytes=MAX_BODY_BYTES)
@blueprint.arguments(QuoteRequestSchema)
@blueprint.response(200, QuoteSchema)
def quote_route(context: RequestContext, body: dict[str, Any]) -> Response:
    """Price a voyage at once, in a calm sea at one speed; nothing is kept.

    Areas bind as for a charting. The first quote of a server process takes seconds longer.
    """
    if body["particulars"] is not None:
        context.check_organization(body["particulars"])
    return json_response(QuoteSchema.write(quotes.quote(context.session, context.actor, body)))


@blueprint.operation(
    "POST", "/routes/check", errors=(400, 413, 415), most_bytes=MOST_GEOMETRY_BYTES
)
@blueprint.doc(requestBody=describe_route_body(RouteCheckRequestSchema))
@blueprint.response(200, RouteCheckSchema)
def check_route(context: RequestContext) -> Response:
    """Check a route from elsewhere and price it; nothing is kept.

    The route is a list of waypoints, or a file in RTZ, GPX, KML, GeoJSON or CSV that is sent as
    multipart/form-data together with the other fields. Areas and limits bind as for a charting.
    The first check of a server process takes seconds longer.
    """
    body, content = read_route_body(RouteCheckRequestSchema)
    if body["particulars"] is not None:
        context.check_organization(body["particulars"])
    found = route_checks.check(context.session, context.actor, body, content)
    return json_response(RouteCheckSchema.write(found))


@blueprint.operation("POST", "/routes/optimize", role=Role.PLANNER, most_bytes=MAX_BODY_BYTES)
@blueprint.arguments(RouteOrderSchema)
@blueprint.response(201, ChartingRecordSchema)
def optimize_route(context: RequestContext, body: dict[str, Any]) -> Response:
    """Request a route for a ship between two ports; it becomes a charting.

    What is not given is taken from the ship: design draught on even keel, speeds
    up to service speed. A name that fits several ports is refused with
    suggestions.
    """
    limits = body.pop("constraints") or {}
    order = RouteOrder(
        **body,
        cii_target=limits.get("cii_target"),
        max_wave_m=limits.get("max_wave_m"),
        northernmost_lat=limits.get("northern_position"),
    )
    return present_created(route_orders.submit(context.session, context.actor, order))
