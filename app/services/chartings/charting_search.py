"""Queries for chartings: by id, by filter, in pages, active ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Integer,
    Select,
    String,
    Text,
    Uuid,
    and_,
    bindparam,
    cast,
    false,
    func,
    inspect,
    or_,
    select,
    tuple_,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, array
from sqlalchemy.orm import Session, aliased, contains_eager, undefer

from app.models import ACTIVE, Charting, ChartingRevision, Vessel
from app.services.platform.ids import find_id
from app.services.platform.paging import Page, count_all, fetch_page

_Shown = aliased(ChartingRevision, name="shown")
_DEPARTS_AT: Final = cast(_Shown.request["startDate"].as_string(), DateTime(timezone=True))

#: Fields that may make a request large; lists leave them out.
BULK: Final = ("noGoAreas", "importedData")
_LISTED_COLUMNS: Final = [
    getattr(ChartingRevision, column.key)
    for column in inspect(ChartingRevision).column_attrs
    if not column.deferred and column.key not in ("request", "vessel")
] + [
    ChartingRevision.vessel["name"].as_string().label("vessel_name"),
    cast(ChartingRevision.request, JSONB).op("-")(cast(array(BULK), ARRAY(Text))).label("request"),
]
#: Revisions of chartings, the newest and the newest completed of each.
_SHOWN_REVISIONS: Final = ChartingRevision.revision.in_(
    (Charting.latest_revision, Charting.completed_revision)
)

Numbered = dict[tuple[UUID, int], ChartingRevision]
#: Rows of revisions, with the attributes of :class:`ChartingRevision` that a list shows.
Listed = dict[tuple[UUID, int], Any]


def find_charting(session: Session, organization_id: UUID, charting_id: str) -> Charting | None:
    """A charting of the organization, or ``None``."""
    query = _of(organization_id).options(contains_eager(Charting.vessel))
    return session.scalar(query.where(Charting.id == find_id(charting_id)))


def find_with_revisions(
    session: Session, organization_id: UUID, charting_id: str, *, with_plan: bool
) -> tuple[Charting, Numbered] | None:
    """A charting with its newest and its newest completed revision, or ``None``."""
    query = _WITH_PLAN if with_plan else _WITH_REVISIONS
    wanted = {"owner": organization_id, "charting": find_id(charting_id)}
    rows = session.execute(query, wanted).all()
    if not rows:
        return None
    return rows[0][0], {(row.charting_id, row.revision): row for _, row in rows}


#: Built once, because building takes long.
_WITH_REVISIONS: Final = (
    select(Charting, ChartingRevision)
    .join(ChartingRevision, ChartingRevision.charting_id == Charting.id)
    .where(
        Charting.organization_id == bindparam("owner"),
        Charting.id == bindparam("charting"),
        _SHOWN_REVISIONS,
    )
)
_WITH_PLAN: Final = _WITH_REVISIONS.options(undefer(ChartingRevision.plan))


class ChartingSort(StrEnum):
    """The order of a list; a minus means descending."""

    NEWEST = "-createdAt"
    OLDEST = "createdAt"
    LAST_DEPARTURE = "-startDate"
    FIRST_DEPARTURE = "startDate"

    @property
    def is_descending(self) -> bool:
        """Return whether the greatest value comes first."""
        return self.startswith("-")

    @property
    def by_departure(self) -> bool:
        """Return whether the list is sorted by departure time, then by id."""
        return self in (self.LAST_DEPARTURE, self.FIRST_DEPARTURE)


class Cursor(NamedTuple):
    """The position of a charting in a sorted list; ``departs_at`` only in a list sorted by it."""

    departs_at: datetime | None
    id: UUID


@dataclass(frozen=True, slots=True)
class ChartingFilter:
    """Filter of chartings; ``None`` matches any.

    Every word of ``search`` must occur in a port's name, the vessel's name or
    IMO number, or begin the charting's id. ``status`` is the newest revision's;
    ``owner``, ``triggered_by`` and the times of departure are those of the shown
    request. Times are inclusive.
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


def list_page(
    session: Session,
    organization_id: UUID,
    page: int,
    page_size: int,
    wanted: ChartingFilter = EVERYTHING,
    *,
    sort: ChartingSort = ChartingSort.NEWEST,
    after: Cursor | None = None,
) -> Page[Charting]:
    """A page of chartings, or the first page after a cursor.

    With a cursor, the page's number is 1 and its total is that of the whole list.
    """
    query = _matching(organization_id, wanted, with_shown=sort.by_departure)
    keys = (_DEPARTS_AT, Charting.id) if sort.by_departure else (Charting.id,)
    ordered = query.order_by(*(key.desc() if sort.is_descending else key for key in keys))
    if after is None:
        return fetch_page(session, ordered, page, page_size)
    place = after if sort.by_departure else after[1:]
    here = tuple_(*keys)
    ordered = ordered.where(here < place if sort.is_descending else here > place)
    items = session.scalars(ordered.limit(page_size + 1)).all()
    total = count_all(session, query)
    return Page(items[:page_size], 1, page_size, total, has_more=len(items) > page_size)


class ChartingColumn(StrEnum):
    """Columns that users can sort the list by."""

    CREATED = "created"
    VESSEL = "vessel"
    DEPARTURE = "departure"
    ARRIVAL = "arrival"
    DISTANCE = "distance"
    DURATION = "duration"
    FUEL = "fuel"
    SAVED = "saved"


def _figure(name: str) -> ColumnElement[float]:
    """A summary value of the shown plan."""
    figure: ColumnElement[float] = _Shown.summary[name].as_float()
    return figure


_SORTED_BY: Final[Mapping[ChartingColumn, ColumnElement[Any]]] = {
    ChartingColumn.CREATED: Charting.id.expression,
    ChartingColumn.VESSEL: func.lower(Vessel.name),
    ChartingColumn.DEPARTURE: _DEPARTS_AT,
    ChartingColumn.ARRIVAL: cast(_Shown.summary["eta"].as_string(), DateTime(timezone=True)),
    ChartingColumn.DISTANCE: _figure("distanceNm"),
    ChartingColumn.DURATION: _figure("durationH"),
    ChartingColumn.FUEL: _figure("fuelMt"),
    ChartingColumn.SAVED: _figure("savedPct"),
}


def list_sorted(
    session: Session,
    organization_id: UUID,
    page: int,
    page_size: int,
    wanted: ChartingFilter = EVERYTHING,
    *,
    column: ChartingColumn = ChartingColumn.CREATED,
    descending: bool = True,
) -> Page[Charting]:
    """A page of chartings sorted by a column; chartings without a value come last."""
    key = _SORTED_BY[column]
    ordered = (key.desc() if descending else key.asc()).nulls_last()
    with_shown = column not in (ChartingColumn.CREATED, ChartingColumn.VESSEL)
    query = _matching(organization_id, wanted, with_shown=with_shown)
    query = query.order_by(ordered, Charting.id.desc())
    return fetch_page(session, query, page, page_size)


def _matching(
    organization_id: UUID, wanted: ChartingFilter, *, with_shown: bool
) -> Select[Charting]:
    """Chartings that match a filter, joined with their shown revision where needed."""
    query = _of(organization_id).options(_WITH_VESSEL_NAME)
    of_request = (wanted.owner, wanted.triggered_by, wanted.departs_from, wanted.departs_to)
    if with_shown or any(value is not None for value in of_request):
        query = query.join(_Shown, _is_shown())
    for word in wanted.search.split():
        query = query.where(_says(word))
    if wanted.status is not None:
        query = query.join(ChartingRevision, _is_latest())
    conditions = [condition for condition in _conditions(wanted) if condition is not None]
    return query.where(*conditions)


def _conditions(wanted: ChartingFilter) -> Iterator[ColumnElement[bool] | None]:
    is_archived = Charting.archived_at.is_not(None)
    yield is_archived if wanted.archived else ~is_archived
    asked = {"owner": wanted.owner, "triggeredBy": wanted.triggered_by}
    for name, text in asked.items():
        yield None if text is None else _Shown.request[name].as_string() == text
    for column, value in (
        (ChartingRevision.status, wanted.status),
        (Vessel.imo, wanted.imo),
        (Charting.vessel_id, None if wanted.vessel_id is None else find_id(wanted.vessel_id)),
    ):
        yield None if value is None else column == value
    if wanted.vessel_id is not None and find_id(wanted.vessel_id) is None:
        yield false()
    for time, first, last in (
        (_DEPARTS_AT, wanted.departs_from, wanted.departs_to),
        (Charting.created_at, wanted.created_from, wanted.created_to),
    ):
        yield None if first is None else time >= first
        yield None if last is None else time <= last


def list_active(session: Session, organization_id: UUID) -> Sequence[Charting]:
    """All chartings that are queued or being planned, newest first."""
    query = (
        _of(organization_id)
        .options(_WITH_VESSEL_NAME)
        .join(ChartingRevision, _is_latest())
        .where(ChartingRevision.status.in_(ACTIVE))
        .order_by(Charting.id.desc())
    )
    return session.scalars(query).all()


def load_revisions(session: Session, chartings: Iterable[Charting]) -> Listed:
    """Load the newest and the newest completed revisions of chartings for a list, in one query.

    The rows lack the bulky fields of their requests and have ``vessel_name`` instead of the
    whole vessel.
    """
    wanted = [
        (charting.id, number)
        for charting in chartings
        for number in {charting.latest_revision, charting.completed_revision}
        if number is not None
    ]
    if not wanted:
        return {}
    ids, numbers = zip(*wanted, strict=True)
    rows = session.execute(_LISTED, {"chartings": list(ids), "revisions": list(numbers)})
    return {(row.charting_id, row.revision): row for row in rows}


_WANTED: Final = (
    func.unnest(
        bindparam("chartings", type_=ARRAY(Uuid())), bindparam("revisions", type_=ARRAY(Integer))
    )
    .table_valued("charting_id", "revision")
    .render_derived()
)
#: Built once, because building takes long. It selects revisions by the numbers that were read
#: with the chartings: another revision may have been completed since.
_LISTED: Final = select(*_LISTED_COLUMNS).join(
    _WANTED,
    and_(
        ChartingRevision.charting_id == _WANTED.c.charting_id,
        ChartingRevision.revision == _WANTED.c.revision,
    ),
)


def _of(organization_id: UUID) -> Select[Charting]:
    return select(Charting).join(Charting.vessel).where(Charting.organization_id == organization_id)


#: Lists show only the name of a vessel.
_WITH_VESSEL_NAME: Final = contains_eager(Charting.vessel).load_only(Vessel.name)


def _is_shown() -> ColumnElement[bool]:
    """Condition that joins a charting with its shown revision: completed, else newest."""
    shown = func.coalesce(Charting.completed_revision, Charting.latest_revision)
    return and_(_Shown.charting_id == Charting.id, _Shown.revision == shown)


def _is_latest() -> ColumnElement[bool]:
    return and_(
        ChartingRevision.charting_id == Charting.id,
        ChartingRevision.revision == Charting.latest_revision,
    )


def _says(word: str) -> ColumnElement[bool]:
    texts = (Charting.port_from_name, Charting.port_to_name, Vessel.name, Vessel.imo)
    begins = cast(Charting.id, String).startswith(word.lower(), autoescape=True)
    return or_(*(text.icontains(word, autoescape=True) for text in texts), begins)
