"""Credible position reports of a voyage, and its progress on the followed plan."""

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy.orm import Session, undefer

from app.engine.geodesy import great_circle_distance_nm
from app.engine.monitoring.positions import CredibleRecords, select_credible
from app.engine.monitoring.progress import VoyageProgress, measure_progress
from app.engine.telemetry.records import VoyageRecords, merge
from app.engine.telemetry.reports import begin_at, merge_reports, no_reports
from app.engine.times import hours_since_epoch
from app.models import ChartingRevision, VoyageExecution
from app.records.instants import parse_instant, read_instant
from app.records.voyage_progress import RefusedPositionSchema, VoyageProgressSchema
from app.services.charting_request import departure_of
from app.services.chartings.departure_windows import WINDOW_FIELDS
from app.services.chartings.expected_voyages import get_departed_revision
from app.services.engine_mapping import load_plan
from app.services.errors import Conflict
from app.services.vessels import ais
from app.services.vessels.telemetry_sums import load_noon_reports, load_records

#: Age at which a position is too uncertain for decisions.
STALE_AFTER: Final = timedelta(hours=6)
#: Largest number of stored refused positions, the latest.
_MOST_REFUSED: Final = 100
#: Farthest that the first position of a voyage lies from its departure [nm].
_AT_DEPARTURE_NM: Final = 100.0


def load_followed(session: Session, row: VoyageExecution) -> ChartingRevision:
    """Load the revision whose plan a voyage follows."""
    key = (row.charting_id, row.revision)
    return session.get_one(ChartingRevision, key, options=[undefer(ChartingRevision.plan)])


def load_credible(
    session: Session, row: VoyageExecution, since: datetime, now: datetime
) -> CredibleRecords:
    """Load a vessel's telemetry, noon and AIS reports from a time until the end of the voyage.

    Noon reports count in periods without telemetry; one that reaches back to the departure counts
    from there.
    """
    until = row.ended_at or now + timedelta(days=1)
    records = load_records(session, row.vessel_id, since, until)
    noon = load_noon_reports(session, [row.vessel_id], since, until).get(
        row.vessel_id, no_reports()
    )
    reported, since_h = merge_reports(records, noon), hours_since_epoch(since)
    if since == row.departed_at:
        place = departure_of(get_departed_revision(session, row).request)
        reported = begin_at(reported, noon, since_h, *place)
    positions = ais.load_records(session, row.vessel_id, since, until)
    reported = reported.take(reported.times_h >= since_h)
    return select_credible(merge(reported, positions), hours_since_epoch(now))


def load_reports(session: Session, row: VoyageExecution, now: datetime) -> CredibleRecords:
    """Load a voyage's reports since its departure."""
    return load_credible(session, row, row.departed_at or now, now)


def update_progress(session: Session, row: VoyageExecution, now: datetime) -> CredibleRecords:
    """Measure and store the progress of a voyage, at most until its end; return its reports.

    Implausible positions are stored as refused and not used.
    """
    reports = load_reports(session, row, now)
    progress = find_progress(row, reports, load_followed(session, row))
    row.monitored_at, row.is_ambiguous = now, reports.is_ambiguous
    row.position_faults = [*map(RefusedPositionSchema.write, reports.refused[-_MOST_REFUSED:])]
    row.progress = None if progress is None else VoyageProgressSchema.write(progress)
    return reports


def find_progress(
    row: VoyageExecution, reports: CredibleRecords, followed: ChartingRevision
) -> VoyageProgress | None:
    """Measure a voyage's progress; ``None`` if no position is certain.

    A plan made under way is followed from its start on; no earlier position is on it.
    """
    if reports.is_ambiguous:
        return None
    replanned_at = find_replanned_at(row, followed, reports.records)
    return measure_progress(load_plan(followed), reports.records, row.departed_at, replanned_at)


def find_replanned_at(
    row: VoyageExecution, followed: ChartingRevision, records: VoyageRecords
) -> datetime | None:
    """Find the start of a plan made under way; ``None`` for a plan of the whole voyage.

    A plan from a position at sea is one of the whole voyage if the ship departed with it there,
    which may be days before the planned start. ``records`` are those since the departure.
    """
    asked = followed.request
    if not asked["isAlterFrom"]:
        return None
    if followed.revision == row.departed_revision and records.times_h.size:
        first = float(records.lats[0]), float(records.lngs[0])
        if great_circle_distance_nm(*first, *departure_of(asked)) <= _AT_DEPARTURE_NM:
            return None
    return parse_instant(asked["startDate"])


def request_rest(followed: ChartingRevision, progress: VoyageProgress) -> dict[str, Any]:
    """Return the request of the rest of a voyage: the followed plan's from the last position on."""
    asked = followed.request
    end = read_instant(asked["endDate"])
    return (
        asked
        | dict.fromkeys(WINDOW_FIELDS)
        | {
            "latFrom": round(progress.position.lat, 6),
            "lngFrom": round(progress.position.lng, 6),
            "nidFrom": None,
            "startDate": progress.time,
            "endDate": end if end is not None and end > progress.time else None,
            "isAlterFrom": True,
        }
    )


def get_fresh_progress(
    session: Session, row: VoyageExecution, followed: ChartingRevision, now: datetime
) -> VoyageProgress:
    """Measure a voyage's progress from a recent position.

    Raises :class:`Conflict` if no position is certain or the last one is stale.
    """
    progress = find_progress(row, load_reports(session, row, now), followed)
    if progress is None:
        raise Conflict("The ship's position is uncertain: there is no credible position report.")
    age = now - progress.time
    if age > STALE_AFTER:
        hours = age / timedelta(hours=1)
        most_h = STALE_AFTER / timedelta(hours=1)
        raise Conflict(
            f"The ship's last position is {hours:.0f} h old; at most {most_h:.0f} h are allowed."
            " Send a newer position report."
        )
    return progress
