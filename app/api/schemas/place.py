"""Ports and built-in zones in queries and responses."""

from datetime import datetime
from typing import ClassVar

import marshmallow as ma
from marshmallow import fields, validate
from shapely.geometry import mapping

from app.api.schemas.area import GEOMETRY_DOCUMENTATION
from app.datasources.ports import HarborSize
from app.engine.area import IceHazard
from app.engine.particulars import IceClass
from app.records.fields import Choice, QueryNumber, Text
from app.records.figures import (
    Word,
    count,
    flag,
    known,
    latitude,
    listed,
    longitude,
    mapped,
    parts,
    text,
    texts,
)
from app.records.record import Record
from app.zones.catalogue import ZONE_KINDS, BoundaryQuality, Zone


class PortQuerySchema(ma.Schema):
    """Filters of ports."""

    search = Text(
        required=True,
        longest=100,
        description="Beginnings of words in the port's name, other names or country,"
        " or a UN/LOCODE; case and accents are ignored",
        metadata={"example": "rotterdam"},
    )
    limit = QueryNumber(
        load_default=20, validate=validate.Range(1, 100), description="Maximum number of ports"
    )


class PortSchema(Record):
    """A port of the World Port Index."""

    computed: ClassVar = {"alternateNames": lambda port: [*port.alternate_names, *port.other_names]}

    id = text("Number in the index, for nidFrom and nidTo")
    name = text("Name")
    alternateNames = texts("Other names")
    locode = text("UN/LOCODE without its space", allow_none=True)
    country = text("Country")
    lat = latitude("Latitude [deg]; the position may be ashore", attribute="position.lat")
    lng = longitude(attribute="position.lng")
    size = Word([size.name for size in HarborSize], "Size of the harbour", attribute="size.name")
    channelDepthM = known("Depth of the channel [m]")
    cargoPierDepthM = known("Depth at the cargo piers [m]")
    maxDraftM = known("Maximum draught [m]")


class ZoneQuerySchema(ma.Schema):
    """Filters of zones."""

    kind = Choice(sorted(ZONE_KINDS), load_default=None, description="Only zones of this kind")


class BoundarySchema(Record):
    """A part of a zone's outline."""

    part = text("Name of the part")
    quality = Word(
        BoundaryQuality, "verbatim: coordinates of the regulation; approximate: drawn from its text"
    )
    source = text("Source")


def _day(instant: datetime | None) -> str | None:
    return None if instant is None else instant.date().isoformat()


def _find_yearly(zone: Zone) -> dict[str, str] | None:
    if zone.yearly is None:
        return None
    days = zip(("from", "until"), zone.yearly, strict=True)
    return {name: f"{month:02d}-{day:02d}" for name, (month, day) in days}


class ZoneSchema(Record):
    """A built-in zone."""

    computed: ClassVar = {
        "inForceFrom": lambda zone: _day(zone.in_force_from),
        "inForceUntil": lambda zone: _day(zone.in_force_until),
        "yearly": _find_yearly,
        "hazard": lambda zone: zone.ice and zone.ice.hazard,
        "iceClass": lambda zone: zone.ice and zone.ice.class_needed,
        "portCalls": lambda zone: zone.port_calls if zone.ice else None,
        "geometry": lambda zone: mapping(zone.geometry),
    }

    id = text("Id")
    name = text("Name")
    kind = Word(sorted(map(str, ZONE_KINDS)), "Kind of zone")
    inForceFrom = fields.Date(
        required=True, allow_none=True, metadata={"description": "First day in force (UTC)"}
    )
    inForceUntil = fields.Date(
        required=True,
        allow_none=True,
        metadata={"description": "First day after it was in force (UTC)"},
    )
    months = listed(
        fields.Integer(validate=validate.Range(1, 12)), "Months in force; empty: all year"
    )
    yearly = mapped(
        "For locks that close every winter: first day closed (from) and day of opening (until),"
        " MM-DD in UTC",
        keys=fields.String(),
        values=fields.String(),
        allow_none=True,
    )
    hazard = Word(IceHazard, "Kind of ice", allow_none=True)
    iceClass = Word(IceClass, "Lowest ice class suitable for this ice", allow_none=True)
    portCalls = flag(
        "Whether ships below that class may call at ports inside, with a"
        " warning; otherwise the zone is closed to them",
        allow_none=True,
    )
    pollutants = texts("Pollutants limited in an ECA")
    remarks = text("Remarks")
    quality = Word(BoundaryQuality, "verbatim if all parts of the boundary are")
    boundaries = parts(BoundarySchema, "Parts of the boundary and their sources")
    geometry = fields.Raw(
        required=True,
        metadata=GEOMETRY_DOCUMENTATION
        | {"description": "GeoJSON MultiPolygon [deg], split at the antimeridian"},
    )


class ZoneListSchema(ma.Schema):
    """The built-in zones."""

    items = parts(ZoneSchema, "All zones")
    total = count("Number of zones")
    version = text("Digest of all zone data, as in a provenance")
