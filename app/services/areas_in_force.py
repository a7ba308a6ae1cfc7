"""Which areas bind a voyage, and how."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

from sqlalchemy.orm import Session

from app.engine.voyage import Area, AreaKind, AreaRule
from app.models import ChartingRevision
from app.services.instants import parse_instant
from app.services.no_go_areas import parse_no_go_areas
from app.zones import Zone, ZoneCatalogue, load_zones

#: No voyage is expected to last longer; zones that begin later are left out.
LONGEST_VOYAGE: Final = timedelta(days=120)

#: The field that says whether a kind of zone is avoided, and the rule if it is.
_AVOIDED: Final[Mapping[AreaKind, tuple[str, AreaRule]]] = {
    AreaKind.PIRACY: ("avoidPiracyAreas", AreaRule.NO_ENTRY_UNLESS_BOUND_THERE),
    AreaKind.WAR_RISK: ("avoidWarZones", AreaRule.NO_ENTRY_UNLESS_BOUND_THERE),
    AreaKind.ECA: ("avoidEca", AreaRule.PRICED),
}


def list_areas(session: Session, revision: ChartingRevision) -> Iterator[Area]:
    """Every area that a revision's planning is to know of."""
    yield from list_zones(revision.request)
    yield from parse_no_go_areas(revision.request["noGoAreas"] or [])


@cache
def zone_catalogue() -> ZoneCatalogue:
    """The built-in zones."""
    return load_zones()


def list_zones(request: Mapping[str, Any]) -> Iterator[Area]:
    """The built-in zones that are in force at some time of a voyage, by its own wishes."""
    start = parse_instant(request["startDate"])
    for zone in zone_catalogue().zones:
        yield from _areas_of(zone, _rule(zone.kind, request), start, start + LONGEST_VOYAGE)


def _rule(kind: AreaKind, request: Mapping[str, Any]) -> AreaRule:
    wish, rule = _AVOIDED.get(kind, (None, AreaRule.REPORTED))
    return rule if wish and request[wish] else AreaRule.REPORTED


def _areas_of(zone: Zone, rule: AreaRule, start: datetime, end: datetime) -> Iterator[Area]:
    """One area per span in which a zone is in force; one without a window if it always is."""
    area = Area(id=zone.id, name=zone.name, kind=zone.kind, rule=rule, geometry=zone.geometry)
    windows = list(zone.windows_between(start, end))
    if windows == [(start, end)]:
        yield area
        return
    for number, (begins, ends) in enumerate(windows, start=1):
        id_ = zone.id if len(windows) == 1 else f"{zone.id}-{number}"
        yield replace(area, id=id_, starts_at=begins, ends_at=ends)
