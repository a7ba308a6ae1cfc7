"""Plans past an area whose miles cost more."""

from dataclasses import replace

import pytest

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.planner import plan_voyage
from app.engine.planning.context import PlanningContext
from app.engine.request import Objective, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import make_area
from tests.unit.engine.storms import make_crossing
from tests.unit.engine.weather.seas import uniform_climatology

pytestmark = pytest.mark.atlas

CALM = WeatherField(uniform_climatology(), ())
PRICE = 1.25
AREA = replace(
    make_area(-24.0, 46.0, -18.0, 48.0, kind=AreaKind.ECA, rule=AreaRule.PRICED), price=PRICE
)
CLOSED = make_area(-24.0, 46.0, -18.0, 48.0)
VOYAGE = replace(
    make_crossing(), departure=Position(45.0, -30.0), arrival=Position(48.0, -12.0), arrive_by=None
)


def compute_priced_cost(request: VoyageRequest, sea: SeaAtlas, area: Area) -> float:
    """Return the objective's value of a plan with its miles in ``AREA`` at their price."""
    request = replace(request, areas=(area,))
    summary = plan_voyage(request, sea, CALM).summary
    is_balanced = request.objective is Objective.BALANCED
    hour_t = PlanningContext.of(request, sea, CALM).time_price_t_per_h if is_balanced else 0.0
    mean_price = 1.0 + (PRICE - 1.0) * summary.eca_distance_nm / summary.distance_nm
    return mean_price * (summary.fuel_t + hour_t * summary.duration_h)


@pytest.mark.parametrize("objective", [Objective.FUEL, Objective.BALANCED])
def test_a_plan_stays_out_of_a_priced_area_if_the_detour_costs_less(
    sea: SeaAtlas, objective: Objective
) -> None:
    request = replace(VOYAGE, objective=objective)
    around = compute_priced_cost(request, sea, CLOSED)
    assert compute_priced_cost(request, sea, AREA) <= 1.004 * around
