"""Mapping of spreadsheet columns to the fields of noon reports, with units."""

import re
from collections.abc import Container, Mapping, Sequence
from typing import Final, NamedTuple

import cf_units

from app.datasources.headers import find_unit, find_unit_in_brackets, name_of, without_zone
from app.records import noon_report as record

#: Required fields: of each tuple one must have a column.
NEEDED: Final = (
    (record.TIME,),
    ("fuel", *record.GRADES),
    ("speedThroughWater", "speedOverGround", "distance"),
)


class Choice(NamedTuple):
    """A user's choice for a column: the field (``None``: ignore it) and the unit."""

    field: str | None
    unit: str | None = None


class Column(NamedTuple):
    """A column of the file; ``unit`` as UDUNITS reads it, ``None`` where none is written.

    A ``fault`` must be corrected before anything is read. A ``remark`` states why the column is
    left out, or what is assumed of it.
    """

    at: int
    header: str
    field: str | None
    unit: str | None
    fault: str | None = None
    remark: str | None = None

    def leave_out(self, reason: str) -> "Column":
        """Return the column without a field, and the reason, a sentence."""
        return self._replace(field=None, unit=None, remark=f"Left out: {reason}")


def count_known(headers: Sequence[str], chosen: Container[str] = ()) -> int:
    """Count the headers that are known or named by a user."""
    return sum(header in chosen or _find_field(header) is not None for header in headers if header)


def match_columns(
    headers: Sequence[str], chosen: Mapping[str, Choice], blank: Container[int] = ()
) -> tuple[Column, ...]:
    """Match the columns of a file; a user's choice overrides the header.

    Of two columns for one field the first is used, those of a user's choice before all others,
    ``blank`` ones and those of a second choice after them.
    """
    first: dict[str, int] = {}
    described: dict[int, Column] = {}

    def rank(at: int) -> tuple[bool, bool, bool]:
        header = headers[at]
        is_second = re.search(record.SECOND_CHOICE, name_of(header)) is not None
        return header not in chosen, at in blank, is_second

    for at in sorted(range(len(headers)), key=rank):
        header = headers[at]
        choice = chosen.get(header) or Choice(_find_field(header))
        described[at] = _describe(at, header, *choice)
        if choice.field and first.setdefault(choice.field, at) != at:
            reader = f"“{headers[first[choice.field]]}”"
            described[at] = described[at].leave_out(
                f"{reader} is read as {record.LABELS[choice.field]}."
            )
    return _without_lone_time([described[at] for at in range(len(headers))])


def find_missing(columns: Sequence[Column]) -> list[tuple[str, ...]]:
    """Find the required fields without a column, each with its substitutes."""
    found = {column.field for column in columns}
    return [choices for choices in NEEDED if not found.intersection(choices)]


def is_convertible(unit: str, field: record.NoonField) -> bool:
    """Return whether a column in a unit can be that field; rates of fuel can."""
    given = cf_units.Unit(unit)
    return bool(
        given.is_convertible(field.unit) or (field.unit == "t" and given.is_convertible("t day-1"))
    )


def _find_field(header: str) -> str | None:
    name = name_of(header)
    if not name:
        return None
    for field in record.FIELDS:
        if field.is_named(name) and _may_have_unit(field, header):
            return field.name
    name, patterns = name_of(without_zone(header)), record.TEXT_HEADERS.items()
    return next((field for field, pattern in patterns if re.search(pattern, name)), None)


def _may_have_unit(field: record.NoonField, header: str) -> bool:
    """Return whether a field can have the unit written in a header.

    Numbers of a scale have none. For others only a unit in brackets counts, and one of volume or
    energy: a bare letter at a header's end need not be one.
    """
    unit = find_unit(header)
    if field.unit == "1":
        return unit is None
    if unit is None or not any(map(cf_units.Unit(unit).is_convertible, ("m3", "J"))):
        unit = find_unit_in_brackets(header)
    is_share = "%" in header and field.unit in ("kW", "min-1")
    return not is_share and (unit is None or is_convertible(unit, field))


def _describe(at: int, header: str, field: str | None, said: str | None) -> Column:
    number = record.BY_NAME.get(field or "")
    if number is None:
        return Column(at, header, field, None)
    unit = find_unit(f"[{said}]") if said else find_unit(header)
    if said and (unit is None or not is_convertible(unit, number)):
        fault = f"“{said}” is not a unit of {number.label.lower()}; {number.symbol} is one."
        return Column(at, header, field, None, fault)
    # a bare letter at a header's end need not be a unit
    kept = unit if unit is not None and is_convertible(unit, number) else None
    return Column(at, header, field, kept)


def _without_lone_time(columns: list[Column]) -> tuple[Column, ...]:
    """Take a column "Time" for date and time where there is no date."""
    if any(column.field == record.TIME for column in columns):
        return tuple(columns)
    return tuple(
        column._replace(field=record.TIME) if column.field == record.TIME_OF_DAY else column
        for column in columns
    )
