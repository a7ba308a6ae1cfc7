"""Findings of a check of a route: frozen records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from app.engine.codes import FindingCode, Severity
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.sea.path import Leg

__all__ = ["CORRIDOR_SLACK_M", "Finding", "FindingCode", "Severity", "sort_findings"]

#: Excess of a corridor's width that is ignored [m]: files round widths.
CORRIDOR_SLACK_M: Final = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding on a leg or a waypoint of a route.

    ``leg_index`` is the index, from 0, of the waypoint at which the leg begins. ``measured`` and
    ``required`` are in the unit of the message. ``line`` is the line of the file for errors of
    its format. ``subject`` identifies what is violated if the code alone does not: an area's id
    or the kind of a limit.
    """

    code: FindingCode
    severity: Severity
    message: str
    waypoint_index: int | None = None
    leg_index: int | None = None
    position: Position | None = None
    measured: float | None = None
    required: float | None = None
    line: int | None = None
    subject: str | None = None

    def renumbered(self, number: Callable[[int], int]) -> Self:
        """Return the finding with its waypoint, and that at the end of its leg, numbered anew."""
        waypoint, leg = self.waypoint_index, self.leg_index
        return replace(
            self,
            waypoint_index=None if waypoint is None else number(waypoint),
            leg_index=None if leg is None else number(leg + 1) - 1,
        )


def sort_findings(findings: list[Finding]) -> tuple[Finding, ...]:
    """Sort findings by severity, then by position along the route."""
    order = list(Severity)

    def key(finding: Finding) -> tuple[int, int]:
        at = finding.leg_index if finding.waypoint_index is None else finding.waypoint_index
        return order.index(finding.severity), -1 if at is None else at

    return tuple(sorted(findings, key=key))


_NAMES: Final[Mapping[LegGeometry, str]] = {
    LegGeometry.GREAT_CIRCLE: "great circle",
    LegGeometry.RHUMB: "rhumb line",
}


def describe_line(leg: Leg, is_own: bool) -> str:
    """Describe at the end of a sentence the line to which it applies; empty for the leg's own."""
    if is_own:
        return ""
    own, other = (_NAMES[geometry] for geometry in leg.lines)
    return f" if sailed as a {other}, not as the route's {own}"
