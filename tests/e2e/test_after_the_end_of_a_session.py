"""Open pages wait for the next session, and go on with it."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.orders import ORDERS, order
from tests.e2e.screens import settle
from tests.e2e.service import Service
from tests.e2e.test_planning_form import end_session

#: Longer than any page waits before it asks again [ms].
LONG_MS = 180_000


def expect_silence(page: Page) -> None:
    """Check that a page whose session has ended says so, and then asks for nothing."""
    end_session(page)
    page.clock.run_for(LONG_MS)
    expect(page.locator("#session-note")).to_be_visible()
    settle(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(LONG_MS)
    settle(page)
    assert asked == []


def sign_in_again(page: Page, service: Service) -> None:
    note = page.locator("#session-note")
    note.get_by_role("button", name="Sign in").click()
    dialog = page.get_by_role("dialog", name="Your session has ended")
    dialog.get_by_label("Password").fill(service.password)
    dialog.get_by_role("button", name="Sign in").click()
    expect(note).to_be_hidden()


@pytest.mark.refused("401")
@pytest.mark.parametrize(
    ("address", "news"),
    [("/", "/chartings/live"), ("/voyages/under-way", "/voyages/under-way")],
)
def test_a_page_asks_for_nothing_until_its_user_signs_in_again(
    planner: Page, service: Service, address: str, news: str
) -> None:
    planner.clock.install()
    planner.goto(address)
    settle(planner)
    expect_silence(planner)
    sign_in_again(planner, service)
    with planner.expect_request(f"**{news}"):
        planner.clock.run_for(LONG_MS)


@pytest.mark.refused("401")
def test_a_planning_tells_the_end_of_the_session_from_a_lost_connection(
    planner: Page, service: Service
) -> None:
    with service.halted_workers():
        charting_id = order(service, ORDERS["Rotterdam to Lisbon"], status="QUEUED")
        planner.clock.install()
        planner.goto(f"/voyages/{charting_id}")
        settle(planner)
        expect_silence(planner)
        expect(planner.locator("[data-stage]")).to_contain_text("Your session has ended")
        sign_in_again(planner, service)
        with planner.expect_request("**/state"):
            planner.clock.run_for(LONG_MS)
