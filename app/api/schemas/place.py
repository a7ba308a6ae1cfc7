"""Ports and built-in zones in queries and answers."""

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.area import GEOMETRY_DOCUMENTATION
from app.datasources.ports import HarborSize
from app.engine.area import IceHazard
from app.engine.particulars import IceClass
from app.records.fields import Choice, QueryNumber, Text
from app.records.figures import count, known, latitude, longitude
from app.zones import BoundaryQuality
from app.zones.catalogue import ZONE_KINDS


class PortQuerySchema(ma.Schema):
    """Filters of ports."""

    search = Text(
        required=True,
        longest=100,
        metadata={
            "description": "Words that words of the port's name, other names or country begin"
            " with, or a UN/LOCODE; case and accents do not count",
            "example": "rotterdam",
        },
    )
    limit = QueryNumber(
        load_default=20,
        validate=validate.Range(1, 100),
        metadata={"description": "Ports at most"},
    )


class PortSchema(ma.Schema):
    """A port of the World Port Index."""

    id = fields.String(required=True, metadata={"description": "Index number; nidFrom, nidTo"})
    name = fields.String(required=True, metadata={"description": "Name"})
    alternateNames = fields.List(
        fields.String(), required=True, metadata={"description": "Other names"}
    )
    locode = fields.String(
        required=True, allow_none=True, metadata={"description": "UN/LOCODE without its space"}
    )
    country = fields.String(required=True, metadata={"description": "Country"})
    lat = latitude("Latitude [deg]; the position may be ashore")
    lng = longitude()
    size = fields.String(
        required=True,
        metadata={
            "description": "Size of the harbour",
            "enum": [size.name for size in HarborSize],
        },
    )
    channelDepthM = known("Depth of the channel [m]")
    cargoPierDepthM = known("Depth at the cargo piers [m]")
    maxDraftM = known("Deepest draught taken [m]")


class ZoneQuerySchema(ma.Schema):
    """Filters of zones."""

    kind = Choice(
        sorted(ZONE_KINDS), load_default=None, metadata={"description": "Those of this kind"}
    )


class BoundarySchema(ma.Schema):
    """A part of a zone's outline."""

    part = fields.String(required=True, metadata={"description": "Which part"})
    quality = fields.String(
        required=True,
        metadata={
            "enum": [str(quality) for quality in BoundaryQuality],
            "description": "verbatim: the rule's own coordinates; approximate: drawn after it",
        },
    )
    source = fields.String(required=True, metadata={"description": "Where it stands written"})


class ZoneSchema(ma.Schema):
    """A built-in zone."""

    id = fields.String(required=True, metadata={"description": "Id"})
    name = fields.String(required=True, metadata={"description": "Name"})
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
    hazard = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Kind of ice", "enum": [*map(str, IceHazard), None]},
    )
    iceClass = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "Lowest ice class at home in this ice",
            "enum": [*map(str, IceClass), None],
        },
    )
    portCalls = fields.Boolean(
        required=True,
        allow_none=True,
        metadata={
            "description": "Whether ships below that class may call at ports inside, with a"
            " warning; elsewhere they are refused"
        },
    )
    pollutants = fields.List(
        fields.String(), required=True, metadata={"description": "What an ECA limits"}
    )
    remarks = fields.String(required=True, metadata={"description": "What else is to be known"})
    quality = fields.String(
        required=True,
        metadata={
            "enum": [str(quality) for quality in BoundaryQuality],
            "description": "verbatim only where every part of the boundary is",
        },
    )
    boundaries = fields.List(
        fields.Nested(BoundarySchema),
        required=True,
        metadata={"description": "Parts of its outline and their sources"},
    )
    geometry = fields.Raw(
        required=True,
        metadata=GEOMETRY_DOCUMENTATION
        | {"description": "GeoJSON MultiPolygon [deg], split at the antimeridian"},
    )


class ZoneListSchema(ma.Schema):
    """The built-in zones."""

    items = fields.List(
        fields.Nested(ZoneSchema), required=True, metadata={"description": "All of them"}
    )
    total = count("How many there are")
    version = fields.String(
        required=True, metadata={"description": "Digest of all zone data, as in a provenance"}
    )
