"""A plan warns of speeds for which the ship model is not valid."""

from dataclasses import replace

import pytest

from app.engine.particulars import ShipParticulars
from app.engine.planner import quote_voyage
from app.engine.request import Objective
from app.engine.sea.atlas import SeaAtlas
from app.engine.vessel import build_ship
from tests.unit.engine.test_planner import LISBON, PLYMOUTH, make_request

pytestmark = pytest.mark.atlas

REQUEST = make_request(PLYMOUTH, LISBON)
LOWEST_KN, HIGHEST_KN = build_ship(REQUEST.ship, REQUEST.loading).speed_range_kn


def list_warnings(
    sea: SeaAtlas,
    speed_min_kn: float,
    speed_max_kn: float,
    objective: Objective = REQUEST.objective,
    ship: ShipParticulars = REQUEST.ship,
) -> list[str]:
    request = replace(
        REQUEST,
        speed_min_kn=speed_min_kn,
        speed_max_kn=speed_max_kn,
        objective=objective,
        ship=ship,
    )
    quote = quote_voyage(request, sea)
    return [each.detail for each in quote.warnings if each.code == "SPEED_OUTSIDE_METHOD"]


def test_speeds_below_the_range_of_the_ship_model_are_warned_of(sea: SeaAtlas) -> None:
    (detail,) = list_warnings(sea, 2.0, 2.0)
    assert f"begins at 2.00 kn, but the ship model is valid from {LOWEST_KN:.2f} kn" in detail
    assert "such a speed is ordered on" in detail


def test_a_plan_that_orders_no_speed_below_the_range_says_so(sea: SeaAtlas) -> None:
    (detail,) = list_warnings(sea, LOWEST_KN - 0.1, 14.0, Objective.TIME)
    assert detail.endswith("such a speed is ordered nowhere.")


def test_speeds_within_the_range_of_the_ship_model_are_not_warned_of(sea: SeaAtlas) -> None:
    assert not list_warnings(sea, LOWEST_KN, LOWEST_KN)
    assert not list_warnings(sea, 11.0, 14.0)


def test_a_ship_that_sails_above_the_range_of_its_model_is_warned_of(sea: SeaAtlas) -> None:
    strong = replace(REQUEST.ship, installed_power_kw=100_000.0)
    (detail,) = list_warnings(sea, HIGHEST_KN + 1.0, HIGHEST_KN + 1.0, ship=strong)
    assert f"sails faster than {HIGHEST_KN:.2f} kn" in detail
    # an engine that does not reach such a speed is within the range
    assert not list_warnings(sea, HIGHEST_KN + 1.0, HIGHEST_KN + 1.0)
