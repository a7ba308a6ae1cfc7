"""Findings of ends of an edited route that are not those ordered."""

from collections.abc import Iterator, Sequence
from typing import Final

from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.formatting import format_position
from app.engine.geodesy import great_circle_distance_nm
from app.engine.planning.context import PlanningContext
from app.engine.request import Position

#: Distance from the end ordered up to which an end is the same, as berths of one harbour are [nm].
_SAME_END_NM: Final = 0.5
#: Distance from which it is another place [nm].
_OTHER_PLACE_NM: Final = 5.0


def find_moved_ends(context: PlanningContext, positions: Sequence[Position]) -> Iterator[Finding]:
    """Find ends of a route that are not those of the request.

    The distance counts from the position ordered or from the water used for it, if that is nearer.
    """
    request, (start, end) = context.request, context.ends
    last = len(positions) - 1
    for index, ordered, name, verb in (
        (0, (request.departure, start), "departure", "begins"),
        (last, (request.arrival, end), "arrival", "ends"),
    ):
        own = positions[index]
        apart_nm = min(float(great_circle_distance_nm(*place, *own)) for place in ordered)
        if apart_nm > _SAME_END_NM:
            yield Finding(
                FindingCode.OTHER_ENDS,
                Severity.DANGER if apart_nm > _OTHER_PLACE_NM else Severity.WARNING,
                f"The route {verb} {apart_nm:.1f} nm from the {name} ordered,"
                f" {format_position(*ordered[0])}.",
                waypoint_index=index,
                position=own,
                measured=apart_nm,
                required=_SAME_END_NM,
            )
