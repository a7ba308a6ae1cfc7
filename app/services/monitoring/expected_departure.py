"""Departure of an expected voyage by position reports, or why it has not started."""

from datetime import datetime, timedelta
from typing import Final, NoReturn

import numpy as np
from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session, object_session

from app.engine.formatting import format_position, format_time
from app.engine.geodesy import great_circle_distance_nm
from app.engine.monitoring.departure import PORT_AREA_NM, find_departure_h
from app.engine.monitoring.positions import CredibleRecords
from app.engine.request import Position
from app.engine.telemetry.records import VoyageRecords
from app.engine.times import moment_at
from app.extensions import chartroom
from app.models import Charting, ExecutionState, VoyageExecution, utc_now
from app.records.instants import parse_instant
from app.services.chartings.expected_voyages import EXPECTED_AFTER, EXPECTED_BEFORE
from app.services.engine_mapping import load_plan
from app.services.monitoring import executions, position_reports
from app.services.monitoring.voyage_progress import PLANNED
from app.services.vessels.telemetry_sums import instant_of

#: What starts a voyage.
_STARTS: Final = (
    f"The voyage starts by itself once a position within {PORT_AREA_NM:.0f} nm of the first"
    " waypoint is followed by one outside; otherwise start it with the time of departure."
)


class NotDeparted(Exception):
    """Reason for which reports do not start an expected voyage, in sentences."""


def find_departure(session: Session, row: VoyageExecution, now: datetime) -> datetime:
    """Find when the ship of an expected voyage departed by its reports.

    Raises :class:`NotDeparted` if they do not start the voyage.
    """
    planned = position_reports.load_followed(session, row)
    since = parse_instant(planned.request["startDate"]) - EXPECTED_BEFORE
    if now < since:
        raise NotDeparted(
            f"Positions start the voyage from {format_time(since)} on,"
            f" {EXPECTED_BEFORE / timedelta(hours=1):.0f} h before the planned departure."
        )
    _refuse_older(session, row)
    obstacle = executions.find_obstacle(session, row)
    if obstacle is not None:
        raise NotDeparted(obstacle.detail)
    reports = position_reports.load_credible(session, row, since, now)
    _refuse_uncertain(reports, since)
    progress = position_reports.find_progress(row, reports, planned)
    if progress is None or progress.on_track is None:
        _refuse_off_track(reports.records, None if progress is None else progress.off_track_nm)
    departure = load_plan(planned).waypoints[0].position
    departed_h = find_departure_h(reports.records, departure)
    if departed_h is None:
        _refuse_without_departure(reports.records, departure)
    return instant_of(departed_h)


def explain_not_started(row: VoyageExecution) -> str | None:
    """Explain why a voyage has not started; ``None`` for one that has."""
    if row.state == PLANNED:
        after_h = EXPECTED_AFTER / timedelta(hours=1)
        return (
            f"The planned departure was more than {after_h:.0f} h ago, or the charting is archived:"
            " positions do not start the voyage. Start it with the time of departure."
        )
    session = object_session(row)
    if row.state != ExecutionState.EXPECTED or session is None:
        return None
    try:
        departed_at = find_departure(session, row, utc_now())
    except NotDeparted as reason:
        return str(reason)
    return f"The ship departed {format_time(departed_at)}; the voyage starts within minutes."


def _refuse_older(session: Session, row: VoyageExecution) -> None:
    """Refuse a charting of which the vessel has a newer one that may depart by now."""
    charting = session.get_one(Charting, row.charting_id)
    # a plan is due once its ship may depart, and then at each check
    due_by = utc_now() + timedelta(seconds=chartroom().settings.monitor_every_s)
    newer = session.scalar(
        select(Charting)
        .join(VoyageExecution, VoyageExecution.charting_id == Charting.id)
        .where(
            VoyageExecution.organization_id == charting.organization_id,
            VoyageExecution.vessel_id == charting.vessel_id,
            VoyageExecution.state == ExecutionState.EXPECTED,
            VoyageExecution.due_at <= due_by,
            Charting.port_from_name == charting.port_from_name,
            Charting.port_to_name == charting.port_to_name,
            tuple_(Charting.created_at, Charting.id) > tuple_(charting.created_at, charting.id),
        )
        .limit(1)
    )
    if newer is not None:
        raise NotDeparted(
            "Positions start the vessel's newest plan between these ports, which is of"
            f" {format_time(newer.created_at)}. Archive that plan, or start this voyage with the"
            " time of departure."
        )


def _refuse_uncertain(reports: CredibleRecords, since: datetime) -> None:
    """Refuse reports without a credible position, or of two ships."""
    if reports.is_ambiguous:
        time, lat, lng, _ = reports.refused[-1]
        raise NotDeparted(
            "Two ships seem to report as this one, so no position counts. The one at"
            f" {format_position(lat, lng)}, {format_time(time)}, is not where the others can have"
            " been. Delete the reports of the other ship, or start the voyage with the time of"
            " departure; its progress stays unknown until one of them stops."
        )
    if not reports.records.times_h.size:
        raise NotDeparted(
            f"There is no credible position of the vessel since {format_time(since)}. {_STARTS}"
        )


def _refuse_off_track(records: VoyageRecords, off_track_nm: float | None) -> NoReturn:
    """Refuse a ship that seems to be on another voyage."""
    place = format_position(float(records.lats[-1]), float(records.lngs[-1]))
    last = f"The last position, {place}, {format_time(moment_at(records.times_h[-1]))}"
    where = (
        "is older than the plan"
        if off_track_nm is None
        else f"is {abs(off_track_nm):.0f} nm off the planned track"
    )
    raise NotDeparted(f"{last}, {where}, so the ship seems to be on another voyage. {_STARTS}")


def _refuse_without_departure(records: VoyageRecords, departure: Position) -> NoReturn:
    """Refuse a ship that has not left the area of departure, or was not reported there."""
    away_nm = great_circle_distance_nm(records.lats, records.lngs, departure.lat, departure.lng)
    nearest = int(np.argmin(away_nm))
    if away_nm[nearest] > PORT_AREA_NM:
        time = format_time(moment_at(records.times_h[nearest]))
        raise NotDeparted(
            f"No position is of the place of departure: the nearest, {time}, is"
            f" {away_nm[nearest]:.0f} nm from the first waypoint. {_STARTS}"
        )
    time = format_time(moment_at(records.times_h[-1]))
    raise NotDeparted(
        f"The last position, {time}, is {away_nm[-1]:.0f} nm from the first waypoint: the ship has"
        f" not left. {_STARTS}"
    )
