"""Areas apply to the rest of a plan as they do to a new plan."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.codes import FindingCode, Severity
from app.engine.monitoring.remainder import assess_remainder, request_remainder
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint
from app.engine.request import Objective, Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.times import hours_since_epoch
from app.engine.vessel import build_ship
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_area
from tests.unit.engine.storms import BISHOP_ROCK, make_crossing
from tests.unit.engine.weather.seas import uniform_climatology

pytestmark = pytest.mark.atlas

MIDWAY = Position(47.5, -30.0)
REST = [GivenWaypoint(MIDWAY), GivenWaypoint(BISHOP_ROCK, speed_kn=12.0)]
TO_AVOID = AreaRule.AVOID_UNLESS_ENDPOINT
AROUND_THE_END = make_area(-10.0, 47.0, -5.0, 52.0, kind=AreaKind.WAR_RISK, rule=TO_AVOID)
AROUND_THE_SHIP = make_area(-32.0, 46.0, -28.0, 49.0)
ACROSS = make_area(-20.0, 47.0, -18.0, 51.0, kind=AreaKind.WAR_RISK, rule=TO_AVOID)


def find_breaches(
    sea: SeaAtlas, *areas: Area, met: WeatherField | None = None
) -> list[tuple[FindingCode, Severity, str | None]]:
    """Return the breaches of the rest of the crossing from midway, with their areas."""
    request = request_remainder(make_crossing(), DEPARTS_AT + timedelta(hours=120), MIDWAY)
    request = replace(request, areas=areas)
    ship = build_ship(request.ship, request.loading)
    outlook = assess_remainder(PlanningContext(request, sea, met, ship), REST)
    assert outlook.route is not None
    return [(each.code, each.severity, each.subject) for each in outlook.breaches]


@pytest.mark.parametrize(
    ("late_h", "objective"), [(-1.0, Objective.FUEL), (0.0, Objective.TIME), (1.0, Objective.TIME)]
)
def test_once_the_required_arrival_has_passed_the_rest_is_to_arrive_as_early_as_possible(
    late_h: float, objective: Objective
) -> None:
    due = DEPARTS_AT + timedelta(hours=120)
    asked = replace(make_crossing(), arrive_by=due)
    request = request_remainder(asked, due + timedelta(hours=late_h), MIDWAY)
    assert request.objective is objective
    assert request.arrive_by == (due if late_h < 0.0 else None)


def forecast_ice() -> WeatherField:
    """Return a forecast of ten days with ice from 47 to 51 N, 20 to 18 W."""
    grid = RegularGrid(40.0, 0.5, 41, -40.0, 0.5, 81)
    lats, lngs = np.meshgrid(grid.lats(), grid.lngs(), indexing="ij")
    iced = (lats >= 47.0) & (lats <= 51.0) & (lngs >= -20.0) & (lngs <= -18.0)
    values = np.repeat(np.where(iced, 0.6, 0.0)[None, :, :, None], 11, axis=0)
    times_h = hours_since_epoch(DEPARTS_AT) + 96.0 + 24.0 * np.arange(11)
    layer = layer_from_values(Group.ICE, grid, times_h, values)
    return WeatherField(uniform_climatology(), (WeatherRun("forecast", {Group.ICE: layer}),))


def test_an_area_to_avoid_around_the_end_is_no_breach(sea: SeaAtlas) -> None:
    assert find_breaches(sea, AROUND_THE_END) == []


def test_an_area_to_avoid_across_the_rest_is_a_breach(sea: SeaAtlas) -> None:
    assert find_breaches(sea, ACROSS) == [(FindingCode.AREA_ENTERED, Severity.DANGER, "area")]


def test_the_rest_from_inside_a_closed_area_is_still_simulated(sea: SeaAtlas) -> None:
    around_the_end = replace(AROUND_THE_END, id="end")
    assert find_breaches(sea, AROUND_THE_SHIP, around_the_end) == [
        (FindingCode.AREA_ENTERED, Severity.DANGER, "area")
    ]


def test_forecast_ice_across_the_rest_is_a_breach(sea: SeaAtlas) -> None:
    assert find_breaches(sea, met=forecast_ice()) == [
        (FindingCode.SEASON_CLOSED, Severity.DANGER, "forecast-ice")
    ]
