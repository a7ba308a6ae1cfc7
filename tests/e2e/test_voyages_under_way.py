"""Voyages under way: list, progress and advice.

The tests follow one voyage, as to plan it takes longest: first those that read it, then those that
change its plan, and last the one that ends it.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, StorageState, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.orders import ORDERS, call, order, wait_for_status
from tests.e2e.screens import SCREENS, press, sideways_overflow, small_targets
from tests.e2e.service import Service
from tests.e2e.test_accessibility import columns_out_of_sight, on_every_screen
from tests.waiting import wait_until

SHIP = {
    **{"name": "Sandpiper", "dateConstructed": "2016-04-01", "dwt": 75_000, "loa": 225},
    **{"lbp": 218, "breadth": 32.26, "depth": 19.6, "draftDesign": 12.2, "draftScant": 14.2},
    **{"serviceSpeed": 14, "pitch": 5.1, "type": 1},
}
HOUR = timedelta(hours=1)
#: Longer than a page waits before it refreshes its figures [ms].
REFRESHED_MS = 61_000
TABLET = SCREENS[2]
DESTINATION = ORDERS["Rotterdam to Lisbon"]


def written(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


@pytest.fixture(scope="module")
def under_way(service: Service) -> Iterator[str]:
    """Create a voyage that departed yesterday, with position reports an hour late."""
    now = datetime.now(UTC)
    vessel_id = call(service, "/vessel", SHIP)["id"]
    departs_at = written(now - 20 * HOUR)
    charting_id = order(service, DESTINATION, vesselId=vessel_id, startDate=departs_at)
    track = call(service, f"/charting/{charting_id}/track")["items"]
    records = [
        {
            "timestamp": written(datetime.fromisoformat(at["time"]) + HOUR),
            **{"latitude": at["lat"], "longitude": at["lng"], "speed": at["speedKn"]},
            **{"heading": at["courseDeg"] % 360, "rpm": 84, "fuelConsumption": 24},
            **{"draft": 12, "engineLoad": 60},
        }
        for at in track
        if datetime.fromisoformat(at["time"]) + HOUR <= now
    ]
    call(service, f"/telemetry/{vessel_id}/batch", records)
    wait_until(lambda: progress_of(service, charting_id)["state"] == "UNDER_WAY", "departure")
    yield charting_id
    if progress_of(service, charting_id)["state"] == "UNDER_WAY":
        call(service, f"/charting/{charting_id}/abandon", {"reason": "The test is over"})


@pytest.fixture(scope="module")
def firing_range(service: Service, under_way: str) -> Iterator[None]:
    """Create an area across the rest of the planned route, of which an advice warns."""
    ring = [[-10.6, 41.0], [-9.1, 41.0], [-9.1, 41.4], [-10.6, 41.4], [-10.6, 41.0]]
    area = {
        **{"name": "Firing range", "type": "USER_DEFINED", "level": "GLOBAL"},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }
    area_id = call(service, "/client-data", area)["id"]
    wait_until(lambda: call(service, f"/charting/{under_way}/advice")["items"], "advice")
    yield
    call(service, f"/client-data/{area_id}", method="DELETE")


def progress_of(service: Service, charting_id: str) -> dict[str, Any]:
    shown: dict[str, Any] = call(service, f"/charting/{charting_id}/progress")
    return shown


def wait_for_revision(service: Service, charting_id: str, revision: int) -> None:
    """Wait until the voyage follows a revision."""
    wait_until(
        lambda: progress_of(service, charting_id)["revision"] == revision,
        f"voyage on revision {revision}",
    )


def test_a_voyage_under_way_is_followed_in_the_list_and_on_its_page(
    planner: Page, under_way: str
) -> None:
    planner.goto("/")
    recent = planner.locator("#list-recent").get_by_role("row").filter(has_text="Sandpiper").first
    expect(recent).to_contain_text("Under way")
    planner.goto("/voyages")
    planner.locator(".list__head").get_by_role("link", name="Under way").click()
    row = planner.get_by_role("row").filter(has_text="Sandpiper").last
    expect(row).to_contain_text("+1.0")
    row.get_by_role("link", name="Rotterdam to Lisbon").click()
    expect(planner.get_by_text("Behind plan")).to_be_visible()
    expect(planner.get_by_text("Under way, departed")).to_be_visible()
    expect(planner.locator(".own-ship")).to_be_visible()
    expect(planner.locator("path.line-sailed")).to_have_count(1)


@pytest.mark.refused("503")
def test_a_voyage_that_cannot_be_refreshed_tells_the_time_of_its_data(
    planner: Page, under_way: str
) -> None:
    address = f"/voyages/{under_way}/progress"
    planner.clock.install(time=datetime(2026, 3, 1, 9, 41, tzinfo=UTC))
    planner.goto(address)
    expect(planner.locator(".own-ship")).to_be_visible()
    planner.route(f"**{address}", lambda route: route.fulfill(status=503))
    planner.clock.run_for(REFRESHED_MS)
    note = planner.get_by_text("No connection. Data from 09:41 UTC; trying again.")
    expect(note).to_be_visible()
    expect(planner.get_by_text("Behind plan")).to_be_visible()
    planner.unroute(f"**{address}")
    planner.clock.run_for(REFRESHED_MS)
    expect(note).to_be_hidden()


def test_the_list_and_a_voyage_fit_every_screen_and_axe_finds_nothing_serious(
    planner: Page, under_way: str
) -> None:
    for path in ("/voyages/under-way", f"/voyages/{under_way}/progress"):
        planner.goto(path)
        assert on_every_screen(planner) == []
    planner.goto("/voyages/under-way")
    assert columns_out_of_sight(planner, "#under-way-list") == []


def test_an_advice_appears_with_its_route_while_a_form_is_being_filled_in(
    planner: Page, under_way: str, request: pytest.FixtureRequest
) -> None:
    planner.goto(f"/voyages/{under_way}/progress")
    planner.get_by_text("Abandon the voyage").first.click()
    reason = planner.get_by_label("Reason for abandoning")
    reason.fill("Orders ch")
    request.getfixturevalue("firing_range")
    advice = planner.locator("[data-advice]")
    expect(advice).to_contain_text("Firing range")
    # The advised fuel is a figure of its own: a saving is no share of it.
    expect(advice).to_contain_text(re.compile(r"(Fuel saved|More fuel)\s*[\d.]+ mt"))
    expect(advice).to_contain_text(re.compile(r"Fuel from here\s*[\d.]+ ± [\d.]+ mt"))
    expect(reason).to_be_focused()
    planner.keyboard.type("anged")
    expect(reason).to_have_value("Orders changed")
    expect(planner.locator("path.finding-ring--danger")).not_to_have_count(0)
    expect(planner.locator("path.line-alt-0")).to_have_count(1)
    expect(planner.locator("[data-legend=avoided]")).to_be_visible()


def test_an_advice_is_accepted_on_a_tablet(
    open_page: OpenPage,
    signed_in: StorageState,
    service: Service,
    under_way: str,
    firing_range: None,
) -> None:
    page = open_page(TABLET)
    page.context.add_cookies(signed_in["cookies"])
    page.goto(f"/voyages/{under_way}/progress")
    advice = page.locator("[data-advice]")
    expect(advice).to_contain_text("Firing range")
    expect(advice).to_contain_text("Act by")
    assert sideways_overflow(page) == []
    assert small_targets(page) == []
    revision = progress_of(service, under_way)["revision"] + 1
    press(advice.get_by_role("button", name="Accept"), TABLET)
    wait_for_revision(service, under_way, revision)
    wait_for_status(service, under_way, {"COMPLETED"})
    page = page.context.new_page()  # the other one may still be loading the plan
    page.goto(f"/voyages/{under_way}/progress")
    expect(page.get_by_role("link", name=f"Plan, revision {revision}")).to_be_visible()
    expect(page.locator("[data-advice]")).to_have_count(0)
    expect(page.get_by_text("Earlier advice (1)")).to_be_visible()


def test_the_rest_of_a_voyage_is_replanned_as_its_next_revision(
    planner: Page, service: Service, under_way: str
) -> None:
    planner.goto(f"/voyages/{under_way}/progress")
    planner.get_by_role("link", name="Re-plan from here").click()
    expect(planner.get_by_role("heading", name="Re-plan the rest of the voyage")).to_be_visible()
    expect(planner.locator("#copied")).to_contain_text("From the last position")
    expect(planner.locator("#portFrom")).to_have_value(re.compile("^Position at "))
    revision = progress_of(service, under_way)["revision"] + 1
    planner.get_by_role("button", name="Re-plan").click()
    planner.wait_for_url(f"**/voyages/{under_way}")
    wait_for_revision(service, under_way, revision)
    planner.goto(f"/voyages/{under_way}")
    expect(planner.locator(".chart-label--end")).to_have_text(["Ship's position", "Lisbon"])


def test_a_voyage_is_abandoned_with_a_reason(planner: Page, under_way: str) -> None:
    planner.goto(f"/voyages/{under_way}/progress")
    planner.get_by_text("Abandon the voyage").first.click()
    planner.get_by_label("Reason for abandoning").fill("Orders changed")
    planner.get_by_role("button", name="Abandon the voyage").click()
    expect(planner.get_by_text("Reason: Orders changed")).to_be_visible()


@pytest.mark.refused(422)
def test_a_departure_far_from_the_plan_is_confirmed_before_the_voyage_starts(
    planner: Page, service: Service
) -> None:
    vessel_id = call(service, "/vessel", SHIP | {"name": "Dunlin"})["id"]
    departs_at = written(datetime.now(UTC) + 39 * HOUR)
    ahead = order(service, DESTINATION, vesselId=vessel_id, startDate=departs_at)
    planner.goto(f"/voyages/{ahead}/progress")
    expect(planner.get_by_text("Planned arrival")).to_be_visible()
    planner.get_by_role("button", name="Start voyage").click()
    question = planner.get_by_role("dialog")
    expect(question).to_contain_text("This is 1 d 15 h before the planned departure")
    question.get_by_role("button", name="Cancel").click()
    # A time to come is no question: it is refused.
    planner.get_by_label("Departed").fill("1 Jan 2090 00:00")
    planner.get_by_role("button", name="Start voyage").click()
    expect(planner.get_by_text("is in the future")).to_be_visible()
    expect(planner.get_by_label("Departed")).to_have_value("1 Jan 2090 00:00")
    assert progress_of(service, ahead)["state"] == "EXPECTED"
