"""Findings of a route check, as stored and served."""

from app.engine.codes import FindingCode, Severity
from app.records.figures import Word, count, known, latitude, longitude, text
from app.records.record import Record
from app.records.rounding import POSITION_DECIMALS, round_longitude, round_to


class FindingSchema(Record):
    """One thing found on a route."""

    code = Word(FindingCode, "Kind of the finding")
    severity = Word(Severity, "danger, warning, unknown (no data decide it) or note")
    message = text("The finding in one sentence; it counts waypoints from 1")
    waypointIndex = count("The waypoint, from 0; null for others", allow_none=True)
    legIndex = count(
        "The leg that begins at the waypoint of that index, from 0; null for others",
        allow_none=True,
    )
    lat = latitude("Latitude [deg]; null where it has no place", attribute="position.lat",
                   allow_none=True, write=round_to(POSITION_DECIMALS))  # fmt: skip
    lng = longitude("Longitude [deg], below 180; null where it has no place",
                    attribute="position.lng", allow_none=True, write=round_longitude)  # fmt: skip
    measured = known("Value found [in the unit that the message names]", 3, least=None)
    required = known("Value needed or allowed [in the same unit]", 3, least=None)
    line = count("Line of the file; null where none is known", least=1, allow_none=True)
