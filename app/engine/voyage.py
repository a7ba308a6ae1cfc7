"""The records that the engine takes and returns: frozen, without behaviour.

Positions are degrees on WGS 84, latitude north positive, longitude east
positive in -180 <= lng < 180. Times are timezone-aware and in UTC. Wind and
waves are named by the direction they come *from*, currents by the direction
they set *towards*, degrees true. ``None`` always means "not known".
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from shapely.geometry import MultiPolygon

from app.engine.codes import AlternativeKind, WarningCode
from app.engine.facts import PlanFacts


class Position(NamedTuple):
    """A point on the earth [deg]."""

    lat: float
    lng: float


class Objective(StrEnum):
    """The quantity to minimise."""

    FUEL = "FUEL"
    TIME = "ETA"
    BALANCED = "BAL"


class TrackKind(StrEnum):
    """Choice of the track over ground."""

    WEATHER = "WX"
    GREAT_CIRCLE = "GC"
    RHUMB = "RL"


class LegGeometry(StrEnum):
    """The line between two waypoints that the ship is to follow."""

    GREAT_CIRCLE = "GREAT_CIRCLE"
    RHUMB = "RHUMB"


class ShipType(StrEnum):
    """Ship types that hull and machinery statistics are known for."""

    BULK_CARRIER = "bulk carrier"
    TANKER = "tanker"
    CHEMICAL_TANKER = "chemical tanker"
    GAS_CARRIER = "gas carrier"
    CONTAINER_SHIP = "container ship"
    GENERAL_CARGO = "general cargo"
    RO_RO = "ro-ro"
    PASSENGER = "passenger"
    LNG_CARRIER = "LNG carrier"
    OTHER = "other"


class FuelType(StrEnum):
    """Marine fuels by trade name."""

    HFO = "HFO"
    VLSFO = "VLSFO"
    MGO = "MGO"
    LNG = "LNG"
    METHANOL = "METHANOL"


class IceClass(StrEnum):
    """Ice classes, the strongest last.

    ``IC`` to ``IA_SUPER``: Finnish-Swedish Ice Class Rules 2021, section 1.2. ``PC7`` to
    ``PC1``: IACS UR I1 (polar classes). That ``PC7`` is as strong as ``IA`` and ``PC6`` as
    ``IA_SUPER`` follows HELCOM recommendation 25/7; here each polar class ranks above.
    """

    NONE = "NONE"
    IC = "IC"
    IB = "IB"
    IA = "IA"
    IA_SUPER = "IA_SUPER"
    PC7 = "PC7"
    PC6 = "PC6"
    PC5 = "PC5"
    PC4 = "PC4"
    PC3 = "PC3"
    PC2 = "PC2"
    PC1 = "PC1"

    @property
    def is_classed(self) -> bool:
        """Whether the ship is strengthened for ice at all."""
        return self is not IceClass.NONE

    @property
    def label(self) -> str:
        """The class as it is written on a certificate."""
        return {"IA_SUPER": "IA Super", "NONE": "none"}.get(self.value, self.value)

    def covers(self, needed: "IceClass") -> bool:
        """Return whether a ship of this class is as strong as one of another."""
        classes = list(IceClass)
        return classes.index(self) >= classes.index(needed)


class AreaKind(StrEnum):
    """Source of an area."""

    CONSTRAINT = "CONSTRAINT"
    CLIENT_DATA = "CLIENT_DATA"
    NO_GO = "NO_GO"
    PIRACY = "PIRACY"
    WAR_RISK = "WAR_RISK"
    ECA = "ECA"
    ICE = "ICE"
    SEASON = "SEASON"
    CHART = "CHART"
    ADVISORY = "ADVISORY"


class AreaRule(StrEnum):
    """Effect of an area on routes."""

    NO_ENTRY = "NO_ENTRY"
    #: No entry, except as little as possible to an end of the voyage inside. Stored by its value.
    AVOID_UNLESS_ENDPOINT = "NO_ENTRY_UNLESS_BOUND_THERE"
    #: Entered, because an end of the voyage lies inside or behind: as little as possible.
    LEAST_EXPOSURE = "LEAST_EXPOSURE"
    #: Miles inside cost more, within a longest detour.
    PRICED = "PRICED"
    #: Crossed freely; miles inside are reported.
    REPORTED = "REPORTED"


class IceHazard(StrEnum):
    """Kind of ice of an area."""

    #: Sea ice that a ship without the ice class needed is kept out of.
    PACK = "PACK"
    #: Waters of the Polar Code, which a ship without any ice class is kept out of.
    POLAR_WATERS = "POLAR_WATERS"
    #: Bergs and growlers in open water, kept clear of within a longest detour.
    ICEBERGS = "ICEBERGS"
    #: Ice is possible: reported only.
    WATCH = "WATCH"


@dataclass(frozen=True, slots=True)
class IceWater:
    """The ice of an area, and the lowest class of ship that is at home in it."""

    hazard: IceHazard
    class_needed: IceClass = IceClass.NONE


@dataclass(frozen=True, slots=True)
class Area:
    """A polygon on the sea with a rule and, maybe, a window of time.

    ``geometry`` holds (lng, lat) [deg] within -180..180; what crosses the
    antimeridian is split there. The window includes both its ends. ``price`` is that of a
    mile inside where the rule is ``PRICED``: 1.25, as for emission control areas, makes the
    longest detour a quarter of the miles that it spares inside. Areas of ice carry ``ice``.
    """

    id: str
    name: str
    kind: AreaKind
    rule: AreaRule
    geometry: MultiPolygon
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    price: float = 1.25
    ice: IceWater | None = None


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """Motions beyond which the master slows down; ``None`` is the usual limit for the length.

    Probabilities per wave met that the ship slams and that the stem is under water; vertical
    acceleration at the forward perpendicular, root mean square [g].
    """

    slamming: float | None = None
    deck_wetness: float | None = None
    bow_acceleration_g: float | None = None


@dataclass(frozen=True, slots=True)
class ShipParticulars:
    """A ship as its owner describes it.

    Lengths and draughts [m], deadweight [t], speed [kn], power [kW], gross
    tonnage as measured; ``pitch_m`` is the propeller's pitch; ``auxiliary_t_per_day``
    what generators and boilers burn at sea [t of ``fuel_type``/day].
    """

    ship_type: ShipType
    dwt_t: float
    loa_m: float
    lbp_m: float
    breadth_m: float
    depth_m: float
    draft_design_m: float
    draft_scantling_m: float
    service_speed_kn: float
    pitch_m: float | None = None
    gross_tonnage: float | None = None
    fuel_type: FuelType = FuelType.VLSFO
    installed_power_kw: float | None = None
    propeller_diameter_m: float | None = None
    ice_class: IceClass = IceClass.NONE
    auxiliary_t_per_day: float | None = None
    motion_limits: MotionLimits = MotionLimits()


@dataclass(frozen=True, slots=True)
class Loading:
    """Loading condition on this voyage.

    Mean draught [m], trim [m] (aft minus fore, positive by the stern) and
    deadweight on board [t].
    """

    draft_m: float
    trim_m: float
    deadweight_t: float


@dataclass(frozen=True, slots=True)
class LimitScale:
    """A scale on which a limit was given: degree ``n`` allows up to ``upper[n]``.

    ``None`` is no bound.
    """

    name: str
    upper: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits set by the captain; ``None`` is no limit.

    Significant wave height [m], mean wind speed at 10 m [m/s], northernmost and
    southernmost latitude [deg]. The scales are those that the limits were given on, if
    any; advice is given on the same.
    """

    wave_height_m: float | None = None
    wind_speed_ms: float | None = None
    north_lat: float | None = None
    south_lat: float | None = None
    wave_scale: LimitScale | None = None
    wind_scale: LimitScale | None = None


@dataclass(frozen=True, slots=True)
class ReferenceRoute:
    """A route from elsewhere, to be priced with the planned one."""

    name: str
    positions: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class VoyageRequest:
    """Everything that decides a plan, apart from the sea and the weather.

    ``speed_min_kn`` and ``speed_max_kn`` are speeds ordered through the water;
    ``rpm_max`` is the highest shaft speed. ``arrive_by`` asks for arrival at or
    before that time. ``under_way`` says that the departure is a position at
    sea, not a harbour. ``ukc_margin_m`` is the water wanted under the keel.
    ``time_price_t_per_h`` is the fuel [t] that an hour is worth on a balanced
    voyage; ``None`` takes what the ship burns in an hour at service speed.
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
    time_price_t_per_h: float | None = None
    departure_name: str = "departure"
    arrival_name: str = "arrival"


class WeatherSource(StrEnum):
    """Source of a weather value."""

    FORECAST = "FORECAST"
    BLENDED = "BLENDED"
    CLIMATOLOGY = "CLIMATOLOGY"


@dataclass(frozen=True, slots=True)
class Weather:
    """Sea state, wind and current at one place and time."""

    wave_height_m: float
    wave_period_s: float
    wave_from_deg: float
    wind_speed_ms: float
    wind_from_deg: float
    current_speed_kn: float
    current_to_deg: float
    wave_source: WeatherSource
    wind_source: WeatherSource
    current_source: WeatherSource


@dataclass(frozen=True, slots=True)
class Waypoint:
    """A waypoint and the leg that leads to it.

    Everything said of a leg (course, distance, speeds, fuel, cross-track
    distance, depth) is of the leg that ends here, so it is ``None`` or zero on
    the first waypoint. ``speed_kn`` is over ground. ``weather`` is met here.
    ``passage`` names the canal or narrow water that the leg runs through.
    ``leaves_at`` is when the ship leaves, where it waits here. ``is_unproven`` says that
    the leg crosses water of unknown depth.
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

    @property
    def number(self) -> int:
        """Number from 1, by which people and route files name the waypoint."""
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
    """Carbon intensity indicator, attained and required [g CO2 per capacity mile], and rating."""

    attained: float
    required: float
    rating: str


@dataclass(frozen=True, slots=True)
class VoyageSummary:
    """The voyage in figures; fuel and CO2 [t], as all tonnes here, are metric.

    Fuel and CO2 are the main engine's; those of the auxiliaries, and of both together, are
    given with them where the consumption of the auxiliaries is known.

    ``min_ukc_m`` is ``None`` where any of ``unproven_nm`` is crossed.
    ``cii`` is an indication, as if the ship did this voyage all year; ``None``
    for types and years without a line.
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
    baseline_fuel_t: float | None = None
    saved_pct: float | None = None
    forecast_coverage_pct: float = 0.0
    cii: CarbonIntensity | None = None
    auxiliary_fuel_t: float | None = None
    auxiliary_co2_t: float | None = None
    total_fuel_t: float | None = None
    total_co2_t: float | None = None


@dataclass(frozen=True, slots=True)
class PlanWarning:
    """Something the reader of a plan must know; ``code`` is stable."""

    code: WarningCode
    detail: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another route of the voyage, complete in itself.

    ``label`` is for people, such as "by the Cape of Good Hope". ``profile`` is as dense as
    the plan's.
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
    """A candidate route in figures."""

    label: str
    summary: VoyageSummary


@dataclass(frozen=True, slots=True)
class Quote:
    """Candidate routes at one speed in a calm sea, the best first."""

    routes: tuple[QuotedRoute, ...]
    warnings: tuple[PlanWarning, ...]


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """The answer: a track with times, speeds and fuel, and how it was reached.

    ``label`` names the route taken ("by Suez"). ``facts`` holds what the
    explanation speaks of beyond the summary. ``front`` is fuel against
    arrival on the candidate taken, the soonest first, the plan itself among them.
    """

    waypoints: tuple[Waypoint, ...]
    summary: VoyageSummary
    profile: tuple[ProfilePoint, ...]
    label: str = "direct"
    alternatives: tuple[Alternative, ...] = ()
    warnings: tuple[PlanWarning, ...] = ()
    facts: PlanFacts = field(default_factory=PlanFacts)
    front: tuple[FrontPoint, ...] = ()
