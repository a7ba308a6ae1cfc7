"""Sentences about weather, limits, emission control areas and depth."""

from collections.abc import Iterator, Sequence
from typing import Final

from app.engine.area import AreaKind, AreaRule
from app.engine.formatting import format_clearance, format_latitude, format_miles, name_wind
from app.engine.plan import RoutePlan, Waypoint
from app.engine.report.explanation.phrases import (
    capitalise,
    format_distance,
    format_extra_cost,
    format_mass,
)
from app.engine.request import VoyageRequest
from app.engine.weather.records import Weather, WeatherSource


def explain_weather(
    plan: RoutePlan, request: VoyageRequest, wave_limit: str | None, wind_limit: str | None
) -> Iterator[str]:
    """State waves and wind against their limits, the cost of limits and the forecast coverage."""
    summary, limits = plan.summary, request.limits
    if summary.max_wave_m is None and summary.max_wind_ms is None:
        yield "Waves, wind and currents are unknown: their limits could not be checked."
    if summary.max_wave_m is not None:
        waves = f"The highest waves are {summary.max_wave_m:.1f} m{_where_highest(plan)}"
        given = wave_limit or f"{limits.wave_height_m or 0.0:.1f} m"
        yield waves + _against(summary.max_wave_m, limits.wave_height_m, given)
    if summary.max_wind_ms is not None:
        force = name_wind(summary.max_wind_ms)
        wind = f"The strongest wind is {summary.max_wind_ms:.1f} m/s ({force})"
        given = wind_limit or f"{limits.wind_speed_ms or 0.0:.1f} m/s"
        yield wind + _against(summary.max_wind_ms, limits.wind_speed_ms, given)
    if limits.north_lat is not None:
        yield f"The northern latitude limit is {format_latitude(limits.north_lat)}."
    if limits.south_lat is not None:
        yield f"The southern latitude limit is {format_latitude(limits.south_lat)}."
    for limit in plan.facts.binding_limits:
        cost = format_extra_cost(limit)
        yield f"{capitalise(limit.label)} changes the plan{f' and costs {cost}' if cost else ''}."
    yield from _explain_forecast(plan)


def _against(value: float, limit: float | None, given: str) -> str:
    if limit is None:
        return "."
    return f", {'above' if value > limit else 'within'} the limit of {given}."


def _where_highest(plan: RoutePlan) -> str:
    """Name the leg with the highest waves; empty without weather in the profile."""
    met = [sample for sample in plan.profile if sample.weather is not None]
    if not met:
        return ""
    worst = max(met, key=lambda s: s.weather.wave_height_m if s.weather else 0.0)
    leads_to = next((w for w in plan.waypoints if worst.time <= (w.leaves_at or w.eta)), None)
    return f", on the leg to waypoint {leads_to.number}" if leads_to and leads_to.index else ""


def _explain_forecast(plan: RoutePlan) -> Iterator[str]:
    met = [sample.weather for sample in plan.profile if sample.weather is not None]
    if not met:
        return
    coverage_pct = plan.summary.forecast_coverage_pct
    if f"{coverage_pct:.1f}" == "100.0":
        yield "The forecast covers the whole voyage."
    elif f"{coverage_pct:.1f}" == "0.0":
        yield _explain_no_forecast(met)
    else:
        yield (
            f"The forecast covers {coverage_pct:.1f} % of the time; the weather of the rest is"
            " climatology. Re-plan under way."
        )
    yield from _explain_unknown_sea(met)


def _explain_unknown_sea(met: Sequence[Weather]) -> Iterator[str]:
    """State where neither forecast nor climatology knows waves or current, and current means."""
    without_waves = [weather for weather in met if weather.wave_source is None]
    if len(without_waves) == len(met):
        yield "No waves are known; none are assumed."
    elif without_waves:
        yield (
            "On a part of the voyage, as on rivers and canals, no waves are known; none are assumed"
            " there."
        )
    sources = {weather.current_source for weather in met}
    if sources == {None}:
        yield "No current is known."
    elif sources <= {WeatherSource.CLIMATOLOGY, None}:
        yield "Currents are long-term means."
    if None in sources and len(sources) > 1:
        yield "On a part of the voyage no current is known; none is assumed there."


def _explain_no_forecast(met: Sequence[Weather]) -> str:
    """State which of waves and wind is climatology, if no place has a forecast of both."""
    missing = [
        name
        for name, sources in (
            ("waves", {weather.wave_source for weather in met}),
            ("wind", {weather.wind_source for weather in met}),
        )
        if sources <= {WeatherSource.CLIMATOLOGY, None}
    ]
    if len(missing) != 1:
        return "No forecast covers this voyage: the weather is climatology."
    return f"No forecast of the {missing[0]} covers this voyage, for which climatology is taken."


#: Distance from which whole miles are precise enough [nm].
_WHOLE_MILES_NM: Final = 10.0


def explain_waters(plan: RoutePlan, request: VoyageRequest) -> Iterator[str]:
    """State miles and fuel in emission control areas, and the under-keel clearance."""
    summary = plan.summary
    ecas = [area for area in request.areas if area.kind is AreaKind.ECA]
    if summary.eca_distance_nm > 0.0:
        write = format_miles if summary.eca_distance_nm < _WHOLE_MILES_NM else format_distance
        yield (
            f"{write(summary.eca_distance_nm)} of the route and"
            f" {format_mass(summary.eca_fuel_t)} of the fuel are in emission control areas."
        )
        if any(area.rule is AreaRule.PRICED for area in ecas):
            yield (
                "As requested, the distance inside was reduced, by at most a mile of detour for"
                " every four miles avoided."
            )
    elif ecas:
        yield "The track stays clear of emission control areas."
    if summary.unproven_nm:
        yield (
            "Unproven water, of unknown depth and narrow, is crossed for"
            f" {format_miles(summary.unproven_nm)}, so the least under-keel clearance is unknown:"
            " check these legs on the chart."
        )
    elif summary.min_ukc_m is None:
        yield (
            "No depth is known along the route, so the least under-keel clearance is unknown: check"
            " each leg on the chart."
        )
        return
    yield _explain_depth(plan.waypoints[1:], summary.min_ukc_m)


def _explain_depth(legs: Sequence[Waypoint], min_ukc_m: float | None) -> str:
    unknown = sum(waypoint.ukc_m is None for waypoint in legs)
    least = ""
    if min_ukc_m is not None:
        least = f"The least under-keel clearance is {format_clearance(min_ukc_m)}"
    if unknown == 0:
        return f"{least}." if least else ""
    share = "some legs" if 2 * unknown <= len(legs) else "most legs"
    gap = (
        "no leg has known depths over its whole length: check each on the chart."
        if unknown == len(legs)
        else f"{share} have unknown depths on a part of their length: check them on the chart."
    )
    return f"{least} where the depth is known; {gap}" if least else capitalise(gap)
