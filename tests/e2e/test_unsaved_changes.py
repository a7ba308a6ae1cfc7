"""Unsaved changes of a constraint are never lost silently."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.api.examples import BODIES
from tests.e2e.conftest import mouse_and_touch
from tests.e2e.orders import call
from tests.e2e.screens import Screen, press
from tests.e2e.service import Service
from tests.e2e.test_drawing_a_constraint import no_constraints_left

__all__ = ["no_constraints_left"]


@pytest.fixture
def areas(service: Service, no_constraints_left: None) -> list[str]:
    """Create two constraints and return their names."""
    names = ["Firing range", "Wind farm"]
    for name in names:
        call(service, "/constraints", BODIES["createConstraint"] | {"name": name})
    return names


def stored(service: Service, name: str) -> dict[str, object]:
    return next(each for each in call(service, "/constraints")["items"] if each["name"] == name)


@mouse_and_touch
def test_a_corner_that_is_no_position_is_reported_and_keeps_the_area_from_being_saved(
    reader: Page, screen: Screen, service: Service, areas: list[str]
) -> None:
    before = stored(service, areas[0])
    reader.goto("/constraints")
    press(reader.get_by_role("button", name=areas[0]), screen)
    corner = reader.get_by_label("Latitude of corner 2")
    corner.fill("fifty")
    corner.press("Tab")
    expect(corner).to_have_accessible_description(re.compile("“fifty” is not a latitude"))
    reader.get_by_label("Longitude of corner 1").fill("9 30 W")
    reader.get_by_label("Longitude of corner 1").press("Tab")
    expect(corner).to_have_value("fifty")

    press(reader.get_by_role("button", name="Save constraint"), screen)
    expect(corner).to_be_focused()
    expect(corner).to_have_attribute("aria-invalid", "true")
    expect(reader.locator(".toast")).to_have_count(0)
    assert stored(service, areas[0]) == before

    corner.fill("47 45 N")
    corner.press("Tab")
    expect(corner).to_have_accessible_description("")
    press(reader.get_by_role("button", name="Save constraint"), screen)
    expect(reader.locator(".toast")).to_contain_text("Constraint saved")
    ring = stored(service, areas[0])["geometry"]["coordinates"][0]  # type: ignore[index]
    assert (ring[0][0], ring[1][1]) == (-9.5, 47.75)


@mouse_and_touch
def test_choosing_another_constraint_asks_whether_to_save_changes(
    reader: Page, screen: Screen, service: Service, areas: list[str]
) -> None:
    first, second = (reader.get_by_role("button", name=name) for name in areas)
    dialog = reader.get_by_role("dialog", name="Unsaved changes")
    note = reader.get_by_label("Note")
    reader.goto("/constraints")
    press(first, screen)
    note.fill("By day only")
    press(first, screen)
    expect(note).to_have_value("By day only")

    press(second, screen)
    expect(dialog).to_contain_text("Firing range has changes that are not saved.")
    expect(dialog.get_by_role("button", name="Continue editing")).to_be_focused()
    reader.keyboard.press("Escape")
    expect(note).to_have_value("By day only")

    press(second, screen)
    press(dialog.get_by_role("button", name="Save"), screen)
    expect(reader.get_by_label("Name", exact=True)).to_have_value("Wind farm")
    assert stored(service, "Firing range")["description"] == "By day only"

    note.fill("Turbines 1 to 40")
    press(reader.get_by_role("button", name="Polygon"), screen)
    press(dialog.get_by_role("button", name="Discard changes"), screen)
    expect(reader.get_by_role("button", name="Polygon")).to_have_attribute("aria-pressed", "true")
    assert stored(service, "Wind farm")["description"] != "Turbines 1 to 40"
