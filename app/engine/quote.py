"""What a voyage takes in a calm sea at one speed: an answer at once, before anything is planned."""

from app.engine.planning.area_rules import settle_areas
from app.engine.planning.candidates import list_sailings, sail_ways, take_best_of_each
from app.engine.planning.limits import keep_within
from app.engine.planning.progress import Pace
from app.engine.planning.relaxation import refuse
from app.engine.planning.simulated_route import Voyage
from app.engine.report.passage_plan import write_summary
from app.engine.report.plan_facts import find_warnings
from app.engine.sea.atlas import SeaAtlas
from app.engine.vessel import build_ship
from app.engine.voyage import Quote, QuotedRoute, VoyageRequest


def quote_voyage(request: VoyageRequest, sea: SeaAtlas) -> Quote:
    """Price a voyage on every candidate route at one speed without weather, the best first.

    Raises
    ------
    VoyageError
        When there is no way to sail it; the subclass says why.
    """
    ship = build_ship(request.ship, request.loading, rpm_max=request.rpm_max)
    pace = Pace(lambda fraction, stage: None)
    voyage = settle_areas(Voyage(request, sea, None, ship))
    ways = sail_ways(voyage, pace)
    sailings = list_sailings(voyage, ways)
    routes = keep_within(sailings, request.limits)
    if not routes:
        raise refuse(voyage, ways, sailings, pace)
    best, *others = take_best_of_each(voyage, routes)
    return Quote(
        routes=tuple(QuotedRoute(r.label, write_summary(voyage, r)) for r in (best, *others)),
        warnings=find_warnings(voyage, best, ()),
    )
