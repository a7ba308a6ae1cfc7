"""Sentences about the voyage, its route and its fuel."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from app.engine.codes import AlternativeKind
from app.engine.facts import SavingFact
from app.engine.formatting import format_position
from app.engine.particulars import ShipParticulars
from app.engine.plan import Alternative, RoutePlan
from app.engine.report.explanation.phrases import (
    distance,
    duration,
    extra_cost,
    listed,
    mass,
    moment,
)
from app.engine.request import Objective, TrackKind, VoyageRequest

_PURPOSES: Final = {
    Objective.FUEL: "for the least fuel",
    Objective.TIME: "for the earliest arrival",
    Objective.BALANCED: "for the best balance of fuel and time",
}
_TRACKS: Final = {
    TrackKind.GREAT_CIRCLE: " As asked, the track is the shortest navigable one.",
    TrackKind.RHUMB: " As asked, the track is the shortest one on rhumb lines.",
}
#: Least fuel that is mentioned [t].
_LEAST_T: Final = 0.05
#: Arrivals no further apart count as equal.
_SAME_TIME: Final = timedelta(minutes=30)
#: Within this share of the great circle a track is called close to it.
_CLOSE: Final = 1.015


def explain_voyage(plan: RoutePlan, request: VoyageRequest) -> Iterator[str]:
    """State from where to where, how far, how long, when."""
    summary = plan.summary
    yield (
        f"{request.departure_name} to {request.arrival_name}, {plan.label}:"
        f" {distance(summary.distance_nm)} in {duration(summary.duration_h)},"
        f" at {summary.average_speed_kn:.1f} kn on average."
    )
    yield f"Departure {moment(plan.waypoints[0].eta)}, arrival {moment(plan.waypoints[-1].eta)}."
    for wait in plan.facts.waits:
        place = format_position(wait.lat, wait.lng)
        yield f"The ship waits {duration(wait.hours)} at {place} until {wait.until}."
    great_circle = distance(summary.great_circle_nm)
    if summary.distance_nm <= _CLOSE * summary.great_circle_nm:
        yield f"The track stays close to the great circle of {great_circle}."
    else:
        yield f"The great circle, land disregarded, measures {great_circle}."


def explain_route(plan: RoutePlan, request: VoyageRequest) -> Iterator[str]:
    """Explain why this route, what the others would cost, what it leads through."""
    yield f"The plan was chosen {_PURPOSES[request.objective]}.{_TRACKS.get(request.track, '')}"
    for closed in plan.facts.closed_ways:
        yield f"Sailing {closed.label} is not open to this voyage: {closed.reason}."
        if cost := extra_cost(closed):
            yield f"Keeping out of it costs {cost}."
    for alternative in plan.alternatives:
        yield _explain_alternative(alternative, plan.label)
    if avoided := plan.facts.areas_avoided:
        yield f"The track bends around {listed(avoided)}."
    yield _explain_passages(plan)


def _explain_alternative(alternative: Alternative, taken: str) -> str:
    """State another route's figures; the baseline is not another route."""
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
        f"{subject} would measure {distance(summary.distance_nm)},"
        f" take {duration(summary.duration_h)}"
        f" and burn {mass(summary.fuel_t)}."
    )


def _explain_passages(plan: RoutePlan) -> str:
    passages = plan.facts.passages
    if not passages:
        return ""
    names = listed([passage.name for passage in passages])
    waits = [
        f"{duration(passage.waiting_h)} before {passage.name}"
        for passage in passages
        if passage.waiting_h
    ]
    waiting = f" The time includes waiting {listed(waits)}." if waits else ""
    return f"Narrow waters on the route: {names}.{waiting}"


def explain_fuel(plan: RoutePlan, request: VoyageRequest) -> Iterator[str]:
    """State speeds, fuel, and the saving by its means."""
    yield _explain_speed(plan, request)
    summary = plan.summary
    yield (
        f"The main engine burns {mass(summary.fuel_t)} of fuel and emits {mass(summary.co2_t)}"
        " of CO₂."
    )
    if summary.fuel_standard_error_t is not None:
        yield _explain_error(summary.fuel_t, summary.fuel_standard_error_t, request.ship)
    if summary.auxiliary_fuel_t and summary.total_fuel_t and summary.total_co2_t:
        yield (
            f"The auxiliaries burn {mass(summary.auxiliary_fuel_t)} more: in all"
            f" {mass(summary.total_fuel_t)} of fuel and {mass(summary.total_co2_t)} of CO₂."
        )
    if summary.baseline_fuel_t is not None:
        yield _explain_saving(plan, summary.baseline_fuel_t, summary.saved_pct)
        yield _explain_means(plan.facts.means or SavingFact())
    if request.arrive_by is not None and plan.waypoints[-1].eta <= request.arrive_by:
        yield f"This meets the arrival asked for, by {moment(request.arrive_by)}."


def _explain_error(fuel_t: float, error_t: float, ship: ShipParticulars) -> str:
    """What a fuel figure rests on, and how far from it two voyages in three will come out."""
    return (
        f"The fuel figure rests on {ship.response.rests_on}: ± {100.0 * error_t / fuel_t:.0f} %"
        f" ({mass(error_t)}), one standard error."
    )


def _explain_speed(plan: RoutePlan, request: VoyageRequest) -> str:
    at_sea = [
        w.speed_through_water_kn
        for w in plan.waypoints
        if w.speed_through_water_kn is not None and w.passage is None
    ]
    if not at_sea:
        return ""
    low, high = f"{min(at_sea):.1f}", f"{max(at_sea):.1f}"
    made = f"{high} kn" if low == high else f"{low} to {high} kn"
    ordered = f"{request.speed_min_kn:.1f} to {request.speed_max_kn:.1f} kn"
    below = min(at_sea) < request.speed_min_kn - 0.05
    forced = "; on the slowest leg less than ordered is possible" if below else ""
    return f"Clear of passages the ship makes {made} through the water, ordered {ordered}{forced}."


def _explain_saving(plan: RoutePlan, baseline_fuel_t: float, saved_pct: float | None) -> str:
    baseline = f"would burn {mass(baseline_fuel_t)}"
    other = next((o for o in plan.alternatives if o.kind is AlternativeKind.BASELINE), None)
    if other is not None and abs(other.summary.eta - plan.summary.eta) > _SAME_TIME:
        return _explain_other_arrival(plan, other, baseline)
    if saved_pct is None:
        return ""
    alike = f"The shortest route at one speed, arriving at the same time, {baseline}"
    if abs(saved_pct) < 0.05:
        return f"{alike}, no more than this plan."
    if saved_pct < 0.0:
        return f"{alike}; the plan burns {-saved_pct:.1f} % more."
    return f"{alike}; the plan saves {saved_pct:.1f} %."


def _explain_other_arrival(plan: RoutePlan, other: Alternative, baseline: str) -> str:
    """State a baseline that cannot arrive when the plan does."""
    when = "later" if other.summary.eta > plan.summary.eta else "sooner"
    return (
        f"The shortest route at one speed arrives {when}, {moment(other.summary.eta)}, and"
        f" {baseline}. Fuel at two arrivals is not compared in per cent."
    )


def _explain_means(means: SavingFact) -> str:
    track_t, speed_t = means.track_t, means.speed_t
    parts = []
    if track_t >= _LEAST_T:
        parts.append(f"{mass(track_t)} by the track{_describe_depth(means.depth_t, track_t)}")
    if speed_t >= _LEAST_T:
        parts.append(f"{mass(speed_t)} by the speeds and their timing")
    return f"It saves {listed(parts)}." if parts else ""


def _describe_depth(depth_t: float, track_t: float) -> str:
    """State how much of the saving of a track is due to deeper water."""
    if depth_t < _LEAST_T:
        return ""
    return " in deeper water" if depth_t > track_t else f" ({mass(depth_t)} of it in deeper water)"
