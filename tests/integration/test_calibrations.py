"""Calibration of a vessel by its telemetry; after acceptance, plans and estimates use it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from flask import Flask

from app.engine.calibration.calibrating import compare_with_estimate
from app.engine.calibration.reports import ShipReports
from app.engine.vessel import estimate_foc
from app.records.instants import format_instant
from app.services.engine_mapping import build_registered_ship
from app.services.platform.sessions import organization_session
from app.services.vessels import vessels
from app.services.vessels.calibration_reports import gather
from app.services.vessels.noon_evidence import WeatherOrigin
from app.services.vessels.telemetry_sums import instant_of
from benchmarks.synthetic_reports import make_ship
from tests.integration.browser import signed_in
from tests.integration.client import VESSEL, ApiClient
from tests.reported import BEGINS_H, as_telemetry

pytestmark = pytest.mark.usefixtures("redis")

Calibrate = Callable[[str], dict[str, Any]]


@pytest.fixture
def sailed(context: Flask, planner: ApiClient, organization_id: UUID) -> dict[str, Any]:
    """A vessel with a year of records of a ship that differs from its particulars."""
    made = planner.make_vessel()
    with organization_session(organization_id) as session:
        ship = build_registered_ship(vessels.get(session, organization_id, made["id"]))
    known = make_ship(ship, 5, with_faults=False)
    records = as_telemetry(known.reports)
    answer = planner.post(f"/telemetry/{made['id']}/batch", records)
    assert answer.get_json()["stored"] == len(records), answer.text
    return made


def test_a_calibration_is_proposed_accepted_used_and_reverted(
    context: Flask,
    planner: ApiClient,
    admin: ApiClient,
    organization_id: UUID,
    sailed: dict[str, Any],
    calibrate: Calibrate,
) -> None:
    address = f"/vessel/{sailed['id']}/calibrations"

    def estimate() -> float:
        with organization_session(organization_id) as session:
            shown = vessels.get(session, organization_id, sailed["id"])
            return estimate_foc(build_registered_ship(shown)).foc_mt_per_day

    before = estimate()
    version = calibrate(sailed["id"])
    assert (version["status"], version["reasons"]) == ("PROPOSED", [])
    assert version["number"] == 1
    held_out = version["heldOut"]
    assert held_out["afterMedianAbsPct"] < held_out["beforeMedianAbsPct"]
    assert version["weather"]["fromRecords"] == version["records"]
    assert len(version["residuals"]) > 100
    assert estimate() == before

    one = f"{address}/{version['id']}"
    assert planner.post(f"{one}/accept").status_code == 403
    accepted = admin.post(f"{one}/accept")
    assert accepted.status_code == 200, accepted.text
    assert accepted.get_json()["status"] == "ACTIVE"
    assert estimate() != pytest.approx(before, rel=0.005)
    audited = admin.get("/audit?pageSize=10").get_json()["items"]
    (entry,) = (each for each in audited if each["action"] == "vessel.calibration_accepted")
    assert entry["after"]["number"] == 1

    second = calibrate(sailed["id"])
    assert admin.post(f"{address}/{second['id']}/accept").status_code == 200
    assert planner.get(one).get_json()["status"] == "SUPERSEDED"
    assert admin.post(f"{address}/revert").get_json()["active"]["number"] == 1
    assert admin.post(f"{address}/revert").get_json()["active"] is None
    assert estimate() == before
    listed = planner.get(address).get_json()
    assert [row["status"] for row in listed["items"]] == ["WITHDRAWN", "WITHDRAWN"]
    assert admin.post(f"{address}/revert").status_code == 409


@pytest.mark.atlas
@pytest.mark.usefixtures("atlas")
def test_plans_and_quotes_rest_on_the_active_version_and_plans_name_it(
    planner: ApiClient,
    admin: ApiClient,
    sailed: dict[str, Any],
    plan: Callable[..., None],
    app: Flask,
    organization_id: UUID,
    calibrate: Calibrate,
) -> None:
    ends = {"latFrom": 51.98, "lngFrom": 4.0, "latTo": 51.5, "lngTo": 1.2}
    voyage = ends | {"draft": 10, "speed": 12, "vesselId": sailed["id"]}
    before = planner.post("/routes/quote", voyage).get_json()
    address = f"/vessel/{sailed['id']}/calibrations"
    version = calibrate(sailed["id"])
    admin.post(f"{address}/{version['id']}/accept")
    quote = planner.post("/routes/quote", voyage).get_json()
    assert quote["fuelMt"] != pytest.approx(before["fuelMt"], rel=0.005)
    assert quote["fuelStandardErrorMt"] < before["fuelStandardErrorMt"]

    charting_id = planner.order(vesselId=sailed["id"])["id"]
    plan(charting_id)
    done = planner.get(f"/charting/{charting_id}").get_json()
    kept = done["provenance"]["ship"]
    assert kept["basis"] == "CALIBRATION"
    assert kept["calibration"]["id"] == version["id"]
    summary = done["summary"]
    share_pct = 100.0 * summary["fuelStandardErrorMt"] / summary["fuelMt"]
    assert share_pct == pytest.approx(version["standardErrorPct"], abs=0.1)
    words = planner.get(f"/charting/{charting_id}/explanation").get_json()["summary"]
    assert f"is based on {version['days']} days of the ship's own reports" in words
    browser = signed_in(app, organization_id)
    for page in ("", "/revisions/1/passage-plan"):
        shown = browser.get(f"/voyages/{charting_id}{page}").text
        assert f"± {summary['fuelStandardErrorMt']:.0f}" in shown
        assert "calibration 1, accepted" in shown


def test_a_version_is_of_the_particulars_that_it_was_fitted_to(
    planner: ApiClient,
    admin: ApiClient,
    sailed: dict[str, Any],
    calibrate: Calibrate,
) -> None:
    address = f"/vessel/{sailed['id']}/calibrations"
    version = calibrate(sailed["id"])
    admin.post(f"{address}/{version['id']}/accept")
    assert planner.patch(f"/vessel/{sailed['id']}", {"captain": "A. Brown"}).status_code == 200
    assert planner.get(f"{address}/{version['id']}").get_json()["status"] == "ACTIVE"
    assert planner.patch(f"/vessel/{sailed['id']}", {"breadth": 32.0}).status_code == 200
    assert planner.get(f"{address}/{version['id']}").get_json()["status"] == "SUPERSEDED"
    refused = admin.post(f"{address}/{version['id']}/accept")
    assert refused.status_code == 409
    assert refused.get_json()["code"] == "CALIBRATION_OF_OTHER_PARTICULARS"


def test_a_calibration_that_is_worse_on_what_it_has_not_seen_is_not_accepted(
    planner: ApiClient,
    admin: ApiClient,
    organization_id: UUID,
    context: Flask,
    calibrate: Calibrate,
) -> None:
    made = planner.make_vessel()
    with organization_session(organization_id) as session:
        ship = build_registered_ship(vessels.get(session, organization_id, made["id"]))
    reports = make_ship(ship, 5, with_faults=False).reports
    expected = reports.fuel_t_per_h * np.exp(-compare_with_estimate(ship, reports))
    # as the particulars say, but for a sensor that read a fifth too much and was then mended
    wrong = np.where(np.arange(expected.size) < 0.7 * expected.size, 1.2, 1.0)
    records = as_telemetry(reports._replace(fuel_t_per_h=wrong * expected))
    planner.post(f"/telemetry/{made['id']}/batch", records)
    address = f"/vessel/{made['id']}/calibrations"
    version = calibrate(made["id"])
    assert version["status"] == "NOT_BETTER"
    assert version["heldOut"]["betterByPct"] < -5.0
    refused = admin.post(f"{address}/{version['id']}/accept")
    assert refused.status_code == 409
    problem = refused.get_json()
    assert problem["code"] == "CALIBRATION_NOT_BETTER"
    (reason,) = version["reasons"]
    assert reason.startswith("the median error on the days held out is")
    assert reason in problem["detail"]
    page = signed_in(context, organization_id).get(f"/fleet/{made['id']}").text
    assert "<td>Not proposed</td>" in page
    assert f"{reason[:1].upper()}{reason[1:]}." in page


def test_a_vessel_without_reports_is_not_calibrated(planner: ApiClient) -> None:
    refused = planner.post(f"/vessel/{planner.make_vessel()['id']}/calibrations")
    assert refused.status_code == 409
    assert refused.get_json()["code"] == "TOO_FEW_REPORTS"


def test_too_few_reports_of_steady_sailing_are_named_as_the_reason(
    planner: ApiClient, admin: ApiClient, calibrate: Calibrate
) -> None:
    made = planner.make_vessel()
    report = {"timestamp": "2026-03-01T12:00:00Z", "fuel": 28.5, "speedOverGround": 14}
    assert planner.post(f"/vessel/{made['id']}/noon-reports", [report]).status_code == 200
    failed = calibrate(made["id"])
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "TOO_FEW_REPORTS")
    assert "at least 2 are needed" in failed["failure"]["detail"]
    for name in ("records", "period", "heldOut", "reasons", "response", "estimates", "residuals"):
        assert failed[name] is None
    refused = admin.post(f"/vessel/{made['id']}/calibrations/{failed['id']}/accept")
    assert refused.status_code == 409
    assert "is failed" in refused.get_json()["detail"]


def test_another_organization_sees_no_calibration(
    planner: ApiClient,
    stranger: ApiClient,
    sailed: dict[str, Any],
    calibrate: Calibrate,
) -> None:
    address = f"/vessel/{sailed['id']}/calibrations"
    version = calibrate(sailed["id"])
    for path in (address, f"{address}/{version['id']}"):
        assert stranger.get(path).status_code == 404
    assert stranger.post(f"{address}/{version['id']}/accept").status_code == 404


def test_weather_that_records_lack_comes_from_the_store(
    context: Flask, planner: ApiClient, organization_id: UUID, climatology: Path
) -> None:
    made = planner.make_vessel()
    record = {
        **{"timestamp": "2025-06-01T10:10:00Z", "latitude": 45.0, "longitude": -20.0},
        **{"speed": 12.0, "heading": 350.0, "rpm": 90, "fuelConsumption": 24.0},
        **{"draft": 12.0, "engineLoad": 70},
    }
    later = record | {"timestamp": "2025-06-01T10:50:00Z", "heading": 10.0}
    planner.post(f"/telemetry/{made['id']}/batch", [record, later])
    with organization_session(organization_id) as session:
        found = gather(session, vessels.get(session, organization_id, made["id"]))
    assert found.reports.times_h.size == 1
    assert found.reports.course_deg[0] % 360.0 == pytest.approx(0.0, abs=1e-6)
    assert found.reports.fuel_t_per_h[0] == pytest.approx(1.0)
    assert found.origins.tolist().count(WeatherOrigin.CLIMATOLOGY) == 1
    assert 0.0 < found.reports.wave_height_m[0] < 10.0


def test_a_vessel_stores_when_its_hull_was_cleaned(planner: ApiClient) -> None:
    events = [{"date": "2025-03-01", "kind": "DRY_DOCKING"}]
    made = planner.make_vessel(maintenance=events)
    assert made["maintenance"] == events
    wrong = planner.post("/vessel", VESSEL | {"maintenance": [{"date": "1 May", "kind": "PAINT"}]})
    assert {error["pointer"] for error in wrong.get_json()["errors"]} == {
        "/maintenance/0/date",
        "/maintenance/0/kind",
    }


def test_noon_reports_are_enough_to_calibrate_a_vessel(
    context: Flask,
    planner: ApiClient,
    organization_id: UUID,
    calibrate: Calibrate,
) -> None:
    made = planner.make_vessel()
    with organization_session(organization_id) as session:
        ship = build_registered_ship(vessels.get(session, organization_id, made["id"]))
    sailed = make_ship(ship, 5, with_faults=False).reports
    rows = map(ShipReports._make, np.column_stack(sailed).tolist())
    reports = [
        {
            "timestamp": format_instant(instant_of(BEGINS_H + row.times_h)),
            **{"steamingHours": row.hours, "speedThroughWater": row.speed_kn},
            **{"heading": row.course_deg % 360.0, "draftMean": row.draft_m},
            **{"windSpeed": row.wind_speed_ms, "windFrom": row.wind_from_deg % 360.0},
            **{"waveHeight": row.wave_height_m, "waveFrom": row.wave_from_deg % 360.0},
            "fuel": row.hours * row.fuel_t_per_h,
        }
        for row in rows
    ]
    answer = planner.post(f"/vessel/{made['id']}/noon-reports", reports)
    assert answer.status_code == 200, answer.text
    version = calibrate(made["id"])
    assert version["status"] == "PROPOSED", version
    assert version["records"] == version["weather"]["fromRecords"] == len(reports)
