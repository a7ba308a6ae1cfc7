"""The planning form as it was left, when the user comes back to it."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.service import Service
from tests.e2e.test_planning_form import WARNING, fill_in_voyage, make_charting, submit


def fill_in(page: Page) -> None:
    fill_in_voyage(page)
    page.get_by_role("switch", name="Avoid piracy areas").uncheck()
    page.get_by_text("Balanced").click()
    page.get_by_text("Paste no-go area coordinates").click()
    page.get_by_label("Coordinates of the corners").fill(WARNING)
    page.get_by_role("button", name="Add area").click()
    expect(page.locator("#no-go-areas li")).to_have_count(1)


def test_a_form_that_was_left_is_found_again_until_it_is_planned(home: Page) -> None:
    fill_in(home)
    home.get_by_role("link", name="Voyages").first.click()
    home.wait_for_url("**/voyages")
    home.go_back()
    expect(home.get_by_role("combobox", name="To")).to_have_value("Vlissingen")
    expect(home.locator("path.zone-no-go")).to_have_count(1)
    sent = submit(home)
    assert (sent["nidTo"], sent["latFrom"], sent["draft"]) == ("NLVLI", pytest.approx(49.905), 9.87)
    assert (sent["avoidPiracyAreas"], sent["avoidWarZones"]) == (False, True)
    assert (sent["optimizationType"], len(sent["noGoAreas"])) == ("BAL", 1)
    home.reload()
    expect(home.get_by_label("Draught")).not_to_have_value("9.87")
    expect(home.get_by_role("combobox", name="To")).to_have_value("")


def test_a_form_that_was_left_is_found_again_until_it_is_reset(home: Page) -> None:
    fill_in(home)
    home.reload()
    expect(home.get_by_role("combobox", name="To")).to_have_value("Vlissingen")
    home.get_by_role("button", name="Reset").click()
    expect(home.get_by_role("combobox", name="To")).to_have_value("")
    home.reload()
    expect(home.get_by_role("combobox", name="To")).to_have_value("")
    expect(home.locator("#no-go-areas li")).to_have_count(0)


def test_changes_to_a_copied_request_are_found_again_by_going_back(
    home: Page, service: Service
) -> None:
    made = make_charting(service)
    home.goto(f"/?again={made['id']}")
    expect(home.get_by_label("Draught")).to_have_value("10.25")
    home.get_by_label("Draught").fill("9.87")
    home.goto("/voyages")
    home.go_back()
    expect(home.get_by_label("Draught")).to_have_value("9.87")
    expect(home.get_by_role("combobox", name="To")).to_have_value("London")
    home.goto("/voyages")
    home.goto(f"/?again={made['id']}")
    expect(home.get_by_label("Draught")).to_have_value("10.25")
    home.goto("/")
    expect(home.get_by_role("combobox", name="To")).to_have_value("")
