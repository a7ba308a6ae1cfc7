"""Reports of finished voyages."""

from datetime import datetime

from sqlalchemy.orm import Session

from app.engine.errors import VoyageError
from app.engine.monitoring.voyage_report import VoyageReport, report_voyage
from app.exports.csv import render_voyage_report
from app.models import Charting, ChartingRevision, ExecutionState, VoyageExecution
from app.services.chartings import chartings
from app.services.chartings.expected_voyages import find_execution
from app.services.chartings.plan_reading import name_route
from app.services.chartings.route_edits import build_context
from app.services.engine_mapping import load_plan
from app.services.errors import Conflict
from app.services.monitoring import position_reports
from app.services.platform.sessions import end_reading


def write(session: Session, charting: Charting) -> VoyageReport:
    """Report a finished voyage against the plan that it departed with, in the weather as known now.

    Raises :class:`Conflict` if the voyage is not finished, and if its reports do not cover
    departure to arrival or lack the fuel consumption.
    """
    row, departed_at, ended_at = _get_finished(session, charting)
    planned = _get_departed_with(session, charting, row, with_plan=True)
    reports = position_reports.load_credible(session, row, departed_at, ended_at)
    if reports.is_ambiguous:
        raise Conflict(
            "Two ships send reports as this one, so the voyage's track is unknown. Delete the"
            " reports of the other ship."
        )
    sailed = departed_at, ended_at
    try:
        context, plan = build_context(session, planned, sailed), load_plan(planned)
        end_reading(session)
        return report_voyage(context, plan, reports.records, *sailed)
    except (ValueError, VoyageError) as fault:
        raise Conflict(f"The reports do not suffice to evaluate the voyage: {fault}.") from fault


def write_file(session: Session, charting: Charting) -> tuple[bytes, str]:
    """Write the report of a finished voyage as CSV; return the file and its name."""
    row, _, _ = _get_finished(session, charting)
    route = name_route(_get_departed_with(session, charting, row))
    return render_voyage_report(write(session, charting)), f"{route}-voyage-report.csv"


def _get_finished(
    session: Session, charting: Charting
) -> tuple[VoyageExecution, datetime, datetime]:
    """Get a finished voyage with its departure and its end; raises :class:`Conflict`."""
    row = find_execution(session, charting)
    is_finished = row is not None and row.state == ExecutionState.FINISHED
    if row is None or not is_finished or row.departed_at is None or row.ended_at is None:
        raise Conflict("The voyage is not finished: there is nothing to report.")
    return row, row.departed_at, row.ended_at


def _get_departed_with(
    session: Session, charting: Charting, row: VoyageExecution, *, with_plan: bool = False
) -> ChartingRevision:
    """Get the revision that a voyage departed with."""
    number = row.departed_revision or row.revision
    return chartings.get_revision(session, charting, number, with_plan=with_plan)
