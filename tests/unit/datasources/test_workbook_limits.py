"""Workbooks that would take too much memory or time, and damaged ones, are refused in words."""

import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime

import openpyxl
import pytest

from app.datasources.noon_reports.reading import read_noon_reports
from app.datasources.noon_reports.sheets import SheetRefused, scan_sheet
from app.datasources.route_files.reading import read_route_file
from app.datasources.route_files.records import UnreadableRoute

SHEET = "xl/worksheets/sheet1.xml"
NOW = datetime(2026, 11, 1, tzinfo=UTC)


def a_workbook(change: Callable[[str], str] = str, name: str = SHEET) -> bytes:
    """A workbook of two waypoints, the XML of its sheet or of another part changed."""
    book, plain, changed = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    for row in (["lat", "lng"], [50.0, -5.0], [51.0, -6.0]):
        book.active.append(row)
    book.save(plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(changed, "w", 8) as target:
        for part in source.infolist():
            text = source.read(part)
            if part.filename == name:
                text = change(text.decode()).encode()
            target.writestr(part.filename, text)
    return changed.getvalue()


def below(xml: str) -> Callable[[str], str]:
    """Add rows at the end of a sheet."""
    return lambda sheet: sheet.replace("</sheetData>", f"{xml}</sheetData>")


@pytest.mark.parametrize("number", ["1048576", "9999999999"])
def test_a_row_far_below_the_others_is_refused(number: str) -> None:
    with pytest.raises(UnreadableRoute, match="stands far below row 3"):
        read_route_file(a_workbook(below(f'<row r="{number}"/>')))


@pytest.mark.parametrize(
    "xml", ["<row>" + "<c/>" * 100_001 + "</row>", "<row><c>" + "<v/>" * 100_001 + "</c></row>"]
)
def test_a_row_of_too_many_cells_is_refused_before_they_are_built(xml: str) -> None:
    with pytest.raises(UnreadableRoute, match="Row 4 of the workbook has too many cells"):
        read_route_file(a_workbook(below(xml)))


def test_a_workbook_of_too_many_styles_is_refused_before_they_are_built() -> None:
    styles = a_workbook(
        lambda xml: xml.replace("</cellXfs>", "<xf/>" * 60_000 + "</cellXfs>"), "xl/styles.xml"
    )
    with pytest.raises(UnreadableRoute, match="more than 60,000 elements"):
        read_route_file(styles)


def test_a_sheet_of_too_many_blank_rows_is_refused() -> None:
    with pytest.raises(UnreadableRoute, match="more than 250,000 rows"):
        read_route_file(a_workbook(below("<row/>" * 250_000)))


def test_a_sheet_of_too_many_formulas_without_a_value_is_refused() -> None:
    rows = ("<row>" + "<c><f>1</f></c>" * 250 + "</row>") * 1_001
    with pytest.raises(UnreadableRoute, match="more than 250,000 formulas without a value"):
        read_route_file(a_workbook(below(rows)))


def test_of_a_long_formula_only_the_start_is_kept() -> None:
    """Else each piece of it would copy those before."""
    sheet = "<a><b><row><c><f>" + "1+\n" * 100_000 + "1</f></c></row></b></a>"
    assert scan_sheet(io.BytesIO(sheet.encode())) == {1: {1: "=" + ("1+\n" * 20)[:59]}}


def test_blank_rows_within_the_limits_are_passed_over() -> None:
    content = a_workbook(below('<row r="2000"><c r="A2000"><v>52</v></c><c><v>-7</v></c></row>'))
    assert len(read_route_file(content).waypoints) == 3


def test_rows_beyond_the_size_that_a_sheet_states_are_read() -> None:
    content = a_workbook(lambda sheet: sheet.replace('ref="A1:B3"', 'ref="A1"'))
    assert len(read_route_file(content).waypoints) == 2


def with_flags(content: bytes, at: int, value: int) -> bytes:
    """A workbook with a byte of the local and central headers of all its parts set."""
    changed = bytearray(content)
    for mark, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        start = -1
        while (start := content.find(mark, start + 1)) >= 0:
            changed[start + at + shift] = value
    return bytes(changed)


def deflated_wrong(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        part = archive.getinfo(SHEET)
    changed = bytearray(content)
    changed[part.header_offset + 30 + len(SHEET) + 20] ^= 0x40
    return bytes(changed)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(deflated_wrong(a_workbook()), id="damaged"),
        pytest.param(with_flags(a_workbook(), 6, 1), id="encrypted"),
        pytest.param(with_flags(a_workbook(), 8, 99), id="unknown compression"),
    ],
)
def test_a_damaged_or_encrypted_workbook_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(UnreadableRoute, match="cut off or damaged, or has a password"):
        read_route_file(content)
    with pytest.raises(SheetRefused, match="cut off or damaged"):
        read_noon_reports(content, now=NOW)
