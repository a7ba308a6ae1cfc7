"""The form of one noon report: what it stores, refuses and keeps."""

import re
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.models import Role
from app.pages.views.noon_report_form import GROUPS
from app.records.noon_report import BY_NAME
from tests.integration.browser import HTML, Browser, signed_in
from tests.integration.client import ApiClient

REPORT = {
    "timestamp": "2 Mar 2026 12:00",
    "reportType": "NOON",
    "latitude": "48-30.5 N",
    "longitude": "012°15,0' W",
    "steamingHours": "24:30",
    "distance": "312,5",
    "speedOverGround": "12,8",
    "fuelLsfo": "21,5",
    "windFrom": "SW",
    "windBeaufort": "5-6",
    "windSpeed": "21",
    "remarks": "Slowed down.\r\nHeavy head sea.",
}


class Desk:
    """A browser at the form of a vessel's noon reports."""

    def __init__(self, browser: Browser, planner: ApiClient) -> None:
        self.browser, self.planner = browser, planner
        self.vessel_id = planner.make_vessel()["id"]
        self.list_path = f"/fleet/{self.vessel_id}/noon-reports"

    def send(self, *, query: str = "", **typed: str) -> TestResponse:
        form = REPORT | typed | {"csrf_token": self.browser.token()}
        return self.browser.http.post(f"{self.list_path}/new{query}", data=form, headers=HTML)

    def list_stored(self) -> list[dict[str, Any]]:
        answer = self.planner.get(f"/vessel/{self.vessel_id}/noon-reports")
        stored: list[dict[str, Any]] = answer.get_json()["items"]
        return stored


@pytest.fixture
def desk(browser: Browser, planner: ApiClient) -> Desk:
    return Desk(browser, planner)


def errors_in(page: str) -> dict[str, str]:
    """Return the messages at the fields of a page."""
    found = re.findall(
        r'field--wrong" data-field="(\w+)">.*?class="field__error" id="[^"]*">([^<]*)<',
        page,
        re.DOTALL,
    )
    return {name: unescape(words) for name, words in found}


def test_every_value_of_a_report_has_one_field() -> None:
    shown = [name for _, names in GROUPS for name in names]
    assert sorted(shown) == sorted(BY_NAME)


def test_a_typed_report_is_stored_as_one_of_a_file_is(desk: Desk) -> None:
    sent = desk.send()
    assert (sent.status_code, sent.location) == (
        302,
        f"{desk.list_path}?entered=2026-03-02T12:00:00Z",
    )
    (stored,) = desk.list_stored()
    wanted = {
        "timestamp": "2026-03-02T12:00:00Z",
        "reportType": "NOON",
        "latitude": pytest.approx(48.508333, abs=1e-6),
        "longitude": -12.25,
        "steamingHours": 24.5,
        "distance": 312.5,
        "speedOverGround": 12.8,
        "fuelLsfo": 21.5,
        "fuel": 21.5,
        "windFrom": 225,
        "windBeaufort": 5.5,
        "windSpeed": pytest.approx(21 * 1852 / 3600),
        "remarks": REPORT["remarks"],
    }
    assert {name: stored[name] for name in wanted} == wanted
    assert all(stored[name] is None for name in BY_NAME.keys() - wanted.keys())
    page = desk.browser.get(sent.location).text
    assert "The report of 2 Mar 2026 12:00 UTC is stored." in page


def test_the_same_report_sent_twice_is_stored_once(desk: Desk) -> None:
    assert desk.send().status_code == desk.send().status_code == 302
    assert len(desk.list_stored()) == 1


def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(desk: Desk) -> None:
    wrong = {"timestamp": "noon", "latitude": "95 N", "fuelLsfo": "-3", "distance": "far"}
    refused = desk.send(**wrong)
    assert refused.status_code == 422
    assert errors_in(refused.text) == {
        "timestamp": "Enter a time in UTC, like 14 Jan 2026 12:00.",
        "latitude": "Enter -90 to 90.",
        "fuelLsfo": "Enter 0 to 500.",
        "distance": "Enter a number.",
    }
    for text in (*wrong.values(), "24:30", "5-6", "Heavy head sea."):
        assert text in unescape(refused.text)
    assert desk.list_stored() == []


def test_a_form_without_a_time_asks_for_it(desk: Desk) -> None:
    assert errors_in(desk.send(timestamp="").text) == {
        "timestamp": "Enter a time in UTC, like 14 Jan 2026 12:00."
    }


@pytest.mark.parametrize(
    ("typed", "field", "words"),
    [
        ({"speedOverGround": "23.6"}, "speedOverGround", "Looks like km/h given as knots"),
        ({"fuelLsfo": ""}, "fuel", "Is blank: a report at sea that has no fuel."),
        ({"fuel": "30"}, "fuel", "Is not the sum of its grades, 21.5 mt."),
        ({"timestamp": "2100-01-01 12:00"}, "timestamp", "Lies in the future."),
        ({"timestamp": "1 Mar 1999 12:00"}, "timestamp", "Lies before 2000."),
    ],
)
def test_a_contradiction_is_refused_as_in_a_file(
    desk: Desk, typed: dict[str, str], field: str, words: str
) -> None:
    assert errors_in(desk.send(**typed).text)[field].startswith(words)
    assert desk.list_stored() == []


def test_a_different_report_of_a_stored_time_is_refused(desk: Desk) -> None:
    desk.send()
    refused = errors_in(desk.send(distance="310", speedOverGround="12.7").text)
    assert refused["timestamp"].startswith("Another report is stored for this time")
    assert len(desk.list_stored()) == 1


def test_a_report_entered_from_a_voyage_leads_back_to_it(desk: Desk) -> None:
    voyage_id = UUID(int=1)
    sent = desk.send(query=f"?voyage={voyage_id}")
    assert sent.location.startswith(f"/voyages/{voyage_id}/progress?entered=")


def test_masters_enter_reports_but_viewers_do_not(
    app: Flask, organization_id: UUID, planner: ApiClient
) -> None:
    master = Desk(signed_in(app, organization_id, Role.MASTER), planner)
    assert master.send().location.startswith(f"{master.list_path}?entered=")
    assert len(master.list_stored()) == 1
    viewer = Desk(signed_in(app, organization_id, Role.VIEWER), planner)
    assert viewer.send().status_code == 403
    assert viewer.browser.http.get(f"{viewer.list_path}/new", headers=HTML).status_code == 403


def test_the_vessel_of_another_organization_is_out_of_reach(
    app: Flask, other_organization_id: UUID, planner: ApiClient
) -> None:
    outsider = Desk(signed_in(app, other_organization_id, Role.ADMIN), planner)
    assert outsider.send().status_code == 404
    assert outsider.list_stored() == []
