"""Cancelling of planning on the chart page, in the list of voyages and on the route page."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import mouse_and_touch
from tests.e2e.orders import call, wait_for_status
from tests.e2e.screens import Screen
from tests.e2e.service import Service

#: Voyages long enough to cancel their planning.
FAR = {
    **{"latFrom": 51.98, "lngFrom": 4.0, "portFromName": "Rotterdam"},
    **{"latTo": 35.2, "lngTo": 139.75, "startDate": "2026-03-01T06:00:00Z"},
    **{"speedRangeMin": 11, "speedRangeMax": 14, "draft": 12, "trim": 0, "rpm": 110},
    **{"dwt": 70_000, "optimizationType": "FUEL", "routeType": "WX"},
}


def ask(service: Service, port: str) -> str:
    vessel = call(service, "/vessel")["items"][0]
    own = {"vesselId": vessel["id"], "lbp": vessel["lbp"], "pitch": vessel["pitch"]}
    made: dict[str, Any] = call(service, "/charting", FAR | own | {"portToName": port})
    charting_id: str = made["id"]
    return charting_id


def press(button: Locator, screen: Screen) -> None:
    if screen.has_touch:
        button.tap()
    else:
        button.focus()
        button.press("Enter")


def cancel_of(page: Page, port: str) -> Locator:
    return page.get_by_role("button", name=f"Cancel planning Rotterdam to {port}")


@mouse_and_touch
def test_planning_is_cancelled_on_every_page_that_shows_it(
    reader: Page, service: Service, screen: Screen
):
    place = screen.width
    with service.halted_workers():
        first, *_ = (ask(service, f"{name}{place}") for name in ("Kobe", "Chiba", "Tokyo"))
        reader.goto("/")
        row = reader.locator("#list-active tr", has_text=f"Tokyo{place}")
        expect(row).to_contain_text(re.compile("Number \\d+ in the queue"))
        press(cancel_of(reader, f"Tokyo{place}"), screen)
        expect(row).to_have_count(0)
        reader.goto("/voyages")
        row = reader.locator("tr", has_text=f"Chiba{place}")
        expect(row).to_contain_text(re.compile("number \\d+ in the queue"))
        press(cancel_of(reader, f"Chiba{place}"), screen)
        expect(row).to_contain_text("Cancelled")
        reader.goto(f"/voyages/{first}")
        expect(reader.locator("#planning")).to_contain_text("Waiting to be planned")
    wait_for_status(service, first, {"RUNNING"})
    press(reader.get_by_role("button", name="Cancel", exact=True), screen)
    expect(reader.locator("main")).to_contain_text("Planning was cancelled")
    # the words come before the chart: above it on a phone, left of it on a desktop
    words = reader.get_by_text("Planning was cancelled").bounding_box()
    chart = reader.locator(".chart").bounding_box()
    assert words
    assert chart
    before = "y" if screen.has_touch else "x"
    assert words[before] < chart[before]
    assert call(service, f"/charting/{first}")["status"] == "CANCELLED"
