"""Check of a route file."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import mouse_and_touch
from tests.e2e.orders import call
from tests.e2e.screens import Screen, sideways_overflow, small_targets
from tests.e2e.service import Service

ACROSS_BRITTANY = """lat,lng
49.5,-6.0
47.0,-3.0
43.5,-9.8
"""


@pytest.fixture
def route_file(tmp_path: Path) -> Path:
    file = tmp_path / "across.csv"
    file.write_text(ACROSS_BRITTANY)
    return file


@mouse_and_touch
def test_a_route_over_land_is_a_danger_that_the_chart_shows(
    reader: Page, screen: Screen, route_file: Path
) -> None:
    reader.goto("/check")
    reader.locator("#file").set_input_files(route_file)
    danger = reader.locator(".finding", has_text="crosses land").first
    expect(danger).to_contain_text("From WP 1")
    expect(reader.locator("#check-status")).to_contain_text("1 danger")
    expect(reader.locator("[data-figure=distance]")).to_contain_text("nm")
    expect(reader.locator(".finding-ring--danger")).to_have_count(1)
    danger.click()
    expect(danger).to_be_in_viewport()
    expect(reader.locator(".finding-ring--danger")).to_be_in_viewport()
    assert sideways_overflow(reader) == []
    if screen.has_touch:
        assert small_targets(reader) == []


def test_a_planned_routes_own_file_has_no_danger(
    planner: Page, service: Service, voyages: dict[str, str], tmp_path: Path
) -> None:
    charting = voyages["Rotterdam to Lisbon"]
    planner.goto(f"/voyages/{charting}")
    with planner.expect_download() as download:
        planner.get_by_role("link", name="RTZ").click()
    assert download.value.suggested_filename == "Rotterdam-Lisbon-2026-03-01-r1.rtz"
    file = tmp_path / "planned.rtz"
    download.value.save_as(file)
    planner.goto("/check")
    planner.get_by_label("Draught").fill("12")
    planner.locator("#file").set_input_files(file)
    expect(planner.locator("#check-status")).not_to_be_empty()
    expect(planner.locator(".finding__severity--danger")).to_have_count(0)
    kept = call(service, f"/charting/{charting}")["summary"]
    fuel = planner.locator("[data-figure=fuel]").inner_text()
    assert float(fuel.split()[0]) == pytest.approx(kept["fuelMt"], rel=0.003)


def test_findings_go_with_the_entries_that_they_belong_to(planner: Page, route_file: Path) -> None:
    planner.goto("/check")
    planner.locator("#file").set_input_files(route_file)
    expect(planner.locator("#result")).to_be_visible()
    planner.get_by_label("Draught").fill("9")
    expect(planner.locator("#result")).to_be_hidden()
    expect(planner.locator(".finding-ring")).to_have_count(0)
    planner.get_by_role("button", name="Check").click()
    expect(planner.locator("#result")).to_be_visible()


@pytest.mark.refused(422)
def test_each_error_is_shown_at_its_field(planner: Page, route_file: Path) -> None:
    planner.goto("/check")
    draught = planner.get_by_label("Draught")
    draught.fill("")
    planner.get_by_label("Speed").fill("300")
    planner.locator("#file").set_input_files(route_file)
    for name in ("draft", "speed"):
        expect(planner.locator(f"[data-field={name}] .field__error")).not_to_be_empty()
    expect(planner.locator("#check-fault")).to_be_hidden()
    draught.fill("12")
    expect(planner.locator("[data-field=draft] .field__error")).to_be_empty()
    planner.get_by_label("Speed").fill("12")
    planner.get_by_role("button", name="Check").click()
    expect(planner.locator("#check-status")).not_to_be_empty()
    expect(planner.locator(".field--wrong")).to_have_count(0)


@pytest.mark.refused(422)
def test_a_file_that_holds_no_route_is_refused_and_leaves_no_earlier_route_on_the_chart(
    planner: Page, route_file: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.rtz"
    broken.write_text("<route><waypoints>")
    planner.goto("/check")
    planner.locator("#file").set_input_files(route_file)
    expect(planner.locator("path.edited-leg")).to_have_count(2)
    planner.locator("#file").set_input_files(broken)
    expect(planner.locator("#check-fault")).to_have_text(re.compile(r"^Line \d+: "))
    expect(planner.locator("path.edited-leg, path.finding-ring")).to_have_count(0)
    expect(planner.locator("#result")).to_be_hidden()
