"""What a check of a route finds: frozen records."""

from dataclasses import dataclass
from enum import StrEnum

from app.engine.codes import Code
from app.engine.request import Position


class Severity(StrEnum):
    """How grave a finding is, the gravest first."""

    DANGER = "danger"
    WARNING = "warning"
    #: Not known to be safe.
    UNKNOWN = "unknown"
    NOTE = "note"


class FindingCode(Code):
    """What a finding is about."""

    LAND_CROSSED = ("LAND_CROSSED", "The leg crosses land.")
    TOO_SHALLOW = ("TOO_SHALLOW", "The leg crosses water charted too shallow for the ship.")
    LOW_UKC = ("LOW_UKC", "Less water under the keel than wanted, squat included.")
    DEPTH_UNKNOWN = ("DEPTH_UNKNOWN", "No depth is known for the leg, or for part of it.")
    CORRIDOR_TOO_WIDE = (
        "CORRIDOR_TOO_WIDE",
        "The cross-track distance claimed reaches land or water charted too shallow.",
    )
    AREA_ENTERED = ("AREA_ENTERED", "The leg enters an area while it is in force.")
    SEASON_CLOSED = ("SEASON_CLOSED", "The leg enters ice or waters that are shut by season.")
    LATITUDE_LIMIT = ("LATITUDE_LIMIT", "The leg passes a latitude limit.")
    PASSAGE_LIMIT = ("PASSAGE_LIMIT", "The ship is too large or too deep for a passage.")
    WRONG_WAY = ("WRONG_WAY", "The leg runs against the direction of a one-way lane.")
    TURN_TOO_TIGHT = ("TURN_TOO_TIGHT", "The turn is tighter than the ship turns.")
    LEG_TOO_SHORT = ("LEG_TOO_SHORT", "The leg has no room for the turns at its ends.")
    TURN_OUTSIDE_CORRIDOR = (
        "TURN_OUTSIDE_CORRIDOR",
        "The arc of the turn leaves the water that is clear beside the legs.",
    )
    SPEED_NOT_HELD = (
        "SPEED_NOT_HELD",
        "The ship cannot make the speed ordered, or be in time, in the weather of that hour.",
    )
    WEATHER_LIMIT = ("WEATHER_LIMIT", "Waves or wind exceed a limit.")
    ETA_INCONSISTENT = (
        "ETA_INCONSISTENT",
        "The times at the ends of the leg do not agree with its length and speed.",
    )
    SCHEDULE_REVERSED = ("SCHEDULE_REVERSED", "A waypoint is due no later than one before it.")
    SCHEDULE_MISSING = (
        "SCHEDULE_MISSING",
        "The route has neither times nor speeds; the speed of the request is taken.",
    )
    DUPLICATE_ID = ("DUPLICATE_ID", "Two waypoints of the file have the same id.")
    DUPLICATE_WAYPOINT = ("DUPLICATE_WAYPOINT", "Two waypoints in a row are one place.")
    POSITION_SWAPPED = ("POSITION_SWAPPED", "Latitude and longitude seem to be exchanged.")
    POSITION_SIGN = ("POSITION_SIGN", "Latitude or longitude seems to have the wrong sign.")
    OUT_OF_ORDER = ("OUT_OF_ORDER", "Two waypoints in a row seem to be exchanged.")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found on a route.

    ``leg_index`` is that of the leg that begins at the waypoint of that index, from 0; a finding
    is of a leg or of a waypoint. ``position`` is where; ``measured`` and ``required`` are in the
    unit that the message names.
    """

    code: FindingCode
    severity: Severity
    message: str
    waypoint_index: int | None = None
    leg_index: int | None = None
    position: Position | None = None
    measured: float | None = None
    required: float | None = None


def sort_findings(findings: list[Finding]) -> tuple[Finding, ...]:
    """Sort findings by severity, then along the route."""
    order = list(Severity)

    def key(finding: Finding) -> tuple[int, int]:
        at = finding.leg_index if finding.waypoint_index is None else finding.waypoint_index
        return order.index(finding.severity), -1 if at is None else at

    return tuple(sorted(findings, key=key))
