"""Forecast uncertainty of a plan as SVG: fan charts, and probabilities of exceeding limits."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import numpy as np

from app.engine.formatting import format_time
from app.engine.report.explanation.spread import explain_decision
from app.pages.charts.route_map import unwrap
from app.pages.presenters.filters import dated_time, figure, mass
from app.records.instants import parse_instant
from app.records.spread import DecisionPointSchema

#: Size of a fan chart in its own units, without labels.
WIDTH: Final = 240.0
HEIGHT: Final = 56.0
#: Height of the strip of probabilities.
STRIP: Final = 16.0
#: Least range of a fan chart [mt], [h], so that no spread is drawn as a line.
_LEAST_MT: Final = 0.2
_LEAST_H: Final = 0.2

#: Share of cases above which an exceeded limit is a caution: the band shown holds eight of ten.
_CAUTION_ABOVE: Final = 0.1

#: Limits of a request; rolling has critical points of its own.
_LIMITS: Final = {"WAVE_HEIGHT": "wave limit", "WIND_SPEED": "wind limit"}
_NAMES: Final = {"WAVE_HEIGHT": "Waves", "WIND_SPEED": "Wind", "ROLLING": "Rolling"}
#: Names of the strips, which say what happens in the share of cases.
_STRIP_NAMES: Final = {
    "WAVE_HEIGHT": "Waves over limit",
    "WIND_SPEED": "Wind over limit",
    "ROLLING": "Rolling danger",
}
_EXCEEDED: Final = {
    "WAVE_HEIGHT": "over the limit",
    "WIND_SPEED": "over the limit",
    "ROLLING": "dangerous",
}


@dataclass(frozen=True, slots=True)
class Fan:
    """A fan chart: the band from P10 to P90 around the median, and labels of its end."""

    title: str
    band: str
    middle: str
    low: str
    centre: str
    high: str
    words: str


@dataclass(frozen=True, slots=True)
class Strip:
    """Probabilities of exceeding one limit along the voyage: bars (x, width, y, height) by time."""

    name: str
    words: str
    percent: str
    bars: tuple[tuple[float, float, float, float], ...]


def describe_spread(
    spread: Mapping[str, Any] | None, profile: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | None:
    """Return the template variables of a spread; ``None`` for plans without one."""
    if spread is None:
        return None
    return {
        "basis": describe_basis(spread),
        "kept": "the planned arrival is kept"
        if spread["kept"] == "ETA"
        else "at the planned revolutions",
        "reason": spread["reason"],
        "unsailable": spread["unsailable"],
        "climatologyPct": spread["climatologyPct"],
        "fans": draw_fans(spread),
        "strips": draw_strips(spread, profile),
        "tracks": [_name_track(track, spread["basis"]) for track in spread["tracks"]],
        "decision": _write_decision(spread),
        "size": {"width": WIDTH, "height": HEIGHT, "strip": STRIP},
    }


def describe_basis(spread: Mapping[str, Any]) -> str:
    """Describe the basis of a spread."""
    if spread["basis"] == "MEMBERS":
        return f"from {spread['members']} members of the forecast"
    return "from typical forecast error"


def describe_tracks(spread: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the tracks to draw besides the plan, and the point to decide between them."""
    spread = spread or {"tracks": [], "basis": None, "decision": None}
    decision = spread["decision"]
    return {
        "tracks": [
            {
                "words": _name_track(track, spread["basis"]),
                "places": unwrap((place["lat"], place["lng"]) for place in track["positions"]),
            }
            for track in spread["tracks"]
            if track["widestNm"]
        ],
        "decision": decision
        and {"words": _write_decision(spread), "waypointIndex": decision["waypointIndex"]},
    }


def _name_track(track: Mapping[str, Any], basis: str) -> str:
    cases = "members" if basis == "MEMBERS" else "cases"
    label = track["label"]
    return f"{label[:1].upper()}{label[1:]}: best in {figure(100.0 * track['share'])} % of {cases}"


def _write_decision(spread: Mapping[str, Any]) -> str | None:
    decision = spread["decision"]
    return decision and explain_decision(DecisionPointSchema.read(decision))


def caution_exceedances(spread: Mapping[str, Any] | None) -> list[str]:
    """Return a caution for each limit of the request that is exceeded in many cases."""
    return [
        f"The {_LIMITS[limit['limit']]} is exceeded in {_write_share(limit)} of cases, most near"
        f" {_name_waypoint(limit)}."
        for limit in (spread["exceedances"] if spread else ())
        if limit["limit"] in _LIMITS and limit["probability"] > _CAUTION_ABOVE
    ]


def _write_share(limit: Mapping[str, Any]) -> str:
    return f"{figure(100.0 * limit['probability'])} %"


def _name_waypoint(limit: Mapping[str, Any]) -> str:
    return f"WP {limit['place']['waypointIndex'] + 1}"


def draw_fans(spread: Mapping[str, Any]) -> list[Fan]:
    """Draw the fan charts of fuel and arrival, relative to the median along the distance."""
    fan = spread["fan"]
    fuel = [tuple(point["fuelMt"][p] for p in ("p10", "p50", "p90")) for point in fan]
    hours = [_hours(point["time"]) for point in fan]
    fuel_ends, eta_ends = spread["fuelMt"], spread["eta"]
    return [
        _draw("Fuel", fan, fuel, _LEAST_MT, _write_ends(fuel_ends, lambda mt: f"{mass(mt, 1)} mt")),
        _draw("Arrival", fan, hours, _LEAST_H, _write_ends(eta_ends, dated_time)),
    ]


def _write_ends(ends: Mapping[str, Any], write: Callable[[Any], str]) -> tuple[str, str, str]:
    return write(ends["p10"]), write(ends["p50"]), write(ends["p90"])


def _hours(time: Mapping[str, str]) -> tuple[float, ...]:
    """Return the percentiles [h] relative to the median."""
    low, middle, high = (parse_instant(time[p]) for p in ("p10", "p50", "p90"))
    return tuple((each - middle) / timedelta(hours=1) for each in (low, middle, high))


def _draw(
    title: str,
    fan: Sequence[Mapping[str, Any]],
    values: Sequence[tuple[float, ...]],
    least: float,
    ends: tuple[str, str, str],
) -> Fan:
    """Draw percentiles relative to the median along the distance."""
    whole = max(fan[-1]["cumulativeNm"], 1.0)
    x = [WIDTH * point["cumulativeNm"] / whole for point in fan]
    below = [low - middle for low, middle, _ in values]
    above = [high - middle for _, middle, high in values]
    scale = 0.5 * HEIGHT / max(least, *(-value for value in below), *above)
    upper = [f"{a:.1f} {0.5 * HEIGHT - scale * v:.1f}" for a, v in zip(x, above, strict=True)]
    lower = [f"{a:.1f} {0.5 * HEIGHT - scale * v:.1f}" for a, v in zip(x, below, strict=True)]
    low, centre, high = ends
    return Fan(
        title=title,
        band=f"M{'L'.join([*upper, *reversed(lower)])}Z",
        middle=f"M0 {0.5 * HEIGHT:g}H{WIDTH:g}",
        low=low,
        centre=centre,
        high=high,
        words=f"{title}: median {centre}, in eight of ten from {low} to {high}",
    )


def draw_strips(spread: Mapping[str, Any], profile: Sequence[Mapping[str, Any]]) -> list[Strip]:
    """Draw the probability of exceeding each limit that some member exceeds, by plan time."""
    if not profile:
        return []
    miles = [point["cumulativeNm"] for point in profile]
    times = [parse_instant(point["time"]) for point in profile]
    spans = [(time - times[0]) / (times[-1] - times[0]) for time in times]
    return [
        _draw_strip(limit, miles, spans)
        for limit in spread["exceedances"]
        if limit["place"] is not None
    ]


def _draw_strip(limit: Mapping[str, Any], miles: Sequence[float], spans: Sequence[float]) -> Strip:
    along = limit["along"]
    middles = [point["cumulativeNm"] for point in along]
    bounds = [0.0, *((a + b) / 2.0 for a, b in itertools.pairwise(middles)), miles[-1]]
    x = 100.0 * np.interp(bounds, miles, spans)
    bars = tuple(
        (
            round(float(x[n]), 2),
            round(float(x[n + 1] - x[n]), 2),
            round(STRIP * (1.0 - point["probability"]), 2),
            round(STRIP * point["probability"], 2),
        )
        for n, point in enumerate(along)
        if point["probability"] > 0.0
    )
    kind, percent = limit["limit"], _write_share(limit)
    when = format_time(parse_instant(limit["place"]["time"]))
    return Strip(
        name=_STRIP_NAMES[kind],
        words=f"{_NAMES[kind]}: {_EXCEEDED[kind]} in {percent} of cases, most near"
        f" {_name_waypoint(limit)} about {when}",
        percent=percent,
        bars=bars,
    )
