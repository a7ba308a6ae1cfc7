"""Ports and built-in zones."""

from typing import Any

from flask import Response

from app.api import present
from app.api.conditional import state_tag, tagged
from app.api.operation import ApiBlueprint, RequestContext, json_response
from app.api.schemas.common import list_of
from app.api.schemas.place import (
    PortQuerySchema,
    PortSchema,
    ZoneListSchema,
    ZoneQuerySchema,
    ZoneSchema,
)
from app.datasources.port_search import search_ports
from app.models import Scope
from app.services.areas.areas_in_force import zone_catalogue

ports = ApiBlueprint("Ports", __name__, description="Ports of the world by name and UN/LOCODE")
zones = ApiBlueprint(
    "Zones", __name__, description="Emission control, piracy, war-risk, ice and advisory areas"
)


@ports.operation("GET", "/ports", Scope.READ)
@ports.arguments(PortQuerySchema, location="query")
@ports.response(200, list_of(PortSchema))
def list_ports(_context: RequestContext, query: dict[str, Any]) -> Response:
    """Search ports by name or UN/LOCODE, best match first."""
    found = search_ports(query["search"], query["limit"])
    return json_response(present.listed(found, PortSchema.write))


@zones.operation("GET", "/zones", Scope.READ)
@zones.arguments(ZoneQuerySchema, location="query")
@zones.response(200, ZoneListSchema)
def list_zones(_context: RequestContext, query: dict[str, Any]) -> Response:
    """List the built-in zones with their dates in force and the sources of their boundaries."""
    catalogue, kind = zone_catalogue(), query["kind"]
    found = [zone for zone in catalogue.zones if kind in (None, zone.kind)]
    shown = present.listed(found, ZoneSchema.write) | {"version": catalogue.version}
    return tagged(json_response(shown), state_tag("zones", catalogue.version, kind))
