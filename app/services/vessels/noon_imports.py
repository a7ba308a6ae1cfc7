"""Imports of noon report files by workers: start, read, run."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.datasources.noon_reports.reading import NoonTable
from app.models import NoonImport, Vessel
from app.records.noon_file import ImportFailure
from app.services.errors import Invalid, ServiceError
from app.services.platform import background_runs
from app.services.platform.actor import Actor
from app.services.platform.background_runs import BackgroundProgress
from app.services.platform.ids import get_row
from app.services.platform.run_progress import Failure, as_failure
from app.services.platform.sessions import organization_session
from app.services.vessels import noon_reports, vessels


def start(
    session: Session,
    actor: Actor,
    vessel: Vessel,
    content: bytes,
    choices: Mapping[str, Any],
    *,
    keep_good_rows: bool,
) -> NoonImport:
    """Queue the import of a file, with a user's column mapping.

    Raises :class:`Conflict` while another import for the vessel is queued or running.
    """
    actor.require(background_runs.ROLES[NoonImport])
    background_runs.refuse_second(session, NoonImport, vessel)
    asked = NoonImport(
        organization_id=vessel.organization_id,
        vessel_id=vessel.id,
        created_by=actor.name,
        content=content,
        asked={"choices": dict(choices), "keepGoodRows": keep_good_rows},
    )
    background_runs.add(session, asked)
    return asked


def get(session: Session, vessel: Vessel, import_id: str) -> NoonImport:
    """An import for a vessel; raises :class:`NotFound`."""
    query = select(NoonImport).filter_by(vessel_id=vessel.id)
    return get_row(session, query, import_id, "import for this vessel")


def find_newest(session: Session, vessel: Vessel) -> NoonImport | None:
    """Find the newest import for a vessel in any status."""
    query = select(NoonImport).where(NoonImport.vessel_id == vessel.id)
    return session.scalar(query.order_by(NoonImport.id.desc()).limit(1))


def run(organization_id: UUID, import_id: UUID) -> None:
    """Import a file."""
    background_runs.carry_out(NoonImport, organization_id, import_id, _read, _store, _explain)


def _read(progress: BackgroundProgress) -> NoonTable:
    progress(0.0, "Reading rows")
    with organization_session(progress.organization_id) as session:
        row = session.get_one(NoonImport, progress.key["id"])
        content, choices = row.content, noon_reports.read_choices(row.asked["choices"])
        vessel = vessels.get_any(session, row.organization_id, row.vessel_id)
    table = noon_reports.read_file(
        content or b"", *choices, service_speed_kn=vessel.service_speed_kn, on_progress=progress
    )
    progress(1.0, "Storing reports")
    return table


def _store(session: Session, row: NoonImport, table: NoonTable) -> None:
    vessel = vessels.get(session, row.organization_id, str(row.vessel_id))
    actor = Actor(row.organization_id, row.created_by, background_runs.ROLES[NoonImport])
    keep_good_rows = row.asked["keepGoodRows"]
    imported = noon_reports.store(session, actor, vessel, table, keep_good_rows=keep_good_rows)
    row.result = noon_reports.present_import(imported)


def _explain(fault: Exception) -> Failure | None:
    """Describe an error of the file; ``None`` for any other error."""
    if not isinstance(fault, ServiceError):
        return None
    if not isinstance(fault, Invalid):
        return as_failure(ImportFailure.REFUSED, fault.detail)
    errors = [error._asdict() for error in fault.faults]
    return as_failure(ImportFailure.INVALID_FILE, fault.detail, errors=errors)
