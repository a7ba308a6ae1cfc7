"""The built climatology against published monthly means.

The ranges are what the literature on wave climate gives for these places (Young
1999, Int. J. Climatol. 19, is the reference); how far each could be checked is
said in ``docs/validation.md``.
"""

import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from app.datasources.weather.store import open_run
from app.engine.request import Position
from app.engine.weather import Group, WeatherField
from app.engine.weather.records import WeatherSource

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def climatology():
    folder = Path(os.environ.get("WEATHER_DIR", ROOT / "var" / "weather")) / "climatology"
    if not folder.is_dir():
        pytest.fail(
            f"no climatology in {folder}: `flask weather climatology` builds it", pytrace=False
        )
    return WeatherField(open_run(folder))


def mid(month):
    return datetime(2025, month, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lat", "lng", "month", "least", "greatest"),
    [
        (50.0, -20.0, 1, 4.0, 5.0),
        (50.0, -20.0, 7, 1.5, 2.5),
        (15.0, 62.0, 7, 2.5, 5.0),
        (12.0, 58.0, 7, 2.5, 5.0),
        (15.0, 62.0, 1, 0.5, 1.5),
        (12.0, 58.0, 1, 0.5, 1.5),
    ],
)
def test_monthly_mean_wave_heights(climatology, lat, lng, month, least, greatest):
    found = climatology.at(Position(lat, lng), mid(month))
    assert least <= found.wave_height_m <= greatest
    assert found.wave_source is WeatherSource.CLIMATOLOGY


@pytest.mark.parametrize(("lat", "lng"), [(15.0, -40.0), (15.0, -150.0), (-15.0, -10.0)])
def test_the_trades_blow_at_six_to_eight_ms_over_the_year(climatology, lat, lng):
    speeds = [climatology.at(Position(lat, lng), mid(m)).wind_speed_ms for m in range(1, 13)]
    assert 6.0 <= np.mean(speeds) <= 8.0


def test_the_trades_come_from_the_east(climatology):
    north = climatology.at(Position(15.0, -40.0), mid(1)).wind_from_deg
    south = climatology.at(Position(-15.0, -10.0), mid(7)).wind_from_deg
    assert 45.0 < north < 90.0
    assert 90.0 < south < 150.0


def test_the_monsoon_turns_round(climatology):
    winter = climatology.at(Position(15.0, 62.0), mid(1)).wind_from_deg
    summer = climatology.at(Position(15.0, 62.0), mid(7)).wind_from_deg
    assert 10.0 < winter < 60.0
    assert 200.0 < summer < 260.0


def test_every_place_on_earth_has_wind_and_every_sea_has_waves(climatology):
    lats, lngs = np.meshgrid(np.arange(-90, 91, 3.0), np.arange(-180, 180, 3.0))
    for month in (1, 7):
        found = climatology.sample(lats, lngs, mid(month))
        assert np.isfinite(found.wind_speed_ms).all()
        assert (found.wind_speed_ms > 0.5).all()
        has_waves = found.has_waves.reshape(lats.shape)
        assert has_waves[(lats > -62.0) & (lats < -56.0)].all()
        assert (found.wave_height_m[has_waves] > 0.1).all()
        assert (found.wave_period_s[has_waves] > 1.0).all()
        assert (found.current_speed_kn < 3.0).all()


def test_the_waves_of_the_atlantic_do_not_reach_the_great_lakes(climatology):
    superior = climatology.at(Position(47.5, -88.0), mid(12))
    assert (superior.wave_source, superior.current_source) == (None, None)
    assert superior.wind_speed_ms > 1.0


def test_the_gulf_stream_sets_north_east(climatology):
    found = climatology.at(Position(37.0, -72.0), mid(1))
    assert 20.0 < found.current_to_deg < 90.0
    assert found.current_speed_kn > 0.3


def test_pressure_is_high_at_the_azores_and_low_off_iceland(climatology):
    pressure, _ = climatology.sample_scalar(Group.PRESSURE, [36.0, 62.0], [-30.0, -30.0], mid(1))
    assert pressure[0] > 1016.0 > 1008.0 > pressure[1]
