"""Sign-in by invitation, with a second factor, and by OpenID."""

import re
import time

import pyotp
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.screens import USUAL
from tests.e2e.service import Service
from tests.e2e.test_admin import choose_password
from tests.openid_provider import Provider

EMAIL = "second@ship.example"


def code_of(secret: str, steps: int) -> str:
    """Return the current code of the authenticator, or the next one within the allowed drift."""
    return pyotp.TOTP(secret).generate_otp(int(time.time()) // 30 + steps)


def code_field(page: Page) -> Locator:
    return page.get_by_role("textbox", name=re.compile("^Code"))


@pytest.mark.refused(401)
def test_an_invited_user_sets_up_an_authenticator_and_signs_in_with_it(
    planner: Page, open_page: OpenPage
) -> None:
    planner.goto("/admin/users")
    planner.get_by_label("E-mail").fill(EMAIL)
    planner.get_by_role("button", name="Invite user").click()
    link = planner.get_by_label("The link").input_value()
    page = open_page(USUAL)
    choose_password(page, link, EMAIL)
    page.locator(".account summary").click()
    page.get_by_role("link", name="Second factor").click()
    expect(page.get_by_role("img", name="QR code for the authenticator")).to_be_visible()
    page.get_by_text("Enter the secret by hand").click()
    secret = page.locator("[data-factor-secret]").inner_text()
    code_field(page).fill("000000")
    page.get_by_role("button", name="Use this authenticator").click()
    expect(page.get_by_text("Wrong code. Enter the one that the authenticator")).to_be_visible()
    code_field(page).fill(code_of(secret, 0))
    page.get_by_role("button", name="Use this authenticator").click()
    codes = page.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    recovery = codes.first.inner_text()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text(re.compile("Copied|Press Ctrl"))).to_be_visible()

    page.locator(".account summary").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill("moored fore and aft with springs")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(code_field(page)).to_be_focused()
    code_field(page).fill(recovery)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(re.compile(r"/$"))


def test_a_person_signs_in_by_the_organizations_provider(
    browser: Browser, service: Service, provider: Provider
) -> None:
    provider.person = {
        "sub": "anna",
        "email": "anna@vos.example",
        "email_verified": True,
        "name": "Anna Vos",
        "roles": ["office"],
    }
    # A separate context, because the browser visits the provider's host.
    context = browser.new_context(base_url=service.address)
    page = context.new_page()
    page.goto("/sign-in?next=/voyages")
    page.get_by_role("link", name="Sign in with Vos Shipping").click()
    page.wait_for_url(re.compile(r"/voyages$"))
    expect(page.locator(".account summary")).to_contain_text("Anna Vos")
    expect(page.locator(".account summary")).to_contain_text("Planner")
    context.close()


def test_admins_see_usage_and_what_is_to_be_erased(planner: Page) -> None:
    planner.goto("/admin/data")
    expect(planner.get_by_text("Active route requests")).to_be_visible()
    erase = planner.get_by_role("button", name="Erase", exact=True)
    subject, dialog = planner.get_by_label("What"), planner.get_by_role("dialog")
    erase.click()
    assert subject.evaluate("(select) => select.matches(':invalid')")
    expect(dialog).to_have_count(0)
    vessel = subject.locator("optgroup[label=Vessels] option").first
    subject.select_option(vessel.get_attribute("value"))
    erase.click()
    expect(dialog).to_contain_text(f"Erase vessel {vessel.inner_text()} and everything")
    dialog.get_by_role("button", name="Cancel").click()
    subject.select_option(label=subject.locator("option", has_text="All data of").inner_text())
    erase.click()
    expect(dialog).to_contain_text("Erase all data of ")
    expect(dialog).to_contain_text("They stay in use and are erased in ")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name="Erase").click()
    row = planner.get_by_role("row", name=re.compile("Organization"))
    expect(row).to_contain_text("Due")
    row.get_by_role("button", name="Cancel erasure").click()
    expect(row).to_have_count(0)
    expect(planner.get_by_text("Erasure cancelled.")).to_be_visible()
