"""A route plan as GeoJSON (RFC 7946).

The first feature is the track, sampled along each leg's own line because
GeoJSON draws straight lines in longitude and latitude; it is split where it
crosses the antimeridian (section 3.1.9). The waypoints follow as points.
"""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from app.engine.geodesy import sample_leg
from app.engine.voyage import RoutePlan, Waypoint
from app.exports.formats import POSITION_DECIMALS, cut, remark, utc_time

#: Longitude and latitude [deg], in GeoJSON's order.
LngLat: TypeAlias = tuple[float, float]

#: A chord of this length leaves its great circle by less than 0.2 nm at 60 deg.
_LONGEST_CHORD_NM = 30.0


def render_geojson(plan: RoutePlan, *, route_name: str, revision: int) -> bytes:
    """Write the plan as a FeatureCollection in UTF-8."""
    track = {
        "name": route_name,
        "revision": revision,
        "label": plan.label,
        "distanceNm": round(plan.summary.distance_nm, 2),
        "eta": utc_time(plan.summary.eta),
        "remark": "Verify on the ECDIS before use",
    }
    collection = {
        "type": "FeatureCollection",
        "features": [
            _feature(_track_geometry(plan.waypoints), track),
            *(_waypoint_feature(waypoint) for waypoint in plan.waypoints),
        ],
    }
    return json.dumps(collection, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def split_at_antimeridian(line: Sequence[LngLat]) -> list[list[LngLat]]:
    """Cut a line wherever its shorter way leads over the antimeridian.

    The parts end and begin on the meridian, at longitude 180 on one side and
    -180 on the other. A part that would only touch the meridian is left out.
    """
    parts: list[list[LngLat]] = [[line[0]]]
    for (lng1, lat1), (lng2, lat2) in pairwise(line):
        if abs(lng2 - lng1) > 180.0:
            side = 180.0 if lng1 > lng2 else -180.0
            share = (side - lng1) / (lng2 + 2.0 * side - lng1)
            crossing = lat1 + share * (lat2 - lat1)
            parts[-1].append((side, crossing))
            parts.append([(-side, crossing)])
        parts[-1].append((lng2, lat2))
    return [part for part in map(_without_repeats, parts) if len(part) > 1]


def _without_repeats(part: Sequence[LngLat]) -> list[LngLat]:
    return [part[0], *(b for a, b in pairwise(part) if a != b)]


def _track_geometry(waypoints: Sequence[Waypoint]) -> dict[str, Any]:
    line: list[LngLat] = [(waypoints[0].position.lng, waypoints[0].position.lat)]
    for start, end in pairwise(waypoints):
        assert end.leg_geometry is not None  # noqa: S101 - every waypoint but the first ends a leg
        lats, lngs = sample_leg(start.position, end.position, end.leg_geometry, _LONGEST_CHORD_NM)
        line += zip(lngs[1:-1].tolist(), lats[1:-1].tolist(), strict=True)
        line.append((end.position.lng, end.position.lat))
    parts = [[_rounded(point) for point in part] for part in split_at_antimeridian(line)]
    if len(parts) == 1:
        return {"type": "LineString", "coordinates": parts[0]}
    return {"type": "MultiLineString", "coordinates": parts}


def _waypoint_feature(waypoint: Waypoint) -> dict[str, Any]:
    point = {
        "type": "Point",
        "coordinates": _rounded((waypoint.position.lng, waypoint.position.lat)),
    }
    return _feature(
        point,
        {
            "index": waypoint.index,
            "name": f"WP {waypoint.number:03d}",
            "eta": utc_time(waypoint.eta),
            "courseDeg": _maybe_rounded(waypoint.course_deg, 1),
            "legGeometry": waypoint.leg_geometry,
            "legDistanceNm": round(waypoint.leg_distance_nm, 2),
            "speedKn": _maybe_rounded(waypoint.speed_kn, 2),
            "xtdM": None if waypoint.xtd_m is None else cut(waypoint.xtd_m, 0),
            "inEca": waypoint.in_eca,
            "note": remark(waypoint) or None,
        },
    )


def _feature(geometry: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _rounded(point: LngLat) -> LngLat:
    return round(point[0], POSITION_DECIMALS), round(point[1], POSITION_DECIMALS)


def _maybe_rounded(value: float | None, decimals: int) -> float | None:
    return None if value is None else round(value, decimals)
