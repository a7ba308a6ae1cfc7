"""Explanation of a plan, and of the extra cost of a given route over it.

Every statement and number is in the plan or its request. Numbers are rounded: distances to 1 nm,
times down to the minute, hours, knots, tonnes, metres, m/s and per cent to one decimal. Thousands
are not separated, so that figures can be searched for.
"""

from collections.abc import Iterable
from typing import Final

from app.engine.facts import ExtraCost
from app.engine.plan import RoutePlan
from app.engine.report.explanation.phrases import (
    format_distance,
    format_duration,
    format_mass,
    join_phrases,
)
from app.engine.report.explanation.sea import explain_waters, explain_weather
from app.engine.report.explanation.spread import explain_spread
from app.engine.report.explanation.voyage import explain_fuel, explain_route, explain_voyage
from app.engine.request import VoyageRequest

#: Fuel [t] and time [h] that round to zero.
_NO_FUEL_T: Final = 0.05
_NO_TIME_H: Final = 0.05


def explain(
    plan: RoutePlan,
    request: VoyageRequest,
    *,
    wave_limit: str | None = None,
    wind_limit: str | None = None,
    is_edited: bool = False,
) -> str:
    """Explain a plan in short paragraphs, separated by blank lines.

    ``wave_limit`` and ``wind_limit`` are the limits as the captain gave them ("Douglas 6",
    "Beaufort 7"); by default in the metres and m/s of the request. A route that ``is_edited`` was
    not chosen by the request's objective.
    """
    paragraphs = (
        explain_voyage(plan, request),
        explain_route(plan, request, is_edited=is_edited),
        explain_fuel(plan, request),
        explain_weather(plan, request, wave_limit, wind_limit),
        explain_spread(plan, request),
        explain_waters(plan, request),
        (warning.detail for warning in plan.warnings),
        ("Verify on the ECDIS before use.",),
    )
    return "\n\n".join(text for text in map(_join, paragraphs) if text)


def _join(sentences: Iterable[str]) -> str:
    return " ".join(sentence.strip() for sentence in sentences if sentence)


def explain_extra(extra: ExtraCost) -> str:
    """State the difference in fuel and arrival between a given route and the plan, by cause."""
    if abs(extra.fuel_t) < _NO_FUEL_T:
        return f"The route burns as much as the plan{_write_arrival(extra)}."
    causes = (
        (extra.track_t, _write_track(extra)),
        (extra.speed_t, "its speeds"),
        (extra.arrival_t, "its time of arrival"),
    )
    more = [f"{_write_difference(t)} by {cause}" for t, cause in causes if t >= _NO_FUEL_T]
    less = [f"{_write_difference(t)} by {cause}" for t, cause in causes if t <= -_NO_FUEL_T]
    by_cause = f": {join_phrases([*more, *less])}" if more or less else ""
    return (
        f"The route burns {_write_difference(extra.fuel_t)} than the plan"
        f"{_write_arrival(extra)}{by_cause}."
    )


def _write_difference(fuel_t: float) -> str:
    return f"{format_mass(abs(fuel_t))} {'more' if fuel_t > 0.0 else 'less'}"


def _write_arrival(extra: ExtraCost) -> str:
    if abs(extra.duration_h) < _NO_TIME_H:
        return " and arrives at the same time"
    word = "later" if extra.duration_h > 0.0 else "sooner"
    return f" and arrives {format_duration(abs(extra.duration_h))} {word}"


def _write_track(extra: ExtraCost) -> str:
    parts = []
    if abs(extra.distance_nm) >= 1.0:
        word = "longer" if extra.distance_nm > 0.0 else "shorter"
        parts.append(f"{format_distance(abs(extra.distance_nm))} {word}")
    # only then is that fuel a part of the track's
    if extra.depth_t * extra.track_t > 0.0 and _NO_FUEL_T <= abs(extra.depth_t) <= abs(
        extra.track_t
    ):
        word = "shallower" if extra.depth_t > 0.0 else "deeper"
        parts.append(f"{format_mass(abs(extra.depth_t))} of it by {word} water")
    return f"its track ({', '.join(parts)})" if parts else "its track"
