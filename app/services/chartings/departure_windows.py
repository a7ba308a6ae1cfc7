"""Comparisons of departures in a window: start, read, cancel; plans for another time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.engine.codes import FailureCode
from app.engine.departures.window import DepartureWindow
from app.engine.request import Objective
from app.models import (
    ACTIVE,
    Charting,
    ChartingRevision,
    ChartingStatus,
    ComparedDeparture,
    DepartureComparisonRecord,
    EventKind,
    Role,
)
from app.records.departures import (
    USUAL_STEP_H,
    DepartureFiguresSchema,
    DepartureState,
    DepartureView,
    InfeasibleSchema,
)
from app.records.instants import format_instant, parse_instant, read_instant
from app.records.texts import in_words
from app.services import charting_request
from app.services.chartings import chartings
from app.services.chartings.charting_search import ChartingView
from app.services.chartings.departure_progress import list_compared
from app.services.errors import Conflict, Invalid, NotFound, refuse
from app.services.platform import events, queue, run_progress
from app.services.platform.actor import Actor
from app.services.platform.fair_queue import JobFunction
from app.services.platform.ids import find_row
from app.services.platform.sessions import after_commit

#: Fields of a request that define a window; the plan of a charting does not depend on them.
WINDOW_FIELDS: Final = ("departFrom", "departTo", "departStepH", "departDurationH")
#: Fields of a request that may change while a comparison stays valid.
_OF_DEPARTURE: Final = frozenset({*WINDOW_FIELDS, "startDate", "endDate"})
#: Failures of one departure that another one may not have.
_OF_ONE_DEPARTURE: Final = frozenset(
    {
        FailureCode.LIMITS_TOO_TIGHT,
        FailureCode.NO_ROUTE,
        FailureCode.END_INSIDE_AREA,
        FailureCode.SEASON_CLOSED,
    }
)


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A comparison with all departures of its window, the earliest first."""

    row: DepartureComparisonRecord
    departures: tuple[DepartureView, ...]

    @property
    def total(self) -> int:
        """Number of departures."""
        return len(self.departures)

    @property
    def done(self) -> int:
        """Number of departures that are evaluated or known to be infeasible."""
        return sum(each.state is not DepartureState.PENDING for each in self.departures)

    @property
    def best(self) -> DepartureView | None:
        """The best departure, once all are compared."""
        return next((each for each in self.departures if each.is_best), None)


def start(
    session: Session, actor: Actor, charting: Charting, asked: Mapping[str, Any]
) -> ComparisonView:
    """Compare the departures of a window for a charting's newest plan, in the background.

    Without a plan, those of a failed request are compared if another departure may have a route.
    ``endDate`` is the latest arrival of all departures, by default that of the charting's
    request; with ``departDurationH`` each departure has that many hours instead. Replaces an
    earlier comparison. Raises :class:`Conflict` if there is neither, if the vessel is deleted or a
    comparison runs, :class:`Invalid` for an invalid window.
    """
    actor.require(Role.PLANNER)
    chartings.lock(session, charting)
    if charting.vessel.deleted_at is not None:
        raise Conflict("The vessel is deleted; no departures are compared for it.")
    planned = _get_comparable(session, charting)
    if asked.get("endDate") is not None and asked["departDurationH"] is not None:
        detail = "Give endDate, which holds for all departures, or departDurationH, but not both."
        raise Invalid.at("/departDurationH", detail)
    window = {"endDate": read_instant(planned.request["endDate"]), **asked}
    if asked.get("endDate") is not None:
        refuse(charting_request.find_time_faults("/endDate", asked["endDate"]))
    refuse(charting_request.find_window_faults(window))
    earlier = find(session, charting)
    if earlier is not None and earlier.status in ACTIVE:
        raise Conflict(
            f"Another comparison of departures is {in_words(earlier.status)}: cancel it or wait for"
            " it to end.",
            status=earlier.status,
        )
    return read(session, _replace(session, planned, window, by=actor.name))


def _get_comparable(session: Session, charting: Charting) -> ChartingRevision:
    """Get the newest plan, or the failed revision of a charting that another departure may serve.

    Raises :class:`Conflict` if there is neither.
    """
    owner, charting_id = charting.organization_id, str(charting.id)
    newest = chartings.get_view(session, owner, charting_id, with_plan=False).planned
    if not another_departure_may_do(newest):
        chartings.refuse_unplanned(newest)
    return newest


def another_departure_may_do(revision: ChartingRevision) -> bool:
    """Return whether a revision has no route, but another departure may have one."""
    return revision.failure is not None and revision.failure["code"] in _OF_ONE_DEPARTURE


def settle_planned(session: Session, planned: ChartingRevision) -> None:
    """Start the comparison that a charting's request contains, after it is planned.

    Without one, an earlier comparison stays if the requests differ only in their times.
    """
    charting = session.get_one(Charting, planned.charting_id)
    asked = planned.request
    if asked.get("departFrom"):
        _replace(session, planned, _read_window(asked), by=planned.queued_by)
        return
    kept = find(session, charting)
    if kept is None:
        return
    compared = chartings.get_revision(session, charting, kept.revision)
    if _voyage_of(compared) != _voyage_of(planned):
        _remove(session, charting)


def settle_failed(session: Session, failed: ChartingRevision) -> None:
    """Start the comparison that a charting's request contains, if another departure may do."""
    if another_departure_may_do(failed) and failed.request.get("departFrom"):
        _replace(session, failed, _read_window(failed.request), by=failed.queued_by)


def _read_window(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Read the window of departures in a charting's request."""
    window = {name: asked.get(name) for name in ("departStepH", "departDurationH")}
    return window | {
        name: read_instant(asked[name]) for name in ("departFrom", "departTo", "endDate")
    }


def find(
    session: Session, charting: Charting, *, lock: bool = False
) -> DepartureComparisonRecord | None:
    """Find the comparison of a charting; ``None`` if there is none."""
    owner, charting_id = charting.organization_id, charting.id
    return find_row(session, DepartureComparisonRecord, owner, lock=lock, charting_id=charting_id)


def find_view(session: Session, charting: Charting) -> ComparisonView | None:
    """Find the comparison of a charting, with its departures; ``None`` if there is none."""
    row = find(session, charting)
    return None if row is None else read(session, row)


def get_view(session: Session, charting: Charting) -> ComparisonView:
    """The comparison of a charting, with its departures; raises :class:`NotFound`."""
    return read(session, _get(session, charting))


def _get(session: Session, charting: Charting, *, lock: bool = False) -> DepartureComparisonRecord:
    row = find(session, charting, lock=lock)
    if row is None:
        raise NotFound("No departures of this charting have been compared.")
    return row


def read(session: Session, row: DepartureComparisonRecord) -> ComparisonView:
    """Load the departures of a comparison, with the results so far."""
    found = {each.departs_at: each for each in list_compared(session, row)}
    departures = window_of(row).list_departures()
    return ComparisonView(row, tuple(_view(at, found.get(at), row.best) for at in departures))


def window_of(row: DepartureComparisonRecord) -> DepartureWindow:
    """The window of a comparison."""
    return DepartureWindow(row.depart_from, row.depart_to, row.step_h, row.within_h)


def cancel(session: Session, actor: Actor, charting: Charting) -> ComparisonView:
    """Cancel a comparison: at once when queued, soon when running; results so far stay.

    Raises :class:`NotFound` if none was started, :class:`Conflict` for one that has ended.
    """
    actor.require(Role.PLANNER)
    row = _get(session, charting, lock=True)
    if run_progress.request_cancel(row, "comparison"):
        end(session, row, ChartingStatus.CANCELLED)
    session.flush()
    return read(session, row)


def end(
    session: Session,
    row: DepartureComparisonRecord,
    status: ChartingStatus,
    failure: dict[str, Any] | None = None,
) -> None:
    """End a comparison, record an event, and log it if it had started."""
    row.end(status, failure and {"data": {}, **failure})
    session.flush()
    if row.started_at is not None and row.finished_at is not None:
        ended = (
            "comparison of departures",
            status,
            (row.finished_at - row.started_at).total_seconds(),
        )
        after_commit(session, partial(run_progress.log_end, *ended))
    view = read(session, row)
    event_data = {
        "departures": {
            "status": str(status),
            "done": view.done,
            "total": view.total,
            "best": None if view.best is None else format_instant(view.best.departure),
        }
    }
    revision = session.get_one(ChartingRevision, (row.charting_id, row.revision))
    events.record_charting(session, EventKind.CHARTING_DEPARTURES, revision, **event_data)


def order_departure(
    session: Session, actor: Actor, charting_id: str, departs_at: datetime
) -> ChartingView:
    """Re-plan a charting with a departure of its window and the compared request.

    The comparison stays. Raises :class:`NotFound` for a time that was not compared,
    :class:`Conflict` while another revision is being planned.
    """
    view = chartings.get_view(session, actor.organization_id, charting_id, with_plan=False)
    compared = get_view(session, view.charting)
    departures = {each.departure: each for each in compared.departures}
    if departs_at not in departures:
        raise NotFound(f"{format_instant(departs_at)} is not a departure that was compared.")
    asked = chartings.get_revision(session, view.charting, compared.row.revision).request
    row = compared.row
    changes: dict[str, Any] = dict.fromkeys(WINDOW_FIELDS)
    changes["startDate"] = departs_at
    changes["endDate"] = window_of(row).latest_arrival(departs_at, row.arrive_by)
    return chartings.resubmit(session, actor, view.charting, asked | changes)


def order_arrival(
    session: Session, actor: Actor, charting_id: str, arrival: datetime
) -> ChartingView:
    """Re-plan a charting with the same request, for the least fuel by ``arrival``.

    The former objective is dropped: the user chose the arrival by its fuel. Raise :class:`Conflict`
    before there is a plan and while another is being made, and :class:`Invalid` for an arrival that
    cannot be requested.
    """
    view = chartings.get_planned(session, actor.organization_id, charting_id)
    asked = view.planned.request
    changes: dict[str, Any] = dict.fromkeys(WINDOW_FIELDS) | {
        "startDate": parse_instant(asked["startDate"]),
        "endDate": arrival,
        "optimizationType": str(Objective.FUEL),
    }
    return chartings.resubmit(session, actor, view.charting, asked | changes)


def _replace(
    session: Session, planned: ChartingRevision, window: Mapping[str, Any], *, by: str
) -> DepartureComparisonRecord:
    """Replace an earlier comparison by a new one, and queue it."""
    charting = session.get_one(Charting, planned.charting_id)
    _remove(session, charting)
    within_h = window["departDurationH"]
    row = DepartureComparisonRecord(
        organization_id=planned.organization_id,
        charting_id=planned.charting_id,
        revision=planned.revision,
        depart_from=window["departFrom"],
        depart_to=window["departTo"],
        step_h=window["departStepH"] or USUAL_STEP_H,
        arrive_by=None if within_h is not None else window["endDate"],
        within_h=within_h,
        queued_by=by,
    )
    session.add(row)
    session.flush()
    job = JobFunction.COMPARE_DEPARTURES, row.organization_id, row.charting_id
    after_commit(session, lambda: queue.enqueue_row(*job))
    return row


def _remove(session: Session, charting: Charting) -> None:
    row = DepartureComparisonRecord
    own = (row.organization_id == charting.organization_id, row.charting_id == charting.id)
    session.execute(delete(row).where(*own))


def _voyage_of(revision: ChartingRevision) -> dict[str, Any]:
    """A revision's request without its times, and its vessel."""
    asked = {name: value for name, value in revision.request.items() if name not in _OF_DEPARTURE}
    return asked | {"vessel": revision.vessel}


def _view(
    departs_at: datetime, found: ComparedDeparture | None, best: datetime | None
) -> DepartureView:
    if found is None:
        return DepartureView(departs_at, DepartureState.PENDING)
    if found.figures is not None:
        state = DepartureState.REFINED if found.is_refined else DepartureState.COARSE
        figures = DepartureFiguresSchema.read(found.figures)
        return DepartureView(departs_at, state, departs_at == best, figures)
    if not found.is_refined:  # the refined search may still find a route
        return DepartureView(departs_at, DepartureState.PENDING)
    infeasible = InfeasibleSchema.read(found.infeasible or {})
    return DepartureView(departs_at, DepartureState.INFEASIBLE, infeasible=infeasible)
