"""Opening more sea to a ship never makes its plan worse.

Planned westward across the North Atlantic, among storms that can be passed on one side or the
other: an area forbidden on the side first thought better must not lead to a better plan.
"""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.engine.area import Area
from app.engine.planner import plan_voyage
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_area
from tests.unit.engine.storms import BISHOP_ROCK, OFF_NEW_YORK, make_crossing, make_storms

pytestmark = pytest.mark.atlas

WESTWARD = replace(
    make_crossing(),
    departure=BISHOP_ROCK,
    arrival=OFF_NEW_YORK,
    arrive_by=DEPARTS_AT + timedelta(hours=260),
)


def fuel_t(sea: SeaAtlas, weather: WeatherField, *areas: Area) -> float:
    plan = plan_voyage(replace(WESTWARD, areas=areas), sea, weather)
    return plan.summary.fuel_t


@pytest.mark.parametrize(
    ("seed", "number", "areas"),
    [
        (34, 6, [make_area(-41.5, 48.2, -38.5, 53.9), make_area(-54.3, 44.4, -51.3, 50.0)]),
    ],
)
def test_removing_a_forbidden_area_never_makes_the_plan_worse(
    sea: SeaAtlas, seed: int, number: int, areas: list[Area]
) -> None:
    weather = make_storms(seed, number)
    free_t = fuel_t(sea, weather)
    for area in areas:
        assert free_t <= 1.001 * fuel_t(sea, weather, area)
