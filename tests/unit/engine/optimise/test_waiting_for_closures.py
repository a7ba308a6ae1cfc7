"""Waits along a given track, a stretch of which an area or a storm closes for a time."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import box

from app.engine.area import Area
from app.engine.formatting import format_time
from app.engine.geodesy import great_circle_distance_nm
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.search_objective import MIN_FUEL_PRICE, Prices, SearchObjective
from app.engine.optimise.speeds import optimise_speeds
from app.engine.planning.areas import list_touched_areas
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.sailing.track import Track
from app.engine.sailing.waiting import find_waits, format_wait_end, list_waits
from app.engine.sea.search.conditions import NO_CONDITIONS, CoastData
from app.engine.times import hours_since_epoch
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_area, make_ship, make_track
from tests.unit.engine.storms import make_ending_storm
from tests.unit.engine.weather.seas import uniform_climatology

TRACK = make_track((45.0, -50.0), (45.0, -38.0))
DEPARTS_H = hours_since_epoch(DEPARTS_AT)
SHIP = make_ship()
CALM = WeatherField(uniform_climatology(), ())
SLOWEST_KN, FASTEST_KN = 11.0, 14.5
#: A storm in the middle of the track, until the hours after departure that are given.
make_storm = partial(make_ending_storm, -43.0, 2.0)


def make_wall(closed_h: float, *, from_h: float | None = None) -> Area:
    """An area across the middle of the track, in force until ``closed_h``."""
    begins = None if from_h is None else DEPARTS_AT + timedelta(hours=from_h)
    return make_area(
        -44.1, 40.0, -43.9, 50.0, starts_at=begins, ends_at=DEPARTS_AT + timedelta(hours=closed_h)
    )


def optimise(
    weather: WeatherField,
    *walls: Area,
    wave_limit_m: float = inf,
    longest_h: float | None = None,
    is_earliest: bool = False,
    slowest_kn: float = SLOWEST_KN,
    track: Track = TRACK,
    is_under_way: bool = False,
) -> Simulation | None:
    simulate = partial(simulate_track, track, ship=SHIP, departs_at=DEPARTS_AT, weather=weather)
    objective = SearchObjective(
        departs_h=DEPARTS_H,
        speed_min_kn=slowest_kn,
        speed_max_kn=FASTEST_KN,
        prices=Prices(MIN_FUEL_PRICE if is_earliest else 1.0, 1.0 if is_earliest else 0.0),
        value_of_time=(np.array([40.0, 60.0]), np.array([0.3, 0.05])),
        longest_h=longest_h,
        is_under_way=is_under_way,
    )
    ocean = Ocean(SHIP.kernel_parameters, weather.kernel_arrays, wave_limit_m, inf)
    water = NavigableWater(CoastData(*[np.empty(0)] * 9), NO_CONDITIONS, timed=walls)
    depth_m = np.full(track.distance_nm.size, np.nan)
    found = optimise_speeds(
        track, depth_m, water, ocean, objective, simulate, lambda: None, near=None
    )
    return next(found, None)


@pytest.mark.parametrize("is_earliest", [False, True])
def test_a_ship_close_to_a_closed_area_waits_where_it_departs(is_earliest: bool) -> None:
    wall = make_area(-49.98, 40.0, -49.8, 50.0, ends_at=DEPARTS_AT + timedelta(hours=5.0))
    simulation = optimise(CALM, wall, is_earliest=is_earliest)
    assert simulation is not None
    assert find_waits(simulation) == [0]
    assert simulation.waited_h[0] == pytest.approx(5.0, abs=0.1)
    (wait,) = list_waits(simulation, [wall])
    assert wait.areas == (wall,)


def test_for_weather_only_a_ship_under_way_waits_where_it_departs() -> None:
    weather, track = make_storm(30.0), make_track((45.0, -44.7), (45.0, -38.0))
    under_way, in_harbour = (
        optimise(weather, wave_limit_m=5.0, track=track, is_under_way=is_under_way)
        for is_under_way in (True, False)
    )
    assert in_harbour is None
    assert under_way is not None
    assert find_waits(under_way) == [0]


def test_the_ship_does_not_wait_where_nothing_is_closed() -> None:
    simulation = optimise(CALM, wave_limit_m=5.0)
    assert simulation is not None
    assert find_waits(simulation) == []


@settings(max_examples=6, deadline=None, derandomize=True)
@given(closed_h=st.floats(30.0, 100.0), is_earliest=st.booleans())
def test_the_ship_waits_before_an_area_until_its_window_ends_and_no_longer(
    closed_h: float, is_earliest: bool
) -> None:
    wall = make_wall(closed_h)
    simulation = optimise(CALM, wall, is_earliest=is_earliest)
    assert simulation is not None
    assert list_touched_areas([wall], simulation) == []
    (wait,) = list_waits(simulation, [wall])
    assert wait.areas == (wall,)
    # the ship proceeds a minute after the window, from at most two segments before the area
    assert abs(wait.ends_at - wall.ends_at - timedelta(minutes=1)) < timedelta(seconds=2)
    assert -44.1 - 10.0 / 42.0 < wait.position.lng < -44.1
    assert simulation.total_h < closed_h + 0.1 + 265.0 / (FASTEST_KN if is_earliest else SLOWEST_KN)


@pytest.mark.parametrize("is_earliest", [True, False])
def test_the_ship_leaves_its_place_before_narrow_waters_so_as_to_arrive_as_they_open(
    is_earliest: bool,
) -> None:
    wall = make_wall(60.0)
    narrow = replace(TRACK, in_passage=(TRACK.middle_lngs > -48.0) & (TRACK.middle_lngs < -43.0))
    simulation = optimise(CALM, wall, is_earliest=is_earliest, track=narrow)
    assert simulation is not None
    assert list_touched_areas([wall], simulation) == []
    (wait,) = list_waits(simulation, [wall])
    assert wait.areas == (wall,)
    assert wait.position.lng <= -48.0
    ahead_nm = float(great_circle_distance_nm(*wait.position, 45.0, -44.1))
    earlier_h = (wall.ends_at - wait.ends_at) / timedelta(hours=1)
    assert 0.7 * ahead_nm / FASTEST_KN < earlier_h < ahead_nm / FASTEST_KN
    words = f"{format_time(wait.ends_at)}, to arrive when the constraint “Area” is over"
    assert format_wait_end(wait, is_given=False) == words


@pytest.mark.parametrize("is_earliest", [True, False])
def test_the_ship_passes_between_two_windows_of_one_area(is_earliest: bool) -> None:
    walls = make_wall(40.0), make_wall(104.0, from_h=70.0)
    simulation = optimise(CALM, *walls, is_earliest=is_earliest)
    alone = optimise(CALM, walls[0], is_earliest=is_earliest)
    assert simulation is not None
    assert alone is not None
    assert list_touched_areas(walls, simulation) == []
    assert simulation.total_h == pytest.approx(alone.total_h, abs=0.1)


def test_windows_that_leave_no_time_to_pass_count_as_one() -> None:
    # the wall takes a quarter of an hour to pass
    walls = make_wall(40.0), make_wall(60.0, from_h=40.1), make_wall(80.0, from_h=60.0)
    simulation = optimise(CALM, *walls)
    assert simulation is not None
    assert list_touched_areas(walls, simulation) == []
    assert simulation.total_h > 80.0


@pytest.mark.parametrize("is_earliest", [True, False])
@pytest.mark.parametrize("windows_h", [[(0.0, 40.0), (48.0, 104.0)], [(20.0, 104.0)]])
def test_the_ship_waits_outside_for_the_opening_that_lets_it_pass_a_whole_area(
    windows_h: list[tuple[float, float]], is_earliest: bool
) -> None:
    # the area takes at least 11 hours to pass, and is open for 8 hours before, at most
    areas = [
        replace(make_wall(to_h, from_h=from_h), geometry=box(-46.0, 40.0, -42.0, 50.0))
        for from_h, to_h in windows_h
    ]
    simulation = optimise(CALM, *areas, is_earliest=is_earliest)
    assert simulation is not None
    assert list_touched_areas(areas, simulation) == []
    (wait,) = list_waits(simulation, areas)
    assert wait.position.lng < -46.0
    assert abs(wait.ends_at - areas[-1].ends_at) < timedelta(minutes=2)


def test_a_range_shut_by_day_is_passed_at_night() -> None:
    walls = [make_wall(24.0 * day + 16.0, from_h=24.0 * day) for day in range(6)]
    simulation = optimise(CALM, *walls, is_earliest=True)
    assert simulation is not None
    assert list_touched_areas(walls, simulation) == []
    assert simulation.total_h < TRACK.length_nm / FASTEST_KN + 16.0


def test_the_ship_slows_down_instead_of_waiting_if_that_is_enough() -> None:
    wall = make_wall(26.0)
    simulation = optimise(CALM, wall, longest_h=48.0, slowest_kn=8.0)
    assert simulation is not None
    assert find_waits(simulation) == []
    assert list_touched_areas([wall], simulation) == []


def test_the_ship_does_not_wait_for_an_area_that_opens_too_late_for_the_arrival() -> None:
    assert optimise(CALM, make_wall(60.0), longest_h=60.0) is None


def test_the_ship_does_not_wait_in_one_area_for_another() -> None:
    here = make_area(-46.0, 40.0, -44.2, 50.0, starts_at=DEPARTS_AT + timedelta(hours=24))
    simulation = optimise(CALM, make_wall(60.0), here)
    assert simulation is None or list_touched_areas([here], simulation) == []


@pytest.mark.parametrize("west", [-50.3, -45.5])
def test_the_ship_hurries_only_until_it_has_left_an_area_that_closes(west: float) -> None:
    # the exit lies in the middle of a stretch of 40 nm
    east = west + 1.5
    exit_nm = (east + 50.0) / 12.0 * TRACK.length_nm
    from_h = exit_nm / 12.5
    area = make_area(west, 40.0, east, 50.0, starts_at=DEPARTS_AT + timedelta(hours=from_h))
    simulation = optimise(CALM, area)
    assert simulation is not None
    assert list_touched_areas([area], simulation) == []
    # one segment beyond the exit all orders are the lowest again
    is_past = TRACK.cumulative_nm[:-1] > exit_nm + 5.0
    assert np.all(np.broadcast_to(simulation.ordered_kn, is_past.size)[is_past] <= SLOWEST_KN)


def test_the_ship_waits_outside_the_waves_of_a_storm_that_ends() -> None:
    weather = make_storm(ends_h=48.0)
    simulation = optimise(weather, wave_limit_m=4.0)
    assert simulation is not None
    (wait,) = list_waits(simulation, [])
    assert wait.areas == ()
    assert wait.hours > 3.0
    assert simulation.weather_at_wait(weather, wait.point).wave_height_m.max() <= 4.0
    assert simulation.weather_at_points(weather).wave_height_m.max() <= 4.0 * 1.02


def test_the_ship_does_not_wait_for_a_storm_that_lasts_for_days() -> None:
    assert optimise(make_storm(ends_h=150.0), wave_limit_m=4.0) is None


@pytest.mark.parametrize("is_under_way", [False, True])
@pytest.mark.parametrize("wave_limit_m", [inf, 5.0])
def test_the_ship_does_not_wait_at_the_start_inside_a_closed_area(
    wave_limit_m: float, is_under_way: bool
) -> None:
    at_the_start = make_area(-50.3, 40.0, -49.8, 50.0, ends_at=DEPARTS_AT + timedelta(hours=12))
    options = {"wave_limit_m": wave_limit_m, "is_under_way": is_under_way}
    assert optimise(CALM, at_the_start, **options) is None


@pytest.mark.parametrize("closed_h", [30.0, 60.0])
def test_the_same_window_gives_the_same_wait(closed_h: float) -> None:
    one, two = (optimise(CALM, make_wall(closed_h)) for _ in range(2))
    assert one is not None
    assert two is not None
    assert np.array_equal(one.hours, two.hours)


def test_a_wait_for_a_storm_is_none_for_the_area_behind_it() -> None:
    wall = make_wall(30.0)
    simulation = optimise(make_storm(60.0), wall, wave_limit_m=5.0)
    assert simulation is not None
    waits = list_waits(simulation, [wall])
    assert waits
    for wait in waits:
        is_for_area = abs(wait.ends_at - wall.ends_at) < timedelta(minutes=5)
        assert wait.areas == ((wall,) if is_for_area else ())
    assert sum(wait.hours for wait in waits if not wait.areas) > 5.0
