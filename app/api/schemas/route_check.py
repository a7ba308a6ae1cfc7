"""Checks of routes in requests and answers."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from marshmallow import fields, validate

from app.engine.codes import FindingCode, Severity
from app.engine.plan import LegGeometry
from app.records.charting import CHECKED, MOST_WAYPOINTS, SPEEDS_KN, ChartingSchema
from app.records.fields import (
    Choice,
    Flag,
    Instant,
    Latitude,
    Longitude,
    Number,
    RequestSchema,
    Text,
)
from app.records.figures import Word, count, known, latitude, longitude, part, parts, text
from app.records.plan import SummarySchema, WaypointSchema
from app.records.record import Record
from app.records.rounding import POSITION_DECIMALS, round_longitude, round_to
from app.records.vessel import VesselSchema

_OPTIONAL: Final[dict[str, Any]] = {"allow_none": True, "load_default": None}


def _number(description: str, limits: validate.Range) -> Number:
    return Number(validate=limits, metadata={"description": description}, **_OPTIONAL)


def _instant(description: str) -> Instant:
    return Instant(metadata={"description": description}, **_OPTIONAL)


class CheckedWaypointSchema(RequestSchema):
    """A waypoint of a route to be checked, and the leg that leads to it."""

    lat = Latitude(required=True, metadata={"description": "Latitude [deg]"})
    lng = Longitude(required=True, metadata={"description": "Longitude [deg]"})
    id = Text(metadata={"description": "Its id in your system"}, **_OPTIONAL)
    legGeometry = Choice(
        list(LegGeometry),
        metadata={"description": "Line of the leg; a rhumb line if not given"},
        **_OPTIONAL,
    )
    speedKn = _number("Speed ordered on the leg [kn]", SPEEDS_KN)
    eta = _instant("Time of arrival here")
    etd = _instant("Time of departure from here")
    xtdM = _number(
        "Cross-track distance that is claimed to be clear [m]", validate.Range(0, 100_000)
    )
    turnRadiusNm = _number("Radius of the turn here [nm]", validate.Range(0, 100))


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
        fields.Nested(CheckedWaypointSchema),
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


class FindingSchema(Record):
    """One thing found on a route."""

    code = Word(FindingCode, "Kind of the finding")
    severity = Word(Severity, "danger, warning, unknown (no data decide it) or note")
    message = text("What is wrong, in one sentence; it counts waypoints from 1")
    waypointIndex = count("The waypoint, from 0; null for others", allow_none=True)
    legIndex = count(
        "The leg that begins at the waypoint of that index, from 0; null for others",
        allow_none=True,
    )
    lat = latitude("Latitude [deg]; null where it has no place", allow_none=True,
                   write=round_to(POSITION_DECIMALS))  # fmt: skip
    lng = longitude("Longitude [deg], below 180; null where it has no place", allow_none=True,
                    write=round_longitude)  # fmt: skip
    measured = known("What was found [in the unit that the message names]", 3, least=None)
    required = known("What is needed or allowed [in the same unit]", 3, least=None)
    line = count("Line of the file; null where none is known", least=1, allow_none=True)

    computed: ClassVar[Mapping[str, Callable[[Any], Any]]] = {
        "lat": lambda finding: finding.position and finding.position.lat,
        "lng": lambda finding: finding.position and finding.position.lng,
    }


class RouteCheckSchema(Record):
    """Findings on a route, the gravest first, and its figures."""

    findings = parts(FindingSchema, "What was found, by severity, then along the route")
    summary = part(
        SummarySchema,
        "The route in figures at its own times; null where it cannot be sailed at all",
        allow_none=True,
    )
    waypoints = parts(WaypointSchema, "Fuel, speeds and weather by waypoint; empty without price")
