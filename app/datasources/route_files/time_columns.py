"""Columns of times in the table of a route, read as those of noon reports."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from app.datasources.headers import find_zone
from app.datasources.noon_reports.dates import DateOrder, read_dates
from app.datasources.route_files.records import Values, read_iso_time

#: The end of a time with its zone: Z, UTC or an offset.
_ZONE: Final = re.compile(
    r"(?:Z|UTC|GMT|\d:?\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*[+-]\d{1,2}(?::?\d{2})?)$"
)
_LOCAL: Final = re.compile(r"(?:LT|SMT)$")
_IN_UTC: Final = "its times are local; write them in UTC, below ETA (UTC)"
_IS_LOCAL: Final = "is a local time; write it in UTC as 2026-04-03 12:00"
_WITH_DOTS: Final = re.compile(r"\d{1,2}\.\d{1,2}\.\d.*")
_AMBIGUOUS: Final = "may be day/month or month/day; write it as 2026-04-03 12:00"
_NO_DATE: Final = "is not a date that can be kept; write it as 2026-04-03 12:00"


def read_times(
    name: str, header: str, rows: Sequence[tuple[int, str]], values: Values
) -> list[datetime | None]:
    """Times of a column of lines and texts, in ISO 8601 or all in one other form.

    Numbers of day and month are read where the column decides their order; with dots the day is
    first. A time without a zone is in that of the header; in UTC, which is noted, if that names
    none. A column of local times is left out.
    """
    zone = find_zone(header)
    if zone is not None and zone.offset_h is None:
        values.note(f"The column {header[:40]!r} is left out: {_IN_UTC}.", 1, None)
        return [None] * len(rows)
    times = _read_column(name, rows, values, is_zone_stated=zone is not None)
    ahead = timedelta(hours=zone.offset_h if zone and zone.offset_h else 0.0)
    texts = [text.strip().upper() for _, text in rows]
    return [
        time if time is None or _ZONE.search(text) else time - ahead
        for time, text in zip(times, texts, strict=True)
    ]


def _read_column(
    name: str, rows: Sequence[tuple[int, str]], values: Values, *, is_zone_stated: bool
) -> list[datetime | None]:
    """Times as they are written; those without a zone as if they were in UTC."""
    written = {at: text.strip().upper() for at, (_, text) in enumerate(rows) if text.strip()}
    if all(map(_is_iso, written.values())):
        return [
            values.time(name, text, line, number, is_utc=is_zone_stated)
            for number, (line, text) in enumerate(rows, 1)
        ]
    instants, faults = _read_instants(written)
    _note_faults(name, rows, faults, values)
    without_zone = [at for at in instants if not _ZONE.search(written[at])]
    if without_zone and not is_zone_stated:
        line, text = rows[without_zone[0]]
        values.note_zone(name, text, line, without_zone[0] + 1)
    return [instants.get(at) for at in range(len(rows))]


def _is_iso(text: str) -> bool:
    try:
        read_iso_time(text)
    except (ValueError, OverflowError):
        return False
    return True


def _read_instants(written: Mapping[int, str]) -> tuple[dict[int, datetime], dict[int, str]]:
    """Times and faults by index."""
    faults = {at: _IS_LOCAL for at, text in written.items() if _LOCAL.search(text)}
    others = [at for at in written if at not in faults]
    cells = [written[at] for at in others]
    order = DateOrder.DAY_FIRST if all(map(_WITH_DOTS.fullmatch, cells)) else None
    if order is None and _is_ambiguous(cells):
        return {}, faults | dict.fromkeys(others, _AMBIGUOUS)
    dates = read_dates(cells, order)
    instants: dict[int, datetime] = {}
    for place, at in enumerate(others):
        try:
            instants[at] = datetime.fromtimestamp(float(dates.seconds[place]), UTC)
        except (ValueError, OverflowError):  # NaN, or beyond the calendar
            faults[at] = dates.faults.get(place, _NO_DATE)
    return instants, faults


def _is_ambiguous(cells: Sequence[str]) -> bool:
    """Return whether dates can be read with the day first and with the month first."""
    one, other = (read_dates(cells, order) for order in DateOrder)
    is_same = np.array_equal(one.seconds, other.seconds, equal_nan=True)
    return one.faults.keys() == other.faults.keys() and not is_same


def _note_faults(
    name: str, rows: Sequence[tuple[int, str]], faults: Mapping[int, str], values: Values
) -> None:
    """Note each kind of fault once, at its first line, with the number of its values."""
    kinds: dict[str, list[int]] = {}
    for at in sorted(faults):
        kinds.setdefault(faults[at].partition(":")[0], []).append(at)
    for first, *others in kinds.values():
        line, text = rows[first]
        more = f" This holds for {len(others) + 1} values of {name}." if others else ""
        values.note(f"{name} {text.strip()[:40]!r} {faults[first]}.{more}", line, first + 1)
