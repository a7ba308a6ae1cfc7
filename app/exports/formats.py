"""Formats of numbers, times and names in all exported files."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from app.engine.formatting import cut
from app.engine.plan import Waypoint
from app.engine.units import wrap_longitude
from app.records.rounding import POSITION_DECIMALS

#: Latin letters that don't decompose into a base letter and an accent.
_LATIN = str.maketrans(
    {
        "Ø": "O", "ø": "o", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Å": "A", "å": "a",
        "ß": "ss", "Ð": "D", "ð": "d", "Đ": "D", "đ": "d", "Þ": "Th", "þ": "th", "Ł": "L",
        "ł": "l", "ı": "i", "ʻ": "", "’": "", "'": "",
    }
)  # fmt: skip

#: Spreadsheets take a cell that begins with one of these for a formula (OWASP, CSV injection).
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

#: What XML 1.0 (fifth edition), production 2 ``Char``, leaves out, and lone surrogates.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_table(rows: Iterable[Iterable[Any]]) -> str:
    """Write rows as CSV by RFC 4180, lines ended by CR LF."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def guard_cell(cell: Any) -> Any:
    """A cell of a table; text that a spreadsheet would take for a formula begins with a quote."""
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULA_STARTS)
    return f"'{cell}" if is_formula else cell


def fixed(value: float | None, decimals: int) -> str:
    """A number with fixed decimals, never an exponent and never "-0"; "" for ``None``."""
    if value is None:
        return ""
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def fixed_down(value: float | None, decimals: int) -> str:
    """A margin with fixed decimals, see :func:`cut`; "" for ``None``."""
    return "" if value is None else fixed(cut(value, decimals), decimals)


def direction(value_deg: float | None, decimals: int = 1) -> str:
    """A direction below 360 also after rounding; "" for ``None``."""
    return "" if value_deg is None else fixed(round(value_deg, decimals) % 360.0, decimals)


def latitude(value_deg: float) -> str:
    """A latitude [deg]."""
    return fixed(value_deg, POSITION_DECIMALS)


def longitude(value_deg: float) -> str:
    """A longitude [deg], below 180 also after rounding."""
    wrapped = float(wrap_longitude(value_deg))
    return fixed(float(wrap_longitude(round(wrapped, POSITION_DECIMALS))), POSITION_DECIMALS)


def utc_time(time: datetime) -> str:
    """RFC 3339 in UTC to the nearest second, with ``Z``."""
    nearest = time.astimezone(UTC) + timedelta(microseconds=500_000)
    return nearest.strftime("%Y-%m-%dT%H:%M:%SZ")


def xml_text(text: str) -> str:
    """The text without the characters that XML can't hold."""
    return _NOT_XML.sub("", text)


def remark(waypoint: Waypoint) -> str:
    """The passage and the note of a waypoint in one phrase; "" if there is neither."""
    passage, note = waypoint.passage or "", waypoint.note or ""
    return note if passage in note else "; ".join(filter(None, (passage, note)))


def build_route_name(
    departure_name: str, arrival_name: str, departs_at: datetime, revision: int
) -> str:
    """The name of a route and of its files, in ASCII without blanks.

    For instance ``Rotterdam-Singapore-2026-01-14-r3``: ports, day of departure
    (UTC), revision. It needs no escaping in a header, a path or a URL.
    """
    day = departs_at.astimezone(UTC).strftime("%Y-%m-%d")
    ends = (ascii_name(name, otherwise="port") for name in (departure_name, arrival_name))
    return f"{'-'.join(ends)}-{day}-r{revision}"


def ascii_name(name: str, otherwise: str) -> str:
    """At most 40 letters and digits of a name, for a file's name; ``otherwise`` if it has none."""
    decomposed = unicodedata.normalize("NFKD", name.translate(_LATIN))
    plain = decomposed.encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "-", plain)[:40].strip("-") or otherwise
