"""Weather for the chart on pages."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from flask import Flask

from tests.integration.browser import Browser
from tests.unit.datasources.weather.making import grib2, write

pytestmark = [pytest.mark.usefixtures("redis")]

VIEW = {
    "south": 40,
    "north": 50,
    "west": -30,
    "east": -10,
    "step": 5,
    "time": "2026-03-01T06:00:00Z",
}


def address(**changes: object) -> str:
    pairs = (f"{name}={value}" for name, value in (VIEW | changes).items())
    return f"/chart-weather?{'&'.join(pairs)}"


@pytest.mark.usefixtures("climatology")
def test_a_view_is_given_in_whole_numbers_row_by_row(browser: Browser) -> None:
    drawn = browser.get(address()).get_json()
    assert drawn["lats"] == [50, 45, 40]
    assert drawn["lngs"] == [-30, -25, -20, -15, -10]
    # the made climatology: 1 m of waves, 5 m/s of wind and 0.1 m/s of current towards the east
    assert drawn["waveCm"] == [100] * 15
    assert set(drawn["windUKn"]) == {10}
    assert set(drawn["windVKn"]) == {0}
    assert set(drawn["currentUDkn"]) == {2}
    groups = ("wave", "wind", "current", "pressure", "swell")
    assert drawn["sources"] == dict.fromkeys(groups)
    assert drawn["waveFromDeg"] == [drawn["waveFromDeg"][0]] * 15
    # the made climatology knows no pressure, and none tells swell from wind sea
    assert drawn["pressureDhPa"] == []
    assert drawn["swellCm"] == drawn["swellFromDeg"] == []


@pytest.mark.usefixtures("climatology")
def test_swell_is_offered_and_drawn_while_a_forecast_holds_it(
    app: Flask, browser: Browser, tmp_path: Path
) -> None:
    without = browser.get("/").get_data(as_text=True)
    assert "Swell: not in the stored forecasts" in without
    assert 'name="weather-swell"' not in without
    reference = datetime(2026, 3, 1, tzinfo=UTC)
    messages = [
        grib2(name, np.full((37, 72), value), hour, reference=reference)
        for hour in (0, 12)
        for name, value in (("shts", 1.5), ("mdts", 250.0))
    ]
    file = write(tmp_path / "swell.grib2", messages)
    said = app.test_cli_runner().invoke(args=["weather", "import", "--source", "made", str(file)])
    assert said.exit_code == 0, said.output
    assert 'name="weather-swell"' in browser.get("/").get_data(as_text=True)
    drawn = browser.get(address()).get_json()
    assert drawn["swellCm"] == [150] * 15
    assert drawn["swellFromDeg"] == [250] * 15
    assert drawn["sources"]["swell"]["issuedAt"] == "2026-03-01T00:00:00Z"
    # past its end a forecast says nothing of swell
    assert browser.get(address(time="2026-03-01T13:00:00Z")).get_json()["swellCm"] == []


@pytest.mark.usefixtures("climatology")
def test_a_view_across_the_antimeridian_runs_on(browser: Browser) -> None:
    assert browser.get(address(west=170, east=190)).get_json()["lngs"] == [170, 175, 180, 185, 190]


@pytest.mark.usefixtures("climatology")
def test_only_the_browser_caches_a_view(browser: Browser) -> None:
    kept = browser.get(address()).headers["Cache-Control"]
    assert "private" in kept
    assert "max-age=900" in kept


@pytest.mark.parametrize(
    "wrong",
    [{"time": "soon"}, {"south": "nan"}, {"step": 0}, {"east": 900}, {"north": 30}, {"more": 1}],
)
@pytest.mark.usefixtures("climatology")
def test_a_view_that_is_none_is_refused_at_its_field(
    browser: Browser, wrong: dict[str, object]
) -> None:
    refused = browser.http.get(address(**wrong))
    assert refused.status_code == 422
    assert refused.get_json()["errors"][0]["pointer"] == f"/{next(iter(wrong))}"


def test_without_weather_the_chart_says_so(browser: Browser) -> None:
    answer = browser.http.get(address())
    assert answer.status_code == 503
    assert "no weather" in answer.get_json()["detail"]


def test_weather_is_for_those_who_have_signed_in(app: Flask) -> None:
    assert Browser(app).http.get(address()).status_code == 401


@pytest.mark.usefixtures("climatology")
@pytest.mark.parametrize("time", ["0001-01-01T00:00:00%2B14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_beyond_the_calendar_is_refused(browser: Browser, time: str) -> None:
    assert browser.get(address(time=time)).status_code == 422
