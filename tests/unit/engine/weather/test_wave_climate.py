import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.weather import RegularGrid
from app.engine.weather.wave_climate import WindClimate, compute_wave_climate, grow_waves

LONG_H = 1e7
GRID = RegularGrid(-85.0, 10.0, 18, -175.0, 10.0, 36)


def climate(sea, speed=8.0, u=7.0, v=0.0):
    shape = (1, GRID.n_cell)
    winds = WindClimate(np.full(shape, speed), np.full(shape, u), np.full(shape, v))
    return compute_wave_climate(GRID, sea, winds)


def cell(lat, lng):
    return round((lat + 85) / 10) * 36 + round((lng + 175) / 10)


def test_a_fully_developed_sea_has_the_height_of_the_shore_protection_manual():
    # 0.2433 U2/g and 8.13 U/g at 15 m/s
    height, period = grow_waves(np.array(15.0), 1e8, LONG_H)
    assert height == pytest.approx(5.58, abs=0.01)
    assert period == pytest.approx(12.4, abs=0.05)


def test_the_waves_of_two_hundred_kilometres_of_fetch_in_15_ms_are_3_4_metres_high():
    height, period = grow_waves(np.array(15.0), 2e5, LONG_H)
    assert height == pytest.approx(3.42, abs=0.02)
    assert period == pytest.approx(9.0, abs=0.05)


@given(
    wind=st.floats(0.5, 40),
    fetch_km=st.floats(1, 5000),
    hours=st.floats(1, 100),
    more=st.floats(1, 3),
)
def test_waves_never_decrease_with_wind_fetch_or_duration(wind, fetch_km, hours, more):
    base, _ = grow_waves(np.array(wind), fetch_km * 1e3, hours * 3600)
    for changed in (
        (wind * more, fetch_km, hours),
        (wind, fetch_km * more, hours),
        (wind, fetch_km, hours * more),
    ):
        height, _ = grow_waves(np.array(changed[0]), changed[1] * 1e3, changed[2] * 3600)
        assert height >= base - 1e-9


def test_waves_are_known_everywhere_at_sea_and_nowhere_on_land():
    sea = np.ones(GRID.n_cell, dtype=bool)
    sea[cell(5, 5)] = False
    waves = climate(sea)
    assert np.isnan(waves.height_m[0, cell(5, 5)])
    assert (waves.height_m[0, sea] > 0.3).all()


def test_waves_are_lower_in_the_lee_of_a_continent():
    sea = np.ones(GRID.n_cell, dtype=bool)
    for lat in range(-75, 80, 10):
        sea[cell(lat, 5)] = sea[cell(lat, 15)] = False
    waves = climate(sea)
    lee, weather_side = waves.height_m[0, cell(5, 25)], waves.height_m[0, cell(5, -5)]
    assert lee < 0.9 * weather_side


def test_waves_come_from_the_direction_of_a_steady_wind():
    waves = climate(np.ones(GRID.n_cell, dtype=bool), u=0.0, v=-7.5)
    direction = (waves.from_deg[0, cell(5, 5)] + 180.0) % 360.0 - 180.0
    assert direction == pytest.approx(0.0, abs=2.0)


def test_directions_are_as_steady_as_the_winds():
    everywhere = np.ones(GRID.n_cell, dtype=bool)
    for mean_u in (7.6, 4.0, 0.4):
        waves = climate(everywhere, speed=8.0, u=mean_u)
        steadiness = waves.steadiness[0, cell(5, 5)]
        assert steadiness == pytest.approx(mean_u / 8.0, abs=0.08)


def test_swell_reaches_calm_water_downwind_of_a_gale():
    sea = np.ones(GRID.n_cell, dtype=bool)
    lats, _ = GRID.cells()
    calm_belt = np.abs(lats) < 20
    speed = np.where(calm_belt, 1.0, 14.0)[np.newaxis]
    north_wind = np.where(calm_belt, 0.0, -9.0)[np.newaxis]
    winds = WindClimate(speed, np.zeros_like(speed), north_wind)
    waves = compute_wave_climate(GRID, sea, winds)
    assert waves.height_m[0, cell(5, 5)] > 1.0
