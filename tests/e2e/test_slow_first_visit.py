"""First visit over a slow link: fonts, layout shifts, and response of the slider."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import mouse_and_touch
from tests.e2e.screens import SCREENS, settle

#: Limit of the route page's cumulative layout shift.
MOST_SHIFT = 0.02

COUNT_SHIFTS = """
    window.shifted = 0;
    new PerformanceObserver((list) => {
        const alone = list.getEntries().filter((entry) => !entry.hadRecentInput);
        for (const { value } of alone) window.shifted += value;
    }).observe({ type: "layout-shift", buffered: true });
"""


class Held:
    """Requests of a page that are held back until they are released."""

    def __init__(self, page: Page, pattern: str) -> None:
        self._routes: list[Route] = []
        self._released = False
        page.route(pattern, self._take)

    def _take(self, route: Route) -> None:
        if self._released:
            route.continue_()
        else:
            self._routes.append(route)

    def release(self) -> None:
        """Let go on those held, and those yet to come."""
        self._released = True
        for route in self._routes:
            route.continue_()


def fonts_of(page: Page, selector: str) -> set[str]:
    """Return the font families of an element's text."""
    tools = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        tools.send(f"{domain}.enable")
    root = tools.send("DOM.getDocument")["root"]["nodeId"]
    node = tools.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    fonts = tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    return {font["familyName"] for font in fonts}


def receive_slowly(page: Page, bytes_per_s: int) -> None:
    """Limit what the page receives, its document as well, to a rate."""
    link = {"offline": False, "latency": 50, "downloadThroughput": bytes_per_s}
    tools = page.context.new_cdp_session(page)
    tools.send("Network.emulateNetworkConditions", {**link, "uploadThroughput": -1})


@mouse_and_touch
def test_a_route_opened_over_a_slow_link_does_not_shift_and_ends_in_one_font(
    reader: Page, voyages: dict[str, str]
) -> None:
    reader.add_init_script(COUNT_SHIFTS)
    held = Held(reader, "**/*-600-normal.woff2")
    address = f"/voyages/{voyages['Rotterdam to Lisbon']}"
    reader.goto(address, wait_until="domcontentloaded")
    expect(reader.locator(".plot canvas")).not_to_have_count(0)
    reader.wait_for_function("performance.getEntriesByType('paint').length > 0")
    held.release()
    settle(reader)
    reader.evaluate("document.fonts.ready.then(() => {})")
    for words in ("h1", ".strip__reading dt"):
        assert {name.split(" Semi")[0] for name in fonts_of(reader, words)} == {"IBM Plex Sans"}
    assert reader.evaluate("window.shifted") <= MOST_SHIFT


# where the chart stands above what the document gives first
@pytest.mark.parametrize("screen", SCREENS[-1:], ids=str)
def test_a_route_whose_document_arrives_in_pieces_does_not_shift(
    reader: Page, voyages: dict[str, str]
) -> None:
    address = f"/voyages/{voyages['Rotterdam to Lisbon']}"
    reader.goto(address)
    reader.add_init_script(COUNT_SHIFTS)
    receive_slowly(reader, bytes_per_s=40_000)
    reader.goto(address)
    expect(reader.locator(".plot canvas")).not_to_have_count(0)
    assert reader.evaluate("window.shifted") <= MOST_SHIFT


def test_the_slider_works_while_the_chart_is_loading(
    planner: Page, voyages: dict[str, str]
) -> None:
    held = Held(planner, "**/leaflet.js*")
    planner.goto(f"/voyages/{voyages['Rotterdam to Lisbon']}", wait_until="commit")
    slider, time = planner.locator(".voyage-slider"), planner.locator("[data-cursor=time]")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("UTC"))
    begun = time.inner_text()
    slider.press("ArrowRight")
    expect(time).not_to_have_text(begun)
    moved = time.inner_text()
    held.release()
    expect(planner.locator(".own-ship-mark")).to_be_visible()
    expect(planner.locator(".plot canvas")).not_to_have_count(0)
    expect(time).to_have_text(moved)


def test_what_is_pressed_while_the_chart_is_loading_is_done_afterwards(
    planner: Page, voyages: dict[str, str]
) -> None:
    held = Held(planner, "**/leaflet.js*")
    planner.goto(f"/voyages/{voyages['Rotterdam to Lisbon']}", wait_until="commit")
    layers = planner.get_by_role("button", name="Layers")
    waypoints, play = (planner.locator(mark) for mark in ("#tab-waypoints", "[data-play]"))
    layers.click()
    waypoints.click()
    play.click()
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(layers).to_have_attribute("aria-expanded", "false")
    held.release()
    expect(layers).to_have_attribute("aria-expanded", "true")
    expect(waypoints).to_have_attribute("aria-selected", "true")
    expect(play).to_have_attribute("aria-pressed", "true")


@pytest.mark.refused(422)
def test_a_form_sent_while_the_chart_is_loading_is_answered_afterwards(
    planner: Page, voyages: dict[str, str]
) -> None:
    held = Held(planner, "**/leaflet.js*")
    address = f"/voyages/{voyages['Rotterdam to Lisbon']}"
    planner.goto(address, wait_until="commit")
    departures = planner.locator("#departures")
    departures.get_by_text("Compare", exact=False).first.click()
    departures.locator("[name=departTo]").fill("28 Feb 2026 06:00")
    departures.get_by_role("button", name="Compare", exact=True).click()
    held.release()
    expect(departures.locator("[data-field=departTo]")).to_contain_text("lies before the first")
    assert planner.url.endswith(address)


def test_an_order_sent_before_the_page_is_ready_keeps_its_page(planner: Page) -> None:
    held = Held(planner, "**/js/home.js*")
    planner.goto("/", wait_until="commit")
    planner.get_by_role("button", name="Plan route").click()
    held.release()
    expect(planner.locator("[data-field=portFrom] .field__error")).not_to_be_empty()
    assert planner.url.endswith("/")
