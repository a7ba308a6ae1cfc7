"""The bar at the top of every page."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.screens import SCREENS, show_on, sideways_overflow


def test_the_time_is_utc_and_the_weather_has_its_state_on_every_screen(planner: Page) -> None:
    planner.goto("/")
    clock, badge = planner.locator(".clock"), planner.locator(".weather-badge")
    for screen in SCREENS:
        show_on(planner, screen)
        expect(clock.get_by_text("UTC")).to_be_visible()
        expect(clock).to_contain_text(re.compile(r"\d\d:\d\d UTC$"))
        expect(badge.get_by_text("climatology", exact=True)).to_be_visible()
        for part in planner.locator(".bar :is(.weather-badge, .clock, .palettes, .account)").all():
            box = part.bounding_box()
            assert box
            assert box["x"] >= 0
        badge.locator("summary").click()
        facts = badge.get_by_text("No forecast in the store").bounding_box()
        assert facts
        assert facts["x"] >= 0
        assert facts["x"] + facts["width"] <= screen.width
        assert sideways_overflow(planner) == []
        badge.locator("summary").click()
