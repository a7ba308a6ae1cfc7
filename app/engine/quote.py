"""Quotes: candidate routes at one speed in a calm sea, without planning the voyage."""

from app.engine.plan import Quote, QuotedRoute
from app.engine.planning.candidates import best_per_candidate
from app.engine.planning.context import PlanningContext
from app.engine.planning.relaxation import find_feasible_routes
from app.engine.progress import ProgressReporter
from app.engine.report.passage_plan import write_summary
from app.engine.report.plan_warnings import find_warnings
from app.engine.request import VoyageRequest
from app.engine.sea.atlas import SeaAtlas


def quote_voyage(request: VoyageRequest, sea: SeaAtlas) -> Quote:
    """Return a voyage's candidate routes at one speed without weather, the best first.

    Raise a :class:`VoyageError` if no route can be sailed; the subclass is the reason.
    """
    context = PlanningContext.of(request, sea, None)
    context, _, routes = find_feasible_routes(context, ProgressReporter())
    best, *others = best_per_candidate(context, routes)
    return Quote(
        routes=tuple(QuotedRoute(r.label, write_summary(context, r)) for r in (best, *others)),
        warnings=find_warnings(context, best, ()),
    )
