"""Data derived from a charting's plan."""

import marshmallow as ma
from marshmallow import fields, validate

from app.engine.report.critical_points import Kind, Severity
from app.records.fields import RequestSchema, WholeNumber
from app.records.figures import (
    count,
    figure,
    instant,
    known,
    latitude,
    listed,
    longitude,
    mapped,
    parts,
    text,
)
from app.records.plan import TrackPointSchema, weather_here
from app.records.record import Record
from app.records.spread import SpreadSchema


class SplitSchema(RequestSchema):
    """Waypoints at which to split a route."""

    #: The whole body may be left out.
    is_optional = True

    splitIndices = fields.List(
        WholeNumber(),
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=10_000),
        metadata={
            "description": "Indices of waypoints between the first and the last, ascending;"
            " if left out, each leg is a segment",
            "example": [1],
        },
    )


class SegmentSchema(Record):
    """Part of a route between two waypoints."""

    fromIndex = count("Index of the first waypoint")
    toIndex = count("Index of the last waypoint")
    distanceNm = figure("Distance [nm]", 4)
    durationH = figure("Duration, waits included [h]", 4)
    fuelMt = figure("Fuel of the main engine [t]", 4)
    co2Mt = figure("Carbon dioxide of the main engine [t]", 4)
    avgSpeedKn = figure("Mean speed over ground under way [kn]", 3, attribute="average_speed_kn")
    ecaDistanceNm = figure("Distance inside emission control areas [nm]", 4)
    maxWaveM = known("Highest significant wave height [m]")
    maxWindMs = known("Highest wind speed [m/s]")
    avgCurrentKn = known(
        "Mean current along the course [kn], fair positive, foul negative",
        3,
        least=None,
        attribute="average_current_kn",
    )


class SegmentsSchema(ma.Schema):
    """Segments of a route."""

    segments = parts(SegmentSchema, "In order")
    revision = count("The route's revision", least=1)


class CriticalPointSchema(Record):
    """A place and time on the route that needs attention."""

    waypointIndex = count("Index of the waypoint that the ship is at or heading for")
    lat = latitude(attribute="position.lat")
    lng = longitude(attribute="position.lng")
    eta = instant("Time at the point")
    kinds = listed(
        fields.String(metadata={"enum": [str(kind) for kind in Kind]}), "Kinds of critical point"
    )
    severity = fields.String(
        required=True,
        attribute="severity.label",
        metadata={
            "enum": [severity.label for severity in Severity],
            "description": "info: for information; caution: prepare; danger: decide before sailing",
        },
    )
    description = text("Description in plain English")
    weather = weather_here()


class CriticalPointsSchema(ma.Schema):
    """Critical points, in order of time."""

    items = parts(CriticalPointSchema, "In order of time")
    total = count("Number of items")
    revision = count("The route's revision", least=1)


class ExplanationSchema(ma.Schema):
    """Explanation of a route."""

    summary = text(
        "Plain English in paragraphs, separated by empty lines; all numbers"
        " are from the charting's record, rounded"
    )
    generatedAt = instant("Creation time")


class FocPointSchema(Record):
    """Fuel oil consumption at a speed."""

    speedKn = figure("Speed [kn]", 3)
    focMtPerDay = figure("Fuel oil consumption of the main engine [t/day]", 3)
    powerKw = figure("Brake power [kW]", 1)


class FocSchema(Record):
    """Fuel oil consumption in service."""

    focMtPerDay = figure("Fuel oil consumption of the main engine at service speed [t/day]", 3)
    standardErrorMtPerDay = figure("Standard error of focMtPerDay [t/day]", 3)
    serviceSpeedKn = figure("Service speed [kn]")
    powerKw = figure("Brake power at service speed [kW]", 1)
    sfocGPerKwh = figure("Specific fuel oil consumption at service speed [g/kWh]", 2)
    method = text("Methods used")
    curve = parts(FocPointSchema, "By speed, from 0.6 to 1.1 of service speed within the power")
    inputs = mapped("Particulars used [m, t, kn, kW], given and assumed")


class StoredSpreadSchema(SpreadSchema):
    """Uncertainty of a plan over the ensemble members."""

    revision = count("The route's revision", least=1)


class TrackSchema(ma.Schema):
    """Dense profile along a route: a point every 5 nm or 30 min, whichever is less."""

    items = parts(TrackPointSchema, "In order of time")
    total = count("Number of items")
    revision = count("The route's revision", least=1)
