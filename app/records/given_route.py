"""A route that is given, as clients send it."""

from typing import Any, Final

from marshmallow import validate

from app.engine.plan import LegGeometry
from app.records.charting import SPEEDS_KN
from app.records.fields import (
    Choice,
    Instant,
    Latitude,
    Longitude,
    Number,
    RequestSchema,
    Text,
)

_OPTIONAL: Final[dict[str, Any]] = {"allow_none": True, "load_default": None}


def _number(description: str, limits: validate.Range) -> Number:
    return Number(validate=limits, metadata={"description": description}, **_OPTIONAL)


def _instant(description: str) -> Instant:
    return Instant(metadata={"description": description}, **_OPTIONAL)


class GivenWaypointSchema(RequestSchema):
    """A waypoint of a route that is given, and the leg that leads to it."""

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
