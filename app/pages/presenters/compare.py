"""Comparison of the planned route with its alternatives."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any, Final

from app.pages.presenters.filters import sentence_case
from app.pages.presenters.voyage_comparison import FIGURES, Figure, find_best
from app.records.instants import parse_instant

#: Names of kinds of alternatives, without points of the trade-off curve.
REASONS: Final = {
    "TOPOLOGY": "Alternative",
    "BASELINE": "Baseline: shortest, constant speed",
    "REFERENCE": "Reference route",
}
#: Relative difference up to which two routes are alike.
_ALIKE_SHARE: Final = 0.001
#: Figures of which the best route is marked.
_JUDGED: Final = (
    *(
        each
        for each in FIGURES
        if each.name in ("distanceNm", "durationH", "fuelMt", "maxWaveM", "maxWindMs")
    ),
    Figure("In ECAs", "ecaHours", "h"),
)
#: Values of the baseline's row that an equal alternative takes over.
_OF_BASELINE: Final = ("label", "reason", "isBaseline", "faults")


def list_alternatives(plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List alternatives that are separate routes, in the plan's order."""
    return [other for other in plan["alternatives"] if other["kind"] in REASONS]


def list_alternative_profiles(
    plan: Mapping[str, Any], profiles: Sequence[list[dict[str, Any]]]
) -> list[list[dict[str, Any]]]:
    """List the dense profiles of those alternatives; plans of earlier releases have none."""
    kinds = [other["kind"] for other in plan["alternatives"]]
    return [found for kind, found in zip(kinds, profiles, strict=False) if kind in REASONS]


def compare_routes(
    label: str,
    summary: Mapping[str, Any],
    plan: Mapping[str, Any],
    limits: Mapping[str, float | None],
) -> list[dict[str, Any]]:
    """List a row per route, the plan first; ``number`` counts alternatives from 0.

    ``best`` names the figures in which no other route without faults is better.

    Alternatives that equal another route within :data:`_ALIKE_SHARE` are left out; an alternative
    that equals the baseline is marked as it.
    """
    planned = _row(label or "Planned", "As planned", summary, plan["waypoints"], limits)
    rows = [planned | {"number": None, "faults": [], "moreHours": None}]
    for number, other in enumerate(list_alternatives(plan)):
        row = _row(
            str(other["label"]),
            REASONS[other["kind"]],
            other["summary"],
            other["waypoints"],
            limits,
        )
        more = {
            "number": number,
            "faults": other.get("faults", []),
            "isBaseline": other["kind"] == "BASELINE",
            "moreHours": row["durationH"] - planned["durationH"],
        }
        alike = [at for at, shown in enumerate(rows) if _is_alike(row, shown)]
        if not alike:
            rows.append(row | more)
        elif more["isBaseline"] and alike[0]:
            rows[alike[0]] |= {name: (row | more)[name] for name in _OF_BASELINE}
    _mark_best(rows)
    return rows


def _mark_best(rows: Sequence[dict[str, Any]]) -> None:
    """Give each row the names of the figures in which it is ``best``, of those without faults."""
    for row in rows:
        row["best"] = set()
    sound = [row for row in rows if not row["faults"]]
    for each in _JUDGED:
        for at in find_best(each, each.read_all(sound)):
            sound[at]["best"].add(each.name)


def _is_alike(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two routes follow one candidate in the same distance, hours and fuel."""
    return row["candidate"] == other["candidate"] and all(
        abs(row[name] - other[name]) <= _ALIKE_SHARE * other[name]
        for name in ("distanceNm", "durationH", "fuelMt")
    )


def _row(
    label: str,
    reason: str,
    summary: Mapping[str, Any],
    waypoints: Sequence[Mapping[str, Any]],
    limits: Mapping[str, float | None],
) -> dict[str, Any]:
    is_baseline, is_reference = (reason == REASONS[kind] for kind in ("BASELINE", "REFERENCE"))
    name = f"{label}, constant speed" if is_baseline else label
    return {
        **summary,
        "candidate": label,
        # the name of a file or of its route is left as it is
        "label": name if is_reference else sentence_case(name),
        "reason": reason,
        "isBaseline": is_baseline,
        "ecaHours": eca_hours(summary["ecaDistanceNm"], waypoints),
        "isOverWave": _is_over(summary["maxWaveM"], limits["waveM"]),
        "isOverWind": _is_over(summary["maxWindMs"], limits["windMs"]),
    }


def _is_over(met: float | None, limit: float | None) -> bool:
    return met is not None and limit is not None and met > limit


def eca_hours(eca_distance_nm: float, waypoints: Sequence[Mapping[str, Any]]) -> float:
    """Hours inside emission control areas.

    Only times of whole legs are known, so hours are estimated by the share of the distance inside.
    """
    inside = [(start, end) for start, end in pairwise(waypoints) if end["inEca"]]
    legs_nm = sum(end["legDistanceNm"] for _, end in inside)
    if not legs_nm:
        return 0.0
    spent = (
        parse_instant(end["eta"]) - parse_instant(start.get("leavesAt") or start["eta"])
        for start, end in inside
    )
    hours = sum(spent, timedelta()) / timedelta(hours=1)
    return float(hours * eca_distance_nm / legs_nm)
