import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.request import Position
from app.engine.times import moment_at
from app.engine.units import KNOT_MS
from app.engine.weather import Group, RegularGrid, WeatherField, layer_from_values
from app.engine.weather.kernels import sample_weather
from app.engine.weather.records import WeatherSource
from tests.unit.engine.weather.seas import (
    EPOCH_H,
    forecast,
    from_unit,
    reference_lookup,
    uniform_climatology,
    wind_field,
)

GLOBE = RegularGrid(-90.0, 10.0, 19, -180.0, 10.0, 36)
UNEVEN_HOURS = (0.0, 1.0, 4.0, 10.0, 16.0)
RANDOM_WIND = np.random.default_rng(7).normal(0.0, 8.0, (5, 19, 36, 2)).clip(-30, 30)
RANDOM_FIELD = wind_field(GLOBE, RANDOM_WIND, UNEVEN_HOURS)


@settings(max_examples=300, deadline=None)
@given(
    lat=st.floats(-90, 90),
    lng=st.floats(-180, 360),
    hour=st.floats(0, 16),
)
def test_the_compiled_look_up_equals_plain_loops(lat, lng, hour):
    layer = RANDOM_FIELD.forecasts[0].layers[Group.WIND]
    (u, v), speed = reference_lookup(layer, lat, lng, EPOCH_H + hour)
    found = RANDOM_FIELD.sample(lat, lng, EPOCH_H + hour)
    assert found.wind_speed_ms == pytest.approx(speed, abs=1e-6)
    if np.hypot(u, v) > 0.01:
        turn = (float(found.wind_from_deg) - np.degrees(np.arctan2(-u, -v)) + 180) % 360 - 180
        assert turn == pytest.approx(0.0, abs=1e-3)


@settings(max_examples=100, deadline=None)
@given(lat=st.floats(-89, 89), hour=st.floats(0, 16))
def test_values_are_continuous_across_the_antimeridian(lat, hour):
    west = RANDOM_FIELD.sample(lat, 180.0 - 1e-9, EPOCH_H + hour)
    east = RANDOM_FIELD.sample(lat, -180.0, EPOCH_H + hour)
    assert west.wind_speed_ms == pytest.approx(float(east.wind_speed_ms), abs=1e-5)


def test_waves_from_either_side_of_north_average_to_north():
    values = np.zeros((2, 19, 36, 4))
    values[..., :2] = (2.0, 8.0)
    values[:, :, ::2, 2:] = from_unit(350.0)
    values[:, :, 1::2, 2:] = from_unit(10.0)
    field = WeatherField(uniform_climatology(), (forecast(Group.WAVE, GLOBE, values),))
    found = field.sample(0.0, 5.0, EPOCH_H + 1.0)
    assert (float(found.wave_from_deg) + 180) % 360 - 180 == pytest.approx(0.0, abs=0.01)
    assert found.wave_height_m == pytest.approx(2.0)


def test_opposed_winds_do_not_average_to_calm():
    values = np.zeros((2, 19, 36, 2))
    values[:, :, ::2] = (0.0, 10.0)
    values[:, :, 1::2] = (0.0, -10.0)
    found = wind_field(GLOBE, values).sample(0.0, 5.0, EPOCH_H)
    assert found.wind_speed_ms == pytest.approx(10.0, abs=0.01)


def test_land_next_to_the_sea_has_no_weight():
    values = np.full((2, 19, 36, 2), np.nan)
    values[:, :, :18] = (12.0, 0.0)
    # 18 columns from 180W are sea to 10W; the next, at the meridian, is land.
    found = wind_field(GLOBE, values).sample(2.0, -1.0, EPOCH_H + 1.5)
    assert found.wind_speed_ms == pytest.approx(12.0, abs=0.01)
    assert found.wind_sources == [WeatherSource.FORECAST]


def test_two_seas_that_touch_only_across_land_are_not_mixed():
    values = np.full((2, 19, 36, 2), np.nan)
    south_west, north_east = (9, 18), (10, 19)
    values[:, south_west[0], south_west[1]] = (4.0, 0.0)
    values[:, north_east[0], north_east[1]] = (20.0, 0.0)
    field = wind_field(GLOBE, values)
    speeds = field.sample([3.0, 7.0], [4.0, 7.0], EPOCH_H).wind_speed_ms
    assert speeds == pytest.approx([4.0, 20.0], abs=0.01)


def test_a_harbour_inside_the_land_mask_takes_the_value_of_the_nearest_sea():
    grid = RegularGrid(40.0, 0.25, 41, 0.0, 0.25, 41)
    values = np.full((2, 41, 41, 2), np.nan)
    values[:, :, :18] = (9.0, 0.0)
    found = wind_field(grid, values).sample(45.0, 4.9, EPOCH_H)
    assert found.wind_speed_ms == pytest.approx(9.0, abs=0.01)


def test_far_inland_the_climatology_is_used_instead_of_a_forecast():
    grid = RegularGrid(40.0, 0.25, 41, 0.0, 0.25, 41)
    values = np.full((2, 41, 41, 2), np.nan)
    values[:, :, :5] = (9.0, 0.0)
    found = wind_field(grid, values).sample(45.0, 8.0, EPOCH_H)
    assert found.wind_speed_ms == pytest.approx(5.0, abs=0.01)
    assert found.wind_sources == [WeatherSource.CLIMATOLOGY]


def test_where_ice_masks_one_time_step_the_other_is_used():
    values = np.full((2, 19, 36, 2), 6.0)
    values[1] = np.nan
    found = wind_field(GLOBE, values).sample(70.0, 12.0, EPOCH_H + 2.0)
    assert found.wind_speed_ms == pytest.approx(6.0 * np.sqrt(2), abs=0.01)


@pytest.mark.parametrize("lat", [90.0, 89.9, -90.0])
def test_values_are_known_at_the_poles(lat):
    found = RANDOM_FIELD.sample(lat, [-180.0, 0.0, 77.7], EPOCH_H + 2.0)
    assert np.isfinite(found.wind_speed_ms).all()


@pytest.mark.parametrize(
    ("hours_beyond", "speed", "source"),
    [
        (0.0, 15.0, WeatherSource.FORECAST),
        (6.0, 12.5, WeatherSource.BLENDED),
        (12.0, 10.0, WeatherSource.BLENDED),
        (24.0, 5.0, WeatherSource.CLIMATOLOGY),
        (400.0, 5.0, WeatherSource.CLIMATOLOGY),
        (-12.0 - 3.0, 10.0, WeatherSource.BLENDED),
    ],
)
def test_a_forecast_relaxes_to_climatology_in_a_day(hours_beyond, speed, source):
    values = np.broadcast_to((15.0, 0.0), (2, 19, 36, 2))
    found = wind_field(GLOBE, values).sample(3.0, 4.0, EPOCH_H + 3.0 + hours_beyond)
    assert found.wind_speed_ms == pytest.approx(speed, abs=0.01)
    assert found.wind_sources == [source]
    assert found.current_sources == [WeatherSource.CLIMATOLOGY]


def test_a_climatological_current_of_zero_is_unknown():
    unknown = WeatherField(uniform_climatology(current=(0.0, 0.0))).sample(3.0, 4.0, EPOCH_H)
    (weather,) = unknown.records
    assert (weather.current_speed_kn, weather.current_to_deg, weather.current_source) == (None,) * 3
    (known,) = WeatherField(uniform_climatology()).sample(3.0, 4.0, EPOCH_H).records
    assert known.current_speed_kn == pytest.approx(0.1 / KNOT_MS, abs=0.001)
    assert known.current_source is WeatherSource.CLIMATOLOGY


def test_a_regional_forecast_relaxes_to_climatology_at_its_edge():
    grid = RegularGrid(40.0, 1.0, 21, -30.0, 1.0, 21)
    values = np.broadcast_to((15.0, 0.0), (2, 21, 21, 2))
    found = wind_field(grid, values).sample(50.0, [-31.0, -30.0, -29.5, -29.0], EPOCH_H)
    assert found.wind_speed_ms == pytest.approx([5.0, 5.0, 10.0, 15.0], abs=0.01)


def test_the_climatology_is_continuous_at_new_year():
    january, december = 5.0, 15.0
    grid = RegularGrid(-85.0, 10.0, 18, -175.0, 10.0, 36)
    values = np.full((12, 18, 36, 2), 0.0)
    values[0, ..., 0], values[11, ..., 0] = january, december
    months = [(month + 0.5) * 8765.82 / 12 for month in range(12)]
    run = uniform_climatology()
    layers = {
        **run.layers,
        Group.WIND: layer_from_values(Group.WIND, grid, months, values, cyclic=True),
    }
    field = WeatherField(type(run)(run.name, layers))
    speeds = field.sample(0.0, 0.0, [8765.82 - 0.01, 8765.82 + 0.01]).wind_speed_ms
    assert speeds == pytest.approx([10.0, 10.0], abs=0.02)


def test_coverage_is_the_share_of_hours_with_forecast_wind_and_waves():
    wave = np.broadcast_to((2.0, 8.0, 0.0, 1.0), (2, 19, 36, 4))
    wind = np.broadcast_to((9.0, 0.0), (2, 19, 36, 2))
    runs = (forecast(Group.WIND, GLOBE, wind), forecast(Group.WAVE, GLOBE, wave, (0.0, 1.0)))
    found = WeatherField(uniform_climatology(), runs).sample(0, 0, EPOCH_H + np.array([0.5, 2.0]))
    assert found.forecast_coverage_pct() == 50.0
    assert found.forecast_coverage_pct([1.0, 3.0]) == 25.0


def test_a_field_survives_pickling_and_keeps_its_identity():
    copy = pickle.loads(pickle.dumps(RANDOM_FIELD))  # noqa: S301
    assert copy.identity == RANDOM_FIELD.identity == "made-run + climatology-of-nowhere"
    position = Position(12.0, 34.0)
    assert copy.at(position, moment_at(EPOCH_H)) == RANDOM_FIELD.at(position, moment_at(EPOCH_H))


def test_directions_follow_the_nautical_convention():
    run = uniform_climatology(wind=(5.0, 0.0), wave=(1.0, 6.0, 200.0), current=(0.0, 0.514444))
    found = WeatherField(run).at(Position(0.0, 0.0), moment_at(EPOCH_H))
    assert found.wind_from_deg == pytest.approx(270.0)
    assert found.wave_from_deg == pytest.approx(200.0, abs=0.01)
    assert found.current_to_deg == pytest.approx(0.0)
    assert found.current_speed_kn == pytest.approx(1.0, abs=0.001)


def test_unknown_ice_is_reported_as_unknown_and_not_as_open_water():
    grid = RegularGrid(60.0, 1.0, 21, -30.0, 1.0, 21)
    field = WeatherField(
        uniform_climatology(), (forecast(Group.ICE, grid, np.full((2, 21, 21, 1), 0.4)),)
    )
    fraction, sources = field.sample_scalar(Group.ICE, [70.0, 10.0], [-20.0, 0.0], EPOCH_H)
    assert fraction == pytest.approx([0.4, np.nan], nan_ok=True, abs=1e-4)
    assert sources == [WeatherSource.FORECAST, None]


def test_displaced_weather_has_the_current_of_the_place_itself():
    """South of the equator the sea runs faster, and the waves and the wind are those of there."""
    grid = RegularGrid(-5.0, 1.0, 11, -30.0, 1.0, 11)
    south = (np.arange(11) < 5)[None, :, None] * np.ones((2, 1, 11))
    runs = (
        forecast(Group.CURRENT, grid, np.stack([0.5 + south, 0.0 * south], axis=3)),
        forecast(Group.WIND, grid, np.stack([10.0 + 5.0 * south, 0.0 * south], axis=3)),
    )
    field = WeatherField(uniform_climatology(), runs)
    away_deg = np.array([[-4.0], [0.0]])
    moved = field.sample([2.0], [-25.0], EPOCH_H, displacements_deg=away_deg)
    here, there = (field.sample([lat], [-25.0], EPOCH_H) for lat in (2.0, -2.0))
    assert moved.wind_speed_ms == there.wind_speed_ms != here.wind_speed_ms
    assert moved.current_speed_kn == here.current_speed_kn != there.current_speed_kn


def test_weather_displaced_to_where_no_waves_are_known_is_that_of_the_place_itself():
    sea = uniform_climatology()
    waves = sea.layers[Group.WAVE]
    lngs = waves.grid.lng_first + waves.grid.lng_step * np.arange(waves.grid.n_lng)
    values = np.broadcast_to(np.array([2.0, 7.0, -1.0, 0.0]), (12, 18, 36, 4)).copy()
    values[:, :, lngs > 0.0] = np.nan
    months_h = waves.times_h
    part = layer_from_values(Group.WAVE, waves.grid, months_h, values, cyclic=True)
    field = WeatherField(replace(sea, layers={**sea.layers, Group.WAVE: part}))
    place = [10.0], [-10.0], EPOCH_H
    moved = field.sample(*place, displacements_deg=np.array([[0.0], [60.0]]))
    assert not field.sample([10.0], [50.0], EPOCH_H).has_waves[0]
    assert moved.wave_height_m == field.sample(*place).wave_height_m > 1.0


def measure_steadiness(field, time_h):
    """Return the length of the vector towards the origin of the waves."""
    here = sample_weather(field.kernel_arrays, 0.0, 0.0, time_h, False)
    return math.hypot(here.wave_from_east, here.wave_from_north)


def test_directions_are_certain_in_a_forecast_and_as_steady_as_the_climate_beyond_it():
    climate = uniform_climatology(steadiness=0.4)
    wave = np.broadcast_to((2.0, 8.0, 0.6, 0.8), (2, 19, 36, 4))
    wind = np.broadcast_to((9.0, 0.0), (2, 19, 36, 2))
    waves, winds = forecast(Group.WAVE, GLOBE, wave), forecast(Group.WIND, GLOBE, wind)
    for runs in ((waves, winds), (waves,), (winds,)):
        field = WeatherField(climate, runs)
        found = [measure_steadiness(field, EPOCH_H + hours) for hours in (1.0, 15.0, 48.0)]
        assert found == pytest.approx([1.0, 0.7, 0.4], abs=0.001)
    assert measure_steadiness(WeatherField(climate), EPOCH_H) == pytest.approx(0.4, abs=0.001)


@pytest.mark.parametrize(
    ("hours_after", "speed", "source"),
    [
        (6.0, 15.0, WeatherSource.FORECAST),
        (18.0, 10.0, WeatherSource.BLENDED),
        (48.0, 5.0, WeatherSource.CLIMATOLOGY),
        (78.0, 10.0, WeatherSource.BLENDED),
        (90.0, 15.0, WeatherSource.FORECAST),
    ],
)
def test_in_a_gap_between_steps_a_forecast_relaxes_to_climatology(hours_after, speed, source):
    values = np.broadcast_to((15.0, 0.0), (4, 19, 36, 2))
    field = wind_field(GLOBE, values, (0.0, 12.0, 108.0, 120.0))
    found = field.sample(3.0, 4.0, EPOCH_H + 12.0 + hours_after)
    assert found.wind_speed_ms == pytest.approx(speed, abs=0.01)
    assert found.wind_sources == [source]


def test_daily_means_of_a_current_have_no_gap():
    values = np.broadcast_to((0.5, 0.0), (2, 19, 36, 2))
    run = forecast(Group.CURRENT, GLOBE, values, (0.0, 24.0))
    found = WeatherField(uniform_climatology(), (run,)).sample(3.0, 4.0, EPOCH_H + 12.0)
    assert found.current_sources == [WeatherSource.FORECAST]


def test_inland_waters_have_wind_but_no_waves_or_current_of_the_sea():
    runs = (forecast(Group.WAVE, GLOBE, np.full((2, 19, 36, 4), (3.0, 8.0, 1.0, 0.0))),)
    field = WeatherField(uniform_climatology(), runs)
    river, sea = field.sample(3.0, [4.0, 4.0], EPOCH_H, [True, False]).records
    assert (river.wave_height_m, river.wave_source) == (0.0, None)
    assert (river.current_speed_kn, river.current_source) == (None, None)
    assert river.wind_speed_ms == pytest.approx(5.0, abs=0.01)
    assert river.wind_from_deg == sea.wind_from_deg
    assert sea.wave_height_m == pytest.approx(3.0, abs=0.01)


def test_without_known_waves_the_wind_alone_decides_whether_a_place_is_forecast():
    wind = np.full((2, 19, 36, 2), 6.0)
    assert wind_field(GLOBE, wind).sample(3.0, 4.0, EPOCH_H, is_inland=True).is_forecast.all()
    assert not wind_field(GLOBE, wind).sample(3.0, 4.0, EPOCH_H).is_forecast.any()


def test_far_inland_the_climatology_knows_the_wind_alone():
    climatology = uniform_climatology()
    grid = RegularGrid(-10.0, 1.0, 21, -10.0, 1.0, 21)
    layers = {}
    for group, row in (
        (Group.WIND, (5.0, 0.0)),
        (Group.WAVE, (2.0, 8.0, 1.0, 0.0)),
        (Group.CURRENT, (0.3, 0.0)),
    ):
        values = np.full((1, 21, 21, len(row)), row)
        values[:, :, 10:] = np.nan
        layers[group] = layer_from_values(group, grid, [0.0], values, cyclic=True)
    field = WeatherField(type(climatology)("coast", layers))
    near, far = field.sample(0.0, [0.4, 5.0], EPOCH_H).records
    assert near.wave_height_m == pytest.approx(2.0, abs=0.01)
    assert near.current_source is WeatherSource.CLIMATOLOGY
    assert (far.wave_height_m, far.wave_source, far.current_source) == (0.0, None, None)
    assert far.wind_speed_ms == pytest.approx(5.0, abs=0.01)
