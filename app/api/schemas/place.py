"""Ports and built-in zones in queries and responses."""

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.area import GEOMETRY_DOCUMENTATION
from app.datasources.ports import HarborSize
from app.engine.area import IceHazard
from app.engine.particulars import IceClass
from app.records.fields import Choice, QueryNumber, Text
from app.records.figures import Word, count, flag, known, latitude, longitude, parts, text, texts
from app.zones import BoundaryQuality
from app.zones.catalogue import ZONE_KINDS


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


class PortSchema(ma.Schema):
    """A port of the World Port Index."""

    id = text("Number in the index, for nidFrom and nidTo")
    name = text("Name")
    alternateNames = texts("Other names")
    locode = text("UN/LOCODE without its space", allow_none=True)
    country = text("Country")
    lat = latitude("Latitude [deg]; the position may be ashore")
    lng = longitude()
    size = fields.String(
        required=True,
        metadata={"description": "Size of the harbour", "enum": [size.name for size in HarborSize]},
    )
    channelDepthM = known("Depth of the channel [m]")
    cargoPierDepthM = known("Depth at the cargo piers [m]")
    maxDraftM = known("Maximum draught [m]")


class ZoneQuerySchema(ma.Schema):
    """Filters of zones."""

    kind = Choice(sorted(ZONE_KINDS), load_default=None, description="Only zones of this kind")


class BoundarySchema(ma.Schema):
    """A part of a zone's outline."""

    part = text("Name of the part")
    quality = Word(
        BoundaryQuality, "verbatim: coordinates of the regulation; approximate: drawn from its text"
    )
    source = text("Source")


class ZoneSchema(ma.Schema):
    """A built-in zone."""

    id = text("Id")
    name = text("Name")
    kind = fields.String(
        required=True,
        metadata={"description": "Kind of zone", "enum": sorted(map(str, ZONE_KINDS))},
    )
    inForceFrom = fields.Date(
        required=True, allow_none=True, metadata={"description": "First day in force (UTC)"}
    )
    inForceUntil = fields.Date(
        required=True,
        allow_none=True,
        metadata={"description": "First day after it was in force (UTC)"},
    )
    months = fields.List(
        fields.Integer(validate=validate.Range(1, 12)),
        required=True,
        metadata={"description": "Months in force; empty: all year"},
    )
    yearly = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        allow_none=True,
        metadata={
            "description": "For locks that close every winter: first day closed (from) and"
            " day of opening (until), MM-DD in UTC"
        },
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
