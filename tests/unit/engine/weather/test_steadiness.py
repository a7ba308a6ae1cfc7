"""The steadiness of the climatology's directions."""

import numpy as np
import pytest

from app.engine.times import hours_since_epoch
from app.engine.weather import WeatherField
from app.engine.weather.steadiness import sample_steadiness, with_steady_directions
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.weather.seas import uniform_climatology

LATS, LNGS = np.array([44.0, -30.0]), np.array([-30.0, 90.0])
TIMES_H = np.full(2, hours_since_epoch(DEPARTS_AT))


@pytest.mark.parametrize("steadiness", [0.0, 0.1, 0.6, 1.0])
def test_the_steadiness_is_that_of_the_climatology(steadiness: float) -> None:
    field = WeatherField(uniform_climatology(steadiness=steadiness))
    found = sample_steadiness(field, LATS, LNGS, TIMES_H)
    assert found == pytest.approx([steadiness] * 2, abs=1e-4)


@pytest.mark.parametrize("steadiness", [0.1, 0.6, 1.0])
def test_steady_directions_are_the_mean_ones_of_the_same_seas(steadiness: float) -> None:
    field = WeatherField(uniform_climatology(wave=(3.0, 9.0, 230.0), steadiness=steadiness))
    steady = with_steady_directions(field)
    assert sample_steadiness(steady, LATS, LNGS, TIMES_H) == pytest.approx([1.0] * 2, abs=1e-4)
    before, after = (each.sample(LATS, LNGS, TIMES_H) for each in (field, steady))
    assert after.wave_from_deg == pytest.approx(before.wave_from_deg, abs=0.05)
    assert after.wave_height_m == pytest.approx(before.wave_height_m)
    assert after.wind_speed_ms == pytest.approx(before.wind_speed_ms)


def test_the_field_itself_keeps_its_steadiness() -> None:
    field = WeatherField(uniform_climatology(steadiness=0.5))
    with_steady_directions(field)
    assert sample_steadiness(field, LATS, LNGS, TIMES_H) == pytest.approx([0.5] * 2, abs=1e-4)
