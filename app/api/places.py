"""Ports and built-in zones."""

from datetime import datetime
from typing import Any

from flask import Response
from shapely.geometry import mapping

from app.api.conditional import state_tag, tagged
from app.api.operation import ApiBlueprint, RequestContext, json_response
from app.api.schemas.common import list_of
from app.api.schemas.place import PortQuerySchema, PortSchema, ZoneListSchema, ZoneQuerySchema
from app.datasources.port_search import search_ports
from app.datasources.ports import Port
from app.services.areas.areas_in_force import zone_catalogue
from app.zones import Zone

ports = ApiBlueprint("Ports", __name__, description="Ports of the world by name and UN/LOCODE")
zones = ApiBlueprint(
    "Zones", __name__, description="Emission control, piracy, war-risk, ice and advisory areas"
)


@ports.operation("GET", "/ports")
@ports.arguments(PortQuerySchema, location="query")
@ports.response(200, list_of(PortSchema))
def list_ports(_context: RequestContext, query: dict[str, Any]) -> Response:
    """Search ports by name or UN/LOCODE, best match first."""
    items = [_present_port(port) for port in search_ports(query["search"], query["limit"])]
    return json_response({"items": items, "total": len(items)})


@zones.operation("GET", "/zones")
@zones.arguments(ZoneQuerySchema, location="query")
@zones.response(200, ZoneListSchema)
def list_zones(_context: RequestContext, query: dict[str, Any]) -> Response:
    """List the built-in zones with their dates in force and the sources of their boundaries."""
    catalogue, kind = zone_catalogue(), query["kind"]
    items = [_present_zone(zone) for zone in catalogue.zones if kind in (None, zone.kind)]
    shown = {"items": items, "total": len(items), "version": catalogue.version}
    return tagged(json_response(shown), state_tag("zones", catalogue.version, kind))


def _present_port(port: Port) -> dict[str, Any]:
    return {
        "id": port.id,
        "name": port.name,
        "alternateNames": [*port.alternate_names, *port.other_names],
        "locode": port.locode,
        "country": port.country,
        "lat": port.position.lat,
        "lng": port.position.lng,
        "size": port.size.name,
        "channelDepthM": port.channel_depth_m,
        "cargoPierDepthM": port.cargo_pier_depth_m,
        "maxDraftM": port.max_draft_m,
    }


def _present_zone(zone: Zone) -> dict[str, Any]:
    return {
        "id": zone.id,
        "name": zone.name,
        "kind": str(zone.kind),
        "inForceFrom": _day(zone.in_force_from),
        "inForceUntil": _day(zone.in_force_until),
        "months": list(zone.months),
        "yearly": _yearly(zone),
        "hazard": None if zone.ice is None else str(zone.ice.hazard),
        "iceClass": None if zone.ice is None else str(zone.ice.class_needed),
        "portCalls": zone.port_calls if zone.ice is not None else None,
        "pollutants": list(zone.pollutants),
        "remarks": zone.remarks,
        "quality": str(zone.quality),
        "boundaries": [
            {"part": part.part, "quality": str(part.quality), "source": part.source}
            for part in zone.boundaries
        ],
        "geometry": mapping(zone.geometry),
    }


def _yearly(zone: Zone) -> dict[str, str] | None:
    if zone.yearly is None:
        return None
    days = zip(("from", "until"), zone.yearly, strict=True)
    return {name: f"{month:02d}-{day:02d}" for name, (month, day) in days}


def _day(instant: datetime | None) -> str | None:
    return None if instant is None else instant.date().isoformat()
