"""Open pages whose session has ended, in a browser whose requests the application answers."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from flask import Flask
from playwright.sync_api import Locator, Page, Route, expect, sync_playwright
from setup_steps import find_chromium

from app.models import Role
from app.pages.views import sign_in
from app.services.identity import users
from app.services.platform.sessions import operator_session
from tests.integration.browser import PASSWORD, Browser, signed_in
from tests.integration.client import ApiClient
from tests.integration.test_openid import MakeApp, colleague_of, make_app, name, provider
from tests.integration.test_openid import sign_in as sign_in_by_provider
from tests.integration.test_passkeys import register
from tests.integration.test_second_factor import set_up
from tests.openid_provider import Provider
from tests.software_authenticator import SoftwareAuthenticator

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(1800),
    pytest.mark.usefixtures("redis"),
]

__all__ = ["make_app", "name", "provider"]

ADDRESS = "http://localhost"
OTHER_PASSWORD = "another sea and a star"


def drive(browser: Browser, act: Callable[[Page], None]) -> None:
    """Act on a page whose requests the application answers in a browser's session.

    In a thread, because Playwright runs once in each, and may run for other tests already.
    """
    with ThreadPoolExecutor(1) as thread:
        thread.submit(_drive, browser, act).result()


def _drive(browser: Browser, act: Callable[[Page], None]) -> None:
    def answer(route: Route) -> None:
        asked = route.request
        with browser.http.open(
            asked.url.removeprefix(ADDRESS),
            method=asked.method,
            headers=asked.all_headers(),
            data=asked.post_data_buffer,
        ) as answered:
            headers = {k: v for k, v in answered.headers.items() if k != "Set-Cookie"}
            route.fulfill(status=answered.status_code, headers=headers, body=answered.data)

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        page = chromium.new_page(base_url=ADDRESS)
        page.route("**/*", answer)
        act(page)
        chromium.close()


def dialog_of(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Your session has ended")


def test_a_page_does_not_write_as_the_user_of_another_organization_with_the_same_address(
    app: Flask,
    organization_id: UUID,
    other_organization_id: UUID,
    admin: ApiClient,
) -> None:
    email = "manager@ships.example"
    for organization, password in (
        (organization_id, PASSWORD),
        (other_organization_id, OTHER_PASSWORD),
    ):
        with app.app_context(), operator_session(organization) as session:
            users.create(session, organization, email=email, password=password, role=Role.ADMIN)
    browser = Browser(app)
    browser.sign_in(email)

    def invite(page: Page) -> None:
        page.goto("/admin/users")
        browser.sign_in(email, OTHER_PASSWORD)  # in another tab
        page.get_by_label("E-mail").fill("new@mate.example")
        page.get_by_role("button", name="Invite user").click()
        expect(dialog_of(page)).to_be_visible()
        dialog_of(page).get_by_label("Password").fill(PASSWORD)
        dialog_of(page).get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("new@mate.example").first).to_be_visible()

    drive(browser, invite)
    assert {user["email"] for user in admin.get("/users").get_json()["items"]} == {
        email,
        "new@mate.example",
    }


@pytest.mark.parametrize("button", ["Sign in", "Use passkey"])
def test_a_code_that_comes_too_long_after_the_password_leads_back_to_the_password(
    app: Flask, organization_id: UUID, monkeypatch: pytest.MonkeyPatch, button: str
) -> None:
    browser = signed_in(app, organization_id)
    register(browser, SoftwareAuthenticator())
    authenticator, _ = set_up(browser)

    def sign_in_again(page: Page) -> None:
        page.goto("/account/second-factor")
        browser.http.delete_cookie("chartroom")
        page.get_by_role("button", name="Add passkey").click()
        dialog = dialog_of(page)
        dialog.get_by_label("Password").fill(PASSWORD)
        dialog.get_by_role("button", name="Sign in").click()
        expect(dialog.get_by_label("Code")).to_be_visible()
        with monkeypatch.context() as later:
            later.setattr(sign_in, "_PENDING_S", -1)
            dialog.get_by_label("Code").fill("000000")
            dialog.get_by_role("button", name=button).click()
            expect(dialog.get_by_role("alert")).to_contain_text(re.compile("open for too|5 min"))
            expect(dialog.get_by_label("Code")).to_be_hidden()
            expect(dialog.get_by_role("button", name="Use passkey")).to_be_hidden()
        dialog.get_by_role("button", name="Sign in").click()
        dialog.get_by_label("Code").fill(authenticator.code())
        dialog.get_by_role("button", name="Sign in").click()
        expect(dialog).to_have_count(0)

    drive(browser, sign_in_again)


def test_a_user_of_a_provider_signs_in_again_after_another_user_in_the_same_browser(
    make_app: MakeApp, provider: Provider, name: str
) -> None:
    browser, person = Browser(make_app(organization=name)), provider.person
    sign_in_by_provider(browser)

    def sign_in_again(page: Page) -> None:
        page.goto("/account")
        browser.http.delete_cookie("chartroom")
        page.get_by_role("button", name="Sign out everywhere").click()
        dialog = dialog_of(page)
        expect(dialog.locator("input")).to_have_count(0)
        link = dialog.get_by_role("link", name="Sign in with your organization")
        assert link.get_attribute("target") == "_blank"
        provider.person = colleague_of(person)
        sign_in_by_provider(browser)
        dialog.get_by_role("button", name="Continue").click()
        expect(dialog.get_by_role("alert")).to_contain_text("in the other tab first")
        own_sign_in = str(link.get_attribute("href"))
        assert sign_in_by_provider(browser, own_sign_in).status_code == 403
        provider.person = person
        assert sign_in_by_provider(browser, own_sign_in).status_code == 302
        with page.expect_request("**/sign-out-everywhere"):
            dialog.get_by_role("button", name="Continue").click()

    drive(browser, sign_in_again)
