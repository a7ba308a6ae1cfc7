"""Headers of spreadsheets: compared in one spelling, with the units that stand in them."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from app.records.record import HUMP

#: Units as headers write them, by what UDUNITS reads.
_UNITS: Final[Sequence[tuple[str, str]]] = (
    (r"(kg)_?(per_)?(h|hr|hour)", "kg h-1"),
    (r"(kg)_?(per_)?(d|day|24h)", "kg day-1"),
    (r"(lbs?)_?(per_)?(h|hr|hour)", "lb h-1"),
    (r"(m?t|tons?|tonnes?)_?(per_)?(h|hr|hour)", "t h-1"),
    (r"(m?t|tons?|tonnes?)_?(per_)?(d|day|24h)", "t day-1"),
    (r"km_?(per_)?h|kmph|kph", "km h-1"),
    (r"m_?(per_)?s|mps", "m s-1"),
    (r"short_tons?|st", "short_ton"),
    (r"mt|t|tons?|tonnes?|metric_tons?", "t"),
    (r"kgs?", "kg"),
    (r"lbs?", "lb"),
    (r"nmi?|naut(ical)?_miles?|miles", "nautical_mile"),
    (r"km", "km"),
    (r"kn|kts?|knots?", "knot"),
    (r"deg(rees?)?(_(true|t))?", "degree"),
    (r"kw", "kW"),
    (r"mw", "MW"),
    (r"hp|bhp", "hp"),
    (r"rpm", "min-1"),
    (r"cm", "cm"),
    (r"m|metres?|meters?", "m"),
    (r"ft|feet", "ft"),
    (r"s|sec|seconds?", "s"),
    (r"min(utes?)?", "minute"),
    (r"h|hrs?|hours?", "hour"),
    (r"m3|m_3|cbm|cu_?m", "m3"),
    (r"l|ltrs?|lit(re|er)s?", "litre"),
    (r"kl|kilolit(re|er)s?", "kilolitre"),
    (r"gal(lons?)?", "gallon"),
    (r"bbls?|barrels?", "barrel"),
    (r"gj", "GJ"),
    (r"mj", "MJ"),
)
_UTC: Final = re.compile(r"(^|_)(utc|gmt)(_|$)")
_UTC_OFFSET: Final = re.compile(
    r"(?:utc|gmt)\s*([+\-−])\s*(1[0-4]|0?\d)(?::?([0-5]\d))?(?!\d)", re.IGNORECASE
)
_SHIPS_TIME: Final = re.compile(r"(^|_)(lt|local|[sl]mt|(ship(_?s|board)?|zone)_time)(_|$)")
#: An abbreviation such as SGT or CEST: it may be ambiguous, and its offset may change in a year.
_ZONE_NAME: Final = re.compile(r"[\[(]\s*[A-Z]{1,4}T\s*[\])]")
_BRACKETED: Final = re.compile(r"[\[(]([^\[\](]+)[\])]")


class Zone(NamedTuple):
    """A time zone: hours ahead of UTC, ``None`` where a column of its own states them."""

    offset_h: float | None


IN_UTC: Final = Zone(0.0)


def simplify(header: str) -> str:
    """Write a header in lower case with ``_`` for all but letters and digits."""
    return re.sub(r"[^a-z0-9]+", "_", header.lower()).strip("_")


def name_of(header: str) -> str:
    """A header as :func:`simplify` writes it, in words and without its unit in brackets."""
    bracketed = _BRACKETED.search(header)
    if bracketed and _unit_of(bracketed[1]) is not None:
        header = header.replace(bracketed[0], " ")
    is_one_word = re.fullmatch(r"[A-Za-z0-9]+", header.strip()) is not None
    return simplify(HUMP.sub("_", header) if is_one_word else header)


def find_unit(header: str) -> str | None:
    """The unit written in a header, as UDUNITS reads it."""
    bracketed = _BRACKETED.search(header)
    return _unit_of(bracketed[1] if bracketed else header)


def find_unit_in_brackets(header: str) -> str | None:
    """The unit that a header's brackets hold alone; "T" may be true, and "S" south."""
    bracketed = _BRACKETED.search(header)
    inside = simplify(bracketed[1]) if bracketed else ""
    return None if inside in ("t", "s") else _unit_of(inside, is_alone=True)


def find_zone(header: str) -> Zone | None:
    """The zone of the times below a header; ``None`` where it does not say."""
    name = name_of(header)
    if found := _UTC_OFFSET.search(header):
        sign = 1.0 if found[1] == "+" else -1.0
        return Zone(sign * (int(found[2]) + int(found[3] or 0) / 60.0))
    if _UTC.search(name):
        return IN_UTC
    return Zone(None) if _SHIPS_TIME.search(name) or _ZONE_NAME.search(header) else None


def without_zone(header: str) -> str:
    """A header without a zone's name in brackets or an offset of UTC."""
    return _ZONE_NAME.sub(" ", _UTC_OFFSET.sub(" ", header))


def _unit_of(words: str, *, is_alone: bool = False) -> str | None:
    simple, begins = simplify(words), "^" if is_alone else "(^|_)"
    for pattern, unit in _UNITS:
        if re.search(rf"{begins}({pattern})$", simple):
            return unit
    return None
