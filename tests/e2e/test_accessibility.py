"""Every page in every palette under axe-core: nothing serious, nothing critical."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.e2e.orders import call
from tests.e2e.service import ROOT, Service

AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text()
PAGES = (
    *("/", "/voyages", "/constraints", "/fleet", "/fleet/new", "/account"),
    *("/admin/keys", "/admin/users", "/admin/zones", "/admin/weather"),
)
PALETTES = ("day", "dusk", "night")


def serious_faults(page: Page) -> list[str]:
    page.wait_for_load_state("networkidle")
    page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate("axe.run().then(({violations}) => violations)")
    return [
        f"{fault['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def in_every_palette(page: Page) -> list[str]:
    faults = []
    for palette in PALETTES:
        page.locator(f"[data-set-palette={palette}]").click()
        faults += [f"{palette}: {fault}" for fault in serious_faults(page)]
    return faults


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_serious(planner: Page, path: str) -> None:
    planner.goto(path)
    assert in_every_palette(planner) == []


def test_axe_finds_nothing_serious_on_a_planned_route(
    planner: Page, voyages: dict[str, str]
) -> None:
    planner.goto(f"/voyages/{voyages['Rotterdam to Lisbon']}")
    assert in_every_palette(planner) == []


def test_axe_finds_nothing_serious_on_a_vessel_s_page_and_forms(
    planner: Page, service: Service
) -> None:
    ship = call(service, "/vessel")["items"][0]["id"]
    planner.goto(f"/fleet/{ship}/edit")
    assert in_every_palette(planner) == []
    planner.goto(f"/fleet/{ship}")
    planner.get_by_role("tab", name="Particulars").click()
    assert in_every_palette(planner) == []


def test_axe_finds_nothing_serious_before_signing_in(page: Page) -> None:
    page.goto("/sign-in")
    assert in_every_palette(page) == []


def test_axe_finds_nothing_serious_in_the_list_of_keys(planner: Page) -> None:
    planner.goto("/voyages")
    planner.keyboard.press("?")
    assert serious_faults(planner) == []
