"""The focus of users who work by keyboard."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.service import Service
from tests.e2e.test_cancelling_planning import ask, cancel_of


def fill_by_keys(field: Locator, typed: str) -> None:
    field.focus()
    field.page.keyboard.type(typed)


@pytest.mark.refused(401)
def test_after_a_wrong_password_the_next_one_can_be_typed_at_once(
    page: Page, service: Service
) -> None:
    page.goto("/sign-in")
    expect(page.get_by_label("E-mail")).to_be_focused()
    page.keyboard.type(service.email)
    page.keyboard.press("Tab")
    page.keyboard.type("not the password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Wrong e-mail address")).to_be_visible()
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type(service.password)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Plan route")).to_be_visible()


@pytest.mark.refused(422)
def test_after_a_refused_form_the_first_refused_field_has_the_focus(planner: Page) -> None:
    planner.goto("/account")
    planner.get_by_label("Current password").first.fill("whatever it is")
    planner.get_by_role("button", name="Change password").press("Enter")
    refused = planner.get_by_label("New password")
    expect(refused).to_have_attribute("aria-invalid", "true")
    expect(refused).to_be_focused()


def test_after_cancelling_a_planning_the_focus_stays_in_its_list(
    home: Page, service: Service
) -> None:
    with service.halted_workers():
        ask(service, "Osaka")
        home.reload()
        cancel = cancel_of(home, "Osaka")
        cancel.focus()
        home.keyboard.press("Enter")
        expect(cancel).to_have_count(0)
        expect(home.get_by_role("tab", name="Active")).to_be_focused()


def test_the_ports_are_listed_again_after_escape(home: Page) -> None:
    port = home.get_by_role("combobox", name="From")
    fill_by_keys(port, "rotterdam")
    options = home.get_by_role("listbox").get_by_role("option")
    expect(options.first).to_be_visible()
    home.keyboard.press("Escape")
    expect(options).to_have_count(0)
    home.keyboard.press("ArrowDown")
    expect(options.first).to_contain_text("Rotterdam")
    home.keyboard.press("Enter")
    expect(port).to_have_value("Rotterdam")


def test_escape_leads_back_from_the_chart_to_what_was_left(home: Page) -> None:
    chart = home.get_by_role("application", name="Chart of the world's seas")
    port = home.get_by_role("combobox", name="From")
    fill_by_keys(port, "rotterdam")
    expect(home.get_by_role("listbox").get_by_role("option").first).to_be_visible()
    home.keyboard.press("ArrowUp")
    home.keyboard.press("Enter")
    expect(chart).to_be_focused()
    home.keyboard.press("Escape")
    expect(port).to_be_focused()

    draw = home.get_by_role("button", name="Draw no-go area")
    draw.press("Enter")
    expect(chart).to_be_focused()
    home.keyboard.press("Escape")
    expect(draw).to_be_focused()
    draw.press("Enter")
    home.locator("#draw-prompt").get_by_role("button", name="Stop").press("Enter")
    expect(draw).to_be_focused()


def test_escape_closes_the_layers(home: Page) -> None:
    layers = home.get_by_role("button", name="Layers")
    layers.press("Enter")
    switch = home.get_by_role("switch", name="Zones")
    expect(switch).to_be_focused()
    home.keyboard.press("Escape")
    expect(switch).to_be_hidden()
    expect(layers).to_be_focused()
    expect(layers).to_have_attribute("aria-expanded", "false")
