"""Figures, times and lists as an explanation writes them.

Each number keeps the decimals stated here, so that it can be found again in the plan.
Thousands are not separated.
"""

from collections.abc import Sequence
from datetime import datetime

from app.engine.facts import CostFact
from app.engine.formatting import format_time


def distance(distance_nm: float) -> str:
    """A distance to 1 nm."""
    return f"{distance_nm:.0f} nm"


def duration(hours: float) -> str:
    """Hours to one decimal."""
    return f"{hours:.1f} hours"


def mass(mass_t: float) -> str:
    """Metric tonnes to one decimal."""
    return f"{mass_t:.1f} mt"


def moment(time: datetime) -> str:
    """A time in UTC, to the minute begun."""
    return format_time(time)


def listed(items: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def extra_cost(cost: CostFact) -> str:
    """Write an extra cost in miles, hours and fuel; "" if none is noticeable."""
    parts = (
        (cost.extra_nm, 0.5, distance(cost.extra_nm)),
        (cost.extra_h, 0.05, duration(cost.extra_h)),
        (cost.extra_fuel_t, 0.05, f"{mass(cost.extra_fuel_t)} of fuel"),
    )
    return listed([written for value, least, written in parts if value > least])


def capital(words: str) -> str:
    """The words with a capital first letter."""
    return words[:1].upper() + words[1:]
