"""Template filters for positions, times and numbers, equal to ``static/js/format.js``."""

import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from flask import Flask

from app.engine.formatting import cut, format_course, format_position
from app.engine.units import ms_to_kn
from app.records.instants import last_instant, parse_instant

_NARROW_SPACE = "\u202f"
_MINUS = "\u2212"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def init_app(app: Flask) -> None:
    """Register the filters."""
    for write in (
        position,
        course,
        figure,
        knots,
        mass,
        miles,
        margin,
        cut,
        signed,
        difference,
        plain,
        sentence_case,
        remarks,
        calendar_day,
        last_time,
        short_time,
        dated_time,
        full_time,
        dated_full_time,
        duration,
    ):
        app.add_template_filter(write)


def position(place: tuple[float, float]) -> str:
    """Format latitude and longitude [deg] as 51°58.900'N 004°02.100'E."""
    return format_position(*place)


def course(value_deg: float | None) -> str:
    """Format a course [deg] as 007°."""
    return "" if value_deg is None else format_course(value_deg)


def figure(value: float | None, decimals: int = 0) -> str:
    """Format a number with separated thousands; a dash for ``None``."""
    if value is None:
        return "–"
    rounded = _round(value, decimals)
    text = f"{abs(rounded):,.{decimals}f}".replace(",", _NARROW_SPACE)
    return _MINUS + text if rounded < 0 else text


def knots(speed_ms: float | None) -> str:
    """Format a speed [m/s] in whole knots."""
    return figure(None if speed_ms is None else float(ms_to_kn(speed_ms)))


def _round(value: float, decimals: int) -> Decimal:
    """Round a number as the browser's ``toFixed`` does, halves away from zero."""
    return Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def margin(value: float | None, decimals: int = 1) -> str:
    """Format a depth or clearance, cut instead of rounded, see :func:`cut`."""
    return figure(None if value is None else cut(value, decimals), decimals)


def miles(value: float | None) -> str:
    """Format a short distance [nm] with one decimal; less than its half as < 0.1."""
    return "< 0.1" if value and 0.0 < value < 0.05 else figure(value, 1)


def mass(value: float | None, decimals: int = 0) -> str:
    """Format metric tonnes; under 1 mt with two significant digits, to the kilogram."""
    return figure(value, decimals if value is None else _mass_decimals(value, decimals))


def _mass_decimals(value: float, decimals: int) -> int:
    if value == 0.0 or abs(value) >= 1.0:
        return decimals
    return max(decimals, min(3, 1 - math.floor(math.log10(abs(value)))))


def signed(value: float, decimals: int = 0) -> str:
    """Format a number with its sign, as +1.9."""
    return ("+" if _round(value, decimals) > 0 else "") + figure(value, decimals)


def difference(value: float, other: float, decimals: int = 0, unit: str = "") -> str:
    """Format how much more a figure is than another, both rounded as shown; empty if equal."""
    if unit == "mt":
        decimals = _mass_decimals(max(abs(value), abs(other)), decimals)
    more = _round(value, decimals) - _round(other, decimals)
    return signed(float(more), decimals) if more else ""


def plain(value: float) -> str:
    """Format a number without trailing zeros, for an input field."""
    return f"{value:.10g}"


def sentence_case(text: str) -> str:
    """Capitalise the first letter only, so that an abbreviation is kept: LNG carrier."""
    return text[:1].upper() + text[1:]


def calendar_day(value: str | date) -> str:
    """Format a day in UTC as 14 Jan 2026."""
    day = parse_instant(value) if isinstance(value, str) else value
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def last_time(value: datetime) -> str:
    """Format the end of a validity in UTC: a whole day as 14 Jan 2026, otherwise with its time."""
    is_whole_day = value == last_instant(value.date())
    return calendar_day(value) if is_whole_day else dated_time(value)


def remarks(waypoint: Mapping[str, Any]) -> str:
    """Write the passage, the note and the emission control area of a waypoint as sentences."""
    passage, note = waypoint.get("passage"), waypoint.get("note")
    parts = passage, note if note != passage else None, "ECA" if waypoint.get("inEca") else None
    return ". ".join(sentence_case(part) for part in parts if part)


def short_time(value: str | datetime, since: str | datetime | None = None) -> str:
    """Format a time in UTC as 14 Jan 18:00, with its year if that is not the one of ``since``."""
    time = _read(value)
    if since is not None and time.year != _read(since).year:
        return dated_time(time)
    return f"{time.day} {_MONTHS[time.month - 1]} {time:%H:%M}"


def dated_time(value: str | datetime) -> str:
    """Format a time in UTC as 14 Jan 2026 18:00."""
    time = _read(value)
    return f"{calendar_day(time)} {time:%H:%M}"


def full_time(value: str | datetime, since: str | datetime | None = None) -> str:
    """Format a time in UTC as Wed 14 Jan 18:00 UTC, with its year as :func:`short_time` does."""
    return f"{_DAYS[_read(value).weekday()]} {short_time(value, since)} UTC"


def dated_full_time(value: str | datetime) -> str:
    """Format a time in UTC as Wed 14 Jan 2026 18:00 UTC."""
    return f"{_DAYS[_read(value).weekday()]} {dated_time(value)} UTC"


def duration(hours: float) -> str:
    """Format a duration [h] as 11 d 18 h or 3 h 20 min."""
    if hours < 24:
        minutes = int(_round(hours * 60, 0))
        return f"{minutes // 60} h {minutes % 60:02d} min"
    whole = int(_round(hours, 0))
    return f"{whole // 24} d {whole % 24} h"


def _read(value: str | datetime) -> datetime:
    return parse_instant(value) if isinstance(value, str) else value
