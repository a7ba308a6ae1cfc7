"""Tables and forms on a phone or tablet: nothing is out of view at the side."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, StorageState, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.orders import ORDERS, call, order
from tests.e2e.screens import SCREENS, show_on, wide_regions
from tests.e2e.service import Service
from tests.e2e.test_vessel_pages import SHIP

TABLET, PHONE = SCREENS[-2:]
#: Least width of a field that shows the name of what a column holds [px].
LEAST_FIELD_PX = 120
LONG_NAME = " ".join(["Terminal for dry bulk goods at the far end of the second harbour basin"] * 2)


@pytest.fixture
def phone(open_page: OpenPage, signed_in: StorageState) -> Page:
    page = open_page(PHONE)
    page.context.add_cookies(signed_in["cookies"])
    return page


@pytest.fixture
def vessel_id(service: Service) -> Iterator[str]:
    """A vessel, deleted afterwards: voyages of other tests are of the newest one."""
    made: str = call(service, "/vessel", SHIP)["id"]
    yield made
    call(service, f"/vessel/{made}", method="DELETE")


def test_stored_noon_reports_fit(phone: Page, service: Service, vessel_id: str) -> None:
    report = {"timestamp": "2026-03-02T12:00:00Z", "latitude": 47.9, "longitude": -6.2}
    figures = {"steamingHours": 24, "distance": 312, "speedOverGround": 13, "fuel": 24.6}
    call(service, f"/vessel/{vessel_id}/noon-reports", [report | figures])
    phone.goto(f"/fleet/{vessel_id}/noon-reports")
    row = phone.get_by_role("row", name="2 Mar 2026 12:00")
    expect(row).to_contain_text("312.0")
    assert wide_regions(phone) == []
    delete = row.get_by_role("button", name="Delete the report")
    delete.scroll_into_view_if_needed()
    expect(delete).to_be_in_viewport(ratio=1)


def test_the_current_admin_page_is_in_view_among_the_tabs(phone: Page) -> None:
    phone.goto("/admin/weather")
    expect(phone.get_by_role("link", name="Weather", exact=True)).to_be_in_viewport(ratio=1)


def test_compared_voyages_fit(phone: Page, voyages: dict[str, str]) -> None:
    query = "&".join(f"id={voyage}" for voyage in [*voyages.values()] * 3)
    phone.goto(f"/voyages/compare?{query}")
    assert wide_regions(phone) == []
    expect(phone.get_by_role("row", name="Fuel mt").get_by_role("cell").last).to_be_visible()


def test_long_names_of_ports_are_inside_the_chart(phone: Page, service: Service) -> None:
    start, end = ORDERS["Rotterdam to Lisbon"]
    ends = ((*start[:2], LONG_NAME), (*end[:2], LONG_NAME))
    phone.goto(f"/voyages/{order(service, ends)}")
    names = phone.locator(".chart-label--end span")
    expect(names).to_have_count(2)
    chart = phone.locator(".chart .leaflet-container, .chart.leaflet-container").bounding_box()
    for name in names.all():
        box = name.bounding_box()
        assert box["x"] >= chart["x"]
        assert box["x"] + box["width"] <= chart["x"] + chart["width"]


def test_columns_of_noon_reports_fit_with_readable_fields(
    phone: Page, vessel_id: str, tmp_path: Path
) -> None:
    file = tmp_path / "noon.csv"
    lines = [
        f"2026-03-0{day} 12:00,Swell from ahead, reefers full".replace(", ", "; ")
        for day in (1, 2, 3)
    ]
    heads = f"Date (UTC),{' '.join(['Remarks of the master'] * 4)}"
    file.write_text("\n".join([heads, *lines]))
    phone.goto(f"/fleet/{vessel_id}/noon-reports")
    phone.locator("#file").set_input_files(file)
    expect(phone.get_by_label("Unit of Remarks of the master")).to_be_visible()
    field = phone.get_by_label("Field of column Date (UTC)")
    for screen in (TABLET, PHONE):
        show_on(phone, screen)
        assert wide_regions(phone) == []
        assert field.evaluate("(select) => select.clientWidth") >= LEAST_FIELD_PX


def test_fields_of_a_vessel_are_as_wide_as_a_phone(phone: Page) -> None:
    phone.goto("/fleet/new")
    expect(phone.get_by_label("Installed power")).to_be_visible()
    widths = phone.locator("#vessel .field").evaluate_all(
        "all => all.map((one) => one.clientWidth)"
    )
    assert min(widths) > 0.8 * PHONE.width


def test_the_days_of_departure_are_side_by_side(phone: Page) -> None:
    phone.goto("/voyages")
    first, last = (
        phone.get_by_label(name, exact=True).bounding_box() for name in ("Departs from", "to")
    )
    assert first
    assert last
    assert first["y"] == last["y"]


def test_speeds_and_draught_are_side_by_side_and_a_message_leaves_the_buttons_free(
    phone: Page,
) -> None:
    phone.goto("/")
    names = ("speedRangeMin", "speedRangeMax", "draft")
    boxes = [phone.locator(f"#order [name={name}]").bounding_box() for name in names]
    assert len({box["y"] for box in boxes if box}) == 1
    plan = phone.get_by_role("button", name="Plan route")
    expect(plan).to_be_in_viewport(ratio=1)
    phone.evaluate("import('/static/js/toast.js').then(({ toast }) => toast('Planning started.'))")
    message, button = phone.locator(".toast").bounding_box(), plan.bounding_box()
    assert message is not None
    assert button is not None
    assert message["y"] + message["height"] <= button["y"]


def test_the_other_vessels_are_one_step_from_a_vessel(phone: Page, vessel_id: str) -> None:
    phone.goto(f"/fleet/{vessel_id}")
    fleet = phone.get_by_role("heading", name=re.compile("^Fleet"))
    expect(fleet).not_to_be_in_viewport()
    phone.get_by_role("link", name=re.compile(r"^All \d+ vessels$")).click()
    expect(fleet).to_be_in_viewport()


def test_a_long_name_has_the_width_of_the_fleet_list(
    planner: Page, service: Service, vessel_id: str
) -> None:
    call(service, f"/vessel/{vessel_id}", SHIP | {"name": LONG_NAME}, method="PUT")
    planner.goto(f"/fleet/{vessel_id}")
    row = planner.locator(f".fleet [data-vessel='{vessel_id}']")
    name, whole = row.locator("strong").bounding_box(), row.bounding_box()
    assert name is not None
    assert whole is not None
    assert name["width"] > 0.85 * whole["width"]
    assert name["height"] < 60
