"""Forecast uncertainty on the route page, on all screens."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.conftest import mouse_and_touch
from tests.e2e.orders import wait_for_status
from tests.e2e.screens import sideways_overflow
from tests.e2e.service import Service
from tests.e2e.test_planning_a_route import choose_port
from tests.e2e.test_reading_a_route import open_voyage


@mouse_and_touch
def test_fans_show_fuel_and_arrival_with_their_basis_and_the_profile_where_limits_are_exceeded(
    reader: Page, voyages: dict[str, str]
) -> None:
    open_voyage(reader, voyages, "Rotterdam to Lisbon")
    spread = reader.locator("#spread")
    spread.scroll_into_view_if_needed()
    expect(spread.get_by_role("heading")).to_contain_text("from typical forecast error")
    words = re.compile(r"^Fuel: median [\d.]+ mt, in eight of ten from [\d.]+ mt to [\d.]+")
    expect(spread.get_by_role("img", name=words)).to_be_visible()
    expect(spread.get_by_role("img", name=re.compile("^Arrival: "))).to_be_visible()
    band = spread.locator(".fan__band").first.bounding_box()
    assert band
    assert band["width"] > 60
    assert band["height"] > 20
    assert sideways_overflow(reader) == []
    strips = reader.locator(".lane--risk")
    expect(strips.first).to_be_visible()
    for strip in strips.all():
        expect(strip.get_by_role("img")).to_have_accessible_name(
            re.compile(r"(over the limit|dangerous) in \d+ % of cases, most near WP \d+ about ")
        )
        expect(strip.locator("rect").first).to_be_attached()
        expect(strip).to_contain_text(re.compile(r"(over limit|danger)\s*\d+ %"))
    expect(reader.locator("#profile").get_by_text("of cases", exact=True)).to_be_visible()


def test_a_route_is_chosen_by_risk_and_others_that_are_best_in_some_weather_are_on_the_chart(
    planner: Page, service: Service
) -> None:
    planner.goto("/")
    choose_port(planner, "From", "Halifax")
    choose_port(planner, "To", "Lisbon")
    planner.locator("#startDate").fill("15 Jan 2027 15:00")
    planner.get_by_text("Forecast uncertainty").click()
    planner.get_by_label("Choose route and speeds by").select_option(label="9 of 10 members")
    with planner.expect_response(lambda answer: answer.request.method == "POST") as sent:
        planner.get_by_role("button", name="Plan route").click()
    charting_id = sent.value.json()["id"]
    assert wait_for_status(service, charting_id, {"COMPLETED", "FAILED"})["risk"] == "P90"
    planner.goto(f"/voyages/{charting_id}")
    expect(planner.locator(".spread__tracks li").first).to_contain_text(
        re.compile(r"^As planned: best in \d+ % of cases")
    )
    lines = planner.locator("path.line-ensemble")
    expect(lines.first).to_be_visible()
    planner.get_by_role("button", name="Layers").click()
    planner.get_by_role("switch", name="Best tracks by ensemble member").uncheck()
    expect(lines).to_have_count(0)
    planner.goto(f"/?again={charting_id}")
    expect(planner.locator("#risk")).to_have_value("P90")
