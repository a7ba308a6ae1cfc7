"""A better rest of a voyage under way, searched thoroughly only where there may be one."""

from app.engine.monitoring.remainder import Outlook
from app.engine.plan import RoutePlan
from app.engine.planner import find_best_route, plan_best_route
from app.engine.planning.area_rules import settle_areas
from app.engine.planning.candidates import Thoroughness
from app.engine.planning.context import PlanningContext


def find_better_rest(context: PlanningContext, current: Outlook) -> RoutePlan | None:
    """Plan the rest of a voyage anew, in the weather and the areas as they are known now.

    ``None`` where no route keeps the limits, and where nothing is at stake and a coarse search, a
    tenth of the work, finds nothing better than ``current``. Raises :class:`VoyageError` when no
    route can be sailed.
    """
    is_worth_it = current.route is None or bool(current.breaches)
    return plan_best_route(context) if is_worth_it or _promises(context, current) else None


def _promises(context: PlanningContext, current: Outlook) -> bool:
    """Return whether the plan's rest is late, or a coarse search finds a better one."""
    assert current.route is not None  # noqa: S101  what cannot be sailed is planned anew
    context = settle_areas(context)
    late_h, cost = context.cost(current.route)
    if late_h > 0.0:
        return True
    coarse = find_best_route(context, Thoroughness.COARSE)
    return coarse is None or context.cost(coarse) < (late_h, cost)
