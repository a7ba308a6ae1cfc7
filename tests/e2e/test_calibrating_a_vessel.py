"""Calibration of a vessel from telemetry: started, accepted, reverted, cancelled."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from app.models import Vessel
from app.records.vessel import VesselSchema
from app.services.engine_mapping import build_ship_particulars, snapshot_vessel
from benchmarks.synthetic_reports import make_ship
from tests.e2e.orders import call
from tests.e2e.service import Service
from tests.e2e.test_accessibility import on_every_screen
from tests.e2e.test_slow_answers import hold_next, let_go, wait_for_request
from tests.e2e.test_vessel_pages import SHIP
from tests.reported import as_telemetry
from tests.waiting import wait_until


@pytest.fixture
def sailed(service: Service) -> Iterator[str]:
    """Create a vessel whose records of a year differ from its particulars.

    It is deleted afterwards; tests name it before the page.
    """
    ship = build_ship_particulars(snapshot_vessel(Vessel(**VesselSchema().load(SHIP))))
    vessel_id: str = call(service, "/vessel", SHIP | {"name": "Gannet"})["id"]
    sent = as_telemetry(make_ship(ship, 5, with_faults=False).reports)
    assert call(service, f"/telemetry/{vessel_id}/batch", sent)["stored"] == len(sent)
    yield vessel_id
    call(service, f"/vessel/{vessel_id}", method="DELETE")


def test_a_manager_calibrates_a_vessel_accepts_it_and_goes_back(
    sailed: str, planner: Page, service: Service
) -> None:
    planner.goto(f"/fleet/{sailed}/edit")
    planner.get_by_label("Dry-dockings and hull cleanings").fill("1 Jul 2024 hull cleaning")
    planner.get_by_role("button", name="Save particulars").click()
    planner.wait_for_url(f"**/fleet/{sailed}")
    planner.get_by_role("tab", name="Performance").click()
    panel = planner.locator("#performance")
    expect(panel).to_contain_text("fuel figures rest on particulars only")
    expect(panel).to_contain_text("No calibration yet")
    expect(panel.locator(".plot canvas")).to_have_count(1)
    with service.halted_workers():
        planner.get_by_role("button", name="Calibrate", exact=True).click()
        expect(planner.get_by_role("progressbar", name="Calibrating")).to_be_visible()
        expect(planner.get_by_role("button", name="Calibrate", exact=True)).to_be_hidden()
        expect(planner.get_by_role("button", name="Cancel calibration 1")).to_be_focused()
    row = panel.locator("tbody tr").first
    expect(row).to_contain_text("Proposed")
    assert has_room_for_reasons(row)
    expect(panel.locator(".plot canvas")).to_have_count(6)
    expect(planner.locator("#estimates tr")).to_have_count(4)
    expect(planner.get_by_role("heading", name="Reports against the model")).to_contain_text(
        re.compile(r"weather of \d+ reports by records, \d+ by forecasts")
    )
    expect(planner.get_by_role("heading", name="Excluded", exact=True)).to_be_visible()
    planner.get_by_role("button", name="Accept calibration 1").click()
    expect(row).to_contain_text("Active since")
    expect(panel).to_contain_text("days of the ship's own reports")
    assert on_every_screen(planner) == []
    planner.get_by_role("button", name="Revert calibration 1").click()
    expect(row).to_contain_text("Reverted")
    expect(panel).to_contain_text("fuel figures rest on particulars only")
    planner.get_by_role("button", name="Accept calibration 1").click()
    expect(row).to_contain_text("Active since")
    expect(panel.locator(".plot canvas")).to_have_count(6)


@pytest.fixture
def halted_workers(service: Service) -> Iterator[None]:
    """Pause the workers."""
    with service.halted_workers():
        yield


def has_room_for_reasons(row: Locator) -> bool:
    """Return whether a version's state stays in sight with a long reason why it is not proposed."""
    row.locator("td").nth(4).evaluate(
        "(cell) => cell.append(' is not better than others'.repeat(12))"
    )
    return row.evaluate(
        "(row) => row.closest('.scroll').scrollWidth <= row.closest('.scroll').clientWidth"
    )


@pytest.mark.usefixtures("halted_workers")
def test_a_manager_cancels_a_calibration_that_waits(sailed: str, planner: Page) -> None:
    planner.goto(f"/fleet/{sailed}#performance")
    panel = planner.locator("#performance")
    planner.get_by_role("button", name="Calibrate", exact=True).click()
    expect(panel).to_contain_text("Calibration 1: waiting for a worker")
    planner.reload()
    expect(planner.get_by_role("progressbar", name="Calibrating")).to_be_visible()
    assert on_every_screen(planner) == []
    planner.get_by_role("button", name="Cancel calibration 1").click()
    expect(panel).to_contain_text("Calibration 1 was cancelled")
    expect(planner.get_by_role("button", name="Calibrate", exact=True)).to_be_focused()


@pytest.mark.refused(409)
def test_a_vessel_without_reports_is_not_calibrated_and_the_page_says_why(
    planner: Page, service: Service
) -> None:
    vessel_id = call(service, "/vessel", SHIP | {"name": "Petrel"})["id"]
    planner.goto(f"/fleet/{vessel_id}#performance")
    planner.get_by_role("button", name="Calibrate", exact=True).click()
    expect(planner.locator("#performance-fault")).to_contain_text("has no reports")
    call(service, f"/vessel/{vessel_id}", method="DELETE")


def test_the_evidence_of_a_calibration_that_comes_late_does_not_replace_that_of_the_next(
    sailed: str, planner: Page, service: Service
) -> None:
    for _ in range(2):
        calibrate(service, sailed)
    planner.goto(f"/fleet/{sailed}#performance")
    note = planner.locator("#fit-note")
    expect(note).to_contain_text("calibration 2;")
    first, second = (planner.get_by_role("radio", name=n, exact=True) for n in ("1", "2"))
    held = hold_next(planner, "**/calibrations/*")
    first.check()
    wait_for_request(planner, held)
    with planner.expect_response("**/calibrations/*"):
        second.check()
    let_go(planner, held)
    expect(note).to_contain_text("calibration 2;")


def calibrate(service: Service, vessel_id: str) -> None:
    """Calibrate a vessel and wait until it is fitted."""
    path = f"/vessel/{vessel_id}/calibrations"
    started = call(service, path, {})
    wait_until(
        lambda: call(service, f"{path}/{started['id']}")["finishedAt"] is not None, "calibration"
    )
