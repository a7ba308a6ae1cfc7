"""Machines share weather through a bucket: each plans with runs that another has imported."""

import logging
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import obstore
import psycopg
import pytest
from flask import Flask
from obstore.store import S3Store

from app import create_app
from app.config import Settings
from app.engine.request import Position
from app.models import WeatherRunRecord
from app.services.chartings import charting_runs
from app.services.platform.sessions import installation_session
from app.services.upkeep import doctor
from app.services.weather import local_runs, weather, weather_bucket
from app.services.weather.local_runs import WeatherUnavailable
from tests.integration.client import ApiClient
from tests.integration.weather.test_store_and_service import START, age, forecast_file, run
from tests.s3_server import BUCKET, list_objects, make_bucket, serving_s3, store_of
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("atlas", "climatology", "nothing_waits")

ENDS = Position(48.0, -10.0), Position(50.0, -40.0)

Machine = Callable[..., Flask]


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_s3(tmp_path_factory.mktemp("s3") / "log") as url:
        yield url


@pytest.fixture
def objects(endpoint: str) -> Iterator[S3Store]:
    """List the contents of a new bucket."""
    make_bucket(endpoint)
    store = store_of(endpoint)
    yield store
    if left := list_objects(store):
        obstore.delete(store, left)


@pytest.fixture
def machine(
    settings: Settings, climatology: Path, endpoint: str, objects: S3Store, tmp_path: Path
) -> Iterator[Machine]:
    """Machines with a store of their own, by name, that share a bucket."""
    made: list[Flask] = []

    def make(name: str, **changes: Any) -> Flask:
        folder = tmp_path / name
        if not folder.exists():
            shutil.copytree(climatology, folder / "climatology")
        of_its_own = {
            "process_role": "worker",
            "weather_dir": folder,
            "weather_bucket": BUCKET,
            "weather_s3_endpoint": endpoint,
        }
        made.append(create_app(replace(settings, **(of_its_own | changes))))
        return made[-1]

    yield make
    for app in made:
        app.extensions["chartroom"].close()


@pytest.fixture
def taken_in(machine: Machine, tmp_path: Path) -> Flask:
    """A machine that has taken in a forecast."""
    first = machine("first")
    run(first, "import", str(forecast_file(tmp_path / "f.grib2", 12.0)))
    return first


def plan_on(worker: Flask, charting_id: str) -> None:
    with worker.app_context():
        charting_runs.run(UUID(charting_id), 1)


def run_names(planner: ApiClient, charting_id: str) -> list[str]:
    charting = planner.get(f"/charting/{charting_id}").get_json()
    assert charting["status"] == "COMPLETED", charting
    return [name.split("-")[0] for name in charting["provenance"]["weatherRuns"]]


def test_a_worker_plans_in_a_run_that_another_machine_took_in(
    planner: ApiClient, taken_in: Flask, machine: Machine
) -> None:
    charting_id = planner.order()["id"]
    plan_on(machine("second"), charting_id)
    assert run_names(planner, charting_id) == ["file", "climatology"]


def test_every_machine_chooses_the_same_runs_before_it_has_any(
    taken_in: Flask, machine: Machine, tmp_path: Path
) -> None:
    newer = START + timedelta(hours=6)
    run(taken_in, "import", str(forecast_file(tmp_path / "r.grib2", 9.0, newer, is_regional=True)))

    def choose(app: Flask) -> dict[str, str]:
        with app.app_context(), installation_session() as session:
            chosen = weather.choose_records(session, newer, newer + timedelta(hours=30))
        return {group: record.name for group, record in chosen.items()}

    assert choose(machine("second")) == choose(taken_in)


@pytest.mark.parametrize("fault", ["bucket away", "object damaged"])
def test_what_a_worker_has_no_weather_for_is_left_to_another(
    planner: ApiClient,
    taken_in: Flask,
    machine: Machine,
    objects: S3Store,
    fault: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    charting_id = planner.order()["id"]
    away = {"weather_s3_endpoint": "http://127.0.0.1:1"} if fault == "bucket away" else {}
    (block,) = (key for key in list_objects(objects) if key.endswith("/wind-wave.npy"))
    if fault == "object damaged":
        obstore.put(objects, block, b"no weather")
    with (
        caplog.at_level(logging.WARNING),
        pytest.raises(WeatherUnavailable, match="file-20260301T06Z-"),
    ):
        plan_on(machine("second", **away), charting_id)
    if fault == "object damaged":
        assert f"{BUCKET}/{block} is damaged" in caplog.text
    charting = planner.get(f"/charting/{charting_id}").get_json()
    assert charting["status"] == "QUEUED"
    plan_on(taken_in, charting_id)
    assert run_names(planner, charting_id) == ["file", "climatology"]


def test_an_order_that_no_machine_has_the_weather_for_is_planned_without_in_the_end(
    planner: ApiClient, taken_in: Flask, machine: Machine, database_url: str
) -> None:
    charting_id = planner.order()["id"]
    with psycopg.connect(database_url) as database:
        database.execute("UPDATE charting_revision SET queued_at = now() - interval '6 minutes'")
    plan_on(machine("second", weather_s3_endpoint="http://127.0.0.1:1"), charting_id)
    assert run_names(planner, charting_id) == ["climatology"]


def test_a_web_process_shows_the_climatology_until_it_has_fetched_a_run(
    planner: ApiClient, taken_in: Flask, machine: Machine
) -> None:
    web = ApiClient(machine("web", process_role="web").test_client(), planner.key)

    def source() -> str:
        point = web.get("/weather/point?lat=50&lng=-20&time=2026-03-01T12:00:00Z").get_json()
        found: str = point["sources"]["wind"]
        return found

    assert source() == "CLIMATOLOGY"
    wait_until(lambda: source() == "FORECAST", "forecast that was fetched")


def test_a_run_that_is_catalogued_during_a_fetch_is_fetched_too(
    taken_in: Flask, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = forecast_file(tmp_path / "n.grib2", 9.0, START + timedelta(hours=1))
    fetch = weather_bucket.fetch

    def import_first(record: WeatherRunRecord, *arguments: Any) -> bool:
        monkeypatch.setattr(weather_bucket, "fetch", fetch)
        run(taken_in, "import", str(newer))
        return fetch(record, *arguments)

    monkeypatch.setattr(weather_bucket, "fetch", import_first)
    with machine("second").app_context():
        local_runs.fetch_runs(START, START + timedelta(hours=30), ENDS)
    assert len(list((tmp_path / "second" / "runs").glob("file-*"))) == 2


def test_opening_weather_in_a_worker_fetches_nothing(
    taken_in: Flask, machine: Machine, tmp_path: Path
) -> None:
    with machine("second").app_context(), installation_session() as session:
        assert len(weather.get_field(session, START, START).run_names) == 1
    assert not (tmp_path / "second" / "runs").exists()


@pytest.mark.parametrize("in_use", [True, False])
def test_publishing_again_changes_neither_members_nor_retirement(
    taken_in: Flask, database_url: str, in_use: bool, caplog: pytest.LogCaptureFixture
) -> None:
    change = "members = '{7}'" if in_use else "retired_at = now()"
    update = f"UPDATE weather_run SET {change}"  # noqa: S608
    read = "SELECT members, retired_at, published_sha256 FROM weather_run"
    with psycopg.connect(database_url) as database:
        database.execute(update)
        before = database.execute(read).fetchall()
    with caplog.at_level(logging.WARNING):
        assert run(taken_in, "publish") == ""
    assert ("has other members" in caplog.text) == in_use
    with psycopg.connect(database_url) as database:
        assert database.execute(read).fetchall() == before


def test_members_are_not_downloaded_for_a_run_that_cannot_be_fetched(
    taken_in: Flask, machine: Machine, objects: S3Store, database_url: str
) -> None:
    with psycopg.connect(database_url) as database:
        database.execute("UPDATE weather_run SET source = 'gfs'")
    (block,) = (key for key in list_objects(objects) if key.endswith("/wind-wave.npy"))
    obstore.put(objects, block, b"no weather")
    command = machine("command", process_role="web").test_cli_runner()
    result = command.invoke(
        args=["weather", "fetch", "gfs", "--members", "2", "--url", "http://127.0.0.1:1"]
    )
    assert result.exit_code == 1
    assert "is unavailable on this machine" in result.output


def test_a_run_that_another_process_removes_too_is_no_fault(
    taken_in: Flask, machine: Machine, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose_the_race(folder: Path) -> None:
        shutil.rmtree(folder)
        raise FileNotFoundError(folder)

    monkeypatch.setattr("app.datasources.weather.store.remove_run", lose_the_race)
    with psycopg.connect(database_url) as database:
        database.execute("UPDATE weather_run SET retired_at = now()")
    with taken_in.app_context():
        local_runs.remove_retired()
        assert not list(weather.runs_folder().glob("[!.]*"))


def test_a_run_that_cannot_be_published_is_not_in_the_catalogue(
    planner: ApiClient, machine: Machine, tmp_path: Path
) -> None:
    path = str(forecast_file(tmp_path / "f.grib2", 12.0))
    alone = machine("first", weather_s3_endpoint="http://127.0.0.1:1")
    result = alone.test_cli_runner().invoke(args=["weather", "import", path])
    assert result.exit_code == 1
    assert "was not published" in result.output
    assert planner.get("/weather/runs").get_json()["total"] == 0
    run(machine("first"), "import", path)
    assert planner.get("/weather/runs").get_json()["total"] == 1


def test_a_retired_run_leaves_the_bucket_and_the_other_machines(
    planner: ApiClient,
    taken_in: Flask,
    machine: Machine,
    objects: S3Store,
    database_url: str,
    tmp_path: Path,
) -> None:
    second = machine("second")
    plan_on(second, planner.order()["id"])
    assert list((tmp_path / "second" / "runs").glob("file-*"))
    age(database_url, 31)
    assert run(taken_in, "prune", "--planned-days", "1").startswith("removed file-")
    assert list_objects(objects) == []
    plan_on(second, planner.order()["id"])
    assert not list((tmp_path / "second" / "runs").glob("file-*"))


def test_pruning_takes_runs_that_another_machine_retired_from_the_store(
    taken_in: Flask, machine: Machine, database_url: str, tmp_path: Path
) -> None:
    second = machine("second", process_role="web")
    shutil.copytree(tmp_path / "first" / "runs", tmp_path / "second" / "runs")
    (name,) = (path.name for path in (tmp_path / "second" / "runs").glob("file-*"))
    (tmp_path / "second" / "runs" / f".fetching-{name}").mkdir()
    age(database_url, 31)
    run(taken_in, "prune", "--planned-days", "1")
    assert run(second, "prune") == ""
    assert not list((tmp_path / "second" / "runs").glob(f"*{name}"))


def test_the_doctor_reports_a_bucket_that_is_away_and_an_index_that_is_damaged(
    taken_in: Flask, machine: Machine, objects: S3Store
) -> None:
    def look(app: Flask) -> list[tuple[str, str, str]]:
        with app.app_context():
            return [(found.level, found.words, found.remedy) for found in doctor.PARTS["bucket"]()]

    assert look(taken_in) == [("good", f"{BUCKET} answers, every index right", "")]
    ((level, words, remedy),) = look(machine("x", weather_s3_endpoint="http://127.0.0.1:1"))
    assert (level, words.startswith("cannot be reached: runs: ")) == ("FAULT", True)
    assert "WEATHER_S3_ENDPOINT" in remedy
    (index,) = (key for key in list_objects(objects) if "/index-" in key)
    obstore.put(objects, index, b"")
    ((level, words, remedy),) = look(taken_in)
    assert (level, f"{BUCKET}/{index} is damaged" in words) == ("FAULT", True)
    assert "weather publish" in remedy
    assert run(taken_in, "publish").startswith("published file-")
    assert [level for level, _, _ in look(taken_in)] == ["good"]


def test_without_a_bucket_the_doctor_says_nothing_of_one(context: Flask) -> None:
    assert list(doctor.PARTS["bucket"]()) == []
