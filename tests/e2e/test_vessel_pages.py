"""A manager reads what a vessel did in a period."""

import csv
import io
import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.orders import call
from tests.e2e.service import Service

SHIP = {
    **{"name": "Kittiwake", "dateConstructed": "2016-04-01", "dwt": 58_000, "loa": 190},
    **{"lbp": 185, "breadth": 32.26, "depth": 18, "draftDesign": 11.3, "draftScant": 12.8},
    **{"serviceSpeed": 14, "pitch": 4.6, "type": 1},
}
BEGINS = datetime(2025, 2, 20, tzinfo=UTC)


def records(hours: int) -> Iterator[dict[str, Any]]:
    """Westward along 45 N, faster and slower by turns."""
    for hour in range(hours):
        speed = 12 + 2 * math.sin(hour / 20)
        yield {
            "timestamp": (BEGINS + timedelta(hours=hour)).isoformat().replace("+00:00", "Z"),
            **{
                "latitude": round(45 - 0.03 * hour, 4),
                "longitude": round(-10 - 0.12 * hour, 4),
                "speed": speed,
            },
            **{"heading": 270, "rpm": 90, "fuelConsumption": round(0.012 * speed**3, 2)},
            **{"draft": 11, "engineLoad": 70},
        }


@pytest.fixture
def ship(service: Service) -> Iterator[str]:
    """A vessel with records, taken away afterwards."""
    vessel_id: str = call(service, "/vessel", SHIP)["id"]
    sent = list(records(400))
    assert call(service, f"/telemetry/{vessel_id}/batch", sent)["stored"] == 400
    yield vessel_id
    call(service, f"/vessel/{vessel_id}", method="DELETE")


def test_a_manager_reads_a_vessel_s_statistics_for_a_period(
    planner: Page, ship: str, tmp_path: Path
) -> None:
    planner.goto(f"/fleet/{ship}")
    planner.get_by_label("First day").fill("1 Mar 2025")
    planner.get_by_label("Last day").fill("2025-03-31")
    planner.get_by_role("button", name="Show", exact=True).click()
    expect(planner.get_by_label("Last day")).to_have_value("31 Mar 2025")
    expect(planner.locator(".ship__figures")).to_contain_text("Distance")
    expect(planner.locator(".cii__bar")).to_have_count(1)
    expect(planner.locator("path.track").first).to_be_visible()
    expect(planner.locator("#track-legend li")).to_have_count(4)
    planner.get_by_role("radio", name="Fuel").check()
    expect(planner.locator("#track-note")).to_contain_text("mt/day")
    row = planner.locator("[data-vessel][aria-current]")
    expect(row).not_to_contain_text("undefined")
    with planner.expect_download() as download:
        planner.get_by_role("link", name="CSV").click()
    download.value.save_as(tmp_path / "statistics.csv")
    (march,) = csv.DictReader(io.StringIO((tmp_path / "statistics.csv").read_text()))
    assert march["month"] == "2025-03"
    shown = planner.locator(".ship__figures .figure__value").first.inner_text()
    assert f"{float(march['distance_nm']):.0f}" in shown.replace("\u202f", "")


def test_what_looks_odd_is_reported_while_particulars_are_typed(planner: Page) -> None:
    planner.goto("/fleet/new")
    for name, value in SHIP.items():
        if name not in ("name", "type"):
            planner.locator(f"#{name}").fill(str(value))
    expect(planner.locator("#figures")).to_contain_text("Block coefficient")
    planner.locator("#pitch").fill("1")
    expect(planner.locator("#pitch-error")).to_contain_text("the pitch is")
    planner.get_by_role("link", name="Discard").click()
    expect(planner.get_by_role("link", name="Add vessel")).to_be_visible()


def test_the_night_palette_stays_and_shows_no_blue_light(home: Page, ship: str) -> None:
    home.get_by_role("button", name="Night").click()
    home.goto(f"/fleet/{ship}")
    expect(home.locator("html")).to_have_attribute("data-palette", "night")
    colours = home.evaluate(
        """() => [...document.querySelectorAll("body *")].flatMap((element) => {
            const {color, backgroundColor} = getComputedStyle(element);
            return [color, backgroundColor];
        })"""
    )
    for colour in set(colours):
        red, _, blue, *alpha = json.loads(f"[{colour[colour.index('(') + 1 : -1]}]")
        assert alpha == [0] or blue <= min(0x6A, red), colour
