"""Pages with a chart fill the screen of a desk; only their parts scroll."""

import pytest
from playwright.sync_api import Page

from tests.e2e.orders import ORDERS, order
from tests.e2e.screens import DESK, Screen
from tests.e2e.service import Service

LAPTOP = Screen(1280, 720, has_touch=False)


@pytest.fixture(scope="session")
def compared(service: Service) -> str:
    """Plan a voyage that compares departures."""
    window = {"departFrom": "2026-03-01T06:00:00Z", "departTo": "2026-03-02T06:00:00Z"}
    return order(service, ORDERS["Rotterdam to Lisbon"], **window, departStepH=6)


def height_px(page: Page) -> int:
    found: int = page.evaluate("document.scrollingElement.scrollHeight")
    return found


@pytest.mark.parametrize("desk", [DESK, LAPTOP], ids=str)
def test_neither_the_chart_page_nor_a_voyage_scrolls_as_a_whole(
    planner: Page, compared: str, desk: Screen
) -> None:
    planner.set_viewport_size({"width": desk.width, "height": desk.height})
    planner.goto("/")
    assert height_px(planner) == desk.height
    planner.goto(f"/voyages/{compared}")
    tabs = planner.get_by_role("tab").all()
    assert len(tabs) == 3
    for tab in tabs:
        tab.click()
        assert height_px(planner) == desk.height, tab.inner_text()
