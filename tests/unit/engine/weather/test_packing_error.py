"""Errors of the 16-bit packing of runs and ensemble members, which are too small to matter."""

import numpy as np
import pytest

from app.engine.request import Loading
from app.engine.vessel.building import build_ship
from app.engine.weather import Group
from app.engine.weather.groups import pack, unpack
from benchmarks.ship_kernels import fuel_rates
from tests.unit.engine.vessel.ships import CAPESIZE, CONTAINER_SHIP

N_SEA = 5000


@pytest.fixture(scope="module")
def seas():
    """Return seas from calm to storm as the stored channels of wind and of waves."""
    rng = np.random.default_rng(11)
    speed, towards = 30.0 * rng.beta(2, 3, N_SEA), rng.uniform(0, 2 * np.pi, N_SEA)
    height, period = 12.0 * rng.beta(1.5, 4, N_SEA), rng.uniform(4.0, 18.0, N_SEA)
    wave_from = rng.uniform(0, 2 * np.pi, N_SEA)
    wind = np.column_stack([speed * np.sin(towards), speed * np.cos(towards)])
    wave = np.column_stack([height, period, np.sin(wave_from), np.cos(wave_from)])
    return wind, wave


def stored(group, values):
    return unpack(group, pack(group, values))


def test_a_wave_height_comes_back_within_half_a_millimetre_and_wind_within_4_mm_a_second(seas):
    wind, wave = seas
    assert np.abs(stored(Group.WAVE, wave)[:, 0] - wave[:, 0]).max() <= 0.0005 + 1e-9
    speeds = [np.hypot(*each.T) for each in (wind, stored(Group.WIND, wind))]
    assert np.abs(speeds[1] - speeds[0]).max() <= 0.0025 * np.sqrt(2.0) + 1e-9


def fuel_t_per_h(ship, wind, wave, speed_kn):
    wind_from = np.degrees(np.arctan2(-wind[:, 0], -wind[:, 1])) % 360.0
    wave_from = np.degrees(np.arctan2(wave[:, 2], wave[:, 3])) % 360.0
    course = np.linspace(0.0, 360.0, N_SEA, endpoint=False)
    out = np.empty((1, N_SEA))
    columns = (wave[:, 0], wave[:, 1], wave_from, np.hypot(*wind.T), wind_from)
    sea = tuple(np.ascontiguousarray(column) for column in columns)
    fuel_rates(ship.kernel_parameters, np.array([speed_kn]), course, *sea, out)
    return out[0]


@pytest.mark.parametrize(
    ("particulars", "draft_m", "speed_kn"), [(CAPESIZE, 18.0, 12.0), (CONTAINER_SHIP, 12.5, 18.0)]
)
def test_fuel_in_packed_seas_is_that_in_the_original_seas(seas, particulars, draft_m, speed_kn):
    ship = build_ship(particulars, Loading(draft_m, 0.0, particulars.dwt_t))
    exact = fuel_t_per_h(ship, *seas, speed_kn)
    packed = fuel_t_per_h(ship, stored(Group.WIND, seas[0]), stored(Group.WAVE, seas[1]), speed_kn)
    assert exact.std() > 0.1 * exact.mean()  # the seas matter
    difference = np.abs(packed - exact) / exact
    assert difference.max() <= 0.0005
    assert packed.sum() == pytest.approx(exact.sum(), rel=1e-5)
