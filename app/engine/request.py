"""Requests for plans: frozen records, no behaviour.

Positions are degrees on WGS 84, latitude north positive, longitude east
positive in -180 <= lng < 180. Times are timezone-aware and in UTC. ``None``
always means "not known".
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Self

from app.engine.area import Area
from app.engine.particulars import Loading, ShipParticulars


class Position(NamedTuple):
    """A point on the earth [deg]."""

    lat: float
    lng: float


class Objective(StrEnum):
    """Quantity to minimise."""

    FUEL = "FUEL"
    TIME = "ETA"
    BALANCED = "BAL"


class Risk(StrEnum):
    """Statistic of the costs in all members of a forecast by which routes are chosen."""

    EXPECTED = "EXPECTED"
    P90 = "P90"
    WORST = "WORST"


class TrackKind(StrEnum):
    """Kind of track over ground."""

    WEATHER = "WX"
    GREAT_CIRCLE = "GC"
    RHUMB = "RL"


@dataclass(frozen=True, slots=True)
class LimitScale:
    """A scale of degrees on which a limit was given; degree ``n`` allows up to ``upper[n]``.

    ``None`` is no bound.
    """

    name: str
    upper: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits set by the captain; ``None`` is no limit.

    Significant wave height [m], mean wind speed at 10 m [m/s], northernmost and
    southernmost latitude [deg]. The scales are those on which the limits were given, if any;
    relaxations are stated on the same scale.
    """

    wave_height_m: float | None = None
    wind_speed_ms: float | None = None
    north_lat: float | None = None
    south_lat: float | None = None
    wave_scale: LimitScale | None = None
    wind_scale: LimitScale | None = None

    def at_share(self, share: float) -> Self:
        """Return the limits with a share of those of waves and wind."""
        wave_m, wind_ms = self.wave_height_m, self.wind_speed_ms
        return replace(
            self,
            wave_height_m=None if wave_m is None else share * wave_m,
            wind_speed_ms=None if wind_ms is None else share * wind_ms,
        )


@dataclass(frozen=True, slots=True)
class ReferenceRoute:
    """An imported route, to be compared with the planned one.

    ``rhumb_to`` has the indices of the positions to which the leg is a rhumb line; other legs are
    great circles.
    """

    name: str
    positions: tuple[Position, ...]
    rhumb_to: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class VoyageRequest:
    """A voyage to be planned: everything that decides a plan except the sea and the weather.

    ``speed_min_kn`` and ``speed_max_kn`` bound the speed ordered through the water, ``rpm_max``
    the shaft speed. ``arrive_by`` is the latest arrival. ``under_way`` is true if the departure
    is a position at sea, not a harbour. ``ukc_margin_m`` is the required under-keel clearance
    [m]. ``risk`` chooses track and speeds by all members of the forecast; ``None`` by the forecast
    alone. ``cii_target`` is the worst carbon intensity rating without a warning, A to E.
    """

    departure: Position
    arrival: Position
    departs_at: datetime
    ship: ShipParticulars
    loading: Loading
    speed_min_kn: float
    speed_max_kn: float
    rpm_max: float | None = None
    objective: Objective = Objective.FUEL
    track: TrackKind = TrackKind.WEATHER
    arrive_by: datetime | None = None
    limits: Limits = Limits()
    areas: tuple[Area, ...] = ()
    reference_routes: tuple[ReferenceRoute, ...] = ()
    under_way: bool = False
    ukc_margin_m: float = 1.0
    risk: Risk | None = None
    cii_target: str | None = None
    departure_name: str = "departure"
    arrival_name: str = "arrival"

    @property
    def ends(self) -> tuple[Position, Position]:
        """Positions of departure and arrival as asked for."""
        return self.departure, self.arrival

    @property
    def air_draft_m(self) -> float | None:
        """Height of the ship's highest point above the water [m]; ``None`` if unknown.

        The highest point counts as where the draught is least.
        """
        height_m = self.ship.keel_to_mast_m
        return None if height_m is None else height_m - self.loading.least_draft_m
