"""Weather imported by commands, served by the API, used by plans."""

import os
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from flask import Flask
from redis import Redis
from sqlalchemy import select, update

from app.datasources.stored_files import hold_lock
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.request import Position
from app.models import WeatherRunRecord
from app.services.chartings import charting_runs
from app.services.platform import queue
from app.services.platform.sessions import installation_session
from app.services.weather import in_force, known_since, weather, weather_bucket, weather_status
from app.services.weather.run_areas import Ends
from tests.integration.client import CHARTING, ApiClient
from tests.unit.datasources.weather.making import grib2, write
from tests.unit.datasources.weather.serving import serving
from tests.unit.datasources.weather.test_fetching import noaa

#: The charting's own start, so that forecasts cover it.
START = datetime(2026, 3, 1, 6, tzinfo=UTC)
ENDS = Position(0.0, 0.0), Position(0.0, 10.0)


def forecast_file(
    path: Path,
    speed_ms: float,
    reference: datetime = START,
    *,
    is_regional: bool = False,
    west: float | None = None,
    hours: Sequence[int] = (0, 12, 24, 36, 48),
) -> Path:
    """A forecast of the world, or of the seas about western Europe, or from ``west`` on, alone."""
    shape, edges = (37, 72), {}
    if is_regional or west is not None:
        shape, edges = (9, 9), {"south": 30.0, "west": 330.0 if west is None else west}
    fields = [("10u", speed_ms), ("10v", 0.0), ("swh", 2.5), ("pp1d", 8.0), ("mwd", 270.0)]
    messages = [
        grib2(name, np.full(shape, value), hour, reference=reference, **edges)
        for hour in hours
        for name, value in fields
    ]
    return write(path, messages)


def run(app: Flask, *arguments: str) -> str:
    result = app.test_cli_runner().invoke(args=["weather", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_an_imported_file_is_listed_and_answers_for_a_point(
    app: Flask, planner: ApiClient, climatology: Path, tmp_path: Path
) -> None:
    said = run(app, "import", "--source", "made", str(forecast_file(tmp_path / "f.grib2", 12.0)))
    assert "wind, wave" in said
    runs = planner.get("/weather/runs").get_json()
    assert runs["total"] == 1
    assert runs["items"][0]["name"].startswith("made-20260301T06Z-")
    assert runs["items"][0]["name"] in run(app, "list")
    point = planner.get("/weather/point?lat=50&lng=340&time=2026-03-01T12:00:00Z").get_json()
    assert point["lng"] == -20.0
    assert point["windSpeedMs"] == pytest.approx(12.0, abs=0.01)
    assert point["waveHeightM"] == pytest.approx(2.5, abs=0.01)
    assert point["sources"] == {"wave": "FORECAST", "wind": "FORECAST", "current": "CLIMATOLOGY"}
    assert point["weatherRuns"][0] == runs["items"][0]["name"]


def test_a_point_on_land_has_wind_but_neither_waves_nor_current(
    planner: ApiClient, climatology: Path, atlas: Path
) -> None:
    paris = planner.get("/weather/point?lat=48.85&lng=2.35&time=2026-03-01T12:00:00Z").get_json()
    assert paris["windSpeedMs"] == pytest.approx(5.0, abs=0.01)
    waves = ("waveHeightM", "wavePeriodS", "waveDirDeg")
    assert {paris[name] for name in (*waves, "currentSpeedKn", "currentDirDeg")} == {None}
    assert paris["sources"] == {"wave": None, "wind": "CLIMATOLOGY", "current": None}


def test_a_chart_is_given_row_by_row_from_the_north_west(
    planner: ApiClient, climatology: Path
) -> None:
    part = "south=10&north=20&west=175&east=190&step=5"
    chart = planner.get(f"/weather/grid?{part}&time=2026-03-01T12:00:00Z").get_json()
    assert chart["lats"] == [20.0, 15.0, 10.0]
    assert chart["lngs"] == [175.0, 180.0, 185.0, 190.0]
    assert len(chart["windU"]) == 12
    assert chart["windU"][0] == pytest.approx(5.0, abs=0.01)
    assert chart["waveDirDeg"][5] == 270.0
    assert chart["sources"]["wave"] == "CLIMATOLOGY"


@pytest.mark.parametrize(
    ("part", "pointer", "detail"),
    [
        ("south=20&north=10&west=0&east=9", "/north", "10 is south of south, 20. Give 20 or more."),
        (
            *("south=40&north=50&west=170&east=-170&step=5", "/east"),
            "-170 is not east of west, 170. Across 180° give 190.",
        ),
        (
            *("south=-90&north=90&west=-180&east=180&step=0.2", "/step"),
            "1622701 points; at most 20000.",
        ),
    ],
)
def test_a_chart_of_nothing_or_too_much_is_refused(
    planner: ApiClient, climatology: Path, part: str, pointer: str, detail: str
) -> None:
    answer = planner.get(f"/weather/grid?{part}&time=2026-03-01T12:00:00Z")
    assert answer.status_code == 422
    assert answer.get_json()["errors"] == [{"pointer": pointer, "detail": detail}]


def test_beyond_the_forecast_a_point_is_climatology(
    app: Flask, planner: ApiClient, climatology: Path, tmp_path: Path
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "f.grib2", 12.0)))
    point = planner.get("/weather/point?lat=50&lng=-20&time=2026-04-01T12:00:00Z").get_json()
    assert point["windSpeedMs"] == pytest.approx(5.0, abs=0.01)
    assert set(point["sources"].values()) == {"CLIMATOLOGY"}


@pytest.mark.parametrize(
    "query", ["lat=91&lng=0&time=2026-03-01T12:00:00Z", "lat=0&lng=0&time=2026-03-01T12:00:00", ""]
)
def test_a_point_that_is_nowhere_is_refused(
    planner: ApiClient, climatology: Path, query: str
) -> None:
    assert planner.get(f"/weather/point?{query}").status_code == 422


def test_without_a_climatology_a_point_is_unavailable(planner: ApiClient) -> None:
    assert planner.get("/weather/point?lat=0&lng=0&time=2026-03-01T12:00:00Z").status_code == 503


def test_what_cannot_be_taken_is_reported_and_nothing_is_stored(
    app: Flask, planner: ApiClient, climatology: Path, tmp_path: Path
) -> None:
    empty = write(tmp_path / "empty.grib2", [])
    result = app.test_cli_runner().invoke(args=["weather", "import", str(empty)])
    assert result.exit_code == 1
    assert "empty.grib2: the file is empty" in result.output
    assert planner.get("/weather/runs").get_json()["total"] == 0


def test_the_newest_run_is_taken_and_an_old_one_where_it_alone_reaches(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "a.grib2", 8.0, START - timedelta(hours=6))))
    run(app, "import", str(forecast_file(tmp_path / "b.grib2", 9.0, START)))
    with installation_session() as session:
        now = weather.get_field(session, START, START + timedelta(hours=30))
        before = weather.get_field(session, START - timedelta(days=1), START - timedelta(hours=1))
    assert now.sample(0.0, 0.0, START).wind_speed_ms == pytest.approx(9.0, abs=0.01)
    past = before.sample(0.0, 0.0, START - timedelta(hours=3))
    assert past.wind_speed_ms == pytest.approx(8.0, abs=0.01)


def test_a_forecast_counts_from_its_first_step_to_its_last_and_fades_after_it(
    app: Flask, planner: ApiClient, climatology: Path, tmp_path: Path
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "f.grib2", 9.0)))

    def source_after(hours: int) -> str:
        time = f"{START + timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}"
        found = planner.get(f"/weather/point?lat=0&lng=-30&time={time}").get_json()
        return str(found["sources"]["wind"])

    sources = {hours: source_after(hours) for hours in (-12, 0, 24, 48, 60, 72)}
    whole, part, none = "FORECAST", "BLENDED", "CLIMATOLOGY"
    assert sources == {-12: part, 0: whole, 24: whole, 48: whole, 60: part, 72: none}


def test_a_forecast_that_reaches_a_time_comes_before_a_newer_one_that_has_ended(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    long = forecast_file(tmp_path / "a.grib2", 8.0, hours=range(0, 97, 12))
    newer = START + timedelta(hours=6)
    run(app, "import", "--source", "long", str(long))
    run(app, "import", "--source", "short", str(forecast_file(tmp_path / "b.grib2", 9.0, newer)))
    for hours, speed_ms in ((48, 9.0), (60, 8.0)):
        time = START + timedelta(hours=hours)
        with installation_session() as session:
            field = weather.get_field(session, time, time)
        assert field.sample(0.0, 0.0, time).wind_speed_ms == pytest.approx(speed_ms, abs=0.01)


def test_a_hindcast_finds_the_run_of_its_day_and_a_report_the_newest_of_each_time(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    for day in range(-1, 3):  # each later one lacks the days before it
        reference = START + timedelta(days=day)
        path = forecast_file(
            tmp_path / f"{day}.grib2", 9.0 + day, reference, hours=range(0, 241, 24)
        )
        run(app, "import", str(path))
    span = START + timedelta(hours=1), START + timedelta(days=10)
    with installation_session() as session:
        planned = weather.get_field(session, *span)
        known = known_since.find_field(session, *span, ENDS, np.zeros(2), np.array([0.0, 10.0]))
    assert planned.sample(0.0, 0.0, span[0]).wind_speed_ms == pytest.approx(9.0, abs=0.01)
    assert known is not None
    assert len(known.forecast_names) == 4
    for day, speed_ms in ((0, 9.0), (1, 10.0), (2, 11.0), (5, 11.0)):
        met = known.sample(0.0, 0.0, START + timedelta(days=day))
        assert met.wind_speed_ms == pytest.approx(speed_ms, abs=0.01)


def test_an_older_whole_run_is_taken_rather_than_a_newer_one_with_a_gap(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "a.grib2", 8.0, START - timedelta(hours=6))))
    said = run(app, "import", str(forecast_file(tmp_path / "b.grib2", 9.0, hours=(0, 48))))
    assert "wind: no forecast inside a gap of 48 h between steps" in said
    with installation_session() as session:
        field = weather.get_field(session, START, START + timedelta(hours=48))
    assert field.sample(0.0, 0.0, START).wind_speed_ms == pytest.approx(8.0, abs=0.01)


def test_a_newer_regional_run_does_not_take_the_world_from_a_global_one(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "a.grib2", 8.0)))
    newer = START + timedelta(hours=6)
    run(app, "import", str(forecast_file(tmp_path / "b.grib2", 9.0, newer, is_regional=True)))
    with installation_session() as session:
        field = weather.get_field(session, newer, newer + timedelta(hours=30))
    assert field.sample(-30.0, -100.0, newer).wind_speed_ms == pytest.approx(8.0, abs=0.01)
    assert field.regional_bounds == {}


@pytest.mark.parametrize(
    ("ends", "expected_ms"),
    [
        ((Position(48.0, -8.0), Position(43.0, -10.0)), 9.0),
        ((Position(35.0, -15.0), Position(37.0, -75.0)), 8.0),
        ((Position(-30.0, 30.0), Position(5.0, 80.0)), None),
    ],
    ids=["Biscay", "to America", "Indian Ocean"],
)
def test_a_voyage_has_the_regional_run_of_its_own_waters(
    app: Flask, climatology: Path, tmp_path: Path, ends: Ends, expected_ms: float | None
) -> None:
    for name, speed_ms, west in (("europe", 9.0, 330.0), ("atlantic", 8.0, 280.0)):
        hours = START if name == "europe" else START + timedelta(hours=6)
        path = tmp_path / f"{name}.grib2"
        run(app, "import", str(forecast_file(path, speed_ms, hours, west=west)))
    with app.app_context(), installation_session() as session:
        chosen = weather.get_field(session, START, START + timedelta(hours=30), ends)
        assert len(in_force.find_in_force(session, START)) == 2
    at = ends[1].lat, ends[1].lng, START + timedelta(hours=12)
    if expected_ms is None:
        assert chosen.forecasts == []
    else:
        assert chosen.sample(*at).wind_speed_ms == pytest.approx(expected_ms, abs=0.01)


def test_a_plan_names_the_area_of_a_regional_run(
    app: Flask,
    planner: ApiClient,
    plan: Callable[[str, int], None],
    climatology: Path,
    tmp_path: Path,
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "b.grib2", 9.0, is_regional=True)))
    vessel = planner.make_vessel()
    charting = planner.post("/charting", {**CHARTING, "vesselId": vessel["id"]}).get_json()
    plan(charting["id"], 1)
    provenance = planner.get(f"/charting/{charting['id']}").get_json()["provenance"]
    area = {"south": 30.0, "west": -30.0, "north": 70.0, "east": 10.0}
    assert provenance["weatherAreas"] == {provenance["weatherRuns"][0]: area}


def test_a_short_voyage_is_planned_with_the_newest_run_though_an_older_one_lasts_longer(
    app: Flask,
    planner: ApiClient,
    plan: Callable[[str, int], None],
    climatology: Path,
    tmp_path: Path,
) -> None:
    before = START - timedelta(hours=24)
    old = forecast_file(tmp_path / "a.grib2", 8.0, before, hours=range(0, 241, 24))
    run(app, "import", "--source", "old", str(old))
    run(app, "import", "--source", "new", str(forecast_file(tmp_path / "b.grib2", 9.0)))
    vessel = planner.make_vessel()
    charting = planner.post("/charting", {**CHARTING, "vesselId": vessel["id"]}).get_json()
    plan(charting["id"], 1)
    provenance = planner.get(f"/charting/{charting['id']}").get_json()["provenance"]
    assert provenance["weatherRuns"][0].startswith("new-")


def test_a_run_retired_under_a_voyage_stays_with_it(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "a.grib2", 8.0)))
    with installation_session() as session:
        field = weather.get_field(session, START, START + timedelta(days=1))
        assert weather.retire(session, lambda _record: True) == [field.run_names[0]]
        later = weather.get_field(session, START, START + timedelta(days=1))
    assert not any((climatology.parent / "runs").iterdir())
    assert field.sample(0.0, 0.0, START).wind_speed_ms == pytest.approx(8.0, abs=0.01)
    assert later.run_names == (field.run_names[-1],)


def test_a_retired_run_that_is_imported_again_stays_as_long_as_a_new_one(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    file = str(forecast_file(tmp_path / "a.grib2", 8.0))
    run(app, "import", file)
    with installation_session() as session:
        session.execute(update(WeatherRunRecord).values(imported_at=START))
        weather.retire(session, lambda _record: True)
    run(app, "import", file)
    with installation_session() as session:
        (record,) = session.scalars(select(WeatherRunRecord))
        assert record.retired_at is None
        assert record.imported_at > START + timedelta(days=1)


def test_files_of_a_run_that_is_imported_again_while_it_is_retired_stay(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    file = str(forecast_file(tmp_path / "a.grib2", 8.0))
    run(app, "import", file)
    with installation_session() as session:
        retired = weather.retire(session, lambda _record: True)
        session.commit()  # the files are removed when the session ends
        run(app, "import", file)
    (folder,) = (climatology.parent / "runs").iterdir()
    assert retired == [folder.name]
    with installation_session() as session:
        assert [record.name for record in weather.list_records(session)] == retired
        assert list(weather.find_unreadable(session)) == []


def test_a_run_whose_files_are_removed_while_it_is_imported_is_not_catalogued(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish(folder: Path) -> None:
        shutil.rmtree(folder)

    monkeypatch.setattr(weather_bucket, "publish", publish)
    file = str(forecast_file(tmp_path / "a.grib2", 8.0))
    result = app.test_cli_runner().invoke(args=["weather", "import", file])
    assert result.exit_code == 1
    assert "was retired while it was imported. Import it again." in result.output
    with installation_session() as session:
        assert weather.list_records(session) == []


def test_a_run_of_another_machine_is_named_for_a_span_that_is_over(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "a.grib2", 8.0)))
    (folder,) = (climatology.parent / "runs").iterdir()
    shutil.rmtree(folder)
    with installation_session() as session:
        named = weather.name_runs(session, START + timedelta(hours=6), START + timedelta(hours=3))
    assert folder.name in named


def test_a_file_that_a_fetch_renames_meanwhile_is_not_counted(context: Flask) -> None:
    folder = weather.downloads_folder() / "gfs-under-way"
    folder.mkdir(parents=True)
    (folder / "wind.part").symlink_to("renamed meanwhile")
    (folder / "wave").write_bytes(b"12345")
    with installation_session() as session:
        fetches = weather_status.describe(session, datetime.now(UTC)).fetches
    shutil.rmtree(folder)
    assert [fetch.size_bytes for fetch in fetches if fetch.name == folder.name] == [5]


@pytest.mark.parametrize("damaged", ["manifest.json", "wind-wave.npy", "wind.nearest.npy"])
def test_a_run_with_a_file_cut_short_is_passed_over_with_a_warning(
    app: Flask,
    context: Flask,
    climatology: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    damaged: str,
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "a.grib2", 8.0)))
    (folder,) = (climatology.parent / "runs").iterdir()
    os.truncate(folder / damaged, 100)
    with installation_session() as session:
        field = weather.get_field(session, START, START + timedelta(days=1))
        (words,) = weather.find_unreadable(session)
    assert [name.split("-")[0] for name in field.run_names] == ["climatology"]
    assert f"weather run {folder.name} cannot be used" in caplog.text
    assert words.startswith(f"run {folder.name} cannot be used")


def test_without_a_readable_climatology_there_is_no_weather(
    context: Flask, climatology: Path
) -> None:
    os.truncate(climatology / "wind.nearest.npy", 100)
    with installation_session() as session:
        assert weather.find_field(session, START, START) is None


def test_a_plan_is_made_in_the_weather_of_its_beginning_and_names_it(
    app: Flask,
    planner: ApiClient,
    plan: Callable[[str, int], None],
    climatology: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run(app, "import", "--source", "first", str(forecast_file(tmp_path / "a.grib2", 8.0)))
    vessel = planner.make_vessel()
    charting = planner.post("/charting", {**CHARTING, "vesselId": vessel["id"]}).get_json()

    def import_meanwhile(*asked: Any, **how: Any) -> RoutePlan:
        later = forecast_file(tmp_path / "b.grib2", 14.0, START + timedelta(hours=1))
        run(app, "import", "--source", "second", str(later))
        return plan_voyage(*asked, **how)

    monkeypatch.setattr(charting_runs, "plan_voyage", import_meanwhile)
    plan(charting["id"], 1)
    record = planner.get(f"/charting/{charting['id']}").get_json()
    assert record["status"] == "COMPLETED", record
    runs = record["provenance"]["weatherRuns"]
    assert [name.split("-")[0] for name in runs] == ["first", "climatology"]
    assert record["waypoints"][1]["weather"]["windSpeedMs"] == pytest.approx(8.0, abs=0.05)
    assert record["summary"]["forecastCoveragePct"] == 100.0


def test_a_fetched_run_is_catalogued_and_its_downloads_are_cleared(
    app: Flask, planner: ApiClient, climatology: Path
) -> None:
    now = datetime.now(UTC)
    reference = now.replace(hour=now.hour - now.hour % 6, minute=0, second=0, microsecond=0)
    with serving(noaa(6, reference)) as (url, _):
        said = run(app, "fetch", "gfs", "--hours", "6", "--url", url)
    assert f"gfs-{reference:%Y%m%dT%HZ}-" in said
    assert planner.get("/weather/runs").get_json()["items"][0]["source"] == "gfs"
    assert not any((climatology.parent / "downloads").iterdir())


def test_a_download_whose_values_cannot_be_read_is_downloaded_again(
    app: Flask, climatology: Path
) -> None:
    now = datetime.now(UTC)
    reference = now.replace(hour=now.hour - now.hour % 6, minute=0, second=0, microsecond=0)
    files = noaa(6, reference)
    name = next(name for name in files if name.endswith("0p50.f003"))
    whole, damaged = files[name], bytearray(files[name])
    damaged[files[name].index(b"GRIB", 4) + 162] = (
        128  # bits of each value, of which no more than 64 are read
    )
    files[name] = bytes(damaged)
    with serving(files) as (url, _):
        arguments = ["weather", "fetch", "gfs", "--hours", "6", "--url", url]
        refused = app.test_cli_runner().invoke(args=arguments)
        assert refused.exit_code == 1
        assert "a field cannot be read" in refused.output
        files[name] = whole
        assert f"gfs-{reference:%Y%m%dT%HZ}-" in run(app, *arguments[1:])


def test_a_fetch_of_what_another_process_is_fetching_is_refused_as_such(
    app: Flask, climatology: Path
) -> None:
    lock = climatology.parent / ".fetching-gfs"
    with serving(noaa(6, START)) as (url, _), hold_lock(lock):
        arguments = ["weather", "fetch", "gfs", "--hours", "6", "--url", url]
        result = app.test_cli_runner().invoke(args=arguments)
    assert result.exit_code == 1
    assert "Another process is fetching gfs on this machine" in result.output


def test_a_fetch_from_nowhere_is_reported_plainly(app: Flask, climatology: Path) -> None:
    with serving({}) as (url, _):
        arguments = ["weather", "fetch", "gfs", "--hours", "6", "--url", url]
        result = app.test_cli_runner().invoke(args=arguments)
    assert result.exit_code == 1
    assert "no complete run since" in result.output


def test_a_weather_fetch_is_queued_once_an_hour(context: Flask, redis: Redis) -> None:
    queue.enqueue_weather("gfs")
    queue.enqueue_weather("gfs")
    assert queue.weather_queue().job_ids == ["weather_gfs"]


def test_a_fresh_run_is_not_fetched_again(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    from app.services.weather import weather_intake

    recent = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)
    path = forecast_file(tmp_path / "f.grib2", 9.0, recent)
    run(app, "import", "--source", "gfs", str(path))
    assert weather_intake.fetch_if_due("gfs") is None


def age(database_url: str, days: int) -> None:
    """Make everything as old as if it had been done some days ago."""
    then = datetime.now(UTC) - timedelta(days=days)
    with psycopg.connect(database_url) as database:
        database.execute("UPDATE weather_run SET imported_at = %s", [then])
        database.execute("UPDATE charting_revision SET finished_at = %s", [then])


@pytest.mark.usefixtures("nothing_waits")
def test_old_runs_are_pruned_by_the_operators_word(
    app: Flask, planner: ApiClient, climatology: Path, database_url: str, tmp_path: Path
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "f.grib2", 9.0)))
    assert run(app, "prune", "--days", "30") == ""
    age(database_url, 31)
    assert run(app, "prune", "--days", "32") == ""
    assert run(app, "prune").startswith("removed file-20260301T06Z-")
    assert not any((climatology.parent / "runs").iterdir())
    assert planner.get("/weather/runs").get_json()["total"] == 0
    run(app, "import", str(tmp_path / "f.grib2"))
    assert planner.get("/weather/runs").get_json()["total"] == 1


def test_the_forecast_in_force_stays_however_old_its_import_is(
    app: Flask, climatology: Path, database_url: str, tmp_path: Path
) -> None:
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    path = tmp_path / "f.grib2"
    for source, age_h, reach_h in (("long", 12, 120), ("short", 6, 48), ("over", 72, 48)):
        reference, hours = now - timedelta(hours=age_h), range(0, reach_h + 1, 12)
        forecast_file(path, 9.0, reference, hours=hours)
        run(app, "import", "--source", source, str(path))
    age(database_url, 2)
    (removed,) = run(app, "prune", "--days", "1").splitlines()
    assert removed.startswith("removed over-")


def test_keeping_runs_for_longer_than_a_century_is_refused(app: Flask) -> None:
    for option in ("--days", "--planned-days"):
        result = app.test_cli_runner().invoke(args=["weather", "prune", option, "99999999999"])
        assert result.exit_code == 2
        assert "is not in the range 1<=x<=36500" in result.output


@pytest.mark.usefixtures("nothing_waits")
def test_a_run_stays_while_a_planning_waits_for_it_and_while_a_plan_names_it(
    app: Flask,
    planner: ApiClient,
    plan: Callable[[str, int], None],
    climatology: Path,
    database_url: str,
    tmp_path: Path,
) -> None:
    path = forecast_file(tmp_path / "f.grib2", 9.0)
    run(app, "import", "--source", "needed", str(path))
    run(app, "import", "--source", "before", str(forecast_file(path, 9.0, START - timedelta(9))))
    vessel = planner.make_vessel()
    charting = planner.post("/charting", {**CHARTING, "vesselId": vessel["id"]}).get_json()
    age(database_url, 90)
    assert run(app, "prune", "--planned-days", "1").startswith("removed before-")
    plan(charting["id"], 1)
    age(database_url, 90)
    assert run(app, "prune", "--planned-days", "91") == ""
    assert run(app, "prune") == ""
    assert run(app, "prune", "--planned-days", "89").startswith("removed needed-")
    record = planner.get(f"/charting/{charting['id']}").get_json()
    assert record["provenance"]["weatherRuns"][0].startswith("needed-")
