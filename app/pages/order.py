"""The order form's fields, read from JSON into the request that services take."""

from datetime import UTC
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from app.engine.voyage import Objective, TrackKind
from app.services.errors import Fault, Invalid

_NUMBER = {"required": "Enter a number.", "invalid": "Enter a number."}
_PORT = {"required": "Choose a port or pick a position on the chart."}


def _number(low: float, high: float, *, optional: bool = False) -> fields.Float:
    limits = validate.Range(low, high, error=f"Enter {low:g} to {high:g}.")
    if optional:
        return fields.Float(load_default=None, validate=limits, error_messages=_NUMBER)
    return fields.Float(required=True, validate=limits, error_messages=_NUMBER)


def _place(limit: float) -> fields.Float:
    return fields.Float(required=True, validate=validate.Range(-limit, limit), error_messages=_PORT)


def _name() -> fields.String:
    return fields.String(required=True, validate=validate.Length(1, 200), error_messages=_PORT)


def _time(**more: Any) -> fields.AwareDateTime:
    wrong = "Enter a time in UTC, like 14 Jan 2026 18:00."
    return fields.AwareDateTime(
        format="iso", default_timezone=UTC, error_messages=dict.fromkeys(_NUMBER, wrong), **more
    )


#: What the form sends; limits are in metres and Beaufort there.
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
        "maxWindBf": _number(0, 12, optional=True),
        "maxNorthLat": _number(-90, 90, optional=True),
        "avoidEca": fields.Boolean(required=True),
        "avoidPiracyAreas": fields.Boolean(required=True),
        "avoidWarZones": fields.Boolean(required=True),
    },
    name="OrderSchema",
)

#: Request fields that the form has no place for.
_ELSEWHERE: dict[str, Any] = {
    "waveUnit": "meters",
    "windUnit": "bf",
    "noGoAreas": None,
    "importedData": None,
    "owner": None,
    "triggeredBy": None,
    "onboardingUploadedFileKey": None,
    "isAlterFrom": False,
}


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
        faults = [Fault(f"/{name}", " ".join(words)) for name, words in messages.items()]
        raise Invalid(faults) from None
    return order | _ELSEWHERE
