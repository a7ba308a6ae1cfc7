"""Plans, the results of the engine: frozen records, no behaviour.

Positions and times as in :mod:`app.engine.request`. Wind and waves are named by
the direction they come *from*, currents by the direction they set *towards*,
degrees true. ``None`` always means "not known".
"""

from dataclasses import dataclass, field
from datetime import datetime

from app.engine.codes import AlternativeKind, WarningCode
from app.engine.facts import PlanFacts
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.spread import Spread
from app.engine.weather.records import Weather


@dataclass(frozen=True, slots=True)
class Waypoint:
    """A waypoint and the leg that leads to it.

    Figures of a leg (course, distance, speeds, fuel, cross-track distance, depth) are those of
    the leg that ends here, and are ``None`` or zero on the first waypoint. ``speed_kn`` is over
    ground. ``weather`` is that at the waypoint. ``passage`` names the canal or narrow water that
    the leg runs through. ``leaves_at`` is the time of leaving if the ship waits here.
    ``is_unproven`` is true if the leg crosses water of unknown depth. ``turn_radius_nm`` is the
    radius of the turn at the waypoint, or the ship's usual one if there is none;
    ``wheel_over_nm`` is the distance before the waypoint at which the wheel is put over.
    """

    index: int
    position: Position
    eta: datetime
    cumulative_nm: float
    leg_distance_nm: float = 0.0
    leg_geometry: LegGeometry | None = None
    course_deg: float | None = None
    xtd_m: float | None = None
    speed_kn: float | None = None
    speed_through_water_kn: float | None = None
    leg_fuel_t: float = 0.0
    rpm: float | None = None
    power_kw: float | None = None
    weather: Weather | None = None
    min_depth_m: float | None = None
    ukc_m: float | None = None
    in_eca: bool = False
    passage: str | None = None
    note: str | None = None
    leaves_at: datetime | None = None
    is_unproven: bool = False
    turn_radius_nm: float | None = None
    wheel_over_nm: float | None = None

    @property
    def number(self) -> int:
        """Number from 1, as in texts and route files."""
        return self.index + 1


@dataclass(frozen=True, slots=True)
class ProfilePoint:
    """One sample of the dense profile along the planned track."""

    position: Position
    time: datetime
    cumulative_nm: float
    course_deg: float
    speed_kn: float
    speed_through_water_kn: float
    power_kw: float
    cumulative_fuel_t: float
    weather: Weather | None = None
    depth_m: float | None = None
    in_eca: bool = False


@dataclass(frozen=True, slots=True)
class CarbonIntensity:
    """Carbon intensity indicator (CII): attained and required [g CO2 per capacity mile], rating."""

    attained: float
    required: float
    rating: str


@dataclass(frozen=True, slots=True)
class VoyageSummary:
    """Totals of a voyage; fuel and CO2 in metric tonnes [t].

    ``fuel_t`` and ``co2_t`` are the main engine's. Those of the auxiliaries, and of both
    together, are known where the consumption of the auxiliaries is. ``fuel_standard_error_t`` is
    that of ``fuel_t`` by the evidence on the ship.

    ``min_ukc_m`` is the least where the depth is known, ``None`` if it is known nowhere or if the
    route crosses unproven water, ``unproven_nm``: water of unknown depth that is too narrow,
    and passages of which neither depth nor draught limit is known.
    ``depth_unknown_nm`` is the distance on which no depth is known at all.
    ``cii`` is indicative, as if the ship repeated this voyage all year; ``None`` for ship types
    and years without a reference line.
    """

    distance_nm: float
    duration_h: float
    eta: datetime
    fuel_t: float
    co2_t: float
    average_speed_kn: float
    eca_distance_nm: float
    eca_fuel_t: float
    great_circle_nm: float
    max_wave_m: float | None = None
    max_wind_ms: float | None = None
    min_ukc_m: float | None = None
    unproven_nm: float = 0.0
    depth_unknown_nm: float | None = None
    baseline_fuel_t: float | None = None
    saved_pct: float | None = None
    forecast_coverage_pct: float = 0.0
    cii: CarbonIntensity | None = None
    auxiliary_fuel_t: float | None = None
    auxiliary_co2_t: float | None = None
    total_fuel_t: float | None = None
    total_co2_t: float | None = None
    fuel_standard_error_t: float | None = None


@dataclass(frozen=True, slots=True)
class PlanWarning:
    """A warning to the reader of a plan; ``code`` is stable."""

    code: WarningCode
    detail: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another route of the voyage, with its own summary, waypoints and profile.

    ``label`` names it, as "by the Cape of Good Hope". ``profile`` is as dense as the plan's.
    """

    kind: AlternativeKind
    label: str
    summary: VoyageSummary
    waypoints: tuple[Waypoint, ...]
    faults: tuple[str, ...] = ()
    profile: tuple[ProfilePoint, ...] = ()


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """A point of the trade-off curve: no route found is both earlier and cheaper.

    Duration [h], fuel [t], distance [nm], mean speed over ground [kn].
    """

    eta: datetime
    duration_h: float
    fuel_t: float
    distance_nm: float
    average_speed_kn: float


@dataclass(frozen=True, slots=True)
class QuotedRoute:
    """A candidate route and its summary."""

    label: str
    summary: VoyageSummary


@dataclass(frozen=True, slots=True)
class Quote:
    """Candidate routes at one speed in a calm sea, the best first."""

    routes: tuple[QuotedRoute, ...]
    warnings: tuple[PlanWarning, ...]


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """The plan of a voyage: a track with times, speeds and fuel, and the reasons for it.

    ``label`` names the route taken ("by Suez"). ``facts`` are the facts that the explanation
    uses besides the summary. ``front`` is the trade-off curve of fuel against arrival, the
    earliest first, the plan itself included. ``spread`` is its uncertainty by the forecast,
    ``None`` where no weather is known.
    """

    waypoints: tuple[Waypoint, ...]
    summary: VoyageSummary
    profile: tuple[ProfilePoint, ...]
    label: str = "direct"
    alternatives: tuple[Alternative, ...] = ()
    warnings: tuple[PlanWarning, ...] = ()
    facts: PlanFacts = field(default_factory=PlanFacts)
    front: tuple[FrontPoint, ...] = ()
    spread: Spread | None = None
