"""Limits of workbooks, checked before a library builds their cells."""

import io
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any, Final
from xml.parsers import expat

from app.datasources.noon_reports.refusals import SheetRefused

#: A workbook of 60,000 rows unpacks to some 100 MB; one that claims more is not opened [bytes].
MOST_UNPACKED: Final = 300 * 1024 * 1024
MOST_PARTS: Final = 2_000
#: Most rows between two that a sheet has: each costs as much as a row with cells.
MOST_BLANK_ROWS: Final = 60_000
#: Most XML elements in one row, whose cells are built together: 16,384 cells have up to six each.
MOST_IN_A_ROW: Final = 100_000
#: Most XML elements of a sheet besides the contents of rows; they are held to its end.
MOST_HELD: Final = 250_000
#: Fewest bytes unpacked by XML element of the other parts, such as a shared string.
_BYTES_BY_ELEMENT: Final = 100
#: Parts that are not built, or whose rows :func:`refuse_large_sheet` counts.
_OTHERS: Final = ("xl/worksheets/", "xl/pivotCache/", "xl/calcChain.xml", "xl/media/")
_ROW_DEPTH: Final = 3
_CHUNK: Final = 1024 * 1024


def refuse_large_archive(content: bytes, most_unpacked: int) -> None:
    """Refuse a workbook that unpacks to too much or declares entities (ECMA-376-2, 9.1)."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = archive.infolist()
        unpacked = sum(part.file_size for part in parts)
        if len(parts) > MOST_PARTS or unpacked > most_unpacked:
            raise SheetRefused(
                f"The workbook unpacks to {unpacked / 1e6:.0f} MB in {len(parts)} parts;"
                f" at most {most_unpacked / 1e6:.0f} MB are read."
            )
        for part in parts:
            if part.filename.endswith((".xml", ".rels")):
                with archive.open(part) as file:
                    if b"<!DOCTYPE" in file.read(4096).upper():
                        raise SheetRefused("The workbook declares entities; it is not opened.")
            if not part.filename.startswith(_OTHERS):
                most = most_unpacked // _BYTES_BY_ELEMENT
                is_text = part.filename == "xl/sharedStrings.xml"
                with archive.open(part) as file:
                    _refuse_many_elements(file, most if is_text else min(most, MOST_HELD))


def _refuse_many_elements(file: IO[bytes], most: int) -> None:
    """Refuse a part of more elements: its strings or styles would be built together."""
    count = 0

    def start(name: str, attributes: Mapping[str, Any]) -> None:
        nonlocal count
        count += 1
        if count > most:
            raise SheetRefused(f"A part of the workbook has more than {most:,} elements.")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    with suppress(expat.ExpatError):  # an image, or an error that its reader reports
        while chunk := file.read(_CHUNK):
            parser.Parse(chunk)


def refuse_large_sheet(file: IO[bytes]) -> None:
    """Refuse a sheet (ECMA-376-1, 18.3.1.99) with wide rows, far rows or too many of them."""
    parser = expat.ParserCreate()
    size = _SheetSize()
    parser.StartElementHandler, parser.EndElementHandler = size.start, size.end
    while chunk := file.read(_CHUNK):
        parser.Parse(chunk)
    parser.Parse(b"", True)


class _SheetSize:
    """Elements that are held while a sheet is parsed; the contents of a row until its end."""

    def __init__(self) -> None:
        self.depth = self.row = self.held = self.in_row = 0

    def start(self, name: str, attributes: Mapping[str, Any]) -> None:
        self.depth += 1
        if self.depth > _ROW_DEPTH:
            self.in_row += 1
            if self.in_row > MOST_IN_A_ROW:
                raise SheetRefused(f"Row {self.row} of the workbook has too many cells.")
            return
        self.held += 1
        if self.held > MOST_HELD:
            raise SheetRefused(
                f"A sheet of the workbook has more than {MOST_HELD:,} rows, blank ones included;"
                " delete the rows below the table."
            )
        if _is_row(name):
            self._enter_row(attributes.get("r"))

    def end(self, name: str) -> None:
        if self.depth == _ROW_DEPTH and _is_row(name):
            self.in_row = 0
        self.depth -= 1

    def _enter_row(self, number: str | None) -> None:
        row = self.row + 1 if number is None else int(float(number))
        if row - self.row > MOST_BLANK_ROWS:
            raise SheetRefused(
                f"Row {row:,} of the workbook stands far below row {self.row:,}, the one before;"
                " delete what is below the table."
            )
        self.row = row


def _is_row(name: str) -> bool:
    return name.rpartition(":")[2] == "row"
