"""Batches of telemetry records: valid records are stored, each line gets a report.

Lines are decoded and checked in compiled code; only a refused line is read again
by the schema of single records, which describes every fault.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Final, NoReturn

import msgspec
from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.models import Vessel, utc_now
from app.records.fields import normalise_longitude
from app.services.errors import MOST_FAULTS, FieldError, Invalid
from app.services.platform import quotas
from app.services.vessels import telemetry
from app.services.vessels.staging import Staging
from app.services.vessels.telemetry_fields import (
    COLUMNS,
    FIELDS,
    TelemetryField,
    find_time_fault,
    to_millisecond,
)

#: Largest number of records in a batch.
MOST_RECORDS: Final = 5000
#: Largest number of different months in a batch: each may need a new partition.
MOST_MONTHS: Final = 36

#: Function that reads a record refused by compiled code: values by column, or :class:`Invalid`.
SlowReader = Callable[[bytes], dict[str, Any]]


class LineStatus(StrEnum):
    """Result of a line."""

    STORED = "STORED"
    DUPLICATE = "DUPLICATE"
    CONFLICT = "CONFLICT"
    INVALID = "INVALID"


@dataclass(slots=True)
class LineReport:
    """Result of one line of a batch, counted from 1, with the reason."""

    line: int
    status: LineStatus
    faults: tuple[FieldError, ...] = ()


def _member(field: TelemetryField) -> Any:
    number = Annotated[float, msgspec.Meta(ge=field.least, le=field.greatest)]
    if field.is_required:
        return field.name, number
    return field.name, number | None | msgspec.UnsetType, msgspec.UNSET


_Line = msgspec.defstruct(
    "_Line",
    [
        ("timestamp", Annotated[datetime, msgspec.Meta(tz=True)]),
        *map(_member, FIELDS),
    ],
    forbid_unknown_fields=True,
)
_decode = msgspec.json.Decoder(_Line).decode
_as_values = msgspec.structs.astuple
_LONGITUDE: Final = COLUMNS.index("longitude")


def split_lines(body: bytes, *, is_array: bool) -> dict[int, bytes]:
    """Split a body into the records of a JSON array or the non-blank lines of NDJSON, by number.

    Numbers count from 1; blank lines of NDJSON are counted, too.

    Raises :class:`msgspec.DecodeError` if the body is no JSON array, and
    :class:`Invalid` for too many records.
    """
    if is_array:
        records = [bytes(raw) for raw in msgspec.json.decode(body, type=list[msgspec.Raw])]
    else:
        records = body.splitlines()
    lines = {number: line for number, line in enumerate(records, start=1) if line.strip()}
    if len(lines) > MOST_RECORDS:
        raise Invalid.at("", f"At most {MOST_RECORDS} records; these are {len(lines)}.")
    return lines


def record_batch(
    session: Session, vessel: Vessel, lines: Mapping[int, bytes], read_slowly: SlowReader
) -> list[LineReport]:
    """Store the valid lines of a batch, by number; return a report on each line, in order.

    After :data:`MOST_FAULTS` faults, refused lines are not read again: that takes a hundred times
    as long as a valid line.
    """
    now = utc_now()
    reports: dict[int, LineReport] = {}
    rows: list[tuple[Any, ...]] = []
    left = MOST_FAULTS
    for number, line in lines.items():
        try:
            rows.append((number, *_read(line, now, read_slowly if left else _refuse_unread)))
        except Invalid as invalid:
            faults = invalid.faults[:left]
            left -= len(faults)
            reports[number] = LineReport(number, LineStatus.INVALID, faults)
    if rows:
        reports |= {report.line: report for report in _store(session, vessel, rows)}
    return [reports[number] for number in lines]


def _read(line: bytes, now: datetime, read_slowly: SlowReader) -> tuple[Any, ...]:
    """The values of a line in the order of ``COLUMNS``."""
    values = decode_record(line, now)
    if values is None:
        slowly = read_slowly(line)
        values = tuple(slowly.get(column) for column in COLUMNS)
    return values


def decode_record(line: bytes, now: datetime) -> tuple[Any, ...] | None:
    """Decode and check a record in compiled code: its values in the order of ``COLUMNS``.

    ``None`` for a refused record; the schema of single records decides on it.
    """
    try:
        decoded = _as_values(_decode(line))
        instant = to_millisecond(decoded[0].astimezone(UTC))
    except (msgspec.DecodeError, RecursionError, OverflowError):
        return None
    if find_time_fault(instant, now) is not None or not _names_each_field_once(line, decoded):
        return None
    values: list[Any] = [None if value is msgspec.UNSET else value for value in decoded]
    values[0] = instant
    values[_LONGITUDE] = normalise_longitude(values[_LONGITUDE])
    return tuple(values)


def _refuse_unread(_line: bytes) -> NoReturn:
    """Refuse a line of a batch that has :data:`MOST_FAULTS` faults already."""
    raise Invalid([])


def _names_each_field_once(line: bytes, decoded: Sequence[Any]) -> bool:
    """Return whether a line has no duplicate names, of which the decoder would keep the last.

    Only names and the timestamp have quotes.
    """
    given = len(decoded) - decoded.count(msgspec.UNSET)
    return line.count(b'"') == 2 * (given + 1)


_STAGING: Final = Staging("telemetry", COLUMNS)


def _store(session: Session, vessel: Vessel, rows: Sequence[tuple[Any, ...]]) -> list[LineReport]:
    """Store the rows of valid lines; return a report on each."""
    months = len({(row[1].year, row[1].month) for row in rows})
    if months > MOST_MONTHS:
        detail = f"The records lie in {months} months; those of one batch in at most {MOST_MONTHS}."
        raise Invalid.at("", detail)
    telemetry.add_partitions(session, (row[1] for row in rows))
    stored = _STAGING.store(session, vessel, rows)
    if stored:  # records stored before take no room
        quotas.check(session, vessel.organization_id, quotas.TELEMETRY, adding=len(stored))
    telemetry.count_days(session, vessel, stored)
    if len(stored) == len(rows):
        return [LineReport(row[0], LineStatus.STORED) for row in rows]
    return [_judge(row, stored) for row in _STAGING.compare(session, vessel)]


def _judge(row: Row[Any], stored: set[datetime]) -> LineReport:
    """Return a line's result; the first line of a stored instant removes it from ``stored``."""
    if row.timestamp in stored:
        stored.remove(row.timestamp)
        return LineReport(row.line, LineStatus.STORED)
    if row.is_same:
        return LineReport(row.line, LineStatus.DUPLICATE)
    fault = FieldError("/timestamp", f"{telemetry.IS_STORED} {telemetry.WAY_OUT}")
    return LineReport(row.line, LineStatus.CONFLICT, (fault,))
