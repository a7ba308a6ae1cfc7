"""Voyages under way that are planned again: the plan followed, and the one departed with."""

from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask

from app.records.instants import format_instant, parse_instant
from tests.integration.browser import signed_in
from tests.integration.client import CHARTING, ApiClient
from tests.integration.voyages import CROSSING, HOUR, Plan, Voyage

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis", "context")]


def start(voyage: Voyage, at: datetime) -> None:
    answer = voyage.planner.post(f"/charting/{voyage.id}/start", {"at": format_instant(at)})
    assert answer.status_code == 200, answer.text


def replan(voyage: Voyage, plan: Plan, **changes: Any) -> dict[str, Any]:
    """Plan the voyage again, as asked but for some changes; the new plan."""
    asked = {"startDate": format_instant(voyage.departs_at), "vesselId": voyage.vessel_id}
    answer = voyage.planner.put(f"/charting/{voyage.id}", CHARTING | asked | changes)
    assert answer.status_code == 200, answer.text
    plan(voyage.id, answer.get_json()["latestRevision"])
    planned: dict[str, Any] = voyage.planner.get(f"/charting/{voyage.id}").get_json()
    return planned


def test_a_voyage_is_reported_against_the_plan_that_it_departed_with(
    voyage: Voyage, plan: Plan, now: datetime
) -> None:
    departed_with = voyage.planner.get(f"/charting/{voyage.id}").get_json()["summary"]
    start(voyage, voyage.departs_at - 24 * HOUR)
    *_, last = voyage.report(until=now, late_h=-24.0)
    replanned = replan(voyage, plan, speedRangeMin=13)
    assert replanned["summary"]["fuelMt"] > 1.05 * departed_with["fuelMt"]
    voyage.planner.post(f"/charting/{voyage.id}/finish", {"at": last["timestamp"]})
    report = voyage.planner.get(f"/charting/{voyage.id}/report").get_json()
    assert report["fuel"]["plannedMt"] == pytest.approx(departed_with["fuelMt"], abs=0.001)
    assert report["time"]["plannedH"] == pytest.approx(departed_with["durationH"], abs=0.01)
    statistics = voyage.planner.get(f"/vessel/{voyage.vessel_id}/stats").get_json()
    (compared,) = statistics["predictedVsActual"]
    assert compared["predictedFuelMt"] == departed_with["fuelMt"]


def test_a_diverted_voyage_is_said_to_have_no_report(
    voyage: Voyage, plan: Plan, now: datetime
) -> None:
    start(voyage, voyage.departs_at)
    *_, last = voyage.report(until=now)
    elsewhere = {"latTo": 51.35, "lngTo": 3.1, "portToName": "Zeebrugge"}
    here = {"latFrom": last["latitude"], "lngFrom": last["longitude"]}
    replan(voyage, plan, **here, **elsewhere, startDate=last["timestamp"], isAlterFrom=True)
    assert voyage.progress()["revision"] == 2
    finished = voyage.planner.post(f"/charting/{voyage.id}/finish")
    assert finished.status_code == 200, finished.text
    refused = voyage.planner.get(f"/charting/{voyage.id}/report")
    assert refused.status_code == 409
    assert "diverted from London to Zeebrugge by revision 2" in refused.get_json()["detail"]


def test_a_voyage_counts_in_the_period_in_which_it_departed(voyage: Voyage, now: datetime) -> None:
    start(voyage, voyage.departs_at - 24 * HOUR)
    voyage.report(until=now, late_h=-24.0)

    def count(**period: datetime) -> int:
        query = {name.strip("_"): format_instant(time) for name, time in period.items()}
        path = f"/vessel/{voyage.vessel_id}/stats"
        voyages: int = voyage.planner.get(path, query_string=query).get_json()["voyages"]
        return voyages

    between = voyage.departs_at - 12 * HOUR
    assert (count(from_=between), count(to=between)) == (0, 1)


def test_an_abandoned_voyage_departs_anew_with_the_plan_of_another(
    voyage: Voyage, plan: Plan, now: datetime
) -> None:
    start(voyage, voyage.departs_at)
    voyage.planner.post(f"/charting/{voyage.id}/abandon", {"reason": "Orders changed"})
    replan(voyage, plan, latTo=53.5, lngTo=0.3, portToName="Humber")
    shown = voyage.planner.post(f"/charting/{voyage.id}/start", {}).get_json()
    assert shown["revision"] == 2
    assert parse_instant(shown["departedAt"]) >= now


def test_a_finished_voyage_is_not_reopened_by_the_plan_of_another(
    voyage: Voyage, plan: Plan
) -> None:
    start(voyage, voyage.departs_at)
    voyage.planner.post(f"/charting/{voyage.id}/finish", {})
    replan(voyage, plan, latTo=53.5, lngTo=0.3, portToName="Humber")
    refused = voyage.planner.post(f"/charting/{voyage.id}/start", {})
    assert refused.status_code == 409
    assert "new charting" in refused.get_json()["detail"]


def test_a_plan_made_under_way_resets_no_fuel_distance_or_trend(
    voyage: Voyage, plan: Plan, now: datetime
) -> None:
    start(voyage, voyage.departs_at)
    *_, last = voyage.report(until=now)
    before = voyage.progress()["progress"]
    replan(
        voyage,
        plan,
        **{"latFrom": last["latitude"], "lngFrom": last["longitude"]},
        **{"startDate": last["timestamp"], "isAlterFrom": True},
    )
    shown = voyage.progress()
    assert shown["revision"] == 2
    after = shown["progress"]
    for name in ("sailedNm", "fuelMt", "speedMadeGoodKn"):
        # the speed is that along the plan followed, which is another now
        assert after[name] == pytest.approx(before[name], rel=0.03), name
    assert after["madeGoodNm"] == pytest.approx(0.0, abs=1.0)
    assert after["plannedFuelMt"] == pytest.approx(before["fuelMt"], rel=0.02)


def test_a_plan_made_under_way_begins_at_the_ship_and_keeps_the_name_of_the_voyage(
    voyage: Voyage, plan: Plan, now: datetime, app: Flask
) -> None:
    start(voyage, voyage.departs_at)
    *_, last = voyage.report(until=now)
    browser = signed_in(app, voyage.organization_id)
    assert browser.get(f"/chartings/{voyage.id}/line").get_json()["from"] == "Rotterdam"
    place = {"latFrom": last["latitude"], "lngFrom": last["longitude"]}
    planned = replan(voyage, plan, **place, startDate=last["timestamp"], isAlterFrom=True)
    assert planned["portFromName"] == "Rotterdam"
    exported = voyage.planner.get(f"/charting/{voyage.id}/rtz")
    assert 'name="Ship\'s position"' in exported.text
    assert 'name="Rotterdam"' not in exported.text
    assert 'routeName="Rotterdam-' in exported.text
    explained = voyage.planner.get(f"/charting/{voyage.id}/explanation").get_json()
    assert "Ship's position to " in str(explained)
    assert browser.get(f"/chartings/{voyage.id}/line").get_json()["from"] == "Ship's position"
    page = browser.get(f"/voyages/{voyage.id}").text
    assert '<h1 id="voyage-title">Rotterdam to ' in page
    assert "From the ship's position " in page
    assert "Departs" not in page.split('id="voyage-title"')[1].split("</p>")[0]
    edited = browser.get(f"/voyages/{voyage.id}/edit").text
    assert "From the ship's position " in edited
    assert "Departs" not in edited.split('id="edit-title"')[1].split("</p>")[0]
    printed = browser.get(f"/voyages/{voyage.id}/revisions/2/passage-plan").text
    assert "<dt>From the ship's position</dt>" in printed
    assert "<dt>Departs</dt>" not in printed


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"latTo": 53.5, "lngTo": 0.3, "portToName": "Humber"},
        {"latFrom": 51.35, "lngFrom": 3.1, "portFromName": "Zeebrugge"},
        {"startDate": format_instant(datetime.now(UTC) + 14 * 24 * HOUR)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_plan_of_another_voyage_is_not_followed(
    voyage: Voyage, plan: Plan, now: datetime, elsewhere: dict[str, Any], app: Flask
) -> None:
    start(voyage, voyage.departs_at)
    voyage.report(until=now)
    before = voyage.progress()
    assert replan(voyage, plan, **elsewhere)["revision"] == 2
    after = voyage.progress()
    assert (after["revision"], after["progress"]) == (1, before["progress"])
    page = signed_in(app, voyage.organization_id).get(f"/voyages/{voyage.id}/progress").text
    assert "Revision 2 is not followed" in page
    assert replan(voyage, plan, speedRangeMax=13)["revision"] == 3
    assert voyage.progress()["revision"] == 3


def test_a_stop_before_the_plan_to_that_place_is_no_arrival(
    voyage: Voyage, plan: Plan, now: datetime
) -> None:
    start(voyage, voyage.departs_at - 24 * HOUR)
    records = voyage.report(until=now, late_h=-24.0)
    stopped = records[len(records) // 2]
    minute_later = format_instant(parse_instant(stopped["timestamp"]) + HOUR / 60)
    voyage.send([stopped | {"timestamp": minute_later, "speed": 0}])
    replan(
        voyage,
        plan,
        **{"latFrom": records[-1]["latitude"], "lngFrom": records[-1]["longitude"]},
        **{"latTo": stopped["latitude"], "lngTo": stopped["longitude"]},
        **{"startDate": records[-1]["timestamp"], "isAlterFrom": True},
    )
    voyage.check_position_reports()
    shown = voyage.progress()
    assert (shown["revision"], shown["state"]) == (2, "UNDER_WAY")


def test_a_plan_from_a_position_at_sea_is_followed_by_a_ship_that_sails_days_earlier(
    planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, now: datetime
) -> None:
    made = Voyage(planner, plan, worker_app, now + 120 * HOUR, isAlterFrom=True, **CROSSING)
    start(made, now - 24 * HOUR)
    made.report(until=now, late_h=-144.0)
    made.check_position_reports()
    progress = made.progress()["progress"]
    assert progress["madeGoodNm"] > 200.0
    assert progress["behindH"] == pytest.approx(-144.0, abs=0.5)
