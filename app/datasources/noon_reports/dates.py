"""Parsing of a column of dates and times, all in the same format.

"03/04/2026" is 3 April or 4 March: the other rows decide, or a user. Rows in another format than
most are reported as faults, never guessed.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np

from app.datasources.noon_reports.sheets import Cell


class DateOrder(StrEnum):
    """Order of day and month in dates such as 03/04/2026."""

    DAY_FIRST = "DMY"
    MONTH_FIRST = "MDY"


class _Form(StrEnum):
    ISO = "2026-04-03"
    NUMBERS = "03/04/2026"
    NAMED = "3 Apr 2026"
    CELL = "a date cell"
    SERIAL = "a day number"


class _Parts(NamedTuple):
    """A date as it is written: for numbers the first two are not known apart yet.

    Dates with points have the day first where nothing else decides, as is usual where they are
    written so.
    """

    form: _Form
    first: int
    second: int
    year: int
    rest: str = ""
    seconds: float = 0.0
    is_ships: bool | None = None
    has_points: bool = False


class Clock(NamedTuple):
    """A time of day as seconds since midnight.

    ``is_ships`` is true for ship's time (LT, SMT), false for UTC, to which a time with an offset is
    brought, and ``None`` where the cell does not say.
    """

    seconds: float
    is_ships: bool | None = None


class Dates(NamedTuple):
    """Midnights or instants as seconds since 1970 (NaN where faulty), and faults by index.

    ``is_ships`` is that of each cell's :class:`Clock`. ``order`` is that of day and month where it
    mattered.
    """

    seconds: np.ndarray
    is_ships: list[bool | None]
    faults: dict[int, str]
    order: DateOrder | None


_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_ISO: Final = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)[T ,]*(.*)")
_NUMBERS: Final = re.compile(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})(?!\d)[T ,]*(.*)")
_NAMED: Final = re.compile(
    r"(\d{1,2})[-/. ]*([A-Za-z]{3,9})\.?[-/. ,]*(\d{4}|\d{2})(?!\d)[T ,]*(.*)"
)
_NAMED_US: Final = re.compile(r"([A-Za-z]{3,9})\.? +(\d{1,2}),? +(\d{4})[T ,]*(.*)")
_WEEKDAY: Final = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[., ]+", re.IGNORECASE)
_TIME: Final = re.compile(
    r"(\d{1,2}):?(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([ap]\.?m\.?)?\s*(h|hrs?)?\s*"
    r"(z|utc|gmt|lt|smt)?\s*(?:([+-]\d{1,2}):?(\d{2})?)?",
    re.IGNORECASE,
)
#: Words for the ship's own time.
_SHIPS_TIME: Final = ("lt", "smt")
#: Day numbers of spreadsheets count from here (ECMA-376-1, 18.17.4.1); those of 2000 to 2100.
_SERIAL_EPOCH: Final = datetime(1899, 12, 30, tzinfo=UTC)
_SERIALS: Final = (36526.0, 73051.0)
_DAY_S: Final = 86400.0
_LONGEST: Final = 60
_SAY: Final = "; write it as 2026-04-03 12:00"


def read_dates(
    cells: Sequence[Cell], order: DateOrder | None = None, *, days_only: bool = False
) -> Dates:
    """Read a column of dates with or without times, or only their days.

    ``order`` is what a user says of day and month; else the column decides.
    """
    faults: dict[int, str] = {}
    parts: dict[int, _Parts] = {}
    for index, cell in enumerate(cells):
        found = _split(cell)
        if found is None:
            faults[index] = "is not a date" + _SAY
        else:
            parts[index] = found
    _refuse_other_forms(parts, faults)
    has_numbers = any(each.form is _Form.NUMBERS for each in parts.values())
    order = order or _find_order(parts, faults)
    seconds = np.full(len(cells), np.nan)
    is_ships: list[bool | None] = [None] * len(cells)
    for index, each in parts.items():
        try:
            seconds[index], is_ships[index] = _instant(each, order, days_only)
        except ValueError as fault:
            faults[index] = f"is not a date: {fault}" + _SAY
    return Dates(seconds, is_ships, faults, order if has_numbers else None)


def read_time_of_day(cell: Cell) -> Clock | None:
    """Read a time such as 12:00, 1200 LT or a day's fraction; ``None`` if it is none."""
    if isinstance(cell, datetime):
        cell = cell.time()
    if isinstance(cell, time):
        return Clock(cell.hour * 3600.0 + cell.minute * 60.0 + cell.second)
    if isinstance(cell, timedelta):
        return Clock(cell.total_seconds()) if timedelta(0) <= cell <= timedelta(days=1) else None
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return _read_number_clock(cell)
    if cell is None or not str(cell).strip():
        return None
    return _clock_of(str(cell).strip())


def _read_number_clock(value: float) -> Clock | None:
    """Read a day's fraction, or 1200; a number such as 12 may be hours or minutes."""
    if 0 <= value < 1:
        return Clock(value * _DAY_S)
    return _clock_of(f"{int(value):04d}") if value >= 100 and value % 1 == 0 else None


def _clock_of(text: str) -> Clock | None:
    try:
        return _read_clock(text)
    except ValueError:
        return None


def _split(cell: Cell) -> _Parts | None:
    if isinstance(cell, datetime):
        whole = cell.replace(tzinfo=cell.tzinfo or UTC)
        is_ships = None if cell.tzinfo is None else False
        return _Parts(_Form.CELL, 0, 0, 0, seconds=whole.timestamp(), is_ships=is_ships)
    if isinstance(cell, date):
        return _split(datetime(cell.year, cell.month, cell.day))  # noqa: DTZ001  of no zone
    if isinstance(cell, bool) or cell is None or isinstance(cell, time | timedelta):
        return None
    if isinstance(cell, int | float):
        return _split_serial(float(cell))
    # patterns are tried on nothing that is longer than a date
    return _split_text(cell.strip()) if len(cell) <= _LONGEST else None


def _split_serial(value: float) -> _Parts | None:
    if not _SERIALS[0] <= value <= _SERIALS[1]:
        return None
    instant = _SERIAL_EPOCH + timedelta(seconds=round(value * _DAY_S))
    return _Parts(_Form.SERIAL, 0, 0, 0, seconds=instant.timestamp())


def _split_text(text: str) -> _Parts | None:
    if weekday := _WEEKDAY.match(text):
        text = text[weekday.end() :]
    if found := _ISO.fullmatch(text):
        year, month, day, rest = found.groups()
        return _Parts(_Form.ISO, int(day), int(month), int(year), rest)
    if found := _NUMBERS.fullmatch(text):
        first, second, year, rest = found.groups()
        parts = _Parts(_Form.NUMBERS, int(first), int(second), _full_year(year), rest)
        return parts._replace(has_points=text[found.end(1)] == ".")
    if found := _NAMED.fullmatch(text):
        day, name, year, rest = found.groups()
    elif found := _NAMED_US.fullmatch(text):
        name, day, year, rest = found.groups()
    else:
        try:
            return _split_serial(float(text))
        except ValueError:
            return None
    month = _MONTHS.get(name[:3].lower())
    return _Parts(_Form.NAMED, int(day), month, _full_year(year), rest) if month else None


def _full_year(text: str) -> int:
    return int(text) + (2000 if len(text) == 2 else 0)


def _refuse_other_forms(parts: dict[int, _Parts], faults: dict[int, str]) -> None:
    """Name the rows whose dates are in another form than most."""
    forms = Counter(each.form for each in parts.values())
    if len(forms) < 2:
        return
    usual = max(forms, key=lambda form: forms[form])
    for index in [index for index, each in parts.items() if each.form is not usual]:
        faults[index] = (
            f"is a date in another form ({parts.pop(index).form}) than most rows ({usual});"
            " write all in one"
        )


def _find_order(parts: dict[int, _Parts], faults: dict[int, str]) -> DateOrder:
    """Find the order of day and month that the column has; contradictions are named.

    Where every date could be both, it is the order in which the reports follow each other by a
    day; where that does not decide, a user must, but for dates with points.
    """
    numbers = {index: each for index, each in parts.items() if each.form is _Form.NUMBERS}
    day_first = [index for index, each in numbers.items() if each.first > 12 >= each.second]
    month_first = [index for index, each in numbers.items() if each.second > 12 >= each.first]
    if not day_first and not month_first:
        irregularity = {order: _irregularity(numbers, order) for order in DateOrder}
        if len(set(irregularity.values())) == 1:
            _refuse_undecided(parts, faults, numbers)
        return min(irregularity, key=lambda order: irregularity[order])
    order = DateOrder.DAY_FIRST if len(day_first) >= len(month_first) else DateOrder.MONTH_FIRST
    if day_first and month_first:
        _refuse_contradictions(parts, faults, order, numbers)
    return order


def _refuse_undecided(
    parts: dict[int, _Parts], faults: dict[int, str], numbers: dict[int, _Parts]
) -> None:
    """Name the rows whose dates could be two."""
    for index, each in numbers.items():
        if each.first == each.second or each.has_points:
            continue
        faults[index] = (
            "could be two dates, as no row shows whether day or month is first; choose that"
            " (dateOrder in the API), or write it as 2026-04-03 12:00"
        )
        del parts[index]


def _refuse_contradictions(
    parts: dict[int, _Parts], faults: dict[int, str], order: DateOrder, numbers: dict[int, _Parts]
) -> None:
    """Name rows in the rarer order; a date that could be both is then not known either."""
    shown = {"DMY": "day/month", "MDY": "month/day"}[order]
    for index, each in numbers.items():
        day, month = _day_and_month(each, order)
        if month > 12:
            faults[index] = f"is not {shown}/year as most rows are{_SAY}"
            del parts[index]
        elif day <= 12 and day != month:
            faults[index] = (
                "could be two dates, and the file has both day/month and month/day" + _SAY
            )
            del parts[index]


def _irregularity(numbers: dict[int, _Parts], order: DateOrder) -> float:
    """Median difference of the steps between reports from a day [days]."""
    days = []
    for each in numbers.values():
        day, month = _day_and_month(each, order)
        try:
            days.append(date(each.year, month, day).toordinal())
        except ValueError:
            return float("inf")
    if len(days) < 2:
        return 0.0
    return float(np.mean(np.minimum(np.abs(np.abs(np.diff(days)) - 1.0), 60.0)))


def _day_and_month(each: _Parts, order: DateOrder) -> tuple[int, int]:
    if order is DateOrder.DAY_FIRST or each.form is not _Form.NUMBERS:
        return each.first, each.second
    return each.second, each.first


def _instant(each: _Parts, order: DateOrder, days_only: bool) -> Clock:
    """Return the seconds since 1970, in UTC or ship's time."""
    if each.form in (_Form.CELL, _Form.SERIAL):
        into_day = each.seconds % _DAY_S if days_only else 0.0
        return Clock(each.seconds - into_day, each.is_ships)
    day, month = _day_and_month(each, order)
    midnight = datetime(each.year, month, day, tzinfo=UTC).timestamp()
    clock = _read_clock(each.rest.strip()) if each.rest.strip() else Clock(0.0)
    return clock._replace(seconds=midnight + (0.0 if days_only else clock.seconds))


def _read_clock(text: str) -> Clock:
    """Read a written time; an offset in it is taken off."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"“{text[:30]}” is not a time")
    hour, minute, second, half, _, zone, offset_h, offset_min = found.groups()
    hours = int(hour)
    if half:
        hours = hours % 12 + (12 if half.lower().startswith("p") else 0)
    if hours > 24 or int(minute) > 59:
        raise ValueError(f"{text[:30]} is not a time of day")
    seconds = hours * 3600.0 + int(minute) * 60.0 + int(second or 0)
    if offset_h is None:
        return Clock(seconds, None if zone is None else zone.lower() in _SHIPS_TIME)
    offset = abs(int(offset_h)) * 3600.0 + int(offset_min or 0) * 60.0
    return Clock(seconds - (offset if not offset_h.startswith("-") else -offset), is_ships=False)
