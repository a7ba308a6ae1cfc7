"""Highest shaft speeds that a ship cannot keep even at its lowest speed."""

from dataclasses import replace
from typing import Any, cast

import pytest

from app.engine.errors import LimitsTooTight
from app.engine.planning.candidate_paths import check_shaft_speed
from app.engine.planning.context import PlanningContext
from app.engine.vessel import build_ship
from tests.unit.engine.storms import make_crossing

REQUEST = make_crossing()
SHIP = build_ship(REQUEST.ship, REQUEST.loading)
LOWEST_KN = SHIP.speed_range_kn[0]
LOWEST_RPM = SHIP.performance(LOWEST_KN).rpm


def check(rpm_max: float | None, speed_min_kn: float = 11.0) -> None:
    asked = replace(REQUEST, rpm_max=rpm_max, speed_min_kn=speed_min_kn, speed_max_kn=40.0)
    check_shaft_speed(PlanningContext.of(asked, cast(Any, None), None))


@pytest.mark.parametrize("rpm_max", [None, 95.0, 58.0, 40.0, LOWEST_RPM])
def test_a_shaft_speed_that_only_slows_the_ship_is_allowed(rpm_max: float | None) -> None:
    check(rpm_max)


@pytest.mark.parametrize("rpm_max", [1.0, 5.0, LOWEST_RPM - 0.1])
def test_a_shaft_speed_below_that_of_the_lowest_speed_is_an_error(rpm_max: float) -> None:
    with pytest.raises(LimitsTooTight) as refused:
        check(rpm_max)
    data = refused.value.data
    assert (data["limit"], data["unit"], data["allowed"]) == ("rpm", "rpm", rpm_max)
    assert data["met"] == LOWEST_RPM
    assert f"{LOWEST_RPM:.1f} rpm at its lowest speed, {LOWEST_KN:.1f} kn" in refused.value.detail
    assert 0.0 <= data["would_do"] - SHIP.performance(11.0).rpm < 1.0
    assert f"A limit of {data['would_do']} rpm would do, for 11.0 kn." in refused.value.detail
    check(data["would_do"])


@pytest.mark.parametrize(
    ("speed_min_kn", "speed_kn"),
    [(1.0, LOWEST_KN), (30.0, SHIP.attainable_speed_kn(30.0))],
)
def test_the_shaft_speed_that_would_do_is_one_that_the_ship_can_reach(
    speed_min_kn: float, speed_kn: float
) -> None:
    with pytest.raises(LimitsTooTight) as refused:
        check(5.0, speed_min_kn)
    assert 0.0 <= refused.value.data["would_do"] - SHIP.performance(speed_kn).rpm < 1.0
    check(refused.value.data["would_do"])
