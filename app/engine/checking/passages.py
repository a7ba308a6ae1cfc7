"""Findings of passages that a route follows or crosses: limits on the ship's size, lanes."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.formatting import name_in_sentence
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.sea.passage_index import LaneCrossing
from app.engine.sea.passage_limits import describe_excess, exceeded_limits
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg

#: Least angle between a lane and a leg that follows it against its direction [deg]: such a leg lies
#: in the lane for twice its width and more. At a smaller angle it crosses the lane.
_LEAST_OPPOSED_DEG: Final = 150.0


def find_passages(context: PlanningContext, route: SimulatedRoute) -> Iterator[Finding]:
    """Find passages that are too small for the ship, and lanes followed or crossed against."""
    for passage, legs in _list_followed(context, route.legs):
        for particular, (has, limit) in exceeded_limits(passage, context.size).items():
            yield Finding(
                FindingCode.PASSAGE_LIMIT,
                Severity.DANGER,
                f"{passage.name} {describe_excess(particular, has, limit)}.",
                leg_index=legs[0],
                position=route.legs[legs[0]].start,
                measured=has,
                required=limit,
            )
        if passage.one_way:
            yield from _find_wrong_way(passage, route.legs, legs)
    for number, leg in enumerate(route.legs):
        yield from _find_crossed_lanes(context, number, leg)


def _list_followed(
    context: PlanningContext, legs: Sequence[Leg]
) -> list[tuple[Passage, list[int]]]:
    """List the passages that consecutive legs follow, each with the numbers of those legs."""
    index = context.sea.passage_index
    found = [index.find_followed(leg.start, leg.end, leg.geometry, leg.passage) for leg in legs]
    runs = groupby(enumerate(found), key=lambda each: each[1] and each[1].id)
    listed = ([*run] for _, run in runs)
    return [
        (passage, [number for number, _ in run])
        for run in listed
        if (passage := run[0][1]) is not None
    ]


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


def _find_crossed_lanes(context: PlanningContext, number: int, leg: Leg) -> Iterator[Finding]:
    """Find the lanes that a leg leads against, but for the one in whose water it lies entirely."""
    index, line = context.sea.passage_index, (leg.start, leg.end, leg.geometry)
    followed = index.find_followed(*line, leg.passage)
    for crossing in index.find_crossed_against(*line):
        if crossing.lane is not followed:
            yield _judge_crossing(number, crossing)


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
