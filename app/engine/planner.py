"""How a voyage is planned, on one page.

Find the ways that the water allows, lay each into legs that are clear, sail
each at the speed that is best for it, and answer with the best way, the others
beside it, and what the reader must know.
"""

from collections.abc import Callable

from app.engine.limits import keep_within
from app.engine.passage_plan import Comparison, write_plan
from app.engine.sea.atlas import SeaAtlas
from app.engine.vessel import build_ship
from app.engine.voyage import RoutePlan, VoyageRequest
from app.engine.ways import (
    Voyage,
    find_closed_way,
    sail_baseline,
    sail_clear_ways,
    sail_references,
)
from app.engine.weather import WeatherField

#: Told how far planning has come (0..1) and what it is at. It may raise
#: :class:`~app.engine.errors.PlanningCancelled`, which ends the planning.
Progress = Callable[[float, str], None]


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
    voyage = Voyage(request, sea, weather, ship)
    on_progress(0.0, "Finding the ways")
    routes = keep_within(sail_clear_ways(voyage, on_progress), request.limits)
    on_progress(0.7, "Comparing the ways")
    best, *others = sorted(routes, key=voyage.cost)
    beside = Comparison(
        others=others,
        baseline=sail_baseline(voyage, routes, best),
        references=sail_references(voyage, best),
        closed=find_closed_way(voyage, best),
    )
    on_progress(0.9, "Writing the plan")
    return write_plan(voyage, best, beside)
