"""Which chartings there are: by id, in pages, by words, still active."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, Select, String, and_, cast, or_, select, tuple_
from sqlalchemy.orm import Session, contains_eager, undefer

from app.models import ACTIVE, Charting, ChartingRevision, Vessel
from app.services.ids import find_id
from app.services.paging import Page, fetch_page

Numbered = dict[tuple[UUID, int], ChartingRevision]


def find_charting(session: Session, organization_id: UUID, charting_id: str) -> Charting | None:
    """A charting of the organization, or ``None``."""
    return session.scalar(_of(organization_id).where(Charting.id == find_id(charting_id)))


def find_with_revisions(
    session: Session, organization_id: UUID, charting_id: str, *, with_plan: bool
) -> tuple[Charting, Numbered] | None:
    """A charting with its newest and its newest completed revision, or ``None``."""
    numbers = (Charting.latest_revision, Charting.completed_revision)
    query = (
        _of(organization_id)
        .where(Charting.id == find_id(charting_id))
        .join(ChartingRevision, ChartingRevision.charting_id == Charting.id)
        .where(ChartingRevision.revision.in_(numbers))
        .add_columns(ChartingRevision)
    )
    if with_plan:
        query = query.options(undefer(ChartingRevision.plan))
    rows = session.execute(query).all()
    if not rows:
        return None
    return rows[0][0], {(row.charting_id, row.revision): row for _, row in rows}


def list_page(
    session: Session,
    organization_id: UUID,
    page: int,
    page_size: int,
    *,
    search: str = "",
    status: str | None = None,
    vessel_id: str | None = None,
) -> Page[Charting]:
    """A page of chartings, newest first.

    Every word of ``search`` must occur in a port's name, the vessel's name or
    IMO number, or begin the charting's id; ``status`` is the newest revision's.
    """
    query = _of(organization_id)
    for word in search.split():
        query = query.where(_says(word))
    if status is not None:
        query = query.join(ChartingRevision, _is_latest()).where(ChartingRevision.status == status)
    if vessel_id is not None:
        query = query.where(Charting.vessel_id == find_id(vessel_id))
    return fetch_page(session, query.order_by(Charting.id.desc()), page, page_size)


def list_active(session: Session, organization_id: UUID) -> Sequence[Charting]:
    """All chartings that are queued or being planned, newest first."""
    query = (
        _of(organization_id)
        .join(ChartingRevision, _is_latest())
        .where(ChartingRevision.status.in_(ACTIVE))
        .order_by(Charting.id.desc())
    )
    return session.scalars(query).all()


def load_revisions(session: Session, chartings: Iterable[Charting]) -> Numbered:
    """The newest and the newest completed revisions of chartings, in one go."""
    wanted = [
        (charting.id, number)
        for charting in chartings
        for number in {charting.latest_revision, charting.completed_revision}
        if number is not None
    ]
    if not wanted:
        return {}
    key = tuple_(ChartingRevision.charting_id, ChartingRevision.revision)
    rows = session.scalars(select(ChartingRevision).where(key.in_(wanted)))
    return {(row.charting_id, row.revision): row for row in rows}


def _of(organization_id: UUID) -> Select[Charting]:
    return (
        select(Charting)
        .join(Charting.vessel)
        .options(contains_eager(Charting.vessel))
        .where(Charting.organization_id == organization_id)
    )


def _is_latest() -> ColumnElement[bool]:
    return and_(
        ChartingRevision.charting_id == Charting.id,
        ChartingRevision.revision == Charting.latest_revision,
    )


def _says(word: str) -> ColumnElement[bool]:
    texts = (Charting.port_from_name, Charting.port_to_name, Vessel.name, Vessel.imo)
    begins = cast(Charting.id, String).startswith(word.lower(), autoescape=True)
    return or_(*(text.icontains(word, autoescape=True) for text in texts), begins)
