"""Weather in queries and answers."""

import marshmallow as ma
from marshmallow import fields

from app.api.schemas.charting_record import WeatherSchema
from app.api.schemas.fields import Instant, QueryDegrees


class WeatherPointQuerySchema(ma.Schema):
    """A place and a time."""

    lat = QueryDegrees(-90, 90, required=True, metadata={"description": "Degrees north"})
    lng = QueryDegrees(
        -180, 360, required=True, metadata={"description": "Degrees east, -180 to 360"}
    )
    time = Instant(
        required=True,
        metadata={"type": "string", "format": "date-time", "description": "RFC 3339"},
    )


class WeatherPointSchema(WeatherSchema):
    """Weather at a place and time, and the runs it comes from."""

    lat = fields.Float(required=True, metadata={"description": "Degrees north"})
    lng = fields.Float(required=True, metadata={"description": "Degrees east, below 180"})
    time = fields.DateTime(required=True)
    weatherRuns = fields.List(fields.String(), required=True)


class WeatherRunSchema(ma.Schema):
    """A model run in the store."""

    name = fields.String(required=True)
    source = fields.String(required=True)
    referenceTime = fields.DateTime(required=True)
    validFrom = fields.DateTime(required=True)
    validTo = fields.DateTime(required=True)
    groups = fields.List(fields.String(), required=True)
    notes = fields.List(fields.String(), required=True)
    sizeBytes = fields.Integer(required=True)
    importedAt = fields.DateTime(required=True)
