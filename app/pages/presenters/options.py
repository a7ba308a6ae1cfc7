"""Options of requests, for the comparison of voyages."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.pages.presenters.filters import figure

#: Switches of a request with their labels, and numbers with label, unit and decimals.
_SWITCHES: Final = {
    "avoidPiracyAreas": "Avoid piracy areas",
    "avoidWarZones": "Avoid war-risk areas",
    "avoidEca": "Minimise ECA distance",
}
_NUMBERS: Final = {
    "draft": ("Draught", "m", 2),
    "speedRangeMin": ("Speed from", "kn", 1),
    "speedRangeMax": ("Speed to", "kn", 1),
    "maxNorthLat": ("Not north of", "°", 2),
    "maxSouthLat": ("Not south of", "°", 2),
}
_ROUTES: Final = {"WX": "Weather", "GC": "Great circle", "RL": "Rhumb line"}


def list_differing_options(
    requests: Sequence[Mapping[str, Any]],
) -> list[tuple[str, str, list[str]]]:
    """List label, unit and values of each option in which some requests differ."""
    rows = [
        *(
            (label, "", [_yes_or_no(asked[name]) for asked in requests])
            for name, label in _SWITCHES.items()
        ),
        *(
            (label, unit, [figure(asked[name], decimals) for asked in requests])
            for name, (label, unit, decimals) in _NUMBERS.items()
        ),
        ("Route kind", "", [_ROUTES[asked["routeType"]] for asked in requests]),
    ]
    return [row for row in rows if len(set(row[2])) > 1]


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"
