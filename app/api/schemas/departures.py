"""Comparisons of departures in responses."""

from marshmallow import fields

from app.api.schemas.charting_record import FailureSchema
from app.models import ChartingStatus
from app.records.departures import DepartureState, InfeasibleSchema
from app.records.figures import Word, count, figure, flag, instant, kept, known, part, parts, text
from app.records.record import Record


class DepartureSchema(Record):
    """One departure of a comparison."""

    departure = instant("Departure")
    state = Word(
        DepartureState,
        "PENDING: not compared yet; COARSE: from a coarse search, which overestimates"
        " fuel; REFINED: optimised as thoroughly as a plan; INFEASIBLE: no route meets the request",
    )
    isBest = flag("Whether it is the best departure; false until the comparison is completed")
    fuelMt = known("Fuel of the main engine [t]", 3, attribute="figures.fuel_t")
    arrival = instant(
        "Arrival; null without a result", attribute="figures.arrives_at", allow_none=True
    )
    durationH = known("Duration, waits included [h]", 3, attribute="figures.duration_h")
    distanceNm = known("Distance [nm]", 2, attribute="figures.distance_nm")
    maxWaveM = known("Highest significant wave height [m]", 2, attribute="figures.max_wave_m")
    route = text(
        "Name of the route; null without a result", attribute="figures.route", allow_none=True
    )
    reason = part(
        InfeasibleSchema,
        "Reason for which no route meets the request; null if one does",
        attribute="infeasible",
        allow_none=True,
    )


class DepartureComparisonSchema(Record):
    """A comparison of the departures of a window."""

    chartingId = fields.UUID(
        required=True, attribute="row.charting_id", metadata={"description": "Id of the charting"}
    )
    revision = count("Revision of the request", least=1, attribute="row.revision")
    departFrom = instant("First departure", attribute="row.depart_from")
    departTo = instant("Last departure", attribute="row.depart_to")
    departStepH = figure("Time between departures [h]", attribute="row.step_h")
    endDate = instant("Latest arrival; null: none", allow_none=True, attribute="row.arrive_by")
    departDurationH = figure(
        "Longest time under way [h]; null: none",
        attribute="row.within_h",
        allow_none=True,
    )
    status = Word(
        ChartingStatus,
        "Status; QUEUED also while chartings are planned first",
        attribute="row.status",
    )
    progress = figure(
        "Share of the comparison completed", 3, greatest=1.0, attribute="row.progress"
    )
    stage = text("Current stage", allow_none=True, attribute="row.stage")
    done = count("Departures with a result")
    total = count("Departures in the window")
    failure = kept(
        FailureSchema, "Failure; null unless FAILED", allow_none=True, attribute="row.failure"
    )
    weather = text(
        "Forecast runs used; empty for climatology, null before the start",
        allow_none=True,
        attribute="row.weather",
    )
    queuedAt = instant("Time when it was queued last", attribute="row.queued_at")
    startedAt = instant("Start", allow_none=True, attribute="row.started_at")
    finishedAt = instant("End", allow_none=True, attribute="row.finished_at")
    departures = parts(DepartureSchema, "All departures in the window, earliest first")
