"""Queries for chartings: by id, by filter, in pages, active ones."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Select,
    String,
    Subquery,
    Text,
    and_,
    bindparam,
    cast,
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
from app.services.platform.paging import Page

_Shown = aliased(ChartingRevision, name="shown")
_DEPARTS_AT: Final = cast(_Shown.request["startDate"].as_string(), DateTime(timezone=True))

#: Fields that may make a request large; lists leave them out.
BULK: Final = ("noGoAreas", "importedData")
_LISTED_COLUMNS: Final = (
    [
        Charting.id,
        Charting.latest_revision,
        Charting.completed_revision,
        Charting.created_at,
        Charting.archived_at,
        Vessel.name.label("current_vessel_name"),
    ]
    + [
        getattr(ChartingRevision, column.key)
        for column in inspect(ChartingRevision).column_attrs
        if not column.deferred and column.key not in ("request", "vessel")
    ]
    + [
        ChartingRevision.vessel["name"].as_string().label("vessel_name"),
        cast(ChartingRevision.request, JSONB)
        .op("-")(cast(array(BULK), ARRAY(Text)))
        .label("request"),
    ]
)
#: Revisions of chartings, the newest and the newest completed of each.
_SHOWN_REVISIONS: Final = ChartingRevision.revision.in_(
    (Charting.latest_revision, Charting.completed_revision)
)

Numbered = dict[tuple[UUID, int], ChartingRevision]


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


def find_charting(session: Session, organization_id: UUID, charting_id: str) -> Charting | None:
    """A charting of the organization, or ``None``."""
    own = Charting.organization_id == organization_id
    query = select(Charting).join(Charting.vessel).options(contains_eager(Charting.vessel))
    return session.scalar(query.where(own, Charting.id == find_id(charting_id)))


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
) -> Page[ChartingView]:
    """A page of chartings, or the first page after a cursor.

    With a cursor, the page's number is 1 and its total is that of the whole list.
    """
    column = ChartingColumn.DEPARTURE if sort.by_departure else ChartingColumn.CREATED
    order = _Order(column, sort.is_descending)
    if after is None:
        return _fetch_page(session, organization_id, page, page_size, wanted, order)
    place = after if sort.by_departure else after[1:]
    found = _fetch_page(session, organization_id, 1, page_size + 1, wanted, order, place)
    has_more = len(found.items) > page_size
    return Page(found.items[:page_size], 1, page_size, found.total, has_more)


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


class _Order(NamedTuple):
    """The order of a list: by a column, then by id.

    With ``newest_within``, chartings without a value come last, and equals are sorted newest first.
    """

    column: ChartingColumn
    is_descending: bool
    newest_within: bool = False

    @property
    def by_shown(self) -> bool:
        """Return whether the column is of the revision that is shown."""
        return self.column not in (ChartingColumn.CREATED, ChartingColumn.VESSEL)

    @property
    def keys(self) -> tuple[ColumnElement[Any], ...]:
        """Sort keys, the first of the column."""
        key = _SORTED_BY[self.column]
        return (key,) if self.column == ChartingColumn.CREATED else (key, Charting.id.expression)

    def turn(self, keys: Sequence[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
        """Apply the direction to keys."""
        turned: list[ColumnElement[Any]] = [
            key.desc() if self.is_descending else key.asc() for key in keys
        ]
        if self.newest_within and len(keys) > 1:
            return [turned[0].nulls_last(), keys[1].desc()]
        return turned


def list_sorted(
    session: Session,
    organization_id: UUID,
    page: int,
    page_size: int,
    wanted: ChartingFilter = EVERYTHING,
    *,
    column: ChartingColumn = ChartingColumn.CREATED,
    descending: bool = True,
) -> Page[ChartingView]:
    """A page of chartings sorted by a column; chartings without a value come last."""
    order = _Order(column, descending, newest_within=True)
    return _fetch_page(session, organization_id, page, page_size, wanted, order)


def _fetch_page(
    session: Session,
    organization_id: UUID,
    page: int,
    page_size: int,
    wanted: ChartingFilter,
    order: _Order,
    place: Sequence[Any] = (),
) -> Page[ChartingView]:
    """Fetch one page and count the whole list, in one statement unless the page is empty."""
    words = wanted.search.split()
    filtered = dict(_values_of(wanted))
    query, count = _compose(
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
    """Yield a filter's values by the names of ``_CONDITIONS``."""
    for name in _CONDITIONS:
        value = getattr(wanted, name)
        if value is not None:
            yield name, find_id(value) if name == "vessel_id" else value


def list_active(session: Session, organization_id: UUID) -> list[ChartingView]:
    """All chartings that are queued or being planned, newest first."""
    return _views_of(session.execute(_ACTIVE, {"organization_id": organization_id}).all())


def _views_of(rows: Sequence[Any]) -> list[ChartingView]:
    """Combine the rows of each charting, which are adjacent."""
    return [_view_of(of_one) for _, of_one in groupby(rows, attrgetter("id"))]


def _view_of(rows: Iterable[Any]) -> ChartingView:
    revisions = {row.revision: row for row in rows}
    charting = next(iter(revisions.values()))
    shown = charting.completed_revision or charting.latest_revision
    return ChartingView(charting, revisions[charting.latest_revision], revisions[shown])


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
    """Compare with a word of the search, a parameter whose wildcards are escaped."""
    texts = (Charting.port_from_name, Charting.port_to_name, Vessel.name, Vessel.imo)
    begins = cast(Charting.id, String).startswith(func.lower(bindparam(word)), escape="/")
    return or_(*(text.icontains(bindparam(word), escape="/") for text in texts), begins)


#: Conditions of a list by the field of the filter that each compares with.
_CONDITIONS: Final[Mapping[str, ColumnElement[bool]]] = {
    "status": ChartingRevision.status == bindparam("status"),
    "vessel_id": Charting.vessel_id == bindparam("vessel_id"),
    "imo": Vessel.imo == bindparam("imo"),
    "owner": _Shown.request["owner"].as_string() == bindparam("owner"),
    "triggered_by": _Shown.request["triggeredBy"].as_string() == bindparam("triggered_by"),
    "departs_from": bindparam("departs_from") <= _DEPARTS_AT,
    "departs_to": bindparam("departs_to") >= _DEPARTS_AT,
    "created_from": Charting.created_at >= bindparam("created_from"),
    "created_to": Charting.created_at <= bindparam("created_to"),
}
_OF_REQUEST: Final = frozenset({"owner", "triggered_by", "departs_from", "departs_to"})

_IDS: Final = select(Charting.id).where(Charting.organization_id == bindparam("organization_id"))


# composing statements takes as long as running them
@lru_cache(maxsize=256)
def _compose(
    given: frozenset[str], words: int, order: _Order, *, archived: bool, is_after: bool
) -> tuple[Select[Any], Select[int]]:
    """Compose the statements that fetch a page, and that count its whole list."""
    query = _IDS.where(
        Charting.archived_at.is_not(None) if archived else Charting.archived_at.is_(None),
        *(_CONDITIONS[name] for name in sorted(given)),
        *(_says(f"word_{number}") for number in range(words)),
    )
    if words or "imo" in given or order.column == ChartingColumn.VESSEL:
        query = query.join(Charting.vessel)
    if given & _OF_REQUEST or order.by_shown:
        query = query.join(_Shown, _is_shown())
    if "status" in given:
        query = query.join(ChartingRevision, _is_latest())
    count = select(func.count()).select_from(query.subquery())
    keys = order.keys
    if is_after:
        place = tuple_(*(bindparam(f"after_{n}", type_=key.type) for n, key in enumerate(keys)))
        query = query.where(tuple_(*keys) < place if order.is_descending else tuple_(*keys) > place)
    page = (
        query.add_columns(count.scalar_subquery().label("total"))
        .add_columns(*(key.label(f"key_{n}") for n, key in enumerate(keys)))
        .order_by(*order.turn(keys))
        .limit(bindparam("size"))
        .offset(bindparam("offset"))
        .subquery("page")
    )
    turned = order.turn([page.c[f"key_{n}"] for n in range(len(keys))])
    return _with_revisions(page).add_columns(page.c.total).order_by(*turned), count


def _with_revisions(page: Subquery) -> Select[Any]:
    """Select the columns that lists show, of the chartings with the ids of a page."""
    return (
        select(*_LISTED_COLUMNS)
        .select_from(page)
        .join(Charting, Charting.id == page.c.id)
        .join(Charting.vessel)
        .join(
            ChartingRevision,
            and_(ChartingRevision.charting_id == Charting.id, _SHOWN_REVISIONS),
        )
    )


_ACTIVE: Final = _with_revisions(
    _IDS.join(ChartingRevision, _is_latest())
    .where(ChartingRevision.status.in_(ACTIVE))
    .subquery("page")
).order_by(Charting.id.desc())
