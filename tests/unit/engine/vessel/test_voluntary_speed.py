"""Voluntary speed reduction in heavy weather."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.particulars import MotionLimits, ShipParticulars, ShipType
from app.engine.vessel.bow_motion import DECK_WETNESS_LIMIT
from app.engine.vessel.kernels import least_voluntary_speed_kn, voluntary_speed_kn
from app.engine.vessel.voluntary_speed import STEERAGE_KN
from app.engine.weather.records import Weather
from tests.unit.engine.vessel.seaway_reference import assess_seaway
from tests.unit.engine.vessel.ships import (
    CAPESIZE,
    CONTAINER_SHIP,
    laden,
    relative_sea,
    ships,
    weather,
)

AFRAMAX = ShipParticulars(
    ShipType.TANKER, 112_000.0, 250.0, 240.0, 44.0, 21.0, 13.2, 15.0, 14.5, 6.0
)
KAMSARMAX = ShipParticulars(
    ShipType.BULK_CARRIER, 82_000.0, 229.0, 225.5, 32.26, 20.05, 12.2, 14.45, 14.0, 5.1
)
COASTER = ShipParticulars(
    ShipType.GENERAL_CARGO, 5_000.0, 100.0, 95.0, 15.5, 8.0, 6.0, 6.2, 18.0, 3.0
)


def sea(height_m: float, from_deg: float) -> Weather:
    """Return a sea of about the steepness of storms."""
    return weather(height_m, from_deg, wave_period_s=4.3 * math.sqrt(height_m))


@pytest.mark.parametrize("particulars", [AFRAMAX, KAMSARMAX, CAPESIZE, CONTAINER_SHIP])
@pytest.mark.parametrize("from_deg", [0.0, 45.0, 90.0, 135.0, 180.0])
def test_a_sea_of_three_metres_slows_no_ocean_going_ship(
    particulars: ShipParticulars, from_deg: float
) -> None:
    allowed_kn = laden(particulars).voluntary_speed_kn(0.0, sea(3.0, from_deg))
    assert allowed_kn >= particulars.service_speed_kn


@pytest.mark.parametrize("from_deg", [0.0, 45.0, 90.0, 135.0, 180.0])
def test_a_tanker_slows_down_in_waves_of_thirteen_metres_from_any_direction(
    from_deg: float,
) -> None:
    allowed_kn = laden(AFRAMAX).voluntary_speed_kn(0.0, sea(13.5, from_deg))
    assert allowed_kn < AFRAMAX.service_speed_kn
    if from_deg <= 45.0:
        assert allowed_kn == pytest.approx(STEERAGE_KN)


@given(
    ships(), st.floats(0.0, 180.0), st.floats(4.0, 18.0), st.floats(0.5, 15.0), st.floats(0.1, 3.0)
)
@settings(max_examples=40, deadline=None)
def test_higher_waves_never_allow_more_speed_and_steerage_is_kept(
    particulars: ShipParticulars, off_bow: float, period_s: float, height_m: float, more_m: float
) -> None:
    parameters = laden(particulars).kernel_parameters
    lower, higher = (
        voluntary_speed_kn(parameters, height, period_s, off_bow)
        for height in (height_m, height_m + more_m)
    )
    assert higher <= lower + 1e-9
    assert higher >= min(STEERAGE_KN, 0.5 * particulars.service_speed_kn)


def test_at_the_speed_allowed_the_limiting_motion_is_at_its_limit() -> None:
    ship, met = laden(KAMSARMAX), sea(7.0, 0.0)
    allowed_kn = ship.voluntary_speed_kn(0.0, met)
    found = assess_seaway(ship, allowed_kn, 0.0, met)
    assert found.deck_wetness_probability == pytest.approx(DECK_WETNESS_LIMIT, rel=0.2)
    faster = assess_seaway(ship, allowed_kn + 2.0, 0.0, met)
    assert faster.deck_wetness_probability > 1.3 * DECK_WETNESS_LIMIT


def test_a_fast_small_ship_stays_below_its_surf_riding_speed() -> None:
    ship = laden(replace(COASTER, motion_limits=MotionLimits(deck_wetness=1.0)))
    allowed_kn = ship.voluntary_speed_kn(0.0, weather(3.0, 180.0, wave_period_s=8.0))
    threshold_kn = 1.8 * math.sqrt(COASTER.lbp_m)
    assert threshold_kn - 2.0 < allowed_kn < threshold_kn + 0.5
    assert ship.voluntary_speed_kn(0.0, weather(1.0, 180.0)) > 18.0


def test_higher_motion_limits_allow_more_speed() -> None:
    met = sea(8.0, 0.0)
    usual = laden(KAMSARMAX).voluntary_speed_kn(0.0, met)
    hardy = replace(KAMSARMAX, motion_limits=MotionLimits(deck_wetness=0.3))
    careful = replace(KAMSARMAX, motion_limits=MotionLimits(deck_wetness=0.01))
    assert laden(hardy).voluntary_speed_kn(0.0, met) > usual + 1.0
    assert laden(careful).voluntary_speed_kn(0.0, met) < usual - 1.0
    never = MotionLimits(slamming=1.0, deck_wetness=1.0, bow_acceleration_g=2.0)
    unheld = replace(KAMSARMAX, motion_limits=never)
    assert laden(unheld).voluntary_speed_kn(0.0, met) == math.inf


@pytest.mark.parametrize("height_m", [2.0, 6.0, 8.0, 12.0])
def test_a_ship_slows_down_to_the_speed_that_its_motions_allow(height_m: float) -> None:
    # an engine powerful enough that motions limit the speed
    ship = laden(replace(KAMSARMAX, installed_power_kw=60_000.0))
    met = sea(height_m, 20.0)
    found_kn = ship.attainable_speed_kn(14.0, relative_sea(met, math.inf))
    assert found_kn == min(14.0, ship.voluntary_speed_kn(0.0, met))
    assert (found_kn < 14.0) is (height_m > 7.0)


ROPAX = ShipParticulars(ShipType.PASSENGER, 6_000.0, 190.0, 175.0, 28.0, 9.5, 6.4, 6.6, 24.0)
FERRY = ShipParticulars(ShipType.PASSENGER, 400.0, 65.0, 58.0, 14.0, 4.5, 3.0, 3.2, 15.0)
FAST_COASTER = replace(COASTER, service_speed_kn=19.0)


@pytest.mark.parametrize("particulars", [ROPAX, FERRY, FAST_COASTER])
@pytest.mark.parametrize("height_m", [0.0, 0.05, 0.5])
def test_the_bow_wave_of_a_fast_ship_slows_it_in_no_calm_sea(
    particulars: ShipParticulars, height_m: float
) -> None:
    ship = laden(particulars)
    met = weather(height_m, 0.0, wave_period_s=5.0)
    assert ship.voluntary_speed_kn(0.0, met) >= particulars.service_speed_kn
    wetness = assess_seaway(ship, particulars.service_speed_kn, 0.0, met).deck_wetness_probability
    assert wetness < DECK_WETNESS_LIMIT


def test_a_ro_pax_ship_keeps_its_speed_in_two_metres_but_not_in_six() -> None:
    ship = laden(ROPAX)
    assert ship.voluntary_speed_kn(0.0, sea(2.0, 0.0)) >= ROPAX.service_speed_kn
    assert ship.voluntary_speed_kn(0.0, sea(6.0, 0.0)) < 20.0


def test_a_deck_wetness_limit_of_one_is_never_reached() -> None:
    never = MotionLimits(slamming=1.0, deck_wetness=1.0, bow_acceleration_g=2.0)
    ship = laden(replace(FAST_COASTER, motion_limits=never))
    assert ship.voluntary_speed_kn(0.0, sea(4.0, 0.0)) == math.inf


@given(ships(), st.floats(0.0, 110.0), st.floats(3.6, 5.0))
@settings(max_examples=40, deadline=None)
def test_a_growing_sea_from_ahead_to_abeam_never_allows_more_speed(
    particulars: ShipParticulars, off_bow: float, s_per_root_m: float
) -> None:
    parameters = laden(particulars).kernel_parameters
    heights_m = [0.25 * n for n in range(1, 60)]
    allowed = [
        voluntary_speed_kn(parameters, height, s_per_root_m * math.sqrt(height), off_bow)
        for height in heights_m
    ]
    assert all(higher <= lower + 1e-9 for lower, higher in pairwise(allowed))


@given(ships(), st.floats(0.0, 180.0), st.floats(2.0, 20.0), st.floats(0.0, 18.0))
@settings(max_examples=40, deadline=None)
def test_the_lower_bound_of_the_speed_allowed_is_one(
    particulars: ShipParticulars, off_bow: float, period_s: float, height_m: float
) -> None:
    parameters = laden(particulars).kernel_parameters
    allowed_kn = voluntary_speed_kn(parameters, height_m, period_s, off_bow)
    assert least_voluntary_speed_kn(parameters, height_m) <= allowed_kn + 1e-9
