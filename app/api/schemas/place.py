"""Ports and built-in zones in queries and answers."""

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
        description="Words that words of the port's name, other names or country begin"
        " with, or a UN/LOCODE; case and accents do not count",
        metadata={"example": "rotterdam"},
    )
    limit = QueryNumber(
        load_default=20, validate=validate.Range(1, 100), description="Ports at most"
    )


class PortSchema(ma.Schema):
    """A port of the World Port Index."""

    id = text("Index number; nidFrom, nidTo")
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
    maxDraftM = known("Deepest draught taken [m]")


class ZoneQuerySchema(ma.Schema):
    """Filters of zones."""

    kind = Choice(sorted(ZONE_KINDS), load_default=None, description="Those of this kind")


class BoundarySchema(ma.Schema):
    """A part of a zone's outline."""

    part = text("Which part")
    quality = Word(
        BoundaryQuality, "verbatim: the rule's own coordinates; approximate: drawn after it"
    )
    source = text("Where it stands written")


class ZoneSchema(ma.Schema):
    """A built-in zone."""

    id = text("Id")
    name = text("Name")
    kind = fields.String(
        required=True,
        metadata={"description": "What it is for", "enum": sorted(map(str, ZONE_KINDS))},
    )
    inForceFrom = fields.Date(
        required=True, allow_none=True, metadata={"description": "First day in force (UTC)"}
    )
    inForceUntil = fields.Date(
        required=True,
        allow_none=True,
        metadata={"description": "First day no longer in force (UTC)"},
    )
    months = fields.List(
        fields.Integer(validate=validate.Range(1, 12)),
        required=True,
        metadata={"description": "In force in these months only; always where empty"},
    )
    yearly = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        allow_none=True,
        metadata={
            "description": "For locks that shut every winter: the day they shut (from) and the"
            " day they open (until), MM-DD in UTC"
        },
    )
    hazard = Word(IceHazard, "Kind of ice", allow_none=True)
    iceClass = Word(IceClass, "Lowest ice class at home in this ice", allow_none=True)
    portCalls = flag(
        "Whether ships below that class may call at ports inside, with a"
        " warning; elsewhere they are refused",
        allow_none=True,
    )
    pollutants = texts("What an ECA limits")
    remarks = text("What else is to be known")
    quality = Word(BoundaryQuality, "verbatim only where every part of the boundary is")
    boundaries = parts(BoundarySchema, "Parts of its outline and their sources")
    geometry = fields.Raw(
        required=True,
        metadata=GEOMETRY_DOCUMENTATION
        | {"description": "GeoJSON MultiPolygon [deg], split at the antimeridian"},
    )


class ZoneListSchema(ma.Schema):
    """The built-in zones."""

    items = parts(ZoneSchema, "All of them")
    total = count("How many there are")
    version = text("Digest of all zone data, as in a provenance")
