"""Columns whose cells show that they do not hold what their header names."""

from collections.abc import Container, Sequence
from typing import Final

import numpy as np

from app.datasources.headers import find_zone
from app.datasources.noon_reports.dates import read_dates
from app.datasources.noon_reports.mapping import Column
from app.datasources.noon_reports.numbers import is_blank
from app.datasources.noon_reports.sheets import Cell, Sheet
from app.datasources.noon_reports.times import DAY_S
from app.records import noon_report as record

_DIRECTIONS: Final = ("windFrom", "windFromRelative", "swellFrom", "waveFrom")
_SECTORS: Final = range(1, 9)


def find_blank(sheet: Sheet) -> set[int]:
    """The columns whose cells are all blank."""
    return {at for at in range(len(sheet.headers)) if all(map(is_blank, _cells(sheet, at)))}


def leave_out_sectors(
    columns: Sequence[Column], sheet: Sheet, chosen: Container[str]
) -> tuple[Column, ...]:
    """Leave out directions that are sectors, 1 to 8, as in the log abstract of DNV."""
    return tuple(
        column._replace(field=None)
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
    seconds = read_dates(_cells(sheet, date.at)).seconds
    has_times = bool(np.nan_to_num(seconds % DAY_S).any())
    if None in zones or zones[0] == zones[1] or not has_times:
        return tuple(columns)
    return tuple(each._replace(field=None) if each is clock else each for each in columns)


def _cells(sheet: Sheet, at: int) -> list[Cell]:
    return [cells[at] if at < len(cells) else None for _, cells in sheet.rows]


def _are_sectors(cells: Sequence[Cell]) -> bool:
    written = {str(cell).strip() for cell in cells if not is_blank(cell)}
    return bool(written) and written <= {str(sector) for sector in _SECTORS}
