"""Answers that arrive late: none overwrites what the user has chosen meanwhile."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.test_checking_a_route import ACROSS_BRITTANY
from tests.e2e.test_planning_a_route import choose_port
from tests.e2e.test_reading_a_route import open_voyage
from tests.waiting import wait_until


def hold_next(page: Page, pattern: str | re.Pattern[str]) -> list[Route]:
    """Hold back the next request of an address; the list gets it."""
    held: list[Route] = []
    page.route(pattern, lambda route: held.append(route), times=1)
    return held


def wait_for_request(page: Page, held: list[Route]) -> None:
    """Wait until a request is held back."""
    wait_until(lambda: page.evaluate("true") and held, "request")


def let_go(page: Page, held: list[Route]) -> None:
    """Give a request its answer."""
    held[0].fulfill(response=held[0].fetch())
    wait_for_a_later_answer(page)


def wait_for_a_later_answer(page: Page) -> None:
    """Wait until the page has dealt with the answers that it has, and with a later one."""
    page.evaluate("fetch('/session').then((answer) => answer.json())")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_a_list_of_ports_that_comes_late_is_not_opened_over_a_chosen_port(home: Page) -> None:
    field = home.get_by_role("combobox", name="From")
    field.fill("Rotterda")
    port = home.get_by_role("option", name=re.compile("Rotterdam"))
    expect(port.first).to_be_visible()
    held = hold_next(home, re.compile("search=Rotterdam"))
    field.press_sequentially("m")
    wait_for_request(home, held)
    port.first.click()
    let_go(home, held)
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(field).to_have_value("Rotterdam")


def test_the_route_of_a_voyage_that_comes_late_is_not_drawn_instead_of_the_next_one(
    home: Page, voyages: dict[str, str]
) -> None:
    home.get_by_role("tab", name="Recent").click()
    first, second = (home.locator(f"#list-recent tr[data-id='{id_}']") for id_ in voyages.values())
    held = hold_next(home, f"**/chartings/{voyages['Rotterdam to Lisbon']}/line")
    first.hover()
    wait_for_request(home, held)
    second.hover()
    names = home.locator(".chart-label--port")
    expect(names).to_have_text(["Yokohama", "Seattle"])
    let_go(home, held)
    expect(names).to_have_text(["Yokohama", "Seattle"])


def test_a_planning_is_listed_at_once_although_an_older_list_is_on_its_way(
    home: Page, voyages: dict[str, str]
) -> None:
    home.clock.install()
    home.reload()
    choose_port(home, "From", "Rotterdam")
    choose_port(home, "To", "Lisbo")
    older = hold_next(home, "**/chartings/live")
    home.clock.fast_forward(16_000)
    wait_for_request(home, older)
    started = {"id": voyages["Rotterdam to Lisbon"]}
    home.route("**/chartings", lambda route: route.fulfill(json=started))
    # no further request is regular
    home.clock.pause_at(home.evaluate("Date.now()") / 1000 + 1)
    home.get_by_role("button", name="Plan route").click()
    expect(home.get_by_text("Planning started.")).to_be_visible()
    newer = hold_next(home, "**/chartings/live")
    older[0].continue_()
    wait_for_request(home, newer)
    newer[0].continue_()


def test_a_late_check_of_particulars_does_not_report_what_is_corrected(planner: Page) -> None:
    with planner.expect_response("**/fleet/check"):
        planner.goto("/fleet/new")
    deadweight, fault = planner.get_by_label("Deadweight"), planner.locator("#dwt-error")
    held = hold_next(planner, "**/fleet/check")
    deadweight.fill("-9")
    wait_for_request(planner, held)
    with planner.expect_response("**/fleet/check"):
        deadweight.fill("82000")
    let_go(planner, held)
    expect(fault).to_be_empty()


@pytest.mark.refused(422)
def test_a_late_check_of_a_file_does_not_replace_that_of_the_next_file(
    planner: Page, tmp_path: Path
) -> None:
    over_land, no_route = tmp_path / "across.csv", tmp_path / "broken.rtz"
    over_land.write_text(ACROSS_BRITTANY)
    no_route.write_text("<route><waypoints>")
    planner.goto("/check")
    with planner.expect_response("**/check") as checked:
        planner.locator("#file").set_input_files(over_land)
    expect(planner.locator("#result")).to_be_visible()
    held = hold_next(planner, "**/check")
    planner.get_by_role("button", name="Check").click()
    wait_for_request(planner, held)
    planner.locator("#file").set_input_files(no_route)
    expect(planner.locator("#check-fault")).to_be_visible()
    held[0].fulfill(json=checked.value.json())
    wait_for_a_later_answer(planner)
    expect(planner.locator("#result")).to_be_hidden()


def test_a_review_that_is_saved_late_is_not_shown_for_the_next_point(
    planner: Page, voyages: dict[str, str]
) -> None:
    open_voyage(planner, voyages, "Yokohama to Seattle")
    points = planner.locator("[data-critical]")
    reviewed = planner.locator("[data-reviewed]")
    held = hold_next(planner, re.compile("/review"))
    planner.keyboard.press("n")
    reviewed.click()
    wait_for_request(planner, held)
    planner.keyboard.press("n")
    held[0].continue_()
    expect(points.nth(0)).to_contain_text("Reviewed")
    expect(reviewed).to_have_attribute("aria-pressed", "false")
    planner.keyboard.press("p")
    expect(reviewed).to_have_attribute("aria-pressed", "true")
    reviewed.click()
    expect(reviewed).to_have_attribute("aria-pressed", "false")
