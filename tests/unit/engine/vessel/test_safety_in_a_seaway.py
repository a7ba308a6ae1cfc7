"""Rolling by MSC.1/Circ.1228, and motions of the bow."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.particulars import Loading, ShipType
from app.engine.vessel import SeaRisk, build_ship, seaway_risks
from app.engine.vessel.bow_motion import SLAMMING_EXPECTED, vertical_responses
from app.engine.vessel.rolling import (
    encounter_period_s,
    is_parametric,
    is_synchronous,
    natural_roll_period_s,
    resonant_roll_rad,
    surf_riding_speed_kn,
    wave_group_speeds_kn,
)
from app.engine.vessel.seakeeping import bow_geometry, metacentric_height_m
from tests.unit.engine.vessel.seaway_reference import assess_seaway, bow_deviations
from tests.unit.engine.vessel.ships import CAPESIZE, CONTAINER_SHIP, typical_ship, weather


def test_the_roll_period_is_that_of_the_is_code() -> None:
    # C = 0.373 + 0.023 x 32/10 - 0.043 x 2 = 0.3606; T = 2 x 0.3606 x 32 / sqrt(1).
    assert natural_roll_period_s(32.0, 10.0, 200.0, 1.0) == pytest.approx(23.078, abs=0.001)


def test_a_ship_without_stability_has_no_roll_period() -> None:
    with pytest.raises(ValueError, match="metacentric"):
        natural_roll_period_s(32.0, 10.0, 200.0, 0.0)


def test_the_encounter_period_is_that_of_the_circular() -> None:
    # 3 T^2 / (3 T + V cos a): 10 s waves, 15 kn, from ahead, abeam and astern.
    assert encounter_period_s(10.0, 15.0, 0.0) == pytest.approx(300.0 / 45.0)
    assert encounter_period_s(10.0, 15.0, 90.0) == pytest.approx(10.0)
    assert encounter_period_s(10.0, 15.0, 180.0) == pytest.approx(20.0)


def test_surf_riding_begins_at_its_speed_in_stern_seas_only() -> None:
    assert surf_riding_speed_kn(180.0, 100.0) == pytest.approx(18.0)
    assert surf_riding_speed_kn(150.0, 100.0) == pytest.approx(18.0 / math.cos(math.radians(30.0)))
    assert surf_riding_speed_kn(135.0, 100.0) == math.inf


@pytest.mark.parametrize(
    ("speed_kn", "height_m", "expected"),
    [(13.1, 6.0, True), (12.9, 6.0, False), (20.1, 6.0, False), (16.0, 3.9, False)],
)
def test_wave_groups_need_high_waves_and_a_speed_near_theirs(
    speed_kn: float, height_m: float, expected: bool
) -> None:
    # T 10 s: 13 to 20 kn, lambda 156 m over 0.8 x 100 m, Hs over 4 m.
    from_kn, to_kn = wave_group_speeds_kn(180.0, 100.0, height_m, 10.0)
    assert (from_kn < speed_kn < to_kn) is expected


def test_beam_seas_in_resonance_with_the_roll_are_synchronous() -> None:
    breadth_m, draft_m = 32.0, 12.0
    assert is_synchronous(12.0, 90.0, 4.0, 12.0, 12.0, breadth_m, draft_m)
    assert not is_synchronous(12.0, 90.0, 4.0, 12.0, 16.0, breadth_m, draft_m)
    assert not is_synchronous(12.0, 90.0, 0.5, 12.0, 12.0, breadth_m, draft_m)


def test_waves_shorter_than_the_breadth_cause_no_synchronous_rolling() -> None:
    narrow = resonant_roll_rad(90.0, 1.7, 7.0, 10.0, 4.0)
    wide = resonant_roll_rad(90.0, 1.7, 7.0, 45.0, 12.0)
    assert wide < 0.5 * narrow
    assert resonant_roll_rad(90.0, 2.0, 5.0, 60.0, 12.0) == 0.0
    assert resonant_roll_rad(90.0, 2.0, 12.0, 0.0, 0.0) == pytest.approx(
        math.pi * 2.0 / 224.8 / 0.2, rel=0.01
    )


def test_head_seas_met_at_half_the_roll_period_are_parametric() -> None:
    # 12 s waves, 225 m, met every 9.0 s at 12 kn by a 200 m ship that rolls in 18 s.
    assert encounter_period_s(12.0, 12.0, 0.0) == pytest.approx(9.0)
    assert is_parametric(12.0, 0.0, 5.0, 12.0, 18.0, 200.0)
    assert not is_parametric(12.0, 90.0, 5.0, 12.0, 18.0, 200.0)
    assert not is_parametric(12.0, 0.0, 5.0, 12.0, 13.0, 200.0)
    assert not is_parametric(12.0, 0.0, 5.0, 12.0, 18.0, 80.0)


def test_the_metacentric_height_grows_as_the_draught_falls() -> None:
    assert metacentric_height_m(CAPESIZE, 9.1) == pytest.approx(
        2.0 * metacentric_height_m(CAPESIZE, 18.2)
    )


def test_a_ship_follows_very_long_waves() -> None:
    bow = bow_geometry(build_ship(CAPESIZE, Loading(18.2, 0.0, 180_000.0)))
    omega = np.array([0.08])
    heave, pitch, along, _ = vertical_responses(bow, 6.0, np.array([0.0]), omega)
    assert abs(heave[0]) == pytest.approx(1.0, abs=0.02)
    assert abs(pitch[0]) == pytest.approx(along[0], rel=0.03)


def test_a_light_bow_slams_sooner_in_higher_head_seas() -> None:
    ship = build_ship(typical_ship(ShipType.GENERAL_CARGO, 5_000.0), Loading(3.4, 1.5, 500.0))
    calm, rough = (
        assess_seaway(ship, 10.0, 0.0, weather(hs, 0.0, wave_period_s=8.5)) for hs in (1.0, 5.0)
    )
    assert calm.slamming_probability < 1e-3 < rough.slamming_probability
    assert SeaRisk.SLAMMING in rough.risks
    assert SeaRisk.SLAMMING not in calm.risks
    astern = assess_seaway(ship, 10.0, 0.0, weather(5.0, 180.0, wave_period_s=8.5))
    assert astern.slamming_probability < rough.slamming_probability


def test_deck_wetness_is_more_probable_at_a_lower_bow() -> None:
    met = weather(7.0, 0.0, wave_period_s=12.0)
    laden, light = (
        assess_seaway(build_ship(CAPESIZE, Loading(draft, 0.0, 0.0)), 12.0, 0.0, met)
        for draft in (18.2, 10.0)
    )
    assert laden.deck_wetness_probability > light.deck_wetness_probability


@given(st.floats(4.0, 22.0), st.floats(3.0, 9.0), st.floats(4.0, 18.0), st.floats(0.0, 180.0))
@settings(max_examples=60, deadline=None)
def test_the_kernel_finds_the_risks_of_the_reference_calculation(
    speed_kn: float, height_m: float, period_s: float, from_deg: float
) -> None:
    ship = SHIP
    found = assess_seaway(ship, speed_kn, 0.0, weather(height_m, from_deg, wave_period_s=period_s))
    bits = seaway_risks(ship.seakeeping_parameters, speed_kn, 0.0, height_m, period_s, from_deg)
    of_bow = SeaRisk.SLAMMING | SeaRisk.DECK_WETNESS | SeaRisk.VERTICAL_ACCELERATION
    rolling = ~int(of_bow)
    assert bits & rolling == int(found.risks) & rolling
    # Near a limit of probability the interpolated value may be on either side.
    if not 0.5 < found.slamming_probability / SLAMMING_EXPECTED < 2.0:
        assert bool(bits & SeaRisk.SLAMMING) == (SeaRisk.SLAMMING in found.risks)
    if not 0.5 < found.deck_wetness_probability / 0.05 < 2.0:
        assert bool(bits & SeaRisk.DECK_WETNESS) == (SeaRisk.DECK_WETNESS in found.risks)


SHIP = build_ship(replace(CONTAINER_SHIP), Loading(12.5, 0.0, 50_000.0))


def test_no_waves_are_no_risk() -> None:
    assert seaway_risks(SHIP.seakeeping_parameters, 20.0, 0.0, 0.0, 8.0, 180.0) == 0
    assert bow_deviations(bow_geometry(SHIP), 5.0, 0.0, 8.0)[0] > 0.0
