"""Impact of an area on planned voyages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Any, Final, cast
from uuid import UUID

import shapely
from geoalchemy2 import Geometry
from geoalchemy2.elements import WKBElement
from geoalchemy2.shape import from_shape, to_shape
from shapely import MultiPolygon
from shapely.geometry.base import BaseGeometry
from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import Session, undefer

from app.models import Charting, ChartingRevision, utc_now
from app.records.instants import first_instant, format_instant, last_instant
from app.services.areas.area_stays import CrossedArea, Stay, list_stays
from app.services.areas.areas_in_force import list_newer_areas

#: Largest number of impacts in one response.
_MOST: Final = 50
#: Tolerance of simplified tracks on the chart [deg].
_DRAWN_WITHIN_DEG: Final = 0.02


@dataclass(frozen=True, slots=True)
class AreaImpact:
    """A voyage that passes through an area.

    ``lines`` are the parts of the track inside as (lat, lng) [deg].
    """

    charting_id: UUID
    vessel_name: str | None
    port_from_name: str
    port_to_name: str
    crossing: Stay
    lines: tuple[tuple[tuple[float, float], ...], ...]


def find_affected(
    session: Session,
    organization_id: UUID,
    geometry: MultiPolygon,
    *,
    first_day: date | None,
    last_day: date | None,
    vessel_type_codes: Sequence[int] | None = None,
) -> list[AreaImpact]:
    """Find planned voyages yet to pass through an area while it is in force, by time.

    ``geometry`` lies within -180..180; ``vessel_type_codes`` are the types to which the area
    applies, ``None`` for all. Of more than 50 voyages the newest are returned.
    """
    starts = first_instant(first_day) if first_day else None
    ends = last_instant(last_day) if last_day else None
    now = utc_now()
    in_force = (
        _build_impact(charting, revision, geometry, crossing)
        for charting, revision in _find_crossing(session, organization_id, geometry)
        if (vessel_type_codes is None or revision.vessel["type_code"] in vessel_type_codes)
        and (crossing := measure_crossing(revision.profile or [], geometry, starts, ends, now))
    )
    return sorted(islice(in_force, _MOST), key=lambda impact: impact.crossing.from_time)


def find_newly_crossed(session: Session, revision: ChartingRevision) -> list[CrossedArea]:
    """Find areas saved since a plan that its track will cross while they are in force, by time."""
    found = (
        CrossedArea(area, crossing)
        for area in list_newer_areas(session, revision)
        if (
            crossing := measure_crossing(
                revision.profile or [], area.geometry, area.starts_at, area.ends_at, utc_now()
            )
        )
    )
    return sorted(found, key=lambda crossed: crossed.crossing.from_time)


def list_planned_lines(session: Session, organization_id: UUID) -> list[list[tuple[float, float]]]:
    """List tracks of planned voyages not yet ended as lines of (lat, lng) [deg], newest first."""
    query = (
        select(func.ST_Simplify(ChartingRevision.track, _DRAWN_WITHIN_DEG, type_=Geometry))
        .join(Charting, _is_planned())
        .where(Charting.organization_id == organization_id, _has_not_ended())
        .order_by(Charting.id.desc())
        .limit(_MOST)
    )
    tracks = (to_shape(track) for track in session.scalars(query))
    return [
        [(round(lat, 4), round(lng, 4)) for lng, lat in part.coords]
        for track in tracks
        for part in shapely.get_parts(track)
    ]


def _is_planned() -> ColumnElement[bool]:
    return and_(
        ChartingRevision.charting_id == Charting.id,
        ChartingRevision.revision == Charting.completed_revision,
    )


def _has_not_ended() -> ColumnElement[bool]:
    arrives = ChartingRevision.summary["eta"].as_string()
    ahead: ColumnElement[bool] = arrives > format_instant(utc_now())
    return ahead


def _find_crossing(
    session: Session, organization_id: UUID, geometry: MultiPolygon
) -> Iterator[tuple[Charting, ChartingRevision]]:
    query = (
        select(Charting, ChartingRevision)
        .join(ChartingRevision, _is_planned())
        .where(
            Charting.organization_id == organization_id,
            _has_not_ended(),
            func.ST_Intersects(ChartingRevision.track, from_shape(geometry, srid=4326)),
        )
        .options(undefer(ChartingRevision.profile), undefer(ChartingRevision.track))
        .order_by(Charting.id.desc())
        .execution_options(yield_per=_MOST)
    )
    # closed also if the caller stops before the end
    with session.execute(query) as rows:
        yield from ((charting, revision) for charting, revision in rows)


def _build_impact(
    charting: Charting, revision: ChartingRevision, geometry: MultiPolygon, crossing: Stay
) -> AreaImpact:
    track = to_shape(cast("WKBElement", revision.track))
    parts = [part for part in shapely.get_parts(track.intersection(geometry)) if part.length > 0]
    return AreaImpact(
        charting_id=charting.id,
        vessel_name=revision.vessel_name,
        port_from_name=charting.port_from_name,
        port_to_name=charting.port_to_name,
        crossing=crossing,
        lines=tuple(tuple((lat, lng) for lng, lat in part.coords) for part in parts),
    )


def measure_crossing(
    profile: Sequence[dict[str, Any]],
    geometry: BaseGeometry,
    starts_at: datetime | None,
    ends_at: datetime | None,
    now: datetime,
) -> Stay | None:
    """Measure when and how far a voyage is yet to be inside an area in force.

    ``None`` if it never will be. ``geometry`` lies within -180..180.
    """
    stays = [s for s in list_stays(profile, geometry, starts_at, ends_at) if s.to_time > now]
    if not stays:
        return None
    inside_nm = sum(stay.inside_nm for stay in stays)
    return Stay(stays[0].from_time, stays[-1].to_time, inside_nm)
