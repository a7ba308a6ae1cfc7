"""Weather of past hours, each from the run that knows it."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from flask import Flask

from app.engine.times import hours_since_epoch
from app.services.platform.sessions import installation_session
from app.services.weather.past_weather import sample_past
from tests.integration.weather.test_store_and_service import START, forecast_file, run


def test_every_hour_has_the_weather_of_the_newest_run_that_covers_it(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    # the first ends before the third begins; the second overlaps both
    for days, speed_ms in ((0.0, 8.0), (1.0, 12.0), (9.0, 16.0)):
        file = forecast_file(tmp_path / f"{speed_ms}.grib2", speed_ms, START + timedelta(days=days))
        run(app, "import", str(file))
    days = np.array([0.5, 1.5, 2.5, 6.0, 9.5])
    times_h = hours_since_epoch(START) + 24.0 * days
    with installation_session() as session:
        found = sample_past(session, np.full(5, 48.0), np.full(5, -20.0), times_h)
        none = sample_past(session, np.empty(0), np.empty(0), np.empty(0))
    assert found is not None
    assert none is not None
    assert none.wind_speed_ms.size == 0
    assert found.wind_weight.tolist() == [1.0, 1.0, 1.0, 0.0, 1.0]
    assert found.wave_weight.tolist() == [1.0, 1.0, 1.0, 0.0, 1.0]
    known = found.wind_speed_ms[[0, 1, 2, 4]].tolist()
    assert known == pytest.approx([8.0, 12.0, 12.0, 16.0], abs=0.05)
