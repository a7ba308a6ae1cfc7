"""How sure a plan is: frozen records of what it takes over the members of a forecast."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.engine.request import Position


class SpreadBasis(StrEnum):
    """Where the members come from that a plan is sailed in."""

    MEMBERS = "MEMBERS"
    TYPICAL_ERROR = "TYPICAL_ERROR"


class KeptSetting(StrEnum):
    """What the crew keeps in other weather than planned: the time of arrival, or the revolutions.

    Speeds change with the one, the time of arrival with the other.
    """

    ETA = "ETA"
    RPM = "RPM"


class LimitKind(StrEnum):
    """Limits that members may exceed."""

    WAVE_HEIGHT = "WAVE_HEIGHT"
    WIND_SPEED = "WIND_SPEED"
    ROLLING = "ROLLING"


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Values that 10, 50 and 90 % of the members stay under."""

    p10: float
    p50: float
    p90: float


@dataclass(frozen=True, slots=True)
class TimePercentiles:
    """Times by which 10, 50 and 90 % of the members are there."""

    p10: datetime
    p50: datetime
    p90: datetime


@dataclass(frozen=True, slots=True)
class FanPoint:
    """The spread at one distance along the track [nm]: time there, and fuel burnt till then [t]."""

    cumulative_nm: float
    time: TimePercentiles
    fuel_t: Percentiles


@dataclass(frozen=True, slots=True)
class ProbabilityPoint:
    """The share of members that exceed a limit at a distance along the track [nm]."""

    cumulative_nm: float
    probability: float


@dataclass(frozen=True, slots=True)
class ExceedancePlace:
    """Where and when a limit is most likely exceeded.

    ``time`` is the median of the members that exceed it there; ``waypoint_index`` is of the
    waypoint that the leg leads to.
    """

    position: Position
    time: datetime
    cumulative_nm: float
    waypoint_index: int
    probability: float


@dataclass(frozen=True, slots=True)
class LimitExceedance:
    """The probability that a limit is exceeded anywhere on the voyage, and along it.

    ``allowed`` and ``highest_p90``, the highest value that 90 % of the members stay under, are in
    the limit's own unit; both are ``None`` for rolling, which has no measure of its own.
    """

    limit: LimitKind
    unit: str
    allowed: float | None
    probability: float
    highest_p90: float | None
    place: ExceedancePlace | None
    along: tuple[ProbabilityPoint, ...]


@dataclass(frozen=True, slots=True)
class MemberOutcome:
    """What the plan takes in one member: fuel [t], arrival, highest wave [m] and wind [m/s]."""

    number: int
    fuel_t: float
    eta: datetime
    max_wave_m: float
    max_wind_ms: float
    exceeds: tuple[LimitKind, ...] = ()


@dataclass(frozen=True, slots=True)
class BestTrack:
    """A track that is the best one in a share of the members (0..1).

    ``widest_nm`` is the farthest it lies off the plan's track, port of it where negative.
    ``positions`` along it are its waypoints, and others at most 60 nm apart.
    """

    label: str
    share: float
    widest_nm: float
    positions: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """The last waypoint from which every track that is best in some member is still open.

    Open is a track that costs no more than 1 % over setting out on it at once, in all members.
    ``forecast_at`` is the reference time of the newest forecast that can be on board by then;
    ``None`` where that is no newer than the plan's. ``sides`` names the sides to choose between.
    """

    waypoint_index: int
    position: Position
    time: datetime
    forecast_at: datetime | None
    sides: str


@dataclass(frozen=True, slots=True)
class Spread:
    """A plan sailed in every member along the same track.

    ``unsailable_count`` members are those in which the ship makes no headway; they are in no
    other figure. ``reason`` says why ``kept`` is kept. ``climatology_pct`` is the share
    of the voyage's hours for which the spread is that of the climate [%].
    """

    basis: SpreadBasis
    member_count: int
    unsailable_count: int
    kept: KeptSetting
    reason: str
    fuel_t: Percentiles
    duration_h: Percentiles
    eta: TimePercentiles
    climatology_pct: float
    fan: tuple[FanPoint, ...]
    exceedances: tuple[LimitExceedance, ...]
    outcomes: tuple[MemberOutcome, ...]
    tracks: tuple[BestTrack, ...] = ()
    decision: DecisionPoint | None = None
