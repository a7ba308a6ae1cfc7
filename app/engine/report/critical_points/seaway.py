"""Critical points of weather: extremes, currents, limits and the end of the forecast."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from operator import attrgetter
from typing import Final, NamedTuple

from app.engine.formatting import format_course, format_latitude, format_time, format_wind
from app.engine.plan import ProfilePoint, RoutePlan
from app.engine.planning.limits import WAVE_HEIGHT, WIND_SPEED
from app.engine.report.critical_points.records import (
    CriticalPoint,
    Kind,
    Severity,
    at_sample,
    split_runs,
)
from app.engine.report.segments import fair_current_kn
from app.engine.request import VoyageRequest
from app.engine.sea.route_restrictions import list_latitude_limits
from app.engine.weather.records import Weather, WeatherSource

#: Significant wave heights [m] of "rough", "very rough" and "high" seas; WMO manual on codes,
#: code table 3700, degrees 5, 6, 7.
ROUGH_SEA_M: Final = 2.5
VERY_ROUGH_SEA_M: Final = 4.0
HIGH_SEA_M: Final = 6.0

#: Wind speeds [m/s] of "near gale" and "strong gale", Beaufort 7 and 9; WMO
#: manual on codes, code table 1100 notes.
_NEAR_GALE_MS: Final = 13.9
_STRONG_GALE_MS: Final = 20.8

#: Foul currents that are reported, and that are a caution [kn]: about a fifteenth of an ocean
#: speed, and twice that.
_ADVERSE_CURRENT_KN: Final = 1.0
_STRONG_ADVERSE_CURRENT_KN: Final = 2.0

#: Share of a wave or wind limit from which it is near: a tenth is within the error of a forecast
#: of two to three days.
_LIMIT_SHARE: Final = 0.9
#: Distance from a latitude limit within which it is near [deg]: 30 nm, about two hours' run.
_LIMIT_LATITUDE_DEG: Final = 0.5

#: Longest interruption of a stretch of rough sea, or near a limit.
LULL: Final = timedelta(hours=6)
#: Longest interruption of a stretch of foul current, by slack water and eddies.
_SLACK = timedelta(hours=24)

_Measure = Callable[[ProfilePoint], float]
_Format = Callable[[float], str]


def find(plan: RoutePlan, request: VoyageRequest) -> Iterator[CriticalPoint]:
    """Find critical points of weather and sea."""
    yield from _find_extremes(plan)
    yield from _find_adverse_currents(plan)
    yield from _find_limits(plan, request)
    yield from _find_forecast_end(plan)


def _met(sample: ProfilePoint) -> Weather:
    if sample.weather is None:
        raise ValueError("no weather is known at this sample")
    return sample.weather


def _wave_m(sample: ProfilePoint) -> float:
    return _met(sample).wave_height_m


def _wind_ms(sample: ProfilePoint) -> float:
    return _met(sample).wind_speed_ms


def _fair_kn(sample: ProfilePoint) -> float:
    return fair_current_kn(sample.weather, sample.course_deg) or 0.0


def _weathered(plan: RoutePlan) -> list[ProfilePoint]:
    return [sample for sample in plan.profile if sample.weather is not None]


def _grade(value: float, caution_from: float, danger_from: float) -> Severity:
    if value >= danger_from:
        return Severity.DANGER
    return Severity.CAUTION if value >= caution_from else Severity.INFO


def _find_extremes(plan: RoutePlan) -> Iterator[CriticalPoint]:
    samples = _weathered(plan)
    if not samples:
        return
    highest, windiest = max(samples, key=_wave_m), max(samples, key=_wind_ms)
    sea, wind = _met(highest), _met(windiest)
    if sea.wave_source is not None:
        yield at_sample(
            plan,
            highest,
            Kind.MAX_WAVE,
            _grade(sea.wave_height_m, VERY_ROUGH_SEA_M, HIGH_SEA_M),
            f"Highest waves of the voyage: {sea.wave_height_m:.1f} m"
            f" from {format_course(sea.wave_from_deg)}, period {sea.wave_period_s:.0f} s.",
        )
    yield at_sample(
        plan,
        windiest,
        Kind.MAX_WIND,
        _grade(wind.wind_speed_ms, _NEAR_GALE_MS, _STRONG_GALE_MS),
        f"Strongest wind of the voyage: {format_wind(wind.wind_speed_ms)}"
        f" from {format_course(wind.wind_from_deg)}.",
    )


def _find_adverse_currents(plan: RoutePlan) -> Iterator[CriticalPoint]:
    foul = [p for p in _weathered(plan) if _fair_kn(p) <= -_ADVERSE_CURRENT_KN]
    for run in split_runs(foul, attrgetter("time"), _SLACK):
        worst = min(run, key=_fair_kn)
        against_kn = -_fair_kn(worst)
        severity = _grade(against_kn, _STRONG_ADVERSE_CURRENT_KN, float("inf"))
        text = f"Current of {against_kn:.1f} kn against the ship."
        yield at_sample(plan, worst, Kind.ADVERSE_CURRENT, severity, text)


def _find_limits(plan: RoutePlan, request: VoyageRequest) -> Iterator[CriticalPoint]:
    for limit in (*_list_weather_limits(plan, request), *_list_latitude_limits(plan, request)):
        near = [sample for sample in limit.samples if limit.measure(sample) >= limit.near]
        for run in split_runs(near, attrgetter("time"), LULL):
            worst = max(run, key=limit.measure)
            met, verdict, severity, cause = limit.measure(worst), "close to", Severity.CAUTION, ""
            if met > limit.limit:
                verdict = limit.excess
                severity = Severity.CAUTION if limit.is_exempt else Severity.DANGER
                cause = ", as an end of the voyage is" if limit.is_exempt else ""
            text = (
                f"{limit.name} {limit.write(met)}, {verdict} your limit of"
                f" {limit.write(limit.limit)}{cause}."
            )
            yield at_sample(plan, worst, Kind.LIMIT_NEAR, severity, text)


class _Limit(NamedTuple):
    """A captain's limit, the value from which a sample is near to it, and how both are written.

    The excess of an exempt limit cannot be avoided, because an end of the voyage is beyond it.
    """

    limit: float
    near: float
    samples: Sequence[ProfilePoint]
    measure: _Measure
    name: str
    write: _Format
    excess: str = "above"
    is_exempt: bool = False


def _list_weather_limits(plan: RoutePlan, request: VoyageRequest) -> Iterator[_Limit]:
    for limit, measure, name in (
        (WAVE_HEIGHT, _wave_m, "Waves of"),
        (WIND_SPEED, _wind_ms, "Wind of"),
    ):
        allowed = limit.allowed(request.limits)
        if allowed is not None:
            near = _LIMIT_SHARE * allowed
            yield _Limit(allowed, near, _weathered(plan), measure, name, limit.format)


def _list_latitude_limits(plan: RoutePlan, request: VoyageRequest) -> Iterator[_Limit]:
    for limit in list_latitude_limits(request.limits):
        side = limit.side

        def measure(sample: ProfilePoint, side: int = side) -> float:
            return side * sample.position.lat

        def write(lat: float, side: int = side) -> str:
            return format_latitude(side * lat)

        value, is_exempt = side * limit.lat, limit.exempts(request.departure, request.arrival)
        near = value - _LIMIT_LATITUDE_DEG
        yield _Limit(value, near, plan.profile, measure, "Latitude", write, "beyond", is_exempt)


def _find_forecast_end(plan: RoutePlan) -> Iterator[CriticalPoint]:
    """Find the first place where waves or wind are not from the forecast alone."""
    samples = _weathered(plan)
    beyond = next((p for p in samples if not _is_forecast(_met(p))), None)
    if beyond is None:
        return
    covered = next((p for p in samples if _is_forecast(_met(p))), None)
    if beyond is not samples[0]:
        text = "The forecast ends here; waves and wind fade into climatology. Re-plan under way."
    elif covered is not None:
        text = (
            "The forecast does not cover the start: waves and wind are climatology until"
            f" {format_time(covered.time)}."
        )
    elif all(_has_only(_met(p), WeatherSource.CLIMATOLOGY) for p in samples):
        text = "No forecast for this voyage: waves and wind are climatology."
    else:
        text = "The forecast covers a part only: waves or wind are blended with climatology."
    yield at_sample(plan, beyond, Kind.FORECAST_END, Severity.CAUTION, text)


def _is_forecast(weather: Weather) -> bool:
    return _has_only(weather, WeatherSource.FORECAST)


def _has_only(weather: Weather, source: WeatherSource) -> bool:
    """Return whether the wind, and the waves if known, have this source."""
    return weather.wind_source is source and weather.wave_source in (source, None)
