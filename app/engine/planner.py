"""How a voyage is planned, on one page.

Find the ways that the water allows, lay each into legs that are clear, sail
each along the track and at the speeds that are best for it, and answer with the
best way, the others beside it, and what the reader must know.
"""

from app.engine.planning.area_rules import settle_areas
from app.engine.planning.candidates import (
    keeps_out,
    list_sailings,
    sail_baseline,
    sail_ways,
    take_best_of_each,
)
from app.engine.planning.comparison import compare
from app.engine.planning.limits import find_excess, keep_within
from app.engine.planning.progress import Pace, Progress
from app.engine.planning.relaxation import refuse
from app.engine.planning.simulated_route import SailedRoute, Voyage
from app.engine.report.passage_plan import write_plan
from app.engine.sailing.waiting import find_waits
from app.engine.sea.atlas import SeaAtlas
from app.engine.vessel import build_ship
from app.engine.voyage import RoutePlan, VoyageRequest
from app.engine.weather import WeatherField


def plan_voyage(
    request: VoyageRequest,
    sea: SeaAtlas,
    weather: WeatherField | None = None,
    on_progress: Progress = lambda fraction, stage: None,
) -> RoutePlan:
    """Plan a voyage.

    Without ``weather`` the sea is taken as calm, and the plan says so.

    Raises
    ------
    VoyageError
        When there is no way to sail it; the subclass says why.
    PlanningCancelled
        When ``on_progress`` asks to stop.
    """
    ship = build_ship(request.ship, request.loading, rpm_max=request.rpm_max)
    pace = Pace(on_progress)
    pace.enter("Finding the ways", 0.02)
    voyage = settle_areas(Voyage(request, sea, weather, ship))
    ways = sail_ways(voyage, pace)
    pace.enter("Comparing the ways", 0.9)
    sailings = list_sailings(voyage, ways)
    routes = keep_within(sailings, request.limits)
    if not routes:
        raise refuse(voyage, ways, sailings, pace)
    best, *others = take_best_of_each(voyage, routes)
    baseline = sail_baseline(voyage, ways, best)
    best = _take_better(voyage, best, baseline)
    pace.enter("Weighing fuel against time", 0.98)
    beside = compare(voyage, ways, best, others, baseline, pace)
    pace.enter("Writing the plan", 1.0)
    return write_plan(voyage, best, beside)


def _take_better(voyage: Voyage, best: SailedRoute, baseline: SailedRoute) -> SailedRoute:
    """The baseline, where it is better and may be sailed: it doesn't choose where to wait."""
    may_be_sailed = (
        keeps_out(voyage, baseline)
        and not find_excess(baseline, voyage.request.limits)
        and not find_waits(baseline.sailing)
    )
    return min(best, baseline, key=voyage.cost) if may_be_sailed else best
