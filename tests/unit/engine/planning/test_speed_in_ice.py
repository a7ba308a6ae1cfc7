"""Speeds in ice by the times at which a ship may be there."""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.engine.area import Area, AreaKind, AreaRule, IceHazard, IceWater
from app.engine.planning.ice import ICE_SPEED_KN, slow_in_ice
from app.engine.request import Limits
from tests.builders import Turn, make_plan, make_request
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_area, make_track

TRACK = make_track((0.0, 0.0), (0.0, 20.0))
HOUR = timedelta(hours=1)
#: The ice begins 900 nm from the start, which a ship at 10 kn reaches after 90 hours.
ICE = replace(
    make_area(15.0, -1.0, 19.0, 1.0, kind=AreaKind.ICE, rule=AreaRule.PRICED),
    ice=IceWater(IceHazard.PACK),
)


def is_slowed(starts_h: float, *others: Area, **asked: object) -> bool:
    plan = make_plan([Turn(0.0, 0.0), Turn(0.0, 20.0)])
    ice = replace(ICE, id="ice", starts_at=DEPARTS_AT + starts_h * HOUR)
    request = make_request(plan, departs_at=DEPARTS_AT, areas=(ice, *others), **asked)
    slowed = slow_in_ice(TRACK, request)
    at = int((TRACK.middle_lngs > 15.0).argmax())
    assert slowed.in_ice[at] == (slowed.speed_cap_kn[at] == ICE_SPEED_KN)
    return bool(slowed.in_ice[at])


@pytest.mark.parametrize(("starts_h", "slowed"), [(-24.0, True), (110.0, True), (130.0, False)])
def test_ice_slows_a_ship_that_may_be_there_in_its_season(starts_h: float, slowed: bool) -> None:
    assert is_slowed(starts_h) is slowed


def test_waits_on_the_way_count() -> None:
    gate = make_area(5.0, -1.0, 5.5, 1.0, ends_at=DEPARTS_AT + 100.0 * HOUR)
    assert is_slowed(130.0, gate)
    beside = make_area(5.0, 2.0, 5.5, 3.0, ends_at=DEPARTS_AT + 100.0 * HOUR)
    assert not is_slowed(130.0, beside)
    assert is_slowed(130.0, limits=Limits(wave_height_m=4.0))


def test_a_convoy_on_the_way_makes_the_ship_later() -> None:
    convoy = replace(
        ICE,
        id="convoy",
        rule=AreaRule.LEAST_EXPOSURE,
        geometry=make_area(1.0, -1.0, 14.0, 1.0).geometry,
    )
    assert is_slowed(130.0, convoy)


@pytest.mark.parametrize(
    ("starts_h", "ends_h"), [(400.0, 500.0), (None, 4000.0)], ids=["later", "too late to wait for"]
)
def test_areas_that_the_ship_does_not_wait_for_do_not_make_it_later(
    starts_h: float | None, ends_h: float
) -> None:
    begins = None if starts_h is None else DEPARTS_AT + starts_h * HOUR
    gate = make_area(5.0, -1.0, 5.5, 1.0, starts_at=begins, ends_at=DEPARTS_AT + ends_h * HOUR)
    assert not is_slowed(130.0, gate)


def test_the_order_of_areas_does_not_matter() -> None:
    near = make_area(2.0, -1.0, 2.5, 1.0, ends_at=DEPARTS_AT + 60.0 * HOUR)
    far = make_area(9.0, -1.0, 9.5, 1.0, ends_at=DEPARTS_AT + 90.0 * HOUR)
    assert is_slowed(155.0, near, far) is is_slowed(155.0, far, near)
