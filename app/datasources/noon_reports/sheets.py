"""Rows of a CSV file or an XLSX workbook; formulas and macros in them are never run."""

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from itertools import chain, islice
from typing import IO, Any, Final, NamedTuple, TypeAlias, TypeVar
from xml.parsers import expat

import openpyxl
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.utils.exceptions import InvalidFileException

from app.datasources.headers import find_unit
from app.datasources.noon_reports.mapping import count_known
from app.datasources.text_files import decode_text

_NO_HEADER: Final = (
    "No row of headers is found. One of the first rows must name the columns, such as"
    " Date (UTC), Latitude, Longitude, Speed (kn), Steaming hours, ME fuel (mt). Rename columns in"
    " another language, or name them in the mapping of an API request."
)
#: Receives the share of rows that are read.
Share: TypeAlias = Callable[[float], None]
Row = TypeVar("Row")

Cell = str | float | int | bool | datetime | date | time | timedelta | None


class Formula(str):
    """The start of a formula, such as ``=B2*24``, of which the workbook holds no value."""

    __slots__ = ()


#: Most rows of one file, and most cells of one row: cells further right are not read.
MOST_ROWS: Final = 60_000
MOST_COLUMNS: Final = 300
#: How far down a header is looked for.
_HEADER_ROWS: Final = 25
_DELIMITERS: Final = ",;\t|"
#: Errors of an archive that is damaged or encrypted, and of parts that are not as they should be.
_DAMAGED: Final = (zipfile.BadZipFile, EOFError, zlib.error, RuntimeError)
_NOT_READ: Final = (
    *(InvalidFileException, expat.ExpatError, KeyError, ValueError, TypeError, SyntaxError),
    OverflowError,
)
#: Rows between two words of how far it is.
_ROWS_A_TIME: Final = 1_000
#: A workbook of 60,000 rows unpacks to some 100 MB; one that claims more is not opened [bytes].
MOST_UNPACKED: Final = 300 * 1024 * 1024
MOST_PARTS: Final = 2_000
#: Most rows between two that a sheet has: each costs as much as a row with cells.
MOST_BLANK_ROWS: Final = 60_000
#: Most XML elements in one row, whose cells are built together: 16,384 cells have up to six each.
MOST_IN_A_ROW: Final = 100_000
#: Most XML elements of a sheet besides the contents of rows, and most formulas without a value;
#: they are held to its end.
MOST_HELD: Final = 250_000
#: Fewest bytes unpacked by XML element of the other parts, such as a shared string.
_BYTES_BY_ELEMENT: Final = 100
#: Parts that are not built, or whose rows :func:`scan_sheet` counts.
_OTHERS: Final = ("xl/worksheets/", "xl/pivotCache/", "xl/calcChain.xml", "xl/media/")
_ROW_DEPTH: Final = 3
#: Characters of a formula that are kept.
_LONGEST_FORMULA: Final = 60
_CHUNK: Final = 1024 * 1024


class SheetRefused(ValueError):
    """The file has no readable table; the message gives the reason."""


class HeaderMissing(SheetRefused):
    """The table has no row of headers."""

    def __init__(self) -> None:
        super().__init__(_NO_HEADER)


class Sheet(NamedTuple):
    """A table: its headers, and each row that is not blank with its number in the file.

    ``form`` says how it was read, for people.
    """

    headers: tuple[str, ...]
    rows: list[tuple[int, tuple[Cell, ...]]]
    form: str


def read_sheet(
    content: bytes,
    chosen: Container[str] = (),
    on_share: Share = lambda share: None,
    most_unpacked: int = MOST_UNPACKED,
) -> Sheet:
    """Read the table of a CSV file or an XLSX workbook of up to ``most_unpacked`` bytes unpacked.

    Its row of headers is that with the most headers that are known or ``chosen``. Raise
    :class:`SheetRefused` if the file is neither, is cut off or too large, or has no row of headers.
    """
    if not content.strip(b"\0 \r\n\t"):
        raise SheetRefused("The file is empty.")
    if content.startswith(b"PK\x03\x04"):
        return _read_workbook(content, chosen, on_share, most_unpacked)
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise SheetRefused("This is an XLS workbook or has a password; save it as XLSX or CSV.")
    return _read_csv(content, chosen, on_share)


def _read_workbook(
    content: bytes, chosen: Container[str], on_share: Share, most_unpacked: int
) -> Sheet:
    try:
        refuse_large_archive(content, most_unpacked)
        book = openpyxl.load_workbook(  # type: ignore[no-untyped-call]
            io.BytesIO(content), read_only=True, data_only=True, keep_links=False
        )
        found = [
            (name, _find_table(_list_sheet_rows(book[name], on_share), chosen))
            for name in book.sheetnames
            if book[name].sheet_state == "visible" and hasattr(book[name], "iter_rows")
        ]
    except SheetRefused:
        raise
    except _DAMAGED as fault:
        raise SheetRefused(
            "The workbook is cut off or damaged, or has a password: save it again as XLSX, and"
            " upload the whole file."
        ) from fault
    except _NOT_READ as fault:
        raise SheetRefused(f"The workbook cannot be read: {str(fault)[:200]}") from fault
    name, table = max(found, key=lambda each: each[1].known, default=("", _Table(0, (), [])))
    if not table.known:
        raise HeaderMissing
    named = max(index for index, header in enumerate(table.headers, 1) if header)
    # openpyxl fills rows up to MOST_COLUMNS
    rows = [(number, cells[: max(named, _count_filled(cells))]) for number, cells in table.rows]
    return Sheet(table.headers[:named], rows, f"XLSX, sheet “{name}”")


def _count_filled(cells: tuple[Cell, ...]) -> int:
    """Count the cells of a row up to the last that is not blank."""
    return max((at for at, cell in enumerate(cells, 1) if cell not in (None, "")), default=0)


def _list_sheet_rows(sheet: Any, on_share: Share) -> Iterator[tuple[int, Iterable[Cell]]]:
    with sheet._get_source() as file:
        formulas = scan_sheet(file)
    expected_rows = sheet.max_row or MOST_ROWS
    # openpyxl reads no row beyond the size that a sheet states, which some programs write wrong
    sheet.reset_dimensions()
    numbered = enumerate(sheet.iter_rows(max_col=MOST_COLUMNS, values_only=True), 1)
    rows = ((number, _with_formulas(cells, formulas.get(number))) for number, cells in numbered)
    return _show_progress(rows, expected_rows, on_share)


def _with_formulas(
    cells: tuple[Cell, ...], formulas: Mapping[int, Formula] | None
) -> Iterable[Cell]:
    """Put in the formulas whose values the file does not hold, by column from 1."""
    if formulas is None:
        return cells
    return [formulas.get(at, cell) for at, cell in enumerate(cells, 1)]


def _show_progress(rows: Iterable[Row], total: int, on_share: Share) -> Iterator[Row]:
    """Yield rows, and report progress from time to time."""
    for count, row in enumerate(rows):
        if count % _ROWS_A_TIME == 0:
            on_share(min(count / max(total, 1), 1.0))
        yield row


class _Table(NamedTuple):
    known: int
    headers: tuple[str, ...]
    rows: list[tuple[int, tuple[Cell, ...]]]


def _find_table(numbered: Iterable[tuple[int, Iterable[Cell]]], chosen: Container[str]) -> _Table:
    """The rows below that of the first ones which names the most columns."""
    lines = ((number, tuple(islice(cells, MOST_COLUMNS))) for number, cells in numbered)
    top = list(islice(lines, _HEADER_ROWS))
    if not top:
        return _Table(0, (), [])
    knowns = [_count_headers(cells, chosen) for _, cells in top]
    at = max(range(len(top)), key=lambda index: knowns[index])
    if knowns[at] < 2:
        return _Table(0, (), [])
    headers = [_as_text(cell) for cell in top[at][1]]
    below = top[at + 1 :]
    if below and _are_units(below[0][1]):
        headers = _with_units(headers, below.pop(0)[1])
    rows = list(_list_rows(chain(below, lines)))
    return _Table(knowns[at], tuple(headers), rows)


def _count_headers(cells: Iterable[Cell], chosen: Container[str]) -> int:
    return count_known([_as_text(cell) for cell in cells], chosen)


def _list_rows(
    numbered: Iterator[tuple[int, tuple[Cell, ...]]],
) -> Iterator[tuple[int, tuple[Cell, ...]]]:
    count = 0
    for number, cells in numbered:
        if all(cell is None or cell == "" for cell in cells):
            continue
        count += 1
        if count > MOST_ROWS:
            raise SheetRefused(f"The file has more than {MOST_ROWS:,} rows; split it.")
        yield number, cells


def _are_units(cells: tuple[Cell, ...]) -> bool:
    """Return whether a row below the header holds nothing but units."""
    texts = [_as_text(cell) for cell in cells if cell not in (None, "")]
    units = [text for text in texts if find_unit(f"[{text}]") is not None]
    return len(units) >= 2 and not any(re.search(r"\d{2}", text) for text in texts)


def _with_units(headers: list[str], units: tuple[Cell, ...]) -> list[str]:
    padded = [_as_text(cell).strip("[]() ") for cell in units] + [""] * len(headers)
    return [
        f"{header} [{unit}]" if unit else header
        for header, unit in zip(headers, padded, strict=False)
    ]


def _as_text(cell: Cell) -> str:
    return "" if cell is None else " ".join(str(cell).split())


def _read_csv(content: bytes, chosen: Container[str], on_share: Share) -> Sheet:
    text, encoding = decode_text(content)
    if text.count("\0"):
        raise SheetRefused("The file is neither CSV text nor an XLSX workbook.")
    tables = [(_try_delimiter(text, sign, chosen), sign) for sign in _DELIMITERS]
    known, sign = max(tables)
    if not known:
        raise HeaderMissing
    try:
        table = _find_table(
            _show_progress(
                _number_lines(csv.reader(io.StringIO(text, newline=""), delimiter=sign)),
                text.count("\n"),
                on_share,
            ),
            chosen,
        )
    except csv.Error as fault:
        raise SheetRefused(f"The file is not CSV: {fault}") from fault
    shown = {"\t": "tabs", ",": "commas", ";": "semicolons"}.get(sign, sign)
    return Sheet(table.headers, table.rows, f"CSV, {encoding}, columns separated by {shown}")


def _number_lines(reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    for cells in reader:
        yield reader.line_num, cells  # type: ignore[attr-defined]


def _try_delimiter(text: str, sign: str, chosen: Container[str]) -> int:
    """Count the known and chosen headers if cells are separated by this delimiter."""
    lines = text.split("\n", _HEADER_ROWS)[:_HEADER_ROWS]
    most = 0
    with suppress(csv.Error):
        for row in csv.reader(lines, delimiter=sign):
            most = max(most, _count_headers(row[:MOST_COLUMNS], chosen))
    return most


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


def scan_sheet(file: IO[bytes]) -> dict[int, dict[int, Formula]]:
    """Refuse a sheet (ECMA-376-1, 18.3.1.99) with wide rows, far rows or too many of them.

    Return the formulas of which it holds no value by row and column, both from 1: a program that
    writes workbooks need not calculate.
    """
    parser = expat.ParserCreate()
    size = _SheetSize()
    parser.StartElementHandler, parser.EndElementHandler = size.start, size.end
    parser.CharacterDataHandler = size.formulas.add_text
    # else each line of a text is a call
    parser.buffer_text = True
    while chunk := file.read(_CHUNK):
        parser.Parse(chunk)
    parser.Parse(b"", True)
    return size.formulas.without_value


class _SheetSize:
    """Elements that are held while a sheet is parsed; the contents of a row until its end."""

    def __init__(self) -> None:
        self.depth = self.row = self.held = self.in_row = 0
        self.formulas = _Formulas()

    def start(self, name: str, attributes: Mapping[str, Any]) -> None:
        self.depth += 1
        if self.depth > _ROW_DEPTH:
            self.in_row += 1
            if self.in_row > MOST_IN_A_ROW:
                raise SheetRefused(f"Row {self.row} of the workbook has too many cells.")
            self.formulas.start(_local(name), attributes)
            return
        self.held += 1
        if self.held > MOST_HELD:
            raise SheetRefused(
                f"A sheet of the workbook has more than {MOST_HELD:,} rows, blank ones included;"
                " delete the rows below the table."
            )
        if _local(name) == "row":
            self._enter_row(attributes.get("r"))

    def end(self, name: str) -> None:
        if self.depth > _ROW_DEPTH:
            self.formulas.end(_local(name), self.row)
        elif self.depth == _ROW_DEPTH and _local(name) == "row":
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
        self.formulas.start_row()


class _Formulas:
    """Formulas of cells (ECMA-376-1, 18.3.1.4 and 18.3.1.40) for which a sheet holds no value."""

    def __init__(self) -> None:
        self.without_value: dict[int, dict[int, Formula]] = {}
        self.count = 0
        self.inside = self.formula = ""
        self.has_value = False
        self.start_row()

    def start_row(self) -> None:
        """Begin at the first column; a cell may name its own, or be the one after the last."""
        self.named, self.after = "", 0

    def start(self, name: str, attributes: Mapping[str, Any]) -> None:
        if name == "c":
            place = attributes.get("r")
            self.named, self.after = (place, 0) if place else (self.named, self.after + 1)
            self.formula = ""
            # an empty text is a value
            self.has_value = attributes.get("t") == "str"
        elif name == "f":
            self.formula = "="
        self.inside = name

    def add_text(self, text: str) -> None:
        if self.inside == "f":
            self.formula = (self.formula + text)[:_LONGEST_FORMULA]
        elif self.inside == "v":
            self.has_value = True

    def end(self, name: str, row: int) -> None:
        self.inside = ""
        if name == "c" and self.formula and not self.has_value:
            self._keep(row)

    def _keep(self, row: int) -> None:
        self.count += 1
        if self.count > MOST_HELD:
            raise SheetRefused(
                f"A sheet of the workbook has more than {MOST_HELD:,} formulas without a value;"
                " open the workbook in a spreadsheet program and save it there."
            )
        column = self.after
        if self.named:
            column += coordinate_to_tuple(self.named)[1]  # type: ignore[no-untyped-call]
        self.without_value.setdefault(row, {})[column] = Formula(self.formula)


def _local(name: str) -> str:
    """Return an element's name without its prefix."""
    return name.rpartition(":")[2]
