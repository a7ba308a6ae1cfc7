"""AIS positions in requests and responses."""

from typing import ClassVar

from app.records.figures import bearing, count, figure, instant, parts, text
from app.records.record import Record
from app.services.errors import MOST_FAULTS


class AisPositionSchema(Record):
    """A vessel's AIS position, at most one per minute."""

    timestamp = instant("Time of the position")
    latitude = figure("Latitude [deg north]", least=-90.0, greatest=90.0)
    longitude = figure("Longitude [deg east]", least=-180.0, greatest=180.0)
    speed = figure("Speed over ground [kn]", attribute="speed_kn")
    course = bearing(
        "Course over ground; null: not sent [deg true]", attribute="course_deg", allow_none=True
    )
    heading = bearing(
        "Heading; null: not sent [deg true]", attribute="heading_deg", allow_none=True
    )


class _AisFaultSchema(Record):
    """An invalid line."""

    class Meta:
        title = "AisFault"

    line = count("Line number, from 1", least=1)
    detail = text("Fault of the sentence")


class AisReportSchema(Record):
    """Result of an import of NMEA 0183 sentences."""

    computed: ClassVar = {
        "rejected": lambda received: len(received.faults),
        "items": lambda received: received.faults[:MOST_FAULTS],
    }

    class Meta:
        title = "AisReport"

    stored = count("Positions stored, at most one per minute")
    duplicates = count("Positions in minutes that already have one")
    otherShips = count("Positions of other ships")
    note = text(
        "Reason why no AIS message can be matched to the vessel; null if it has an MMSI",
        allow_none=True,
    )
    rejected = count("Invalid lines")
    items = parts(_AisFaultSchema, "Errors of up to 100 lines")
