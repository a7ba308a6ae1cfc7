"""Comparison of departures on the route page."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.orders import ORDERS, call, order, wait_for_status
from tests.e2e.service import Service
from tests.e2e.test_accessibility import on_every_screen
from tests.e2e.test_planning_a_route import choose_port

WINDOW = {"departFrom": "1 Mar 2026 06:00", "departTo": "2 Mar 2026 06:00", "departStepH": "12"}
FIRST, SECOND, LAST = "2026-03-01T06:00:00Z", "2026-03-01T18:00:00Z", "2026-03-02T06:00:00Z"


@pytest.fixture(scope="module")
def voyage(service: Service) -> str:
    """Plan a voyage whose departures are compared anew by each test."""
    return order(service, ORDERS["Rotterdam to Lisbon"])


def ask_for(page: Page, **window: str) -> None:
    section = page.locator("#departures")
    section.locator("summary", has_text="Compare").click()
    for name, text in (WINDOW | window).items():
        section.locator(f"[name={name}]").fill(text)
    section.get_by_role("button", name="Compare", exact=True).click()


def test_a_voyage_ordered_with_a_window_fills_its_strip_and_another_departure_is_planned(
    planner: Page, service: Service
) -> None:
    planner.goto("/")
    choose_port(planner, "From", "Rotterdam")
    choose_port(planner, "To", "Lisbo")
    planner.get_by_text("Compare departures").click()
    for name, text in WINDOW.items():
        planner.locator(f"#order [name={name}]").fill(text)
    with planner.expect_response(lambda answer: answer.request.method == "POST") as sent:
        planner.get_by_role("button", name="Plan route").click()
    charting_id = sent.value.json()["id"]
    wait_for_status(service, charting_id, {"COMPLETED"})
    planner.goto(f"/voyages/{charting_id}")
    departures = planner.locator("#departures")
    expect(departures.get_by_role("radio")).to_have_count(3)
    # there is no forecast, and in the climatology one day is like another
    expect(departures.locator(".note")).to_contain_text("No departure is better")
    expect(departures.get_by_role("radio", name=re.compile("^Best: "))).to_have_count(0)
    found = call(service, f"/charting/{charting_id}/departures")["departures"]
    shown = [
        text.replace("\u202f", "") for text in departures.locator(".departure b").all_inner_texts()
    ]
    assert shown == [f"{each['fuelMt']:.1f}" for each in found]

    departures.locator(f"label:has([value='{SECOND}'])").click()
    expect(departures.locator("[data-departure-words]")).to_contain_text("Sun 1 Mar 2026 18:00 UTC")
    departures.get_by_role("button", name="Plan this departure").click()
    expect(planner.get_by_text("Departs Sun 1 Mar 2026 18:00 UTC")).to_be_visible()
    planned = wait_for_status(service, charting_id, {"COMPLETED"})
    assert (planned["startDate"], planned["revision"]) == (SECOND, 2)
    planner.reload()
    expect(departures.get_by_role("radio")).to_have_count(3)


def test_a_voyage_without_a_route_is_planned_for_another_departure(
    planner: Page, service: Service
) -> None:
    off_lisbon = [[-10.0, 38.0], [-9.0, 38.0], [-9.0, 39.0], [-10.0, 39.0], [-10.0, 38.0]]
    # for longer than a ship of the first departure waits
    closed = {
        "type": "Feature",
        "properties": {"start_date": "2026-02-20", "end_date": "2026-03-20"},
        "geometry": {"type": "Polygon", "coordinates": [off_lisbon]},
    }
    ends = ORDERS["Rotterdam to Lisbon"]
    charting_id = order(service, ends, status="FAILED", noGoAreas=[closed])
    planner.goto(f"/voyages/{charting_id}")
    ask_for(planner, departTo="6 Mar 2026 06:00")
    departures = planner.locator("#departures")
    departures.locator("label:has([value='2026-03-06T06:00:00Z'])").click()
    departures.get_by_role("button", name="Plan this departure").click()
    # the failed revision is read until this one has been requested
    expect(planner.get_by_text("Departs Fri 6 Mar 2026 06:00 UTC")).to_be_visible()
    planned = wait_for_status(service, charting_id, {"COMPLETED"})
    assert planned["startDate"] == "2026-03-06T06:00:00Z"


@pytest.mark.refused(422)
def test_a_window_that_cannot_be_is_told_at_its_field_and_another_is_cancelled(
    planner: Page, voyage: str
) -> None:
    planner.goto(f"/voyages/{voyage}")
    ask_for(planner, departTo="28 Feb 2026 06:00")
    wrong = planner.locator("#departures [data-field=departTo]")
    expect(wrong).to_contain_text("lies before the first departure")
    expect(planner.locator("#departures [name=departTo]")).to_have_attribute("aria-invalid", "true")
    planner.locator("#departures [name=departTo]").fill("10 Mar 2026 06:00")
    planner.locator("#departures [name=departStepH]").fill("1")
    section = planner.locator("#departures")
    section.get_by_role("button", name="Compare", exact=True).press("Enter")
    expect(section.get_by_role("radio")).to_have_count(217)
    expect(section.locator("summary")).to_be_focused()
    cancel = section.get_by_role("button", name="Cancel")
    cancel.focus()
    cancel.evaluate("(button) => (button.dataset.former = '')")
    # The button of the departures that are shown next.
    expect(section.locator("[data-cancel-departures]:not([data-former])")).to_be_focused()
    cancel.press("Enter")
    expect(section).to_contain_text("Cancelled, ")
    expect(section.locator("summary")).to_be_focused()


def test_compared_departures_fit_every_screen_and_axe_finds_nothing_serious(
    planner: Page, voyage: str
) -> None:
    planner.goto(f"/voyages/{voyage}")
    ask_for(planner)
    expect(planner.locator("#departures .note")).to_contain_text("No departure is better")
    planner.locator("#departures label").first.click()
    expect(planner.get_by_role("button", name="Plan this departure")).to_be_visible()
    assert on_every_screen(planner) == []
