"""Routes lead over deeper water where it saves more fuel than the extra distance costs."""

from dataclasses import replace
from datetime import timedelta

from app.engine.particulars import Loading
from app.engine.planner import plan_voyage
from app.engine.planning.candidates import (
    Thoroughness,
    evaluate_candidates,
    list_simulated_routes,
)
from app.engine.planning.context import PlanningContext
from app.engine.report.explanation import explain
from app.engine.request import Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX
from tests.unit.engine.weather.seas import uniform_climatology

#: To either side of a bank with 9 m.
WEST, EAST = Position(-4.1, 57.0), Position(-3.9, 64.0)
REQUEST = VoyageRequest(
    departure=WEST,
    arrival=EAST,
    departs_at=DEPARTS_AT,
    ship=KAMSARMAX,
    loading=Loading(5.0, 0.0, 25_000.0),
    speed_min_kn=8.0,
    speed_max_kn=14.0,
    arrive_by=DEPARTS_AT + timedelta(hours=46),
    under_way=True,
)


def test_a_ship_goes_round_a_bank_that_costs_fuel_to_cross(tiny_sea: SeaAtlas) -> None:
    plan = plan_voyage(REQUEST, tiny_sea, WeatherField(uniform_climatology()))
    assert plan.summary.distance_nm > 425.0
    assert plan.summary.saved_pct is not None
    assert plan.summary.saved_pct > 4.0  # against the 420 nm straight across
    assert " by the track in deeper water" in explain(plan, REQUEST)


def test_the_straight_track_is_compared_at_its_own_best_speeds(tiny_sea: SeaAtlas) -> None:
    """They are not near those of the track round the bank: slow over shallow water."""
    slow = replace(REQUEST, speed_min_kn=7.0)
    context = PlanningContext.of(slow, tiny_sea, WeatherField(uniform_climatology()))
    on_any_track, on_the_shortest = (
        min(route.total_fuel_t for route in list_simulated_routes(each, candidates))
        for each in (context, replace(context, keeps_shortest=True))
        for candidates in [evaluate_candidates(each, Thoroughness.BEST_ROUTE)]
    )
    assert on_any_track <= 1.0001 * on_the_shortest
