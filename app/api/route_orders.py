"""Routes ordered by names instead of figures."""

from typing import Any

from flask import Response

from app.api.chartings import present_created
from app.api.operation import ApiBlueprint, Call
from app.api.schemas.charting_record import ChartingRecordSchema
from app.api.schemas.route_order import RouteOrderSchema
from app.models import Role
from app.services import route_orders
from app.services.route_orders import RouteOrder

blueprint = ApiBlueprint("Orders", __name__, description="Routes ordered by names")


@blueprint.operation("POST", "/routes/optimize", role=Role.PLANNER)
@blueprint.arguments(RouteOrderSchema)
@blueprint.response(201, ChartingRecordSchema)
def optimize_route(call: Call, body: dict[str, Any]) -> Response:
    """Order a route for a ship between two ports; it becomes a charting.

    What is not said is taken from the ship: design draught on even keel, speeds
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
    return present_created(route_orders.submit(call.session, call.actor, order))
