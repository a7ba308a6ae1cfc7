"""Figures and lists as explanations write them.

Numbers have fixed decimals and no thousands separators, so that they can be found in the plan.
"""

from collections.abc import Sequence

from app.engine.facts import CostFact


def format_distance(distance_nm: float) -> str:
    """Format a distance to 1 nm."""
    return f"{distance_nm:.0f} nm"


def format_duration(hours: float) -> str:
    """Format hours to one decimal."""
    return f"{hours:.1f} hours"


def format_mass(mass_t: float) -> str:
    """Format metric tonnes to one decimal."""
    return f"{mass_t:.1f} mt"


def join_phrases(items: Sequence[str]) -> str:
    """Join phrases as "a", "a and b" or "a, b and c"; by semicolons where some contain commas."""
    if len(items) > 1 and any(", " in item for item in items):
        return "; ".join(items)
    return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def format_extra_cost(cost: CostFact) -> str:
    """Format an extra cost in miles, hours and fuel, without parts that round to zero."""
    parts = (
        (cost.extra_nm, 0.5, format_distance(cost.extra_nm)),
        (cost.extra_h, 0.05, format_duration(cost.extra_h)),
        (cost.extra_fuel_t, 0.05, f"{format_mass(cost.extra_fuel_t)} of fuel"),
    )
    return join_phrases([written for value, least, written in parts if value > least])


def capitalise(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]
