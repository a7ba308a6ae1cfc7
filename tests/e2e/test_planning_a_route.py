"""Planning of a route on the chart page."""

import re
from contextlib import suppress
from urllib.error import HTTPError

from playwright.sync_api import Page, Route, expect

from tests.e2e.orders import call
from tests.e2e.service import Service

WARNING = """NAVAREA I 123/26. ENGLISH CHANNEL. GUNNERY 141200 UTC TO 151800 UTC JAN
IN AREA BOUND BY 49-54.3N 005-10.2W, 49-50.0N 005-10.2W,
49-50.0N 005-00.0W AND 49-54.3N 005-00.0W."""


def choose_port(page: Page, field: str, name: str) -> None:
    page.get_by_role("combobox", name=field).fill(name)
    page.get_by_role("option", name=re.compile(name)).first.click()


def test_the_button_plans_once_and_keeps_the_focus(home: Page):
    choose_port(home, "From", "Rotterdam")
    choose_port(home, "To", "Lisbo")
    asked: list[Route] = []
    home.route("**/chartings", lambda route: asked.append(route))
    button = home.get_by_role("button", name="Plan route")
    button.focus()
    with home.expect_request("**/chartings"):
        for _ in range(2):
            home.keyboard.press("Enter")
            expect(button).to_have_attribute("aria-busy", "true")
            expect(button).to_be_focused()
    home.get_by_label("Draught").press("Enter")
    button.focus()
    asked[0].fulfill(json={"id": "none"})
    expect(home.get_by_text("Planning started.")).to_be_visible()
    expect(button).to_be_focused()
    expect(button).not_to_have_attribute("aria-busy", "true")
    assert len(asked) == 1


def test_a_route_is_planned_once_although_its_answer_was_lost(home: Page, service: Service):
    choose_port(home, "From", "Rotterdam")
    choose_port(home, "To", "Lisbo")
    planned: list[str] = []

    def lose(route: Route) -> None:
        planned.append(route.fetch(max_retries=2).json()["id"])
        route.abort("aborted")

    home.route("**/chartings", lose, times=1)
    button = home.get_by_role("button", name="Plan route")
    button.click()
    expect(home.get_by_text("No connection. Check the network")).to_be_visible()
    with home.expect_response("**/chartings") as answered:
        button.click()
    assert planned == [answered.value.json()["id"]]
    with suppress(HTTPError):  # it may be planned already
        call(service, f"/charting/{planned[0]}/cancel", method="POST")


def test_a_closed_suez_route_is_reported_before_planning(home: Page):
    choose_port(home, "From", "Rotterdam")
    choose_port(home, "To", "Singapore")
    note = home.locator("#closed-route")
    expect(note).to_contain_text("closes the route by Suez")
    home.get_by_role("switch", name="Avoid war-risk areas").uncheck()
    home.get_by_role("switch", name="Avoid piracy areas").uncheck()
    expect(note).to_be_hidden()


def test_both_ports_are_marked_across_the_antimeridian(home: Page):
    marks = home.locator("#map_chart .chart-label--port")
    for start, end in (("Yokohama", "Los Angeles"), ("Los Angeles", "Yokohama")):
        choose_port(home, "From", start)
        choose_port(home, "To", end)
        expect(marks).to_have_count(2)
        for name in (start, end):
            expect(marks.filter(has_text=name)).to_be_in_viewport()


def test_areas_are_drawn_typed_and_pasted_from_a_warning_for_one_voyage(home: Page):
    home.get_by_role("button", name="Draw no-go area").click()
    box = home.locator("#map_chart").bounding_box()
    assert box
    for x, y in ((300, 300), (380, 300), (380, 360), (300, 380)):
        home.mouse.click(box["x"] + x, box["y"] + y)
        home.wait_for_timeout(50)
    home.keyboard.press("Backspace")
    home.keyboard.press("Enter")
    listed = home.locator("#no-go-areas li")
    expect(listed).to_contain_text("3 corners")
    home.get_by_text("Paste no-go area").click()
    home.get_by_label("Coordinates of the corners").fill("49 N 7 W\n48 N 7 W\nnowhere")
    home.get_by_role("button", name="Add area").click()
    expect(home.locator("#corners-error")).to_contain_text("Line 3: no position")
    home.get_by_label("Coordinates of the corners").fill("49 N 7 W\n48 N 7 W\n48 N 9 W")
    home.get_by_role("button", name="Add area").click()
    expect(listed).to_have_count(2)
    home.get_by_role("button", name="Remove No-go area 1").click()
    expect(listed).to_have_count(1)
    corners = home.get_by_label("Coordinates of the corners")
    corners.fill("49-54.3N 005-10.2W\n49-50.0N 005-70.2W\n49-50.0N 005-00.0W")
    home.get_by_role("button", name="Add area").click()
    expect(home.locator("#corners-error")).to_contain_text("Line 2: not a position")
    corners.fill(WARNING)
    home.get_by_role("button", name="Add area").click()
    expect(listed.last).to_contain_text("4 corners. Line 1: no coordinates")
    expect(home.locator("path.zone-no-go")).to_have_count(2)


def test_a_reference_route_is_read_from_a_file(home: Page):
    content = b"lat,lng\n51.98,4.0\n50.0,-3.0\n43.0,-10.0\n"
    file = {"name": "own.csv", "mimeType": "text/csv", "buffer": content}
    home.locator("#reference-file").set_input_files(file)
    expect(home.locator("#reference-routes li")).to_contain_text("3 waypoints")
    expect(home.locator("path.line-alt")).to_be_visible()


def test_keys_are_listed_and_can_be_switched_off(home: Page):
    home.keyboard.press("/")
    expect(home.get_by_role("searchbox", name="Search voyages")).to_be_focused()
    home.keyboard.press("Escape")
    home.locator("#map_chart").focus()
    home.keyboard.press("l")
    expect(home.get_by_role("group", name="Layers")).to_be_visible()
    home.keyboard.press("?")
    dialog = home.get_by_role("dialog", name="Keyboard")
    expect(dialog).to_contain_text("Measure")
    dialog.get_by_role("switch").uncheck()
    home.keyboard.press("Escape")
    home.locator("#map_chart").focus()
    home.keyboard.press("m")
    expect(home.get_by_role("button", name="Measure")).to_have_attribute("aria-pressed", "false")


def test_depth_is_reported_under_the_cursor(home: Page):
    home.evaluate("map_chart.setView([45, -30], 5, {animate: false})")
    box = home.locator("#map_chart").bounding_box()
    assert box
    home.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(home.locator("[data-reading=depth]")).to_contain_text("about")
