"""Small route plans for tests that read a plan without planning.

``north_atlantic_plan`` runs from the Scillies to New York into an emission
control area and out of its forecast; ``north_pacific_plan`` crosses the
antimeridian; ``panama_plan`` leads through a canal. Their figures are consistent: distances are
those of the legs, the summary is the sum of its parts, and power follows the cube of the speed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import cos, radians
from typing import Any

from app.engine.facts import PassageFact, PlanFacts
from app.engine.geodesy import (
    great_circle_distance_nm,
    interpolate_leg,
    leg_course_deg,
    leg_distance_nm,
)
from app.engine.geodesy.leg import LegGeometry
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.plan import (
    Alternative,
    PlanWarning,
    ProfilePoint,
    RoutePlan,
    VoyageSummary,
    Waypoint,
)
from app.engine.request import Position, VoyageRequest
from app.engine.weather.records import Weather, WeatherSource

WeatherAt = Callable[[Position, datetime], Weather | None]

DEPARTS_AT = datetime(2026, 1, 14, 18, tzinfo=UTC)
STEP = timedelta(minutes=30)
SFOC_T_PER_KWH = 175e-6
CO2_PER_FUEL = 3.151


@dataclass(frozen=True)
class Turn:
    """A waypoint with the leg that leads to it."""

    lat: float
    lng: float
    geometry: LegGeometry = LegGeometry.GREAT_CIRCLE
    stw_kn: float = 14.0
    xtd_m: float = 3704.0
    passage: str | None = None
    min_depth_m: float | None = None
    ukc_m: float | None = None
    in_eca: bool = False
    note: str | None = None

    @property
    def position(self) -> Position:
        return Position(self.lat, self.lng)


def make_weather(
    wave_height_m: float = 2.0,
    *,
    wave_from_deg: float = 250.0,
    wave_period_s: float = 8.5,
    wind_speed_ms: float = 9.0,
    current_speed_kn: float = 0.4,
    current_to_deg: float = 60.0,
    source: WeatherSource = WeatherSource.FORECAST,
) -> Weather:
    return Weather(
        wave_height_m=wave_height_m,
        wave_period_s=wave_period_s,
        wave_from_deg=wave_from_deg,
        wind_speed_ms=wind_speed_ms,
        wind_from_deg=wave_from_deg,
        current_speed_kn=current_speed_kn,
        current_to_deg=current_to_deg,
        wave_source=source,
        wind_source=source,
        current_source=WeatherSource.CLIMATOLOGY,
    )


def no_weather(_position: Position, _time: datetime) -> None:
    return None


def make_plan(
    turns: Sequence[Turn],
    *,
    departs_at: datetime = DEPARTS_AT,
    weather: WeatherAt = no_weather,
    label: str = "direct",
    alternatives: Sequence[Alternative] = (),
    warnings: Sequence[PlanWarning] = (),
    facts: PlanFacts | None = None,
    **summary: Any,
) -> RoutePlan:
    """Return a plan along the turns; ``summary`` overrides fields of its summary."""
    start = turns[0].position
    waypoints = [Waypoint(0, start, departs_at, 0.0, weather=weather(start, departs_at))]
    profile: list[ProfilePoint] = []
    for turn in turns[1:]:
        profile += _sail(waypoints, turn, weather, is_last=turn is turns[-1])
    return RoutePlan(
        waypoints=tuple(waypoints),
        summary=_summarise(waypoints, profile, summary),
        profile=tuple(profile),
        label=label,
        alternatives=tuple(alternatives),
        warnings=tuple(warnings),
        facts=facts or PlanFacts(),
    )


def _sail(
    waypoints: list[Waypoint], turn: Turn, weather: WeatherAt, *, is_last: bool
) -> list[ProfilePoint]:
    """Append the waypoint that the leg leads to; return the leg's profile.

    As in a planned profile each point has the data of the segment that follows, the last one
    those of the segment before.
    """
    last = waypoints[-1]
    course = leg_course_deg(last.position, turn.position, turn.geometry)
    distance = leg_distance_nm(last.position, turn.position, turn.geometry)
    sog = turn.stw_kn + _fair_current_kn(last.weather, course)
    duration = timedelta(seconds=round(distance / sog * 3600.0))
    power = 8000.0 * (turn.stw_kn / 14.0) ** 3
    fuel = power * duration / timedelta(hours=1) * SFOC_T_PER_KWH
    burnt = sum(w.leg_fuel_t for w in waypoints)
    times = [last.eta + k * STEP for k in range(-(-duration // STEP))]
    profile = []
    for time in [*times, last.eta + duration] if is_last else times:
        share = (time - last.eta) / duration
        lat, lng = interpolate_leg(last.position, turn.position, turn.geometry, share)
        position = Position(float(lat), float(lng))
        profile.append(
            ProfilePoint(
                position=position,
                time=time,
                cumulative_nm=last.cumulative_nm + share * distance,
                course_deg=course,
                speed_kn=sog,
                speed_through_water_kn=turn.stw_kn,
                power_kw=power,
                cumulative_fuel_t=burnt + share * fuel,
                weather=weather(position, time),
                depth_m=turn.min_depth_m,
                in_eca=turn.in_eca,
            )
        )
    waypoints.append(
        Waypoint(
            index=last.index + 1,
            position=turn.position,
            eta=last.eta + duration,
            cumulative_nm=last.cumulative_nm + distance,
            leg_distance_nm=distance,
            leg_geometry=turn.geometry,
            course_deg=course,
            xtd_m=turn.xtd_m,
            speed_kn=sog,
            speed_through_water_kn=turn.stw_kn,
            leg_fuel_t=fuel,
            rpm=6.0 * turn.stw_kn,
            power_kw=power,
            weather=weather(turn.position, last.eta + duration),
            min_depth_m=turn.min_depth_m,
            ukc_m=turn.ukc_m,
            in_eca=turn.in_eca,
            passage=turn.passage,
            note=turn.note,
        )
    )
    return profile


def _fair_current_kn(weather: Weather | None, course_deg: float) -> float:
    if weather is None or weather.current_speed_kn is None:
        return 0.0
    return weather.current_speed_kn * cos(radians(weather.current_to_deg - course_deg))


def _summarise(
    waypoints: Sequence[Waypoint], profile: Sequence[ProfilePoint], overrides: Mapping[str, Any]
) -> VoyageSummary:
    first, last = waypoints[0], waypoints[-1]
    hours = (last.eta - first.eta) / timedelta(hours=1)
    fuel = sum(w.leg_fuel_t for w in waypoints)
    met = [p.weather for p in profile if p.weather is not None]
    ukcs = [w.ukc_m for w in waypoints if w.ukc_m is not None]
    forecast = [w for w in met if w.wave_source is WeatherSource.FORECAST]
    figures: dict[str, Any] = {
        "distance_nm": last.cumulative_nm,
        "duration_h": hours,
        "eta": last.eta,
        "fuel_t": fuel,
        "co2_t": fuel * CO2_PER_FUEL,
        "average_speed_kn": last.cumulative_nm / hours,
        "eca_distance_nm": sum(w.leg_distance_nm for w in waypoints if w.in_eca),
        "eca_fuel_t": sum(w.leg_fuel_t for w in waypoints if w.in_eca),
        "great_circle_nm": float(great_circle_distance_nm(*first.position, *last.position)),
        "max_wave_m": max((w.wave_height_m for w in met), default=None),
        "max_wind_ms": max((w.wind_speed_ms for w in met), default=None),
        "min_ukc_m": min(ukcs, default=None),
        "forecast_coverage_pct": 100.0 * len(forecast) / len(profile),
    }
    return VoyageSummary(**{**figures, **overrides})


def north_atlantic_plan(**overrides: Any) -> RoutePlan:
    """Bishop Rock to New York: a gale amidships, climatology at the end, an ECA."""
    gale = Position(47.0, -30.0)

    def weather(position: Position, time: datetime) -> Weather:
        away_nm = float(great_circle_distance_nm(*gale, *position))
        force = max(0.0, 1.0 - away_nm / 600.0)
        late = time - DEPARTS_AT > timedelta(days=6)
        return make_weather(
            2.0 + 3.0 * force,
            wave_from_deg=280.0,
            wind_speed_ms=8.0 + 9.5 * force,
            source=WeatherSource.CLIMATOLOGY if late else WeatherSource.FORECAST,
        )

    settings: dict[str, Any] = {"weather": weather, "baseline_fuel_t": 305.5, "saved_pct": 4.2}
    return make_plan(
        [
            Turn(49.75, -6.45),
            Turn(49.5, -20.0),
            Turn(47.0, -35.0),
            Turn(42.5, -50.0, note="South of the Grand Banks"),
            Turn(40.5, -68.5),
            Turn(40.4, -73.5, LegGeometry.RHUMB, 12.0, in_eca=True, min_depth_m=30, ukc_m=18.5),
        ],
        **{**settings, **overrides},
    )


def north_pacific_plan(**overrides: Any) -> RoutePlan:
    """Yokohama to San Francisco, across the antimeridian; without weather."""
    return make_plan(
        [
            Turn(34.9, 139.8),
            Turn(42.0, 160.0),
            Turn(45.5, 179.0),
            Turn(46.0, -170.0),
            Turn(43.0, -140.0),
            Turn(37.75, -122.7, stw_kn=12.0, in_eca=True),
        ],
        **overrides,
    )


def panama_plan(**overrides: Any) -> RoutePlan:
    """Kingston to Buenaventura through the Panama Canal: short legs, shallow water."""
    canal = {"geometry": LegGeometry.RHUMB, "stw_kn": 8.0, "xtd_m": 90.0, "passage": "Panama Canal"}
    water: dict[str, Any] = {"min_depth_m": 14.0, "ukc_m": 2.0}
    settings: dict[str, Any] = {
        "weather": lambda _position, _time: make_weather(1.1, wind_speed_ms=6.0),
        "label": "by Panama",
        "facts": PlanFacts(passages=(PassageFact("Panama Canal", "CANAL"),)),
    }
    return make_plan(
        [
            Turn(17.7, -76.6),
            Turn(9.45, -79.95),
            Turn(9.28, -79.92, **canal, **water),
            Turn(9.12, -79.75, **canal, **water),
            Turn(8.9, -79.53, **canal, **water, note="Balboa sea buoy"),
            Turn(7.0, -79.9),
            Turn(3.8, -77.4),
        ],
        **{**settings, **overrides},
    )


def wait_before_canal(plan: RoutePlan, hours: float) -> RoutePlan:
    """Return the plan of ``panama_plan`` with a customary wait before the canal's first leg."""
    kept, later = plan.waypoints[:2], plan.waypoints[2:]
    wait = timedelta(hours=hours)
    return replace(plan, waypoints=(*kept, *(replace(w, eta=w.eta + wait) for w in later)))


def three_plans() -> dict[str, RoutePlan]:
    """Return the three plans by name."""
    return {
        "north-atlantic": north_atlantic_plan(),
        "north-pacific": north_pacific_plan(),
        "panama": panama_plan(),
    }


def make_ship(**overrides: Any) -> ShipParticulars:
    """Return a handysize bulk carrier."""
    figures: dict[str, Any] = {
        "ship_type": ShipType.BULK_CARRIER,
        "dwt_t": 38_000.0,
        "loa_m": 180.0,
        "lbp_m": 176.0,
        "breadth_m": 30.0,
        "depth_m": 15.0,
        "draft_design_m": 10.0,
        "draft_scantling_m": 10.7,
        "service_speed_kn": 14.0,
        "pitch_m": 4.2,
    }
    return ShipParticulars(**{**figures, **overrides})


def make_request(plan: RoutePlan, **overrides: Any) -> VoyageRequest:
    """Return a request for which ``plan`` could be the plan."""
    figures: dict[str, Any] = {
        "departure": plan.waypoints[0].position,
        "arrival": plan.waypoints[-1].position,
        "departs_at": plan.waypoints[0].eta,
        "ship": make_ship(),
        "loading": Loading(draft_m=10.0, trim_m=0.0, deadweight_t=35_000.0),
        "speed_min_kn": 10.0,
        "speed_max_kn": 14.5,
    }
    return VoyageRequest(**{**figures, **overrides})
