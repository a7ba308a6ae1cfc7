"""Periods of a vessel's statistics, typed or chosen by name."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from flask import url_for

from app.models import Vessel
from app.pages.presenters.filters import calendar_day
from app.pages.web.forms import read_day
from app.records.instants import first_instant, last_instant
from app.services.vessels.vessel_statistics import VesselStatistics

#: Least share of a calendar year so far that the records of its carbon intensity cover.
_LEAST_OF_YEAR: Final = 0.9


class Period(NamedTuple):
    """A period as text and as times, and its error; an end may be open."""

    first_day: str
    last_day: str
    since: datetime | None
    until: datetime | None
    fault: str

    @property
    def query(self) -> dict[str, str]:
        """Return the period as query parameters; empty if it is not valid."""
        ends = {"from": self.since, "to": self.until}
        return {name: end.date().isoformat() for name, end in ends.items() if end}


def read_period(typed: Mapping[str, str]) -> Period:
    """Read two calendar days; an invalid period has an error and open ends."""
    first, last = typed.get("from", "").strip(), typed.get("to", "").strip()
    try:
        since = first_instant(read_day(first)) if first else None
        until = last_instant(read_day(last)) if last else None
    except ValueError:
        return Period(first, last, None, None, "Enter days like 14 Jan 2026.")
    if since and until and until < since:
        return Period(first, last, None, None, "The last day is before the first.")
    first, last = (calendar_day(end) if end else "" for end in (since, until))
    return Period(first, last, since, until, "")


def list_periods(shown: Vessel, today: date) -> list[tuple[str, str]]:
    """List common periods by name, with their addresses."""
    spans = (
        ("Last 30 days", today - timedelta(days=30), today),
        ("This year", today.replace(month=1, day=1), today),
        ("Last year", date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)),
    )
    days: dict[str, dict[str, Any]] = {
        name: {"from": str(first), "to": str(last)} for name, first, last in spans
    }
    return [
        (name, url_for("pages.vessel", vessel_id=shown.id, **between))
        for name, between in days.items()
    ]


def qualify_rating(found: VesselStatistics, now: datetime) -> str | None:
    """Return why a carbon intensity is not that of a calendar year, or ``None``."""
    if found.carbon_intensity is None or not (found.recorded and found.since and found.until):
        return None
    last = min(found.until, now)
    if found.since.year != last.year:
        return "indicative: the period is no calendar year"
    begins = first_instant(date(last.year, 1, 1))
    share = found.recorded.hours / max((last - begins) / timedelta(hours=1), found.recorded.hours)
    if share >= _LEAST_OF_YEAR:
        return None
    percent = f"{100.0 * share:.0f} %" if share >= 0.01 else "less than 1 %"
    return f"indicative: records cover {percent} of the year to {calendar_day(last)}"
