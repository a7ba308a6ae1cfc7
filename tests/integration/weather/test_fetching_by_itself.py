"""Automatic fetching of forecasts by workers: fallback between sources, delayed retries."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from errno import ENOSPC
from itertools import chain, repeat
from pathlib import Path

import pytest
from flask import Flask
from redis import Redis

from app import jobs
from app.datasources.stored_files import hold_lock
from app.datasources.weather import fetching, member_fetching
from app.services.platform import queue
from app.services.platform.time_limit import time_limit
from app.services.weather import weather, weather_intake
from tests.integration.client import ApiClient
from tests.integration.weather.test_store_and_service import age, forecast_file, run
from tests.unit.datasources.weather.making import write
from tests.unit.datasources.weather.serving import Faults, serving
from tests.unit.datasources.weather.test_fetching import ecmwf, noaa
from tests.unit.datasources.weather.test_member_fetching import gefs
from tests.unit.datasources.weather.test_member_importing import control

#: A port that nobody listens on.
NOWHERE = "http://127.0.0.1:1"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """No centre answers, and forecasts reach six hours."""
    for module, name in (
        (fetching, "ECMWF_URL"),
        (fetching, "NOAA_URL"),
        (member_fetching, "ECMWF_URL"),
        (member_fetching, "GEFS_URL"),
    ):
        monkeypatch.setattr(module, name, NOWHERE)
    monkeypatch.setattr(weather_intake, "FORECAST_H", 6)
    for name in (
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)


def newest_cycle() -> datetime:
    now = datetime.now(UTC)
    return now.replace(hour=now.hour - now.hour % 6, minute=0, second=0, microsecond=0)


@contextmanager
def gfs_answering(monkeypatch: pytest.MonkeyPatch, reference: datetime) -> Iterator[Faults]:
    with serving(noaa(6, reference)) as (url, faults):
        monkeypatch.setattr(fetching, "NOAA_URL", url)
        yield faults


def test_without_a_network_one_line_says_so_and_the_climatology_speaks(
    context: Flask,
    planner: ApiClient,
    climatology: Path,
    redis: Redis,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO):
        jobs.fetch_weather("auto")
    (record,) = [r for r in caplog.records if r.name.startswith("app.")]
    assert record.levelname == "WARNING"
    expected = "no forecast was fetched (ecmwf: 127.0.0.1:1 does not answer; gfs: 127.0.0.1:1"
    assert record.getMessage().startswith(expected)
    assert record.getMessage().endswith("next try in 1 h")
    point = planner.get("/weather/point?lat=50&lng=-20&time=2026-04-01T12:00:00Z").get_json()
    assert set(point["sources"].values()) == {"CLIMATOLOGY"}


def test_after_each_failure_the_next_try_waits_longer(
    context: Flask, climatology: Path, redis: Redis
) -> None:
    waits = []
    for _ in range(5):
        redis.delete("chartroom:weather-put-off")
        jobs.fetch_weather("auto")
        waits.append(int(redis.ttl("chartroom:weather-put-off")))  # type: ignore[arg-type]
    assert waits == pytest.approx([3600, 7200, 14400, 21600, 21600], abs=60)


def test_a_fetch_that_is_put_off_is_not_queued(
    context: Flask, climatology: Path, redis: Redis
) -> None:
    jobs.fetch_weather("auto")
    queue.enqueue_weather("auto")
    assert queue.weather_queue().job_ids == []
    queue.forget_weather_failures()
    queue.enqueue_weather("auto")
    assert queue.weather_queue().job_ids == ["weather_auto"]


def test_gfs_is_taken_where_ecmwf_does_not_answer(
    context: Flask,
    planner: ApiClient,
    climatology: Path,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jobs.fetch_weather("auto")
    with gfs_answering(monkeypatch, newest_cycle()):
        jobs.fetch_weather("auto")
    (item,) = planner.get("/weather/runs").get_json()["items"]
    assert item["source"] == "gfs"
    assert not redis.exists("chartroom:weather-put-off")


def test_no_other_source_is_taken_while_an_operator_fetches_the_first(
    context: Flask,
    planner: ApiClient,
    climatology: Path,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        gfs_answering(monkeypatch, newest_cycle()),
        hold_lock(climatology.parent / ".fetching-ecmwf"),
    ):
        jobs.fetch_weather("auto")
    assert planner.get("/weather/runs").get_json()["items"] == []
    assert not redis.exists("chartroom:weather-put-off")


def test_gfs_is_taken_where_ecmwf_takes_too_long(
    context: Flask,
    planner: ApiClient,
    climatology: Path,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    files = ecmwf(midnight, 6)
    limits_s = chain([2.0], repeat(weather_intake._LONGEST_FETCH_S))
    monkeypatch.setattr(weather_intake, "time_limit", lambda _: time_limit(next(limits_s)))
    with gfs_answering(monkeypatch, newest_cycle()), serving(files) as (url, faults):
        faults.slow_s = 20.0
        faults.slow |= dict.fromkeys(files, 9)
        monkeypatch.setattr(fetching, "ECMWF_URL", url)
        jobs.fetch_weather("auto")
    (item,) = planner.get("/weather/runs").get_json()["items"]
    assert item["source"] == "gfs"


def test_gfs_is_taken_where_ecmwf_fails_in_a_way_that_nobody_foresaw(
    context: Flask,
    planner: ApiClient,
    climatology: Path,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise PermissionError("downloads")

    monkeypatch.setattr(fetching, "fetch_ecmwf", fail)
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    with gfs_answering(monkeypatch, newest_cycle()), serving(ecmwf(midnight, 6)) as (url, _):
        monkeypatch.setattr(fetching, "ECMWF_URL", url)
        jobs.fetch_weather("auto")
    (item,) = planner.get("/weather/runs").get_json()["items"]
    assert item["source"] == "gfs"


def test_ecmwf_is_taken_where_both_answer(
    context: Flask,
    planner: ApiClient,
    climatology: Path,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    with gfs_answering(monkeypatch, newest_cycle()), serving(ecmwf(midnight, 6)) as (url, _):
        monkeypatch.setattr(fetching, "ECMWF_URL", url)
        jobs.fetch_weather("auto")
    (item,) = planner.get("/weather/runs").get_json()["items"]
    assert item["source"] == "ecmwf"


def test_gfs_goes_on_from_gfs_while_ecmwf_has_only_an_older_run(
    app: Flask,
    context: Flask,
    planner: ApiClient,
    climatology: Path,
    redis: Redis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    path = forecast_file(tmp_path / "f.grib2", 9.0, midnight)
    run(app, "import", "--source", "gfs", str(path))
    monkeypatch.setattr(weather, "FRESH_FOR", timedelta(0))
    later = midnight + timedelta(hours=6)
    monkeypatch.setattr(weather_intake, "utc_now", lambda: later + timedelta(hours=5))
    with gfs_answering(monkeypatch, later), serving(ecmwf(midnight, 6)) as (url, _):
        monkeypatch.setattr(fetching, "ECMWF_URL", url)
        jobs.fetch_weather("auto")
    items = planner.get("/weather/runs").get_json()["items"]
    assert [item["source"] for item in items] == ["gfs", "gfs"]


def test_a_run_that_is_there_is_not_downloaded_again_while_the_next_is_late(
    app: Flask,
    context: Flask,
    climatology: Path,
    redis: Redis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    old = newest_cycle() - timedelta(hours=12)
    path = forecast_file(tmp_path / "f.grib2", 9.0, old)
    run(app, "import", "--source", "gfs", str(path))
    with gfs_answering(monkeypatch, old) as faults, caplog.at_level(logging.INFO):
        assert weather_intake.fetch_if_due("gfs") is None
    assert not [path for _, path, span in faults.requests if span]
    assert f"the newest run of gfs is still that of {old:%Y-%m-%d %H:%MZ}" in caplog.text
    assert not redis.exists("chartroom:weather-put-off")


def test_a_full_disk_is_stated_and_old_runs_make_room(
    app: Flask,
    context: Flask,
    climatology: Path,
    redis: Redis,
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = forecast_file(tmp_path / "f.grib2", 9.0, newest_cycle() - timedelta(days=40))
    run(app, "import", "--source", "gfs", str(path))
    age(database_url, 31)

    def refuse(*_file: int) -> None:
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with gfs_answering(monkeypatch, newest_cycle()):
        assert weather_intake.fetch_if_due("gfs") is None
    runs = climatology.parent / "runs"
    assert f"No weather can be stored in {runs}: No space left on device. See" in caplog.text
    assert redis.exists("chartroom:weather-put-off")
    assert not any(runs.iterdir())


def test_members_that_appear_late_join_their_run_at_a_later_fetch(
    app: Flask,
    planner: ApiClient,
    climatology: Path,
    redis: Redis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    reference = newest_cycle()
    path = write(tmp_path / "c.grib2", control(reference=reference))
    run(app, "import", "--source", "gfs", str(path))
    state = app.extensions["chartroom"]
    settings = replace(state.settings, weather_ensemble="gefs", weather_members=4)
    monkeypatch.setitem(app.extensions, "chartroom", replace(state, settings=settings))
    with app.app_context():
        with serving({}) as (url, _):
            monkeypatch.setattr(member_fetching, "GEFS_URL", url)
            assert weather_intake.fetch_if_due("gfs") is None
        assert "no members were fetched: Members of gfs-" in caplog.text
        with serving(gefs(range(1, 5), reference=reference)) as (url, _):
            monkeypatch.setattr(member_fetching, "GEFS_URL", url)
            with caplog.at_level(logging.INFO):
                report = weather_intake.fetch_if_due("gfs")
        assert report is not None
        assert "4 members joined gfs-" in caplog.text
        assert weather_intake.fetch_if_due("gfs") is None
    (item,) = planner.get("/weather/runs").get_json()["items"]
    assert item["members"] == [1, 2, 3, 4]
