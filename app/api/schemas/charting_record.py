"""Records of chartings."""

from collections.abc import Callable
from typing import Any, ClassVar

import marshmallow as ma
from marshmallow import fields

from app.api.schemas.common import FaultSchema, page_of
from app.engine.codes import FailureCode, WarningCode
from app.engine.facts import PlanFacts
from app.models import ChartingStatus
from app.records.charting import ChartingSchema
from app.records.facts import FactsSchema
from app.records.figures import (
    Kept,
    Time,
    Word,
    count,
    figure,
    instant,
    latitude,
    longitude,
    part,
    parts,
    text,
    texts,
)
from app.records.findings import FindingSchema
from app.records.plan import (
    AlternativeSchema,
    FrontPointSchema,
    SummarySchema,
    WarningSchema,
    WaypointSchema,
)
from app.records.record import Json, Record
from app.records.spread import SpreadSummarySchema, summarise
from app.services.chartings.chartings import ChartingView
from app.services.plan_codec import read_facts
from app.services.platform import queue
from app.services.problem_codes import ProblemCode


def _when(description: str, **options: Any) -> Time:
    return instant(description, dump_only=True, **options)


def kept(schema: type[ma.Schema], description: str, **options: Any) -> Kept:
    """A part that only the service sets, stored as it is served."""
    return Kept(
        schema, required=True, dump_only=True, metadata={"description": description}, **options
    )


class FailureSchema(ma.Schema):
    """Why there is no route."""

    code = Word(FailureCode, "What it is about, for programs")
    detail = text("What keeps the voyage from being planned, and what may help")
    data = fields.Dict(required=True, metadata={"description": "The figures behind the words"})


class AppliedZonesSchema(ma.Schema):
    """Built-in zones that a route was planned with."""

    version = text("Digest of all zone data")
    applied = texts("Ids")


class WeatherAreaSchema(ma.Schema):
    """The part of the world that a regional forecast covers."""

    south = latitude("Southern edge [deg]")
    west = longitude("Western edge [deg]")
    north = latitude("Northern edge [deg]")
    east = longitude("Eastern edge [deg]; below west across the antimeridian")


class AppliedCalibrationSchema(ma.Schema):
    """The version of a vessel's calibration that a route rests on."""

    id = text("Its id")
    number = count("Its number among the vessel's", least=1)
    acceptedAt = instant("When it was accepted")


class ShipBasisSchema(ma.Schema):
    """What the ship's model rests on."""

    basis = Word(
        ("PARTICULARS", "DECLARED", "CALIBRATION"),
        "Particulars alone, declared speed and consumption, or the ship's own reports",
    )
    calibration = part(
        AppliedCalibrationSchema, "The calibration; null without one", allow_none=True
    )


class ProvenanceSchema(ma.Schema):
    """What a route was made from."""

    engineVersion = text("Version of the engine")
    seaAtlas = text("Digest of the sea atlas")
    seaSources = fields.List(
        fields.String(), metadata={"description": "Where its coast and depths come from"}
    )
    charts = fields.List(
        fields.String(),
        metadata={"description": "Electronic charts that closed water, with edition and date"},
    )
    passages = text("Digest of the passages")
    weatherRuns = texts("Names of the weather runs, as GET /v1/weather/runs lists them")
    weatherAreas = fields.Dict(
        keys=fields.String(),
        values=fields.Nested(WeatherAreaSchema),
        metadata={
            "description": "Edges of the runs that cover a part of the world, by name; beyond them"
            " the weather is climatology"
        },
    )
    zones = part(AppliedZonesSchema, "Built-in zones")
    ship = fields.Nested(
        ShipBasisSchema, metadata={"description": "What the ship's model rests on"}
    )
    constraints = texts("Ids of the constraints and client data heeded")


class RouteEditSchema(ma.Schema):
    """Who edited a route by hand, why, and what the check found."""

    by = text("Who edited it")
    at = instant("When it was saved")
    baseRevision = count("The revision that was edited", least=1)
    reason = text("The reason given; a danger needs one", allow_none=True)
    findings = parts(FindingSchema, "What the check of the edited route found")


def list_warnings(view: ChartingView) -> list[Json]:
    """The plan's warnings, and one where a newer revision is not completed."""
    state, planned = view.state, view.planned
    warnings = list(planned.warnings or [])
    if state is not planned:
        detail = (
            f"The request and the route shown are those of revision {planned.revision};"
            f" revision {state.revision} is {state.status}. Read it with"
            f" ?revision={state.revision}."
        )
        warnings.append({"code": str(WarningCode.PLAN_OF_EARLIER_REVISION), "detail": detail})
    return warnings


class _ChartingStateSchema(Record):
    """The newest state of a charting, and the newest plan in figures."""

    computed: ClassVar = {
        "queuePosition": lambda view: queue.place_of(view.state),
        "warnings": list_warnings,
    }

    id = text("Id, elsewhere called chartingId", dump_only=True, attribute="charting.id")
    vesselName = text(
        "The vessel's name when it was ordered",
        allow_none=True,
        dump_only=True,
        attribute="planned.vessel_name",
    )
    status = Word(
        ChartingStatus, "State of the newest revision", dump_only=True, attribute="state.status"
    )
    progress = figure(
        "Share of the planning that is done",
        3,
        greatest=1.0,
        dump_only=True,
        attribute="state.progress",
    )
    stage = text(
        "What the planning is at", allow_none=True, dump_only=True, attribute="state.stage"
    )
    queuePosition = count(
        "Place in the queue, from 1; null when it does not wait",
        least=1,
        allow_none=True,
        dump_only=True,
    )
    failure = kept(
        FailureSchema, "Why it failed, where it did", allow_none=True, attribute="state.failure"
    )
    revision = count(
        "The revision that the route and the request are from",
        least=1,
        dump_only=True,
        attribute="planned.revision",
    )
    latestRevision = count(
        "The newest revision", least=1, dump_only=True, attribute="charting.latest_revision"
    )
    createdAt = _when("When it was first ordered", attribute="charting.created_at")
    archivedAt = _when(
        "Since when lists leave it out; null where they do not",
        allow_none=True,
        attribute="charting.archived_at",
    )
    queuedAt = _when("When the newest revision was ordered", attribute="state.queued_at")
    startedAt = _when("When its planning began", allow_none=True, attribute="state.started_at")
    finishedAt = _when("When its planning ended", allow_none=True, attribute="state.finished_at")
    summary = kept(
        SummarySchema,
        "The route in figures; null before there is one",
        allow_none=True,
        attribute="planned.summary",
    )
    label = text(
        "The route taken, such as: by Suez",
        allow_none=True,
        dump_only=True,
        attribute="planned.label",
    )
    warnings = fields.List(
        Kept(WarningSchema),
        required=True,
        dump_only=True,
        metadata={"description": "What the reader must know"},
    )
    provenance = kept(
        ProvenanceSchema,
        "What the route was made from; null before there is one",
        allow_none=True,
        attribute="planned.provenance",
    )
    edit = kept(
        RouteEditSchema,
        "Who edited the route by hand; null where it is as it was planned",
        allow_none=True,
        attribute="planned.edit",
    )


class ChartingSummarySchema(_ChartingStateSchema, ChartingSchema):
    """A charting without its waypoints; in lists also without its no-go areas and imported data."""

    @classmethod
    def write(cls, obj: ChartingView) -> Json:
        """Write the newest state with the newest plan's request.

        ``revision`` is the one that plan and request are from. Where a newer one is not
        completed, a warning says so.
        """
        own = {"orgId": str(obj.charting.organization_id)}
        return own | obj.planned.request | _ChartingStateSchema.write(obj)


class ChartingPageSchema(page_of(ChartingSummarySchema)):  # type: ignore[misc]
    """One page of the list of chartings."""

    nextCursor = text("Cursor of the next items; null at the end", allow_none=True)


class OrderReportSchema(ma.Schema):
    """What became of one order of a batch."""

    index = count("Place of the order in items, from 0")
    status = Word(["CREATED", "INVALID"], "What became of it")
    id = fields.String(metadata={"description": "Id of the charting, where one was made"})
    code = fields.String(
        metadata={
            "description": "What is wrong, for programs",
            "enum": [str(code) for code in ProblemCode],
        }
    )
    errors = fields.List(
        fields.Nested(FaultSchema),
        metadata={"description": "What is wrong, by JSON pointers into the order"},
    )


class ChartingBatchReportSchema(ma.Schema):
    """What became of a batch of orders."""

    created = count("Chartings made")
    rejected = count("Orders that are not valid")
    items = parts(OrderReportSchema, "What became of each order, in their order")


def _of_plan(name: str) -> Callable[[ChartingView], Any]:
    return lambda view: (view.planned.plan or {}).get(name, [])


def _find_facts(view: ChartingView) -> PlanFacts | None:
    return read_facts(view.planned.plan) if view.planned.plan else None


def _find_spread(view: ChartingView) -> Json | None:
    spread = (view.planned.plan or {}).get("spread")
    return None if spread is None else summarise(spread)


class _ChartingRouteSchema(Record):
    """The newest plan's route."""

    computed: ClassVar = {
        "waypoints": _of_plan("waypoints"),
        "facts": _find_facts,
        "alternatives": _of_plan("alternatives"),
        # plans from before there was a front have none
        "front": _of_plan("front"),
        "spread": _find_spread,
    }

    waypoints = fields.List(
        Kept(WaypointSchema),
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
        Kept(AlternativeSchema),
        dump_only=True,
        metadata={"description": "Left out with addCharting=false"},
    )
    front = fields.List(
        Kept(FrontPointSchema),
        dump_only=True,
        metadata={
            "description": "Fuel against arrival over the routes found, the soonest first, this"
            " plan among them; left out with addCharting=false"
        },
    )
    spread = Kept(
        SpreadSummarySchema,
        dump_only=True,
        allow_none=True,
        metadata={
            "description": "How sure the plan is; null for plans made without weather or before"
            " there were spreads; GET /charting/{chartingId}/spread has it along the route and"
            " member by member; left out with addCharting=false"
        },
    )


class ChartingRecordSchema(_ChartingRouteSchema, ChartingSummarySchema):
    """A charting."""

    @classmethod
    def write(cls, obj: ChartingView) -> Json:
        """Write a charting with the newest plan's route."""
        return ChartingSummarySchema.write(obj) | _ChartingRouteSchema.write(obj)
