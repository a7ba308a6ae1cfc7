"""Positions of noon reports whose degrees, minutes and hemispheres have columns of their own."""

from collections.abc import Container, Mapping, Sequence
from typing import Final

from app.datasources.noon_reports.mapping import Column
from app.datasources.noon_reports.position_columns import (
    PositionColumns,
    PositionRefused,
    find_title,
    write_cell,
)
from app.datasources.noon_reports.sheets import Cell

SIDES: Final = {"latitude": "lat", "longitude": "lng"}
#: Rows that show what the columns hold.
_SEEN: Final = 2_000


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
    return column._replace(field=None) if title and title.rank else column


def _assign(column: Column, joined: Mapping[str, Sequence[int]]) -> Column:
    field = next((field for field, parts in joined.items() if column.at in parts), None)
    if field is not None:
        return column._replace(field=field, unit=None)
    return column._replace(field=None) if joined.get(column.field or "") else column
