"""Weather known since is, at any time, that of the newest run that covers it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.weather import (
    Group,
    RegularGrid,
    WeatherField,
    WeatherRun,
    layer_from_values,
    splicing,
)
from app.engine.weather.splicing import splice
from tests.unit.engine.weather.seas import EPOCH_H, uniform_climatology

WORLD = RegularGrid(-90.0, 2.0, 91, 0.0, 2.0, 180)
REGION = RegularGrid(30.0, 2.0, 21, 310.0, 2.0, 31)
#: Begins a day before the first run and ends days after the last.
SPAN_H = (EPOCH_H - 24.0, EPOCH_H + 480.0)
CLIMATOLOGY = uniform_climatology()


def make_run(
    name: str, begins_h: float, lasts_h: float, grid: RegularGrid = WORLD, every_h: float = 6.0
) -> WeatherRun:
    """Wind that differs in space and time, and from run to run."""
    times_h = EPOCH_H + begins_h + np.arange(0.0, lasts_h + 1.0, every_h)
    random = np.random.default_rng(abs(hash((begins_h, lasts_h))) % 1000)
    shape = (times_h.size, grid.n_lat, grid.n_lng, 2)
    return WeatherRun(
        name, {Group.WIND: layer_from_values(Group.WIND, grid, times_h, random.normal(size=shape))}
    )


def sail(grid: RegularGrid = WORLD, lng: float = -40.0) -> tuple[np.ndarray, np.ndarray]:
    """Return a track eastward for 30 degrees."""
    lngs = (lng + np.arange(0.0, 31.0) + 180.0) % 360.0 - 180.0
    return np.full(lngs.size, 45.0), lngs


def sample(run: WeatherRun, lats: np.ndarray, lngs: np.ndarray, time_h: float) -> np.ndarray:
    met = WeatherField(CLIMATOLOGY, [run]).sample(lats, lngs, time_h)
    return np.stack([met.wind_speed_ms, met.wind_from_deg, met.wind_weight])


@pytest.mark.parametrize("lng", [-40.0, 165.0, -15.0], ids=["Atlantic", "date line", "Greenwich"])
@pytest.mark.parametrize("grid", [WORLD, REGION], ids=["world", "region"])
def test_each_time_is_of_the_newest_run_that_covers_it(grid: RegularGrid, lng: float) -> None:
    runs = [make_run(name, 24.0 * day, 240.0, grid) for day, name in enumerate("abcd")]
    lats, lngs = sail(grid, lng)
    spliced = splice(runs[::-1], Group.WIND, SPAN_H, lats, lngs)
    if grid is REGION and lng == 165.0:
        assert spliced == []
        return
    assert [run.spliced for run in spliced] == [("a", "b", "c", "d")]
    for begun, run in enumerate(runs):
        for hour in (0.0, 4.0, 18.0):  # no later: two runs are blended between their steps
            time_h = EPOCH_H + 24.0 * begun + hour
            expected = sample(run, lats, lngs, time_h)
            assert sample(spliced[0], lats, lngs, time_h) == pytest.approx(expected, abs=1e-9)


def test_an_older_run_that_lasts_longer_counts_after_the_newer_one() -> None:
    long, short = make_run("long", 0.0, 240.0), make_run("short", 48.0, 24.0)
    lats, lngs = sail()
    (spliced,) = splice([short, long], Group.WIND, SPAN_H, lats, lngs)
    for hour, run in ((30.0, long), (60.0, short), (200.0, long)):
        time_h = EPOCH_H + hour
        assert np.array_equal(sample(spliced, lats, lngs, time_h), sample(run, lats, lngs, time_h))


def test_an_older_run_fills_a_gap_between_the_steps_of_a_newer_one() -> None:
    whole = make_run("whole", 0.0, 240.0)
    layer = make_run("torn", 48.0, 96.0).layers[Group.WIND]
    is_kept = np.abs(np.arange(len(layer.times_h)) - 8) > 3  # none from 78 to 114 h
    times_h = tuple(np.array(layer.times_h)[is_kept])
    torn = WeatherRun(
        "torn", {Group.WIND: replace(layer, times_h=times_h, source=layer.source[is_kept])}
    )
    lats, lngs = sail()
    (spliced,) = splice([torn, whole], Group.WIND, SPAN_H, lats, lngs)
    for hour, run in ((66.0, torn), (84.0, whole), (90.0, whole), (120.0, torn)):
        time_h = EPOCH_H + hour
        assert np.array_equal(sample(spliced, lats, lngs, time_h), sample(run, lats, lngs, time_h))


def test_only_the_sea_around_the_places_and_the_times_of_the_span_are_kept() -> None:
    lats, lngs = sail()
    span_h = (EPOCH_H + 10.0, EPOCH_H + 50.0)
    (spliced,) = splice([make_run("a", 0.0, 240.0)], Group.WIND, span_h, lats, lngs)
    layer = spliced.layers[Group.WIND]
    assert layer.times_h == tuple(EPOCH_H + np.arange(12.0, 49.0, 6.0))
    assert layer.grid.bounds == (40.0, -46.0, 50.0, -4.0)


def test_a_run_outside_the_span_gives_nothing() -> None:
    lats, lngs = sail()
    assert splice([make_run("a", 500.0, 24.0)], Group.WIND, SPAN_H, lats, lngs) == []
    assert splice([], Group.WIND, SPAN_H, lats, lngs) == []


def test_steps_that_would_not_fit_into_memory_are_left_out_evenly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lats, lngs = sail()
    run = make_run("a", 0.0, 240.0, every_h=1.0)
    (whole,) = splice([run], Group.WIND, SPAN_H, lats, lngs)
    size = 4 * whole.layers[Group.WIND].grid.n_cell
    for most, longest_h in ((100, 3.0), (5, 12.0)):
        monkeypatch.setattr(splicing, "_MOST_BYTES", most * size)
        (thinned,) = splice([run], Group.WIND, SPAN_H, lats, lngs)
        times_h = np.array(thinned.layers[Group.WIND].times_h)
        assert (times_h[0], times_h[-1]) == (EPOCH_H, EPOCH_H + 240.0)
        # a wider gap between two steps would count as no forecast
        assert np.diff(times_h).max() == longest_h


@settings(max_examples=30, deadline=None)
@given(
    st.floats(-180.0, 180.0),
    st.floats(0.0, 400.0),
    st.floats(-89.0, 89.0),
    st.sampled_from([0.0, -180.0, 20.0]),
)
def test_a_window_of_the_world_has_the_weather_of_the_world(
    lng: float, eastward: float, lat: float, lng_first: float
) -> None:
    world = RegularGrid(-90.0, 5.0, 37, lng_first, 5.0, 72)
    run = make_run("a", 0.0, 12.0, world)
    lngs = (lng + np.arange(0.0, eastward + 1.0, 10.0) + 180.0) % 360.0 - 180.0
    lats = np.full(lngs.size, lat)
    (spliced,) = splice([run], Group.WIND, SPAN_H, lats, lngs)
    expected = sample(run, lats, lngs, EPOCH_H + 4.0)
    assert sample(spliced, lats, lngs, EPOCH_H + 4.0) == pytest.approx(expected, abs=1e-9)
