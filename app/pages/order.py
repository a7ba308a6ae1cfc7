"""The order form's fields, read from JSON into the request that services take."""

from datetime import UTC
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from app.engine.voyage import Objective, TrackKind
from app.pages.forms import check_line
from app.services import charting_request
from app.services.errors import Fault, Invalid
from app.services.reference_routes import MOST_WAYPOINTS

_NUMBER: dict[str, Any] = {"required": "Enter a number.", "invalid": "Enter a number."}
_PORT: dict[str, Any] = {"required": "Choose a port or pick a position on the chart."}
_LINE = (validate.Length(1, 200), check_line)


def _number(low: float, high: float, *, optional: bool = False) -> fields.Float:
    limits = validate.Range(low, high, error=f"Enter {low:g} to {high:g}.")
    if optional:
        return fields.Float(load_default=None, validate=limits, error_messages=_NUMBER)
    return fields.Float(required=True, validate=limits, error_messages=_NUMBER)


def _place(limit: float) -> fields.Float:
    return fields.Float(required=True, validate=validate.Range(-limit, limit), error_messages=_PORT)


def _name() -> fields.String:
    return fields.String(required=True, validate=_LINE, error_messages=_PORT)


def _text() -> fields.String:
    return fields.String(validate=_LINE, allow_none=True)


def _time(**more: Any) -> fields.AwareDateTime:
    wrong = "Enter a time in UTC, like 14 Jan 2026 18:00."
    return fields.AwareDateTime(
        format="iso", default_timezone=UTC, error_messages=dict.fromkeys(_NUMBER, wrong), **more
    )


class _PlaceSchema(Schema):
    """A waypoint of a reference route."""

    lat = fields.Float(required=True, validate=validate.Range(-90, 90))
    lng = fields.Float(required=True, validate=validate.Range(-180, 180))


class _RouteSchema(Schema):
    """A reference route, as it was read from its file."""

    name = fields.String(required=True, validate=_LINE)
    waypoints = fields.List(
        fields.Nested(_PlaceSchema), required=True, validate=validate.Length(2, MOST_WAYPOINTS)
    )


#: What the form sends: every field of a request, so that an order that is copied is copied whole.
OrderSchema = Schema.from_dict(
    {
        "latFrom": _place(90),
        "lngFrom": _place(180),
        "portFromName": _name(),
        "nidFrom": fields.String(load_default=None),
        "latTo": _place(90),
        "lngTo": _place(180),
        "portToName": _name(),
        "nidTo": fields.String(load_default=None),
        "startDate": _time(required=True),
        "endDate": _time(load_default=None),
        "vesselId": fields.String(required=True),
        "speedRangeMin": _number(1, 40),
        "speedRangeMax": _number(1, 40),
        "draft": _number(0.5, 30),
        "trim": _number(-15, 15),
        "rpm": _number(1, 1000),
        "dwt": _number(1, 600_000),
        "lbp": _number(5, 480),
        "pitch": _number(0.1, 15),
        "optimizationType": fields.String(required=True, validate=validate.OneOf(list(Objective))),
        "routeType": fields.String(required=True, validate=validate.OneOf(list(TrackKind))),
        "maxWaveHeight": _number(0, 30, optional=True),
        "waveUnit": fields.String(validate=validate.OneOf(["meters", "douglas"])),
        "maxWindBf": _number(0, 100, optional=True),
        "windUnit": fields.String(validate=validate.OneOf(["bf", "m/s"])),
        "maxNorthLat": _number(-90, 90, optional=True),
        "maxSouthLat": _number(-90, 90, optional=True),
        "avoidEca": fields.Boolean(required=True),
        "avoidPiracyAreas": fields.Boolean(required=True),
        "avoidWarZones": fields.Boolean(required=True),
        "noGoAreas": fields.List(
            fields.Raw(),
            load_default=None,
            validate=validate.Length(max=100, error="Draw up to 100 areas."),
        ),
        "importedData": fields.List(
            fields.Nested(_RouteSchema),
            load_default=None,
            validate=validate.Length(max=10, error="Add up to 10 reference routes."),
        ),
        "isAlterFrom": fields.Boolean(),
        "owner": _text(),
        "triggeredBy": _text(),
        "onboardingUploadedFileKey": _text(),
    },
    name="OrderSchema",
)

#: The part of the form that says which way a voyage would take.
WaySchema = Schema.from_dict(
    {
        name: OrderSchema._declared_fields[name]
        for name in (
            *("latFrom", "lngFrom", "latTo", "lngTo", "startDate", "vesselId", "draft"),
            *("avoidPiracyAreas", "avoidWarZones"),
        )
    },
    name="WaySchema",
)


def _in_words(told: Any) -> str:
    """What was wrong with a field; of a list, with its first item that is wrong."""
    while isinstance(told, dict):
        told = next(iter(told.values()))
    return " ".join(told)


def read_order(body: Any) -> dict[str, Any]:
    """Read the form's body as a charting request.

    Raises :class:`Invalid`, which names each field that is wrong.
    """
    try:
        order: dict[str, Any] = OrderSchema().load(
            body if isinstance(body, dict) else {}, unknown=RAISE
        )
    except ValidationError as error:
        messages = error.normalized_messages()
        faults = [Fault(f"/{name}", _in_words(told)) for name, told in messages.items()]
        raise Invalid(faults) from None
    return {**charting_request.DEFAULTS, **order}
