"""Columns whose cells show that they do not hold what their header names."""

from collections.abc import Container, Sequence
from typing import Final

from app.datasources.noon_reports.mapping import Column
from app.datasources.noon_reports.numbers import is_blank
from app.datasources.noon_reports.sheets import Cell, Sheet

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


def _cells(sheet: Sheet, at: int) -> list[Cell]:
    return [cells[at] if at < len(cells) else None for _, cells in sheet.rows]


def _are_sectors(cells: Sequence[Cell]) -> bool:
    written = {str(cell).strip() for cell in cells if not is_blank(cell)}
    return bool(written) and written <= {str(sector) for sector in _SECTORS}
