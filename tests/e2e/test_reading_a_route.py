"""What a planner and a captain do with a planned route."""

import json
import re
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.service import Service
from tests.e2e.test_first_start import wait_for_status

Port = tuple[float, float, str]
Ends = tuple[Port, Port]

#: A short voyage that plans fast, and one across the antimeridian.
ORDERS: dict[str, Ends] = {
    "Rotterdam to Lisbon": ((51.98, 4.0, "Rotterdam"), (38.65, -9.35, "Lisbon")),
    "Yokohama to Seattle": ((35.2, 139.75, "Yokohama"), (48.4, -124.8, "Seattle")),
}
WESTWARD: Ends = ((51.98, 4.0, "Rotterdam"), (40.45, -73.8, "New York"))


def call(service: Service, path: str, body: Any = None, method: str | None = None) -> Any:
    headers = {"X-API-Key": service.key, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    address = f"{service.address}/v1{path}"
    request = urllib.request.Request(address, data=data, headers=headers, method=method)  # noqa: S310 (our own address)
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.loads(answer.read() or "null")


def order(service: Service, ends: Ends) -> str:
    start, end = ends
    vessel = call(service, "/vessel")["items"][0]
    body = {
        "latFrom": start[0],
        "lngFrom": start[1],
        "portFromName": start[2],
        "latTo": end[0],
        "lngTo": end[1],
        "portToName": end[2],
        "startDate": "2026-03-01T06:00:00Z",
        "vesselId": vessel["id"],
        "speedRangeMin": 11,
        "speedRangeMax": 14,
        "draft": 12,
        "trim": 0,
        "rpm": 110,
        "dwt": 70_000,
        "lbp": vessel["lbp"],
        "pitch": vessel["pitch"],
        "optimizationType": "FUEL",
        "routeType": "WX",
    }
    charting_id: str = call(service, "/charting", body)["id"]
    wait_for_status(service, charting_id, {"COMPLETED"}, patience_s=120)
    return charting_id


@pytest.fixture(scope="module")
def voyages(service: Service) -> dict[str, str]:
    """Planned chartings by their names."""
    return {name: order(service, ends) for name, ends in ORDERS.items()}


@pytest.fixture
def planner(page: Page, service: Service) -> Page:
    """A page whose user has signed in."""
    page.goto("/sign-in")
    page.get_by_label("E-mail").fill(service.email)
    page.get_by_label("Password").fill(service.password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"/$"))
    return page


def open_voyage(page: Page, voyages: dict[str, str], name: str) -> None:
    page.goto(f"/voyages/{voyages[name]}")
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.wait_for_load_state("networkidle")


def minutes(page: Page) -> int:
    return int(page.get_by_role("slider", name="Time along the voyage").input_value())


def test_arrows_move_ship_slider_and_readings_by_the_hour(
    planner: Page, voyages: dict[str, str]
) -> None:
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    ship = planner.locator(".own-ship-mark")
    before, at = minutes(planner), ship.bounding_box()
    planner.keyboard.press("Shift+ArrowRight")
    assert minutes(planner) - before == pytest.approx(360, abs=31)
    assert ship.bounding_box() != at
    expect(planner.locator("[data-moment=time]")).to_have_text(re.compile("1 Mar 1[12]:.. UTC"))
    planner.keyboard.press("ArrowLeft")
    assert minutes(planner) - before == pytest.approx(300, abs=31)


def test_critical_points_are_gone_through_by_keyboard(
    planner: Page, voyages: dict[str, str]
) -> None:
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    points = planner.locator("[data-critical]")
    for i in range(points.count()):
        planner.keyboard.press("n")
        expect(points.nth(i)).to_have_attribute("aria-current", "true")
    planner.keyboard.press("p")
    expect(points.nth(points.count() - 2)).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize("name", ORDERS)
def test_a_drawn_waypoint_lies_where_the_record_says(
    planner: Page, service: Service, voyages: dict[str, str], name: str
) -> None:
    open_voyage(planner, voyages, name)
    waypoints = call(service, f"/charting/{voyages[name]}")["waypoints"]
    drawn = planner.locator("path.waypoint")
    assert drawn.count() == len(waypoints)
    chosen = len(waypoints) // 2
    box = drawn.nth(chosen).bounding_box()
    assert box
    planner.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    read = planner.locator("[data-reading=cursor]").inner_text()
    lat, lng = read_position(read)
    # half a pixel on the fitted chart
    assert lat == pytest.approx(waypoints[chosen]["lat"], abs=0.15)
    assert (lng - waypoints[chosen]["lng"] + 180) % 360 - 180 == pytest.approx(0, abs=0.15)


def read_position(text: str) -> tuple[float, float]:
    found = re.findall(r"(\d+)°([\d.]+)'([NSEW])", text)
    lat, lng = (
        (float(degrees) + float(mins) / 60) * (-1 if side in "SW" else 1)
        for degrees, mins, side in found
    )
    return lat, lng


def test_the_route_file_is_downloaded(planner: Page, voyages: dict[str, str]) -> None:
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    for kind in ("RTZ", "CSV"):
        with planner.expect_download() as download:
            planner.get_by_role("link", name=kind).click()
        assert download.value.suggested_filename == f"Rotterdam-Lisbon-2026-03-01-r1.{kind.lower()}"


def test_the_night_palette_is_there_before_the_first_paint(
    planner: Page, voyages: dict[str, str]
) -> None:
    planner.get_by_role("button", name="Night").click()
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    expect(planner.locator("html")).to_have_attribute("data-palette", "night")
    background = planner.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert background == "rgb(11, 8, 5)"


def test_faults_of_an_order_stand_at_their_fields(planner: Page) -> None:
    planner.get_by_label("Draught").fill("14.80")
    planner.get_by_role("button", name="Order route").click()
    expect(planner.locator("#draft-error")).to_contain_text("deeper than Noordster's scantling")
    expect(planner.locator("#portFrom-error")).to_contain_text("Choose a port")
    expect(planner.get_by_role("combobox", name="From")).to_be_focused()


def test_a_position_is_picked_on_the_chart_by_keyboard_and_pointer(planner: Page) -> None:
    field = planner.get_by_role("combobox", name="From")
    field.fill("zzz")
    planner.get_by_role("option", name="Pick a position on the chart").wait_for()
    field.press("ArrowDown")
    field.press("Enter")
    expect(planner.get_by_text("Click the departure on the chart.")).to_be_visible()
    chart = planner.locator("#map_chart").bounding_box()
    assert chart
    planner.mouse.click(chart["x"] + chart["width"] / 2, chart["y"] + chart["height"] / 2)
    expect(field).to_have_value(re.compile(r"\d\d°\d\d\.\d{3}'[NS] \d{3}°\d\d\.\d{3}'[EW]"))


def test_distance_is_measured_between_clicks(planner: Page) -> None:
    planner.get_by_role("button", name="Measure distance and course").click()
    chart = planner.locator("#map_chart").bounding_box()
    assert chart
    middle = chart["y"] + chart["height"] / 2
    planner.mouse.click(chart["x"] + 200, middle)
    planner.mouse.move(chart["x"] + 400, middle)
    expect(planner.locator(".chart-tag").last).to_have_text(re.compile(r"\d{3}°\s+[\d\u202f.]+ nm"))
    planner.keyboard.press("Escape")
    expect(planner.locator("path.measure")).to_have_count(0)


@pytest.mark.parametrize("size", [(1440, 900), (820, 1180)])
def test_no_page_scrolls_sideways(
    planner: Page, voyages: dict[str, str], size: tuple[int, int]
) -> None:
    planner.set_viewport_size({"width": size[0], "height": size[1]})
    for path in ("/", "/voyages", f"/voyages/{voyages['Rotterdam to Lisbon']}", "/fleet"):
        planner.goto(path)
        planner.wait_for_load_state("networkidle")
        overflow = "document.documentElement.scrollWidth - window.innerWidth"
        assert planner.evaluate(overflow) <= 0, path


def test_a_wrong_password_is_told_in_words(browser: Browser, service: Service) -> None:
    context = browser.new_context(base_url=service.address)
    page = context.new_page()
    page.goto("/sign-in")
    page.get_by_label("E-mail").fill(service.email)
    page.get_by_label("Password").fill("not the password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("E-mail address or password is not right.")
    context.close()
