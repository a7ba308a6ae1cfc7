"""A route that is given, as clients send it."""

from marshmallow import validate

from app.engine.geodesy.leg import LegGeometry
from app.records.charting import SPEEDS_KN
from app.records.fields import (
    OPTIONAL,
    Choice,
    Latitude,
    Longitude,
    RequestSchema,
    Text,
    optional_instant,
    optional_number,
)


class GivenWaypointSchema(RequestSchema):
    """A waypoint of a route that is given, and the leg that leads to it."""

    lat = Latitude(required=True, description="Latitude [deg]")
    lng = Longitude(required=True, description="Longitude [deg]")
    id = Text(description="Its id in your system", **OPTIONAL)
    legGeometry = Choice(
        list(LegGeometry), description="Line of the leg; a rhumb line if not given", **OPTIONAL
    )
    speedKn = optional_number("Speed through the water ordered on the leg [kn]", SPEEDS_KN)
    eta = optional_instant("Time of arrival here")
    etd = optional_instant("Time of departure from here")
    xtdM = optional_number(
        "Cross-track distance that is claimed to be clear [m]", validate.Range(0, 100_000)
    )
    turnRadiusNm = optional_number("Radius of the turn here [nm]", validate.Range(0, 100))
