"""Weather of noon reports: from the store, else from the report, else the climatology."""

import math
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from app.engine.vessel.sea_state import GROWN_SEA
from app.records.instants import format_instant
from app.services.platform.sessions import organization_session
from app.services.vessels import noon_evidence, vessels
from app.services.vessels.noon_evidence import Evidence, WeatherOrigin
from tests.integration.client import ApiClient
from tests.integration.weather.test_store_and_service import START, forecast_file, run


def gather(organization_id: UUID, vessel_id: str) -> Evidence:
    with organization_session(organization_id) as session:
        vessel = vessels.get(session, organization_id, vessel_id)
        return noon_evidence.gather(session, vessel)


def test_each_record_says_where_its_weather_comes_from(
    app: Flask,
    context: Flask,
    planner: ApiClient,
    organization_id: UUID,
    climatology: Path,
    tmp_path: Path,
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "f.grib2", 12.0)))
    vessel = planner.make_vessel()["id"]

    def report(days: float, **changes: Any) -> dict[str, Any]:
        at = {"timestamp": format_instant(START + timedelta(days=days))}
        here = {"latitude": 48.0, "longitude": -20.0, "heading": 270, "steamingHours": 24}
        return at | here | {"speedOverGround": 14, "fuel": 24, "draftMean": 12} | changes

    own = {"windBeaufort": 6, "windFromRelative": 90, "waveHeight": 3.0}
    sent = [report(-9), report(-5, **own), report(1, **own)]
    answer = planner.post(f"/vessel/{vessel}/noon-reports", sent)
    assert answer.get_json()["stored"] == 3, answer.text

    found = gather(organization_id, vessel)
    assert [WeatherOrigin(each).name for each in found.origins] == [
        "CLIMATOLOGY", "REPORT", "STORE",
    ]  # fmt: skip
    reports = found.reports
    assert reports.wind_speed_ms.tolist() == pytest.approx([5.0, 0.836 * 6**1.5, 12.0], abs=0.02)
    assert reports.wave_height_m[1:].tolist() == pytest.approx([3.0, 2.5], abs=0.02)
    assert reports.wind_from_deg[1] == pytest.approx(0.0)
    assert reports.fuel_t_per_h.tolist() == [1.0, 1.0, 1.0]
    assert reports.draft_m.tolist() == [12.0, 12.0, 12.0]


def test_a_swell_adds_to_the_sea_that_the_wind_raises(
    context: Flask, planner: ApiClient, organization_id: UUID, climatology: Path
) -> None:
    vessel = planner.make_vessel()["id"]
    wind = {"windSpeed": 12.0, "windFrom": 270}
    own = (
        wind,
        wind | {"swellHeight": 0.0, "swellFrom": 0},
        wind | {"swellHeight": 0.5, "swellFrom": 0},
        wind | {"swellHeight": 4.0, "swellFrom": 0},
        {"waveHeight": 3.0, "waveFrom": 90, "swellHeight": 2.5, "swellFrom": 0},
    )
    sent = [
        {
            "timestamp": format_instant(START - timedelta(days=9 - day)),
            "latitude": 48.0, "longitude": -20.0, "heading": 270, "steamingHours": 24,
            "speedOverGround": 14, "fuel": 24, "draftMean": 12,
        } | each
        for day, each in enumerate(own)
    ]  # fmt: skip
    assert planner.post(f"/vessel/{vessel}/noon-reports", sent).get_json()["stored"] == 5
    reports = gather(organization_id, vessel).reports
    sea_m = GROWN_SEA * 12.0**2
    heights = [sea_m, sea_m, math.hypot(sea_m, 0.5), math.hypot(sea_m, 4.0), 3.0]
    assert reports.wave_height_m.tolist() == pytest.approx(heights)
    assert reports.wave_from_deg.tolist() == pytest.approx([270.0, 270.0, 270.0, 0.0, 90.0])


def test_the_hours_under_way_are_stated_else_those_of_the_period(
    context: Flask, planner: ApiClient, organization_id: UUID, climatology: Path
) -> None:
    vessel = planner.make_vessel()["id"]
    stated = ((0, {"steamingHours": 8}), (24, {"steamingHours": 8}), (44, {}), (100, {}))
    sent = [
        {
            "timestamp": format_instant(START - timedelta(days=9) + timedelta(hours=at_h)),
            "latitude": 48.0, "longitude": -20.0, "heading": 270,
            "speedOverGround": 14, "fuel": 24, "draftMean": 12,
        } | each
        for at_h, each in stated
    ]  # fmt: skip
    assert planner.post(f"/vessel/{vessel}/noon-reports", sent).get_json()["stored"] == 4
    reports = gather(organization_id, vessel).reports
    assert reports.hours.tolist() == [8.0, 8.0, 20.0, 24.0]
    assert reports.is_noon.all()


def test_reports_every_few_hours_are_none_of_noons(
    context: Flask, planner: ApiClient, organization_id: UUID, climatology: Path
) -> None:
    vessel = planner.make_vessel()["id"]
    sent = [
        {
            "timestamp": format_instant(START - timedelta(days=9) + timedelta(hours=at_h)),
            "speedOverGround": 14, "fuel": 6, "draftMean": 12,
        }
        for at_h in range(0, 48, 6)
    ]  # fmt: skip
    assert planner.post(f"/vessel/{vessel}/noon-reports", sent).get_json()["stored"] == 8
    assert not gather(organization_id, vessel).reports.is_noon.any()


def test_a_vessel_without_reports_has_no_evidence(
    context: Flask, planner: ApiClient, organization_id: UUID
) -> None:
    found = gather(organization_id, planner.make_vessel()["id"])
    assert found.reports.times_h.size == 0
