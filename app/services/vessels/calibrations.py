"""Calibrations of vessels: queued, cancelled, proposed, accepted, reverted."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.models import ChartingStatus, Role, Vessel, VesselCalibration, utc_now
from app.records.instants import format_instant
from app.records.texts import in_words
from app.services.engine_mapping import MODELLED, snapshot_vessel
from app.services.errors import Conflict
from app.services.platform import audit, background_runs
from app.services.platform.actor import Actor
from app.services.platform.ids import get_row
from app.services.platform.paging import Page, fetch_page
from app.services.problem_codes import ProblemCode
from app.services.vessels import calibration_reports


class CalibrationStatus(StrEnum):
    """Status of a version."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    PROPOSED = "PROPOSED"
    NOT_BETTER = "NOT_BETTER"
    ACTIVE = "ACTIVE"
    SUPERSEDED = "SUPERSEDED"
    WITHDRAWN = "WITHDRAWN"


class CalibrationFailure(StrEnum):
    """Reasons why a calibration failed."""

    TOO_FEW_REPORTS = "TOO_FEW_REPORTS"
    TIMEOUT = "TIMEOUT"
    INTERNAL = "INTERNAL"


def status_of(vessel: Vessel, version: VesselCalibration) -> CalibrationStatus:
    """Present status of a vessel's version."""
    if version.status != ChartingStatus.COMPLETED:
        return CalibrationStatus(version.status)
    if (vessel.calibration or {}).get("id") == str(version.id):
        return CalibrationStatus.ACTIVE
    if version.withdrawn_at is not None:
        return CalibrationStatus.WITHDRAWN
    if version.accepted_at is not None:
        return CalibrationStatus.SUPERSEDED
    return CalibrationStatus.PROPOSED if is_better(version) else CalibrationStatus.NOT_BETTER


def is_better(version: VesselCalibration) -> bool:
    """Return whether a version was fitted and is better than the particulars."""
    return version.evidence is not None and bool(version.evidence["isBetter"])


def list_reasons(version: VesselCalibration) -> Sequence[str] | None:
    """List the reasons why a version is not better; ``None`` if unknown, as of early versions."""
    return None if version.evidence is None else version.evidence.get("reasons")


def start(session: Session, actor: Actor, vessel: Vessel) -> VesselCalibration:
    """Queue a fit of a vessel's model to its reports; plans change only once it is accepted.

    Raises :class:`Conflict` while another fit of the vessel is queued or running, and if the
    vessel has no reports.
    """
    actor.require(Role.PLANNER)
    background_runs.refuse_second(session, VesselCalibration, vessel)
    if not calibration_reports.has_any(session, vessel):
        raise Conflict(
            "This vessel has no reports. Send telemetry or noon reports first.",
            code=ProblemCode.TOO_FEW_REPORTS,
        )
    version = VesselCalibration(
        organization_id=vessel.organization_id,
        vessel_id=vessel.id,
        number=_next_number(session, vessel),  # unique, as the vessel is locked
        particulars=modelled(vessel),
        created_by=actor.name,
    )
    background_runs.add(session, version)
    return version


def find_newest(session: Session, vessel: Vessel) -> VesselCalibration | None:
    """Find the newest calibration of a vessel in any status."""
    return session.scalar(_newest_first(vessel).limit(1))


def _next_number(session: Session, vessel: Vessel) -> int:
    last = select(func.max(VesselCalibration.number)).where(
        VesselCalibration.vessel_id == vessel.id
    )
    return 1 + (session.scalar(last) or 0)


def list_page(
    session: Session, vessel: Vessel, page: int, page_size: int
) -> Page[VesselCalibration]:
    """A page of a vessel's versions, newest first."""
    return fetch_page(session, _newest_first(vessel), page, page_size)


def list_fitted(session: Session, vessel: Vessel, most: int) -> Sequence[VesselCalibration]:
    """The newest fitted versions of a vessel."""
    fitted = _newest_first(vessel).where(VesselCalibration.status == ChartingStatus.COMPLETED)
    return session.scalars(fitted.limit(most)).all()


def get(session: Session, vessel: Vessel, calibration_id: str) -> VesselCalibration:
    """A version of a vessel; raises :class:`NotFound`."""
    query = select(VesselCalibration).filter_by(vessel_id=vessel.id)
    return get_row(session, query, calibration_id, "calibration of this vessel")


def accept(session: Session, actor: Actor, vessel: Vessel, version: VesselCalibration) -> None:
    """Activate a version for plans and estimates.

    Raises :class:`Conflict` for a version that is not fitted, is not better than the particulars,
    or was fitted to other ones.
    """
    actor.require(Role.ADMIN)
    if version.status != ChartingStatus.COMPLETED:
        raise Conflict(
            f"The calibration is {in_words(version.status)}; it has no figures to accept."
        )
    if not is_better(version):
        reasons = "; ".join(list_reasons(version) or ())
        raise Conflict(
            f"The calibration is not better than the particulars{reasons and f': {reasons}'}.",
            code=ProblemCode.CALIBRATION_NOT_BETTER,
        )
    if not _is_fitted_to(version, modelled(vessel)):
        raise Conflict(
            "The calibration was fitted to other particulars than the vessel has now.",
            code=ProblemCode.CALIBRATION_OF_OTHER_PARTICULARS,
        )
    version.accepted_at, version.accepted_by = utc_now(), actor.name
    version.withdrawn_at = None
    _activate(session, actor, vessel, version, audit.Action.CALIBRATION_ACCEPTED)


def revert(session: Session, actor: Actor, vessel: Vessel) -> VesselCalibration | None:
    """Withdraw the active version; return the earlier one, active again, or ``None``.

    Raises :class:`Conflict` if no version is active.
    """
    actor.require(Role.ADMIN)
    if vessel.calibration is None:
        raise Conflict("No calibration of this vessel is active.")
    active = get(session, vessel, vessel.calibration["id"])
    active.withdrawn_at = utc_now()
    session.flush()
    earlier = _find_earlier(session, vessel)
    _activate(session, actor, vessel, earlier, audit.Action.CALIBRATION_REVERTED)
    return earlier


def _activate(
    session: Session, actor: Actor, vessel: Vessel, version: VesselCalibration | None, action: str
) -> None:
    """Set a vessel's active version, or none, and add an audit entry."""
    before = vessel.calibration
    vessel.calibration = None if version is None else _as_active(version)
    session.flush()
    audit.record(session, actor, action, vessel.id, before=before, after=vessel.calibration)


def _find_earlier(session: Session, vessel: Vessel) -> VesselCalibration | None:
    """Find the last accepted version that is valid for the vessel's particulars."""
    row = VesselCalibration
    accepted = (
        select(row)
        .where(row.vessel_id == vessel.id, row.accepted_at.isnot(None), row.withdrawn_at.is_(None))
        .order_by(row.accepted_at.desc())
    )
    here = modelled(vessel)
    return next((each for each in session.scalars(accepted) if _is_fitted_to(each, here)), None)


def _as_active(version: VesselCalibration) -> dict[str, Any]:
    """The data of a version that are stored with the vessel and with each plan."""
    if version.accepted_at is None:
        raise ValueError(f"calibration {version.id} is not accepted")
    return {
        "id": str(version.id),
        "number": version.number,
        "acceptedAt": format_instant(version.accepted_at),
        "response": version.response,
    }


def modelled(vessel: Vessel) -> dict[str, Any]:
    """Particulars that determine a vessel's model."""
    kept = snapshot_vessel(vessel)
    return {name: kept[name] for name in MODELLED}


def _is_fitted_to(version: VesselCalibration, particulars: dict[str, Any]) -> bool:
    """Return whether a version was fitted to these particulars; earlier ones lack newer fields."""
    return all(version.particulars.get(name) == value for name, value in particulars.items())


def _newest_first(vessel: Vessel) -> Select[VesselCalibration]:
    row = VesselCalibration
    return select(row).where(row.vessel_id == vessel.id).order_by(row.number.desc())
