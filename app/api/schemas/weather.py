"""Weather in queries and answers."""

from typing import Any

import marshmallow as ma
from marshmallow import fields

from app.records.fields import Instant, QueryDegrees
from app.records.figures import count, instant, latitude, longitude, part, text, texts
from app.records.plan import SourcesSchema, WeatherSchema


class WeatherPointQuerySchema(ma.Schema):
    """A place and a time."""

    lat = QueryDegrees(-90, 90, required=True, description="Degrees north")
    lng = QueryDegrees(-180, 360, required=True, description="Degrees east, -180 to 360")
    time = Instant(
        required=True, description="RFC 3339", metadata={"type": "string", "format": "date-time"}
    )


class WeatherGridQuerySchema(ma.Schema):
    """A part of the chart, how close its points lie, and a time."""

    south = QueryDegrees(-90, 90, required=True, description="Degrees north")
    north = QueryDegrees(-90, 90, required=True, description="Degrees north")
    west = QueryDegrees(-360, 360, required=True, description="Degrees east")
    east = QueryDegrees(-360, 540, required=True, description="Degrees east, beyond west")
    step = QueryDegrees(0.1, 10, load_default=1.0, description="Distance of points [deg]")
    time = Instant(
        required=True, description="RFC 3339", metadata={"type": "string", "format": "date-time"}
    )


def _column(description: str) -> fields.List[Any]:
    return fields.List(
        fields.Float(), required=True, metadata={"description": f"{description}; row by row"}
    )


def _runs() -> fields.List[Any]:
    return texts("Names of the runs it comes from")


class WeatherGridSchema(ma.Schema):
    """Weather over a part of the chart, row by row from the north-west."""

    time = instant("When")
    lats = fields.List(
        fields.Float(), required=True, metadata={"description": "Latitudes of the rows [deg]"}
    )
    lngs = fields.List(
        fields.Float(), required=True, metadata={"description": "Longitudes of the columns [deg]"}
    )
    windU = _column("Wind towards the east [m/s]")
    windV = _column("Wind towards the north [m/s]")
    waveHeightM = _column("Significant wave height [m]")
    waveDirDeg = _column("Direction the waves come from [deg true]")
    currentU = _column("Current towards the east [kn]")
    currentV = _column("Current towards the north [kn]")
    sources = part(SourcesSchema, "Where each part comes from")
    weatherRuns = _runs()


class WeatherPointSchema(WeatherSchema):
    """Weather at a place and time, and the runs it comes from."""

    lat = latitude()
    lng = longitude()
    time = instant("When")
    weatherRuns = _runs()


class WeatherRunSchema(ma.Schema):
    """A model run in the store."""

    name = text("Name")
    source = text("Whose run it is")
    referenceTime = instant("When the model began")
    validFrom = instant("First time covered")
    validTo = instant("Last time covered")
    groups = texts("What it contains: wind, wave, current")
    members = fields.List(
        fields.Integer(),
        required=True,
        metadata={"description": "Numbers of the ensemble members of its wind and waves"},
    )
    notes = texts("What to know of it")
    sizeBytes = count("Size in the store [B]")
    importedAt = instant("When it was brought in")
