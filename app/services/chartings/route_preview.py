"""Preview of the effect of avoided zones on a voyage, before it is planned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from app.engine.area import Area, AreaKind, list_relaxed
from app.engine.errors import NoRoute, VoyageError
from app.engine.geodesy.shapes import segments_within
from app.engine.request import Position
from app.engine.sea.path import SeaPath, ShipSize
from app.engine.sea.route_restrictions import find_end_inside
from app.models import Vessel
from app.records.instants import format_instant
from app.services.areas.areas_in_force import list_zones
from app.services.sea import sea

#: Request fields that close zones, with the names of the zones.
SWITCHES: Final[Mapping[str, str]] = {
    "avoidWarZones": "war-risk areas",
    "avoidPiracyAreas": "piracy areas",
}


#: Kinds of zones that these fields close; ice and seasonal zones always apply.
_AVOIDABLE: Final = frozenset({AreaKind.WAR_RISK, AreaKind.PIRACY})


@dataclass(frozen=True, slots=True)
class ClosedRoute:
    """The requested route, the shorter route that is closed, and the zones that close it."""

    label: str
    distance_nm: float
    open_label: str
    open_distance_nm: float
    closed_by: tuple[str, ...]


def find_closed_route(
    vessel: Vessel,
    departure: Position,
    arrival: Position,
    starts_at: datetime,
    draft_m: float,
    avoided: Mapping[str, bool],
) -> ClosedRoute | None:
    """Find the shorter route that is closed by the zones a voyage avoids.

    ``avoided`` are the fields of :data:`SWITCHES`. ``None`` if there is none, and if
    no route is found: planning then reports the reason.
    """
    height_m = vessel.keel_to_mast_m
    ship = ShipSize(
        draft_m=draft_m,
        breadth_m=vessel.breadth_m,
        loa_m=vessel.loa_m,
        air_draft_m=None if height_m is None else height_m - draft_m,
    )

    def find(wishes: Mapping[str, bool]) -> SeaPath:
        request = {"startDate": format_instant(starts_at), "avoidEca": False, **wishes}
        zones = [zone for zone in list_zones(request) if zone.kind in _AVOIDABLE]
        return _find_path(departure, arrival, ship, zones)

    nothing: dict[str, Any] = dict.fromkeys(SWITCHES, False)
    try:
        asked, free = find(avoided), find(nothing)
        if asked.distance_nm <= free.distance_nm + 1.0 or asked.label == free.label:
            return None
        closing = [
            words
            for name, words in SWITCHES.items()
            if avoided[name] and find(nothing | {name: True}).label != free.label
        ]
    except VoyageError:
        return None
    return ClosedRoute(asked.label, asked.distance_nm, free.label, free.distance_nm, tuple(closing))


def _find_path(
    departure: Position, arrival: Position, ship: ShipSize, zones: Sequence[Area]
) -> SeaPath:
    """Find the shortest path outside zones; those that separate an end are entered, as by plans.

    Raises :class:`VoyageError` if there is none.
    """
    find = partial(sea.open_atlas().find_paths, departure, arrival, ship=ship, most=1)
    open_ids = {zone.id for zone in zones if find_end_inside(zone, departure, arrival)}
    path: SeaPath
    try:
        path = find(areas=list_relaxed(zones, open_ids))[0]
    except NoRoute:
        path = find(areas=list_relaxed(zones, {zone.id for zone in zones}))[0]
        lats, lngs = path.lats, path.lngs
        ends = lats[:-1], lngs[:-1], lats[1:], lngs[1:]
        open_ids = {zone.id for zone in zones if segments_within(zone.geometry, *ends).any()}
        path = find(areas=list_relaxed(zones, open_ids))[0]
    return path
