"""Columns judged by their cells, where headers are silent or wrong about what they hold."""

from collections.abc import Container, Mapping, Sequence
from typing import Final

import numpy as np

from app.datasources.headers import find_zone
from app.datasources.noon_reports.dates import DateOrder, read_dates
from app.datasources.noon_reports.mapping import Column
from app.datasources.noon_reports.numbers import is_blank
from app.datasources.noon_reports.position_columns import (
    PositionColumns,
    PositionRefused,
    find_title,
    write_cell,
)
from app.datasources.noon_reports.sheets import Cell, Sheet
from app.datasources.noon_reports.times import DAY_S
from app.records import noon_report as record

_DIRECTIONS: Final = ("windFrom", "windFromRelative", "swellFrom", "waveFrom")
_SECTORS: Final = range(1, 9)
SIDES: Final = {"latitude": "lat", "longitude": "lng"}
#: Rows that show what the columns hold.
_SEEN: Final = 2_000


def find_blank(sheet: Sheet) -> set[int]:
    """The columns whose cells are all blank."""
    return {at for at in range(len(sheet.headers)) if all(map(is_blank, _cells(sheet, at)))}


def leave_out_sectors(
    columns: Sequence[Column], sheet: Sheet, chosen: Container[str]
) -> tuple[Column, ...]:
    """Leave out directions that are sectors, 1 to 8, as in the log abstract of DNV."""
    return tuple(
        column.leave_out("its values, 1 to 8, are sectors.")
        if column.field in _DIRECTIONS
        and column.unit is None
        and column.header not in chosen
        and _are_sectors(_cells(sheet, column.at))
        else column
        for column in columns
    )


def leave_out_second_time(
    columns: Sequence[Column], sheet: Sheet, chosen: Container[str]
) -> tuple[Column, ...]:
    """Leave out a time of day in another zone than that of dates that have their own times."""
    by_field = {column.field: column for column in columns}
    date, clock = by_field.get(record.TIME), by_field.get(record.TIME_OF_DAY)
    if date is None or clock is None or clock.header in chosen:
        return tuple(columns)
    zones = [find_zone(column.header) for column in (date, clock)]
    if None in zones or zones[0] == zones[1]:
        return tuple(columns)
    # day and month may not be known apart yet; the times are the same in either order
    found = [read_dates(_cells(sheet, date.at), order).seconds for order in DateOrder]
    if not np.nan_to_num(np.array(found) % DAY_S).any():
        return tuple(columns)
    reason = "the dates have times of their own, in another zone."
    return tuple(each.leave_out(reason) if each is clock else each for each in columns)


def _cells(sheet: Sheet, at: int) -> list[Cell]:
    return [cells[at] if at < len(cells) else None for _, cells in sheet.rows]


def _are_sectors(cells: Sequence[Cell]) -> bool:
    written = {str(cell).strip() for cell in cells if not is_blank(cell)}
    return bool(written) and written <= {str(sector) for sector in _SECTORS}


def find_parts(
    columns: Sequence[Column],
    rows: Sequence[tuple[int, Sequence[Cell]]],
    chosen: Container[str],
) -> tuple[tuple[Column, ...], PositionColumns | None]:
    """Return the columns with the parts of positions assigned, and the reader of these parts.

    Columns that a user has mapped are left as they are. There is no reader where no coordinate is
    in parts; columns that cannot be joined have a fault.
    """
    if any(column.field in SIDES and column.header in chosen for column in columns):
        return tuple(columns), None
    taken = [
        column.at
        for column in columns
        if column.header in chosen or (column.field and column.field not in SIDES)
    ]
    texts = [(number, [write_cell(cell) for cell in cells]) for number, cells in rows[:_SEEN]]
    headers = [column.header for column in columns]
    try:
        positions = PositionColumns(headers, texts, taken)
    except PositionRefused as refused:
        return _with_fault(columns, str(refused)), None
    joined = {field: positions.find(side) for field, side in SIDES.items()}
    if all(len(parts) < 2 for parts in joined.values()):
        return tuple(map(_without_lone_part, columns)), None
    return tuple(_assign(column, joined) for column in columns), positions


def _with_fault(columns: Sequence[Column], fault: str) -> tuple[Column, ...]:
    first = next(column for column in columns if column.field in SIDES or find_title(column.header))
    return tuple(column._replace(fault=fault) if column is first else column for column in columns)


def _without_lone_part(column: Column) -> Column:
    """A column of minutes or hemispheres is no coordinate by itself."""
    title = find_title(column.header) if column.field in SIDES else None
    return column.leave_out("it is a part of a coordinate.") if title and title.rank else column


def _assign(column: Column, joined: Mapping[str, Sequence[int]]) -> Column:
    field = next((field for field, parts in joined.items() if column.at in parts), None)
    if field is not None:
        return column._replace(field=field, unit=None, remark=None)
    if not joined.get(column.field or ""):
        return column
    return column.leave_out("the position is read from other columns.")
