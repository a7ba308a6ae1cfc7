"""The two lines of a leg: an ECDIS may follow either, whatever geometry the leg has."""

from collections.abc import Mapping
from typing import Final

from app.engine.geodesy.leg import LegGeometry
from app.engine.sea.path import Leg

_NAMES: Final[Mapping[LegGeometry, str]] = {
    LegGeometry.GREAT_CIRCLE: "great circle",
    LegGeometry.RHUMB: "rhumb line",
}


def describe_line(leg: Leg, is_own: bool) -> str:
    """Describe at the end of a sentence the line to which it applies; empty for the leg's own."""
    if is_own:
        return ""
    own, other = (_NAMES[geometry] for geometry in leg.lines)
    return f" if sailed as a {other}, not as the route's {own}"
