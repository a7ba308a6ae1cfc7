"""Editor of constraints: circles, holes, antimeridian, conflicts, import and export."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.orders import ORDERS, call, order
from tests.e2e.service import Service
from tests.e2e.test_drawing_a_constraint import chart, draw, no_constraints_left

__all__ = ["chart", "no_constraints_left"]

pytestmark = pytest.mark.usefixtures("no_constraints_left")

SOON = datetime.now(UTC) + timedelta(days=2)


def at(page: Page, *places: tuple[float, float]) -> list[tuple[int, int]]:
    """Return the pixels of positions on the chart."""
    points = page.evaluate(
        """places => places.map((place) => {
            const { x, y } = map_chart.latLngToContainerPoint(place);
            return [Math.round(x), Math.round(y)];
        })""",
        list(places),
    )
    return [(x, y) for x, y in points]


def click(page: Page, *places: tuple[float, float]) -> None:
    box = page.locator("#map_chart").bounding_box()
    assert box
    for x, y in at(page, *places):
        page.mouse.click(box["x"] + x, box["y"] + y)
        page.wait_for_timeout(60)


def look_at(page: Page, lat: float, lng: float, zoom: float = 6) -> None:
    page.evaluate(f"map_chart.setView([{lat}, {lng}], {zoom}, {{animate: false}})")


def save(page: Page, name: str) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Save constraint").click()
    expect(page.locator(".toast")).to_contain_text("Constraint saved")


def open_ushant(chart: Page) -> None:
    """Draw and save a constraint, and open it again."""
    look_at(chart, 49.0, -8.0)
    draw(chart, at(chart, (50.0, -10.0), (50.0, -6.0), (48.0, -6.0)))
    save(chart, "Ushant")
    chart.get_by_role("button", name=re.compile("Ushant")).click()


def rings(service: Service) -> list[list[list[float]]]:
    (saved,) = call(service, "/constraints")["items"]
    coordinates: list[list[list[float]]] = saved["geometry"]["coordinates"]
    return coordinates


def test_a_circle_takes_the_radius_that_is_typed(chart: Page, service: Service) -> None:
    look_at(chart, 49.0, -8.0)
    chart.get_by_role("button", name="Circle").click()
    click(chart, (49.0, -8.0), (49.0, -7.0))
    expect(chart.get_by_label("Radius")).to_have_value(re.compile(r"^39\.\d$"))
    chart.get_by_label("Radius").fill("60")
    chart.get_by_label("Latitude of the centre").fill("49 00 N")
    chart.get_by_label("Latitude of the centre").press("Tab")
    save(chart, "Exercise")
    (ring,) = rings(service)
    assert len(ring) == 73
    assert max(lat for _, lat in ring) == pytest.approx(50.0, abs=0.001)


def test_a_hole_is_cut_and_each_step_can_be_taken_back(chart: Page, service: Service) -> None:
    look_at(chart, 49.0, -8.0)
    draw(chart, at(chart, (50.0, -10.0), (50.0, -6.0), (48.0, -6.0), (48.0, -10.0)))
    chart.get_by_role("button", name="Hole").click()
    click(chart, (49.5, -9.0), (49.5, -7.0), (48.5, -8.0))
    chart.keyboard.press("Enter")
    expect(chart.get_by_label("Ring").locator("option")).to_have_text(["Outline", "Hole 1"])
    chart.keyboard.press("Control+z")
    expect(chart.get_by_label("Ring")).to_be_hidden()
    chart.keyboard.press("Control+y")
    save(chart, "With an island")
    assert [len(ring) for ring in rings(service)] == [5, 4]


def test_a_chosen_corner_is_nudged_by_a_tenth_of_a_minute(chart: Page) -> None:
    look_at(chart, 49.0, -8.0)
    draw(chart, at(chart, (50.0, -10.0), (50.0, -6.0), (48.0, -6.0)))
    corner = chart.get_by_label("Latitude of corner 1")
    corner.fill("50 00 N")
    corner.press("Tab")
    chart.get_by_label("Latitude of corner 1").focus()
    chart.locator("#map_chart").focus()
    chart.keyboard.press("ArrowUp")
    expect(chart.get_by_label("Latitude of corner 1")).to_have_value("50°00.100'N")


def test_an_area_across_the_antimeridian_is_split_there(chart: Page, service: Service) -> None:
    look_at(chart, -15.0, 180.0, 5)
    draw(chart, at(chart, (-12.0, 176.0), (-12.0, 184.0), (-18.0, 184.0), (-18.0, 176.0)))
    chart.get_by_role("button", name="Split at 180°").click()
    expect(chart.get_by_label("Ring").locator("option")).to_have_text(["Part 1", "Part 2"])
    save(chart, "Fiji")
    (saved,) = call(service, "/constraints")["items"]
    assert saved["geometry"]["type"] == "MultiPolygon"
    lngs = [lng for (ring,) in saved["geometry"]["coordinates"] for lng, _ in ring]
    assert max(map(abs, lngs)) == 180.0


@pytest.fixture(scope="module")
def voyage(service: Service) -> Any:
    """Plan a future voyage that an area can affect."""
    charting_id = order(
        service,
        ORDERS["Rotterdam to Lisbon"],
        startDate=f"{SOON:%Y-%m-%dT06:00:00Z}",
        speedRangeMin=12,
        routeType="GC",
    )
    return call(service, f"/charting/{charting_id}")


def test_drawing_shows_at_once_which_planned_voyages_it_would_touch(
    chart: Page, voyage: dict[str, Any]
) -> None:
    look_at(chart, 46.0, -8.0, 6)
    draw(chart, at(chart, (46.5, -11.0), (46.5, -4.0), (45.5, -4.0), (45.5, -11.0)))
    affected = chart.locator("#affected")
    expect(affected).to_contain_text("Affects")
    expect(affected.get_by_role("link", name="Noordster, Rotterdam to Lisbon")).not_to_have_count(0)
    expect(affected).to_contain_text(re.compile(r"\d\d nm inside"))
    expect(chart.locator("path.affected").first).to_be_attached()
    chart.get_by_label("Last day").fill(f"{SOON:%-d %b %Y}")
    expect(affected).to_contain_text("Affects no planned voyage")


@pytest.mark.refused(422)
def test_no_voyages_are_shown_for_days_that_are_wrong(chart: Page, voyage: dict[str, Any]) -> None:
    look_at(chart, 46.0, -8.0, 6)
    draw(chart, at(chart, (46.5, -11.0), (46.5, -4.0), (45.5, -4.0), (45.5, -11.0)))
    affected = chart.locator("#affected")
    expect(affected).to_contain_text("Affects")
    first, last = chart.get_by_label("First day"), chart.get_by_label("Last day")
    first.fill("1 Dec 2090")
    expect(affected).to_contain_text("Affects no planned voyage")
    last.fill("30 Nov 2090")
    expect(affected).to_be_hidden()
    last.fill("31 Dec 2090")
    expect(affected).to_be_visible()
    first.fill("41 Dec 2090")
    expect(affected).to_be_hidden()
    first.fill("2 Jan 2091")
    chart.get_by_label("Name", exact=True).fill("Firing range")
    chart.get_by_role("button", name="Save constraint").click()
    wrong = chart.get_by_text("It ends before it starts.")
    expect(wrong).to_be_visible()
    below, field = wrong.bounding_box(), last.bounding_box()
    assert below
    assert field
    assert field["x"] - below["x"] < below["width"] / 2


@pytest.mark.refused(412)
def test_a_change_made_in_another_window_is_reported_and_nothing_is_lost(
    chart: Page, service: Service
) -> None:
    open_ushant(chart)
    other = chart.context.new_page()
    other.goto("/constraints")
    other.get_by_role("button", name=re.compile("Ushant")).click()
    other.get_by_label("Note").fill("Moved by the other window")
    other.get_by_role("button", name="Save constraint").click()
    expect(other.locator(".toast")).to_contain_text("Constraint saved")
    other.close()
    chart.get_by_label("Last day").fill("1 Feb 2027")
    chart.get_by_role("button", name="Save constraint").click()
    dialog = chart.get_by_role("dialog")
    expect(dialog).to_contain_text("Nothing is saved yet")
    expect(dialog).to_contain_text("Moved by the other window")
    expect(dialog.get_by_role("row", name="Last day")).to_contain_text("1 Feb 2027")
    dialog.get_by_role("button", name="Save mine as a copy").click()
    expect(chart.get_by_role("button", name=re.compile(r"Ushant \(copy\)"))).to_be_visible()
    saved = {each["name"]: each for each in call(service, "/constraints")["items"]}
    assert saved["Ushant"]["description"] == "Moved by the other window"
    assert saved["Ushant (copy)"]["end_date"] == "2027-02-01"


@pytest.mark.refused(404)
def test_a_constraint_deleted_by_another_user_is_saved_as_a_new_one(
    chart: Page, service: Service
) -> None:
    open_ushant(chart)
    chart.get_by_label("Note").fill("Firing on Mondays")
    (saved,) = call(service, "/constraints")["items"]
    call(service, f"/constraints/{saved['id']}", method="DELETE")
    chart.get_by_role("button", name="Save constraint").click()
    dialog = chart.get_by_role("dialog", name="Deleted by another user")
    expect(dialog).to_contain_text("Ushant was deleted after you opened it")
    dialog.get_by_role("button", name="Save as new").click()
    expect(chart.get_by_text("Nothing selected")).to_be_visible()
    (anew,) = call(service, "/constraints")["items"]
    assert anew["id"] != saved["id"]
    assert anew["description"] == "Firing on Mondays"


def test_what_was_not_saved_is_offered_when_the_page_comes_back(chart: Page) -> None:
    look_at(chart, 49.0, -8.0)
    draw(chart, at(chart, (50.0, -10.0), (50.0, -6.0), (48.0, -6.0)))
    chart.get_by_label("Name", exact=True).fill("Left behind")
    chart.on("dialog", lambda dialog: dialog.accept())
    chart.reload()
    chart.get_by_role("button", name="Continue").click()
    expect(chart.get_by_label("Name", exact=True)).to_have_value("Left behind")
    expect(chart.locator("#corners tr")).to_have_count(3)
    chart.get_by_role("button", name="Discard").click()


def test_what_another_user_did_not_save_is_not_offered_but_forgotten(chart: Page) -> None:
    theirs = {"name": "Secret", "geometry": None, "keptAt": "2027-01-01T00:00:00Z"}
    chart.evaluate(
        "theirs => localStorage.setItem('constraint-draft:other', theirs)", json.dumps(theirs)
    )
    chart.reload()
    chart.wait_for_function("localStorage.getItem('constraint-draft:other') === null")
    expect(chart.get_by_text("Secret")).to_have_count(0)


def test_areas_are_imported_looked_through_and_exported(
    chart: Page, service: Service, tmp_path: Path
) -> None:
    def square(west: float) -> dict[str, Any]:
        ring = [[west, 48], [west + 1, 48], [west + 1, 49], [west, 49], [west, 48]]
        geometry = {"type": "Polygon", "coordinates": [ring]}
        return {"type": "Feature", "properties": {"name": f"At {west:g}"}, "geometry": geometry}

    file = tmp_path / "areas.geojson"
    file.write_text(
        json.dumps({"type": "FeatureCollection", "features": [square(-12), square(-9)]})
    )
    chart.get_by_label("Import").set_input_files(file)
    expect(chart.locator(".toast")).to_contain_text("2 areas saved, all switched off")
    expect(chart.locator("[data-legend=off]")).to_be_visible()
    assert not any(each["is_active"] for each in call(service, "/constraints")["items"])
    with chart.expect_download() as download:
        chart.get_by_role("link", name="KML").click()
    assert "At -9" in Path(download.value.path()).read_text()
    with chart.expect_download() as download:
        chart.get_by_role("link", name="GeoJSON").click()
    exported = json.loads(Path(download.value.path()).read_text())
    assert len(exported["features"]) == 2


@pytest.mark.refused(412)
def test_an_outline_that_nobody_touched_is_in_no_list_of_changes(
    chart: Page, service: Service
) -> None:
    # More decimals than the editor writes, across the antimeridian.
    ring = [[175.1234567, 3.0], [185.0, 3.0], [185.0, -3.0], [175.1234567, 3.0]]
    area = {
        "name": "Line islands",
        "type": "USER_DEFINED",
        "level": "GLOBAL",
        "geometry": {"type": "MultiPolygon", "coordinates": [[ring]]},
    }
    saved = call(service, "/constraints", area)
    chart.reload()
    chart.get_by_role("button", name=re.compile("Line islands")).click()
    chart.get_by_label("Note").fill("mine")
    call(service, f"/constraints/{saved['id']}", area | {"description": "theirs"}, "PUT")
    chart.get_by_role("button", name="Save constraint").click()
    rows = chart.get_by_role("dialog", name="Changed by another user").locator("tbody tr")
    expect(rows).to_have_text([re.compile("^Note.*mine.*theirs$")])
    chart.get_by_role("button", name="Keep theirs").click()
    expect(chart.get_by_label("Note")).to_have_value("theirs")


def test_an_area_is_chosen_on_the_chart_and_a_circle_keeps_its_radius_without_handles(
    chart: Page, voyage: dict[str, Any]
) -> None:
    chart.reload()
    # The planned route is below the drawing, on all copies of the world.
    expect(chart.locator("path.line-route").first).to_be_attached()
    expect(chart.locator(".legend")).to_contain_text("planned route")
    expect(chart.locator("[data-legend=routes]")).to_be_visible()
    look_at(chart, 49.0, -8.0)
    chart.get_by_role("button", name="Circle").click()
    click(chart, (49.0, -8.0), (49.0, -7.0))
    expect(chart.get_by_label("Radius")).not_to_have_value("")
    radius = chart.get_by_label("Radius").input_value()
    expect(chart.locator(".marker-icon:not(.cursor-marker)")).to_have_count(0)
    save(chart, "Exercise")
    expect(chart.get_by_text("Nothing selected")).to_be_visible()
    click(chart, (49.1, -8.1))
    expect(chart.get_by_label("Name", exact=True)).to_have_value("Exercise")
    expect(chart.get_by_label("Radius")).to_have_value(radius)
