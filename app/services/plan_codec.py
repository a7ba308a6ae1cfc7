"""Route plans as the JSON that is stored and served, and back.

Figures are rounded once, here, to what they are good for; what the API serves
and what files are written from is therefore the same. Writing a plan that was
read gives the same JSON again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from app.engine.codes import AlternativeKind, WarningCode
from app.engine.voyage import (
    Alternative,
    CarbonIntensity,
    FrontPoint,
    LegGeometry,
    PlanWarning,
    Position,
    ProfilePoint,
    RoutePlan,
    VoyageSummary,
    Waypoint,
    Weather,
    WeatherSource,
)
from app.exports.formats import cut
from app.services.instants import format_instant, parse_instant

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Field:
    """One attribute: its name in JSON, how it is written, how it is read."""

    attribute: str
    key: str
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _rounded(attribute: str, key: str, decimals: int) -> _Field:
    return _Field(attribute, key, lambda value: round(float(value), decimals) + 0.0, float)


def _cut(attribute: str, key: str, decimals: int) -> _Field:
    """What must not grow by being written: depths and margins."""
    return _Field(attribute, key, lambda value: cut(float(value), decimals) + 0.0, float)


def _plain(attribute: str, key: str, kind: Callable[[Any], Any]) -> _Field:
    return _Field(attribute, key, kind, kind)


def _time(attribute: str, key: str) -> _Field:
    return _Field(attribute, key, format_instant, parse_instant)


def _write_cii(cii: CarbonIntensity) -> Json:
    return {
        "attained": round(cii.attained, 3),
        "required": round(cii.required, 3),
        "rating": cii.rating,
    }


def _read_cii(json: Mapping[str, Any]) -> CarbonIntensity:
    return CarbonIntensity(json["attained"], json["required"], json["rating"])


_SUMMARY: Final = (
    _rounded("distance_nm", "distanceNm", 2),
    _rounded("duration_h", "durationH", 3),
    _time("eta", "eta"),
    _rounded("fuel_t", "fuelMt", 3),
    _rounded("co2_t", "co2Mt", 3),
    _rounded("average_speed_kn", "avgSpeedKn", 3),
    _rounded("eca_distance_nm", "ecaDistanceNm", 2),
    _rounded("eca_fuel_t", "ecaFuelMt", 3),
    _rounded("max_wave_m", "maxWaveM", 2),
    _rounded("max_wind_ms", "maxWindMs", 2),
    _cut("min_ukc_m", "minUkcM", 2),
    _rounded("unproven_nm", "unprovenNm", 2),
    _rounded("great_circle_nm", "greatCircleNm", 2),
    _rounded("baseline_fuel_t", "baselineFuelMt", 3),
    _rounded("saved_pct", "savedPct", 2),
    _rounded("forecast_coverage_pct", "forecastCoveragePct", 1),
    _Field("cii", "cii", _write_cii, _read_cii),
    _rounded("auxiliary_fuel_t", "auxiliaryFuelMt", 3),
    _rounded("auxiliary_co2_t", "auxiliaryCo2Mt", 3),
    _rounded("total_fuel_t", "totalFuelMt", 3),
    _rounded("total_co2_t", "totalCo2Mt", 3),
)

_WAYPOINT: Final = (
    _plain("index", "index", int),
    _time("eta", "eta"),
    _rounded("speed_kn", "speedKn", 3),
    _rounded("speed_through_water_kn", "speedThroughWaterKn", 3),
    _rounded("course_deg", "courseDeg", 2),
    _rounded("leg_distance_nm", "legDistanceNm", 4),
    _plain("leg_geometry", "legGeometry", LegGeometry),
    _cut("xtd_m", "xtdM", 1),
    _rounded("cumulative_nm", "cumulativeNm", 4),
    _rounded("leg_fuel_t", "legFuelMt", 4),
    _rounded("rpm", "rpm", 2),
    _rounded("power_kw", "powerKw", 1),
    _cut("min_depth_m", "minDepthM", 2),
    _cut("ukc_m", "ukcM", 2),
    _plain("in_eca", "inEca", bool),
    _plain("passage", "passage", str),
    _plain("note", "note", str),
    _time("leaves_at", "leavesAt"),
    _plain("is_unproven", "unproven", bool),
)

_PROFILE: Final = (
    _time("time", "time"),
    _rounded("cumulative_nm", "cumulativeNm", 3),
    _rounded("course_deg", "courseDeg", 2),
    _rounded("speed_kn", "speedKn", 3),
    _rounded("speed_through_water_kn", "speedThroughWaterKn", 3),
    _rounded("power_kw", "powerKw", 1),
    _rounded("cumulative_fuel_t", "cumulativeFuelMt", 3),
    _cut("depth_m", "depthM", 1),
    _plain("in_eca", "inEca", bool),
)

_FRONT: Final = (
    _time("eta", "eta"),
    _rounded("duration_h", "durationH", 3),
    _rounded("fuel_t", "fuelMt", 3),
    _rounded("distance_nm", "distanceNm", 2),
    _rounded("average_speed_kn", "avgSpeedKn", 3),
)

_WEATHER: Final = (
    _rounded("wave_height_m", "waveHeightM", 2),
    _rounded("wave_period_s", "wavePeriodS", 2),
    _rounded("wave_from_deg", "waveDirDeg", 1),
    _rounded("wind_speed_ms", "windSpeedMs", 2),
    _rounded("wind_from_deg", "windDirDeg", 1),
    _rounded("current_speed_kn", "currentSpeedKn", 3),
    _rounded("current_to_deg", "currentDirDeg", 1),
)


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan as it lies in its columns.

    ``alternative_profiles`` is drawn, one for each alternative, and never read back.
    """

    label: str
    summary: Json
    warnings: list[Json]
    plan: Json
    profile: list[Json]
    alternative_profiles: list[list[Json]] = field(default_factory=list)


def write_plan(plan: RoutePlan) -> StoredPlan:
    """Write a plan for storing and serving."""
    return StoredPlan(
        label=plan.label,
        summary=_write(_SUMMARY, plan.summary),
        warnings=[{"code": str(w.code), "detail": w.detail} for w in plan.warnings],
        plan={
            "waypoints": [_write_waypoint(waypoint) for waypoint in plan.waypoints],
            "alternatives": [_write_alternative(other) for other in plan.alternatives],
            "facts": dict(plan.facts),
            "front": [_write(_FRONT, point) for point in plan.front],
        },
        profile=[_write_profile_point(point) for point in plan.profile],
        alternative_profiles=[
            [_write_profile_point(point) for point in other.profile] for other in plan.alternatives
        ],
    )


def read_plan(stored: StoredPlan) -> RoutePlan:
    """Read a stored plan."""
    plan = stored.plan
    return RoutePlan(
        waypoints=tuple(map(_read_waypoint, plan["waypoints"])),
        summary=VoyageSummary(**_read(_SUMMARY, stored.summary)),
        profile=tuple(map(_read_profile_point, stored.profile)),
        label=stored.label,
        alternatives=tuple(map(_read_alternative, plan["alternatives"])),
        warnings=tuple(PlanWarning(WarningCode(w["code"]), w["detail"]) for w in stored.warnings),
        facts=plan["facts"],
        # plans from before there was a front have none
        front=tuple(FrontPoint(**_read(_FRONT, point)) for point in plan.get("front", ())),
    )


def _write(fields: tuple[_Field, ...], record: object) -> Json:
    values = ((field, getattr(record, field.attribute)) for field in fields)
    return {field.key: None if value is None else field.write(value) for field, value in values}


def _read(fields: tuple[_Field, ...], json: Mapping[str, Any]) -> Json:
    # records from before there was a field have none
    values = ((field, json[field.key]) for field in fields if field.key in json)
    return {
        field.attribute: None if value is None else field.read(value) for field, value in values
    }


def _write_position(position: Position) -> Json:
    return {"lat": round(float(position.lat), 6) + 0.0, "lng": _write_lng(float(position.lng))}


def _write_lng(lng: float) -> float:
    """Round a longitude, which stays below 180."""
    rounded = round(lng, 6) + 0.0
    return -180.0 if rounded >= 180.0 else rounded


def _read_position(json: Mapping[str, Any]) -> Position:
    return Position(json["lat"], json["lng"])


def _write_waypoint(waypoint: Waypoint) -> Json:
    return (
        _write_position(waypoint.position)
        | _write(_WAYPOINT, waypoint)
        | {"weather": _write_weather(waypoint.weather)}
    )


def _read_waypoint(json: Mapping[str, Any]) -> Waypoint:
    return Waypoint(
        position=_read_position(json),
        weather=_read_weather(json["weather"]),
        # plans from before there were waits don't tell when a waypoint is left
        **_read(_WAYPOINT, {"leavesAt": None, **json}),
    )


def _write_profile_point(point: ProfilePoint) -> Json:
    return (
        _write_position(point.position)
        | _write(_PROFILE, point)
        | {"weather": _write_weather(point.weather)}
    )


def _read_profile_point(json: Mapping[str, Any]) -> ProfilePoint:
    return ProfilePoint(
        position=_read_position(json),
        weather=_read_weather(json["weather"]),
        **_read(_PROFILE, json),
    )


def _write_weather(weather: Weather | None) -> Json | None:
    return None if weather is None else write_weather(weather)


def write_weather(weather: Weather) -> Json:
    """Weather at one place and time as JSON."""
    sources = {
        "wave": str(weather.wave_source),
        "wind": str(weather.wind_source),
        "current": str(weather.current_source),
    }
    return _write(_WEATHER, weather) | {"sources": sources}


def _read_weather(json: Mapping[str, Any] | None) -> Weather | None:
    if json is None:
        return None
    sources = json["sources"]
    return Weather(
        wave_source=WeatherSource(sources["wave"]),
        wind_source=WeatherSource(sources["wind"]),
        current_source=WeatherSource(sources["current"]),
        **_read(_WEATHER, json),
    )


def _write_alternative(other: Alternative) -> Json:
    return {
        "kind": str(other.kind),
        "label": other.label,
        "summary": _write(_SUMMARY, other.summary),
        "waypoints": [_write_waypoint(waypoint) for waypoint in other.waypoints],
        "faults": list(other.faults),
    }


def _read_alternative(json: Mapping[str, Any]) -> Alternative:
    return Alternative(
        kind=AlternativeKind(json["kind"]),
        label=json["label"],
        summary=VoyageSummary(**_read(_SUMMARY, json["summary"])),
        waypoints=tuple(map(_read_waypoint, json["waypoints"])),
        # those stored before routes handed in were checked have none
        faults=tuple(json.get("faults", ())),
    )
