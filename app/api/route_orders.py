"""Quotes, route checks, and requests for routes by port name and IMO number."""

from typing import Any

from flask import Response

from app.api.chartings import present_created
from app.api.operation import MOST_GEOMETRY_BYTES, ApiBlueprint, RequestContext, json_response
from app.api.route_body import describe_route_body, read_route_body
from app.api.schemas.charting_record import ChartingRecordSchema
from app.api.schemas.quote import QuoteRequestSchema, QuoteSchema
from app.api.schemas.route_order import RouteOrderSchema
from app.config import MAX_BODY_BYTES
from app.models import Scope
from app.records.route_check import RouteCheckRequestSchema, RouteCheckSchema
from app.services.chartings import quotes, route_checks, route_orders

blueprint = ApiBlueprint("Orders", __name__, description="Quotes, checks, requests by port name")


@blueprint.operation("POST", "/routes/quote", Scope.READ, most_bytes=MAX_BODY_BYTES)
@blueprint.arguments(QuoteRequestSchema)
@blueprint.response(200, QuoteSchema)
def quote_route(context: RequestContext, body: dict[str, Any]) -> Response:
    """Quote a voyage at once, in calm water at one speed; nothing is stored.

    Areas apply as for a charting. The first quote of a server process takes some seconds longer.
    """
    if body["particulars"] is not None:
        context.check_organization(body["particulars"], "/particulars")
    return json_response(QuoteSchema.write(quotes.quote(context.session, context.actor, body)))


@blueprint.operation("POST", "/routes/check", Scope.READ, most_bytes=MOST_GEOMETRY_BYTES)
@blueprint.doc(requestBody=describe_route_body(RouteCheckRequestSchema))
@blueprint.response(200, RouteCheckSchema)
def check_route(context: RequestContext) -> Response:
    """Check a route and calculate its time and fuel; nothing is stored.

    The route is a list of waypoints, or a file in RTZ, GPX, KML, GeoJSON, CSV or XLSX that is sent
    as multipart/form-data together with the other fields. Areas and limits apply as for a charting.
    The first check of a server process takes some seconds longer.
    """
    body, content = read_route_body(RouteCheckRequestSchema)
    if body["particulars"] is not None:
        context.check_organization(body["particulars"], "/particulars")
    found = route_checks.check(context.session, context.actor, body, content)
    return json_response(RouteCheckSchema.write(found))


@blueprint.operation("POST", "/routes/optimize", Scope.PLAN, most_bytes=MAX_BODY_BYTES)
@blueprint.arguments(RouteOrderSchema)
@blueprint.response(201, ChartingRecordSchema)
def optimize_route(context: RequestContext, body: dict[str, Any]) -> Response:
    """Request a route between two ports by their names; a charting is created.

    Fields that are not given are taken from the vessel: design draught on even keel, speeds up to
    service speed. A name that matches several ports is rejected with suggestions.
    """
    return present_created(route_orders.submit(context.session, context.actor, body))
