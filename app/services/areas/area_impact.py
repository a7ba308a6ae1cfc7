"""Impact of an area on planned voyages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Any, Final, cast
from uuid import UUID

import numpy as np
import shapely
from geoalchemy2 import Geometry
from geoalchemy2.elements import WKBElement
from geoalchemy2.shape import from_shape, to_shape
from shapely import MultiPolygon
from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import Session, undefer

from app.engine.arrays import Bools, Floats
from app.models import Charting, ChartingRevision, utc_now
from app.records.instants import first_instant, format_instant, last_instant, parse_instant

#: Largest number of impacts in one response.
_MOST: Final = 50
#: Tolerance of simplified tracks on the chart [deg].
_DRAWN_WITHIN_DEG: Final = 0.02


@dataclass(frozen=True, slots=True)
class AreaImpact:
    """A voyage that passes through an area.

    ``from_time`` and ``to_time`` are the first and last time inside, ``inside_nm`` the
    distance inside, ``lines`` the parts of the track inside as (lat, lng) [deg].
    """

    charting_id: UUID
    vessel_name: str | None
    port_from_name: str
    port_to_name: str
    from_time: datetime
    to_time: datetime
    inside_nm: float
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
    """Find planned voyages not yet ended that pass through an area while it is in force, by time.

    ``geometry`` lies within -180..180; ``vessel_type_codes`` are the types to which the area
    applies, ``None`` for all. Of more than 50 voyages the newest are returned.
    """
    found = (
        _build_impact(charting, revision, geometry)
        for charting, revision in _find_crossing(session, organization_id, geometry)
        if vessel_type_codes is None or revision.vessel["type_code"] in vessel_type_codes
    )
    starts = first_instant(first_day) if first_day else None
    ends = last_instant(last_day) if last_day else None
    in_force = (
        impact
        for impact in found
        if (starts is None or impact.to_time >= starts)
        and (ends is None or impact.from_time <= ends)
    )
    return sorted(islice(in_force, _MOST), key=lambda impact: impact.from_time)


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
    charting: Charting, revision: ChartingRevision, geometry: MultiPolygon
) -> AreaImpact:
    track = to_shape(cast("WKBElement", revision.track))
    inside = [part for part in shapely.get_parts(track.intersection(geometry)) if part.length > 0]
    first, last, inside_nm = _times_inside(revision.profile or [], geometry)
    return AreaImpact(
        charting_id=charting.id,
        vessel_name=revision.vessel_name,
        port_from_name=charting.port_from_name,
        port_to_name=charting.port_to_name,
        from_time=first,
        to_time=last,
        inside_nm=inside_nm,
        lines=tuple(tuple((lat, lng) for lng, lat in part.coords) for part in inside),
    )


def _times_inside(
    profile: Sequence[dict[str, Any]], geometry: MultiPolygon
) -> tuple[datetime, datetime, float]:
    """Return the first and last time of a voyage inside, and the distance inside [nm]."""
    places = np.array([(point["lng"], point["lat"]) for point in profile])
    ends = np.stack([places[:-1], places[1:]], axis=1)
    lines = shapely.linestrings(ends[_is_short(ends)])
    share = shapely.length(shapely.intersection(lines, geometry)) / shapely.length(lines)
    miles = np.diff([point["cumulativeNm"] for point in profile])[_is_short(ends)]
    inside_pieces = np.flatnonzero(_is_short(ends))[shapely.intersects(lines, geometry)]
    return (
        parse_instant(profile[inside_pieces[0]]["time"]),
        parse_instant(profile[inside_pieces[-1] + 1]["time"]),
        float(np.nansum(share * miles)),
    )


def _is_short(ends: Floats) -> Bools:
    """Mask of segments that have a length and do not cross the antimeridian."""
    across = np.abs(ends[:, 1, 0] - ends[:, 0, 0])
    moved: Bools = (across > 0.0) | (ends[:, 0, 1] != ends[:, 1, 1])
    return moved & (across < 180.0)
