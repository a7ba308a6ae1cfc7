"""Import of noon reports from a spreadsheet."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.orders import call
from tests.e2e.service import Service
from tests.e2e.test_accessibility import layout_faults, on_every_screen
from tests.e2e.test_calibrating_a_vessel import halted_workers
from tests.e2e.test_vessel_pages import SHIP

__all__ = ["halted_workers"]

NOON = """Date (UTC);Lat;Long;Hours;Distance (nm);V [kn];ME FO Cons (mt);Wind Force;FO Cons (mt)
2026-03-01 12:00;48-30.0N;012-15.0W;24;336;14,0;28,5;4;31,0
2026-03-02 12:00;45-10.0N;014-20.0W;24;331;25,5;28,1;5;30,5
2026-03-03 12:00;41-50.0N;015-40.0W;24;330;13,8;-2;5;30,0
"""


@pytest.fixture
def ship(service: Service) -> Iterator[str]:
    """Create a vessel without reports, deleted afterwards; tests name it before the page."""
    vessel_id: str = call(service, "/vessel", SHIP)["id"]
    yield vessel_id
    call(service, f"/vessel/{vessel_id}", method="DELETE")


def test_errors_are_listed_and_valid_rows_are_kept_only_if_chosen(
    ship: str, planner: Page, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "noon.csv"
    file.write_text(NOON)
    planner.goto(f"/fleet/{ship}")
    planner.get_by_role("link", name="Noon reports").click()
    planner.locator("#file").set_input_files(file)
    expect(planner.locator("#status")).to_contain_text("3 rows, 2 valid, 1 error")
    expect(planner.locator("#faults tr")).to_contain_text(["is negative; allowed: 0 to 500 mt"])

    expect(planner.get_by_label("Unit of Distance (nm)")).to_have_value("nm")
    expect(planner.get_by_label("Unit of Lat", exact=True)).to_have_attribute("placeholder", "°")

    left_out = planner.get_by_role("row").filter(
        has=planner.get_by_label("Field of column FO Cons")
    )
    expect(left_out).to_contain_text("Left out: “ME FO Cons (mt)” is read as Main engine's fuel.")

    # The user maps a column with an unknown header, and the preview is updated.
    planner.get_by_label("Field of column V [kn]").select_option(label="Speed over ground")
    expect(planner.locator("#status")).to_contain_text("3 rows, 1 valid, 2 errors")
    expect(planner.locator("#faults tr").first).to_contain_text("looks like km/h")
    import_button = planner.get_by_role("button", name="Import", exact=True)
    expect(import_button).to_be_disabled()
    assert on_every_screen(planner) == []

    planner.get_by_label("Import valid rows").check()
    import_button.press("Enter")
    expect(planner.locator("#run")).to_contain_text("1 report stored, 2 left out")
    expect(planner.locator("#run")).to_be_focused()
    expect(planner.locator("#stored")).to_have_text("1")
    expect(import_button).to_be_hidden()
    (stored,) = call(service, f"/vessel/{ship}/noon-reports")["items"]
    assert stored["speedOverGround"] == 14.0

    planner.reload()
    expect(planner.locator("#run")).to_contain_text("1 report stored, 2 left out")
    assert layout_faults(planner) == []
    planner.get_by_role("button", name="Delete the report of 1 Mar 2026 12:00").click()
    planner.get_by_role("dialog").get_by_role("button", name="Delete report").click()
    expect(planner.locator("#stored")).to_have_text("0")


@pytest.mark.usefixtures("halted_workers")
def test_an_import_that_waits_is_still_shown_after_a_reload(
    ship: str, planner: Page, tmp_path: Path
) -> None:
    file = tmp_path / "noon.csv"
    file.write_text(NOON)
    planner.goto(f"/fleet/{ship}/noon-reports")
    planner.locator("#file").set_input_files(file)
    planner.get_by_label("Import valid rows").check()
    planner.get_by_role("button", name="Import", exact=True).click()
    expect(planner.locator("#run")).to_contain_text("waiting for a worker")
    planner.reload()
    expect(planner.get_by_role("progressbar", name="Importing")).to_be_visible()
    assert layout_faults(planner) == []
    planner.get_by_role("button", name="Cancel import").click()
    expect(planner.locator("#run")).to_contain_text("was cancelled. Nothing is stored.")


def test_an_import_shows_how_far_it_is_and_is_cancelled(
    ship: str, planner: Page, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "noon.csv"
    first = datetime(2001, 1, 1, 12, tzinfo=UTC)
    noons = (first + timedelta(hours=3 * number) for number in range(60_000))
    rows = "".join(f"{noon:%Y-%m-%d %H:%M};48.5;-12.25;3;42;14;3.5;4;4\n" for noon in noons)
    file.write_text(NOON.splitlines()[0].replace("V [kn]", "Speed (kn)") + "\n" + rows)
    planner.goto(f"/fleet/{ship}/noon-reports")
    planner.locator("#file").set_input_files(file)
    expect(planner.locator("#status")).to_contain_text("60 000 rows")
    planner.get_by_role("button", name="Import", exact=True).click()
    expect(planner.get_by_role("progressbar", name="Importing")).to_be_visible()
    planner.get_by_role("button", name="Cancel import").click()
    expect(planner.locator("#run")).to_contain_text("was cancelled. Nothing is stored.")
    expect(planner.get_by_role("progressbar", name="Importing")).to_be_hidden()
    assert call(service, f"/vessel/{ship}/noon-reports")["total"] == 0
