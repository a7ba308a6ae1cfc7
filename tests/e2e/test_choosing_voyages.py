"""Choice of voyages in their list, to compare or archive them."""

import re

from playwright.sync_api import Page, expect


def test_voyages_stay_chosen_when_one_comes_back_from_their_comparison(
    planner: Page, voyages: dict[str, str]
) -> None:
    planner.goto("/voyages")
    ticks = [planner.locator(f"[name=id][value='{each}']") for each in voyages.values()]
    note = planner.locator("#chosen-note")
    for number, tick in enumerate(ticks, 1):
        tick.check()
        expect(note).to_have_text(f"{number} selected.")
    compare = planner.get_by_role("button", name="Compare")
    compare.click()
    planner.wait_for_url(re.compile("/voyages/compare"))
    planner.go_back()
    expect(note).to_have_text("2 selected.")
    expect(compare).to_be_enabled()
    for tick in ticks:
        tick.uncheck()
    expect(note).to_have_text("Tick voyages to compare or archive them.")
    expect(compare).to_be_disabled()
