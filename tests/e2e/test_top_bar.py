"""The bar at the top of every page."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.screens import Screen, press, sideways_overflow


def test_the_time_is_utc_and_the_weather_has_its_state_on_every_screen(
    reader: Page, screen: Screen
) -> None:
    reader.goto("/")
    clock = reader.locator(".clock")
    expect(clock.get_by_text("UTC")).to_be_visible()
    expect(clock).to_contain_text(re.compile(r"\d\d:\d\d UTC$"))
    badge = reader.locator(".weather-badge")
    expect(badge.get_by_text("climatology", exact=True)).to_be_visible()
    for part in reader.locator(".bar :is(.weather-badge, .clock, .palettes, .account)").all():
        box = part.bounding_box()
        assert box
        assert box["x"] >= 0
    press(badge.locator("summary"), screen)
    facts = badge.get_by_text("No forecast in the store").bounding_box()
    assert facts
    assert facts["x"] >= 0
    assert facts["x"] + facts["width"] <= screen.width
    assert sideways_overflow(reader) == []
