"""Areas that apply to a voyage, and their rules.

They are the built-in zones by the charting's options, the constraints and client
data for its vessel, and its own no-go areas. Each area has its window of time; the
engine determines whether the ship is inside during that window.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

from geoalchemy2.shape import to_shape
from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import Session

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.particulars import IceClass
from app.engine.planning.context import find_least_depth_m
from app.engine.planning.ice import find_ice_price, find_ice_rule
from app.engine.request import VoyageRequest
from app.models import AreaCollection, AreaLevel, AreaRecord, ChartingRevision
from app.records.instants import end_of_window, first_instant, parse_instant
from app.services.areas.charts import list_chart_areas, list_files
from app.services.areas.no_go_areas import parse_no_go_areas
from app.services.engine_mapping import build_voyage_request, read_ice_class
from app.services.identity import organizations
from app.zones.catalogue import Zone, ZoneCatalogue, load_zones

#: Time from a departure in which areas and zones may begin: no voyage lasts longer.
_AREAS_AHEAD: Final = timedelta(days=120)

#: Longest season of a zone.
_LONGEST_SEASON: Final = timedelta(days=366)

#: Request field by which a kind of zone is avoided, and the rule if it is.
_AVOIDED: Final[Mapping[AreaKind, tuple[str, AreaRule]]] = {
    AreaKind.PIRACY: ("avoidPiracyAreas", AreaRule.AVOID_UNLESS_ENDPOINT),
    AreaKind.WAR_RISK: ("avoidWarZones", AreaRule.AVOID_UNLESS_ENDPOINT),
    AreaKind.ECA: ("avoidEca", AreaRule.PRICED),
}


def build_present_request(
    session: Session, revision: ChartingRevision, since: datetime | None = None
) -> VoyageRequest:
    """Build the engine's request of a revision, with the areas and the UKC in force now.

    ``since`` is as in :func:`list_areas`.
    """
    margin_m = organizations.get(session, revision.organization_id).ukc_margin_m
    return build_voyage_request(revision, tuple(list_areas(session, revision, since)), margin_m)


def list_areas(
    session: Session, revision: ChartingRevision, since: datetime | None = None
) -> Iterator[Area]:
    """List all areas for the planning of a revision.

    ``since`` is the time from which they count if the ship sails before the planned start.
    """
    yield from list_zones(revision.request, read_ice_class(revision.vessel), since)
    yield from list_ordered_areas(session, revision, since)
    yield from parse_no_go_areas(revision.request["noGoAreas"] or [])
    if list_files():
        yield from list_chart_areas(_find_required_depth_m(session, revision))


def _find_required_depth_m(session: Session, revision: ChartingRevision) -> float:
    """Return the depth that a revision's ship requires at its highest ordered speed [m]."""
    margin_m = organizations.get(session, revision.organization_id).ukc_margin_m
    return find_least_depth_m(build_voyage_request(revision, (), margin_m))


def list_ordered_areas(
    session: Session, revision: ChartingRevision, since: datetime | None = None
) -> Iterator[Area]:
    """Active constraints and client data for a revision's vessel and time, oldest first.

    ``since`` is as in :func:`list_areas`.
    """
    return map(_area_of_record, session.scalars(_select_ordered(revision, since)))


def list_newer_areas(session: Session, revision: ChartingRevision) -> Iterator[Area]:
    """Those of :func:`list_ordered_areas` on the track that were saved since it was planned."""
    query = _select_ordered(revision, None).where(
        AreaRecord.updated_at > revision.started_at,
        func.ST_Intersects(AreaRecord.geometry, revision.track),
    )
    return map(_area_of_record, session.scalars(query))


def _select_ordered(revision: ChartingRevision, since: datetime | None) -> Select[AreaRecord]:
    starts_on = _find_start(revision.request, since).date()
    query = select(AreaRecord).where(
        AreaRecord.is_active,
        or_(AreaRecord.start_date.is_(None), AreaRecord.start_date <= starts_on + _AREAS_AHEAD),
        or_(AreaRecord.end_date.is_(None), AreaRecord.end_date >= starts_on),
        _reaches(revision),
    )
    return query.order_by(AreaRecord.id)


def _reaches(revision: ChartingRevision) -> ColumnElement[bool]:
    """Condition for areas that apply to the vessel: own ones, or constraints of an operator."""
    own = AreaRecord.organization_id == revision.organization_id
    operators = and_(
        AreaRecord.made_by_operator, AreaRecord.collection == AreaCollection.CONSTRAINT
    )
    levels = [
        AreaRecord.level == AreaLevel.GLOBAL,
        and_(
            AreaRecord.level == AreaLevel.ORGANIZATION,
            AreaRecord.organization_ids.any_() == revision.organization_id,
        ),
        and_(
            AreaRecord.level == AreaLevel.VESSEL_TYPE,
            AreaRecord.vessel_type_codes.any_() == revision.vessel["type_code"],
        ),
    ]
    return and_(or_(own, operators), or_(*levels))


def _area_of_record(record: AreaRecord) -> Area:
    starts_on, ends_on = record.start_date, record.end_date
    return Area(
        id=str(record.id),
        name=record.name,
        kind=AreaKind(record.collection),
        rule=AreaRule.NO_ENTRY,
        geometry=to_shape(record.geometry),
        starts_at=first_instant(starts_on) if starts_on else None,
        ends_at=end_of_window(ends_on),
    )


@cache
def zone_catalogue() -> ZoneCatalogue:
    """The built-in zones."""
    return load_zones()


def list_zones(
    request: Mapping[str, Any],
    ice_class: IceClass = IceClass.NONE,
    since: datetime | None = None,
) -> Iterator[Area]:
    """List the built-in zones in force at any time of a voyage, with rules by its options.

    The rules of ice zones depend on the ship's ice class. ``since`` is as in :func:`list_areas`.
    """
    start = _find_start(request, since)
    for zone in zone_catalogue().zones:
        area = _area_of_zone(zone, request, ice_class)
        yield from _date_area(area, zone, start, start + _AREAS_AHEAD)


def _find_start(request: Mapping[str, Any], since: datetime | None) -> datetime:
    """Return the earlier of a request's start and the time from which areas count."""
    start = parse_instant(request["startDate"])
    return min(start, since or start)


def _area_of_zone(zone: Zone, request: Mapping[str, Any], ice_class: IceClass) -> Area:
    if zone.ice is not None:
        rule = find_ice_rule(zone.ice, ice_class, port_calls=zone.port_calls)
        price = find_ice_price(zone.ice)
        return Area(zone.id, zone.name, zone.kind, rule, zone.geometry, price=price, ice=zone.ice)
    wish, rule = _AVOIDED.get(zone.kind, (None, AreaRule.REPORTED))
    if zone.kind is AreaKind.SEASON:
        rule = AreaRule.NO_ENTRY
    elif wish and not request[wish]:
        rule = AreaRule.REPORTED
    return Area(zone.id, zone.name, zone.kind, rule, zone.geometry)


def _date_area(area: Area, zone: Zone, start: datetime, end: datetime) -> Iterator[Area]:
    """Yield an area per window that begins by ``end``, without a window if it always is in force.

    A window has the end of its season, even if that is after ``end``.
    """
    horizon = end + _LONGEST_SEASON
    windows = [window for window in zone.windows_between(start, horizon) if window[0] <= end]
    if windows == [(start, horizon)]:
        yield area
        return
    for number, (begins, ends) in enumerate(windows, start=1):
        id_ = zone.id if len(windows) == 1 else f"{zone.id}-{number}"
        yield replace(area, id=id_, starts_at=begins, ends_at=ends)
