"""Checks of routes in requests and answers."""

from typing import Any, Final

from marshmallow import fields, validate

from app.records.charting import CHECKED, MOST_WAYPOINTS, SPEEDS_KN, ChartingSchema
from app.records.fields import (
    Flag,
    Instant,
    Number,
    RequestSchema,
    Text,
)
from app.records.figures import part, parts
from app.records.findings import FindingSchema
from app.records.given_route import GivenWaypointSchema
from app.records.plan import SummarySchema, WaypointSchema
from app.records.record import Record
from app.records.vessel import VesselSchema

_OPTIONAL: Final[dict[str, Any]] = {"allow_none": True, "load_default": None}


def _number(description: str, limits: validate.Range) -> Number:
    return Number(validate=limits, metadata={"description": description}, **_OPTIONAL)


def _instant(description: str) -> Instant:
    return Instant(metadata={"description": description}, **_OPTIONAL)


class _CheckShip(RequestSchema):
    """Vessel, schedule and track of a check."""

    vesselId = Text(metadata={"description": "Id of one of your vessels"}, **_OPTIONAL)
    particulars = fields.Nested(
        VesselSchema,
        metadata={"description": "A ship that is not registered, instead of vesselId"},
        **_OPTIONAL,
    )
    startDate = _instant("Departure time where the route has none, RFC 3339; now")
    speed = _number(
        "Speed through the water on legs for which the route has neither time nor speed [kn]; the"
        " service speed",
        SPEEDS_KN,
    )
    speeds = fields.List(
        Number(validate=SPEEDS_KN),
        validate=validate.Length(1, MOST_WAYPOINTS),
        metadata={"description": "The same for each leg, instead of speed [kn]"},
        **_OPTIONAL,
    )
    etas = fields.List(
        Instant(),
        validate=validate.Length(1, MOST_WAYPOINTS),
        metadata={"description": "Times of arrival at the end of each leg"},
        **_OPTIONAL,
    )
    waypoints = fields.List(
        fields.Nested(GivenWaypointSchema),
        validate=validate.Length(2, MOST_WAYPOINTS),
        metadata={"description": "The route, unless a file is sent"},
        **_OPTIONAL,
    )
    price = Flag(
        load_default=False,
        metadata={"description": "Answer with fuel and weather at each waypoint, too"},
    )


class RouteCheckRequestSchema(
    _CheckShip.from_dict(  # type: ignore[misc]
        {name: ChartingSchema._declared_fields[name] for name in CHECKED}
    )
):
    """A route to be checked for a ship."""


class RouteCheckSchema(Record):
    """Findings on a route, the gravest first, and its figures."""

    findings = parts(FindingSchema, "What was found, by severity, then along the route")
    summary = part(
        SummarySchema,
        "The route in figures at its own times; null where it cannot be sailed at all",
        allow_none=True,
    )
    waypoints = parts(WaypointSchema, "Fuel, speeds and weather by waypoint; empty without price")
