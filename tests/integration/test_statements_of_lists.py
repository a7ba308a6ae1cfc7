"""Lists of voyages: the number of statements does not depend on the number of rows."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from app.records.instants import format_instant
from tests.integration.browser import HTML, Browser
from tests.integration.client import ApiClient
from tests.integration.test_fleet_summaries import statements
from tests.integration.test_vessel_statistics import sail_planned

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

Plan = Callable[..., None]


def count_statements(app: Flask, browser: Browser, address: str, *shown: str) -> int:
    """Count the statements of a page that shows some voyages."""
    browser.get(address)
    with statements(app) as noted:
        page = browser.get(address)
    assert page.status_code == 200
    assert all(each in page.text for each in shown)
    return len(noted)


def test_more_voyages_under_way_need_no_more_statements(
    app: Flask, browser: Browser, planner: ApiClient, plan: Plan, now: datetime
) -> None:
    counts, started = [], []
    for _ in range(2):
        ordered = planner.order(startDate=format_instant(now - timedelta(hours=6)))["id"]
        plan(ordered)
        assert planner.post(f"/charting/{ordered}/start", {}).status_code == 200
        started.append(ordered)
        counts.append(count_statements(app, browser, "/voyages/under-way", *started))
    assert counts[0] == counts[1]


def test_more_compared_voyages_need_no_more_statements(
    app: Flask, browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    counts, sailed = [], []
    ship: dict[str, Any] = {"vesselId": planner.make_vessel()["id"]}
    for day in (1, 20):
        departs_at = format_instant(datetime(2026, 3, day, 12, tzinfo=UTC))
        ordered = planner.order(startDate=departs_at, **ship)["id"]
        plan(ordered)
        sail_planned(planner, ordered)
        sailed.append(ordered)
        counts.append(count_statements(app, browser, f"/fleet/{ship['vesselId']}", *sailed))
        stats = planner.get(f"/vessel/{ship['vesselId']}/stats").get_json()
        assert len(stats["predictedVsActual"]) == len(sailed)
    assert counts[0] == counts[1]


def test_more_selected_voyages_are_read_by_no_more_statements(
    app: Flask, browser: Browser, planner: ApiClient
) -> None:
    ids = [planner.order()["id"] for _ in range(3)]
    counts = []
    for chosen in (ids[:1], ids):
        form = {"csrf_token": browser.token(), "act": "restore", "id": chosen}
        with statements(app) as noted:
            assert browser.http.post("/voyages/selected", data=form, headers=HTML).location
        counts.append(len(noted))
    assert counts[0] == counts[1]
