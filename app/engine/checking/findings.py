"""What a check of a route finds: frozen records."""

from dataclasses import dataclass
from typing import Final

from app.engine.codes import FindingCode, Severity
from app.engine.request import Position

__all__ = ["CORRIDOR_SLACK_M", "Finding", "FindingCode", "Severity", "sort_findings"]

#: A corridor that is too wide by less [m] is taken as it is: files round.
CORRIDOR_SLACK_M: Final = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found on a route.

    ``leg_index`` is that of the leg that begins at the waypoint of that index, from 0; a finding
    is of a leg or of a waypoint. ``position`` is where; ``measured`` and ``required`` are in the
    unit that the message names. ``line`` is that of the file, for its faults. ``subject`` is what
    is broken where the code leaves that open: an area's id, or the kind of a limit.
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


def sort_findings(findings: list[Finding]) -> tuple[Finding, ...]:
    """Sort findings by severity, then along the route."""
    order = list(Severity)

    def key(finding: Finding) -> tuple[int, int]:
        at = finding.leg_index if finding.waypoint_index is None else finding.waypoint_index
        return order.index(finding.severity), -1 if at is None else at

    return tuple(sorted(findings, key=key))
