"""Comparisons of departures in answers."""

from collections.abc import Callable
from typing import Any, ClassVar

from marshmallow import fields

from app.api.schemas.charting_record import FailureSchema
from app.models import ChartingStatus
from app.records.departures import DepartureState, DepartureView, InfeasibleSchema
from app.records.figures import (
    Kept,
    Time,
    Word,
    count,
    figure,
    flag,
    instant,
    known,
    part,
    parts,
    text,
)
from app.records.record import Record


def _maybe(description: str, **options: Any) -> Time:
    return Time(required=True, allow_none=True, metadata={"description": description}, **options)


def _of_figures(attribute: str) -> Callable[[DepartureView], Any]:
    return lambda view: None if view.figures is None else getattr(view.figures, attribute)


class DepartureSchema(Record):
    """A departure that is compared."""

    computed: ClassVar = {
        "fuelMt": _of_figures("fuel_t"),
        "arrival": _of_figures("arrives_at"),
        "durationH": _of_figures("duration_h"),
        "distanceNm": _of_figures("distance_nm"),
        "maxWaveM": _of_figures("max_wave_m"),
        "route": _of_figures("route"),
    }

    departure = instant("Departure")
    state = Word(
        DepartureState,
        "PENDING: not compared yet; COARSE: by a coarse search, whose figures are a little too"
        " high; REFINED: as thoroughly as a plan; INFEASIBLE: it cannot be sailed as asked",
    )
    isBest = flag("Whether it is the best; of a comparison that is completed")
    fuelMt = known("Fuel of the main engine [t]", 3)
    arrival = _maybe("Arrival; null without figures")
    durationH = known("Time under way [h]", 3)
    distanceNm = known("Distance [nm]", 2)
    maxWaveM = known("Highest significant wave met [m]", 2)
    route = text("The route taken; null without figures", allow_none=True)
    reason = part(
        InfeasibleSchema,
        "Why it cannot be sailed as asked; null where it can",
        attribute="infeasible",
        allow_none=True,
    )


class DepartureComparisonSchema(Record):
    """A comparison of the departures of a window, as far as it is."""

    chartingId = fields.UUID(
        required=True, attribute="row.charting_id", metadata={"description": "The charting"}
    )
    revision = count("Revision whose request is compared for", least=1, attribute="row.revision")
    departFrom = instant("First departure", attribute="row.depart_from")
    departTo = instant("End of the window", attribute="row.depart_to")
    departStepH = figure("Between departures [h]", attribute="row.step_h")
    endDate = _maybe("Latest arrival of all departures; null without", attribute="row.arrive_by")
    departDurationH = figure(
        "Longest time under way of each departure [h]; null without",
        attribute="row.within_h",
        allow_none=True,
    )
    status = Word(
        ChartingStatus,
        "State of the comparison; QUEUED too while orders are planned first",
        attribute="row.status",
    )
    progress = figure(
        "Share of the comparison that is done", 3, greatest=1.0, attribute="row.progress"
    )
    stage = text("What it is at", allow_none=True, attribute="row.stage")
    done = count("Departures that have figures or are known to be infeasible")
    total = count("Departures of the window")
    failure = Kept(
        FailureSchema,
        required=True,
        allow_none=True,
        attribute="row.failure",
        metadata={"description": "Why it failed, where it did"},
    )
    weather = text(
        "Forecast runs that it rests on; empty for climatology, null before it began",
        allow_none=True,
        attribute="row.weather",
    )
    queuedAt = instant("When it was ordered, or last stopped for orders", attribute="row.queued_at")
    startedAt = _maybe("When it began", attribute="row.started_at")
    finishedAt = _maybe("When it ended", attribute="row.finished_at")
    departures = parts(DepartureSchema, "All departures of the window, the soonest first")
