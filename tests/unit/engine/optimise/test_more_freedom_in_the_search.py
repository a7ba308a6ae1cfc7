"""More freedom never costs more, and a mirrored sea gives the mirrored route.

These tests call the search of track and speed itself, on open sea at the equator.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import inf

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.engine.arrays import Bools, Floats
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.optimise.labels import Trajectory
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import (
    Corridor,
    LatticeResolution,
    Problem,
    compute_cost,
    find_best,
    refine,
    search_corridor,
    search_near_trajectory,
)
from app.engine.optimise.search_objective import Prices, SearchObjective
from app.engine.optimise.track_refinement import TrackRefinement
from app.engine.optimise.windows import compute_arrival_windows
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_ship
from tests.unit.engine.weather.seas import uniform_climatology

#: South and west edge, height and width [deg].
Box = tuple[float, float, float, float]

DEPARTS_H = hours_since_epoch(DEPARTS_AT)
SHIP = make_ship()
STAGES = 16
#: Ten degrees along the equator.
LINE = np.zeros(STAGES), np.linspace(0.0, 10.0, STAGES)
SEA = WeatherField(uniform_climatology(wave=(1.0, 6.0, 90.0), current=(0.0, 0.0)))


@cache
def make_storm(
    lat: float,
    height_m: float,
    *,
    lng: float = 5.0,
    radius_deg: float = 2.0,
    from_east: float = 1.0,
) -> WeatherField:
    """Waves around a position, by default abeam of the line's middle; 1 m elsewhere.

    ``from_east`` is 1 for waves from ahead, -1 from astern. Cached, because kernels use its arrays,
    which are valid only while it exists.
    """
    step = radius_deg / 4.0
    rows, columns = round(16.0 / step) + 1, round(18.0 / step) + 1
    grid = RegularGrid(-8.0, step, rows, -4.0, step, columns)
    lats, lngs = -8.0 + step * np.arange(rows)[:, None], -4.0 + step * np.arange(columns)
    share = np.exp(-(((lats - lat) / radius_deg) ** 2) - ((lngs - lng) / radius_deg) ** 2)
    height = 1.0 + (height_m - 1.0) * share
    waves = np.array([8.0, from_east, 0.0]) + np.zeros((*height.shape, 3))
    values = np.concatenate([height[..., None], waves], axis=-1)
    times_h = DEPARTS_H + np.arange(0.0, 401.0, 10.0)
    layer = layer_from_values(Group.WAVE, grid, times_h, np.stack(times_h.size * [values]))
    return WeatherField(SEA.climatology, (WeatherRun("storm", {Group.WAVE: layer}),))


def build_problem(
    weather: WeatherField,
    *,
    wave_limit_m: float = inf,
    fastest_kn: float = 13.0,
    closed: Sequence[Box] = (),
) -> Problem:
    is_movable = np.ones(STAGES, dtype=np.bool_)
    is_movable[[0, -1]] = False
    return Problem(
        medium=Ocean(SHIP.kernel_parameters, weather.kernel_arrays, wave_limit_m, inf),
        radius_nm=EARTH_RADIUS_NM,
        objective=SearchObjective(
            departs_h=DEPARTS_H,
            speed_min_kn=10.0,
            speed_max_kn=fastest_kn,
            prices=Prices(1.0, 1.0),
            value_of_time=(np.zeros(1), np.zeros(1)),
            longest_h=None,
        ),
        is_movable=is_movable,
        longest_wait_h=np.zeros(STAGES),
        first_segment=np.zeros(STAGES, dtype=np.int64),
        segments=np.empty((0, 8)),
        clear=lambda lats, lngs, has_edge: keep_out(closed, lats, lngs, has_edge),
    )


def keep_out(closed: Sequence[Box], lats: Floats, lngs: Floats, has_edge: Bools) -> Bools:
    """The edges that begin and end outside all boxes."""
    outside = np.ones(lats.shape, dtype=np.bool_)
    for south, west, height, width in closed:
        is_in = (np.abs(lats - south - height / 2.0) < height / 2.0) & (
            np.abs(lngs - west - width / 2.0) < width / 2.0
        )
        outside &= ~is_in
    return has_edge & outside[:-1, :, None] & outside[1:, None, :]


def find(problem: Problem) -> Trajectory | None:
    trajectory = find_wide(problem)
    if trajectory is None:
        return None
    resolution = LatticeResolution(11, 8.0, 5, 40.0, 5, 0.3, 8.0, 48, 20.0, 6.0)
    return refine(problem, trajectory, resolution, rounds=8, shrink=0.65)


def find_wide(problem: Problem) -> Trajectory | None:
    corridor = Corridor(
        offsets_nm=20.0 * np.arange(-10.0, 11.0),
        reach=3,
        smooth_nm=100.0,
        speeds=7,
        window_h=compute_arrival_windows(problem, LINE, 1.2),
        bins=64,
        weather_spacing_nm=40.0,
        longest_step_h=6.0,
    )
    return find_best(problem, search_corridor(problem, LINE, corridor))


def cost(problem: Problem) -> float:
    trajectory = find(problem)
    return inf if trajectory is None else compute_cost(problem, trajectory) - DEPARTS_H


storms = st.tuples(st.floats(-2.0, 2.0), st.floats(2.0, 8.0))
#: Boxes from outside the corridor to a degree and a half across the line. Both sides of a box in
#: the middle of the line may be equally good in the wide search, and then one is 0.2 % worse.
headlands = st.builds(
    lambda tip, from_north, west, width: (tip if from_north else tip - 4.0, west, 4.0, width),
    st.floats(-1.5, 1.5), st.booleans(), st.floats(1.5, 6.0), st.floats(1.0, 2.0),
)  # fmt: skip
few = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@few
@given(storm=storms, limit_m=st.floats(1.5, 6.0), eased_m=st.floats(0.0, 3.0))
def test_a_relaxed_limit_never_costs_more(
    storm: tuple[float, float], limit_m: float, eased_m: float
) -> None:
    weather = make_storm(*storm)
    tight, eased = (
        cost(build_problem(weather, wave_limit_m=limit)) for limit in (limit_m, limit_m + eased_m)
    )
    assert eased <= 1.001 * tight


@few
@given(storm=storms, more_kn=st.floats(0.0, 2.0))
def test_a_wider_range_of_speeds_never_costs_more(
    storm: tuple[float, float], more_kn: float
) -> None:
    weather = make_storm(*storm)
    narrow, wide = (cost(build_problem(weather, fastest_kn=kn)) for kn in (13.0, 13.0 + more_kn))
    assert wide <= 1.001 * narrow


@few
@given(storm=storms, opened=headlands, shut=st.lists(headlands, max_size=1))
def test_an_area_that_is_opened_never_costs_more(
    storm: tuple[float, float], opened: Box, shut: list[Box]
) -> None:
    weather = make_storm(*storm)
    before, after = (
        cost(build_problem(weather, closed=closed)) for closed in ([opened, *shut], shut)
    )
    assert after <= 1.001 * before


@few
@given(storm=storms)
def test_a_storm_mirrored_at_the_equator_mirrors_the_route(storm: tuple[float, float]) -> None:
    lat, height_m = storm
    north, south = (
        build_problem(make_storm(lat, height_m)),
        build_problem(make_storm(-lat, height_m)),
    )
    assert cost(north) == pytest.approx(cost(south), rel=1e-3)
    one, two = find(north), find(south)
    assert one is not None
    assert two is not None
    if abs(lat) > 0.5:
        # a storm on the equator may be passed on either side
        assert np.abs(one.lats + two.lats).max() < 0.2


def test_no_route_is_found_if_no_detour_keeps_the_limit() -> None:
    assert find(build_problem(make_storm(0.0, 4.0), wave_limit_m=0.8)) is None


def price_south(lats: Floats, has_edge: Bools) -> Floats:
    """Three times the price south of the equator."""
    at_nodes = np.where(lats < 0.0, 3.0, 1.0)
    return np.where(has_edge, 0.5 * (at_nodes[:-1, :, None] + at_nodes[1:, None, :]), 1.0)


def test_the_best_route_avoids_a_higher_price() -> None:
    problem = build_problem(make_storm(0.5, 6.0))
    dear = replace(problem, price=lambda lats, _lngs, has_edge: price_south(lats, has_edge))
    trajectory = find(dear)
    assert trajectory is not None
    assert cost(dear) <= 1.001 * cost(
        replace(dear, price=lambda _lats, _lngs, has_edge: np.full(has_edge.shape, 3.0))
    )
    assert trajectory.lats.min() >= -0.2


def test_no_route_is_found_if_no_edge_is_clear() -> None:
    problem = replace(
        build_problem(SEA), clear=lambda lats, lngs, has_edge: np.zeros_like(has_edge)
    )
    assert find(problem) is None


def test_a_search_that_ends_at_the_edge_of_its_lattice_is_repeated_once() -> None:
    problem, resolution = (
        build_problem(SEA),
        LatticeResolution(11, 2.0, 5, 40.0, 5, 0.3, 8.0, 48, 20.0, 6.0),
    )
    lats, lngs = np.sin(np.linspace(0.0, np.pi, STAGES)), LINE[1]
    hours = DEPARTS_H + 60.0 / 12.0 * np.append(
        0.0, np.hypot(np.diff(lats), np.diff(lngs)).cumsum()
    )
    bent = Trajectory(lats, lngs, hours, hours[:-1], np.full(STAGES - 1, 12.0), 0.0)
    once = find_best(problem, search_near_trajectory(problem, bent, resolution))
    assert once is not None
    again = refine(problem, bent, resolution, rounds=1)
    # each search covers ten miles to either side
    assert once.lats.max() == pytest.approx(1.0 - 10.0 / 60.0, abs=0.01)
    assert again.lats.max() == pytest.approx(1.0 - 20.0 / 60.0, abs=0.01)
    assert compute_cost(problem, again) < compute_cost(problem, once)


@pytest.mark.parametrize("lat", [-0.3, -0.2, 0.2, 0.3])
def test_a_refined_track_keeps_the_limit_between_the_middles_of_its_stages_too(lat: float) -> None:
    # the sea is rough within 24 nm of the end of a stage, and the middles are 20 nm away
    storm = make_storm(lat, 9.0, lng=LINE[1][8], radius_deg=0.4, from_east=-1.0)
    problem = build_problem(storm, wave_limit_m=4.0)
    wide = find_wide(problem)
    assert wide is not None
    refinement = TrackRefinement(40.0, 20.0, 0.5)
    track = refinement.refine_best(problem, [wide])[0]
    shares = np.linspace(0.0, 15.0, 601)
    lats, lngs = (np.interp(shares, np.arange(16), line) for line in (track.lats, track.lngs))
    heights = storm.sample(lats, lngs, DEPARTS_AT).wave_height_m
    assert np.max(heights) < 4.2
