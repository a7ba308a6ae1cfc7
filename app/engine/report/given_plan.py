"""Plans of given or edited routes, without comparisons."""

from app.engine.plan import RoutePlan
from app.engine.planning.comparison import build_empty_comparison
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.report.passage_plan import write_narrowed, write_profile, write_summary
from app.engine.report.plan_facts import find_warnings, list_facts


def write_given_plan(context: PlanningContext, route: SimulatedRoute) -> RoutePlan:
    """Write the plan of a given route, which has no alternatives and no trade-off curve."""
    return RoutePlan(
        waypoints=write_narrowed(context, route),
        summary=write_summary(context, route),
        profile=write_profile(route),
        label=route.label,
        warnings=find_warnings(context, route, (), is_given=True),
        facts=list_facts(context, route, build_empty_comparison(route)),
    )
