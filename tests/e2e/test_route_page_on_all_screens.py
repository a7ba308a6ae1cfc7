"""The time slider and the review of points by mouse, touch and keyboard, on each screen."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import mouse_and_touch
from tests.e2e.orders import ORDERS, WESTWARD, order
from tests.e2e.screens import Screen, show_on
from tests.e2e.service import Service
from tests.e2e.test_reading_a_route import minutes, open_voyage
from tests.waiting import wait_until

#: Samples lie half an hour apart, and a thumb is grasped some pixels off its middle.
NEAR_SHARE = 0.05
NARROW_PX = 1000
LAPTOP = Screen(1366, 768, has_touch=False)
#: Of ports, as long as a request takes.
LONG_NAMES = {"portFromName": "Maasvlakte " * 18 + "E", "portToName": "Terminal" * 25}


@pytest.fixture
def slider(reader: Page, voyages: dict[str, str]) -> Locator:
    """The time slider of a route, in view."""
    open_voyage(reader, voyages, "Rotterdam to Lisbon")
    found = reader.get_by_role("slider", name="Time along the voyage")
    found.scroll_into_view_if_needed()
    return found


@pytest.fixture(scope="session")
def westward(service: Service) -> str:
    """Plan a voyage whose destination lies in the corner of the legend."""
    return order(service, WESTWARD, maxWaveHeight=6)


def share_done(page: Page, slider: Locator) -> float:
    start, end = (float(slider.get_attribute(name) or 0) for name in ("min", "max"))
    return (minutes(page) - start) / (end - start)


def wait_for_share(page: Page, slider: Locator, share: float) -> None:
    """Wait until the slider stands near a share of the voyage."""
    near = pytest.approx(share, abs=NEAR_SHARE)
    wait_until(lambda: share_done(page, slider) == near, f"slider at {share:g} of the voyage")


def share_read(page: Page, slider: Locator) -> float:
    """The share of the voyage that lies before the time told beside the tabs."""
    text = page.locator("[data-cursor=time]").inner_text()
    found = re.search(r"(\d+ [A-Z][a-z]{2})(?: \d{4})? (\d\d:\d\d)", text)
    assert found, text
    day, clock = found.groups()
    told = datetime.strptime(f"{day} 2026 {clock} +0000", "%d %b %Y %H:%M %z").timestamp() / 60
    start, end = (float(slider.get_attribute(name) or 0) for name in ("min", "max"))
    return (told - start) / (end - start)


def place_on(slider: Locator, share: float) -> tuple[float, float]:
    box = slider.bounding_box()
    assert box
    return box["x"] + box["width"] * share, box["y"] + box["height"] - 8


def drag(page: Page, screen: Screen, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag with what the screen is operated by."""
    if not screen.has_touch:
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=5)
        page.mouse.up()
        return
    network = page.context.new_cdp_session(page)

    def touch(kind: str, *places: tuple[float, float]) -> None:
        points: list[dict[str, Any]] = [{"x": x, "y": y} for x, y in places]
        network.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", start)
    for i in range(1, 6):
        touch("touchMove", tuple(a + (b - a) * i / 5 for a, b in zip(start, end, strict=True)))
    touch("touchEnd")


@mouse_and_touch
def test_the_slider_is_dragged_clicked_or_tapped_moved_and_left_by_keyboard(
    reader: Page, screen: Screen, slider: Locator
) -> None:
    drag(reader, screen, place_on(slider, 0.02), place_on(slider, 0.6))
    wait_for_share(reader, slider, 0.6)
    assert share_read(reader, slider) == pytest.approx(0.6, abs=NEAR_SHARE)

    press = reader.touchscreen.tap if screen.has_touch else reader.mouse.click
    for share in (0.75, 0.25, 0.5):
        press(*place_on(slider, share))
        wait_for_share(reader, slider, share)
    read = reader.locator("[data-cursor=time]").inner_text()
    assert read in (slider.get_attribute("aria-valuetext") or "")

    slider.focus()
    reader.keyboard.press("Home")
    for key, hours in (("ArrowRight", 1), ("ArrowUp", 1), ("PageUp", 6), ("ArrowDown", -1)):
        before = minutes(reader)
        reader.keyboard.press(key)
        assert minutes(reader) - before == pytest.approx(60 * hours, abs=31)
    reader.keyboard.press("End")
    assert share_done(reader, slider) == pytest.approx(1, abs=0.01)
    reader.keyboard.press("Home")
    assert share_done(reader, slider) == pytest.approx(0, abs=0.01)
    for key in ("Tab", "Shift+Tab"):
        slider.focus()
        reader.keyboard.press(key)
        expect(slider).not_to_be_focused()


def find_cut_readings(page: Page) -> list[str]:
    """The scale and the visible readings that reach beyond the strip above the chart."""
    strip = page.locator(".strip")
    expect(strip.locator(".strip__scale")).to_contain_text("nm")
    cut: list[str] = strip.evaluate("""(strip) => {
        const all = strip.querySelectorAll(".strip__scale, .strip__reading");
        const {bottom} = strip.querySelector(".strip__readings").getBoundingClientRect();
        const shown = [...all].filter((part) => part.getBoundingClientRect().top < bottom);
        const right = strip.getBoundingClientRect().right;
        return shown.filter((part) => part.getBoundingClientRect().right > right)
            .map((part) => part.textContent);
    }""")
    return cut


#: Whether the legend covers none of some marks on the chart.
COVERS_NONE = """(marks) => {
    const box = document.querySelector(".legend").getBoundingClientRect();
    return [...document.querySelectorAll(marks)].every((mark) => {
        const { left, right, top, bottom } = mark.getBoundingClientRect();
        return left >= box.right || right <= box.left || top >= box.bottom || bottom <= box.top;
    });
}"""


def assert_legend_leaves_both_ends_in_view(page: Page) -> None:
    legend, chart = page.locator(".legend"), page.locator(".chart")
    expect(legend.locator("[data-weather=time]")).to_have_text(re.compile("UTC$"))
    expect(legend).to_be_visible()
    box, whole = legend.bounding_box(), chart.bounding_box()
    assert box
    assert whole
    assert box["width"] * box["height"] < 0.2 * whole["width"] * whole["height"]
    page.wait_for_function(COVERS_NONE, arg=".chart-label--end")


@mouse_and_touch
def test_the_legend_covers_no_mark_of_a_route_once_its_weather_has_arrived(
    reader: Page, westward: str
) -> None:
    reader.goto(f"/voyages/{westward}")
    expect(reader.locator("[data-weather=source]")).to_have_text(re.compile("Waves"))
    expect(reader.locator(".critical-mark").first).to_be_visible()
    reader.wait_for_function(COVERS_NONE, arg=".critical-mark, .chart-label--end")


def test_readings_ends_and_the_point_under_review_are_fully_in_view(
    reader: Page, screen: Screen, voyages: dict[str, str]
) -> None:
    open_voyage(reader, voyages, "Rotterdam to Lisbon")
    assert find_cut_readings(reader) == []
    assert_legend_leaves_both_ends_in_view(reader)
    forward = reader.get_by_role("button", name="Next")
    rows = reader.locator("[data-critical]")
    for i in range(rows.count()):
        forward.click()
        expect(rows.nth(i)).to_have_attribute("aria-current", "true")
        wait_until(lambda i=i: covered_px(rows.nth(i)) == 0, f"point {i + 1} in view")
        if screen.width <= NARROW_PX:
            wait_until(lambda: covered_px(reader.locator(".chart")) == 0, "chart in view")


def covered_px(row: Locator) -> float:
    """Pixels of a row's height outside the view or covered."""
    hidden: float = row.evaluate(
        """(row) => {
            const { left, right, top, bottom } = row.getBoundingClientRect();
            const isSeen = (y) => row.contains(document.elementFromPoint((left + right) / 2, y));
            let count = 0;
            for (let y = Math.ceil(top) + 1; y < bottom - 1; y += 1) if (!isSeen(y)) count += 1;
            return count;
        }"""
    )
    return hidden


def test_a_missed_deadline_is_shown_first_and_as_a_caution(planner: Page, service: Service) -> None:
    missed = order(
        service, ORDERS["Rotterdam to Lisbon"], **LONG_NAMES, endDate="2026-03-02T06:00:00Z"
    )
    show_on(planner, LAPTOP)
    planner.goto(f"/voyages/{missed}")
    notes = planner.locator(".panel--voyage .note")
    expect(notes.first).to_contain_text("Arrival by Mon 2 Mar 2026 06:00 UTC cannot be met.")
    expect(planner.locator(".note--ok")).to_have_count(0)
    for path in ("/voyages", "/"):
        planner.goto(path)
        if path == "/":
            planner.get_by_role("tab", name="Recent").click()
        row = planner.locator(f"tr:has(a[href='/voyages/{missed}'])")
        expect(row.locator(".chip--caution")).to_have_text("Arrives late")
        expect(row.locator(".chip--caution")).to_be_in_viewport(ratio=1)
    planner.goto(f"/voyages/compare?id={missed}")
    expect(planner.locator("td .chip")).to_have_text("Arrives late")


def test_a_link_restores_tab_point_and_time(planner: Page, voyages: dict[str, str]) -> None:
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    planner.get_by_role("tab", name="Waypoints").click()
    planner.keyboard.press("n")
    planner.keyboard.press("n")
    planner.keyboard.press("Shift+ArrowRight")
    slider = planner.locator(".voyage-slider")
    at = slider.input_value()
    time = datetime.fromtimestamp(60.0 * float(at), UTC)
    planner.wait_for_url(
        re.compile(rf"#(?=.*tab=waypoints)(?=.*point=2)(?=.*time={time:%Y-%m-%dT%H%%3A%M})")
    )
    link = planner.url
    planner.goto("/voyages")
    planner.goto(link)
    expect(planner.get_by_role("tab", name="Waypoints")).to_have_attribute("aria-selected", "true")
    expect(planner.locator("[data-critical]").nth(1)).to_have_attribute("aria-current", "true")
    expect(slider).to_have_value(at)


def test_a_waypoint_has_one_number_on_the_page_in_print_and_in_files(
    planner: Page, voyages: dict[str, str]
) -> None:
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    rows = planner.locator("#waypoints tbody tr")
    numbers = [str(i) for i in range(1, rows.count() + 1)]
    first = "(rows) => rows.map((row) => row.cells[0].textContent)"
    assert rows.evaluate_all(first) == numbers
    files = (planner.get_by_role("link", name=kind, exact=True) for kind in ("CSV", "RTZ"))
    csv, rtz = (planner.request.get(str(link.get_attribute("href"))).text() for link in files)
    assert [line.split(",")[0] for line in csv.splitlines()[1:]] == numbers
    assert re.findall(r'<waypoint [^>]*\bid="(\d+)"', rtz) == numbers
    named = planner.locator(".critical__title .quiet").all_inner_texts()
    planner.get_by_role("link", name="Print the passage plan").click()
    # a waypoint's note has a row of its own
    printed = planner.locator("[aria-labelledby=waypoints-title] tbody tr:has(td.number)")
    expect(printed).to_have_count(len(numbers))
    assert printed.evaluate_all(first) == numbers
    points = planner.locator("[aria-labelledby=points-title] .words b").all_inner_texts()
    for name, point in zip(named, points, strict=True):
        assert point.endswith(f"{name}.")
    times = planner.locator("td, dd").filter(has_text=re.compile(r"\b\d\d:\d\d\b"))
    for time in times.all_inner_texts():
        assert re.search(r"\d{4} \d\d:\d\d", time), f"no year: {time}"
