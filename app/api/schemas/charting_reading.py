"""What is read of a charting beside its record."""

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.charting_record import WeatherSchema, figure, known, latitude, longitude
from app.api.schemas.common import count
from app.api.schemas.fields import RequestSchema, WholeNumber
from app.engine.report.critical_points import Kind, Severity


def _weather() -> fields.Nested:
    return fields.Nested(
        WeatherSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Weather here at that time; null where none is known"},
    )


class SplitSchema(RequestSchema):
    """Where a route is to be split."""

    #: The whole body may be left out.
    is_optional = True

    splitIndices = fields.List(
        WholeNumber(),
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=10_000),
        metadata={
            "description": "Indices of waypoints between the first and the last, ascending;"
            " without them every leg is a segment",
            "example": [1],
        },
    )


class SegmentSchema(ma.Schema):
    """A route between two of its waypoints."""

    fromIndex = count("Waypoint it begins at")
    toIndex = count("Waypoint it ends at")
    distanceNm = figure("Distance [nm]")
    durationH = figure("Duration [h]")
    fuelMt = figure("Fuel of the main engine [t]")
    co2Mt = figure("Carbon dioxide of the main engine [t]")
    avgSpeedKn = figure("Mean speed over ground [kn]")
    ecaDistanceNm = figure("Distance inside emission control areas [nm]")
    maxWaveM = known("Highest significant wave [m]")
    maxWindMs = known("Highest wind [m/s]")
    avgCurrentKn = known(
        "Mean current along the course [kn], fair positive, foul negative", least=None
    )


class SegmentsSchema(ma.Schema):
    """A route in parts."""

    segments = fields.List(
        fields.Nested(SegmentSchema), required=True, metadata={"description": "In order"}
    )
    revision = count("The route's revision", least=1)


class CriticalPointSchema(ma.Schema):
    """A place and time on the route that the bridge should look at twice."""

    waypointIndex = count("Waypoint that the ship is at or heading for")
    lat = latitude()
    lng = longitude()
    eta = fields.DateTime(required=True, metadata={"description": "Time here"})
    kinds = fields.List(
        fields.String(metadata={"enum": [str(kind) for kind in Kind]}),
        required=True,
        metadata={"description": "Why it matters"},
    )
    severity = fields.String(
        required=True,
        metadata={
            "enum": [severity.label for severity in Severity],
            "description": "info: worth knowing; caution: prepare; danger: decide before sailing",
        },
    )
    description = fields.String(required=True, metadata={"description": "In plain English"})
    weather = _weather()


class CriticalPointsSchema(ma.Schema):
    """Critical points, in order of time."""

    items = fields.List(
        fields.Nested(CriticalPointSchema), required=True, metadata={"description": "By time"}
    )
    total = count("How many there are")
    revision = count("The route's revision", least=1)


class ExplanationSchema(ma.Schema):
    """Why a route is what it is."""

    summary = fields.String(
        required=True,
        metadata={
            "description": "Plain English in paragraphs, an empty line between them; every"
            " number in it is one of the charting's record, rounded"
        },
    )
    generatedAt = fields.DateTime(required=True, metadata={"description": "When it was written"})


class FocPointSchema(ma.Schema):
    """Consumption at a speed."""

    speedKn = figure("Speed [kn]")
    focMtPerDay = figure("Fuel oil consumption of the main engine [t/day]")
    powerKw = figure("Brake power [kW]")


class FocSchema(ma.Schema):
    """Fuel oil consumption in service."""

    focMtPerDay = figure("Fuel oil consumption of the main engine at service speed [t/day]")
    serviceSpeedKn = figure("Service speed [kn]")
    powerKw = figure("Brake power at service speed [kW]")
    sfocGPerKwh = figure("Specific fuel oil consumption there [g/kWh]")
    method = fields.String(required=True, metadata={"description": "Methods used"})
    curve = fields.List(
        fields.Nested(FocPointSchema),
        required=True,
        metadata={"description": "By speed, from 0.6 to 1.1 of service speed as power allows"},
    )
    inputs = fields.Dict(
        required=True,
        metadata={
            "description": "Particulars used [m, t, kn, kW] and those assumed where not given"
        },
    )


class TrackPointSchema(ma.Schema):
    """The ship at one point of her track, and the stretch that leads away from it."""

    lat = latitude()
    lng = longitude()
    time = fields.DateTime(required=True, metadata={"description": "Time here"})
    cumulativeNm = figure("Distance from departure [nm]")
    courseDeg = figure("Course [deg true]")
    speedKn = figure("Speed over ground [kn]")
    speedThroughWaterKn = figure("Speed through the water [kn]")
    powerKw = figure("Shaft power [kW]")
    cumulativeFuelMt = figure("Fuel of the main engine burnt since departure [t]")
    depthM = known("Charted depth [m]")
    inEca = fields.Boolean(
        required=True, metadata={"description": "Whether in an emission control area"}
    )
    weather = _weather()


class TrackSchema(ma.Schema):
    """The dense profile along a route: a point every 5 nm or 30 min, whichever is less."""

    items = fields.List(
        fields.Nested(TrackPointSchema), required=True, metadata={"description": "By time"}
    )
    total = count("How many there are")
    revision = count("The route's revision", least=1)
