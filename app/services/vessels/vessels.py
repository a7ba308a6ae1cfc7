"""Vessels: create, read, change, delete and restore."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.models import (
    ACTIVE,
    ChartingRevision,
    ExecutionState,
    Vessel,
    VoyageExecution,
    utc_now,
)
from app.services.engine_mapping import MODELLED
from app.services.errors import Conflict, Invalid, refuse
from app.services.platform.actor import Actor
from app.services.platform.ids import find_id, flush, get_row, lock_row
from app.services.platform.paging import Page, fetch_page
from app.services.platform.sessions import read_clock
from app.services.problem_codes import ProblemCode
from app.services.vessels import vessel_particulars

#: Attributes that are unique within an organization, by the name of their index.
_UNIQUE: Final = {
    "uq_vessel_organization_id_imo": ("IMO number", ProblemCode.IMO_TAKEN),
    "uq_vessel_organization_id_mmsi": ("MMSI", ProblemCode.MMSI_TAKEN),
}


def create(session: Session, actor: Actor, particulars: Mapping[str, Any]) -> Vessel:
    """Register a vessel.

    Raises :class:`Invalid` for impossible particulars and :class:`Conflict` for
    an IMO number or MMSI of another vessel of the organization.
    """
    refuse(vessel_particulars.find_faults(particulars))
    vessel = Vessel(organization_id=actor.organization_id, **particulars)
    session.add(vessel)
    _flush(session)
    return vessel


def get(session: Session, organization_id: UUID, vessel_id: str) -> Vessel:
    """A vessel that is not deleted; raises :class:`NotFound`."""
    return get_row(session, _of(organization_id), vessel_id, "vessel")


def find(session: Session, organization_id: UUID, vessel_id: str) -> Vessel | None:
    """A vessel that is not deleted, or ``None``."""
    return session.scalar(_of(organization_id).where(Vessel.id == find_id(vessel_id)))


def get_of_request(
    session: Session, organization_id: UUID, vessel_id: str, *, keeps: bool = False
) -> Vessel:
    """The vessel that a request names; raises :class:`Invalid`.

    ``keeps`` prevents its deletion until the transaction ends.
    """
    query = _of(organization_id).where(Vessel.id == find_id(vessel_id))
    if keeps:
        query = query.with_for_update(read=True, key_share=True)
    vessel = session.scalar(query)
    if vessel is None:
        raise Invalid.at("/vesselId", "You have no vessel with this id.")
    return vessel


def find_by_imo(session: Session, organization_id: UUID, imo: str) -> Vessel | None:
    """The vessel with this IMO number, or ``None``."""
    return session.scalar(_of(organization_id).where(Vessel.imo == imo))


def list_by_mmsi(session: Session, organization_id: UUID) -> dict[str | None, Vessel]:
    """The organization's vessels that have an MMSI, by it."""
    fleet = session.scalars(_of(organization_id).where(Vessel.mmsi.isnot(None)))
    return {vessel.mmsi: vessel for vessel in fleet}


def list_page(session: Session, organization_id: UUID, page: int, page_size: int) -> Page[Vessel]:
    """A page of the organization's vessels, newest first."""
    return fetch_page(session, _newest_first(organization_id), page, page_size)


def list_fleet(session: Session, organization_id: UUID) -> Sequence[Vessel]:
    """All the organization's vessels that are not deleted, newest first."""
    return session.scalars(_newest_first(organization_id)).all()


def update(session: Session, vessel: Vessel, changes: Mapping[str, Any]) -> Vessel:
    """Change particulars; those not named in ``changes`` stay."""
    columns = (column.key for column in Vessel.__table__.columns)
    refuse(
        vessel_particulars.find_faults(
            {key: getattr(vessel, key) for key in columns} | dict(changes)
        )
    )
    if any(getattr(vessel, name) != changes.get(name, getattr(vessel, name)) for name in MODELLED):
        # the factors of a calibration are not valid for another hull
        vessel.calibration = None
    for attribute, value in changes.items():
        setattr(vessel, attribute, value)
    vessel.updated_at = utc_now()
    _flush(session)
    return vessel


def delete(session: Session, vessel: Vessel) -> None:
    """Delete a vessel; its past chartings stay readable.

    Raises :class:`Conflict` while a route is being planned for it and while it is under way.
    """
    # a charting that is requested meanwhile is seen here, or sees that the vessel is deleted
    lock_row(session, vessel, "vessel")
    active = (
        select(ChartingRevision.charting_id)
        .where(
            ChartingRevision.organization_id == vessel.organization_id,
            ChartingRevision.status.in_(ACTIVE),
            ChartingRevision.request["vesselId"].as_string() == str(vessel.id),
        )
        .limit(1)
    )
    _refuse(
        session.scalar(active),
        "A charting of this vessel is still active; cancel it or wait for it to end.",
        ProblemCode.VESSEL_HAS_ACTIVE_CHARTING,
    )
    # locked: a voyage that departs meanwhile is seen here, or sees that the vessel is deleted
    voyages = select(VoyageExecution.charting_id, VoyageExecution.state).where(
        VoyageExecution.organization_id == vessel.organization_id,
        VoyageExecution.vessel_id == vessel.id,
        VoyageExecution.state.in_((ExecutionState.EXPECTED, ExecutionState.UNDER_WAY)),
    )
    found = session.execute(voyages.with_for_update()).all()
    _refuse(
        next((row.charting_id for row in found if row.state == ExecutionState.UNDER_WAY), None),
        "The vessel is under way on a voyage; finish or abandon it first.",
        ProblemCode.VOYAGE_UNDER_WAY,
    )
    vessel.deleted_at = read_clock(session)


def _refuse(charting_id: UUID | None, detail: str, code: ProblemCode) -> None:
    """Raise :class:`Conflict` if there is a charting because of which a vessel stays."""
    if charting_id is not None:
        raise Conflict(detail, code=code, chartingId=str(charting_id))


def list_all(session: Session, organization_id: UUID) -> list[Vessel]:
    """All vessels of an organization by name, deleted ones too."""
    query = select(Vessel).where(Vessel.organization_id == organization_id)
    return list(session.scalars(query.order_by(Vessel.name, Vessel.id)))


def get_any(session: Session, organization_id: UUID, vessel_id: UUID) -> Vessel:
    """A vessel, deleted ones too; raises :class:`NotFound`."""
    query = select(Vessel).filter_by(organization_id=organization_id)
    return get_row(session, query, vessel_id, "vessel")


def restore(session: Session, vessel: Vessel) -> None:
    """Restore a deleted vessel, unless another one has its IMO number or MMSI by now."""
    with suppress(Conflict), session.begin_nested():
        vessel.deleted_at = None
        _flush(session)


def _of(organization_id: UUID) -> Select[Vessel]:
    return select(Vessel).where(
        Vessel.organization_id == organization_id, Vessel.deleted_at.is_(None)
    )


def _newest_first(organization_id: UUID) -> Select[Vessel]:
    return _of(organization_id).order_by(Vessel.id.desc())


def _flush(session: Session) -> None:
    words = "Another vessel of your organization has this {}."
    taken = {
        index: Conflict(words.format(name), code=code) for index, (name, code) in _UNIQUE.items()
    }
    flush(session, taken)
