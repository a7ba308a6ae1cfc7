"""Voyages under way: list, page of a voyage, and its actions."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.engine.monitoring.departure import PORT_AREA_NM
from app.engine.telemetry.records import UNDER_WAY_KN
from app.models import (
    Charting,
    ChartingRevision,
    ExecutionState,
    VoyageAdvice,
    VoyageExecution,
    utc_now,
)
from app.pages.blueprint import answer_file, pages
from app.pages.charts.route_map import draw_route, lay_out_chart, render
from app.pages.charts.voyage_chart import describe_chart
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import fetch_asked_page, read_time
from app.pages.web.own import own_charting, own_session
from app.records.fields import find_instant
from app.records.instants import format_instant, parse_instant
from app.records.texts import LINE_CONTROLS, find_text_fault
from app.records.voyage_report import VoyageReportSchema
from app.services.chartings import chartings
from app.services.errors import Conflict, Invalid
from app.services.monitoring import advices, executions, voyage_reports
from app.services.monitoring.executions import VoyageSort
from app.services.monitoring.expected_departure import explain_not_started
from app.services.monitoring.voyage_progress import find_position_age_h, is_stale, measure

_PAGE_SIZE: Final = 50
_ADVICE_SHOWN: Final = 20
_LONGEST_REASON: Final = 1000
#: Within these limits a voyage counts as sailed as planned.
_OFF_TRACK_NM: Final = 10.0
_BEHIND_H: Final = 6.0
#: Within this distance of the end of its track a ship is at its destination.
_ARRIVED_NM: Final = 1.0


@pages.get("/voyages/under-way")
def voyages_under_way() -> ResponseReturnValue:
    """List all voyages under way, by default those most at risk first."""
    asked = request.args.get("sort", "")
    sort = VoyageSort(asked) if asked in set(VoyageSort) else VoyageSort.MOST_AT_RISK
    with own_session() as session:
        found = fetch_asked_page(
            lambda page: executions.list_page(
                session, organization_id(), page, _PAGE_SIZE, sort=sort
            ),
        )
        ids = [row.charting_id for row in found.items]
        sailed = chartings.get_all(session, organization_id(), ids)
        advised = advices.find_advised(session, organization_id(), ids)
        rows = [
            _present(sailed[row.charting_id], row, has_advice=row.charting_id in advised)
            for row in found.items
        ]
    return render_template("voyages/under_way.html", rows=rows, found=found, sort=str(sort))


@pages.get("/voyages/<charting_id>/progress")
def voyage_progress(charting_id: str) -> ResponseReturnValue:
    """Show the progress, outlook and advice of a voyage."""
    with own_charting(charting_id) as found:
        return _show(*found)


def _show(session: Session, charting: Charting, refusal: Invalid | Conflict | None = None) -> str:
    """Show a voyage's page; ``refusal`` is the error of the form that was sent."""
    voyage = measure(session, charting)
    followed = chartings.get_revision(session, charting, voyage.revision, with_plan=True)
    given = advices.list_page(session, charting, 1, _ADVICE_SHOWN).items
    chart = lay_out_chart()
    draw_route(chart, (followed.plan or {})["waypoints"], _find_ship(voyage))
    return render_template(
        "voyages/progress.html",
        charting=charting,
        vessel=charting.vessel,
        voyage=voyage,
        not_started=explain_not_started(voyage),
        port_area_nm=PORT_AREA_NM,
        under_way_kn=UNDER_WAY_KN,
        is_stale=is_stale(voyage),
        position_age_h=find_position_age_h(voyage),
        followed=followed,
        departure=_propose_departure(voyage, followed),
        advice=[*map(_present_advice, given)],
        arrival=_propose_arrival(voyage),
        late_h=_find_lateness_h(voyage),
        **_write_report(session, charting, voyage.state),
        entered=find_instant(request.args.get("entered")),
        refusal=refusal,
        refused_form=request.path if isinstance(refusal, Invalid) else None,
        chart_parts=render(chart),
        page_data=describe_chart(session, charting, followed, voyage, given),
    )


@pages.get("/voyages/<charting_id>/report.csv")
def voyage_report_file(charting_id: str) -> ResponseReturnValue:
    """Download the report of a finished voyage as CSV."""
    with own_charting(charting_id) as (session, charting):
        file, name = voyage_reports.write_file(session, charting)
    return answer_file(file, "text/csv", name)


@pages.post("/voyages/<charting_id>/start")
def start_voyage(charting_id: str) -> ResponseReturnValue:
    """Start a voyage at a time of departure."""
    return _do(
        charting_id,
        lambda session, charting: executions.start(
            session, actor(), charting, _read_time("departure")
        ),
    )


@pages.post("/voyages/<charting_id>/finish")
def finish_voyage(charting_id: str) -> ResponseReturnValue:
    """Finish a voyage at a time of arrival."""
    return _do(
        charting_id,
        lambda session, charting: executions.finish(
            session, actor(), charting, _read_time("arrival")
        ),
    )


@pages.post("/voyages/<charting_id>/abandon")
def abandon_voyage(charting_id: str) -> ResponseReturnValue:
    """Abandon a voyage with a reason."""
    return _do(
        charting_id,
        lambda session, charting: executions.abandon(session, actor(), charting, _read_reason()),
    )


@pages.post("/voyages/<charting_id>/advice/<advice_id>/accept")
def accept_advice(charting_id: str, advice_id: str) -> ResponseReturnValue:
    """Accept an advice and show the planning of the rest of the voyage."""

    def accept(session: Session, charting: Charting) -> None:
        advices.accept(session, actor(), charting, advices.get(session, charting, advice_id))

    return _do(charting_id, accept, then="pages.route")


@pages.post("/voyages/<charting_id>/advice/<advice_id>/decline")
def decline_advice(charting_id: str, advice_id: str) -> ResponseReturnValue:
    """Decline an advice with a reason."""

    def decline(session: Session, charting: Charting) -> None:
        advice = advices.get(session, charting, advice_id)
        advices.decline(session, actor(), advice, _read_reason())

    return _do(charting_id, decline)


def _do(
    charting_id: str,
    act: Callable[[Session, Charting], Any],
    then: str = "pages.voyage_progress",
) -> ResponseReturnValue:
    """Act on a voyage and go on to a page of it, or show its page again with what was refused."""
    try:
        with own_charting(charting_id) as found:
            act(*found)
    except (Invalid, Conflict) as error:
        with own_charting(charting_id) as found:
            return _show(*found, error), 422 if isinstance(error, Invalid) else 409
    return redirect(url_for(then, charting_id=charting_id))


def _find_ship(voyage: VoyageExecution) -> tuple[float, float] | None:
    """Return the last position of a voyage's ship."""
    progress = voyage.progress
    return (progress["lat"], progress["lng"]) if progress else None


def _propose_departure(voyage: VoyageExecution, followed: ChartingRevision) -> datetime:
    """Return the departure recorded before, or else the planned one if it has passed, or now."""
    return voyage.departed_at or min(parse_instant(followed.request["startDate"]), utc_now())


def _propose_arrival(voyage: VoyageExecution) -> datetime:
    """Return the full minute after the last position if that is at the destination, or now."""
    now = utc_now()
    progress = voyage.progress or {}
    to_go_nm = progress.get("toGoNm")
    if to_go_nm is None or to_go_nm > _ARRIVED_NM:
        return now
    reported_at = parse_instant(progress["time"])
    return min(now, reported_at.replace(second=0, microsecond=0) + timedelta(minutes=1))


def _find_lateness_h(voyage: VoyageExecution) -> float | None:
    """Return a finished voyage's delay on the planned arrival [h], ``None`` without positions."""
    if voyage.state != ExecutionState.FINISHED or voyage.ended_at is None or not voyage.progress:
        return None
    return (voyage.ended_at - parse_instant(voyage.progress["plannedEta"])) / timedelta(hours=1)


def _read_time(what: str) -> datetime:
    """Read the time of departure or arrival."""
    try:
        return read_time(request.form.get("at", "").strip())
    except ValueError:
        raise Invalid.at("/at", f"Enter the {what}, like 14 Jan 2026 18:00.") from None


def _read_reason() -> str:
    reason = request.form.get("reason", "").strip()
    if not 0 < len(reason) <= _LONGEST_REASON:
        words = f"Enter a reason of up to {_LONGEST_REASON} characters."
        raise Invalid.at("/reason", words)
    if fault := find_text_fault(reason, LINE_CONTROLS):
        raise Invalid.at("/reason", fault)
    return reason


def _present(charting: Charting, voyage: VoyageExecution, *, has_advice: bool) -> dict[str, Any]:
    """Present a voyage as a row of the list."""
    return {
        "address": url_for("pages.voyage_progress", charting_id=charting.id),
        "name": f"{charting.port_from_name} to {charting.port_to_name}",
        "vessel": charting.vessel.name,
        "voyage": voyage,
        "is_stale": is_stale(voyage),
        "position_age_h": find_position_age_h(voyage),
        "has_advice": has_advice,
        "doubt": _find_doubt(voyage),
    }


def _find_doubt(voyage: VoyageExecution) -> str | None:
    """Return why a voyage without violations and advice is not as planned, or ``None``."""
    progress, outlook = voyage.progress, voyage.outlook
    if progress is not None and abs(progress["offTrackNm"]) > _OFF_TRACK_NM:
        return "Off track"
    if progress is not None and abs(progress["behindH"]) > _BEHIND_H:
        return "Behind" if progress["behindH"] > 0.0 else "Ahead"
    if outlook is None:
        return "No outlook yet"
    return None if outlook["weather"] else "No forecast"


def _write_report(session: Session, charting: Charting, state: str) -> dict[str, Any]:
    """Return a finished voyage's report as ``report``, or as ``no_report`` why there is none."""
    if state != ExecutionState.FINISHED:
        return {}
    try:
        return {"report": VoyageReportSchema.write(voyage_reports.write(session, charting))}
    except Conflict as reason:
        return {"no_report": reason.detail}


def _present_advice(row: VoyageAdvice) -> dict[str, Any]:
    return {
        "id": row.id,
        "state": row.state,
        "created_at": format_instant(row.created_at),
        "answered_by": row.answered_by,
        "reason": row.answer_reason,
        **row.content,
    }
