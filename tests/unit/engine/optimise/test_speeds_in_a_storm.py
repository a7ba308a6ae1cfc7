"""Speeds along a given track that crosses a storm."""

from dataclasses import replace
from functools import partial
from math import inf

import numpy as np
import pytest

from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.search_objective import Prices, SearchObjective
from app.engine.optimise.speed_problem import SpeedProfile, read_simulation_speeds
from app.engine.optimise.speeds import optimise_speeds
from app.engine.sailing.constant_speed import find_slowest_in_time
from app.engine.sailing.simulation import Simulation, Simulator, simulate_track
from app.engine.sailing.track import Track
from app.engine.sea.search.conditions import NO_CONDITIONS, CoastData
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_ship, make_track
from tests.unit.engine.storms import make_ending_storm
from tests.unit.engine.weather.seas import uniform_climatology

TRACK = make_track((45.0, -50.0), (45.0, -30.0))
DEPTH_M = np.full(TRACK.distance_nm.size, np.nan)
DEPARTS_H = hours_since_epoch(DEPARTS_AT)
SHIP = make_ship()
#: The coast is not used along a given track.
WATER = NavigableWater(CoastData(*[np.empty(0)] * 9), NO_CONDITIONS)
SLOWEST_KN, FASTEST_KN, LONGEST_H = 8.0, 14.5, 76.0
#: The lowest ordered speed in head seas [kn].
SLOWEST_ORDERED_KN = 12.0
#: A storm in the middle of the track, until 36 hours after departure.
make_storm = partial(make_ending_storm, -42.0, 3.0, 36.0)


def make_head_sea(height_m: float) -> WeatherField:
    """Waves from the west, everywhere and for three weeks."""
    grid = RegularGrid(30.0, 1.0, 31, -60.0, 1.0, 41)
    hours = np.arange(0.0, 505.0, 12.0)
    height = np.full((hours.size, 31, 41), height_m)
    ones = np.ones_like(height)
    values = np.stack([height, 12.0 * ones, -ones, 0.0 * ones], -1)
    layer = layer_from_values(Group.WAVE, grid, list(DEPARTS_H + hours), values)
    return WeatherField(uniform_climatology(), (WeatherRun("gale", {Group.WAVE: layer}),))


def make_rising_sea(from_h: float) -> WeatherField:
    """Waves of 2 m that rise at the end of the track by 0.5 m an hour from a time on."""
    grid = RegularGrid(30.0, 1.0, 31, -60.0, 1.0, 41)
    hours = np.arange(0.0, 241.0, 1.0)
    is_near_end = (-60.0 + np.arange(41.0)) > -32.0
    rise_m = np.clip(0.5 * (hours - from_h), 0.0, 6.0)
    height = 2.0 + rise_m[:, None, None] * np.broadcast_to(is_near_end, (1, 31, 41))
    values = np.stack([height, np.full_like(height, 9.0), np.ones_like(height), 0.0 * height], -1)
    layer = layer_from_values(Group.WAVE, grid, list(DEPARTS_H + hours), values)
    return WeatherField(uniform_climatology(), (WeatherRun("rising", {Group.WAVE: layer}),))


def make_simulator(weather: WeatherField, track: Track = TRACK) -> Simulator:
    return partial(
        simulate_track, track, ship=SHIP, departs_at=DEPARTS_AT, weather=weather, depth_m=DEPTH_M
    )


def optimise(
    weather: WeatherField, wave_limit_m: float = inf, near: SpeedProfile | None = None
) -> Simulation | None:
    ocean = Ocean(SHIP.kernel_parameters, weather.kernel_arrays, wave_limit_m, inf)
    objective, simulate = make_objective(weather), make_simulator(weather)
    found = optimise_speeds(TRACK, DEPTH_M, WATER, ocean, objective, simulate, lambda: None, near)
    return next(found, None)


def make_objective(weather: WeatherField) -> SearchObjective:
    baseline = simulate_baseline(weather)
    slower = make_simulator(weather)(0.97 * baseline.ordered_kn)
    saved_t = baseline.total_fuel_t - slower.total_fuel_t
    return SearchObjective(
        departs_h=DEPARTS_H,
        speed_min_kn=SLOWEST_KN,
        speed_max_kn=FASTEST_KN,
        prices=Prices(1.0, 0.0),
        value_of_time=(
            np.array([baseline.total_h]),
            np.array([saved_t / (slower.total_h - baseline.total_h)]),
        ),
        longest_h=LONGEST_H,
    )


def simulate_baseline(weather: WeatherField) -> Simulation:
    """The baseline: one speed, the same weather, the same arrival."""
    speed_kn = find_slowest_in_time(make_simulator(weather), SLOWEST_KN, FASTEST_KN, LONGEST_H)
    return make_simulator(weather)(speed_kn)


def test_slowing_until_a_storm_has_passed_saves_fuel_and_arrives_in_time() -> None:
    weather = make_storm()
    simulation, baseline = optimise(weather), simulate_baseline(weather)
    assert simulation is not None
    assert simulation.total_h <= LONGEST_H
    assert simulation.total_fuel_t < 0.995 * baseline.total_fuel_t


@pytest.mark.parametrize("rises_from_h", [60.0, 60.75, 61.5])
def test_a_ship_arrives_before_the_waves_at_its_arrival_exceed_the_limit(
    rises_from_h: float,
) -> None:
    weather = make_rising_sea(rises_from_h)
    simulation = optimise(weather, wave_limit_m=3.6)
    assert simulation is not None
    assert simulation.weather_at_points(weather).wave_height_m[-1] <= 3.6


def test_one_speed_is_found_where_the_sea_is_uniform() -> None:
    weather = make_storm(height_m=1.0)
    simulation, baseline = optimise(weather), simulate_baseline(weather)
    assert simulation is not None
    assert simulation.total_h <= LONGEST_H
    # the baseline arrives within a minute of the required time, the optimised within seconds
    assert simulation.total_fuel_t <= 1.0006 * baseline.total_fuel_t


def test_the_lowest_speed_is_found_from_above_it_without_a_required_arrival() -> None:
    weather = make_storm(height_m=1.0)
    simulate, objective = make_simulator(weather), replace(make_objective(weather), longest_h=None)
    ocean = Ocean(SHIP.kernel_parameters, weather.kernel_arrays, inf, inf)
    near = SpeedProfile(np.zeros(1), np.array([SLOWEST_KN + 0.2]), TRACK.length_nm)
    found = optimise_speeds(TRACK, DEPTH_M, WATER, ocean, objective, simulate, lambda: None, near)
    assert next(found).ordered_kn == pytest.approx(SLOWEST_KN)


def test_waves_of_the_sea_close_no_canal() -> None:
    weather, objective = make_head_sea(4.0), make_objective(make_head_sea(4.0))
    canal = replace(TRACK, is_inland=np.ones_like(TRACK.is_inland))
    ocean = Ocean(SHIP.kernel_parameters, weather.kernel_arrays, 2.0, inf)
    simulate = make_simulator(weather, canal)
    found = optimise_speeds(canal, DEPTH_M, WATER, ocean, objective, simulate, lambda: None, None)
    assert next(found, None) is not None
    assert optimise(weather, wave_limit_m=2.0) is None


def test_a_wave_limit_is_kept_where_one_speed_breaks_it() -> None:
    weather = make_storm()
    limited, baseline = optimise(weather, wave_limit_m=4.0), simulate_baseline(weather)
    assert limited is not None
    assert baseline.weather_at_points(weather).wave_height_m.max() > 4.5
    assert limited.weather_at_points(weather).wave_height_m.max() <= 4.0 * 1.02


@pytest.mark.parametrize("longest_h", [None, 140.0])
def test_a_ship_slowed_by_head_seas_arrives_as_early_as_possible(longest_h: float | None) -> None:
    track = make_track((45.0, -30.0), (45.0, -50.0))
    weather = make_head_sea(9.0)
    simulate = partial(simulate_track, track, ship=SHIP, departs_at=DEPARTS_AT, weather=weather)
    fastest = simulate(FASTEST_KN)
    assert fastest.through_water_kn.max() < 0.6 * SLOWEST_ORDERED_KN
    objective = SearchObjective(
        departs_h=DEPARTS_H,
        speed_min_kn=SLOWEST_ORDERED_KN,
        speed_max_kn=FASTEST_KN,
        prices=Prices(1.0, 0.0),
        value_of_time=(np.array([fastest.total_h]), np.array([0.5])),
        longest_h=None if longest_h is None else max(longest_h, fastest.total_h + 5.0),
    )
    ocean = Ocean(SHIP.kernel_parameters, weather.kernel_arrays, inf, inf)
    depth_m = np.full(track.distance_nm.size, np.nan)
    simulation = next(
        optimise_speeds(track, depth_m, WATER, ocean, objective, simulate, lambda: None, near=None),
        None,
    )
    assert simulation is not None
    assert simulation.total_h <= fastest.total_h + 5.0


def test_no_speeds_are_found_if_the_limit_is_below_all_waves() -> None:
    assert optimise(make_storm(), wave_limit_m=0.5) is None


def test_the_same_sea_gives_the_same_speeds() -> None:
    one, two = optimise(make_storm()), optimise(make_storm())
    assert one is not None
    assert two is not None
    assert np.array_equal(one.ordered_kn, two.ordered_kn)


def test_the_best_speeds_are_found_again_around_good_ones() -> None:
    weather = make_storm()
    among_all = optimise(weather)
    assert among_all is not None
    again = optimise(weather, near=read_simulation_speeds(among_all))
    assert again is not None
    assert again.total_h <= LONGEST_H
    assert again.total_fuel_t <= 1.0005 * among_all.total_fuel_t


def test_the_speeds_of_a_longer_track_are_not_kept_on_a_shorter_one() -> None:
    weather = make_head_sea(2.0)
    among_all = optimise(weather)
    assert among_all is not None
    longer_nm = FASTEST_KN * LONGEST_H
    again = optimise(weather, near=SpeedProfile(np.zeros(1), np.array([FASTEST_KN]), longer_nm))
    assert again is not None
    assert again.total_fuel_t <= 1.002 * among_all.total_fuel_t


def test_other_speeds_are_found_if_a_limit_excludes_all_around_the_given() -> None:
    weather = make_storm()
    into_the_storm = SpeedProfile(np.zeros(1), np.array([FASTEST_KN]), TRACK.length_nm)
    limited = optimise(weather, wave_limit_m=4.0, near=into_the_storm)
    assert limited is not None
    assert limited.weather_at_points(weather).wave_height_m.max() <= 4.0 * 1.02
