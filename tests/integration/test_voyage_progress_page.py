"""The page of a voyage under way: what its forms refuse, and what it shows."""

import re
from datetime import datetime, timedelta
from html import unescape
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.engine.formatting import format_position
from app.pages.presenters.filters import dated_time, duration, figure, full_time, mass
from app.records.instants import format_instant, parse_instant
from tests.integration.browser import HTML, Browser, read_page_data, signed_in
from tests.integration.client import CHARTING, ApiClient
from tests.integration.voyages import HOUR, Plan, Voyage

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]


@pytest.fixture
def browser(app: Flask, voyage: Voyage) -> Browser:
    return signed_in(app, voyage.organization_id)


def send(browser: Browser, voyage: Voyage, act: str, **typed: Any) -> TestResponse:
    form = {"csrf_token": browser.token(), **typed}
    return browser.http.post(f"/voyages/{voyage.id}/{act}", data=form, headers=HTML)


def test_a_refused_departure_stays_on_the_page_with_its_reason_at_the_field(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    ahead = dated_time(now + 60 * HOUR)
    refused = send(browser, voyage, "start", at=ahead)
    assert refused.status_code == 422
    assert "Start voyage</button>" in refused.text
    assert f'value="{ahead}"' in refused.text
    assert f"{ahead} UTC is in the future." in refused.text
    assert voyage.progress()["state"] == "EXPECTED"


def test_a_blank_reason_keeps_its_form_unfolded(voyage: Voyage, browser: Browser) -> None:
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    refused = send(browser, voyage, "abandon", reason="  ")
    assert refused.status_code == 422
    assert '<details class="more reasoned" open><summary>Abandon the voyage' in refused.text
    assert "Enter a reason of up to 1000 characters." in refused.text


def test_a_form_of_a_page_that_was_outrun_says_what_has_happened(
    voyage: Voyage, browser: Browser
) -> None:
    departure = dated_time(voyage.departs_at)
    assert send(browser, voyage, "start", at=departure).status_code == 302
    refused = send(browser, voyage, "start", at=departure)
    assert refused.status_code == 409
    assert "The voyage is already under way." in refused.text
    assert "Abandon the voyage" in refused.text


def test_a_voyage_is_finished_at_its_arrival_and_says_why_it_has_no_report(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    voyage.report(until=now)
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    early = send(browser, voyage, "finish", at=dated_time(voyage.departs_at - HOUR))
    assert early.status_code == 422
    assert "after this time." in early.text
    arrived = dated_time(now - HOUR)
    assert send(browser, voyage, "finish", at=arrived).status_code == 302
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    assert f"Finished {now - HOUR:%a} {arrived} UTC" in page
    assert "There is no voyage report." in page
    for path in (f"/voyages/compare?id={voyage.id}", f"/fleet/{voyage.vessel_id}", "/voyages"):
        assert '<span class="chip">Finished</span>' in browser.get(path).text, path


def test_a_page_confirms_a_report_that_was_entered_for_its_voyage(
    voyage: Voyage, browser: Browser
) -> None:
    path = f"/voyages/{voyage.id}/progress"
    assert "is stored." not in browser.get(path).text
    page = browser.get(f"{path}?entered=2026-03-02T12:00:00Z").text
    assert "The report of 2 Mar 2026 12:00 UTC is stored." in page


def test_the_arrival_proposed_is_that_of_the_position_at_the_destination(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    early_h = (parse_instant(voyage.track[-1]["time"]) - now) / HOUR + 3.0
    *_, last = voyage.report(until=now, late_h=-early_h)
    departed = parse_instant(voyage.reported[0]["timestamp"])
    send(browser, voyage, "start", at=dated_time(departed))
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    arrived = parse_instant(last["timestamp"]) + timedelta(minutes=1)
    assert f'value="{dated_time(arrived)}"' in page
    assert send(browser, voyage, "finish", at=dated_time(arrived)).status_code == 302
    assert voyage.progress()["progress"]["time"] == last["timestamp"]


def test_before_a_voyage_is_finished_far_from_its_end_its_distance_to_go_is_named(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    voyage.report(until=now)
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    to_go = voyage.progress()["progress"]["toGoNm"]
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    assert f'data-confirm="By its last position the ship has {figure(to_go)} nm to go. ' in page


def test_no_distance_to_go_is_named_before_a_voyage_is_finished_at_its_end(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    early_h = (parse_instant(voyage.track[-1]["time"]) - now) / HOUR + 3.0
    voyage.report(until=now, late_h=-early_h)
    send(browser, voyage, "start", at=dated_time(parse_instant(voyage.reported[0]["timestamp"])))
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    assert 'data-confirm="Its progress is no longer followed' in page


def test_positions_after_the_end_are_not_the_progress_of_a_finished_voyage(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    voyage.report(until=now)
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    voyage.progress()
    arrived = now - 2 * HOUR
    send(browser, voyage, "finish", at=dated_time(arrived))
    assert parse_instant(voyage.progress()["progress"]["time"]) <= arrived
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    early_h = (parse_instant(voyage.track[-1]["time"]) - arrived) / HOUR
    assert re.search(f'Early by</dt><dd class="[^"]+">{duration(early_h)}</dd>', page)
    assert "Arrives at planned speeds" not in page


def test_a_newest_position_that_is_not_used_is_named(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    *_, last = voyage.report(until=now - HOUR)
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    address = f"/voyages/{voyage.id}/progress"
    assert "The newest position" not in browser.get(address).text
    wrong = {"timestamp": format_instant(now), "latitude": -last["latitude"]}
    voyage.send([last | wrong])
    place = format_position(-last["latitude"], last["longitude"])
    page = unescape(browser.get(address).text)
    assert f"The newest position, {place} on {full_time(now)}, is not used: more than" in page


def test_a_ship_near_its_destination_is_said_to_finish_once_it_lies_still(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    words = "The voyage finishes by itself once a report from within 10 nm of the last waypoint"
    early_h = (parse_instant(voyage.track[-1]["time"]) - now) / HOUR + 3.0
    voyage.report(until=now, late_h=-early_h)
    departed = parse_instant(voyage.reported[0]["timestamp"])
    send(browser, voyage, "start", at=dated_time(departed))
    assert words in browser.get(f"/voyages/{voyage.id}/progress").text


def test_an_abandoned_voyage_has_no_arrival(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    voyage.report(until=now)
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    send(browser, voyage, "abandon", reason="Orders changed")
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    assert "Made good" in page
    assert "Arrives at planned speeds" not in page


def test_a_vessel_under_way_elsewhere_is_refused_with_a_link_to_that_voyage(
    voyage: Voyage, browser: Browser, plan: Plan, now: datetime
) -> None:
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    order = {"vesselId": voyage.vessel_id, "startDate": format_instant(now)}
    other = voyage.planner.order(**order)["id"]
    plan(other)
    form = {"csrf_token": browser.token(), "at": dated_time(now)}
    refused = browser.http.post(f"/voyages/{other}/start", data=form, headers=HTML)
    assert refused.status_code == 409
    assert "under way on another voyage, Rotterdam to London: finish" in refused.text
    assert f'href="/voyages/{voyage.id}/progress">Open that voyage' in refused.text


def test_the_pages_replan_a_voyage_from_its_ship_as_its_next_revision(
    voyage: Voyage, browser: Browser, plan: Plan, now: datetime
) -> None:
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    *_, last = voyage.report(until=now, late_h=0.5)
    address = f"/?replan={voyage.id}"
    assert address in browser.get(f"/voyages/{voyage.id}/progress").text
    route_page = browser.get(f"/voyages/{voyage.id}").text
    assert address in route_page
    assert "behind plan, arrives" in route_page
    shown = read_page_data(browser.get(address).text)
    asked = shown["earlier"]
    assert (asked["latFrom"], asked["startDate"]) == (last["latitude"], last["timestamp"])
    assert "next revision of this voyage" in shown["rest"]["note"]
    assert shown["rest"]["from"].startswith("Position at ")
    assert shown["rest"]["position"] == format_position(last["latitude"], last["longitude"])
    order = {name: asked[name] for name in (*CHARTING, "isAlterFrom", "vesselId")}
    sent = browser.post(shown["addresses"]["order"], order | {"speedRangeMin": 13})
    assert sent.status_code == 200, sent.text
    plan(voyage.id, 2)
    # at once, not with the progress of the former plan
    assert "</span> On plan, arrives" in browser.get(f"/voyages/{voyage.id}").text
    shown = voyage.progress()
    assert (shown["revision"], round(shown["progress"]["madeGoodNm"])) == (2, 0)
    sailed, to_go = shown["progress"]["sailedNm"], shown["progress"]["toGoNm"]
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    assert f"<dt>Sailed since departure</dt><dd>{sailed:.0f} nm" in page
    assert "<dt>Made good on revision 2</dt><dd>0 nm" in page
    assert f'aria-valuenow="{100 * sailed / (sailed + to_go):.0f}"' in page


def test_the_fuel_of_the_rest_stands_next_to_the_planned_one(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    voyage.report(until=now)
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    voyage.watch()
    outlook = voyage.progress()["outlook"]
    words = f"{mass(outlook['fuelMt'], 1)} mt, planned {mass(outlook['plannedFuelMt'], 1)} mt"
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    assert f"<dt>Fuel from here</dt><dd>{words}</dd>" in page


def test_a_voyage_that_is_not_under_way_has_no_rest_to_replan(
    voyage: Voyage, browser: Browser
) -> None:
    assert f"/?replan={voyage.id}" not in browser.get(f"/voyages/{voyage.id}").text
    refused = browser.http.get(f"/?replan={voyage.id}", headers=HTML)
    assert refused.status_code == 409


def test_the_route_page_and_the_list_say_that_a_voyage_is_under_way(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    assert "Under way</span>" not in browser.get(f"/voyages/{voyage.id}").text
    voyage.report(until=now)
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    progress = voyage.progress()["progress"]
    page = browser.get(f"/voyages/{voyage.id}").text
    assert "Under way</span>" in page
    assert read_page_data(page)["ship"]["at"] == progress["time"]
    assert "Under way</a></td>" in browser.get("/voyages").text.replace("\n", "").replace("  ", "")
    (recent,) = (
        row for row in browser.get("/chartings/live").get_json()["recent"] if row["id"] == voyage.id
    )
    assert recent["execution"] == "UNDER_WAY"


def test_the_route_page_says_how_old_the_last_position_is(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    voyage.report(until=now - 8 * HOUR, late_h=-10.0)
    departed = parse_instant(voyage.reported[0]["timestamp"])
    send(browser, voyage, "start", at=dated_time(departed))
    assert voyage.progress()["isStale"]
    age_h = (now - parse_instant(voyage.reported[-1]["timestamp"])) / HOUR
    page = browser.get(f"/voyages/{voyage.id}").text
    assert f"Position {age_h:.0f} h old</span> then " in page


def test_a_voyage_whose_departure_has_passed_shows_what_was_planned(
    planner: ApiClient, plan: Plan, worker_app: Flask, app: Flask, now: datetime
) -> None:
    passed = Voyage(planner, plan, worker_app, now - 100 * HOUR)
    page = signed_in(app, passed.organization_id).get(f"/voyages/{passed.id}/progress").text
    assert "The planned departure was more than 72 h ago" in page
    arrives = parse_instant(passed.track[-1]["time"])
    shown = full_time(arrives, now - 100 * HOUR)
    assert f"<dt>Planned arrival</dt><dd>{shown}</dd>" in page


def test_a_delay_of_more_than_a_day_is_shown_in_days_and_hours(
    app: Flask, planner: ApiClient, plan: Plan, worker_app: Flask, now: datetime
) -> None:
    voyage = Voyage(planner, plan, worker_app, now - 32 * HOUR)
    browser = signed_in(app, voyage.organization_id)
    send(browser, voyage, "start", at=dated_time(now - 6 * HOUR))
    voyage.report(until=now, late_h=26.0)
    with app.app_context():
        voyage.check_position_reports()
    behind = '<dt class="figure__label">Behind plan</dt><dd class="figure__value">1 d 2 h</dd>'
    assert behind in browser.get(f"/voyages/{voyage.id}/progress").text
    assert "1 d 2 h behind plan" in browser.get(f"/voyages/{voyage.id}").text


def test_a_ship_far_off_its_track_is_not_shown_as_almost_arrived(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    voyage.report(until=now, latitude=30.0, longitude=-40.0, speed=0)
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    progress = voyage.progress()["progress"]
    unknown = {name for name, value in progress.items() if value is None}
    assert unknown >= {"madeGoodNm", "toGoNm", "behindH", "plannedFuelMt", "nextWaypoint"}
    assert unknown >= {"speedMadeGoodKn", "etaByPlan", "etaByTrend"}
    off = figure(abs(progress["offTrackNm"]))
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    assert f"The last position is <b>{off} nm</b> off the planned track" in page
    assert f'<a href="/?replan={voyage.id}">re-plan from here</a>' in page
    assert not re.search(r'role="progressbar"|To go</dt>|Next waypoint|Planned (to|for)', page)
    assert f"{off} nm off the track" in browser.get(f"/voyages/{voyage.id}").text
    assert "Off track" in browser.get("/voyages/under-way").text


def test_a_ship_far_off_its_track_is_watched_from_its_position(
    voyage: Voyage, browser: Browser, now: datetime
) -> None:
    voyage.report(until=now - 5 * HOUR)
    send(browser, voyage, "start", at=dated_time(voyage.departs_at))
    last = voyage.reported[-1]
    aside = {"latitude": last["latitude"] - 2.0, "timestamp": format_instant(now)}
    voyage.send([last | aside])
    assert voyage.progress()["progress"]["toGoNm"] is None
    voyage.watch()
    shown = voyage.progress()
    assert shown["outlook"]["plannedFuelMt"] is None
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    assert "mt, planned" not in page
