"""Findings of passages and bridges on a route: limits on the ship's size, lanes."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.formatting import name_in_sentence
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Position
from app.engine.sea.passage_index import LaneCrossing
from app.engine.sea.passage_limits import (
    PassageOrBridge,
    describe_excess,
    describe_limit,
    exceeded_limits,
)
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import Leg

#: Least angle between a lane and a leg that follows it against its direction [deg]: such a leg lies
#: in the lane for twice its width and more. At a smaller angle it crosses the lane.
_LEAST_OPPOSED_DEG: Final = 150.0


def find_passages(context: PlanningContext, route: SimulatedRoute) -> Iterator[Finding]:
    """Find passages and bridges too small for the ship, and lanes followed or crossed against."""
    index, legs = context.sea.passage_index, route.legs
    followed = [_find_followed(context, leg) for leg in legs]
    for passage, numbers in _list_runs(followed):
        yield from _find_exceeded(context, passage, numbers[0], legs[numbers[0]].start)
        if passage.one_way:
            yield from _find_wrong_way(passage, legs, numbers)
    for bridge, number, place in route.list_passed_below(context.sea.bridges):
        yield from _find_exceeded(context, bridge, number, place)
    for number, (leg, own) in enumerate(zip(legs, followed, strict=True)):
        crossed = index.find_crossed_against(leg.start, leg.end, leg.geometry)
        # a leg lies entirely in the water of the lane that it follows
        yield from (_judge_crossing(number, each) for each in crossed if each.lane is not own)


def _find_followed(context: PlanningContext, leg: Leg) -> Passage | None:
    """Find the passage that a leg follows; a canal only if the leg counts as one through it.

    Harbours lie in the water at the mouths of canals.
    """
    own = leg.start, leg.end, leg.geometry, leg.passage
    found = context.sea.passage_index.find_followed(*own, (), context.too_small_passages)
    is_beside = found is not None and found.kind is PassageKind.CANAL and found.name != leg.passage
    return None if is_beside else found


def _list_runs(followed: Sequence[Passage | None]) -> list[tuple[Passage, list[int]]]:
    runs = groupby(enumerate(followed), key=lambda each: each[1] and each[1].id)
    listed = ([*run] for _, run in runs)
    return [
        (passage, [number for number, _ in run])
        for run in listed
        if (passage := run[0][1]) is not None
    ]


def _find_exceeded(
    context: PlanningContext, passage: PassageOrBridge, number: int, place: Position
) -> Iterator[Finding]:
    """Find the limits that the ship exceeds, and that of its height if this is unknown."""
    if passage.max_air_draft_m is not None and context.size.air_draft_m is None:
        takes = describe_limit("air_draft_m", passage.max_air_draft_m)
        yield Finding(
            FindingCode.AIR_DRAFT_UNKNOWN,
            Severity.UNKNOWN,
            f"{passage.name} {takes}; this ship's is not known.",
            leg_index=number,
            position=place,
            required=passage.max_air_draft_m,
        )
    for particular, (has, limit) in exceeded_limits(passage, context.size).items():
        yield Finding(
            FindingCode.PASSAGE_LIMIT,
            Severity.DANGER,
            f"{passage.name} {describe_excess(particular, has, limit)}.",
            leg_index=number,
            position=place,
            measured=has,
            required=limit,
        )


def _find_wrong_way(
    passage: Passage, legs: Sequence[Leg], numbers: Sequence[int]
) -> Iterator[Finding]:
    start, end = legs[numbers[0]].start, legs[numbers[-1]].end
    if passage.locate(end) < passage.locate(start):
        yield Finding(
            FindingCode.WRONG_WAY,
            Severity.DANGER,
            f"The route runs against the direction of {name_in_sentence(passage.name)}.",
            leg_index=numbers[0],
            position=start,
        )


def _judge_crossing(number: int, crossing: LaneCrossing) -> Finding:
    lane, angle = name_in_sentence(crossing.lane.name), f"{crossing.angle_deg:.0f}°"
    if crossing.angle_deg >= _LEAST_OPPOSED_DEG:
        return Finding(
            FindingCode.WRONG_WAY,
            Severity.DANGER,
            f"The leg follows {lane} against its direction, {angle} off it (COLREG, rule 10 (b)).",
            leg_index=number,
            position=crossing.place,
            measured=crossing.angle_deg,
        )
    return Finding(
        FindingCode.WRONG_WAY,
        Severity.WARNING,
        f"The leg crosses {lane} {angle} off its direction. Lanes are crossed at 90° where"
        " practicable (COLREG, rule 10 (c)).",
        leg_index=number,
        position=crossing.place,
        measured=crossing.angle_deg,
        required=90.0,
    )
