"""Noon reports of vessels: imported from files or as records, listed, deleted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from textwrap import shorten
from typing import Any, Final

import numpy as np
from sqlalchemy import delete as sql_delete
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.datasources.noon_reports.checks import find_faults
from app.datasources.noon_reports.dates import DateOrder
from app.datasources.noon_reports.mapping import Choice
from app.datasources.noon_reports.reading import ASSUMED, NoonTable, RowFault, read_noon_reports
from app.datasources.noon_reports.sheets import SheetRefused
from app.engine.progress import Progress, no_progress
from app.models import NoonReport, Vessel, utc_now
from app.records.noon_file import MOST_SHOWN
from app.records.noon_report import BY_NAME, COLUMNS, FIELDS, LABELS, find_time_fault
from app.services.errors import (
    MOST_FAULTS,
    Conflict,
    FieldError,
    Invalid,
    NotFound,
    escape_member,
    refuse,
    refuse_reversed,
)
from app.services.platform import audit
from app.services.platform.actor import Actor
from app.services.platform.paging import Page, fetch_page
from app.services.vessels.staging import Staging
from app.services.vessels.telemetry import in_range

#: Largest number of reports of a vessel.
MOST_REPORTS: Final = 100_000
#: Form of a table of records sent as an array.
JSON: Final = "JSON"
#: Largest length of a list of columns in an error [characters].
_MOST_CHARACTERS: Final = 500
_CONFLICT: Final = (
    "another report is stored for this time; an admin can delete it, or give a correction the"
    " minute after it: of two reports of the same hours the one received last counts"
)


@dataclass(frozen=True, slots=True)
class Imported:
    """A file's table, with counts of new and duplicate reports.

    Duplicates equal a stored report in all fields.
    """

    table: NoonTable
    stored: int
    duplicates: int


def read_file(
    content: bytes,
    chosen: Mapping[str, Choice] | None = None,
    order: DateOrder | None = None,
    *,
    service_speed_kn: float,
    on_progress: Progress = no_progress,
) -> NoonTable:
    """Read the reports of a file of a vessel with a service speed [kn], without storing.

    Raises :class:`Invalid` if it has no table or lacks a column of ``chosen``.
    """
    try:
        table = read_noon_reports(
            content,
            chosen,
            order,
            now=utc_now(),
            service_speed_kn=service_speed_kn,
            on_progress=on_progress,
        )
    except SheetRefused as refused:
        raise Invalid.at("/file", str(refused)) from refused
    refuse(_find_unknown_columns(table, chosen or {}))
    return table


def _find_unknown_columns(table: NoonTable, chosen: Mapping[str, Choice]) -> Iterator[FieldError]:
    headers = [column.header for column in table.columns if column.header]
    for index, name in enumerate(chosen):
        if name not in headers:
            known = shorten(", ".join(headers), _MOST_CHARACTERS, placeholder=" …")
            detail = f"The file has no column “{name}”. Its columns: {known}."
            yield FieldError(f"/mapping/{index}/column", detail)


def read_records(
    vessel: Vessel, records: Sequence[Mapping[str, Any] | None], faults: Iterable[RowFault]
) -> NoonTable:
    """Build a table of records by column; ``None`` is a record with ``faults``."""
    rows = [number for number, each in enumerate(records, 1) if each is not None]
    given = [each for each in records if each is not None]
    table = NoonTable((), JSON, rows=rows, faults=list(faults))
    table.seconds = np.array([each["timestamp"].timestamp() for each in given])
    for field in FIELDS:
        numbers = [each[field.column] for each in given]
        table.values[field.name] = np.array(
            [np.nan if number is None else number for number in numbers], dtype=np.float64
        )
    table.report_types = [each["report_type"] for each in given]
    table.remarks = [each["remarks"] for each in given]
    now = utc_now()
    for number, each in zip(rows, given, strict=True):
        fault = find_time_fault(each["timestamp"], now)
        if fault:
            table.faults.append(RowFault(number, "timestamp", str(each["timestamp"]), fault))
    table.faults += _find_contradictions(table, vessel)
    table.faults.sort()
    table.sum_grades()
    return table


def _find_contradictions(table: NoonTable, vessel: Vessel) -> list[RowFault]:
    found = find_faults(
        table.seconds,
        table.values,
        table.report_types,
        table.rows,
        vessel.service_speed_kn,
        row_word=_row_word(table),
    )
    return [
        RowFault(
            table.rows[each.at], each.field, _value_of(table, each.field, each.at), each.detail
        )
        for each in found
    ]


def _value_of(table: NoonTable, field: str, index: int) -> str:
    values = table.values.get(field)
    return "" if values is None or np.isnan(values[index]) else f"{values[index]:g}"


def store(
    session: Session, actor: Actor, vessel: Vessel, table: NoonTable, *, keep_good_rows: bool
) -> Imported:
    """Store all reports of a table, or with ``keep_good_rows`` those without faults.

    Raises :class:`Invalid` with the faults if they prevent storing; nothing is stored then.
    """
    refuse_unmatched(table)
    if table.faults and not keep_good_rows:
        _refuse(table)
    good = table.good
    rows = ((index, *table.row_values(index)) for index in good)
    stored = len(_STAGING.store(session, vessel, rows))
    _refuse_too_many(session, vessel)
    conflicts: list[int] = []
    if stored < len(good):
        compared = _STAGING.compare(session, vessel)
        conflicts = [row.line for row in compared if not row.is_same]
    headers = (column.header for column in table.columns if column.field == "timestamp")
    time = next(headers, "timestamp")
    table.faults += [RowFault(table.rows[index], time, "", _CONFLICT) for index in conflicts]
    if conflicts and not keep_good_rows:
        _refuse(table)
    if stored:
        after = {"reports": stored, "from": table.form}
        audit.record(session, actor, audit.Action.NOON_REPORTS_IMPORTED, vessel.id, after=after)
    return Imported(table, stored, len(good) - stored - len(conflicts))


def add(session: Session, actor: Actor, vessel: Vessel, record: Mapping[str, Any]) -> None:
    """Store one report; one equal to that of its time changes nothing.

    Raises :class:`Invalid` with the faults of the report at its fields.
    """
    table = read_records(vessel, [record], ())
    store(session, actor, vessel, table, keep_good_rows=True)
    refuse(FieldError(f"/{fault.column}", fault.detail) for fault in table.faults)


def refuse_unmatched(table: NoonTable) -> None:
    """Raise :class:`Invalid` if a required column is missing or a chosen unit is wrong."""
    faults = [
        FieldError("/mapping", f"{column.header}: {column.fault}")
        for column in table.columns
        if column.fault
    ]
    for choices in table.missing:
        names = " or ".join(LABELS[name].lower() for name in choices)
        faults.append(FieldError("/mapping", f"No column is found for {names}; name one."))
    refuse(faults)


def _refuse(table: NoonTable) -> None:
    bad = len({fault.row for fault in table.faults})
    detail = (
        f"{bad} of {table.row_count:,} {_row_word(table)}s are at fault; nothing is stored. Correct"
        " them, or ask for the good ones with keepGoodRows=true."
    )
    faults = [
        FieldError(_pointer(table, fault), _describe_fault(table, fault))
        for fault in table.faults[:MOST_FAULTS]
    ]
    raise Invalid(faults, detail=detail)


def _pointer(table: NoonTable, fault: RowFault) -> str:
    """JSON pointer to a fault: ``/6/fuel`` in an array, ``/rows/7/ME fuel (mt)`` of a file."""
    column = escape_member(fault.column)
    row = f"/{fault.row - 1}" if table.form == JSON else f"/rows/{fault.row}"
    return row + (f"/{column}" if column else "")


def _row_word(table: NoonTable) -> str:
    """The word for a row of a table; reports of an array are counted from 1, too."""
    return "report" if table.form == JSON else "row"


def _describe_fault(table: NoonTable, fault: RowFault) -> str:
    """A fault as text: "Row 7, ME fuel (mt) “-3”: is negative; …"."""
    value = f" “{fault.value}”" if fault.value else ""
    column = f", {_describe_column(table, fault.column)}" if fault.column else ""
    row = f"{_row_word(table).capitalize()} {fault.row}"
    return f"{row}{column}{value}: {fault.detail.removesuffix('.')}."


def _describe_column(table: NoonTable, name: str) -> str:
    """A header as it is, or the label of a field of which the file has no column."""
    is_own = table.form == JSON or any(column.header == name for column in table.columns)
    return name if is_own else LABELS.get(name, name)


def _refuse_too_many(session: Session, vessel: Vessel) -> None:
    if count(session, vessel) > MOST_REPORTS:
        raise Conflict(f"A vessel has at most {MOST_REPORTS:,} noon reports. Delete old ones.")


_STAGING: Final = Staging("noon_report", COLUMNS)


def list_page(
    session: Session,
    vessel: Vessel,
    since: datetime | None,
    until: datetime | None,
    page: int,
    page_size: int,
    *,
    newest_first: bool = False,
) -> Page[NoonReport]:
    """A page of a vessel's reports in a range of time, both ends included."""
    refuse_reversed(since, until)
    within = in_range(NoonReport.timestamp, since, until)
    query = select(NoonReport).where(NoonReport.vessel_id == vessel.id, *within)
    order = NoonReport.timestamp.desc() if newest_first else NoonReport.timestamp
    return fetch_page(session, query.order_by(order), page, page_size)


def list_all(session: Session, vessel: Vessel) -> Sequence[NoonReport]:
    """All reports of a vessel, oldest first."""
    query = select(NoonReport).where(NoonReport.vessel_id == vessel.id)
    return session.scalars(query.order_by(NoonReport.timestamp)).all()


def count(session: Session, vessel: Vessel) -> int:
    """Count a vessel's reports."""
    query = select(func.count()).where(NoonReport.vessel_id == vessel.id)
    return session.scalar(query) or 0


def find_state(session: Session, vessel: Vessel) -> tuple[int, datetime | None]:
    """Find the number of a vessel's reports and when the last one was received.

    Reports are added and deleted, never changed: both together identify a state.
    """
    found = select(func.count(), func.max(NoonReport.received_at))
    number, received_at = session.execute(found.where(NoonReport.vessel_id == vessel.id)).one()
    return number, received_at


def get(session: Session, vessel: Vessel, instant: datetime | None) -> NoonReport:
    """A vessel's report of an instant; raises :class:`NotFound`."""
    row = session.get(NoonReport, (vessel.id, instant)) if instant else None
    if row is None:
        raise NotFound("There is no noon report of this vessel for this time.")
    return row


def delete(session: Session, actor: Actor, row: NoonReport) -> None:
    """Delete a report; the audit log keeps its values."""
    before = {name: getattr(row, field.column) for name, field in BY_NAME.items()}
    before = {name: value for name, value in before.items() if value is not None}
    before["timestamp"] = row.timestamp.isoformat()
    audit.record(session, actor, audit.Action.NOON_REPORTS_DELETED, row.vessel_id, before=before)
    session.delete(row)
    session.flush()


def delete_all(session: Session, actor: Actor, vessel: Vessel) -> int:
    """Delete all reports of a vessel; return their number."""
    gone = sql_delete(NoonReport).where(NoonReport.vessel_id == vessel.id)
    rows = gone.returning(NoonReport.timestamp).cte()
    deleted = session.scalar(select(func.count()).select_from(rows)) or 0
    if deleted:
        before = {"reports": deleted}
        audit.record(session, actor, audit.Action.NOON_REPORTS_DELETED, vessel.id, before=before)
    return deleted


def read_choices(asked: Mapping[str, Any]) -> tuple[dict[str, Choice], DateOrder | None]:
    """Read a user's column mapping and date order."""
    chosen = {each["column"]: Choice(each["field"], each["unit"]) for each in asked["mapping"]}
    order = asked["dateOrder"]
    return chosen, DateOrder(order) if order else None


def present_table(table: NoonTable) -> dict[str, Any]:
    """A table as JSON, without its reports."""
    return {
        "form": table.form,
        "rows": table.row_count,
        "goodRows": len(table.good),
        "dateOrder": table.order,
        "columns": [
            {
                "column": column.header,
                "field": column.field,
                "unit": column.unit or _assumed_unit(column.field),
                "isUnitAssumed": column.field in BY_NAME and column.unit is None,
                "samples": list(table.samples.get(column.header, ())),
                "fault": column.fault,
                "remark": column.remark,
            }
            for column in table.columns
        ],
        "missing": [list(choices) for choices in table.missing],
        "faultCount": len(table.faults),
        "faults": [fault._asdict() for fault in table.faults[:MOST_SHOWN]],
    }


def _assumed_unit(field: str | None) -> str | None:
    if field is None or field not in BY_NAME:
        return None
    return ASSUMED.get(field, BY_NAME[field].unit)


def present_import(imported: Imported) -> dict[str, Any]:
    """The result of an import as JSON."""
    counts = {"stored": imported.stored, "duplicates": imported.duplicates}
    return present_table(imported.table) | counts
