"""Positions by AIS in requests and answers."""

import marshmallow as ma

from app.api.schemas.telemetry import TelemetryQuerySchema
from app.records.figures import Time, count, figure, parts, text
from app.records.record import Record

AisQuerySchema = TelemetryQuerySchema


class AisPositionSchema(Record):
    """A vessel's position by AIS, one of each minute."""

    timestamp = Time(
        required=True,
        metadata={"type": "string", "format": "date-time", "description": "When it was there"},
    )
    latitude = figure("Latitude [deg north]", least=-90.0, greatest=90.0)
    longitude = figure("Longitude [deg east]", least=-180.0, greatest=180.0)
    speed = figure("Speed over ground [kn]", attribute="speed_kn")
    course = figure(
        "Course over ground; null: not sent [deg true]", attribute="course_deg", allow_none=True
    )
    heading = figure("Heading; null: not sent [deg true]", attribute="heading_deg", allow_none=True)


class _AisFaultSchema(ma.Schema):
    """A line that cannot be used."""

    class Meta:
        title = "AisFault"

    line = count("Line, counted from 1", least=1)
    detail = text("What is wrong with it")


class AisReportSchema(ma.Schema):
    """What became of the sentences of a file."""

    class Meta:
        title = "AisReport"

    stored = count("Positions stored, one of each minute")
    duplicates = count("Positions of minutes that have one already")
    otherShips = count("Positions of other ships")
    rejected = count("Lines that cannot be used")
    items = parts(_AisFaultSchema, "What is wrong, with up to 100 lines")
