"""Speeds along a given track, where a storm crosses it."""

from functools import partial
from math import inf

import numpy as np
import pytest

from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.search_objective import SearchObjective
from app.engine.optimise.speed_profile import Profile, profile_of_simulation
from app.engine.optimise.speeds import optimise_speeds
from app.engine.sailing.constant_speed import slowest_in_time
from app.engine.sailing.simulation import Simulation, Simulator, simulate_track
from app.engine.sea.search.conditions import NO_CONDITIONS, CoastData
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values
from app.engine.weather.times import hours_since_epoch
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_ship, make_track
from tests.unit.engine.weather.seas import uniform_climatology

TRACK = make_track((45.0, -50.0), (45.0, -30.0))
DEPTH_M = np.full(TRACK.distance_nm.size, np.nan)
DEPARTS_H = hours_since_epoch(DEPARTS_AT)
SHIP = make_ship()
#: Along a given track nothing is asked of the coast.
ROOM = NavigableWater(CoastData(*[np.empty(0)] * 9), NO_CONDITIONS)
SLOWEST_KN, FASTEST_KN, LONGEST_H = 8.0, 14.5, 76.0
#: The lowest speed ordered of a ship in a hurry [kn].
SLOWEST_ORDERED_KN = 12.0


def make_storm(height_m: float = 8.0) -> WeatherField:
    """A storm in the middle of the track that blows out after 36 hours; waves from the west."""
    grid = RegularGrid(30.0, 1.0, 31, -60.0, 1.0, 41)
    hours = np.arange(0.0, 241.0, 3.0)
    lats, lngs = 30.0 + np.arange(31.0), -60.0 + np.arange(41.0)
    shape = np.exp(-(((lats[:, None] - 45.0) / 4.0) ** 2) - ((lngs - -42.0) / 3.0) ** 2)
    fading = np.clip((36.0 - hours) / 12.0, 0.0, 1.0)
    height = 1.0 + (height_m - 1.0) * fading[:, None, None] * shape
    values = np.stack([height, np.full_like(height, 9.0), np.ones_like(height), 0.0 * height], -1)
    layer = layer_from_values(Group.WAVE, grid, list(DEPARTS_H + hours), values)
    return WeatherField(uniform_climatology(), (WeatherRun("storm", {Group.WAVE: layer}),))


def make_head_sea(height_m: float) -> WeatherField:
    """Waves from the west, everywhere and for three weeks."""
    grid = RegularGrid(30.0, 1.0, 31, -60.0, 1.0, 41)
    hours = np.arange(0.0, 505.0, 12.0)
    height = np.full((hours.size, 31, 41), height_m)
    ones = np.ones_like(height)
    values = np.stack([height, 12.0 * ones, -ones, 0.0 * ones], -1)
    layer = layer_from_values(Group.WAVE, grid, list(DEPARTS_H + hours), values)
    return WeatherField(uniform_climatology(), (WeatherRun("gale", {Group.WAVE: layer}),))


def make_helm(weather: WeatherField) -> Simulator:
    return partial(
        simulate_track, TRACK, ship=SHIP, departs_at=DEPARTS_AT, weather=weather, depth_m=DEPTH_M
    )


def optimise(
    weather: WeatherField, wave_limit_m: float = inf, near: Profile | None = None
) -> Simulation | None:
    steady = sail_steadily(weather)
    slower = make_helm(weather)(0.97 * steady.ordered_kn)
    saved_t = steady.total_fuel_t - slower.total_fuel_t
    objective = SearchObjective(
        departs_h=DEPARTS_H,
        speed_min_kn=SLOWEST_KN,
        speed_max_kn=FASTEST_KN,
        fuel_price=1.0,
        hour_price=0.0,
        value_of_time=(
            np.array([steady.total_h]),
            np.array([saved_t / (slower.total_h - steady.total_h)]),
        ),
        longest_h=LONGEST_H,
    )
    ocean = Ocean(SHIP.kernel_parameters, weather.kernel_arrays, wave_limit_m, inf)
    return optimise_speeds(TRACK, DEPTH_M, ROOM, ocean, objective, make_helm(weather), near=near)


def sail_steadily(weather: WeatherField) -> Simulation:
    """The honest rival: one speed, the same weather, the same arrival."""
    speed_kn = slowest_in_time(make_helm(weather), SLOWEST_KN, FASTEST_KN, LONGEST_H)
    return make_helm(weather)(speed_kn)


def test_slowing_until_a_storm_has_passed_saves_fuel_and_arrives_in_time() -> None:
    weather = make_storm()
    simulation, steady = optimise(weather), sail_steadily(weather)
    assert simulation is not None
    assert simulation.total_h <= LONGEST_H
    assert simulation.total_fuel_t < 0.995 * steady.total_fuel_t


def test_in_an_even_sea_one_speed_is_best_and_is_found() -> None:
    weather = make_storm(height_m=1.0)
    simulation, steady = optimise(weather), sail_steadily(weather)
    assert simulation is not None
    assert simulation.total_h <= LONGEST_H
    # the steady ship arrives within a minute of the time asked for, the other within seconds
    assert simulation.total_fuel_t <= 1.0006 * steady.total_fuel_t


def test_a_wave_limit_is_kept_where_one_speed_breaks_it() -> None:
    weather = make_storm()
    limited, steady = optimise(weather, wave_limit_m=4.0), sail_steadily(weather)
    assert limited is not None
    assert steady.weather_at_points(weather).wave_height_m.max() > 4.5
    assert limited.weather_at_points(weather).wave_height_m.max() <= 4.0 * 1.02


@pytest.mark.parametrize("longest_h", [None, 140.0])
def test_a_ship_that_head_seas_hold_back_arrives_when_she_can(longest_h: float | None) -> None:
    track = make_track((45.0, -30.0), (45.0, -50.0))
    weather = make_head_sea(9.0)
    simulate = partial(simulate_track, track, ship=SHIP, departs_at=DEPARTS_AT, weather=weather)
    fastest = simulate(FASTEST_KN)
    assert fastest.through_water_kn.max() < 0.6 * SLOWEST_ORDERED_KN, "the sea holds her back"
    objective = SearchObjective(
        departs_h=DEPARTS_H,
        speed_min_kn=SLOWEST_ORDERED_KN,
        speed_max_kn=FASTEST_KN,
        fuel_price=1.0,
        hour_price=0.0,
        value_of_time=(np.array([fastest.total_h]), np.array([0.5])),
        longest_h=None if longest_h is None else max(longest_h, fastest.total_h + 5.0),
    )
    ocean = Ocean(SHIP.kernel_parameters, weather.kernel_arrays, inf, inf)
    depth_m = np.full(track.distance_nm.size, np.nan)
    simulation = optimise_speeds(track, depth_m, ROOM, ocean, objective, simulate)
    assert simulation is not None
    assert simulation.total_h <= fastest.total_h + 5.0


def test_a_limit_below_every_sea_is_answered_with_nothing() -> None:
    assert optimise(make_storm(), wave_limit_m=0.5) is None


def test_the_same_sea_gives_the_same_speeds() -> None:
    one, two = optimise(make_storm()), optimise(make_storm())
    assert one is not None
    assert two is not None
    assert np.array_equal(one.ordered_kn, two.ordered_kn)


def test_about_speeds_that_are_good_the_best_are_found_again() -> None:
    weather = make_storm()
    among_all = optimise(weather)
    assert among_all is not None
    again = optimise(weather, near=profile_of_simulation(among_all))
    assert again is not None
    assert again.total_h <= LONGEST_H
    assert again.total_fuel_t <= 1.0005 * among_all.total_fuel_t


def test_the_speeds_of_a_longer_track_are_not_kept_on_a_shorter_one() -> None:
    weather = make_head_sea(2.0)
    among_all = optimise(weather)
    assert among_all is not None
    longer_nm = FASTEST_KN * LONGEST_H
    again = optimise(weather, near=Profile(np.zeros(1), np.array([FASTEST_KN]), longer_nm))
    assert again is not None
    assert again.total_fuel_t <= 1.002 * among_all.total_fuel_t


def test_where_a_limit_closes_all_about_the_speeds_given_others_are_found() -> None:
    weather = make_storm()
    into_the_storm = Profile(np.zeros(1), np.array([FASTEST_KN]), TRACK.length_nm)
    limited = optimise(weather, wave_limit_m=4.0, near=into_the_storm)
    assert limited is not None
    assert limited.weather_at_points(weather).wave_height_m.max() <= 4.0 * 1.02
