"""An additional candidate route is chosen if it is better, and never makes the plan worse.

Planned from the Elbe to the Bay of Danzig, by the Kiel Canal or round the Skaw, with a storm
somewhere between the two.
"""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.engine.area import Area
from app.engine.errors import NoRoute
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.planner import plan_best_route, plan_voyage
from app.engine.planning.candidates import Thoroughness, evaluate_candidates
from app.engine.planning.context import PlanningContext
from app.engine.request import Objective, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.times import hours_since_epoch
from app.engine.vessel import build_ship
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_area
from tests.unit.engine.weather.seas import uniform_climatology

pytestmark = pytest.mark.atlas

REQUEST = VoyageRequest(
    departure=Position(53.9, 8.7),
    arrival=Position(54.55, 18.7),
    departs_at=DEPARTS_AT,
    ship=ShipParticulars(
        ShipType.BULK_CARRIER, 38_000.0, 180.0, 176.0, 30.0, 15.0, 9.5, 10.5, 13.5, 4.2
    ),
    loading=Loading(8.0, 0.0, 30_000.0),
    speed_min_kn=9.0,
    speed_max_kn=13.5,
)
OVER_THE_CANAL = make_area(9.2, 53.8, 10.2, 54.5)
OVER_THE_SKAGERRAK = make_area(7.0, 56.5, 9.0, 60.0)


def make_storm(lat: float, lng: float, height_m: float) -> WeatherField:
    """Return head waves around a position; 1 m elsewhere."""
    grid = RegularGrid(50.0, 0.5, 25, 3.0, 0.5, 37)
    lats, lngs = 50.0 + 0.5 * np.arange(25.0)[:, None], 3.0 + 0.5 * np.arange(37.0)
    share = np.exp(-((lats - lat) ** 2) - (0.6 * (lngs - lng)) ** 2)
    height = 1.0 + (height_m - 1.0) * share
    values = np.stack([height, np.full_like(height, 7.0), np.ones_like(height), 0.0 * height], -1)
    times_h = hours_since_epoch(DEPARTS_AT) + np.arange(0.0, 301.0, 12.0)
    layer = layer_from_values(Group.WAVE, grid, times_h, np.stack(times_h.size * [values]))
    return WeatherField(uniform_climatology(), (WeatherRun("storm", {Group.WAVE: layer}),))


def price(
    sea: SeaAtlas, weather: WeatherField, objective: Objective, areas: tuple[Area, ...] = ()
) -> float:
    """Return the fuel [t] or time [h] of the best route, by the objective."""
    try:
        plan = plan_voyage(replace(REQUEST, objective=objective, areas=areas), sea, weather)
    except NoRoute:
        return inf
    summary = plan.summary
    return summary.duration_h if objective is Objective.TIME else summary.fuel_t


@settings(
    max_examples=1, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(
    storm=st.tuples(st.floats(54.0, 58.0), st.floats(6.0, 16.0), st.floats(2.0, 7.0)),
    objective=st.sampled_from([Objective.FUEL, Objective.TIME]),
)
@example(storm=(54.5, 14.0, 7.0), objective=Objective.FUEL)
def test_an_additional_candidate_route_never_costs_more(
    sea: SeaAtlas, storm: tuple[float, float, float], objective: Objective
) -> None:
    weather = make_storm(*storm)
    both = price(sea, weather, objective)
    by_the_skaw = price(sea, weather, objective, (OVER_THE_CANAL,))
    by_the_canal = price(sea, weather, objective, (OVER_THE_SKAGERRAK,))
    assert both <= 1.001 * min(by_the_skaw, by_the_canal)
    assert by_the_skaw > 1.1 * by_the_canal, "the areas shut nothing"


@pytest.mark.parametrize("lng", [8.0, 14.0])
def test_the_best_route_alone_is_nearly_that_of_a_plan(sea: SeaAtlas, lng: float) -> None:
    weather = make_storm(57.0 if lng < 10.0 else 54.5, lng, 7.0)
    ship = build_ship(REQUEST.ship, REQUEST.loading)
    alone = plan_best_route(PlanningContext(REQUEST, sea, weather, ship))
    assert alone is not None
    whole = plan_voyage(REQUEST, sea, weather).summary
    # a plan also compares the routes of the trade-off curve: several pass a storm at like cost
    assert alone.summary.fuel_t <= 1.01 * whole.fuel_t
    assert alone.summary.distance_nm == pytest.approx(whole.distance_nm, rel=0.01)


def test_only_promising_candidates_are_searched_thoroughly(sea: SeaAtlas) -> None:
    weather = make_storm(57.0, 8.0, 7.0)
    ship = build_ship(REQUEST.ship, REQUEST.loading)
    context = PlanningContext(REQUEST, sea, weather, ship)
    searched = evaluate_candidates(context, Thoroughness.BEST_ROUTE)
    coarse = {each.path.label for each in searched if each.routing and each.routing.is_coarse}
    assert len(coarse) == len(searched) - 1
    assert "by Kiel" not in coarse
