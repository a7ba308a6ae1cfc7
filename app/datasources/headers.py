"""Headers of spreadsheets: compared in one spelling, with the units that stand in them."""

import re
from collections.abc import Sequence
from typing import Final

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
_BRACKETED: Final = re.compile(r"[\[(]([^\[\](]+)[\])]")


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
    return find_unit_in_brackets(header) if _BRACKETED.search(header) else _unit_of(header)


def find_unit_in_brackets(header: str) -> str | None:
    """The unit in a header's brackets, as UDUNITS reads it."""
    bracketed = _BRACKETED.search(header)
    return _unit_of(bracketed[1]) if bracketed else None


def _unit_of(words: str) -> str | None:
    simple = simplify(words)
    for pattern, unit in _UNITS:
        if re.search(rf"(^|_)({pattern})$", simple):
            return unit
    return None
