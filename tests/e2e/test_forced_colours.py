"""Forced colours, as of Windows' contrast themes: what is chosen can be told from the rest."""

import pytest
from playwright.sync_api import Locator, Page

BACKGROUND = "element => getComputedStyle(element).backgroundColor"
BORDER = "element => getComputedStyle(element).borderBottomColor"


@pytest.fixture
def forced(planner: Page) -> Page:
    planner.emulate_media(forced_colors="active")
    return planner


def colours(found: Locator, of: str) -> list[str]:
    found.first.wait_for()
    return [each.evaluate(of) for each in found.all()]


def test_the_current_page_and_the_open_tab_stand_out(forced: Page) -> None:
    forced.goto("/")
    for links in (".bar__nav a", ".dock [role=tab]"):
        chosen = forced.locator(f"{links}:is([aria-current], [aria-selected=true])")
        others = forced.locator(f"{links}:not([aria-current], [aria-selected=true])")
        for of in (BACKGROUND, BORDER):
            assert set(colours(chosen, of)).isdisjoint(colours(others, of)), (links, of)


def test_chosen_segments_and_the_palette_in_use_stand_out(forced: Page) -> None:
    forced.goto("/admin/keys")
    for chosen, other in (
        (".segments label:has(:checked)", ".segments label:not(:has(:checked))"),
        (".palettes [aria-pressed=true]", ".palettes [aria-pressed=false]"),
    ):
        marked, plain = (colours(forced.locator(each), BACKGROUND) for each in (chosen, other))
        assert set(marked).isdisjoint(plain), chosen


def test_the_key_of_the_wave_heights_keeps_its_colours(
    forced: Page, voyages: dict[str, str]
) -> None:
    forced.goto(f"/voyages/{voyages['Rotterdam to Lisbon']}")
    key = forced.locator(".legend__ramp ol")
    key.wait_for()
    assert "gradient" in key.evaluate("element => getComputedStyle(element).backgroundImage")
