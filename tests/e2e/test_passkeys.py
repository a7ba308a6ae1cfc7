"""Passkeys in a browser, with an authenticator that its developer tools simulate."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Watch
from tests.e2e.service import Service
from tests.e2e.test_admin import PASSWORD, choose_password
from tests.e2e.test_slow_first_visit import Held
from tests.waiting import PATIENCE_S

EMAIL = "passkeys@ship.example"
#: Statuses that a test provokes, which the browser logs.
PROVOKED = ("status of 401", "status of 422")


@pytest.fixture
def visitor(browser: Browser, service: Service) -> Iterator[Page]:
    """Open a page by a host name, which passkeys need; the browser has an authenticator."""
    address = service.address.replace("127.0.0.1", "localhost")
    context = browser.new_context(base_url=address, locale="en-GB")
    context.set_default_timeout(1000 * PATIENCE_S)
    page = context.new_page()
    watch = Watch(page, address)
    add_authenticator(page)
    yield page
    context.close()
    assert [fault for fault in watch.faults if not any(each in fault for each in PROVOKED)] == []


def add_authenticator(page: Page) -> None:
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def open_factors(page: Page) -> None:
    page.locator(".account summary").click()
    page.get_by_role("link", name="Second factor").click()


def sign_out(page: Page) -> None:
    page.locator(".account summary").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def give_password(page: Page) -> None:
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def use_passkey(page: Page) -> None:
    page.get_by_role("button", name="Use passkey").click()


def test_a_user_adds_a_passkey_signs_in_by_it_before_its_script_is_there_and_removes_it(
    planner: Page, visitor: Page
) -> None:
    planner.goto("/admin/users")
    planner.get_by_label("E-mail").fill(EMAIL)
    planner.get_by_role("button", name="Invite user").click()
    link = planner.get_by_label("The link").input_value()
    choose_password(visitor, link.replace("127.0.0.1", "localhost"), EMAIL)

    open_factors(visitor)
    visitor.get_by_role("button", name="Add passkey").click()
    expect(visitor.get_by_text("Enter a name, such as Bridge laptop.")).to_be_visible()
    visitor.get_by_label("Name").fill("Bridge laptop")
    visitor.get_by_role("button", name="Add passkey").click()
    codes = visitor.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    visitor.get_by_label("Name").fill("The same again")
    visitor.get_by_role("button", name="Add passkey").click()
    expect(visitor.get_by_text("This device already has a passkey")).to_be_visible()

    sign_out(visitor)
    give_password(visitor)
    expect(visitor.get_by_role("button", name="Use passkey")).to_be_focused()
    visitor.get_by_label("Recovery code").fill("not-one-of-them")
    visitor.get_by_role("button", name="Sign in", exact=True).click()
    expect(visitor.get_by_text("Wrong recovery code. Each is accepted once.")).to_be_visible()
    expect(visitor.get_by_label("Recovery code")).to_be_focused()
    use_passkey(visitor)
    visitor.wait_for_url(re.compile(r"/$"))
    sign_out(visitor)
    held = Held(visitor, "**/js/passkeys.js*")
    visitor.goto("/sign-in", wait_until="commit")
    use_passkey(visitor)
    held.release()
    visitor.wait_for_url(re.compile(r"/$"))

    visitor.goto("/account")
    visitor.context.clear_cookies()
    visitor.get_by_role("button", name="Sign out everywhere").click()
    dialog = visitor.get_by_role("dialog", name="Your session has ended")
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in").click()
    dialog.get_by_role("button", name="Use passkey").click()
    expect(visitor.get_by_role("heading", name="Sign in")).to_be_visible()
    use_passkey(visitor)
    visitor.wait_for_url(re.compile(r"/$"))

    open_factors(visitor)
    visitor.get_by_role("link", name="Remove Bridge laptop").click()
    use_passkey(visitor)
    expect(visitor.get_by_text("Protects your account")).to_be_visible()
    sign_out(visitor)
    use_passkey(visitor)
    expect(visitor.get_by_text("This passkey was not accepted.")).to_be_visible()
    give_password(visitor)
    visitor.wait_for_url(re.compile(r"/$"))
