"""Ensemble members of the run in force, as a voyage's spread reads them."""

from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask

from app.services.platform.sessions import installation_session
from app.services.weather import weather
from tests.integration.weather.test_store_and_service import START, forecast_file, run
from tests.unit.datasources.weather.making_members import store_members

END = START + timedelta(hours=30)


def stored_run(app: Flask, path: Path, source: str, **forecast: object) -> Path:
    """Import a forecast; answers the folder of its run."""
    run(app, "import", "--source", source, str(forecast_file(path, **forecast)))  # type: ignore[arg-type]
    return next(weather.runs_folder().glob(f"{source}-*"))


def find(starts_at=START, ends_at=END):  # type: ignore[no-untyped-def]
    with installation_session() as session:
        return weather.find_members(session, starts_at, ends_at)


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
    assert [member.number for member in members] == [3, 8]
    at = (30.0, 200.0, START + timedelta(hours=12))
    met = [member.field.sample(*at) for member in members]
    assert [float(each.wind_speed_ms) for each in met] == pytest.approx([11.0, 14.0], abs=0.01)
    assert [float(each.wave_height_m) for each in met] == pytest.approx([2.5, 2.5], abs=0.01)


def test_the_members_are_those_of_the_run_in_force(
    app: Flask, context: Flask, climatology: Path, tmp_path: Path
) -> None:
    older = stored_run(
        app, tmp_path / "a.grib2", "old", speed_ms=8.0, reference=START - timedelta(hours=6)
    )
    store_members(older, {1: 11.0})
    assert [member.number for member in find()] == [1]
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
