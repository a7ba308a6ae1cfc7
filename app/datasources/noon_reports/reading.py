"""Reading of noon reports from a spreadsheet: columns, units and faults by row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import cf_units
import numpy as np

from app.datasources.headers import Zone, find_zone, name_of
from app.datasources.noon_reports import checks, mapping
from app.datasources.noon_reports.contents import (
    SIDES,
    find_blank,
    find_parts,
    leave_out_second_time,
    leave_out_sectors,
)
from app.datasources.noon_reports.dates import DateOrder, read_dates, read_time_of_day
from app.datasources.noon_reports.mapping import Choice, Column
from app.datasources.noon_reports.numbers import has_decimal_comma, is_blank, read_numbers
from app.datasources.noon_reports.position_columns import (
    PositionColumns,
    PositionRefused,
    write_cell,
)
from app.datasources.noon_reports.sheets import Cell, Formula, Sheet, read_sheet
from app.datasources.noon_reports.times import take_to_day, take_to_utc
from app.engine.arrays import Floats
from app.engine.progress import Progress, no_progress
from app.engine.units import wrap_longitude
from app.records import noon_report as record

#: Assumed units of columns without a unit, where they differ from the stored unit.
ASSUMED: Final[Mapping[str, str]] = {"windSpeed": "knot"}
_DAY_H: Final = 24.0
_SHOWN: Final = 60
_READ_AS_UTC: Final = "Times without a zone are read as UTC."
_NO_VALUE: Final = (
    "is a formula of which the file holds no value; open the workbook in a spreadsheet program and"
    " save it there"
)
_NO_SEA_STATE: Final = (
    "is no degree of the sea state; if it is a height, map the column to waveHeight"
)
#: Share of the time of reading a file that its rows take.
_ROWS_SHARE: Final = 0.8


class RowFault(NamedTuple):
    """A fault of a cell: row as the spreadsheet counts it, column, value and detail."""

    row: int
    column: str
    value: str
    detail: str


@dataclass
class NoonTable:
    """The reports of a file: n rows, arrays of shape (n,) by field, and what is wrong with them.

    ``seconds`` since 1970 UTC; ``missing`` are the choices of fields of which a column is needed;
    ``order`` is that of day and month, where dates are written in numbers.
    """

    columns: tuple[Column, ...]
    form: str
    rows: list[int] = field(default_factory=list)
    seconds: Floats = field(default_factory=lambda: np.empty(0))
    values: dict[str, Floats] = field(default_factory=dict)
    report_types: list[str] = field(default_factory=list)
    remarks: list[str | None] = field(default_factory=list)
    faults: list[RowFault] = field(default_factory=list)
    missing: list[tuple[str, ...]] = field(default_factory=list)
    order: DateOrder | None = None
    samples: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def row_count(self) -> int:
        """The number of rows sent; records that cannot be read have faults only."""
        return len({*self.rows, *(fault.row for fault in self.faults)})

    @property
    def good(self) -> list[int]:
        """The indices of rows without a fault."""
        bad = {fault.row for fault in self.faults}
        return [index for index, row in enumerate(self.rows) if row not in bad]

    def row_values(self, index: int) -> tuple[Any, ...]:
        """A report in the order of :data:`app.records.noon_report.COLUMNS`."""
        numbers = (self._number(each.name, index) for each in record.FIELDS)
        instant = datetime.fromtimestamp(self.seconds[index], UTC)
        return (instant, *numbers, self.report_types[index], self.remarks[index])

    def sum_grades(self) -> None:
        """Make fuel the sum of its grades where only they are given."""
        grades = [self.values[name] for name in record.GRADES if name in self.values]
        if not grades:
            return
        total = np.where(np.isfinite(grades).any(axis=0), np.nansum(grades, axis=0), np.nan)
        fuel = self.values.get("fuel", np.full(total.size, np.nan))
        self.values["fuel"] = np.where(np.isfinite(fuel), fuel, total)

    def _number(self, name: str, index: int) -> float | None:
        column = self.values.get(name)
        value = float("nan") if column is None else float(column[index])
        return None if value != value else value


def read_noon_reports(
    content: bytes,
    chosen: Mapping[str, Choice] | None = None,
    order: DateOrder | None = None,
    *,
    now: datetime,
    service_speed_kn: float | None = None,
    on_progress: Progress = no_progress,
) -> NoonTable:
    """Read the reports of a CSV file or XLSX workbook; faults are named, not raised.

    Raises :class:`~app.datasources.noon_reports.sheets.SheetRefused` for what is no table.
    """
    chosen = chosen or {}
    sheet = read_sheet(
        content, chosen, lambda share: on_progress(_ROWS_SHARE * share, "Reading rows")
    )
    columns = mapping.match_columns(sheet.headers, chosen, find_blank(sheet))
    columns = leave_out_sectors(columns, sheet, chosen)
    columns = leave_out_second_time(columns, sheet, chosen)
    columns, parts = find_parts(columns, sheet.rows, chosen)
    table = NoonTable(columns, sheet.form, missing=mapping.find_missing(columns))
    table.samples = {column.header: _sample(sheet, column.at) for column in columns}
    table.missing += _missing_offset(columns)
    if table.missing or any(column.fault for column in columns):
        return table
    on_progress(_ROWS_SHARE, "Checking reports")
    reading = _Reading(sheet, table, order, parts)
    reading.read(now, service_speed_kn)
    sea = reading.headers.get("seaState", "")
    if name_of(sea) == "sea" and sea not in chosen:
        reading.refuse_fractions_of_sea_state()
    return table


def _sample(sheet: Sheet, at: int) -> tuple[str, ...]:
    cells = (row[at] for _, row in sheet.rows[:20] if at < len(row))
    return tuple(_show(cell) for cell in cells if cell not in (None, ""))[:3]


def _show(cell: Cell) -> str:
    return "" if cell is None else str(cell).strip()[:_SHOWN]


def _missing_offset(columns: Sequence[Column]) -> list[tuple[str, ...]]:
    """A column of local time needs one of its offset."""
    local = any(
        column.field in (record.TIME, record.TIME_OF_DAY) and find_zone(column.header) == Zone(None)
        for column in columns
    )
    has_offset = any(column.field == "utcOffset" for column in columns)
    return [("utcOffset",)] if local and not has_offset else []


class _Reading:
    """The rows of one sheet, being read into a table."""

    def __init__(
        self,
        sheet: Sheet,
        table: NoonTable,
        order: DateOrder | None,
        parts: PositionColumns | None = None,
    ) -> None:
        self.sheet, self.table, self.order, self.parts = sheet, table, order, parts
        table.rows = [number for number, _ in sheet.rows]
        by_field: dict[str, Column] = {}
        for column in table.columns:
            if column.field is not None:
                by_field.setdefault(column.field, column)
        self.by_field = by_field
        self.headers = {name: column.header for name, column in by_field.items()}
        self.formulas: set[tuple[int, str]] = set()

    def read(self, now: datetime, service_speed_kn: float | None) -> None:
        table = self.table
        self._refuse_cut_rows()
        self._refuse_formulas()
        comma = self._has_decimal_comma()
        for number in record.FIELDS:
            if number.name in self.by_field:
                table.values[number.name] = self._read_field(number, comma)
        self._convert_rates()
        self._read_words()
        self._read_times(now)
        table.sum_grades()
        if "longitude" in table.values:
            lngs = table.values["longitude"]
            # wrapping rounds, and -5.2 would be stored as -5.199999999999989
            table.values["longitude"] = np.where(lngs < 180.0, lngs, wrap_longitude(lngs))
        self._check(service_speed_kn)
        table.faults.sort()

    def _has_decimal_comma(self) -> bool:
        """Times such as 12.00 and remarks say nothing about decimals."""
        others = {self.by_field[name].at for name in record.TEXT_HEADERS if name in self.by_field}
        return has_decimal_comma(
            cell
            for _, row in self.sheet.rows[:2000]
            for at, cell in enumerate(row)
            if at not in others
        )

    def refuse_fractions_of_sea_state(self) -> None:
        """Name sea states that are no whole degrees: probably heights."""
        states = self.table.values["seaState"]
        for index in np.flatnonzero(np.isfinite(states) & (states != np.round(states))):
            self._fault(int(index), "seaState", _NO_SEA_STATE)
        self.table.faults.sort()

    def _cells(self, name: str) -> list[Cell]:
        at = self.by_field[name].at
        return [row[at] if at < len(row) else None for _, row in self.sheet.rows]

    def _fault(self, index: int, name: str, detail: str) -> None:
        """Name a fault of a field at its column, or at the field where it has none."""
        if (index, name) in self.formulas:
            return
        column = self.by_field.get(name)
        row, cells = self.sheet.rows[index]
        value = _show(cells[column.at]) if column and column.at < len(cells) else ""
        header = column.header if column else name
        self.table.faults.append(RowFault(row, header, value, detail))

    def _refuse_formulas(self) -> None:
        """Name formulas without a value, in words and parts of positions too."""
        for column in self.table.columns:
            if column.field is None:
                continue
            for index, (row, cells) in enumerate(self.sheet.rows):
                cell = cells[column.at] if column.at < len(cells) else None
                if isinstance(cell, Formula):
                    self.formulas.add((index, column.field))
                    fault = RowFault(row, column.header, _show(cell), _NO_VALUE)
                    self.table.faults.append(fault)

    def _refuse_cut_rows(self) -> None:
        """Name rows of CSV with fewer or more cells than the header: a file that is cut off."""
        if not self.table.form.startswith("CSV"):
            return
        wanted = len(self.sheet.headers)
        last = len(self.sheet.rows) - 1
        for index, (row, cells) in enumerate(self.sheet.rows):
            if len(cells) < wanted:
                end = "; the file ends within it" if index == last else ""
                detail = f"The row has {len(cells)} of {wanted} cells{end}"
                self.table.faults.append(RowFault(row, "", _show(cells[-1]), detail))
            elif any(_show(cell) for cell in cells[wanted:]):
                detail = (
                    f"The row has {len(cells)} cells, the header {wanted}; quote commas in text"
                )
                self.table.faults.append(RowFault(row, "", _show(cells[-1]), detail))

    def _read_field(self, number: record.NoonField, comma: bool) -> Floats:
        side = SIDES.get(number.name)
        if self.parts is None or side is None or not self.parts.find(side):
            return self._read_number(number, comma)
        values = np.full(len(self.sheet.rows), np.nan)
        for index, (_, cells) in enumerate(self.sheet.rows):
            try:
                value = self.parts.read(side, [write_cell(cell) for cell in cells])
                values[index] = np.nan if value is None else value
            except PositionRefused as refused:
                self._fault(index, number.name, str(refused))
        self._refuse_beyond(number, values)
        return values

    def _read_number(self, number: record.NoonField, comma: bool) -> Floats:
        """Values in the unit that is stored; those of rates are still by day."""
        values, faults = read_numbers(number.name, self._cells(number.name), decimal_comma=comma)
        for index, detail in faults.items():
            wanted_unit = f" of {number.symbol}" if number.symbol else ""
            self._fault(index, number.name, f"{detail}; a number{wanted_unit} is wanted")
        unit = self.by_field[number.name].unit or ASSUMED.get(number.name)
        if unit is not None and unit != number.unit:
            given = cf_units.Unit(unit)
            wanted = number.unit if given.is_convertible(number.unit) else "t day-1"
            values = np.asarray(given.convert(values, wanted), dtype=np.float64)
        self._refuse_beyond(number, values)
        return values

    def _refuse_beyond(self, number: record.NoonField, values: Floats) -> None:
        for index in np.flatnonzero((values < number.least) | (values > number.greatest)):
            self._fault(int(index), number.name, _describe_beyond(number, values[index]))
            values[index] = np.nan

    def _convert_rates(self) -> None:
        """Fuel a day becomes fuel of the hours that a report covers: a day where it is silent."""
        hours = self.table.values.get("steamingHours")
        for name, column in self.by_field.items():
            if column.unit is None or name not in record.BY_NAME:
                continue
            if record.BY_NAME[name].unit == "t" and "-1" in column.unit:
                values = self.table.values[name]
                covered = np.full(values.size, _DAY_H) if hours is None else hours
                self.table.values[name] = (
                    values * np.where(np.isnan(covered), _DAY_H, covered) / _DAY_H
                )

    def _read_words(self) -> None:
        table, size = self.table, len(self.table.rows)
        types: list[Cell] = self._cells("reportType") if "reportType" in self.by_field else []
        table.report_types = [record.find_report_type(_show(cell)) for cell in types] or [
            "NOON"
        ] * size
        words: list[Cell] = self._cells("remarks") if "remarks" in self.by_field else [None] * size
        table.remarks = [_clean(cell) for cell in words]

    def _read_times(self, now: datetime) -> None:
        has_clock = record.TIME_OF_DAY in self.by_field
        found = read_dates(self._cells(record.TIME), self.order, days_only=has_clock)
        self.table.order = found.order
        for index, detail in found.faults.items():
            self._fault(index, record.TIME, detail)
        seconds, is_ships = found.seconds, found.is_ships
        if has_clock:
            seconds, is_ships = self._add_time_of_day(seconds, is_ships)
        self.table.seconds = np.round(self._take_to_utc(seconds, is_ships, found.seconds))
        for known in np.flatnonzero(np.isfinite(self.table.seconds)).tolist():
            instant = datetime.fromtimestamp(self.table.seconds[known], UTC)
            fault = record.find_time_fault(instant, now)
            if fault:
                self._fault(known, record.TIME, fault)

    def _take_to_utc(
        self, seconds: Floats, is_ships: Sequence[bool | None], days: Floats
    ) -> Floats:
        """Return times in UTC; those of ship's time without an offset are faults."""
        offsets_h = self.table.values.get("utcOffset")
        date_zone = find_zone(self.headers[record.TIME])
        zone = find_zone(self.headers.get(record.TIME_OF_DAY, "")) or date_zone
        utc, unknown = take_to_utc(seconds, is_ships, zone, offsets_h)
        for index in unknown:
            self._refuse_blank_offset(index)
        unsaid = np.array([own is None for own in is_ships]) & np.isfinite(utc)
        if zone is None and offsets_h is None and unsaid.any():
            self._remark(record.TIME, _READ_AS_UTC)
        if date_zone is None or date_zone == zone:
            return utc
        return take_to_day(utc, days, date_zone, offsets_h)

    def _refuse_blank_offset(self, index: int) -> None:
        """Name an offset that is needed and missing; one that is wrong has its fault."""
        is_given = "utcOffset" in self.by_field and not is_blank(self._cells("utcOffset")[index])
        if not is_given:
            self._fault(index, "utcOffset", "is blank: ship's time needs its offset, such as +8")

    def _remark(self, name: str, remark: str) -> None:
        """Add a remark to the column of a field."""
        its = self.by_field[name]
        self.table.columns = tuple(
            column._replace(remark=remark) if column is its else column
            for column in self.table.columns
        )

    def _add_time_of_day(
        self, days: Floats, is_ships: Sequence[bool | None]
    ) -> tuple[Floats, list[bool | None]]:
        seconds, whose = days.copy(), list(is_ships)
        for index, cell in enumerate(self._cells(record.TIME_OF_DAY)):
            time = read_time_of_day(cell)
            if time is None:
                self._fault(index, record.TIME_OF_DAY, "is not a time of day, such as 12:00")
            else:
                seconds[index] += time.seconds
                whose[index] = time.is_ships if time.is_ships is not None else whose[index]
        return seconds, whose

    def _check(self, service_speed_kn: float | None) -> None:
        table = self.table
        known = {(fault.row, fault.column) for fault in table.faults}
        for finding in checks.find_faults(
            table.seconds, table.values, table.report_types, table.rows, service_speed_kn
        ):
            header = self.headers.get(finding.field, finding.field)
            if (table.rows[finding.at], header) not in known:
                self._fault(finding.at, finding.field, finding.detail)


def _describe_beyond(number: record.NoonField, value: float) -> str:
    limits = f"{number.least:g} to {number.greatest:g} {number.symbol}".strip().replace(" °", "°")
    if value < number.least == 0:
        return f"is negative; allowed: {limits}"
    beyond = f"is out of range; allowed: {limits}"
    return f"{beyond}. If these are kilograms, give the unit kg" if number.unit == "t" else beyond


def _clean(cell: Cell) -> str | None:
    """Remarks without control characters, as long as they are kept."""
    text = "".join(sign for sign in str(cell or "") if sign.isprintable() or sign in "\n\t")
    return text.strip()[: record.LONGEST_REMARKS] or None
