"""Uncertainty of a plan over the members of a forecast: frozen records."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.engine.request import Position


class SpreadBasis(StrEnum):
    """Source of the members in which a plan is simulated."""

    MEMBERS = "MEMBERS"
    TYPICAL_ERROR = "TYPICAL_ERROR"


class KeptSetting(StrEnum):
    """Quantity that the crew keeps in weather other than planned: arrival or shaft speed.

    Speeds vary with the members for the one, the time of arrival for the other.
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
    """10th, 50th and 90th percentile of a value over the members."""

    p10: float
    p50: float
    p90: float


@dataclass(frozen=True, slots=True)
class TimePercentiles:
    """10th, 50th and 90th percentile of a time over the members."""

    p10: datetime
    p50: datetime
    p90: datetime


@dataclass(frozen=True, slots=True)
class FanPoint:
    """Spread at a distance along the track [nm]: time there, and fuel burnt till then [t]."""

    cumulative_nm: float
    time: TimePercentiles
    fuel_t: Percentiles


@dataclass(frozen=True, slots=True)
class ProbabilityPoint:
    """Share of members that exceed a limit at a distance along the track [nm]."""

    cumulative_nm: float
    probability: float


@dataclass(frozen=True, slots=True)
class ExceedancePlace:
    """Place and time at which a limit is most likely exceeded.

    ``time`` is the median over the members that exceed it there, ``waypoint_index`` that of the
    waypoint at the end of the leg.
    """

    position: Position
    time: datetime
    cumulative_nm: float
    waypoint_index: int
    probability: float


@dataclass(frozen=True, slots=True)
class LimitExceedance:
    """Probability that a limit is exceeded under way, on the whole voyage and along it.

    ``allowed`` and ``highest_p90``, the 90th percentile of the members' highest value, are in
    ``unit``; both are ``None`` for rolling, a criterion without a measured value.
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
    """Result in one member: fuel [t], arrival, highest wave [m] and wind [m/s] under way."""

    number: int
    fuel_t: float
    eta: datetime
    max_wave_m: float
    max_wind_ms: float
    exceeds: tuple[LimitKind, ...] = ()


@dataclass(frozen=True, slots=True)
class BestTrack:
    """A track that is the best one in a share of the members (0..1).

    ``widest_nm`` is its greatest distance from the plan's track, negative to port.
    ``positions`` are its waypoints and intermediate points at most 60 nm apart.
    """

    label: str
    share: float
    widest_nm: float
    positions: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """Last waypoint at which the choice between the members' best tracks can still be made.

    From there, each of these tracks costs at most 1 % more, in every member, than if it were
    followed from the start. ``forecast_at`` is the reference time of the newest forecast available
    by then, ``None`` if that is no newer than the plan's. ``sides`` names the sides to choose from.
    """

    waypoint_index: int
    position: Position
    time: datetime
    forecast_at: datetime | None
    sides: str


@dataclass(frozen=True, slots=True)
class Spread:
    """Results of a plan simulated in every member along the same track.

    ``unsailable_count`` is the number of members in which the ship makes no headway; they are
    excluded from all other figures. ``reason`` explains the choice of ``kept``.
    ``climatology_pct`` is the share of the voyage's hours with the spread of the climatology [%].
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
