"""Times as text."""

import re
from datetime import UTC, date, datetime, time
from typing import Any, Final

#: First day on which no voyage is under way: departures are before 2100.
_BEYOND_VOYAGES: Final = date(2101, 1, 1)
_CALENDAR_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def format_instant(value: datetime) -> str:
    """RFC 3339 in UTC with ``Z``; milliseconds only where there are some."""
    spec = "milliseconds" if value.microsecond // 1000 else "seconds"
    return value.astimezone(UTC).isoformat(timespec=spec).replace("+00:00", "Z")


def parse_instant(text: str) -> datetime:
    """Parse a text of :func:`format_instant`."""
    return datetime.fromisoformat(text)


def write_instant(value: datetime | None) -> str | None:
    """Format a time as :func:`format_instant` does; ``None`` without one."""
    return None if value is None else format_instant(value)


def read_instant(text: str | None) -> datetime | None:
    """Parse a text of :func:`write_instant`; ``None`` for no text or an empty one."""
    return parse_instant(text) if text else None


def find_day(text: Any) -> date | None:
    """Parse a calendar date written YYYY-MM-DD; ``None`` for anything else."""
    if not isinstance(text, str) or not _CALENDAR_DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def first_instant(day: date) -> datetime:
    """Return the first instant of a calendar day in UTC."""
    return datetime.combine(day, time(tzinfo=UTC))


def last_instant(day: date) -> datetime:
    """The last instant of a calendar day in UTC, at the precision of what is stored."""
    return datetime.combine(day, time(23, 59, 59, 999_999, tzinfo=UTC))


def end_of_window(last_day: date | None) -> datetime | None:
    """The last instant of a window, ``None`` if it has no end.

    A last day beyond all voyages, customarily 31 December 9999, is no end.
    """
    return None if last_day is None or last_day >= _BEYOND_VOYAGES else last_instant(last_day)
