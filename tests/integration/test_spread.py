"""Spread of a plan, by ensemble members or by typical forecast error."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import update

from app.models import ChartingRevision
from app.records.instants import format_instant
from app.services.platform.sessions import organization_session
from tests.integration.browser import signed_in
from tests.integration.client import CHARTING, ApiClient
from tests.integration.weather.test_members import stored_run
from tests.integration.weather.test_store_and_service import START
from tests.unit.datasources.weather.making_members import store_members

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("redis", "climatology")]

Plan = Callable[[str, int], None]


def planned(planner: ApiClient, plan: Plan, **order: Any) -> str:
    charting_id: str = planner.order(**order)["id"]
    plan(charting_id, 1)
    return charting_id


def test_without_an_ensemble_the_spread_says_that_it_is_of_typical_error(
    planner: ApiClient, stranger: ApiClient, plan: Plan
) -> None:
    charting_id = planned(planner, plan)
    answer = planner.get(f"/charting/{charting_id}/spread")
    spread = answer.get_json()
    assert answer.status_code == 200
    assert (spread["basis"], spread["members"], spread["revision"]) == ("TYPICAL_ERROR", 50, 1)
    assert spread["climatologyPct"] == 100.0
    record = planner.get(f"/charting/{charting_id}").get_json()
    assert record["spread"]["fuelMt"] == spread["fuelMt"]
    assert "fan" not in record["spread"]
    assert spread["fuelMt"]["p10"] < record["summary"]["fuelMt"] < spread["fuelMt"]["p90"]
    told = planner.get(f"/charting/{charting_id}/explanation").get_json()["summary"]
    assert "From typical forecast error, as there is no ensemble" in told
    assert stranger.get(f"/charting/{charting_id}/spread").status_code == 404


def test_the_passage_plan_and_the_csv_carry_the_spread(
    app: Flask, organization_id: UUID, planner: ApiClient, plan: Plan
) -> None:
    charting_id = planned(planner, plan)
    browser = signed_in(app, organization_id)
    page = browser.get(f"/voyages/{charting_id}/revisions/1/passage-plan").text
    assert "Weather alone in 8 of 10 cases, from typical forecast error" in page
    assert page.count('class="fan__band"') == 2
    rows = [*csv.DictReader(io.StringIO(planner.get(f"/charting/{charting_id}/csv").text))]
    assert {row["spread_basis"] for row in rows} == {"TYPICAL_ERROR"}
    assert rows[-1]["eta_p10"] < rows[-1]["eta_p90"]


def test_with_an_ensemble_the_plan_is_sailed_in_its_members(
    app: Flask, organization_id: UUID, planner: ApiClient, plan: Plan, tmp_path: Path
) -> None:
    with app.app_context():
        folder = stored_run(app, tmp_path / "f.grib2", "a", speed_ms=8.0)
    waves = dict(enumerate((1.5, 2.0, 2.5, 3.0, 3.5), 1))
    store_members(folder, {number: 3.0 * height for number, height in waves.items()}, waves)
    departs_at = format_instant(START + timedelta(hours=1))
    charting_id = planned(planner, plan, startDate=departs_at, maxWaveHeight=2.75)
    spread = planner.get(f"/charting/{charting_id}/spread").get_json()
    assert (spread["basis"], spread["members"], spread["kept"]) == ("MEMBERS", 5, "RPM")
    assert [outcome["number"] for outcome in spread["outcomes"]] == [1, 2, 3, 4, 5]
    assert len({outcome["fuelMt"] for outcome in spread["outcomes"]}) == 5
    waves_limit = spread["exceedances"][0]
    assert waves_limit["limit"] == "WAVE_HEIGHT"
    assert waves_limit["probability"] == 0.4
    assert waves_limit["place"]["probability"] == 0.4
    page = signed_in(app, organization_id).get(f"/voyages/{charting_id}").text
    cautions = page.partition("note--caution")[2]
    near = f"WP {waves_limit['place']['waypointIndex'] + 1}"
    assert f"The wave limit is exceeded in 40 % of cases, most near {near}." in cautions


def test_a_plan_may_be_chosen_by_risk(planner: ApiClient, plan: Plan) -> None:
    charting_id = planned(planner, plan, risk="p90")
    record = planner.get(f"/charting/{charting_id}").get_json()
    assert (record["status"], record["risk"]) == ("COMPLETED", "P90")
    told = planner.get(f"/charting/{charting_id}/explanation").get_json()["summary"]
    assert "chosen by cases (risk P90), not by the forecast alone" in told
    refused = planner.put(f"/charting/{charting_id}", CHARTING | {"risk": "luck"})
    assert refused.status_code == 422
    assert "/risk" in refused.text


def test_a_plan_from_before_there_were_spreads_has_none(
    app: Flask, organization_id: UUID, planner: ApiClient, plan: Plan
) -> None:
    charting_id = planned(planner, plan)
    with app.app_context(), organization_session(organization_id) as session:
        row = session.get_one(ChartingRevision, (charting_id, 1))
        kept = {name: part for name, part in (row.plan or {}).items() if name != "spread"}
        session.execute(
            update(ChartingRevision)
            .where(ChartingRevision.charting_id == charting_id)
            .values(plan=kept)
        )
    answer = planner.get(f"/charting/{charting_id}/spread")
    assert answer.status_code == 404
    assert "no spread" in answer.get_json()["detail"]
    assert planner.get(f"/charting/{charting_id}").get_json()["spread"] is None
