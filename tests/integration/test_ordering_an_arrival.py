"""Choosing an arrival by its fuel on the route page."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from app.models import ChartingRevision, Role
from app.records.instants import format_instant, parse_instant
from app.services.platform.sessions import operator_session
from tests.integration.browser import Browser, signed_in
from tests.integration.client import ApiClient
from tests.integration.voyages import Plan

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

HOURS_LATER = (-1, 0, 2, 4, 6)


@pytest.fixture
def charting(app: Flask, organization_id: UUID, planner: ApiClient, plan: Plan) -> dict[str, Any]:
    """A planned charting whose plan is kept with a front of five arrivals."""
    charting_id = planner.order()["id"]
    plan(charting_id)
    ordered: dict[str, Any] = planner.get(f"/charting/{charting_id}").get_json()
    keep_front(app, organization_id, charting_id, ordered["summary"])
    return ordered


def keep_front(
    app: Flask, organization_id: UUID, charting_id: str, summary: dict[str, Any]
) -> None:
    front = [
        {
            "eta": later(summary, hours),
            "durationH": summary["durationH"] + hours,
            "fuelMt": summary["fuelMt"] * (1 - hours / 100),
            "distanceNm": summary["distanceNm"],
            "avgSpeedKn": summary["distanceNm"] / (summary["durationH"] + hours),
        }
        for hours in HOURS_LATER
    ]
    with app.app_context(), operator_session(organization_id) as session:
        revision = session.get(ChartingRevision, (UUID(charting_id), 1))
        assert revision
        revision.plan = (revision.plan or {}) | {"front": front}


def later(summary: dict[str, Any], hours: int) -> str:
    return format_instant(parse_instant(summary["eta"]) + timedelta(hours=hours))


def order(browser: Browser, charting: dict[str, Any], hours: int) -> Any:
    body = {"endDate": later(charting["summary"], hours)}
    return browser.post(f"/voyages/{charting['id']}/arrival", body)


def test_the_page_offers_the_arrivals_with_the_routes_own_chosen(
    browser: Browser, charting: dict[str, Any]
) -> None:
    page = browser.get(f"/voyages/{charting['id']}").text
    assert page.count('name="arrival"') == len(HOURS_LATER)
    assert page.count("data-planned checked") == 1
    assert "4 h 00 min later, saves" in page
    assert "Plan with this arrival" in page


def test_a_route_without_other_arrivals_shows_no_empty_plot(
    app: Flask, organization_id: UUID, browser: Browser, charting: dict[str, Any]
) -> None:
    with app.app_context(), operator_session(organization_id) as session:
        revision = session.get(ChartingRevision, (UUID(charting["id"]), 1))
        assert revision
        revision.plan = (revision.plan or {}) | {"front": []}
    assert "Fuel against arrival" not in browser.get(f"/voyages/{charting['id']}").text


def test_a_chosen_arrival_is_ordered_as_the_next_revision(
    browser: Browser, planner: ApiClient, charting: dict[str, Any]
) -> None:
    assert order(browser, charting, 4).get_json() == {"revision": 2}
    anew = planner.get(f"/charting/{charting['id']}?revision=2").get_json()
    assert (anew["status"], anew["latestRevision"]) == ("QUEUED", 2)
    assert anew["endDate"] == later(charting["summary"], 4)
    unchanged = ("startDate", "vesselId", "speedRangeMin", "speedRangeMax", "draft", "routeType")
    assert {name: anew[name] for name in unchanged} == {name: charting[name] for name in unchanged}


def test_an_arrival_is_ordered_with_the_least_fuel_whatever_was_asked_before(
    app: Flask, organization_id: UUID, browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    charting_id = planner.order(optimizationType="ETA")["id"]
    plan(charting_id)
    ordered = planner.get(f"/charting/{charting_id}").get_json()
    assert order(browser, ordered, 4).status_code == 200
    anew = planner.get(f"/charting/{charting_id}?revision=2").get_json()
    assert anew["optimizationType"] == "FUEL"


def test_an_arrival_before_the_departure_is_refused_and_nothing_ordered(
    browser: Browser, planner: ApiClient, charting: dict[str, Any]
) -> None:
    refused = order(browser, charting, -1000)
    assert refused.status_code == 422
    assert planner.get(f"/charting/{charting['id']}").get_json()["latestRevision"] == 1


def test_who_only_reads_chooses_no_arrival(
    app: Flask, organization_id: UUID, charting: dict[str, Any]
) -> None:
    reader = signed_in(app, organization_id, Role.VIEWER)
    page = reader.get(f"/voyages/{charting['id']}").text
    assert "Fuel against arrival" in page
    assert "Plan with this arrival" not in page
    assert order(reader, charting, 4).status_code == 403
