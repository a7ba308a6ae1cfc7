"""Weather in queries and responses."""

from typing import Any, Final

import marshmallow as ma
from marshmallow import fields

from app.engine.weather.records import WeatherSource
from app.records.fields import Instant, QueryDegrees
from app.records.figures import (
    Figure,
    Word,
    count,
    figure,
    instant,
    latitude,
    listed,
    longitude,
    part,
    text,
    texts,
)
from app.records.plan import SourcesSchema, WeatherSchema
from app.records.record import Record

#: Fields and sources that do not apply on land.
SEA_FIELDS: Final = ("waveHeightM", "wavePeriodS", "waveDirDeg", "currentSpeedKn", "currentDirDeg")
SEA_SOURCES: Final = ("wave", "current")
_ON_LAND: Final = "null on land"


class WeatherPointQuerySchema(ma.Schema):
    """A position and a time."""

    lat = QueryDegrees(-90, 90, required=True, description="Latitude [deg]")
    lng = QueryDegrees(-180, 360, required=True, description="Longitude [deg], -180 to 360")
    time = Instant(required=True, description="Time, RFC 3339")


class WeatherGridQuerySchema(ma.Schema):
    """An area, the spacing of its grid, and a time."""

    south = QueryDegrees(-90, 90, required=True, description="Latitude [deg]")
    north = QueryDegrees(-90, 90, required=True, description="Latitude [deg]")
    west = QueryDegrees(-360, 360, required=True, description="Longitude [deg]")
    east = QueryDegrees(-360, 540, required=True, description="Longitude [deg], greater than west")
    step = QueryDegrees(0.1, 10, load_default=1.0, description="Spacing of the grid [deg]")
    time = Instant(required=True, description="Time, RFC 3339")


def _at_sea(description: str, **options: Any) -> Figure:
    """A number that exists at sea only."""
    return figure(f"{description}; {_ON_LAND}", allow_none=True, **options)


def _column(description: str, *, is_at_sea: bool = False) -> fields.List[Any]:
    words = f"{description}, null where unknown" if is_at_sea else description
    return listed(fields.Float(allow_none=is_at_sea), f"{words}; row by row")


def _runs() -> fields.List[Any]:
    return texts("Names of the forecast runs used")


class SourcesAtPointSchema(SourcesSchema):
    """Sources of each part of the weather at a position."""

    wave = Word(WeatherSource, f"Source of the waves; {_ON_LAND}", allow_none=True)
    current = Word(WeatherSource, f"Source of the current; {_ON_LAND}", allow_none=True)


class WeatherGridSchema(ma.Schema):
    """Weather on a grid, row by row from the north-west."""

    time = instant("Time")
    lats = listed(fields.Float(), "Latitudes of the rows [deg]")
    lngs = listed(fields.Float(), "Longitudes of the columns [deg]")
    windU = _column("Wind towards the east [m/s]")
    windV = _column("Wind towards the north [m/s]")
    waveHeightM = _column("Significant wave height [m]", is_at_sea=True)
    waveDirDeg = _column("Direction the waves come from [deg true]", is_at_sea=True)
    currentU = _column("Current towards the east [kn]", is_at_sea=True)
    currentV = _column("Current towards the north [kn]", is_at_sea=True)
    sources = part(SourcesAtPointSchema, "Sources of wind, waves and current")
    weatherRuns = _runs()


class WeatherPointSchema(WeatherSchema):
    """Weather at a position and time; without waves and current on land."""

    waveHeightM = _at_sea("Significant wave height [m]")
    wavePeriodS = _at_sea("Wave period [s]")
    waveDirDeg = _at_sea("Direction the waves come from [deg true]", greatest=360.0)
    currentSpeedKn = _at_sea("Speed of the current [kn]")
    currentDirDeg = _at_sea("Direction the current sets towards [deg true]", greatest=360.0)
    sources = part(SourcesAtPointSchema, "Source of each part")

    lat = latitude()
    lng = longitude()
    time = instant("Time")
    weatherRuns = _runs()


class WeatherRunSchema(Record):
    """A stored forecast run."""

    name = text("Name")
    source = text("Provider of the run")
    referenceTime = instant("Reference time of the model")
    validFrom = instant("First time covered")
    validTo = instant("Last time covered")
    groups = texts("Contents: wind, wave, current")
    members = listed(fields.Integer(), "Numbers of the ensemble members of its wind and waves")
    notes = texts("Notes")
    sizeBytes = count("Stored size [B]")
    importedAt = instant("Time of the import")
