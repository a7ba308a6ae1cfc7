"""Pages with a chart fill the screen of a desk; only their parts scroll."""

import pytest
from playwright.sync_api import Page

from tests.e2e.orders import ORDERS, REFERENCES, order
from tests.e2e.screens import DESK, Screen, show_on
from tests.e2e.service import Service

LAPTOP = Screen(1280, 720, has_touch=False)


@pytest.fixture(scope="session")
def compared(service: Service) -> str:
    """Plan a voyage that compares departures, and its route with another."""
    window = {"departFrom": "2026-03-01T06:00:00Z", "departTo": "2026-03-02T06:00:00Z"}
    name = "Rotterdam to Lisbon"
    return order(service, ORDERS[name], REFERENCES[name], **window, departStepH=6)


def height_px(page: Page) -> int:
    found: int = page.evaluate("document.scrollingElement.scrollHeight")
    return found


def test_neither_the_chart_page_nor_a_voyage_scrolls_as_a_whole(
    planner: Page, compared: str
) -> None:
    planner.goto("/")
    for desk in (DESK, LAPTOP):
        show_on(planner, desk)
        assert height_px(planner) == desk.height
    planner.goto(f"/voyages/{compared}")
    tabs = planner.get_by_role("tab").all()
    assert len(tabs) == 3
    for desk in (LAPTOP, DESK):
        show_on(planner, desk)
        for tab in tabs:
            tab.click()
            assert height_px(planner) == desk.height, tab.inner_text()
