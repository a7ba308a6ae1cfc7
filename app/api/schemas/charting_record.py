"""What is told of a charting."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.charting import ChartingSchema
from app.api.schemas.common import FaultSchema, count, page_of
from app.api.schemas.vessel_statistics import CarbonIntensitySchema
from app.engine.codes import AlternativeKind, FailureCode, WarningCode
from app.engine.voyage import LegGeometry, WeatherSource
from app.models import ChartingStatus


def figure(
    description: str,
    *,
    least: float | None = 0.0,
    greatest: float | None = None,
    **options: Any,
) -> fields.Float:
    """A figure that is always there; directions end at 360 degrees."""
    if description.endswith("[deg true]"):
        greatest = 360.0
    return fields.Float(
        required=True,
        validate=validate.Range(least, greatest),
        metadata={"description": description},
        **options,
    )


def known(description: str, **limits: float | None) -> fields.Float:
    """A figure that may not be known."""
    words = f"{description}; null where not known"
    return figure(words, allow_none=True, **limits)


def latitude(description: str = "Latitude [deg]") -> fields.Float:
    """Degrees north."""
    return figure(description, least=-90.0, greatest=90.0)


def longitude(description: str = "Longitude [deg], below 180") -> fields.Float:
    """Degrees east."""
    return figure(description, least=-180.0, greatest=180.0)


def _told(description: str, **options: Any) -> fields.String:
    return fields.String(required=True, metadata={"description": description}, **options)


def _word(choices: Any, description: str, **options: Any) -> fields.String:
    words = [str(choice) for choice in choices]
    if options.get("allow_none"):
        words.append(None)  # type: ignore[arg-type]
    return fields.String(
        required=True, metadata={"description": description, "enum": words}, **options
    )


def _when(description: str, **options: Any) -> fields.DateTime:
    return fields.DateTime(
        required=True, dump_only=True, metadata={"description": description}, **options
    )


class SourcesSchema(ma.Schema):
    """Where each part of the weather comes from."""

    wave = _word(WeatherSource, "Source of the waves")
    wind = _word(WeatherSource, "Source of the wind")
    current = _word(WeatherSource, "Source of the current")


class WeatherSchema(ma.Schema):
    """Sea state, wind and current at one place and time."""

    waveHeightM = figure("Significant wave height [m]")
    wavePeriodS = figure("Wave period [s]")
    waveDirDeg = figure("Direction the waves come from [deg true]")
    windSpeedMs = figure("Mean wind speed at 10 m [m/s]")
    windDirDeg = figure("Direction the wind comes from [deg true]")
    currentSpeedKn = figure("Speed of the current [kn]")
    currentDirDeg = figure("Direction the current sets towards [deg true]")
    sources = fields.Nested(
        SourcesSchema, required=True, metadata={"description": "Where each part comes from"}
    )


def of_auxiliaries(description: str) -> fields.Float:
    """A figure that is there where the vessel says what her auxiliaries burn."""
    return fields.Float(
        allow_none=True,
        validate=validate.Range(min=0),
        metadata={"description": f"{description}; null unless the vessel has auxiliaryMtPerDay"},
    )


class SummarySchema(ma.Schema):
    """A voyage in figures."""

    distanceNm = figure("Distance [nm]")
    durationH = figure("Duration [h]")
    eta = fields.DateTime(required=True, metadata={"description": "Arrival"})
    fuelMt = figure("Fuel of the main engine [t]")
    co2Mt = figure("Carbon dioxide of the main engine, tank to wake [t]")
    auxiliaryFuelMt = of_auxiliaries("Fuel of the auxiliaries, waits included [t]")
    auxiliaryCo2Mt = of_auxiliaries("Carbon dioxide of the auxiliaries [t]")
    totalFuelMt = of_auxiliaries("Fuel of main engine and auxiliaries [t]")
    totalCo2Mt = of_auxiliaries("Carbon dioxide of main engine and auxiliaries [t]")
    avgSpeedKn = figure("Mean speed over ground [kn]")
    ecaDistanceNm = figure("Distance inside emission control areas [nm]")
    ecaFuelMt = figure("Fuel of the main engine burnt inside emission control areas [t]")
    maxWaveM = known("Highest significant wave [m]")
    maxWindMs = known("Highest wind [m/s]")
    minUkcM = known(
        "Least water under the keel [m]; null where any unproven water is crossed", least=None
    )
    unprovenNm = figure("Distance over water of unknown depth [nm]")
    greatCircleNm = figure("Great-circle distance between the ends, over land too [nm]")
    baselineFuelMt = known("Main engine's fuel of the shortest way at constant speed [t]")
    savedPct = known(
        "Fuel saved against that [%]; null too where it arrives at another time",
        least=None,
        greatest=100.0,
    )
    forecastCoveragePct = figure("Share of the voyage within the forecast [%]", greatest=100.0)
    cii = fields.Nested(
        CarbonIntensitySchema,
        required=True,
        allow_none=True,
        metadata={"description": "As if the vessel did this voyage all year; null if she has none"},
    )


class WaypointSchema(ma.Schema):
    """A waypoint and the leg that leads to it."""

    index = count("Its place in the route, from 0")
    lat = latitude()
    lng = longitude()
    eta = fields.DateTime(required=True, metadata={"description": "Time here"})
    speedKn = known("Speed over ground on the leg [kn]")
    speedThroughWaterKn = known("Speed through the water on the leg [kn]")
    courseDeg = known("Initial course of the leg [deg true]")
    legDistanceNm = figure("Length of the leg [nm]")
    legGeometry = _word(LegGeometry, "Line of the leg; null at the first", allow_none=True)
    xtdM = known("Cross-track distance within which the leg is clear [m]")
    cumulativeNm = figure("Distance from departure [nm]")
    legFuelMt = figure("Fuel of the main engine on the leg [t]")
    rpm = known("Shaft speed [1/min]")
    powerKw = known("Shaft power [kW]")
    weather = fields.Nested(
        WeatherSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Weather here at that time; null where none is known"},
    )
    minDepthM = known("Least charted depth on the leg [m]")
    ukcM = known("Least water under the keel on the leg [m]", least=None)
    inEca = fields.Boolean(
        required=True, metadata={"description": "Whether the leg is in an emission control area"}
    )
    unproven = fields.Boolean(
        metadata={"description": "Whether the leg crosses water of unknown depth"}
    )
    passage = fields.String(
        required=True, allow_none=True, metadata={"description": "Canal or narrow that it runs in"}
    )
    note = _told("What the bridge should know here", allow_none=True)
    leavesAt = fields.DateTime(
        allow_none=True,
        metadata={"description": "When the ship leaves, where she waits here"},
    )


class AlternativeSchema(ma.Schema):
    """Another way to sail the voyage."""

    kind = _word(AlternativeKind, "Why it is listed beside the route")
    label = _told("What it is called, such as: by Suez")
    summary = fields.Nested(SummarySchema, required=True, metadata={"description": "It in figures"})
    waypoints = fields.List(
        fields.Nested(WaypointSchema), required=True, metadata={"description": "Its waypoints"}
    )
    faults = fields.List(
        fields.String(),
        metadata={"description": "What makes a route of importedData unsafe, or another voyage"},
    )


class FrontPointSchema(ma.Schema):
    """What arriving at one time costs at the least."""

    eta = fields.DateTime(required=True, metadata={"description": "Arrival"})
    durationH = figure("Hours from departure to arrival [h]")
    fuelMt = figure("Fuel of the main engine [t]")
    distanceNm = figure("Distance [nm]")
    avgSpeedKn = figure("Mean speed over ground under way [kn]")


class WarningSchema(ma.Schema):
    """Something the reader of a route must know."""

    code = _word(WarningCode, "What it is about, for programs")
    detail = _told("What it is about, for people")


class FailureSchema(ma.Schema):
    """Why there is no route."""

    code = _word(FailureCode, "What it is about, for programs")
    detail = _told("What keeps the voyage from being planned, and what may help")
    data = fields.Dict(required=True, metadata={"description": "The figures behind the words"})


class AppliedZonesSchema(ma.Schema):
    """Built-in zones that a route was planned with."""

    version = fields.String(required=True, metadata={"description": "Digest of all zone data"})
    applied = fields.List(fields.String(), required=True, metadata={"description": "Ids"})


class WeatherAreaSchema(ma.Schema):
    """The part of the world that a regional forecast covers."""

    south = latitude("Southern edge [deg]")
    west = longitude("Western edge [deg]")
    north = latitude("Northern edge [deg]")
    east = longitude("Eastern edge [deg]; below west across the antimeridian")


class ProvenanceSchema(ma.Schema):
    """What a route was made from."""

    engineVersion = _told("Version of the engine")
    seaAtlas = _told("Digest of the sea atlas")
    seaSources = fields.List(
        fields.String(),
        metadata={"description": "Where its coast and depths come from"},
    )
    charts = fields.List(
        fields.String(),
        metadata={"description": "Electronic charts that closed water, with edition and date"},
    )
    passages = _told("Digest of the passages")
    weatherRuns = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "Names of the weather runs, as GET /v1/weather/runs lists them"},
    )
    weatherAreas = fields.Dict(
        keys=fields.String(),
        values=fields.Nested(WeatherAreaSchema),
        metadata={
            "description": "Edges of the runs that cover a part of the world, by name; beyond them"
            " the weather is climatology"
        },
    )
    zones = fields.Nested(
        AppliedZonesSchema, required=True, metadata={"description": "Built-in zones"}
    )
    constraints = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "Ids of the constraints and client data heeded"},
    )


class PassageFactSchema(ma.Schema):
    """A canal or narrow water on the way."""

    name = _told("Its name")
    kind = _told("Canal, strait or the like")
    waitingH = figure("Usual waiting time counted [h]")
    lat = latitude("Latitude amid it [deg]")
    lng = longitude("Longitude amid it [deg]")


class CostFactSchema(ma.Schema):
    """What the route costs more than one that is not open or keeps no such limit."""

    class Meta:
        unknown = ma.INCLUDE

    label = _told("The way or limit")
    reason = fields.String(metadata={"description": "Why that way is not open"})
    areas = fields.List(fields.String(), metadata={"description": "Ids of what closes it"})
    extraNm = fields.Float(metadata={"description": "Miles more [nm]"})
    extraH = fields.Float(metadata={"description": "Hours more [h]"})
    extraFuelMt = fields.Float(metadata={"description": "Fuel more [t]"})


class WaitFactSchema(ma.Schema):
    """A wait for an area to be over, or for weather to pass."""

    lat = latitude()
    lng = longitude()
    hours = figure("How long [h]")
    until = _told("Until when, and for what")
    forAreas = fields.Boolean(metadata={"description": "Whether areas are waited for"})


class MeansFactSchema(ma.Schema):
    """Fuel saved against the baseline, by means."""

    trackMt = fields.Float(metadata={"description": "By the track [t]"})
    depthMt = fields.Float(
        metadata={"description": "By less shallow water along the track, a part of trackMt [t]"}
    )
    speedMt = fields.Float(metadata={"description": "By the speeds and their timing [t]"})


class FactsSchema(ma.Schema):
    """What decided the route beyond its figures; the explanation speaks of it.

    More may come with later versions.
    """

    class Meta:
        unknown = ma.INCLUDE

    passages = fields.List(
        fields.Nested(PassageFactSchema), metadata={"description": "Canals and narrows passed"}
    )
    waits = fields.List(
        fields.Nested(WaitFactSchema),
        metadata={"description": "Where the ship waits for what is closed"},
    )
    closedWays = fields.List(
        fields.Nested(CostFactSchema), metadata={"description": "Shorter ways that are not open"}
    )
    bindingLimits = fields.List(
        fields.Nested(CostFactSchema), metadata={"description": "Limits that cost something"}
    )
    areasAvoided = fields.List(
        fields.String(),
        metadata={
            "description": "Areas that the route bends around, each by kind and name in words;"
            " provenance and facts.closedWays hold ids"
        },
    )
    means = fields.Nested(MeansFactSchema, metadata={"description": "What saved how much"})


class ChartingSummarySchema(ChartingSchema):
    """A charting without its waypoints."""

    id = _told("Id, elsewhere called chartingId", dump_only=True)
    vesselName = _told("The vessel's name when it was ordered", allow_none=True, dump_only=True)
    status = fields.String(
        required=True,
        dump_only=True,
        metadata={
            "description": "State of the newest revision",
            "enum": [str(status) for status in ChartingStatus],
        },
    )
    progress = fields.Float(
        required=True,
        dump_only=True,
        validate=validate.Range(0, 1),
        metadata={"description": "Share of the planning that is done"},
    )
    stage = _told("What the planning is at", allow_none=True, dump_only=True)
    queuePosition = fields.Integer(
        required=True,
        allow_none=True,
        dump_only=True,
        validate=validate.Range(min=1),
        metadata={"description": "Place in the queue, from 1; null when it does not wait"},
    )
    failure = fields.Nested(
        FailureSchema,
        required=True,
        allow_none=True,
        dump_only=True,
        metadata={"description": "Why it failed, where it did"},
    )
    revision = fields.Integer(
        required=True,
        dump_only=True,
        validate=validate.Range(min=1),
        metadata={"description": "The revision that the route and the request are from"},
    )
    latestRevision = fields.Integer(
        required=True,
        dump_only=True,
        validate=validate.Range(min=1),
        metadata={"description": "The newest revision"},
    )
    createdAt = _when("When it was first ordered")
    archivedAt = _when("Since when lists leave it out; null where they do not", allow_none=True)
    queuedAt = _when("When the newest revision was ordered")
    startedAt = _when("When its planning began", allow_none=True)
    finishedAt = _when("When its planning ended", allow_none=True)
    summary = fields.Nested(
        SummarySchema,
        required=True,
        allow_none=True,
        dump_only=True,
        metadata={"description": "The route in figures; null before there is one"},
    )
    label = fields.String(
        required=True,
        allow_none=True,
        dump_only=True,
        metadata={"description": "The way taken, such as: by Suez"},
    )
    warnings = fields.List(
        fields.Nested(WarningSchema),
        required=True,
        dump_only=True,
        metadata={"description": "What the reader must know"},
    )
    provenance = fields.Nested(
        ProvenanceSchema,
        required=True,
        allow_none=True,
        dump_only=True,
        metadata={"description": "What the route was made from; null before there is one"},
    )


class ChartingPageSchema(page_of(ChartingSummarySchema)):  # type: ignore[misc]
    """One page of the list of chartings."""

    nextCursor = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "What to send as cursor for what follows; null at the end"},
    )


class OrderReportSchema(ma.Schema):
    """What became of one order of a batch."""

    index = count("Place of the order in items, from 0")
    status = fields.String(
        required=True,
        metadata={"description": "What became of it", "enum": ["CREATED", "INVALID"]},
    )
    id = fields.String(metadata={"description": "Id of the charting, where one was made"})
    code = fields.String(metadata={"description": "What is wrong, for programs"})
    errors = fields.List(
        fields.Nested(FaultSchema),
        metadata={"description": "What is wrong, by JSON pointers into the order"},
    )


class ChartingBatchReportSchema(ma.Schema):
    """What became of a batch of orders."""

    created = count("Chartings made")
    rejected = count("Orders that are not valid")
    items = fields.List(
        fields.Nested(OrderReportSchema),
        required=True,
        metadata={"description": "What became of each order, in their order"},
    )


class ChartingRecordSchema(ChartingSummarySchema):
    """A charting."""

    waypoints = fields.List(
        fields.Nested(WaypointSchema),
        dump_only=True,
        metadata={"description": "Left out with addCharting=false"},
    )
    facts = fields.Nested(
        FactsSchema,
        dump_only=True,
        allow_none=True,
        metadata={"description": "Left out with addCharting=false"},
    )
    alternatives = fields.List(
        fields.Nested(AlternativeSchema),
        dump_only=True,
        metadata={"description": "Left out with addCharting=false"},
    )
    front = fields.List(
        fields.Nested(FrontPointSchema),
        dump_only=True,
        metadata={
            "description": "Fuel against arrival on the way taken, the soonest first, this plan"
            " among them; left out with addCharting=false"
        },
    )
