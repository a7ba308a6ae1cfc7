"""Ensemble members of the chosen run, for a voyage's spread."""

from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from flask import Flask

from app.engine.weather import WeatherField
from app.services.platform.sessions import installation_session
from app.services.weather import weather
from tests.integration.client import CHARTING, ApiClient
from tests.integration.weather.test_store_and_service import START, age, forecast_file, run
from tests.unit.datasources.weather.making import REFERENCE, write
from tests.unit.datasources.weather.making_members import store_members
from tests.unit.datasources.weather.serving import serving
from tests.unit.datasources.weather.test_member_fetching import ecmwf
from tests.unit.datasources.weather.test_member_importing import control, fields_of

END = START + timedelta(hours=30)


def stored_run(app: Flask, path: Path, source: str, **forecast: object) -> Path:
    """Import a forecast; answers the folder of its run."""
    run(app, "import", "--source", source, str(forecast_file(path, **forecast)))  # type: ignore[arg-type]
    return next(weather.runs_folder().glob(f"{source}-*"))


def find() -> tuple[tuple[int, WeatherField], ...]:
    with installation_session() as session:
        control = weather.find_field(session, START, END)
        assert control is not None
        return weather.find_members(session, control, START, END)


def test_without_members_there_are_none(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    assert find() == ()
    stored_run(app, tmp_path / "f.grib2", "a", speed_ms=8.0)
    assert find() == ()


def test_each_member_differs_from_the_control_in_what_it_holds_alone(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    folder = stored_run(app, tmp_path / "f.grib2", "a", speed_ms=8.0)
    store_members(folder, {3: 11.0, 8: 14.0})
    members = find()
    assert [number for number, _ in members] == [3, 8]
    at = (30.0, 200.0, START + timedelta(hours=12))
    met = [field.sample(*at) for _, field in members]
    assert [float(each.wind_speed_ms) for each in met] == pytest.approx([11.0, 14.0], abs=0.01)
    assert [float(each.wave_height_m) for each in met] == pytest.approx([2.5, 2.5], abs=0.01)


def test_the_members_are_those_of_the_run_in_force(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    older = stored_run(
        app, tmp_path / "a.grib2", "old", speed_ms=8.0, reference=START - timedelta(hours=6)
    )
    store_members(older, {1: 11.0})
    assert [number for number, _ in find()] == [1]
    stored_run(app, tmp_path / "b.grib2", "new", speed_ms=9.0)
    assert find() == ()


def test_members_that_cannot_be_read_are_none_and_the_forecast_still_speaks(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    folder = stored_run(app, tmp_path / "f.grib2", "a", speed_ms=8.0)
    store_members(folder, {1: 11.0})
    (folder / "members" / "manifest.json").write_text("{")
    assert find() == ()
    with installation_session() as session:
        field = weather.get_field(session, START, END)
    assert field.sample(0.0, 0.0, START).wind_speed_ms == pytest.approx(8.0, abs=0.01)


@pytest.mark.parametrize("name", ["002.wind.npy", "wind.nearest.npy"])
def test_members_whose_files_are_damaged_or_away_are_none(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path, name: str
) -> None:
    folder = stored_run(app, tmp_path / "f.grib2", "a", speed_ms=8.0)
    store_members(folder, {1: 11.0, 2: 12.0})
    assert len(find()) == 2
    file = folder / "members" / name
    file.write_bytes(file.read_bytes()[:200])
    assert find() == ()
    file.unlink()
    assert find() == ()


def test_imported_members_are_listed_with_their_run(
    app: Flask, planner: ApiClient, climatology: Path, tmp_path: Path
) -> None:
    messages = [*control(reference=START)]
    for number in (1, 2, 5):
        messages += fields_of(number, 9.0 + number, 3.0, reference=START)
    said = run(app, "import", str(write(tmp_path / "ens.grib2", messages)))
    assert "3 ensemble members" in said
    assert "3 members" in run(app, "list")
    (item,) = planner.get("/weather/runs").get_json()["items"]
    assert item["members"] == [1, 2, 5]


def test_files_of_one_member_each_join_a_stored_run(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    run(app, "import", str(write(tmp_path / "c.grib2", control(reference=START))))
    files = [
        str(write(tmp_path / f"{number}.grib2", fields_of(None, speed, 3.0, reference=START)))
        for number, speed in enumerate((10.0, 12.0))
    ]
    assert "2 ensemble members" in run(app, "import", "--members", *files)
    assert [number for number, _ in find()] == [1, 2]


def test_fetched_members_join_the_newest_run_and_their_downloads_are_cleared(
    app: Flask, planner: ApiClient, climatology: Path, tmp_path: Path
) -> None:
    path = write(tmp_path / "c.grib2", control(reference=REFERENCE))
    run(app, "import", "--source", "ecmwf", str(path))
    with serving(ecmwf((1, 2, 4), hours=6)) as (url, _):
        said = run(app, "fetch", "ecmwf", "--members", "4", "--hours", "6", "--url", url)
    assert "3 ensemble members" in said
    assert "left out: member 3: not in enfo at 0 h" in said
    (item,) = planner.get("/weather/runs").get_json()["items"]
    assert item["members"] == [1, 2, 4]
    assert not any((climatology.parent / "downloads").iterdir())


def test_members_of_no_run_are_not_fetched(app: Flask, climatology: Path) -> None:
    arguments = ["weather", "fetch", "gfs", "--members", "4"]
    result = app.test_cli_runner().invoke(args=arguments)
    assert result.exit_code == 1
    assert "Members of gefs need a run of gfs: fetch that first." in result.output


def test_members_go_before_their_run_unless_a_planning_waits_for_them(
    app: Flask,
    planner: ApiClient,
    climatology: Path,
    database_url: str,
    tmp_path: Path,
) -> None:
    messages = [*control(reference=START), *fields_of(1, 9.0, 3.0, reference=START)]
    run(app, "import", str(write(tmp_path / "ens.grib2", messages)))
    vessel = planner.make_vessel()
    charting = planner.post("/charting", {**CHARTING, "vesselId": vessel["id"]}).get_json()
    age(database_url, 4)
    run(app, "prune")
    assert planner.get("/weather/runs").get_json()["items"][0]["members"] == [1]
    planner.delete(f"/charting/{charting['id']}")
    with psycopg.connect(database_url) as database:
        database.execute("TRUNCATE charting CASCADE")
    run(app, "prune")
    (item,) = planner.get("/weather/runs").get_json()["items"]
    assert item["members"] == []
    assert not list((climatology.parent / "runs").rglob("members"))
