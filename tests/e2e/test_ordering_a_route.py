"""A planner signs in, orders a route on the chart's page and reads it on the chart."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.service import Service

PLANNED_WITHIN_MS = 120_000


def sign_in(page: Page, service: Service) -> None:
    page.goto("/")
    page.get_by_label("E-mail").fill(service.email)
    page.get_by_label("Password").fill(service.password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"/$"))


def choose_port(page: Page, field: str, name: str) -> None:
    page.get_by_role("combobox", name=field).fill(name)
    page.get_by_role("option", name=re.compile(name)).first.click()


def test_a_planner_orders_a_route_and_sees_it_drawn_on_the_chart(page: Page, service: Service):
    sign_in(page, service)
    choose_port(page, "From", "Rotterdam")
    choose_port(page, "To", "Lisbo")
    page.get_by_role("button", name="Order route").click()
    page.get_by_role("tab", name="Recent").click()
    page.get_by_role("link", name=re.compile("Lisbo")).first.click(timeout=PLANNED_WITHIN_MS)
    expect(page.get_by_role("link", name="RTZ")).to_be_visible(timeout=PLANNED_WITHIN_MS)
    route = page.locator("path.line-route").first
    expect(route).to_be_visible()
    drawn = route.bounding_box()
    assert drawn
    assert drawn["height"] > 100, "the route should fill the chart"


def test_the_pages_are_closed_to_whoever_has_not_signed_in(page: Page):
    page.goto("/")
    expect(page).to_have_url(re.compile("/sign-in"))
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
