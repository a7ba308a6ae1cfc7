"""What is told of a charting."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.common import FaultSchema, page_of
from app.engine.codes import FailureCode
from app.models import ChartingStatus
from app.records.charting import ChartingSchema
from app.records.facts import FactsSchema
from app.records.figures import Word, count, latitude, longitude, text
from app.records.plan import (
    AlternativeSchema,
    FrontPointSchema,
    SummarySchema,
    WarningSchema,
    WaypointSchema,
)


def _when(description: str, **options: Any) -> fields.DateTime:
    return fields.DateTime(
        required=True, dump_only=True, metadata={"description": description}, **options
    )


class FailureSchema(ma.Schema):
    """Why there is no route."""

    code = Word(FailureCode, "What it is about, for programs")
    detail = text("What keeps the voyage from being planned, and what may help")
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

    engineVersion = text("Version of the engine")
    seaAtlas = text("Digest of the sea atlas")
    seaSources = fields.List(
        fields.String(),
        metadata={"description": "Where its coast and depths come from"},
    )
    charts = fields.List(
        fields.String(),
        metadata={"description": "Electronic charts that closed water, with edition and date"},
    )
    passages = text("Digest of the passages")
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


class ChartingSummarySchema(ChartingSchema):
    """A charting without its waypoints."""

    id = text("Id, elsewhere called chartingId", dump_only=True)
    vesselName = text("The vessel's name when it was ordered", allow_none=True, dump_only=True)
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
    stage = text("What the planning is at", allow_none=True, dump_only=True)
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
