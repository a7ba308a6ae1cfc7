"""Simulation of a track: times, speeds and fuel of each segment."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.particulars import Loading
from app.engine.planning.geometry import mark_inland_legs
from app.engine.request import Position
from app.engine.sailing.simulation import simulate_track
from app.engine.sailing.track import LONGEST_SEGMENT_NM, build_track
from app.engine.times import hours_since_epoch
from app.engine.vessel import build_ship, expected_mcr_kw
from app.engine.vessel.kernels import LEAST_HEADWAY_KN
from app.engine.vessel.machinery import sfoc_g_per_kwh
from app.engine.vessel.relative_sea import speed_over_ground_kn
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import (
    DEPARTS_AT,
    KAMSARMAX,
    make_canal,
    make_leg,
    make_ship,
    make_simulation,
    make_track,
)
from tests.unit.engine.weather.seas import uniform_climatology


def test_the_time_in_a_calm_sea_is_distance_over_speed() -> None:
    track = make_track((49.0, -6.0), (41.0, -70.0))
    simulation = make_simulation(track, 12.0)
    assert simulation.total_h == pytest.approx(track.length_nm / 12.0)
    assert np.all(np.diff(simulation.hours) > 0.0)


def test_the_fuel_in_a_calm_sea_is_the_ships_rate_times_hours() -> None:
    simulation = make_simulation(make_track((0.0, 0.0), (0.0, 10.0)), 12.0)
    rate_t_per_h = make_ship().performance(12.0).fuel_t_per_h
    assert simulation.total_fuel_t == pytest.approx(rate_t_per_h * simulation.total_h, rel=0.01)


def test_no_segment_is_longer_than_the_longest_allowed() -> None:
    assert make_track((49.0, -6.0), (41.0, -70.0)).distance_nm.max() <= LONGEST_SEGMENT_NM + 1e-6


def test_a_canal_limits_the_speed_and_has_one_wait() -> None:
    points = [Position(0.0, lng) for lng in (0.0, 1.0, 1.5, 2.0, 3.0)]
    names = (None, "Canal", "Canal", None)
    legs = [make_leg(a, b, n) for a, b, n in zip(points, points[1:], names, strict=False)]
    track = build_track(legs, {"Canal": make_canal(speed_kn=8.0, waiting_h=5.0)})
    simulation = simulate_track(track, 12.0, ship=make_ship(), departs_at=DEPARTS_AT)
    inside = np.isin(track.leg, (1, 2))
    assert set(simulation.through_water_kn[inside]) == {8.0}
    assert set(simulation.through_water_kn[~inside]) == {12.0}
    distance_nm = track.distance_nm
    under_way_h = distance_nm[inside].sum() / 8.0 + distance_nm[~inside].sum() / 12.0
    assert simulation.total_h == pytest.approx(under_way_h + 5.0)


def test_a_harbour_at_the_mouth_of_a_canal_is_reached_without_its_wait() -> None:
    points = [Position(0.0, lng) for lng in (0.0, 1.0, 1.04)]
    legs = [make_leg(*points[:2]), make_leg(*points[1:], "Canal")]
    track = build_track(legs, {"Canal": make_canal(waiting_h=5.0)})
    assert track.wait_h.sum() == 0.0
    no_roads = replace(make_canal(waiting_h=5.0), roads_nm=(1.0, 1.0))
    assert build_track(legs, {"Canal": no_roads}).wait_h.sum() == 5.0


def test_kept_revolutions_change_the_speed_in_open_water_and_not_in_canals_or_ice() -> None:
    points = [Position(0.0, lng) for lng in (0.0, 1.0, 1.5, 2.5, 3.0)]
    names = (None, "Canal", None, None)
    legs = [make_leg(a, b, n) for a, b, n in zip(points, points[1:], names, strict=False)]
    track = build_track(legs, {"Canal": make_canal(speed_kn=8.0)})
    track = replace(track, in_ice=track.leg == 3)
    simulate = partial(simulate_track, track, 12.0, ship=make_ship(), departs_at=DEPARTS_AT)
    planned = simulate(weather=WeatherField(uniform_climatology(wave=(3.0, 8.0, 90.0))))
    calm = simulate(kept_rpm=planned.rpm)
    in_open_water = (track.leg == 0) | (track.leg == 2)
    assert np.all(calm.through_water_kn[in_open_water] > 12.1)
    assert calm.rpm[in_open_water] == pytest.approx(planned.rpm[in_open_water], rel=2e-4)
    assert set(calm.through_water_kn[track.leg == 1]) == {8.0}
    assert set(calm.through_water_kn[track.leg == 3]) == {12.0}


@pytest.mark.parametrize("share", [0.55, 0.7, 1.0])
@pytest.mark.parametrize("rpm_max", [None, 60.0])
def test_power_and_shaft_speed_in_ice_are_at_most_the_engines(
    share: float, rpm_max: float | None
) -> None:
    mcr_kw = share * expected_mcr_kw(KAMSARMAX)
    particulars = replace(KAMSARMAX, installed_power_kw=mcr_kw)
    ship = build_ship(particulars, Loading(12.2, 0.0, 68_000.0), rpm_max=rpm_max)
    track = make_track((60.0, 20.0), (60.5, 20.0))
    track = replace(
        track, in_ice=np.ones_like(track.in_ice), speed_cap_kn=np.full(track.leg.shape, 8.0)
    )
    simulation = simulate_track(track, 12.0, ship=ship, departs_at=DEPARTS_AT)
    assert simulation.power_kw.max() <= mcr_kw * (1.0 + 1e-9)
    assert simulation.rpm.max() <= (rpm_max or np.inf) * (1.0 + 1e-9)
    loads = simulation.power_kw / mcr_kw
    rates = [
        power * sfoc_g_per_kwh(ship.engine, x) * 1e-6
        for power, x in zip(simulation.power_kw, loads, strict=True)
    ]
    assert simulation.fuel_t == pytest.approx(rates * simulation.segment_h, rel=0.01)


def test_a_passage_interrupted_by_open_water_has_one_wait() -> None:
    places = [Position(0.0, 0.5 * n) for n in range(6)]
    through = [None, "Canal", None, "Canal", None]
    legs = [make_leg(*ends, passage=p) for ends, p in zip(pairwise(places), through, strict=True)]
    track = build_track(legs, {"Canal": make_canal(waiting_h=5.0)})
    assert track.wait_h.sum() == 5.0


def test_a_segment_does_not_start_before_its_time_and_the_wait_burns_nothing() -> None:
    track, departs_h = make_track((0.0, 0.0), (0.0, 2.0)), hours_since_epoch(DEPARTS_AT)
    not_before_h = np.full(track.distance_nm.size, -np.inf)
    not_before_h[[3, 10]] = departs_h + 7.0, departs_h + 2.0
    simulation = simulate_track(
        track, 12.0, ship=make_ship(), departs_at=DEPARTS_AT, not_before_h=not_before_h
    )
    at_once = make_simulation(track, 12.0)
    assert simulation.left_h[3] == pytest.approx(7.0)
    assert np.flatnonzero(simulation.waited_h).tolist() == [3]
    assert simulation.total_h == pytest.approx(at_once.total_h + 7.0 - at_once.hours[3])
    assert simulation.under_way_h == pytest.approx(at_once.total_h)
    assert simulation.total_fuel_t == pytest.approx(at_once.total_fuel_t)


def test_the_ship_slows_down_for_its_motions_in_heavy_weather() -> None:
    # an engine so strong that only motions limit the speed
    ship = build_ship(replace(KAMSARMAX, installed_power_kw=60_000.0), Loading(12.2, 0.0, 68_000.0))
    field = WeatherField(uniform_climatology(wave=(8.0, 12.0, 90.0)))
    track = make_track((0.0, 0.0), (0.0, 1.0))
    simulation = simulate_track(track, 14.0, ship=ship, departs_at=DEPARTS_AT, weather=field)
    met = field.sample(np.zeros(1), np.zeros(1), np.zeros(1)).records[0]
    allowed_kn = ship.voluntary_speed_kn(90.0, met)
    assert allowed_kn < 10.0
    assert simulation.through_water_kn == pytest.approx(allowed_kn, abs=0.1)
    assert simulation.is_slowed_for_motions.all()
    slower = simulate_track(track, 5.0, ship=ship, departs_at=DEPARTS_AT, weather=field)
    assert not slower.is_slowed_for_motions.any()
    weak = simulate_track(track, 14.0, ship=make_ship(), departs_at=DEPARTS_AT, weather=field)
    assert weak.through_water_kn.max() < allowed_kn
    assert not weak.is_slowed_for_motions.any()


def test_a_limit_of_shaft_speed_keeps_the_ship_below_the_ordered_speed() -> None:
    ship = make_ship(rpm_max=80.0)
    simulation = simulate_track(
        make_track((0.0, 0.0), (0.0, 1.0)), 14.0, ship=ship, departs_at=DEPARTS_AT
    )
    assert np.all(simulation.rpm <= 80.0)
    assert np.all(simulation.through_water_kn < 14.0)


@pytest.mark.parametrize(("height_m", "is_in_doubt"), [(6.0, False), (10.0, True), (13.0, True)])
def test_power_never_exceeds_the_engines_and_doubtful_headway_is_marked(
    height_m: float, is_in_doubt: bool
) -> None:
    head_sea = uniform_climatology(wave=(height_m, 4.3 * height_m**0.5, 90.0))
    ship = make_ship()
    simulation = simulate_track(
        make_track((30.0, -40.0), (30.0, -39.0)),
        12.0,
        ship=ship,
        departs_at=DEPARTS_AT,
        weather=WeatherField(head_sea),
    )
    assert np.all(simulation.power_kw <= ship.engine.mcr_kw * 1.0001)
    assert np.all(simulation.is_headway_in_doubt == is_in_doubt)
    assert np.all((simulation.through_water_kn == LEAST_HEADWAY_KN) == is_in_doubt)
    at_mcr_t_per_h = ship.engine.mcr_kw * sfoc_g_per_kwh(ship.engine, 1.0) * 1e-6
    assert np.all(simulation.fuel_t <= np.diff(simulation.hours) * at_mcr_t_per_h * 1.0001)


def test_a_track_across_the_antimeridian_is_as_long_as_elsewhere() -> None:
    across = make_track((10.0, 179.0), (10.0, -179.0))
    elsewhere = make_track((10.0, 19.0), (10.0, 21.0))
    assert across.length_nm == pytest.approx(elsewhere.length_nm)
    assert np.all(np.abs(across.middle_lngs) > 178.9)


@given(st.floats(6.0, 20.0), st.floats(0.0, 360.0), st.floats(0.0, 5.0), st.floats(0.0, 360.0))
def test_the_current_triangle_closes(
    through_kn: float, course_deg: float, set_kn: float, set_to_deg: float
) -> None:
    u, v = (set_kn * f(np.radians(set_to_deg)) for f in (np.sin, np.cos))
    course = np.sin(np.radians(course_deg)), np.cos(np.radians(course_deg))
    over_ground_kn = speed_over_ground_kn(through_kn, course, (u, v))
    east, north = over_ground_kn * course[0] - u, over_ground_kn * course[1] - v
    assert np.hypot(east, north) == pytest.approx(through_kn)


def test_no_course_can_be_kept_against_a_cross_current_above_the_speed() -> None:
    assert np.isnan(speed_over_ground_kn(3.0, (0.0, 1.0), (4.0, 0.0)))


def test_shallow_water_costs_fuel_and_unknown_depth_counts_as_deep() -> None:
    track, ship = make_track((0.0, 0.0), (0.0, 2.0)), make_ship()
    depths = (np.full(track.distance_nm.shape, depth_m) for depth_m in (18.0, 500.0, np.nan))
    shallow, deep, unknown = (
        simulate_track(track, 12.0, ship=ship, departs_at=DEPARTS_AT, depth_m=depth_m).total_fuel_t
        for depth_m in depths
    )
    assert shallow > 1.05 * deep
    assert unknown == deep


def test_waves_and_currents_of_the_sea_do_not_enter_a_canal() -> None:
    points = [Position(0.0, lng) for lng in (0.0, 1.0, 2.0, 3.0)]
    names = (None, "Canal", None)
    legs = [make_leg(a, b, n) for a, b, n in zip(points, points[1:], names, strict=False)]
    passages = {"Canal": make_canal(speed_kn=None, waiting_h=0.0)}
    track = build_track(mark_inland_legs(legs, passages), passages)
    rough = WeatherField(uniform_climatology(wind=(0.0, 0.0), wave=(4.0, 9.0, 90.0)))
    ship = make_ship()
    simulation = simulate_track(track, 12.0, ship=ship, departs_at=DEPARTS_AT, weather=rough)
    calm = simulate_track(track, 12.0, ship=ship, departs_at=DEPARTS_AT)
    inside = track.leg == 1
    assert simulation.fuel_t[inside] == pytest.approx(calm.fuel_t[inside])
    assert (simulation.over_ground_kn[inside] == simulation.through_water_kn[inside]).all()
    assert (simulation.fuel_t[~inside] > 1.1 * calm.fuel_t[~inside]).all()
    assert (simulation.weather_at_middles(rough).has_waves == ~inside).all()
    # the mouths are at sea
    heights_m = simulation.weather_at_points(rough).wave_height_m
    assert (heights_m[np.isin(track.lngs, (1.0, 2.0))] > 3.9).all()
    assert heights_m[(track.lngs > 1.001) & (track.lngs < 1.999)].max() == 0.0
