"""Layer of unproven water on the chart."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.screens import painted_pixels
from tests.waiting import wait_until


def hatched_pixels(page: Page) -> int:
    """Count the painted pixels of the layer's tiles."""
    return painted_pixels(page, ".leaflet-unproven-pane canvas")


def test_unproven_water_is_hatched_when_the_layer_is_on(home: Page) -> None:
    home.evaluate("map_chart.setView([41.4, -70.3], 8, {animate: false})")
    home.get_by_role("button", name="Layers").click()
    switch = home.get_by_role("switch", name="Unproven water")
    legend = home.locator("[data-legend=unproven]")
    expect(switch).not_to_be_checked()
    expect(legend).to_be_hidden()
    assert hatched_pixels(home) == 0
    with home.expect_response(re.compile("/chart/unproven/2/8/")):
        switch.click()
    expect(legend).to_have_text("unproven for ships that need over 8 m")
    wait_until(lambda: hatched_pixels(home) > 1000, "hatched water")
    switch.click()
    expect(home.locator(".leaflet-unproven-pane canvas")).to_have_count(0)
    expect(legend).to_be_hidden()


def test_a_route_page_loads_the_layer_only_when_it_is_switched_on(
    planner: Page, voyages: dict[str, str]
) -> None:
    asked: list[str] = []
    planner.on("request", lambda request: asked.append(request.url))
    planner.goto(f"/voyages/{voyages['Rotterdam to Lisbon']}")
    planner.get_by_role("button", name="Layers").click()
    switch = planner.get_by_role("switch", name="Unproven water")
    expect(switch).not_to_be_checked()
    assert not [url for url in asked if "/chart/unproven/" in url]
