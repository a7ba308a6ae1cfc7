"""Reports of finished voyages."""

from datetime import datetime
from typing import NamedTuple

import numpy as np
from sqlalchemy.orm import Session

from app.engine.errors import VoyageError
from app.engine.geodesy import great_circle_distance_nm
from app.engine.monitoring.departure import PORT_AREA_NM
from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.monitoring.voyage_report import VoyageReport, report_voyage
from app.engine.plan import RoutePlan
from app.engine.planning.area_rules import settle_for_given_route
from app.engine.planning.context import PlanningContext
from app.engine.telemetry.records import VoyageRecords
from app.exports.csv import render_voyage_report
from app.models import Charting, ChartingRevision, ExecutionState, VoyageExecution
from app.services.charting_request import arrival_of
from app.services.chartings import chartings, plan_reading
from app.services.chartings.expected_voyages import find_execution
from app.services.engine_mapping import load_plan
from app.services.errors import Conflict
from app.services.monitoring import position_reports
from app.services.platform.sessions import end_reading
from app.services.sea import sea
from app.services.weather import known_since


def write(session: Session, charting: Charting) -> VoyageReport:
    """Report a finished voyage against the plan that it departed with, in the weather as known now.

    Raises :class:`Conflict` if the voyage is not finished or was diverted, and if its reports do
    not cover departure to arrival or lack the fuel consumption.
    """
    return _evaluate(session, *_get_finished(session, charting))


def write_file(session: Session, charting: Charting) -> tuple[bytes, str]:
    """Write the same report as CSV; return the file and its name."""
    finished = _get_finished(session, charting)
    name = f"{plan_reading.name_route(finished.planned)}-voyage-report.csv"
    return render_voyage_report(_evaluate(session, *finished)), name


class _Finished(NamedTuple):
    """A finished voyage, the revision that it departed with, and its departure and end."""

    row: VoyageExecution
    planned: ChartingRevision
    sailed: tuple[datetime, datetime]


def _get_finished(session: Session, charting: Charting) -> _Finished:
    """Get a charting's voyage with its plan loaded.

    Raises :class:`Conflict` if it is not finished, or ended at another place than planned.
    """
    row = find_execution(session, charting)
    is_finished = row is not None and row.state == ExecutionState.FINISHED
    if row is None or not is_finished or row.departed_at is None or row.ended_at is None:
        raise Conflict("The voyage is not finished: there is nothing to report.")
    departed_with = row.departed_revision or row.revision
    planned = chartings.get_revision(session, charting, departed_with, with_plan=True)
    _refuse_diverted(planned, position_reports.load_followed(session, row))
    return _Finished(row, planned, (row.departed_at, row.ended_at))


def _refuse_diverted(planned: ChartingRevision, followed: ChartingRevision) -> None:
    """Raise :class:`Conflict` if the plan followed arrives elsewhere than that of the departure."""
    apart_nm = great_circle_distance_nm(*arrival_of(planned.request), *arrival_of(followed.request))
    if apart_nm > PORT_AREA_NM:
        raise Conflict(
            f"The voyage was diverted from {planned.request['portToName']} to"
            f" {followed.request['portToName']} by revision {followed.revision}. The plan that it"
            " departed with ends elsewhere, so the two are not compared."
        )


def _evaluate(
    session: Session,
    row: VoyageExecution,
    planned: ChartingRevision,
    sailed: tuple[datetime, datetime],
) -> VoyageReport:
    reports = position_reports.load_credible(session, row, *sailed)
    if reports.is_ambiguous:
        raise Conflict(
            "Two ships send reports as this one, so the voyage's track is unknown. Delete the"
            " reports of the other ship."
        )
    plan = load_plan(planned)
    try:
        context = _build_context(session, planned, plan, reports.records, sailed)
        end_reading(session)
        return report_voyage(context, plan, reports.records, *sailed)
    except (ValueError, VoyageError) as fault:
        raise Conflict(f"The reports do not suffice to evaluate the voyage: {fault}.") from fault


def _build_context(
    session: Session,
    planned: ChartingRevision,
    plan: RoutePlan,
    records: VoyageRecords,
    sailed: tuple[datetime, datetime],
) -> PlanningContext:
    """Build the planning context of a revision, in the weather as known since the voyage."""
    request = plan_reading.build_request(session, planned)
    since, until = min(sailed[0], request.departs_at), sailed[1]
    track = PlannedTrack.of(plan)
    # out along the plan and back along the track sailed: consecutive places are near each other
    lats = np.concatenate([track.lats, records.lats[::-1]])
    lngs = np.concatenate([track.lngs, records.lngs[::-1]])
    field = known_since.find_field(session, since, until, request.ends, lats, lngs)
    return settle_for_given_route(sea.build_context(request, field))
