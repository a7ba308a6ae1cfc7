"""Critical points, and what their finders share."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum

from app.engine.plan import ProfilePoint, RoutePlan, Waypoint, Weather
from app.engine.request import Position


class Kind(StrEnum):
    """Why a point is critical."""

    DEPARTURE = "DEPARTURE"
    ARRIVAL = "ARRIVAL"
    ALTER_COURSE = "ALTER_COURSE"
    MAX_WAVE = "MAX_WAVE"
    MAX_WIND = "MAX_WIND"
    HEAD_SEA = "HEAD_SEA"
    ROLLING_RISK = "ROLLING_RISK"
    SPEED_REDUCED = "SPEED_REDUCED"
    ADVERSE_CURRENT = "ADVERSE_CURRENT"
    ECA_ENTRY = "ECA_ENTRY"
    ECA_EXIT = "ECA_EXIT"
    CANAL = "CANAL"
    NARROW_PASSAGE = "NARROW_PASSAGE"
    SHALLOW = "SHALLOW"
    UNPROVEN_WATER = "UNPROVEN_WATER"
    ZONE_NEAR = "ZONE_NEAR"
    HIGH_LATITUDE = "HIGH_LATITUDE"
    LIMIT_NEAR = "LIMIT_NEAR"
    FORECAST_END = "FORECAST_END"


class Severity(IntEnum):
    """Severity of a point; in words by ``label``."""

    #: Worth knowing.
    INFO = 0
    #: Prepare for it.
    CAUTION = 1
    #: Decide before sailing.
    DANGER = 2

    @property
    def label(self) -> str:
        """``info``, ``caution`` or ``danger``."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class CriticalPoint:
    """A place and time on the track, why it matters, and the weather met there.

    ``waypoint_index`` is the waypoint that the ship is at or heading for.
    """

    waypoint_index: int
    position: Position
    eta: datetime
    kinds: tuple[Kind, ...]
    severity: Severity
    description: str
    weather: Weather | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason to look at one point, before merging."""

    kind: Kind
    severity: Severity
    words: str
    waypoint_index: int
    position: Position
    time: datetime
    weather: Weather | None


def at_waypoint(waypoint: Waypoint, kind: Kind, severity: Severity, words: str) -> Finding:
    """A finding at a waypoint."""
    return Finding(
        kind, severity, words, waypoint.index, waypoint.position, waypoint.eta, waypoint.weather
    )


def at_sample(
    plan: RoutePlan, sample: ProfilePoint, kind: Kind, severity: Severity, words: str
) -> Finding:
    """A finding at a sample of the profile."""
    etas = [waypoint.eta for waypoint in plan.waypoints]
    index = min(bisect_left(etas, sample.time), len(etas) - 1)
    return Finding(kind, severity, words, index, sample.position, sample.time, sample.weather)


def split_runs(
    samples: Sequence[ProfilePoint], longest_gap: timedelta
) -> list[tuple[ProfilePoint, ...]]:
    """Group samples that follow each other within a gap; one point is raised per run."""
    runs: list[list[ProfilePoint]] = []
    for sample in samples:
        if runs and sample.time - runs[-1][-1].time <= longest_gap:
            runs[-1].append(sample)
        else:
            runs.append([sample])
    return [tuple(run) for run in runs]
