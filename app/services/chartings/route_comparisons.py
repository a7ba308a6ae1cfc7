"""Comparisons of given routes with the plan of a charting."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.engine.checking.findings import Finding, FindingCode, Severity, sort_findings
from app.engine.facts import ExtraCost
from app.engine.plan import VoyageSummary
from app.engine.planning.given_comparison import compare_with_planned
from app.engine.planning.given_route import build_given_waypoints, simulate_given_route
from app.engine.planning.references import describe_distant_ends
from app.engine.report.explanation import explain_extra
from app.engine.report.explanation.phrases import join_phrases
from app.engine.report.passage_plan import write_summary
from app.models import ChartingRevision
from app.services.chartings.given_limits import check_bounded
from app.services.chartings.route_checks import (
    add_orders,
    list_findings,
    move_departure,
    point_at,
    read_given,
)
from app.services.chartings.route_edits import build_context
from app.services.engine_mapping import load_plan
from app.services.platform.sessions import end_reading


@dataclass(frozen=True, slots=True)
class RouteComparison:
    """Findings on a route, and its figures and those of a plan in the same weather.

    ``summary`` is ``None`` if the route cannot be sailed. ``at_best_speeds`` and ``extra`` are
    ``None``, too, if it leads between other places than the plan; ``explanation`` says so.
    """

    revision: int
    findings: tuple[Finding, ...]
    plan: VoyageSummary
    summary: VoyageSummary | None = None
    at_best_speeds: VoyageSummary | None = None
    extra: ExtraCost | None = None
    explanation: str | None = None


def compare(
    session: Session,
    revision: ChartingRevision,
    asked: Mapping[str, Any],
    content: bytes | None = None,
) -> RouteComparison:
    """Compare a route with the plan of a revision: same ship, areas, limits and departure.

    The times of the route are moved to that departure. Plan and route are simulated in the
    present weather. ``content`` is a route file; without one ``asked`` has the
    waypoints. Raises :class:`Invalid` if there is no route, and for one that is too long.
    """
    route = read_given(asked, content)
    context, stored = build_context(session, revision), load_plan(revision)
    end_reading(session)
    waypoints = move_departure(route.waypoints, context.request.departs_at, asked, content)
    given = add_orders(waypoints, asked)
    checked = check_bounded(context, given, "route", point_at(content))
    findings = list_findings(checked, route)
    planned = simulate_given_route(
        context, build_given_waypoints(stored.waypoints), revision.label or ""
    )
    plan = write_summary(context, planned)
    if checked.route is None:
        return RouteComparison(revision.revision, findings, plan)
    distant = describe_distant_ends(context, checked.route)
    if distant:
        clauses = join_phrases([*distant.values()])
        return RouteComparison(
            revision.revision,
            sort_findings([*findings, *_list_other_ends(distant, len(given))]),
            plan,
            write_summary(context, checked.route),
            explanation=f"The route is not compared with the plan: {clauses}.",
        )
    compared = compare_with_planned(context, checked.route, planned)
    return RouteComparison(
        revision.revision,
        findings,
        plan,
        write_summary(context, checked.route),
        write_summary(context, compared.at_best_speeds),
        compared.extra,
        explain_extra(compared.extra),
    )


def _list_other_ends(distant: Mapping[int, str], count: int) -> Iterator[Finding]:
    """Build the findings on the ends, by index, of a route of ``count`` waypoints."""
    for index, clause in distant.items():
        message = f"The route leads between other places than the plan: {clause}."
        yield Finding(
            FindingCode.OTHER_ENDS, Severity.WARNING, message, waypoint_index=range(count)[index]
        )
