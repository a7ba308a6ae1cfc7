"""Route page: chart, profile, critical points, weather, alternatives and files."""

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.orders import ORDERS, call, order, wait_for_status
from tests.e2e.screens import DESK, SCREENS, painted_pixels, settle, show_on
from tests.e2e.service import Service
from tests.waiting import wait_until

PHONE = SCREENS[-1]
#: Longer than the chart's animation to a point.
FLIGHT_MS = 700
MANY_PIXELS = 5000
MANY_SHEETS = 5
#: Limit of the page's compressed size with an empty cache.
MOST_BYTES = 600_000
NEAR_H = 3.0


def open_voyage(page: Page, voyages: dict[str, str], name: str) -> None:
    """Open the page of a voyage, with its scripts at work."""
    page.goto(f"/voyages/{voyages[name]}")
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    wait_for_scripts(page)


def wait_for_scripts(page: Page) -> None:
    """Wait until the route page has run its scripts, which begin after its first paint."""
    expect(page.locator(".plot canvas")).not_to_have_count(0)


def minutes(page: Page) -> int:
    return int(page.get_by_role("slider", name="Time along the voyage").input_value())


def test_the_summary_is_in_view_and_its_figures_are_legible_at_200_percent_zoom_and_when_long(
    planner: Page, voyages: dict[str, str]
) -> None:
    show_on(planner, DESK)
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    front = planner.locator(".front__words").bounding_box()
    desk = planner.viewport_size
    assert front["y"] + front["height"] <= desk["height"]
    planner.set_viewport_size({"width": 820, "height": 1180})
    figures, chart = (planner.locator(part).bounding_box() for part in (".figures", ".chart"))
    assert figures["y"] + figures["height"] <= chart["y"]
    expect(planner.locator(".figures")).to_contain_text("Arrives")
    # a laptop at 200 percent zoom
    planner.set_viewport_size({"width": 640, "height": 360})
    overflowing = planner.locator(".figures .figure__value").evaluate_all(
        "all => all.filter(({scrollWidth, clientWidth}) => scrollWidth > clientWidth).length"
    )
    assert overflowing == 0
    # the error of the fuel beside an arrival next year
    planner.set_viewport_size(desk)
    figures = planner.locator(".panel--voyage .figure__value")
    figures.first.evaluate("each => each.textContent = 'Wed 24 Mar 2027 06:26'")
    figures.nth(1).evaluate("each => each.firstChild.textContent = '1\u202f025.1'")
    error, panel = figures.nth(1).locator(".figure__error"), planner.locator(".panel--voyage")
    inside, around = error.bounding_box(), panel.bounding_box()
    assert inside["x"] + inside["width"] <= around["x"] + around["width"]


def test_a_route_across_180_degrees_numbers_overlapping_points_and_stays_on_a_moved_chart(
    planner: Page, voyages: dict[str, str]
) -> None:
    open_voyage(planner, voyages, "Yokohama to Seattle")
    marks, points = (planner.locator(name) for name in (".critical-mark", "[data-critical]"))
    more = [int(words) for words in planner.locator(".severity__more").all_text_contents()]
    assert more
    assert marks.count() + sum(more) == points.count()
    line, chart = (planner.locator(name).first for name in (".line-route", ".leaflet-container"))

    def measure_left() -> float:
        box, around = line.bounding_box(), chart.bounding_box()
        assert box is not None
        assert around is not None
        return box["x"] - around["x"]

    def wait_for_rest() -> None:
        planner.wait_for_function("!map_chart._panAnim?._inProgress && !map_chart._animatingZoom")

    settle(planner)
    chart.focus()
    for key, shift_px in (("ArrowRight", -80.0), ("ArrowLeft", 80.0), ("ArrowLeft", 80.0)):
        wait_for_rest()  # a chart that moves takes no key
        expected = measure_left() + shift_px
        planner.keyboard.press(key)
        wait_until(lambda expected=expected: abs(measure_left() - expected) < 3.0, "shift")


def test_single_keys_work_everywhere_except_in_fields(
    planner: Page, voyages: dict[str, str]
) -> None:
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    points = planner.locator("[data-critical]")
    planner.get_by_role("tab", name="Waypoints").click()
    planner.keyboard.press("n")
    expect(points.nth(0)).to_have_attribute("aria-current", "true")
    planner.locator(".leaflet-container").focus()
    planner.keyboard.press("n")
    expect(points.nth(1)).to_have_attribute("aria-current", "true")


def test_all_critical_points_are_reviewed_by_keyboard(
    planner: Page, voyages: dict[str, str]
) -> None:
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    points = planner.locator("[data-critical]")
    progress = planner.locator("[data-progress]")
    count = points.count()
    places = set()
    planner.keyboard.press("n")
    for i in range(count):
        expect(points.nth(i)).to_have_attribute("aria-current", "true")
        expect(points.nth(i)).to_be_focused()
        planner.keyboard.press("r")
        expect(progress).to_have_text(f"{i + 1} of {count} reviewed")
        expect(points.nth(i)).to_contain_text("Demo")
        planner.wait_for_timeout(FLIGHT_MS)
        places.add(planner.evaluate("map_chart.getCenter().toString()"))
    assert len(places) > count / 2, "the chart did not fly from point to point"
    planner.keyboard.press("r")
    expect(progress).to_have_text(f"{count} of {count} reviewed")
    planner.keyboard.press("p")
    expect(points.nth(count - 2)).to_have_attribute("aria-current", "true")
    planner.reload()
    expect(progress).to_have_text(f"{count} of {count} reviewed")
    take_ticks_back(planner, count)


def test_the_review_goes_on_from_the_point_just_reviewed(
    planner: Page, voyages: dict[str, str]
) -> None:
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    points = planner.locator("[data-critical]")
    for _ in range(3):
        planner.keyboard.press("n")
    planner.keyboard.press("r")
    expect(points.nth(3)).to_be_focused()
    play = planner.locator("[data-play]")
    planner.keyboard.press(" ")
    expect(play).to_have_attribute("aria-pressed", "true")
    planner.keyboard.press("p")
    planner.locator("[data-reviewed]").click()
    expect(planner.locator("[data-progress]")).to_contain_text(re.compile("^0 of"))


def take_ticks_back(page: Page, count: int) -> None:
    """Remove the reviews, because tests share the service."""
    wait_for_scripts(page)
    for left in range(count - 1, -1, -1):
        page.keyboard.press("n")
        page.locator("[data-reviewed]").click()
        expect(page.locator("[data-progress]")).to_have_text(f"{left} of {count} reviewed")


def test_arrows_and_play_move_ship_slider_and_readings_and_the_weather_follows(
    planner: Page, voyages: dict[str, str]
) -> None:
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    legend = planner.locator("[data-legend=weather]")
    expect(legend.locator("[data-weather=time]")).to_have_text("Sun 1 Mar 06:00 UTC")
    expect(legend).to_contain_text("Waves, wind: monthly average")
    wait_until(lambda: weather_pixels(planner) > MANY_PIXELS, "weather on the chart")
    ship = planner.locator(".own-ship-mark")
    before, at = minutes(planner), ship.bounding_box()
    with planner.expect_response(re.compile("chart-weather.*T12:00")):
        planner.keyboard.press("Shift+ArrowRight")
    assert minutes(planner) - before == pytest.approx(360, abs=31)
    wait_until(lambda: ship.bounding_box() != at, "ship that has moved")
    expect(planner.locator("[data-cursor=time]")).to_have_text(re.compile("1 Mar 1[12]:.. UTC"))
    expect(legend.locator("[data-weather=time]")).to_have_text("Sun 1 Mar 12:00 UTC")
    planner.keyboard.press("ArrowLeft")
    assert minutes(planner) - before == pytest.approx(300, abs=31)
    assert_play_sails_on(planner)
    planner.keyboard.press("l")
    for layer in ("Waves", "Wind"):
        planner.get_by_role("switch", name=layer).click()
    expect(legend).to_be_hidden()
    wait_until(lambda: weather_pixels(planner) == 0, "chart without weather")


def assert_play_sails_on(page: Page) -> None:
    """Play the voyage for a while, and stop."""
    before = minutes(page)
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play the voyage")).to_have_attribute(
        "aria-pressed", "true"
    )
    wait_until(lambda: minutes(page) > before, "ship that sails on")
    page.keyboard.press("Space")
    sailed = minutes(page)
    page.wait_for_timeout(FLIGHT_MS)
    assert minutes(page) == sailed


def weather_pixels(page: Page) -> int:
    """Count the painted pixels of the chart's weather."""
    return painted_pixels(page, ".leaflet-weather-pane canvas")


def test_a_route_with_its_weather_is_light_enough_for_a_satellite_link(
    service: Service, browser: Browser, signed_in: StorageState, voyages: dict[str, str]
) -> None:
    context = browser.new_context(
        base_url=service.address, storage_state=signed_in, viewport={"width": 1440, "height": 900}
    )
    fresh = context.new_page()
    network = context.new_cdp_session(fresh)
    network.send("Network.enable")
    sent: list[int] = []
    network.on("Network.loadingFinished", lambda done: sent.append(done["encodedDataLength"]))
    open_voyage(fresh, voyages, "Yokohama to Seattle")
    expect(fresh.locator("[data-weather=time]")).to_have_text(re.compile("UTC$"))
    settle(fresh)
    assert sum(sent) < MOST_BYTES
    context.close()


def test_the_chart_works_without_weather(
    service: Service, browser: Browser, signed_in: StorageState, voyages: dict[str, str]
) -> None:
    context = browser.new_context(
        base_url=service.address, storage_state=signed_in, viewport={"width": 1440, "height": 900}
    )
    cut_off = context.new_page()
    context.route("**/chart-weather*", lambda route: route.abort())
    open_voyage(cut_off, voyages, "Rotterdam to Lisbon")
    expect(cut_off.locator("[data-weather=fault]")).to_contain_text("No connection")
    before = minutes(cut_off)
    cut_off.keyboard.press("ArrowRight")
    assert minutes(cut_off) > before
    context.close()


def test_profile_and_chart_follow_each_other(planner: Page, voyages: dict[str, str]) -> None:
    open_voyage(planner, voyages, "Rotterdam to Lisbon")
    ship = planner.locator(".own-ship-mark")
    before = ship.bounding_box()
    plot = planner.locator(".plots .u-over").first.bounding_box()
    assert plot
    assert before
    planner.mouse.move(plot["x"] + plot["width"] / 2, plot["y"] + plot["height"] / 2)
    wait_until(lambda: ship.bounding_box() != before, "ship that follows the profile")
    there = ship.bounding_box()
    assert there
    read = planner.locator("[data-cursor=time]").inner_text()
    planner.mouse.move(there["x"] + there["width"] / 2, there["y"] + there["height"] / 2)
    hours = abs(hour_of(planner.locator("[data-cursor=time]").inner_text()) - hour_of(read))
    # The pointer is a pixel or two off the track.
    assert hours <= NEAR_H


def hour_of(text: str) -> float:
    moment = datetime.strptime(f"{text} 2026", "%a %d %b %H:%M UTC %Y").replace(tzinfo=UTC)
    return moment.timestamp() / 3600


def test_another_arrival_is_chosen_by_keyboard_and_planned(planner: Page, service: Service) -> None:
    charting_id = order(service, ORDERS["Rotterdam to Lisbon"])
    planner.goto(f"/voyages/{charting_id}")
    front = planner.get_by_role("radiogroup", name="Fuel against arrival")
    words = planner.locator("[data-front=words]")
    act = planner.get_by_role("button", name="Plan with this arrival")
    expect(words).to_contain_text("this route")
    expect(act).to_be_hidden()
    front.locator(":checked").focus()
    planner.keyboard.press("ArrowLeft")
    expect(words).to_contain_text("sooner, costs")
    chosen = front.locator(":checked").get_attribute("value")
    assert chosen
    with planner.expect_navigation():
        act.click()
    wait_for_status(service, charting_id, {"COMPLETED"})
    anew = call(service, f"/charting/{charting_id}")
    assert (anew["latestRevision"], anew["endDate"]) == (2, chosen)
    arrives, latest = map(datetime.fromisoformat, (anew["summary"]["eta"], chosen))
    assert arrives <= latest


def test_a_thumb_beside_a_point_of_the_curve_chooses_its_arrival(
    open_page: OpenPage, signed_in: StorageState, voyages: dict[str, str]
) -> None:
    phone = open_page(PHONE)
    phone.context.add_cookies(signed_in["cookies"])
    phone.goto(f"/voyages/{voyages['Rotterdam to Lisbon']}")
    plot = phone.get_by_role("radiogroup", name="Fuel against arrival")
    earliest = plot.get_by_role("radio").first
    expect(earliest).not_to_be_checked()
    expect(plot.locator("canvas")).to_be_visible()
    plot.scroll_into_view_if_needed()
    point, whole = earliest.bounding_box(), plot.bounding_box()
    assert point is not None
    assert whole is not None
    phone.touchscreen.tap(point["x"] + point["width"] / 2, whole["y"] + whole["height"] - 8)
    expect(earliest).to_be_checked()
    expect(phone.locator("[data-front=words]")).to_contain_text("sooner, costs")


def test_the_night_palette_is_there_before_the_first_paint_and_the_passage_plan_prints_by_day(
    home: Page, voyages: dict[str, str]
) -> None:
    home.get_by_role("button", name="Night").click()
    open_voyage(home, voyages, "Rotterdam to Lisbon")
    expect(home.locator("html")).to_have_attribute("data-palette", "night")
    background = home.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert background == "rgb(11, 8, 5)"
    sea = "getComputedStyle(document.documentElement).getPropertyValue('--sea')"
    seen = home.evaluate(
        f"""() => ["beforeprint", "afterprint"].map((name) => {{
            dispatchEvent(new Event(name));
            return [{sea}, document.querySelectorAll("canvas").length];
        }})"""
    )
    assert [colour for colour, _ in seen] == ["#EDF5F8", "#050403"]
    assert seen[0][1] == seen[1][1] > 0
    expect(home.get_by_role("button", name="Night")).to_have_attribute("aria-pressed", "true")

    home.get_by_role("link", name="Print the passage plan").click()
    expect(home.get_by_role("heading", name="Passage plan")).to_be_visible()
    expect(home.get_by_text("Verify on the ECDIS before use.").first).to_be_visible()
    home.wait_for_load_state("load")
    printed = home.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", printed)
    # Cover with chart, points and zones, waypoints, weather, explanation.
    assert len(boxes) >= MANY_SHEETS
    assert {(round(float(w)), round(float(h))) for w, h in boxes} == {(595, 842)}
    palette = "document.documentElement.dataset.palette"
    home.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert home.evaluate(palette) == "day"
    home.evaluate("dispatchEvent(new Event('afterprint'))")
    assert home.evaluate(palette) == "night"


@pytest.mark.parametrize("name", ORDERS)
def test_a_click_on_a_drawn_waypoint_is_where_the_record_says(
    planner: Page, service: Service, voyages: dict[str, str], name: str
) -> None:
    show_on(planner, DESK)
    open_voyage(planner, voyages, name)
    waypoints = call(service, f"/charting/{voyages[name]}")["waypoints"]
    drawn = planner.locator("path.waypoint")
    expect(drawn).to_have_count(len(waypoints))
    expect(planner.locator("path.line-route")).to_have_count(1)
    chosen = len(waypoints) // 2
    box = drawn.nth(chosen).bounding_box()
    assert box
    planner.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    pinned = planner.locator("[data-cursor=position]").inner_text()
    for read in (planner.locator("[data-reading=cursor]").inner_text(), pinned):
        lat, lng = read_position(read)
        # a pixel on the fitted chart
        assert lat == pytest.approx(waypoints[chosen]["lat"], abs=0.2)
        assert (lng - waypoints[chosen]["lng"] + 180) % 360 - 180 == pytest.approx(0, abs=0.2)


def read_position(text: str) -> tuple[float, float]:
    found = re.findall(r"(\d+)°([\d.]+)'([NSEW])", text)
    lat, lng = (
        (float(degrees) + float(mins) / 60) * (-1 if side in "SW" else 1)
        for degrees, mins, side in found
    )
    return lat, lng


def test_errors_of_a_route_request_are_shown_at_their_fields(home: Page) -> None:
    # other tests add vessels, and the newest is chosen at first
    vessel = home.get_by_role("option", name=re.compile(r"^Noordster\s+IMO"))
    home.locator("#vesselId").select_option(vessel.get_attribute("value"))
    home.get_by_label("Draught").fill("14.80")
    home.get_by_role("button", name="Plan route").click()
    expect(home.locator("#draft-error")).to_contain_text("deeper than Noordster's scantling")
    expect(home.locator("#portFrom-error")).to_contain_text("Choose a port")
    expect(home.get_by_role("combobox", name="From")).to_be_focused()


def test_a_position_is_picked_on_the_chart_until_its_port_is_chosen_or_another_is_picked(
    home: Page,
) -> None:
    departure, arrival = (home.get_by_role("combobox", name=name) for name in ("From", "To"))
    prompt = home.locator("#pick-prompt")
    departure.fill("zzz")
    home.get_by_role("option", name="Pick a position on the chart").wait_for()
    departure.press("ArrowDown")
    departure.press("Enter")
    expect(prompt).to_contain_text("Click the departure on the chart.")
    arrival.fill("Lisbon")
    home.get_by_role("option", name="Pick a position on the chart").click()
    expect(prompt).to_contain_text("Click the arrival on the chart.")
    chart = home.locator("#map_chart").bounding_box()
    assert chart
    home.mouse.click(chart["x"] + chart["width"] / 2, chart["y"] + chart["height"] / 2)
    expect(arrival).to_have_value(re.compile(r"\d\d°\d\d\.\d{3}'[NS] \d{3}°\d\d\.\d{3}'[EW]"))
    expect(departure).to_have_value("zzz")

    home.get_by_role("combobox", name="From").fill("Rotterdam")
    home.get_by_role("option", name="Pick a position on the chart").click()
    expect(prompt).to_be_visible()
    departure.fill("Rotterda")
    home.get_by_role("option", name="Rotterdam").click()
    expect(prompt).to_be_hidden()
    home.mouse.click(chart["x"] + 200, chart["y"] + 200)
    expect(departure).to_have_value("Rotterdam")


def test_distance_is_measured_between_clicks(home: Page) -> None:
    home.get_by_role("button", name="Measure distance and course").click()
    chart = home.locator("#map_chart").bounding_box()
    assert chart
    middle = chart["y"] + chart["height"] / 2
    home.mouse.click(chart["x"] + 200, middle)
    home.mouse.move(chart["x"] + 400, middle)
    expect(home.locator(".chart-tag").last).to_have_text(re.compile(r"\d{3}°\s+[\d\u202f.]+ nm"))
    home.keyboard.press("Escape")
    expect(home.locator("path.measure")).to_have_count(0)
