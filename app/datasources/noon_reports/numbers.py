"""Parsing of numbers in the formats of spreadsheets and ships' officers."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import time as clock
from datetime import timedelta
from typing import Final

import numpy as np

from app.datasources.noon_reports.sheets import Cell
from app.engine.arrays import Floats

_BLANK: Final = frozenset({"", "-", "--", "n/a", "na", "nan", "null", "none", "nil"})
#: A number with one comma or point, alone or at the end of degrees and minutes.
_ONE_MARK: Final = re.compile(
    r"[NSEW]?\s*-?(?:\d{1,3}[-°ºd'’′\s]+)*\d+([.,])\d+[°º'’′\"”″\s]*[NSEW]?", re.IGNORECASE
)
#: 1.852 and 12.500, but not 0.926: a mark before three digits may be one for thousands.
_THOUSANDS: Final = re.compile(r"-?[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*")
#: No number is longer; patterns are tried on nothing that is.
_LONGEST: Final = 40
#: 51-30.5N, 51° 30.5' N, 51°30'15"N, 51.5 N
_ANGLE: Final = re.compile(
    r"(\d{1,3}(?:\.\d+)?)[-°ºd\s]*"
    r"(?:(?<=[-°ºd\s])([0-5]?\d(?:\.\d+)?)['’′m\s-]*"
    r"(?:(?<=['’′m\s-])([0-5]?\d(?:\.\d+)?)[\"”″s]?\s*)?)?"
    r"([NSEW])",
    re.IGNORECASE,
)
#: 5130.5N, 00130.5E: the degrees have two digits for a latitude, three for a longitude.
_JOINED_ANGLE: Final = re.compile(
    r"(\d{2}(?=\d{2}(?:\.\d+)?\s*[NS])|\d{3}(?=\d{2}(?:\.\d+)?\s*[EW]))"
    r"([0-5]\d(?:\.\d+)?)\s*()([NSEW])",
    re.IGNORECASE,
)
_ANGLE_FIRST: Final = re.compile(r"([NSEW])\s*(.+)", re.IGNORECASE)
_DURATION: Final = re.compile(
    r"PT(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:\d+S)?", re.IGNORECASE
)
_CLOCK: Final = re.compile(r"(\d{1,3}):(\d{2})(?::\d{2})?")
_OFFSET: Final = re.compile(r"(?:utc|gmt|z)?\s*([+-]?)(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
_POINTS: Final = (
    *("N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE"),
    *("S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"),
)
_COMPASS: Final = {name: 22.5 * number for number, name in enumerate(_POINTS)}
_FORCE: Final = re.compile(
    r"(?:bf|bft|force)?\s*(\d{1,2})(?:\s*-\s*(\d{1,2}))?\s*(?:bf|bft)?", re.IGNORECASE
)


def is_blank(cell: Cell) -> bool:
    """Return whether a cell states nothing."""
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in _BLANK)


def first_known(*choices: Floats) -> Floats:
    """The first of several values that is known, for each record."""
    known = choices[0]
    for other in choices[1:]:
        known = np.where(np.isfinite(known), known, other)
    return np.asarray(known)


def has_decimal_comma(texts: Iterable[Cell]) -> bool:
    """Return whether the cells of a table are written 12,5: some are, and none 12.5.

    Numbers such as 1,852 and 12.500 may have marks for thousands. They decide where no others do.
    """
    certain: set[str] = set()
    possible: set[str] = set()
    for text in (cell.strip() for cell in texts if isinstance(cell, str)):
        if found := _ONE_MARK.fullmatch(text) if len(text) <= _LONGEST else None:
            (possible if _THOUSANDS.fullmatch(text) else certain).add(found[1])
    return (certain or possible) == {","}


def read_numbers(
    field: str, cells: Sequence[Cell], *, decimal_comma: bool
) -> tuple[Floats, dict[int, str]]:
    """Numbers of a column, NaN where a cell is blank, and faults by index."""
    read = _READERS.get(field, _plain)
    values = np.full(len(cells), np.nan)
    faults: dict[int, str] = {}
    for index, cell in enumerate(cells):
        if is_blank(cell):
            continue
        value = _read_cell(cell, read, decimal_comma=decimal_comma)
        if value is None or not np.isfinite(value):
            faults[index] = "is not a number"
        else:
            values[index] = value
    return values, faults


def _read_cell(
    cell: Cell, read: Callable[[str], float | None], *, decimal_comma: bool
) -> float | None:
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int | float):
        return float(cell)
    if isinstance(cell, timedelta):
        return cell.total_seconds() / 3600.0
    if isinstance(cell, clock):
        return cell.hour + cell.minute / 60.0
    if not isinstance(cell, str) or len(cell) > _LONGEST:
        return None
    if read is read_angle:
        return read(point_angle(cell.strip()))
    return read(point_decimals(cell.strip(), decimal_comma=decimal_comma))


def point_angle(text: str) -> str:
    """A coordinate with a decimal point; it has no mark for thousands."""
    return text.replace(".", "").replace(",", ".") if "," in text else text


def point_decimals(text: str, *, decimal_comma: bool) -> str:
    """A number with a decimal point and without marks for thousands."""
    if "," not in text:
        is_large = decimal_comma and _THOUSANDS.fullmatch(text)
        return text.replace(".", "") if is_large else text
    if decimal_comma or re.fullmatch(r"-?\d+,\d{1,2}", text):
        return text.replace(".", "").replace(",", ".") if "." in text else text.replace(",", ".")
    return re.sub(r"(?<=\d),(?=\d{3}(\D|$))", "", text)


def _plain(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _hours(text: str) -> float | None:
    """Hours of 24.5, 24:30 or PT24H30M (ISO 8601)."""
    if found := _CLOCK.fullmatch(text):
        return int(found[1]) + int(found[2]) / 60.0
    if (found := _DURATION.fullmatch(text)) and (found[1] or found[2]):
        return float(found[1] or 0) + float(found[2] or 0) / 60.0
    return _plain(text)


def _offset(text: str) -> float | None:
    """Hours of +8, UTC+05:30, -0330."""
    if text.lower() in ("utc", "gmt", "z"):
        return 0.0
    value = _plain(text) if "." in text else None
    found = _OFFSET.fullmatch(text)
    if found is None:
        return value
    hours = int(found[2]) + int(found[3] or 0) / 60.0
    return -hours if found[1] == "-" else hours


def read_angle(text: str) -> float | None:
    """Degrees of 51.5, 51-30.5N, 51°30'15"N, 5130.5N or N51 30.5; south and west are below 0."""
    if found := _ANGLE_FIRST.fullmatch(text):
        text = found[2] + found[1]
    found = _JOINED_ANGLE.fullmatch(text) or _ANGLE.fullmatch(text)
    if found is None:
        return _plain(text)
    degrees, minutes, seconds, side = found.groups()
    value = float(degrees) + float(minutes or 0) / 60.0 + float(seconds or 0) / 3600.0
    return -value if side.upper() in "SW" else value


def _direction(text: str) -> float | None:
    """Degrees of 225, 225° or SW."""
    return _COMPASS.get(text.upper(), _plain(text.rstrip("°T ")))


def _force(text: str) -> float | None:
    """A degree of a scale: 5, Bf 5, 5-6."""
    found = _FORCE.fullmatch(text)
    if found is None:
        return _plain(text)
    return 0.5 * (float(found[1]) + float(found[2] or found[1]))


_READERS: Final = {
    "steamingHours": _hours,
    "utcOffset": _offset,
    "latitude": read_angle,
    "longitude": read_angle,
    "heading": _direction,
    "windFrom": _direction,
    "windFromRelative": _direction,
    "waveFrom": _direction,
    "swellFrom": _direction,
    "windBeaufort": _force,
    "seaState": _force,
}
