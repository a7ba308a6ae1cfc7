"""Where the focus is for users who work by keyboard."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.service import Service


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
