"""Calibrations of vessels: fitted to their reports, proposed, accepted, reverted."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.engine.calibration import NotEnoughReports, as_reports, calibrate
from app.engine.particulars import ShipParticulars
from app.models import Vessel, VesselCalibration, utc_now
from app.records.instants import first_instant, format_instant
from app.services.engine_mapping import (
    MODELLED,
    build_ship_particulars,
    read_declared_points,
    snapshot_vessel,
)
from app.services.errors import Conflict, NotFound
from app.services.platform import audit
from app.services.platform.actor import Actor
from app.services.platform.ids import find_id
from app.services.platform.paging import Page, fetch_page
from app.services.problem_codes import ProblemCode
from app.services.vessels import calibration_evidence, calibration_reports
from app.services.vessels.telemetry_sums import hours_of


class CalibrationStatus(StrEnum):
    """What a version is at present."""

    PROPOSED = "PROPOSED"
    NOT_BETTER = "NOT_BETTER"
    ACTIVE = "ACTIVE"
    SUPERSEDED = "SUPERSEDED"
    WITHDRAWN = "WITHDRAWN"


def status_of(vessel: Vessel, version: VesselCalibration) -> CalibrationStatus:
    """What a version of a vessel is at present."""
    if (vessel.calibration or {}).get("id") == str(version.id):
        return CalibrationStatus.ACTIVE
    if version.withdrawn_at is not None:
        return CalibrationStatus.WITHDRAWN
    if version.accepted_at is not None:
        return CalibrationStatus.SUPERSEDED
    is_better = version.evidence["isBetter"]
    return CalibrationStatus.PROPOSED if is_better else CalibrationStatus.NOT_BETTER


def create(session: Session, actor: Actor, vessel: Vessel) -> VesselCalibration:
    """Fit a vessel's model to her reports and keep the version; it changes nothing by itself.

    Raises :class:`Conflict` when there are too few reports of steady sailing.
    """
    ship = _ship_of(vessel)
    gathered = calibration_reports.gather(session, vessel)
    declared = as_reports(tuple(read_declared_points(snapshot_vessel(vessel))), ship)
    try:
        found = calibrate(
            ship,
            gathered.reports,
            dockings_h=_dockings_h(vessel.maintenance or ()),
            declared=declared if declared.times_h.size else None,
        )
    except NotEnoughReports as fault:
        raise Conflict(str(fault), code=ProblemCode.TOO_FEW_REPORTS) from fault
    if not found.used:
        raise Conflict(
            f"None of {found.records} reports is of steady sailing.",
            code=ProblemCode.TOO_FEW_REPORTS,
        )
    # versions are numbered one after the other; telemetry comes in meanwhile
    session.refresh(vessel, with_for_update={"key_share": True})
    version = VesselCalibration(
        organization_id=vessel.organization_id,
        vessel_id=vessel.id,
        number=_next_number(session, vessel),
        particulars=_modelled(vessel),
        response=asdict(found.response()),
        evidence=calibration_evidence.describe(ship, gathered, found),
        created_by=actor.name,
    )
    session.add(version)
    session.flush()
    return version


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


def get(session: Session, vessel: Vessel, calibration_id: str) -> VesselCalibration:
    """A version of a vessel; raises :class:`NotFound`."""
    row = VesselCalibration
    found = session.scalar(
        select(row).where(row.vessel_id == vessel.id, row.id == find_id(calibration_id))
    )
    if found is None:
        raise NotFound("There is no calibration of this vessel with this id.")
    return found


def accept(session: Session, actor: Actor, vessel: Vessel, version: VesselCalibration) -> None:
    """Let plans and estimates rest on a version from now on.

    Raises :class:`Conflict` for one that is not better on what it had not seen, or that was
    fitted to other particulars.
    """
    if not version.evidence["isBetter"]:
        raise Conflict(
            "The calibration is not better than the particulars on the reports held out.",
            code=ProblemCode.CALIBRATION_NOT_BETTER,
        )
    if version.particulars != _modelled(vessel):
        raise Conflict(
            "The calibration was fitted to other particulars than the vessel has now.",
            code=ProblemCode.CALIBRATION_OF_OTHER_PARTICULARS,
        )
    version.accepted_at, version.accepted_by = utc_now(), actor.name
    version.withdrawn_at = None
    _activate(session, actor, vessel, version, audit.CALIBRATION_ACCEPTED)


def revert(session: Session, actor: Actor, vessel: Vessel) -> VesselCalibration | None:
    """Withdraw the active version; answers the earlier one, active again, or ``None``.

    Raises :class:`Conflict` when no version is active.
    """
    if vessel.calibration is None:
        raise Conflict("No calibration of this vessel is active.")
    active = get(session, vessel, vessel.calibration["id"])
    active.withdrawn_at = utc_now()
    session.flush()
    earlier = _find_earlier(session, vessel)
    _activate(session, actor, vessel, earlier, audit.CALIBRATION_REVERTED)
    return earlier


def _activate(
    session: Session,
    actor: Actor,
    vessel: Vessel,
    version: VesselCalibration | None,
    action: str,
) -> None:
    """Let a vessel's model rest on a version, or on none, and keep a record of it."""
    before = vessel.calibration
    vessel.calibration = None if version is None else _as_active(version)
    session.flush()
    audit.record(session, actor, action, vessel.id, before=before, after=vessel.calibration)


def find_active(session: Session, vessel: Vessel) -> VesselCalibration | None:
    """The version that plans rest on, if any."""
    return get(session, vessel, vessel.calibration["id"]) if vessel.calibration else None


def _find_earlier(session: Session, vessel: Vessel) -> VesselCalibration | None:
    """The version accepted last that still holds for the vessel's particulars."""
    row = VesselCalibration
    accepted = (
        select(row)
        .where(row.vessel_id == vessel.id, row.accepted_at.isnot(None), row.withdrawn_at.is_(None))
        .order_by(row.accepted_at.desc())
    )
    here = _modelled(vessel)
    return next((each for each in session.scalars(accepted) if each.particulars == here), None)


def _as_active(version: VesselCalibration) -> dict[str, Any]:
    """What the vessel, and each plan with it, keeps of a version."""
    if version.accepted_at is None:
        raise ValueError(f"calibration {version.id} is not accepted")
    return {
        "id": str(version.id),
        "number": version.number,
        "acceptedAt": format_instant(version.accepted_at),
        "response": version.response,
    }


def _ship_of(vessel: Vessel) -> ShipParticulars:
    """The ship by her particulars alone."""
    kept = snapshot_vessel(vessel) | {"performance": None, "calibration": None}
    return build_ship_particulars(kept)


def _modelled(vessel: Vessel) -> dict[str, Any]:
    kept = snapshot_vessel(vessel)
    return {name: kept[name] for name in MODELLED}


def _dockings_h(events: Sequence[dict[str, Any]]) -> list[float]:
    return [hours_of(first_instant(date.fromisoformat(event["date"]))) for event in events]


def _newest_first(vessel: Vessel) -> Select[VesselCalibration]:
    row = VesselCalibration
    return select(row).where(row.vessel_id == vessel.id).order_by(row.number.desc())
