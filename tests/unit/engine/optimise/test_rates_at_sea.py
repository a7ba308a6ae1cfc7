"""Speeds over ground and fuel rates of the search against the ship model's."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from app.engine.arrays import Floats
from app.engine.optimise.medium import (
    CONDITIONS,
    PREPARED,
    WORK_ROWS,
    fill_rates,
    prepare_speeds,
    sample,
)
from app.engine.optimise.ocean import Ocean
from app.engine.particulars import Loading
from app.engine.vessel import build_ship
from app.engine.vessel.kernels import attainable_speed_kn, fuel_rate
from app.engine.vessel.relative_sea import speed_over_ground_kn
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import KAMSARMAX, make_ship
from tests.unit.engine.vessel.ships import relative_sea
from tests.unit.engine.weather.seas import uniform_climatology

SHIP = make_ship().kernel_parameters
SPEEDS_KN = np.linspace(8.0, 15.0, 8)
#: Speed below which the sea has nearly stopped the ship [kn].
NEARLY_STOPPED_KN = 5.0
CURRENT_MS = (0.4, -0.3)


@njit
def rates(ocean, depth_m, course_deg, speeds_kn, ground_kn, fuel_per_h):  # type: ignore[no-untyped-def]
    """Fill the rates of speeds at one position and time; return whether the limits are kept."""
    m = speeds_kn.size
    prepared, conditions, course = np.empty((m, PREPARED)), np.empty(CONDITIONS), np.empty((2, 1))
    prepare_speeds(ocean, speeds_kn, prepared)
    allowed = sample(ocean, 0.0, 0.0, 0.0, False, conditions)
    course[0], course[1] = np.sin(np.radians(course_deg)), np.cos(np.radians(course_deg))
    work, conditions = np.empty((WORK_ROWS + m, 1)), conditions.reshape(CONDITIONS, 1)
    fill_rates(ocean, prepared, conditions, depth_m, course, speeds_kn, ground_kn, fuel_per_h, work)
    return allowed


def find_rates(
    field: WeatherField, course_deg: float, depth_m: float, limit_m: float = np.inf
) -> tuple[bool, Floats, Floats]:
    ground_kn, fuel = np.empty((SPEEDS_KN.size, 1)), np.empty((SPEEDS_KN.size, 1))
    ocean = Ocean(SHIP, field.kernel_arrays, limit_m, np.inf)
    allowed = rates(ocean, depth_m, course_deg, SPEEDS_KN, ground_kn, fuel)
    return allowed, ground_kn[:, 0], fuel[:, 0]


def to_vector(towards_deg: float, length: float = 1.0) -> tuple[float, float]:
    """Return a vector's components to east and north."""
    towards = np.radians(towards_deg)
    return length * np.sin(towards), length * np.cos(towards)


def make_sea(height_m: float, wave_from_deg: float, steadiness: float = 1.0) -> WeatherField:
    wave = (height_m, 9.0, wave_from_deg)
    return WeatherField(uniform_climatology(wave=wave, current=CURRENT_MS, steadiness=steadiness))


@given(
    st.floats(0.0, 14.0),
    st.floats(0.0, 360.0, exclude_max=True),
    st.floats(0.0, 360.0, exclude_max=True),
    st.sampled_from([np.inf, 18.0]),
    st.sampled_from([0.0, 0.6, 1.0]),
)
@settings(max_examples=40, deadline=None)
def test_the_search_and_the_ship_model_agree_on_speed_and_fuel(
    height_m: float, wave_from_deg: float, course_deg: float, depth_m: float, steadiness: float
) -> None:
    field = make_sea(height_m, wave_from_deg, steadiness)
    conditions = field.sample(np.zeros(1), np.zeros(1), np.zeros(1)).records[0]
    mean_from = np.array([conditions.wave_from_deg, conditions.wind_from_deg])
    cosines = steadiness * np.cos(np.radians(mean_from - course_deg))
    wave_from, wind_from = course_deg + np.degrees(np.arccos(cosines))
    expected = replace(conditions, wave_from_deg=wave_from, wind_from_deg=wind_from)
    sea = relative_sea(expected, depth_m, course_deg)
    current_kn = to_vector(conditions.current_to_deg, conditions.current_speed_kn)
    _, ground_kn, fuel = find_rates(field, course_deg, depth_m)
    for speed_kn, over_ground_kn, fuel_per_h in zip(SPEEDS_KN, ground_kn, fuel, strict=True):
        through_kn = attainable_speed_kn(SHIP, speed_kn, sea)
        expected_kn = speed_over_ground_kn(through_kn, to_vector(course_deg), current_kn)
        expected_t = fuel_rate(SHIP, through_kn, sea)[2]
        # At the engine's limit, speed and fuel are interpolated between speeds a knot apart, which
        # is coarse where the sea nearly stops the ship.
        is_limited = through_kn < speed_kn
        off_kn = (0.05 if through_kn > NEARLY_STOPPED_KN else 0.25) if is_limited else 1e-3
        assert over_ground_kn == pytest.approx(expected_kn, abs=off_kn)
        assert fuel_per_h == pytest.approx(expected_t, rel=0.03 if is_limited else 1e-3)


@pytest.mark.parametrize("off_bow", [0.0, 60.0, 120.0, 180.0])
@pytest.mark.parametrize("depth_m", [np.inf, 18.0])
def test_the_search_slows_down_for_motions_as_the_simulation_does(
    off_bow: float, depth_m: float
) -> None:
    # an engine so strong that only motions limit the speed
    strong = build_ship(replace(KAMSARMAX, installed_power_kw=60_000.0), Loading(12.2, 0.0, 68e3))
    ship = strong.kernel_parameters
    field = make_sea(8.5, off_bow)
    conditions = field.sample(np.zeros(1), np.zeros(1), np.zeros(1)).records[0]
    sea = relative_sea(conditions, depth_m)
    ground_kn, fuel = np.empty((SPEEDS_KN.size, 1)), np.empty((SPEEDS_KN.size, 1))
    ocean = Ocean(ship, field.kernel_arrays, np.inf, np.inf)
    rates(ocean, depth_m, 0.0, SPEEDS_KN, ground_kn, fuel)
    safe_kn = strong.voluntary_speed_kn(0.0, conditions)
    assert safe_kn < SPEEDS_KN[-1]
    current_kn = to_vector(conditions.current_to_deg, conditions.current_speed_kn)
    for s, ordered_kn in enumerate(SPEEDS_KN):
        through_kn = attainable_speed_kn(ship, ordered_kn, sea)
        assert through_kn <= safe_kn + 1e-6
        expected_kn = speed_over_ground_kn(through_kn, to_vector(0.0), current_kn)
        assert ground_kn[s, 0] == pytest.approx(expected_kn, abs=1e-3)
        assert fuel[s, 0] == pytest.approx(fuel_rate(ship, through_kn, sea)[2], rel=1e-3)


def test_waves_above_the_limit_close_a_position_at_every_speed() -> None:
    field = make_sea(4.0, 90.0)
    assert find_rates(field, 0.0, np.inf, limit_m=4.1)[0]
    assert not find_rates(field, 0.0, np.inf, limit_m=3.9)[0]


@njit
def batch_rates(ocean, conditions, course, speeds_kn, ground_kn, fuel_per_h):  # type: ignore[no-untyped-def]
    """Fill the rates of speeds in the conditions of several positions."""
    prepared = np.empty((speeds_kn.size, PREPARED))
    prepare_speeds(ocean, speeds_kn, prepared)
    work = np.empty((WORK_ROWS + speeds_kn.size, conditions.shape[1]))
    fill_rates(ocean, prepared, conditions, np.inf, course, speeds_kn, ground_kn, fuel_per_h, work)


def test_a_batch_gives_the_rates_of_its_positions_computed_one_by_one() -> None:
    random, count = np.random.default_rng(3), 37
    ocean = Ocean(SHIP, make_sea(1.0, 0.0).kernel_arrays, np.inf, np.inf)
    angles = random.uniform(0.0, 2.0 * np.pi, (2, count))
    conditions = np.concatenate(
        [
            # from calm to seas in which the engine cannot keep the speed
            [np.linspace(0.0, 9.0, count), random.uniform(6.0, 14.0, count)],
            [np.sin(angles[0]), np.cos(angles[0])],
            random.normal(0.0, 8.0, (2, count)),
            random.normal(0.0, 0.7, (2, count)),
        ]
    )
    course = np.stack([np.sin(angles[1]), np.cos(angles[1])])
    together = np.empty((2, SPEEDS_KN.size, count))
    batch_rates(ocean, conditions, course, SPEEDS_KN, *together)
    assert (np.diff(together[1], axis=0) == 0.0).any(), "the engine limits no speed"
    for n in range(count):
        alone = np.empty((2, SPEEDS_KN.size, 1))
        one = (
            np.ascontiguousarray(conditions[:, n : n + 1]),
            np.ascontiguousarray(course[:, n : n + 1]),
        )
        batch_rates(ocean, *one, SPEEDS_KN, *alone)
        np.testing.assert_allclose(alone[..., 0], together[..., n], rtol=1e-9)
