"""Queries for chartings: by id, by filter, in pages, active ones."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import Select, bindparam, select
from sqlalchemy.orm import Session, joinedload, undefer

from app.models import Charting, ChartingRevision
from app.records.texts import fold
from app.services.chartings.charting_statements import (
    ACTIVE_CHARTINGS,
    CONDITIONS,
    ENDED_CHARTINGS,
    SHOWN_REVISIONS,
    ChartingColumn,
    Order,
    compose_page,
)
from app.services.platform.ids import find_id
from app.services.platform.paging import Page


@dataclass(frozen=True, slots=True)
class ChartingView:
    """A charting, its newest state, and the revision that its plan and request are from.

    ``state`` is the newest revision; ``planned`` the newest completed one, or
    ``state`` itself when none is. Asked for one revision, both are that one.
    In a list all three are rows with the attributes that lists show.
    """

    charting: Charting
    state: ChartingRevision
    planned: ChartingRevision


def select_own(organization_id: UUID) -> Select[Charting]:
    """Select the organization's chartings with their vessels."""
    query = select(Charting).options(joinedload(Charting.vessel, innerjoin=True))
    return query.where(Charting.organization_id == organization_id)


def find_view(
    session: Session, organization_id: UUID, charting_id: str, *, with_plan: bool
) -> ChartingView | None:
    """A charting with its newest and its newest completed revision, or ``None``."""
    query = _WITH_PLAN if with_plan else _WITH_REVISIONS
    wanted = {"owner": organization_id, "charting": find_id(charting_id)}
    rows = session.execute(query, wanted).all()
    return _view_of(rows[0][0], [revision for _, revision in rows]) if rows else None


#: Built once, because building takes long. Of a charting that the session holds already, the
#: numbers of its revisions are read again, or they may not be those of the revisions found.
_WITH_REVISIONS: Final = (
    select(Charting, ChartingRevision)
    .join(ChartingRevision, ChartingRevision.charting_id == Charting.id)
    .where(
        Charting.organization_id == bindparam("owner"),
        Charting.id == bindparam("charting"),
        SHOWN_REVISIONS,
    )
    .execution_options(populate_existing=True)
)
_WITH_PLAN: Final = _WITH_REVISIONS.options(undefer(ChartingRevision.plan))


def list_revisions(session: Session, charting: Charting) -> Sequence[ChartingRevision]:
    """All revisions of a charting without their plans, newest first."""
    query = select(ChartingRevision).where(
        ChartingRevision.organization_id == charting.organization_id,
        ChartingRevision.charting_id == charting.id,
    )
    return session.scalars(query.order_by(ChartingRevision.revision.desc())).all()


class ChartingSort(StrEnum):
    """The order of a list; a minus means descending."""

    NEWEST = "-createdAt"
    OLDEST = "createdAt"
    LAST_DEPARTURE = "-startDate"
    FIRST_DEPARTURE = "startDate"

    @property
    def order(self) -> Order:
        """Return the column and the direction."""
        by_departure = self in (self.LAST_DEPARTURE, self.FIRST_DEPARTURE)
        column = ChartingColumn.DEPARTURE if by_departure else ChartingColumn.CREATED
        return Order(column, self.startswith("-"))


class Cursor(NamedTuple):
    """The position of a charting in a sorted list; ``departs_at`` only in a list sorted by it."""

    departs_at: datetime | None
    id: UUID


@dataclass(frozen=True, slots=True)
class ChartingFilter:
    """Filter of chartings; ``None`` matches any.

    Every word of ``search`` must occur in a port's name, the vessel's name or
    IMO number, or begin the charting's id; case and accents do not count.
    ``status`` is the newest revision's; ``owner``, ``triggered_by`` and the times
    of departure are those of the shown request. Times are inclusive.
    """

    search: str = ""
    status: str | None = None
    vessel_id: str | None = None
    imo: str | None = None
    owner: str | None = None
    triggered_by: str | None = None
    departs_from: datetime | None = None
    departs_to: datetime | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    archived: bool = False


EVERYTHING: Final = ChartingFilter()
NEWEST_FIRST: Final = ChartingSort.NEWEST.order


def list_page(
    session: Session,
    organization_id: UUID,
    page: int,
    page_size: int,
    wanted: ChartingFilter = EVERYTHING,
    *,
    order: Order = NEWEST_FIRST,
    after: Cursor | None = None,
) -> Page[ChartingView]:
    """A page of chartings, or the first page after a cursor.

    With a cursor, the page's number is 1 and its total is that of the whole list.
    """
    if after is None:
        return _fetch_page(session, organization_id, page, page_size, wanted, order)
    place = after if order.by_departure else after[1:]
    found = _fetch_page(session, organization_id, 1, page_size + 1, wanted, order, place)
    has_more = len(found.items) > page_size
    return Page(found.items[:page_size], 1, page_size, found.total, has_more)


def _fetch_page(
    session: Session,
    organization_id: UUID,
    page: int,
    page_size: int,
    wanted: ChartingFilter,
    order: Order,
    place: Sequence[Any] = (),
) -> Page[ChartingView]:
    """Fetch one page and count the whole list, in one statement unless the page is empty."""
    words = fold(wanted.search).split()
    filtered = dict(_values_of(wanted))
    query, count = compose_page(
        frozenset(filtered), len(words), order, archived=wanted.archived, is_after=bool(place)
    )
    values: dict[str, Any] = filtered | {
        "organization_id": organization_id,
        "size": page_size,
        "offset": (page - 1) * page_size,
        **{f"word_{n}": _WILDCARD.sub(r"/\g<0>", word) for n, word in enumerate(words)},
        **{f"after_{n}": value for n, value in enumerate(place)},
    }
    rows = session.execute(query, values).all()
    total: int = rows[0].total if rows else session.scalars(count, values).one()
    return Page(_views_of(rows), page, page_size, total)


#: Characters with a meaning in a pattern, the escape character among them.
_WILDCARD: Final = re.compile(r"[/%_]")


def _values_of(wanted: ChartingFilter) -> Iterator[tuple[str, Any]]:
    """Yield a filter's values by the names of ``CONDITIONS``."""
    for name in CONDITIONS:
        value = getattr(wanted, name)
        if value is not None:
            yield name, find_id(value) if name == "vessel_id" else value


def list_active(session: Session, organization_id: UUID) -> list[ChartingView]:
    """All chartings that are queued or being planned, newest first."""
    return _views_of(session.execute(ACTIVE_CHARTINGS, {"organization_id": organization_id}).all())


def list_ended(session: Session, organization_id: UUID, most: int) -> list[ChartingView]:
    """The newest chartings whose planning has ended, except archived ones."""
    values = {"organization_id": organization_id, "most": most}
    return _views_of(session.execute(ENDED_CHARTINGS, values).all())


def _views_of(rows: Sequence[Any]) -> list[ChartingView]:
    """Combine the rows of each charting, which are adjacent."""
    of_each = (list(of_one) for _, of_one in groupby(rows, attrgetter("id")))
    return [_view_of(of_one[0], of_one) for of_one in of_each]


def _view_of(charting: Any, revisions: Sequence[Any]) -> ChartingView:
    numbered = {revision.revision: revision for revision in revisions}
    shown = charting.completed_revision or charting.latest_revision
    return ChartingView(charting, numbered[charting.latest_revision], numbered[shown])
