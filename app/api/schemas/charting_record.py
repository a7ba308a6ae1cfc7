"""Chartings in responses."""

from collections.abc import Callable
from typing import Any, ClassVar

import marshmallow as ma
from marshmallow import fields

from app.api.schemas.common import page_of
from app.engine.codes import FailureCode, WarningCode
from app.engine.facts import PlanFacts
from app.models import ChartingStatus
from app.records.charting import ChartingSchema
from app.records.facts import FactsSchema
from app.records.fault import FaultSchema
from app.records.figures import (
    Kept,
    Word,
    count,
    figure,
    instant,
    kept,
    latitude,
    listed,
    longitude,
    mapped,
    part,
    parts,
    text,
    texts,
)
from app.records.plan import (
    AlternativeSchema,
    FrontPointSchema,
    SummarySchema,
    WarningSchema,
    WaypointSchema,
)
from app.records.record import Json, Record
from app.records.route_check import FindingSchema
from app.records.spread import SpreadSummarySchema, summarise
from app.records.texts import in_words
from app.services.chartings.charting_search import ChartingView
from app.services.plan_codec import read_facts
from app.services.platform import queue
from app.services.problem_codes import ProblemCode


def _read_only(schema: type[Record]) -> type[Record]:
    """Mark all fields as set by the service only."""
    for field in schema._declared_fields.values():
        field.dump_only = True
    return schema


class FailureSchema(ma.Schema):
    """Reason for a failed charting."""

    code = Word(FailureCode, "Code, for programs")
    detail = text("Explanation, and what may help")
    data = mapped("Values behind the explanation")


class AppliedZonesSchema(ma.Schema):
    """Built-in zones used in planning."""

    version = text("Digest of all zone data")
    applied = texts("Ids")


class WeatherAreaSchema(ma.Schema):
    """Area of a regional forecast."""

    south = latitude("Southern edge [deg]")
    west = longitude("Western edge [deg]")
    north = latitude("Northern edge [deg]")
    east = longitude("Eastern edge [deg]; less than west across the antimeridian")


class AppliedCalibrationSchema(ma.Schema):
    """Calibration used in planning."""

    id = text("Id")
    number = count("Number within the vessel", least=1)
    acceptedAt = instant("Time of acceptance")


class ShipBasisSchema(ma.Schema):
    """Basis of the ship model."""

    basis = Word(
        ("PARTICULARS", "DECLARED", "CALIBRATION"),
        "Particulars alone, declared speed and consumption, or a calibration",
    )
    calibration = part(
        AppliedCalibrationSchema, "The calibration; null without one", allow_none=True
    )


class ProvenanceSchema(ma.Schema):
    """Data used in planning."""

    engineVersion = text("Version of the engine")
    seaAtlas = text("Digest of the sea atlas")
    seaSources = texts("Sources of coast and depths", required=False)
    charts = texts("Electronic charts used, with edition and date", required=False)
    passages = text("Digest of the passage data")
    weatherRuns = texts("Names of the weather runs, as in GET /v1/weather/runs")
    weatherAreas = mapped(
        "Areas of regional runs, by name; outside them the weather is climatology",
        keys=fields.String(),
        values=fields.Nested(WeatherAreaSchema),
        required=False,
    )
    zones = part(AppliedZonesSchema, "Built-in zones")
    ship = part(ShipBasisSchema, "Basis of the ship model", required=False)
    constraints = texts("Ids of the constraints and client data that apply")


class OrderedTimeSchema(ma.Schema):
    """Time of arrival that the editor ordered."""

    waypointIndex = count("The waypoint, from 0", least=1)
    eta = instant("Time of arrival ordered")


class RouteEditSchema(ma.Schema):
    """Manual edit of a route, with the findings of its check."""

    by = text("Editor")
    at = instant("Time of saving")
    baseRevision = count("Revision that was edited", least=1)
    reason = text("Reason; required if a finding is a danger", allow_none=True)
    findings = parts(FindingSchema, "Findings of the check")
    timesOrdered = parts(
        OrderedTimeSchema,
        "Waypoints whose time was ordered, not their speed; missing in earlier edits",
        required=False,
    )


def list_warnings(view: ChartingView) -> list[Json]:
    """Return the plan's warnings, and one if a newer revision is not completed."""
    state, planned = view.state, view.planned
    warnings = list(planned.warnings or [])
    if state is not planned:
        detail = (
            f"The request and route shown are those of revision {planned.revision}. Revision"
            f" {state.revision} has no route (planning {in_words(state.status)}): read it with"
            f" ?revision={state.revision}."
        )
        warnings.append({"code": str(WarningCode.PLAN_OF_EARLIER_REVISION), "detail": detail})
    return warnings


@_read_only
class _ChartingStateSchema(Record):
    """Latest status of a charting, and summary of its latest plan."""

    computed: ClassVar = {
        "queuePosition": lambda view: queue.place_of(view.state),
        "warnings": list_warnings,
    }

    id = text("Id; chartingId in other resources", attribute="charting.id")
    vesselName = text(
        "Name of the vessel at the time of the request",
        allow_none=True,
        attribute="planned.vessel_name",
    )
    status = Word(ChartingStatus, "Status of the latest revision", attribute="state.status")
    progress = figure(
        "Share of the planning completed", 3, greatest=1.0, attribute="state.progress"
    )
    stage = text("Current stage of the planning", allow_none=True, attribute="state.stage")
    queuePosition = count(
        "Position in the queue, from 1; null unless queued", least=1, allow_none=True
    )
    failure = kept(
        FailureSchema, "Failure; null unless FAILED", allow_none=True, attribute="state.failure"
    )
    revision = count(
        "Revision of the route and request shown", least=1, attribute="planned.revision"
    )
    latestRevision = count("Latest revision", least=1, attribute="charting.latest_revision")
    createdAt = instant("Creation time", attribute="charting.created_at")
    archivedAt = instant(
        "Time of archiving; null if not archived", allow_none=True, attribute="charting.archived_at"
    )
    queuedAt = instant("Time of the latest revision's request", attribute="state.queued_at")
    startedAt = instant(
        "Start of the latest revision's planning", allow_none=True, attribute="state.started_at"
    )
    finishedAt = instant(
        "End of the latest revision's planning", allow_none=True, attribute="state.finished_at"
    )
    summary = kept(
        SummarySchema,
        "Totals of the route; null before there is one",
        allow_none=True,
        attribute="planned.summary",
    )
    label = text("Name of the route, e.g. by Suez", allow_none=True, attribute="planned.label")
    warnings = listed(Kept(WarningSchema), "Warnings about the plan")
    provenance = kept(
        ProvenanceSchema,
        "Data used in planning; null before there is a route",
        allow_none=True,
        attribute="planned.provenance",
    )
    edit = kept(
        RouteEditSchema,
        "Manual edit of the route; null if it was not edited",
        allow_none=True,
        attribute="planned.edit",
    )


class ChartingSummarySchema(_ChartingStateSchema, ChartingSchema):
    """A charting without waypoints; in lists also without no-go areas and imported data."""

    @classmethod
    def write(cls, obj: ChartingView) -> Json:
        """Write the latest status with the latest plan's request.

        ``revision`` is that of plan and request. A warning reports a newer revision that is not
        completed.
        """
        own = {"orgId": str(obj.charting.organization_id)}
        return own | obj.planned.request | _ChartingStateSchema.write(obj)


class ChartingPageSchema(page_of(ChartingSummarySchema)):  # type: ignore[misc]
    """A page of chartings."""

    nextCursor = text("Cursor of the next page; null at the end", allow_none=True)


class OrderReportSchema(ma.Schema):
    """Result of one request of a batch."""

    index = count("Index in items, from 0")
    status = Word(
        ["CREATED", "INVALID", "REFUSED"],
        "Result; REFUSED is beyond the quota of active orders: send it again later",
    )
    id = text("Id of the charting, if created", required=False)
    code = Word(ProblemCode, "Error code, for programs", required=False)
    errors = parts(FaultSchema, "Errors, with JSON pointers into the request", required=False)


class ChartingBatchReportSchema(ma.Schema):
    """Result of a batch of requests."""

    created = count("Chartings created")
    rejected = count("Invalid and refused requests")
    items = parts(OrderReportSchema, "Result of each request, in the same order")


def _of_plan(name: str) -> Callable[[ChartingView], Any]:
    return lambda view: (view.planned.plan or {}).get(name, [])


def _find_facts(view: ChartingView) -> PlanFacts | None:
    return read_facts(view.planned.plan) if view.planned.plan else None


def _find_spread(view: ChartingView) -> Json | None:
    spread = (view.planned.plan or {}).get("spread")
    return None if spread is None else summarise(spread)


@_read_only
class _ChartingRouteSchema(Record):
    """Route of the latest plan."""

    computed: ClassVar = {
        "waypoints": _of_plan("waypoints"),
        "facts": _find_facts,
        "alternatives": _of_plan("alternatives"),
        # Plans of earlier releases have no front.
        "front": _of_plan("front"),
        "spread": _find_spread,
    }

    waypoints = listed(Kept(WaypointSchema), "Left out with addCharting=false", required=False)
    facts = part(FactsSchema, "Left out with addCharting=false", required=False, allow_none=True)
    alternatives = listed(
        Kept(AlternativeSchema), "Left out with addCharting=false", required=False
    )
    front = listed(
        Kept(FrontPointSchema),
        "Trade-off of fuel against arrival over all routes, this plan included,"
        " earliest arrival first; left out with addCharting=false",
        required=False,
    )
    spread = kept(
        SpreadSummarySchema,
        "Uncertainty of the plan; null for plans without weather or of earlier"
        " releases. GET /charting/{chartingId}/spread has it along the route and by member."
        " Left out with addCharting=false",
        required=False,
        allow_none=True,
    )


class ChartingRecordSchema(_ChartingRouteSchema, ChartingSummarySchema):
    """A charting."""

    @classmethod
    def write(cls, obj: ChartingView) -> Json:
        """Write a charting with the latest plan's route."""
        return ChartingSummarySchema.write(obj) | _ChartingRouteSchema.write(obj)
