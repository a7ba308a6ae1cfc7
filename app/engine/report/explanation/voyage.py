"""Sentences about the voyage, its route and its fuel."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from app.engine.codes import AlternativeKind, WarningCode
from app.engine.facts import SavingFact
from app.engine.formatting import format_position, format_time, name_passage
from app.engine.particulars import ShipParticulars
from app.engine.plan import Alternative, RoutePlan
from app.engine.report.explanation.phrases import (
    format_distance,
    format_duration,
    format_extra_cost,
    format_mass,
    join_phrases,
)
from app.engine.request import Objective, TrackKind, VoyageRequest

_PURPOSES: Final = {
    Objective.FUEL: "for the least fuel",
    Objective.TIME: "for the earliest arrival",
    Objective.BALANCED: "for the best balance of fuel and time",
}
_TRACKS: Final = {
    TrackKind.GREAT_CIRCLE: " As requested, the track is the shortest navigable one.",
    TrackKind.RHUMB: " As requested, the track is the shortest one on rhumb lines.",
}
#: Greatest delay of an arrival that counts as met: times are stored to the second.
_IN_TIME: Final = timedelta(seconds=1)
#: Least fuel that is mentioned [t].
_LEAST_T: Final = 0.05
#: Least saving that is mentioned [%].
_LEAST_PCT: Final = 0.05
#: Greatest difference of arrivals that count as equal.
_SAME_TIME: Final = timedelta(minutes=30)
#: Greatest length of a track that is close to the great circle, over its length.
_CLOSE: Final = 1.015


def explain_voyage(plan: RoutePlan, request: VoyageRequest) -> Iterator[str]:
    """State ports, distance, duration, times, waits and the great-circle distance."""
    summary = plan.summary
    yield (
        f"{request.departure_name} to {request.arrival_name}, {_name_route(plan)}:"
        f" {format_distance(summary.distance_nm)} in {format_duration(summary.duration_h)},"
        f" at {summary.average_speed_kn:.1f} kn on average."
    )
    departs, arrives = (format_time(plan.waypoints[end].eta) for end in (0, -1))
    yield f"Departure {departs}, arrival {arrives}."
    for wait in plan.facts.waits:
        place = format_position(wait.lat, wait.lng)
        yield f"The ship waits {format_duration(wait.hours)} at {place} until {wait.until}."
    great_circle = format_distance(summary.great_circle_nm)
    if summary.distance_nm <= _CLOSE * summary.great_circle_nm:
        yield f"The track stays close to the great circle of {great_circle}."
    else:
        yield f"The great circle, land disregarded, is {great_circle} long."


def _name_route(plan: RoutePlan) -> str:
    """Name the route of a plan; one around water of unknown depth is not direct."""
    is_detour = any(warning.code is WarningCode.DEPTH_DETOUR for warning in plan.warnings)
    if not is_detour:
        return plan.label
    return " ".join(filter(None, [plan.label.removeprefix("direct"), "around unproven water"]))


def explain_route(plan: RoutePlan, request: VoyageRequest, *, is_edited: bool) -> Iterator[str]:
    """State the reasons for the route, the figures of the others, and its passages.

    A route that ``is_edited`` was chosen by its editor.
    """
    if not is_edited:
        purpose = _describe_purpose(plan, request)
        yield f"The plan was chosen {purpose}.{_TRACKS.get(request.track, '')}"
    for closed in plan.facts.closed_ways:
        yield f"Sailing {closed.label} is closed to this voyage: {closed.reason}."
        if cost := format_extra_cost(closed):
            yield f"Avoiding it costs {cost}."
    for alternative in plan.alternatives:
        yield _explain_alternative(alternative, plan.label)
    if avoided := plan.facts.areas_avoided:
        yield f"The track goes around {join_phrases(avoided)}."
    yield _explain_passages(plan)


def _describe_purpose(plan: RoutePlan, request: VoyageRequest) -> str:
    purpose = _PURPOSES[request.objective]
    if request.objective is Objective.TIME or not _is_late(plan, request):
        return purpose
    return f"{_PURPOSES[Objective.TIME]}, because the one required cannot be met"


def _is_late(plan: RoutePlan, request: VoyageRequest) -> bool:
    latest = request.arrive_by
    return latest is not None and plan.waypoints[-1].eta > latest + _IN_TIME


def _explain_alternative(alternative: Alternative, taken: str) -> str:
    """State the figures of another route; empty for the baseline and for unsafe routes."""
    if alternative.faults:
        return ""  # a warning names them
    label = alternative.label
    subjects = {
        "TOPOLOGY": f"Another track {label}" if label == taken else f"Sailed {label}, the voyage",
        "REFERENCE": f"The route {label}",
    }
    subject = subjects.get(alternative.kind)
    if subject is None:
        return ""
    summary = alternative.summary
    return (
        f"{subject} would cover {format_distance(summary.distance_nm)},"
        f" take {format_duration(summary.duration_h)}"
        f" and burn {format_mass(summary.fuel_t)}."
    )


def _explain_passages(plan: RoutePlan) -> str:
    passages = plan.facts.passages
    if not passages:
        return ""
    names = join_phrases([name_passage(passage) for passage in passages])
    waits = [
        f"{format_duration(passage.waiting_h)} before {name_passage(passage)}"
        for passage in passages
        if passage.waiting_h
    ]
    waiting = f" The time includes waiting {join_phrases(waits)}." if waits else ""
    return f"Narrow waters on the route: {names}.{waiting}"


def explain_fuel(plan: RoutePlan, request: VoyageRequest) -> Iterator[str]:
    """State speeds, fuel with its standard error, and the saving by track and speeds."""
    yield _explain_speed(plan, request)
    summary = plan.summary
    yield (
        f"The main engine burns {format_mass(summary.fuel_t)} of fuel and emits"
        f" {format_mass(summary.co2_t)} of CO₂."
    )
    if summary.fuel_standard_error_t is not None:
        yield _explain_error(summary.fuel_t, summary.fuel_standard_error_t, request.ship)
    if summary.auxiliary_fuel_t and summary.total_fuel_t and summary.total_co2_t:
        yield (
            f"The auxiliaries burn {format_mass(summary.auxiliary_fuel_t)} more: in total"
            f" {format_mass(summary.total_fuel_t)} of fuel and"
            f" {format_mass(summary.total_co2_t)} of CO₂."
        )
    if summary.baseline_fuel_t is not None:
        yield _explain_saving(plan, summary.baseline_fuel_t, summary.saved_pct)
        if summary.saved_pct is None or abs(summary.saved_pct) >= _LEAST_PCT:
            yield _explain_means(plan.facts.means or SavingFact())
    if request.arrive_by is not None and not _is_late(plan, request):
        yield f"This meets the latest arrival requested, {format_time(request.arrive_by)}."


def _explain_error(fuel_t: float, error_t: float, ship: ShipParticulars) -> str:
    return (
        f"The fuel figure is based on {ship.response.rests_on}: ± {100.0 * error_t / fuel_t:.0f} %"
        f" ({format_mass(error_t)}), one standard error."
    )


def _explain_speed(plan: RoutePlan, request: VoyageRequest) -> str:
    at_sea = [
        w.speed_through_water_kn
        for w in plan.waypoints
        if w.speed_through_water_kn is not None and w.passage is None
    ]
    if not at_sea:
        return ""
    ordered = _describe_range(request.speed_min_kn, request.speed_max_kn)
    below = min(at_sea) < request.speed_min_kn - 0.05
    forced = "; on the slowest leg the ship cannot keep that speed" if below else ""
    made = _describe_range(min(at_sea), max(at_sea))
    return (
        f"Outside passages the ship makes {made} through the water; {ordered} are ordered{forced}."
    )


def _describe_range(low_kn: float, high_kn: float) -> str:
    low, high = f"{low_kn:.1f}", f"{high_kn:.1f}"
    return f"{high} kn" if low == high else f"{low} to {high} kn"


def _explain_saving(plan: RoutePlan, baseline_fuel_t: float, saved_pct: float | None) -> str:
    baseline = f"would burn {format_mass(baseline_fuel_t)}"
    other = next((o for o in plan.alternatives if o.kind is AlternativeKind.BASELINE), None)
    if other is not None and abs(other.summary.eta - plan.summary.eta) > _SAME_TIME:
        return _explain_other_arrival(plan, other, baseline)
    if saved_pct is None:
        return ""
    alike = f"The shortest route at one speed, arriving at the same time, {baseline}"
    if abs(saved_pct) < _LEAST_PCT:
        compared = "burns as much"
    elif saved_pct < 0.0:
        compared = f"burns {-saved_pct:.1f} % more"
    else:
        compared = f"saves {saved_pct:.1f} %"
    if other is not None and other.faults:
        return f"{alike}, but {'; '.join(other.faults)}. The plan keeps it and {compared}."
    return f"{alike}; the plan {compared}."


def _explain_other_arrival(plan: RoutePlan, other: Alternative, baseline: str) -> str:
    """State a baseline that cannot arrive when the plan does."""
    when = "later" if other.summary.eta > plan.summary.eta else "sooner"
    return (
        f"The shortest route at one speed arrives {when}, {format_time(other.summary.eta)}, and"
        f" {baseline}. No saving is stated for a different arrival."
    )


def _explain_means(means: SavingFact) -> str:
    depth = _describe_depth(means.depth_t, means.track_t)
    parts = (
        (means.track_t, f" by the track{depth}"),
        (means.speed_t, " by the speeds and their timing"),
    )
    saved, lost = (
        join_phrases([f"{format_mass(sign * t)}{by}" for t, by in parts if sign * t >= _LEAST_T])
        for sign in (1.0, -1.0)
    )
    if saved and lost:
        return f"It saves {saved}, but loses {lost}."
    if lost:
        return f"It loses {lost}."
    return f"It saves {saved}." if saved else ""


def _describe_depth(depth_t: float, track_t: float) -> str:
    """State the part of a track's saving, if any, that is due to deeper water."""
    if min(depth_t, track_t) < _LEAST_T:
        return ""
    if depth_t > track_t:
        return " in deeper water"
    return f" ({format_mass(depth_t)} of it in deeper water)"
