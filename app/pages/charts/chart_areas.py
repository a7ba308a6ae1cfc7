"""Areas for the chart: outlines, and whether routes avoid them."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from geoalchemy2.shape import to_shape
from shapely.geometry import MultiPolygon, shape

from app.engine.area import AreaKind, AreaRule
from app.models import AreaRecord, ChartingRevision
from app.records.instants import parse_instant
from app.services.areas.area_stays import CrossedArea
from app.services.areas.areas_in_force import zone_catalogue
from app.services.engine_mapping import snapshot_area

#: Kinds of zones on the chart; ice is reported along the voyage instead.
_SHOWN = frozenset({AreaKind.ECA, AreaKind.PIRACY, AreaKind.WAR_RISK, AreaKind.ADVISORY})
#: A quarter of a pixel at zoom 8 [deg].
_TOLERANCE_DEG = 0.001


def list_zones_in_force(now: datetime) -> list[dict[str, Any]]:
    """List the built-in zones in force within a day of ``now``."""
    return [
        _area(zone.name, zone.kind, zone.geometry, avoided=False)
        for zone in zone_catalogue().zones
        if zone.kind in _SHOWN and any(zone.windows_between(now, now + timedelta(days=1)))
    ]


def list_constraints(found: Iterable[AreaRecord], today: date) -> list[dict[str, Any]]:
    """List active constraints; those that start later are shown as switched off."""
    return [
        _area(record.name, record.collection, to_shape(record.geometry), avoided=has_begun)
        | {"isOff": not has_begun}
        for record in found
        if record.is_active and not (record.end_date and record.end_date < today)
        for has_begun in [not (record.start_date and record.start_date > today)]
    ]


def list_areas_of_plan(
    planned: ChartingRevision, crossed: Iterable[CrossedArea]
) -> list[dict[str, Any]]:
    """List the areas in force for a plan, and those saved since that its track crosses."""
    newer = [snapshot_area(each.area) for each in crossed]
    numbers = {area["id"] for area in newer}
    older = keep_in_force(planned.areas or [], planned)
    return list_kept_areas([*(area for area in older if area["id"] not in numbers), *newer])


def list_kept_areas(kept: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """List the areas of a voyage, as they are stored with a revision."""
    return [
        _area(area["name"], area["kind"], shape(area["geometry"]), avoided=_is_avoided(area))
        for area in kept
        if _is_avoided(area) or area["kind"] in _SHOWN
    ]


def keep_in_force(
    areas: Iterable[Mapping[str, Any]],
    planned: ChartingRevision,
    departed_at: datetime | None = None,
) -> list[Mapping[str, Any]]:
    """Return those of some stored areas that are in force at any time of a plan's routes.

    ``departed_at`` is the departure if it was not the planned one.
    """
    plan = planned.plan
    if plan is None:
        return [*areas]
    departs_at = departed_at or parse_instant(planned.request["startDate"])
    routes = (plan, *plan["alternatives"])
    arrives_at = max(parse_instant(route["waypoints"][-1]["eta"]) for route in routes)
    return [
        area
        for area in areas
        if (area["startsAt"] is None or parse_instant(area["startsAt"]) <= arrives_at)
        and (area["endsAt"] is None or parse_instant(area["endsAt"]) >= departs_at)
    ]


def _is_avoided(area: Mapping[str, Any]) -> bool:
    return AreaRule(area["rule"]).forbids_entry


def _area(name: str, kind: str, geometry: MultiPolygon, *, avoided: bool) -> dict[str, Any]:
    thin = geometry.simplify(_TOLERANCE_DEG)
    parts = getattr(thin, "geoms", [thin])
    return {
        "name": name,
        "kind": str(kind),
        "avoided": avoided,
        "rings": [
            [[round(lat, 4), round(lng, 4)] for lng, lat in ring.coords]
            for part in parts
            for ring in (part.exterior, *part.interiors)
        ],
    }
