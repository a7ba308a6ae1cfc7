"""Records of critical points, and functions shared by the finders."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum
from typing import TypeVar

from app.engine.geodesy import great_circle_distance_nm
from app.engine.plan import ProfilePoint, RoutePlan, Waypoint
from app.engine.request import Position
from app.engine.weather.records import Weather

_Sample = TypeVar("_Sample")


class Kind(StrEnum):
    """Kinds of critical points; at equal severity, an earlier one matters more to the bridge."""

    DEPARTURE = "DEPARTURE"
    ARRIVAL = "ARRIVAL"
    EDIT_DANGER = "EDIT_DANGER"
    CANAL = "CANAL"
    LIMIT_NEAR = "LIMIT_NEAR"
    MAX_WAVE = "MAX_WAVE"
    MAX_WIND = "MAX_WIND"
    ECA_ENTRY = "ECA_ENTRY"
    FORECAST_END = "FORECAST_END"
    UNPROVEN_WATER = "UNPROVEN_WATER"
    SHALLOW = "SHALLOW"
    ROLLING_RISK = "ROLLING_RISK"
    SPEED_REDUCED = "SPEED_REDUCED"
    HEAD_SEA = "HEAD_SEA"
    ZONE_NEAR = "ZONE_NEAR"
    HIGH_LATITUDE = "HIGH_LATITUDE"
    NARROW_PASSAGE = "NARROW_PASSAGE"
    ECA_EXIT = "ECA_EXIT"
    ADVERSE_CURRENT = "ADVERSE_CURRENT"
    ALTER_COURSE = "ALTER_COURSE"


class Severity(IntEnum):
    """Severity of a critical point."""

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
    """A critical point on the track: place, time, kinds, description and weather.

    Finders return points of one kind; those that belong together are then merged.
    ``waypoint_index`` is that of the waypoint that the ship is at or heading for.
    """

    waypoint_index: int
    position: Position
    eta: datetime
    kinds: tuple[Kind, ...]
    severity: Severity
    description: str
    weather: Weather | None


@dataclass(frozen=True, slots=True)
class EditDanger:
    """A danger that the check of an edited route found, with the waypoint at the end of its leg."""

    text: str
    waypoint_index: int
    position: Position | None


def at_waypoint(waypoint: Waypoint, kind: Kind, severity: Severity, text: str) -> CriticalPoint:
    """Return a point of one kind at a waypoint."""
    place = waypoint.index, waypoint.position, waypoint.eta
    return CriticalPoint(*place, (kind,), severity, text, waypoint.weather)


def at_sample(
    plan: RoutePlan, sample: ProfilePoint, kind: Kind, severity: Severity, text: str
) -> CriticalPoint:
    """Return a point of one kind at a sample of the profile."""
    left_at = [waypoint.leaves_at or waypoint.eta for waypoint in plan.waypoints]
    index = min(bisect_left(left_at, sample.time), len(left_at) - 1)
    place = index, sample.position, sample.time
    return CriticalPoint(*place, (kind,), severity, text, sample.weather)


def closest_sample(samples: Sequence[ProfilePoint], lat: float, lng: float) -> ProfilePoint:
    """Return the sample closest to a position [deg]."""
    lats = [sample.position.lat for sample in samples]
    lngs = [sample.position.lng for sample in samples]
    return samples[int(great_circle_distance_nm(lats, lngs, lat, lng).argmin())]


def split_runs(
    samples: Sequence[_Sample], time: Callable[[_Sample], datetime], longest_gap: timedelta
) -> list[list[_Sample]]:
    """Split samples into runs, in which consecutive samples are at most a gap apart."""
    runs: list[list[_Sample]] = []
    for sample in samples:
        if runs and time(sample) - time(runs[-1][-1]) <= longest_gap:
            runs[-1].append(sample)
        else:
            runs.append([sample])
    return runs
