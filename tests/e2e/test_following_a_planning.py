"""The chart page after the end of a planning that it has started."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.orders import order
from tests.e2e.service import Service
from tests.e2e.test_planning_a_route import choose_port

RUNNING = {"status": "RUNNING", "progress": 0.5, "stage": None, "summary": None}
FAILED = {"status": "FAILED", "summary": None, "failure": "The draught is too deep."}


@pytest.fixture(scope="module")
def planned(service: Service) -> str:
    """Plan a voyage that tests pretend to be planned anew."""
    return order(service, ((51.98, 4.0, "Rotterdam"), (51.5, 1.2, "Harwich")))


def plan(page: Page, *, centre: tuple[float, float] | None = None) -> None:
    choose_port(page, "From", "Rotterdam")
    choose_port(page, "To", "Lisbo")
    if centre:
        page.evaluate("centre => map_chart.setView(centre, 10, {animate: false})", centre)
    page.get_by_role("button", name="Plan route").click()


def pretend(page: Page, charting_id: str) -> list[dict[str, Any]]:
    """Let the page start this planning, which runs until the list has another state for it."""
    states = [RUNNING]

    def tell(route: Route) -> None:
        answer = route.fetch(max_retries=2)
        live = answer.json()
        row = next(row for row in live["recent"] if row["id"] == charting_id)
        live["recent"].remove(row)
        live["active" if states[-1] is RUNNING else "recent"].insert(0, row | states[-1])
        route.fulfill(response=answer, json=live)

    page.route("**/chartings/live", tell)
    page.route("**/chartings", lambda route: route.fulfill(json={"id": charting_id}))
    return states


def test_the_finished_plan_is_shown_in_the_list_on_the_chart_and_on_a_page_of_its_own(
    home: Page, service: Service
) -> None:
    with service.halted_workers():
        plan(home)
        expect(home.get_by_role("tab", name="Active")).to_have_attribute("aria-selected", "true")
    expect(home.get_by_role("tab", name="Recent")).to_have_attribute("aria-selected", "true")
    row = home.locator("#list-recent tr.is-current")
    expect(row).to_contain_text(re.compile("Rotterdam to Lisbo"))
    expect(row).to_contain_text("Complete")
    expect(home.locator("path.line-route")).to_be_visible()
    row.get_by_role("link", name=re.compile("Lisbo")).click()
    expect(home.get_by_role("link", name="RTZ")).to_be_visible()
    route = home.locator("path.line-route").first
    expect(route).to_be_visible()
    # The chart is fitted to the route.
    home.wait_for_function(
        "line => line.getBoundingClientRect().height > 100", arg=route.element_handle()
    )


def test_the_whole_of_a_finished_plan_comes_into_view(home: Page, planned: str) -> None:
    states = pretend(home, planned)
    plan(home, centre=(51.98, 4.0))
    expect(home.locator(f"#list-active tr[data-id='{planned}']")).to_be_visible()
    states.append({})
    expect(home.get_by_text("Rotterdam to Harwich is ready.")).to_be_visible()
    home.wait_for_function("() => map_chart.getBounds().contains([51.8, 1.4])")


def test_a_chart_that_is_in_use_does_not_move_to_a_finished_plan(home: Page, planned: str) -> None:
    states = pretend(home, planned)
    plan(home, centre=(51.98, 4.0))
    expect(home.locator(f"#list-active tr[data-id='{planned}']")).to_be_visible()
    home.get_by_role("button", name="Draw no-go area").click()
    states.append({})
    expect(home.locator("#list-recent tr.is-current")).to_be_visible()
    expect(home.locator("path.line-route")).to_have_count(1)
    assert not home.evaluate("map_chart.getBounds().contains([51.8, 1.4])")


def test_a_finished_plan_leaves_the_list_that_the_user_has_opened(home: Page, planned: str) -> None:
    states = pretend(home, planned)
    plan(home)
    expect(home.locator(f"#list-active tr[data-id='{planned}']")).to_be_visible()
    home.get_by_role("tab", name="Recent").click()
    home.get_by_role("tab", name="Active").click()
    states.append({})
    expect(home.get_by_text("Rotterdam to Harwich is ready.")).to_be_visible()
    expect(home.get_by_role("tab", name="Active")).to_have_attribute("aria-selected", "true")


def test_a_failure_is_shown_until_it_is_dismissed(home: Page, planned: str) -> None:
    states = pretend(home, planned)
    home.clock.install()
    home.reload()
    plan(home)
    expect(home.locator(f"#list-active tr[data-id='{planned}']")).to_be_visible()
    states.append(FAILED)
    home.clock.fast_forward(5_000)
    failure = home.locator(".toast", has_text="has no route. The draught is too deep.")
    expect(failure).to_be_visible()
    home.clock.fast_forward(60_000)
    expect(home.get_by_text("Planning started.")).to_have_count(0)
    expect(failure).to_be_visible()
    failure.get_by_role("button", name="Dismiss").click()
    expect(failure).to_have_count(0)


def test_a_planning_that_ends_before_it_is_seen_active_is_announced_and_an_older_one_is_not(
    home: Page, planned: str
) -> None:
    added: list[tuple[str, str]] = []

    def add_own(route: Route) -> None:
        answer = route.fetch(max_retries=2)
        live = answer.json()
        row = next(row for row in live["recent"] if row["id"] == planned) | {"isOwn": True}
        live["recent"] += [row | {"id": id_, "to": to} for id_, to in added]
        route.fulfill(response=answer, json=live)

    home.route("**/chartings/live", add_own)
    home.clock.install()
    home.reload()
    expect(home.locator(f"#list-recent tr[data-id='{planned}']")).to_be_visible()
    older, newer = "0" * 8 + planned[8:], "f" * 8 + planned[8:]
    added += [(older, "Hull"), (newer, "Dover")]
    home.clock.fast_forward(16_000)
    expect(home.get_by_text("Rotterdam to Dover is ready.")).to_be_visible()
    expect(home.locator(".toast")).to_have_count(1)
