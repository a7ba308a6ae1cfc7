"""Fleet summaries: the number of queries does not depend on the size of the fleet."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event

from app.models import utc_now
from app.records.instants import format_instant
from tests.integration.browser import Browser
from tests.integration.client import ApiClient
from tests.integration.test_telemetry import at

pytestmark = [pytest.mark.services, pytest.mark.usefixtures("redis")]


@contextmanager
def statements(app: Flask) -> Iterator[list[str]]:
    """Note each statement that goes to the database."""
    engine, noted = app.extensions["chartroom"].engine, []

    def note(_connection: Any, _cursor: Any, statement: str, *_ignored: Any) -> None:
        noted.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield noted
    event.remove(engine, "before_cursor_execute", note)


def report(planner: ApiClient, ship: str, fuel_t_per_day: float) -> None:
    """Two days of this week, reported every sixth hour."""
    began = utc_now() - timedelta(hours=100)
    records = [
        at(hour, latitude=50.0, longitude=-20.0 + 0.2 * hour, fuelConsumption=fuel_t_per_day)
        | {"timestamp": format_instant(began + timedelta(hours=hour))}
        for hour in range(0, 48, 6)
    ]
    assert planner.post(f"/telemetry/{ship}/batch", records).get_json()["stored"] == 8


@pytest.mark.parametrize("page", ["/fleet/summaries", "/fleet/{ship}"])
def test_a_larger_fleet_needs_no_more_queries(
    app: Flask, browser: Browser, planner: ApiClient, page: str
) -> None:
    counts = []
    for more in (2, 10):
        for _ in range(more):
            ship = planner.make_vessel()["id"]
            report(planner, ship, 24.0)
        address = page.format(ship=ship)
        browser.get(address)
        with statements(app) as noted:
            assert browser.get(address).status_code == 200
        counts.append(len(noted))
    few, many = counts
    assert few == many


def test_each_vessel_has_its_own_figures(browser: Browser, planner: ApiClient) -> None:
    ships = [planner.make_vessel()["id"] for _ in range(10)]
    for number, ship in enumerate(ships, start=1):
        report(planner, ship, float(number))
    found = browser.get("/fleet/summaries").get_json()["vessels"]
    first = found[ships[0]]["kgPerNm"]
    assert [found[ship]["kgPerNm"] for ship in ships] == pytest.approx(
        [number * first for number in range(1, 11)], rel=1e-3
    )
