"""Drawing and deletion of a constraint."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.orders import WESTWARD, call, order
from tests.e2e.screens import settle
from tests.e2e.service import Service


@pytest.fixture
def chart(planner: Page) -> Page:
    """Open the constraints page."""
    planner.goto("/constraints")
    settle(planner)
    return planner


def draw(page: Page, corners: list[tuple[int, int]]) -> None:
    page.get_by_role("button", name="Polygon").click()
    box = page.locator("#map_chart").bounding_box()
    assert box
    for x, y in corners:
        page.mouse.click(box["x"] + x, box["y"] + y)
        page.wait_for_timeout(50)
    page.keyboard.press("Enter")


def test_an_area_is_drawn_saved_deleted_and_brought_back(chart: Page, service: Service) -> None:
    draw(chart, [(260, 200), (330, 210), (320, 280), (250, 270)])
    chart.get_by_label("Name", exact=True).fill("Tunny fleet")
    chart.get_by_label("First day").fill("16 Jan 2026")
    chart.get_by_role("button", name="Save constraint").click()
    expect(chart.locator(".toast")).to_contain_text("Constraint saved")
    (saved,) = call(service, "/constraints")["items"]
    assert (saved["name"], saved["start_date"]) == ("Tunny fleet", "2026-01-16")
    assert len(saved["geometry"]["coordinates"][0]) == 5
    expect(chart.locator("[data-legend=avoided]")).to_have_text("constraint, avoided")

    chart.get_by_role("button", name=re.compile("Tunny fleet")).click()
    chart.get_by_role("button", name="Delete").click()
    expect(chart.get_by_text("No constraints yet")).to_be_visible()
    chart.locator(".toast").get_by_role("button", name="Undo").click()
    expect(chart.locator(".toast")).to_have_text("Constraint restored.")
    expect(chart.get_by_role("button", name=re.compile("Tunny fleet"))).to_be_visible()
    (again,) = call(service, "/constraints")["items"]
    assert again["geometry"] == saved["geometry"]


def test_a_corner_is_moved_by_typing_where_it_goes(chart: Page) -> None:
    draw(chart, [(260, 200), (330, 210), (320, 280)])
    corner = chart.get_by_label("Latitude of corner 1")
    corner.fill("49 30 N")
    corner.press("Tab")
    expect(chart.get_by_label("Latitude of corner 1")).to_have_value("49°30.000'N")
    chart.get_by_role("button", name="Discard").click()
    expect(chart.get_by_text("Nothing selected")).to_be_visible()


def test_the_last_corner_is_taken_back_and_drawing_is_stopped_by_keyboard(chart: Page) -> None:
    chart.get_by_role("button", name="Polygon").click()
    box = chart.locator("#map_chart").bounding_box()
    assert box
    for x in (250, 330):
        chart.mouse.click(box["x"] + x, box["y"] + 220)
    expect(chart.locator(".marker-icon:not(.cursor-marker)")).to_have_count(2)
    chart.keyboard.press("Backspace")
    expect(chart.locator(".marker-icon:not(.cursor-marker)")).to_have_count(1)
    chart.keyboard.press("Escape")
    expect(chart.get_by_role("button", name="Polygon")).to_have_attribute("aria-pressed", "false")


def test_a_day_is_written_out_with_the_year_that_it_is_read_in(chart: Page) -> None:
    draw(chart, [(260, 200), (330, 210), (320, 280)])
    first = chart.get_by_label("First day")
    first.fill("16 Jan")
    first.press("Tab")
    expect(first).to_have_value(re.compile(r"^16 Jan 20\d\d$"))
    chart.get_by_role("button", name="Discard").click()


def test_an_area_drawn_beyond_the_antimeridian_stays_where_it_was_drawn(chart: Page) -> None:
    # as after moving east from Asia to America
    chart.evaluate("map_chart.setView([30, 220], 4, {animate: false})")
    settle(chart)
    draw(chart, [(260, 200), (330, 210), (320, 280)])
    expect(chart.get_by_label("Longitude of corner 1")).to_have_value(re.compile("W$"))
    expect(chart.locator("path.drawing")).to_be_in_viewport()
    chart.get_by_role("button", name="Discard").click()


@pytest.fixture
def no_constraints_left(service: Service) -> Iterator[None]:
    """Delete what a test has saved, because tests share the service."""
    yield
    for saved in call(service, "/constraints")["items"]:
        call(service, f"/constraints/{saved['id']}", method="DELETE")


@pytest.mark.usefixtures("no_constraints_left")
def test_an_area_drawn_across_the_channel_sends_the_next_voyage_north_about(
    chart: Page, service: Service
) -> None:
    chart.evaluate("map_chart.setView([49.7, -1.7], 7, {animate: false})")
    settle(chart)
    corners = chart.evaluate(
        """[[50.9, -2.3], [50.9, -1.1], [48.5, -1.1], [48.5, -2.3]].map((corner) => {
            const point = map_chart.latLngToContainerPoint(corner);
            return [Math.round(point.x), Math.round(point.y)];
        })"""
    )
    draw(chart, corners)
    chart.get_by_label("Name", exact=True).fill("Across the Channel")
    chart.get_by_role("button", name="Save constraint").click()
    expect(chart.locator(".toast")).to_contain_text("Constraint saved")
    waypoints = call(service, f"/charting/{order(service, WESTWARD)}")["waypoints"]
    assert max(waypoint["lat"] for waypoint in waypoints) > 58.0
