"""The facts from which a plan is explained."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from app.engine.facts import BridgeFact, CostFact, PassageFact, PlanFacts, SavingFact, WaitFact
from app.engine.formatting import name_area
from app.engine.planning.comparison import Comparison, arrive_together
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import find_depth_cost_t
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.sailing.waiting import Wait, format_wait_end, list_waits
from app.engine.sea.bridge_crossings import spans
from app.engine.sea.passage_limits import describe_excess, exceeded_limits
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import Leg

#: Most distance from the departure to a river that the voyage begins in [nm].
_AT_DEPARTURE_NM: Final = 10.0


def list_facts(
    context: PlanningContext, route: SimulatedRoute, comparison: Comparison
) -> PlanFacts:
    """List the facts that :mod:`app.engine.report.explanation` uses besides the summary."""
    waits = list_waits(route.simulation, context.blocking_areas)
    closed = comparison.closed
    is_other = closed is not None and closed.route.label != route.label
    waited_for = {area.id for wait in waits for area in wait.areas}
    bent_around = () if closed is None or is_other else closed.closed_by
    bridges = tuple(_list_bridges(context, route))
    return PlanFacts(
        passages=tuple(_list_passages(context, route, bridges)),
        bridges=bridges,
        waits=tuple(_describe_wait(wait, is_given=route.is_given) for wait in waits),
        closed_ways=tuple(_list_closed_routes(context, route, comparison)),
        binding_limits=tuple(
            CostFact(f"the {name} limit", *_list_extras(route, free))
            for name, free in comparison.unlimited
        ),
        areas_avoided=tuple(name_area(area) for area in bent_around if area.id not in waited_for),
        means=_find_savings(context, route, comparison),
    )


def _find_savings(
    context: PlanningContext, route: SimulatedRoute, comparison: Comparison
) -> SavingFact | None:
    """Return the fuel saved by track and speeds, if the baseline arrives at the same time."""
    baseline, at_one_speed = comparison.baseline, comparison.at_one_speed
    if at_one_speed is None or not arrive_together(route, baseline):
        return None
    return SavingFact(
        track_t=baseline.total_fuel_t - at_one_speed.total_fuel_t,
        depth_t=find_depth_cost_t(context, baseline) - find_depth_cost_t(context, at_one_speed),
        speed_t=at_one_speed.total_fuel_t - route.total_fuel_t,
    )


def _list_bridges(context: PlanningContext, route: SimulatedRoute) -> Iterator[BridgeFact]:
    """List the bridges that a route passes below, each with the passage that it spans, if any.

    Of several, as fairways share water, it is the one that the leg follows, or else the first.
    """
    used = _list_used(context, route)
    for bridge, leg, place in route.list_passed_below(context.sea.bridges):
        spanned = [passage.name for passage in used if spans(bridge, passage)]
        followed = [name for name in spanned if name == route.legs[leg].passage]
        passage = next(iter([*followed, *spanned]), None)
        yield BridgeFact(bridge.name, bridge.max_air_draft_m, *place, passage)


def _list_used(context: PlanningContext, route: SimulatedRoute) -> list[Passage]:
    """List the passages on a route; one left for open water and entered again is listed once."""
    by_id = {passage.id: passage for passage in context.sea.passages}
    return [by_id[id_] for id_ in dict.fromkeys(use.id for use in route.uses) if id_ in by_id]


def _list_passages(
    context: PlanningContext, route: SimulatedRoute, bridges: Sequence[BridgeFact]
) -> Iterator[PassageFact]:
    track = route.simulation.track
    waiting_h = {
        use.id: float(track.wait_h[np.isin(track.leg, legs)].sum())
        for use in route.uses
        if (legs := [i for i, leg in enumerate(route.legs) if leg.passage == use.line])
    }
    for passage in _list_used(context, route):
        heights_m = [bridge.max_air_draft_m for bridge in bridges if bridge.passage == passage.name]
        if passage.max_air_draft_m is not None:
            heights_m.append(passage.max_air_draft_m)
        middle = passage.centre_line[len(passage.centre_line) // 2]
        waits_h = waiting_h.get(passage.id, 0.0)
        yield PassageFact(
            passage.name,
            passage.kind.value,
            waits_h,
            middle.lat,
            middle.lng,
            is_outward=any(
                _is_outward(context.passages[use.line], route.legs)
                for use in route.uses
                if use.id == passage.id and use.line
            ),
            max_air_draft_m=min(heights_m, default=None),
        )


def _is_outward(passage: Passage, legs: Sequence[Leg]) -> bool:
    """Return whether the legs along a passage lead from its inner end to the sea.

    Passages without through traffic have an inner end, and a river that the voyage begins in.
    """
    followed = [leg for leg in legs if leg.passage == passage.name]
    if not followed:
        return False
    before_nm = sum(leg.distance_nm for leg in legs[: legs.index(followed[0])])
    begins_inside = passage.kind is PassageKind.RIVER and before_nm <= _AT_DEPARTURE_NM
    if passage.through_traffic and not begins_inside:
        return False
    return passage.locate(followed[0].start) > passage.locate(followed[-1].end)


def _describe_wait(wait: Wait, *, is_given: bool) -> WaitFact:
    return WaitFact(
        lat=wait.position.lat,
        lng=wait.position.lng,
        hours=wait.hours,
        until=format_wait_end(wait, is_given=is_given),
        for_areas=bool(wait.areas),
    )


def _list_closed_routes(
    context: PlanningContext, route: SimulatedRoute, comparison: Comparison
) -> Iterator[CostFact]:
    """List the better routes that areas close, and those too small for a ship of this size."""
    closed, oversize = comparison.closed, comparison.oversize
    if closed is not None and closed.route.label != route.label:
        yield CostFact(
            closed.route.label,
            *_list_extras(route, closed.route),
            reason=f"it enters {' and '.join(map(name_area, closed.closed_by))}",
            area_ids=tuple(area.id for area in closed.closed_by),
        )
    if oversize is not None:
        excesses = [
            f"{each.name} {describe_excess(particular, *values)}"
            for each in oversize.closed_by
            for particular, values in exceeded_limits(each, context.size).items()
        ]
        # round a bridge the route may be named by the same passages
        is_named = oversize.route.label != route.label
        label = oversize.route.label if is_named else f"by {oversize.closed_by[0].name}"
        yield CostFact(
            label,
            *_list_extras(route, oversize.route),
            reason="; ".join(excesses),
        )


def _list_extras(route: SimulatedRoute, other: SimulatedRoute) -> tuple[float, float, float]:
    """Return the extra distance [nm], time [h] and fuel [t] of a route over another."""
    return (
        route.simulation.track.length_nm - other.simulation.track.length_nm,
        route.simulation.total_h - other.simulation.total_h,
        route.total_fuel_t - other.total_fuel_t,
    )
