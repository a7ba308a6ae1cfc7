"""SQL statements of lists of chartings: filtered, sorted, in pages.

Composing a statement takes as long as running it, so that each is composed once.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Select,
    String,
    Subquery,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    inspect,
    literal_column,
    or_,
    select,
    tuple_,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, array
from sqlalchemy.orm import aliased

from app.models import ACTIVE, Charting, ChartingRevision, Vessel
from app.records.texts import ACCENTS, UNACCENTED

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
SHOWN_REVISIONS: Final = ChartingRevision.revision.in_(
    (Charting.latest_revision, Charting.completed_revision)
)


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


class Order(NamedTuple):
    """The order of a list: by a column, then by id.

    With ``newest_within``, chartings without a value come last, and equals are sorted newest first.
    """

    column: ChartingColumn
    is_descending: bool
    newest_within: bool = False

    @property
    def by_departure(self) -> bool:
        """Return whether the column is the departure time."""
        return self.column == ChartingColumn.DEPARTURE

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


def _is_shown() -> ColumnElement[bool]:
    """Condition that joins a charting with its shown revision: completed, else newest."""
    shown = func.coalesce(Charting.completed_revision, Charting.latest_revision)
    return and_(_Shown.charting_id == Charting.id, _Shown.revision == shown)


def _is_latest() -> ColumnElement[bool]:
    return and_(
        ChartingRevision.charting_id == Charting.id,
        ChartingRevision.revision == Charting.latest_revision,
    )


def fold_column(column: Any) -> ColumnElement[str]:
    """Fold a column as :func:`app.records.texts.fold` does; most names are ASCII, and quick."""
    is_ascii = func.octet_length(column) == func.char_length(column)
    bare = func.regexp_replace(func.normalize(column, literal_column("NFD")), ACCENTS, "", "g")
    return case((is_ascii, func.lower(column)), else_=func.translate(func.lower(bare), *UNACCENTED))


def _says(word: str) -> ColumnElement[bool]:
    """Compare with a word of the search, a folded parameter whose wildcards are escaped."""
    names = map(fold_column, (Charting.port_from_name, Charting.port_to_name, Vessel.name))
    holds = [text.contains(bindparam(word), escape="/") for text in (*names, Vessel.imo)]
    return or_(*holds, cast(Charting.id, String).startswith(bindparam(word), escape="/"))


#: Conditions of a list by the field of the filter that each compares with.
CONDITIONS: Final[Mapping[str, ColumnElement[bool]]] = {
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


@lru_cache(maxsize=256)
def compose_page(
    given: frozenset[str], words: int, order: Order, *, archived: bool, is_after: bool
) -> tuple[Select[Any], Select[int]]:
    """Compose the statements that fetch a page, and that count its whole list.

    ``given`` are the fields of the filter that are given, and ``words`` counts those of the search.
    """
    query = _IDS.where(
        Charting.archived_at.is_not(None) if archived else Charting.archived_at.is_(None),
        *(CONDITIONS[name] for name in sorted(given)),
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
            and_(ChartingRevision.charting_id == Charting.id, SHOWN_REVISIONS),
        )
    )


_OF_LATEST: Final = _IDS.join(ChartingRevision, _is_latest())

ACTIVE_CHARTINGS: Final = _with_revisions(
    _OF_LATEST.where(ChartingRevision.status.in_(ACTIVE)).subquery("page")
).order_by(Charting.id.desc())
#: The newest chartings that are neither queued nor being planned, nor archived.
ENDED_CHARTINGS: Final = _with_revisions(
    _OF_LATEST.where(ChartingRevision.status.not_in(ACTIVE), Charting.archived_at.is_(None))
    .order_by(Charting.id.desc())
    .limit(bindparam("most"))
    .subquery("page")
).order_by(Charting.id.desc())
