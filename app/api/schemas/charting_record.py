"""What is told of a charting."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.charting import ChartingSchema
from app.engine.voyage import LegGeometry, WeatherSource
from app.models import ChartingStatus


def _figure(description: str, **options: Any) -> fields.Float:
    return fields.Float(required=True, metadata={"description": description}, **options)


def _known(description: str) -> fields.Float:
    """A figure that may not be known."""
    return _figure(f"{description}; null where not known", allow_none=True)


def _word(choices: Any, description: str, **options: Any) -> fields.String:
    words = [str(choice) for choice in choices]
    if options.get("allow_none"):
        words.append(None)  # type: ignore[arg-type]
    return fields.String(
        required=True, metadata={"description": description, "enum": words}, **options
    )


class SourcesSchema(ma.Schema):
    """Where each part of the weather comes from."""

    wave = _word(WeatherSource, "Source of the waves")
    wind = _word(WeatherSource, "Source of the wind")
    current = _word(WeatherSource, "Source of the current")


class WeatherSchema(ma.Schema):
    """Sea state, wind and current at one place and time."""

    waveHeightM = _figure("Significant wave height [m]")
    wavePeriodS = _figure("Wave period [s]")
    waveDirDeg = _figure("Direction the waves come from [deg true]")
    windSpeedMs = _figure("Mean wind speed at 10 m [m/s]")
    windDirDeg = _figure("Direction the wind comes from [deg true]")
    currentSpeedKn = _figure("Speed of the current [kn]")
    currentDirDeg = _figure("Direction the current sets towards [deg true]")
    sources = fields.Nested(SourcesSchema, required=True)


class SummarySchema(ma.Schema):
    """A voyage in figures."""

    distanceNm = _figure("Distance [nm]")
    durationH = _figure("Duration [h]")
    eta = fields.DateTime(required=True, metadata={"description": "Arrival"})
    fuelMt = _figure("Fuel [t]")
    co2Mt = _figure("Carbon dioxide [t]")
    avgSpeedKn = _figure("Mean speed over ground [kn]")
    ecaDistanceNm = _figure("Distance inside emission control areas [nm]")
    ecaFuelMt = _figure("Fuel burnt inside emission control areas [t]")
    maxWaveM = _known("Highest significant wave [m]")
    maxWindMs = _known("Highest wind [m/s]")
    minUkcM = _known("Least water under the keel [m]")
    greatCircleNm = _figure("Great-circle distance between the ends, over land too [nm]")
    baselineFuelMt = _known("Fuel of the shortest way at constant speed [t]")
    savedPct = _known("Fuel saved against that [%]")
    optimalityGapPct = _known("True bound on how far from the optimum [%]")
    forecastCoveragePct = _figure("Share of the voyage within the forecast [%]")


class WaypointSchema(ma.Schema):
    """A waypoint and the leg that leads to it."""

    index = fields.Integer(required=True, metadata={"description": "From 0"})
    lat = _figure("Latitude [deg]", validate=validate.Range(-90, 90))
    lng = _figure("Longitude [deg], below 180", validate=validate.Range(-180, 180))
    eta = fields.DateTime(required=True, metadata={"description": "Time here"})
    speedKn = _known("Speed over ground on the leg [kn]")
    speedThroughWaterKn = _known("Speed through the water on the leg [kn]")
    courseDeg = _known("Initial course of the leg [deg true]")
    legDistanceNm = _figure("Length of the leg [nm]")
    legGeometry = _word(LegGeometry, "Line of the leg; null at the first", allow_none=True)
    xtdM = _known("Cross-track distance within which the leg is clear [m]")
    cumulativeNm = _figure("Distance from departure [nm]")
    legFuelMt = _figure("Fuel on the leg [t]")
    rpm = _known("Shaft speed [1/min]")
    powerKw = _known("Shaft power [kW]")
    weather = fields.Nested(WeatherSchema, required=True, allow_none=True)
    minDepthM = _known("Least charted depth on the leg [m]")
    ukcM = _known("Least water under the keel on the leg [m]")
    inEca = fields.Boolean(
        required=True, metadata={"description": "Whether the leg is in an emission control area"}
    )
    passage = fields.String(
        required=True, allow_none=True, metadata={"description": "Canal or narrow that it runs in"}
    )
    note = fields.String(required=True, allow_none=True)


class AlternativeSchema(ma.Schema):
    """Another way to sail the voyage."""

    kind = fields.String(required=True, metadata={"description": "BASELINE, TOPOLOGY, …"})
    label = fields.String(required=True)
    summary = fields.Nested(SummarySchema, required=True)
    waypoints = fields.List(fields.Nested(WaypointSchema), required=True)


class WarningSchema(ma.Schema):
    """Something the reader of a route must know."""

    code = fields.String(required=True)
    detail = fields.String(required=True)


class FailureSchema(ma.Schema):
    """Why there is no route."""

    code = fields.String(
        required=True,
        metadata={
            "description": "NO_ROUTE, LIMITS_TOO_TIGHT, DRAFT_TOO_DEEP, CANAL_LIMIT,"
            " END_INSIDE_AREA, TIMEOUT, DATA_MISSING or INTERNAL"
        },
    )
    detail = fields.String(required=True)
    data = fields.Dict(required=True)


class AppliedZonesSchema(ma.Schema):
    """Built-in zones that a route was planned with."""

    version = fields.String(required=True, metadata={"description": "Digest of all zone data"})
    applied = fields.List(fields.String(), required=True, metadata={"description": "Ids"})


class ProvenanceSchema(ma.Schema):
    """What a route was made from."""

    engineVersion = fields.String(required=True)
    seaAtlas = fields.String(required=True)
    passages = fields.String(required=True)
    weatherRuns = fields.List(fields.Dict(), required=True)
    zones = fields.Nested(AppliedZonesSchema, required=True)
    constraints = fields.List(fields.String(), required=True)


class ChartingSummarySchema(ChartingSchema):
    """A charting without its waypoints."""

    id = fields.String(required=True, dump_only=True)
    vesselName = fields.String(required=True, allow_none=True, dump_only=True)
    status = fields.String(
        required=True,
        dump_only=True,
        metadata={"enum": [str(status) for status in ChartingStatus]},
    )
    progress = fields.Float(required=True, dump_only=True, validate=validate.Range(0, 1))
    stage = fields.String(required=True, allow_none=True, dump_only=True)
    failure = fields.Nested(FailureSchema, required=True, allow_none=True, dump_only=True)
    revision = fields.Integer(
        required=True, dump_only=True, metadata={"description": "The revision the route is from"}
    )
    latestRevision = fields.Integer(required=True, dump_only=True)
    createdAt = fields.DateTime(required=True, dump_only=True)
    queuedAt = fields.DateTime(required=True, dump_only=True)
    startedAt = fields.DateTime(required=True, allow_none=True, dump_only=True)
    finishedAt = fields.DateTime(required=True, allow_none=True, dump_only=True)
    summary = fields.Nested(SummarySchema, required=True, allow_none=True, dump_only=True)
    label = fields.String(
        required=True,
        allow_none=True,
        dump_only=True,
        metadata={"description": "The way taken, such as: by Suez"},
    )
    warnings = fields.List(fields.Nested(WarningSchema), required=True, dump_only=True)
    provenance = fields.Nested(ProvenanceSchema, required=True, allow_none=True, dump_only=True)


class ChartingRecordSchema(ChartingSummarySchema):
    """A charting."""

    waypoints = fields.List(
        fields.Nested(WaypointSchema),
        dump_only=True,
        metadata={"description": "Left out with addCharting=false"},
    )
    alternatives = fields.List(
        fields.Nested(AlternativeSchema),
        dump_only=True,
        metadata={"description": "Left out with addCharting=false"},
    )
