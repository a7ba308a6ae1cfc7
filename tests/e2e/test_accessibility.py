"""Accessibility of all pages: layout on all screens, touch targets, axe-core in all palettes."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.orders import call
from tests.e2e.screens import (
    DESK,
    SCREENS,
    USUAL,
    Screen,
    settle,
    show_on,
    sideways_overflow,
    small_targets,
    wide_regions,
)
from tests.e2e.service import ROOT, Service

AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text()
#: Not those that other tests show with more on them: voyages, organization, webhooks.
PAGES = (
    *("/fleet", "/fleet/new", "/account/second-factor", "/check"),
    *("/admin/data", "/admin/weather"),
)
_, LAPTOP, _, PHONE = SCREENS
#: Least share of a laptop's width that the chart has.
LEAST_CHART_SHARE = 0.6
#: A desk and a laptop at 200 % zoom, the narrowest that text must reflow to (WCAG 1.4.10),
#: and widths between the layouts.
BETWEEN = tuple(
    Screen(width, 700, has_touch=False) for width in (1209, 1001, 901, 720, 561, 512, 320)
)
#: Rules that depend on colours; the others give the same result in every palette.
COLOURS = 'runOnly: ["color-contrast"]'
#: Only what is asked for is described.
BRIEF = 'resultTypes: ["violations"], selectors: false'
#: Remembers what the page shows, for ONLY_HERE: what it shows now and did not show then.
REMEMBER_SHOWN = """() => {
    window.shown = (element) => element.checkVisibility({ visibilityProperty: true })
        && element.getBoundingClientRect().width > 1;
    window.shownThen = new Set([...document.body.querySelectorAll("*")].filter(shown));
}"""
ONLY_HERE = """[...document.body.querySelectorAll("*")]
    .filter((element) => shown(element) && !shownThen.has(element))"""


def serious_faults(page: Page, rules: str = "", within: str = "[document]") -> list[str]:
    found: list[dict[str, Any]] = page.evaluate(
        f"axe.run({{include: {within}}}, {{{BRIEF}, {rules}}}).then(({{violations}}) => violations)"
    )
    return [
        f"{fault['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def on_every_screen(page: Page) -> list[str]:
    """List the problems of the open page's layout on each screen, those of axe-core on two.

    Colours are those of a desk, and of what only a phone shows.
    """
    faults = layout_faults(page)
    page.evaluate(AXE)
    page.evaluate(REMEMBER_SHOWN)
    faults += [f"{DESK}, {fault}" for fault in faults_in_palettes(page)]
    show_on(page, PHONE)
    faults += [f"{PHONE}, {fault}" for fault in faults_in_palettes(page, ONLY_HERE)]
    show_on(page, DESK)
    choose_palette(page, "day")
    return faults


def layout_faults(page: Page) -> list[str]:
    """List the problems of the open page's layout on each screen."""
    settle(page)
    faults = []
    for screen in (*SCREENS, *BETWEEN):
        show_on(page, screen)
        found = sideways_overflow(page) + (small_targets(page) if screen.has_touch else [])
        faults += [f"{screen}: {fault}" for fault in found]
    show_on(page, DESK)
    return faults


def faults_in_palettes(page: Page, coloured: str = "[document]") -> list[str]:
    """List what axe-core finds in the open page by day, and in `coloured` in other palettes."""
    choose_palette(page, "day")
    found = [f"day: {fault}" for fault in serious_faults(page)]
    if page.evaluate(f"{coloured}.length > 0"):
        for palette in ("dusk", "night"):
            choose_palette(page, palette)
            faults = serious_faults(page, COLOURS, coloured)
            found += [f"{palette}: {fault}" for fault in faults]
    return found


def choose_palette(page: Page, palette: str) -> None:
    page.locator(f"[data-set-palette={palette}]").click()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_every_screen_and_axe_finds_nothing_serious(planner: Page, path: str) -> None:
    planner.goto(path)
    assert on_every_screen(planner) == []


@pytest.mark.parametrize("path", ["/admin/users", "/admin/audit", "/admin/zones"])
def test_a_table_fits_every_screen_without_scrolling_and_axe_finds_nothing_serious(
    planner: Page, path: str
) -> None:
    planner.goto(path)
    assert on_every_screen(planner) == []
    show_on(planner, PHONE)
    assert wide_regions(planner) == []


@pytest.mark.parametrize("path", ["/", "/constraints"])
def test_a_chart_fits_every_screen_has_most_of_a_laptop_and_axe_finds_nothing_serious(
    planner: Page, path: str
) -> None:
    planner.goto(path)
    assert on_every_screen(planner) == []
    assert share_of_chart(planner, LAPTOP) > LEAST_CHART_SHARE


def share_of_chart(page: Page, screen: Screen) -> float:
    """Return the chart's share of a screen's width."""
    show_on(page, screen)
    box = page.locator(".chart").bounding_box()
    assert box
    return box["width"] / screen.width


def test_voyages_and_the_keyboard_dialog_fit_every_screen_and_axe_finds_nothing_serious(
    planner: Page, voyages: dict[str, str]
) -> None:
    planner.goto("/voyages")
    expect(planner.locator(".list__tick").nth(len(voyages) - 1)).to_be_visible()
    assert on_every_screen(planner) == []
    planner.keyboard.press("?")
    expect(planner.get_by_role("dialog", name="Keyboard")).to_be_visible()
    assert serious_faults(planner) == []


def test_lists_of_voyages_show_every_column_on_every_screen(
    planner: Page, voyages: dict[str, str]
) -> None:
    for path, region in (("/voyages", ".list__body"), ("/", "#list-recent")):
        planner.goto(path)
        expect(planner.locator(region).get_by_role("row").nth(len(voyages))).to_be_visible()
        assert columns_out_of_sight(planner, region) == []


def columns_out_of_sight(page: Page, region: str) -> list[Screen]:
    """List the screens on which a table is wider than its region."""
    found = []
    for screen in SCREENS:
        show_on(page, screen)
        if page.locator(region).evaluate("(box) => box.scrollWidth > box.clientWidth"):
            found.append(screen)
    show_on(page, DESK)
    return found


def test_a_planned_route_fits_every_screen_and_axe_finds_nothing_serious(
    planner: Page, voyages: dict[str, str]
) -> None:
    planner.goto(f"/voyages/{voyages['Rotterdam to Lisbon']}")
    assert on_every_screen(planner) == []
    assert share_of_chart(planner, LAPTOP) > LEAST_CHART_SHARE
    show_on(planner, DESK)
    planner.get_by_role("tab", name="Waypoints").click()
    table = planner.locator("#waypoints")
    expect(table).to_be_visible()
    for screen in (DESK, USUAL):
        show_on(planner, screen)
        assert table.evaluate("(box) => box.scrollWidth <= box.clientWidth"), screen
    expect(table.locator("small").filter(has_text="ECA").first).to_be_visible()


def test_an_edited_route_fits_every_screen_and_axe_finds_nothing_serious(
    planner: Page, voyages: dict[str, str]
) -> None:
    planner.goto(f"/voyages/{voyages['Rotterdam to Lisbon']}/edit")
    expect(planner.locator("#edit-status")).not_to_be_empty()
    assert on_every_screen(planner) == []


def test_a_passage_plan_fits_every_screen_and_axe_finds_nothing_serious(
    planner: Page, voyages: dict[str, str]
) -> None:
    planner.goto(f"/voyages/{voyages['Rotterdam to Lisbon']}")
    planner.get_by_role("link", name="Print").first.click()
    expect(planner.get_by_role("heading", name="Passage plan")).to_be_visible()
    settle(planner)
    planner.evaluate(AXE)
    points = planner.locator(".sheet", has=planner.get_by_role("heading", name="Critical points"))
    for screen in SCREENS:
        show_on(planner, screen)
        assert sideways_overflow(planner) == []
        assert points.evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") == 0
        if screen in (DESK, PHONE):
            assert serious_faults(planner) == []


def test_a_vessel_s_page_and_forms_fit_every_screen_and_axe_finds_nothing_serious(
    planner: Page, service: Service
) -> None:
    ship = call(service, "/vessel")["items"][0]["id"]
    planner.goto(f"/fleet/{ship}/edit")
    assert on_every_screen(planner) == []
    planner.goto(f"/fleet/{ship}")
    planner.get_by_role("tab", name="Particulars").click()
    assert on_every_screen(planner) == []


def test_signing_in_fits_every_screen_and_axe_finds_nothing_serious(page: Page) -> None:
    page.goto("/sign-in")
    assert on_every_screen(page) == []


def test_compared_voyages_fit_every_screen_and_axe_finds_nothing_serious(
    planner: Page, voyages: dict[str, str]
) -> None:
    planner.goto(f"/voyages/compare?{'&'.join(f'id={voyage}' for voyage in voyages.values())}")
    assert on_every_screen(planner) == []


@pytest.mark.refused("404")
def test_a_page_that_is_not_there_fits_every_screen_and_axe_finds_nothing_serious(
    planner: Page,
) -> None:
    planner.goto("/nothing-here")
    assert on_every_screen(planner) == []


def test_a_phone_opens_the_fleet_at_its_top(planner: Page) -> None:
    show_on(planner, PHONE)
    planner.goto("/fleet")
    settle(planner)
    assert planner.evaluate("scrollY") == 0


def test_keys_fit_every_screen_axe_finds_nothing_serious_and_tabs_keep_their_words_apart(
    planner: Page,
) -> None:
    planner.goto("/admin/keys")
    assert on_every_screen(planner) == []
    show_on(planner, PHONE)
    assert wide_regions(planner) == []
    tabs = planner.get_by_role("navigation", name="Admin pages").get_by_role("link").all()
    boxes = [box for box in (tab.bounding_box() for tab in tabs) if box]
    assert len(boxes) == len(tabs) > 1
    assert len({box["height"] for box in boxes}) == 1
    for tab in tabs:
        assert tab.evaluate("(tab) => tab.scrollWidth <= tab.clientWidth")


def test_an_account_fits_every_screen_with_a_long_name_too_and_axe_finds_nothing_serious(
    planner: Page,
) -> None:
    planner.goto("/account")
    assert on_every_screen(planner) == []
    name = "Wilhelmina Alexandra van der Zwaag-Oosterhuizen, marine superintendent"
    summary = planner.locator(".account summary")
    summary.evaluate("(summary, name) => { summary.firstChild.textContent = name; }", name)
    for screen in (*SCREENS, *BETWEEN):
        show_on(planner, screen)
        assert sideways_overflow(planner) == []
        box = summary.bounding_box()
        assert box
        assert box["x"] + box["width"] <= screen.width
