"""Entry of one noon report in a form."""

import re

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.e2e.screens import SCREENS
from tests.e2e.service import Service
from tests.e2e.test_accessibility import on_every_screen
from tests.e2e.test_importing_noon_reports import ship
from tests.waiting import PATIENCE_S

__all__ = ["ship"]

PHONE = SCREENS[-1]


def fill(page: Page, **values: str) -> None:
    for label, text in values.items():
        page.get_by_label(label.replace("_", " ").capitalize(), exact=True).fill(text)


@pytest.mark.refused(422)
def test_an_error_is_corrected_at_its_field_and_the_report_is_listed(
    ship: str, planner: Page
) -> None:
    planner.goto(f"/fleet/{ship}/noon-reports")
    planner.get_by_role("link", name="Enter a report").click()
    planner.locator("#timestamp").fill("2026-03-02 1200")
    fill(planner, latitude="48 30.5 N", longitude="012 15 W", steaming_hours="24")
    expect(planner.locator("#timestamp")).to_have_value("2 Mar 2026 12:00")
    fill(planner, distance="312", speed_over_ground="24")
    planner.get_by_label("Main engine's fuel").fill("21,5")
    assert on_every_screen(planner) == []

    planner.get_by_role("button", name="Save report").click()
    speed = planner.get_by_label("Speed over ground")
    expect(speed).to_be_focused()
    expect(speed).to_have_accessible_description(re.compile("Looks like km/h given as knots"))
    expect(planner.get_by_label("Distance", exact=True)).to_have_value("312")
    assert on_every_screen(planner) == []
    speed.fill("13")
    speed.press("Enter")
    expect(planner.get_by_text("The report of 2 Mar 2026 12:00 UTC is stored.")).to_be_visible()
    expect(planner.get_by_role("row", name="2 Mar 2026 12:00")).to_contain_text("48°30.500'N")


def test_a_report_is_entered_on_a_phone_without_scripts(
    ship: str, service: Service, browser: Browser, signed_in: StorageState
) -> None:
    context = browser.new_context(
        base_url=service.address,
        storage_state=signed_in,
        java_script_enabled=False,
        viewport={"width": PHONE.width, "height": PHONE.height},
        has_touch=True,
    )
    context.set_default_timeout(1000 * PATIENCE_S)
    page = context.new_page()
    page.goto(f"/fleet/{ship}/noon-reports/new")
    page.locator("#timestamp").fill("2 Mar 2026 12:00")
    fill(page, latitude="48 30.5 N", longitude="012 15 W", distance="far")
    page.get_by_label("Main engine's fuel").fill("21.5")
    page.get_by_role("button", name="Save report").tap()
    expect(page.get_by_text("Enter a number.")).to_be_visible()
    expect(page.locator("#timestamp")).to_have_value("2 Mar 2026 12:00")
    fill(page, distance="312")
    page.get_by_role("button", name="Save report").tap()
    expect(page.get_by_text("The report of 2 Mar 2026 12:00 UTC is stored.")).to_be_visible()
    context.close()
