"""Waiting chartings: position in the queue and cancellation, by API and page."""

from typing import Any

import pytest

from tests.integration.browser import ORDER, Browser
from tests.integration.client import ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]


def ask(planner: ApiClient) -> Any:
    vessel = planner.make_vessel()
    return planner.post("/charting", ORDER | {"vesselId": vessel["id"]}).get_json()


def place(planner: ApiClient, charting_id: str) -> int | None:
    found: int | None = planner.get(f"/charting/{charting_id}").get_json()["queuePosition"]
    return found


def test_a_waiting_charting_shows_its_place_which_moves_up(
    browser: Browser, planner: ApiClient
) -> None:
    first, second, third = (ask(planner)["id"] for _ in range(3))
    places = [place(planner, each) for each in (first, second, third)]
    assert places[0] is not None
    assert places == [places[0], places[0] + 1, places[0] + 2]
    before = planner.get(f"/charting/{third}").headers["ETag"]
    state = browser.post(f"/voyages/{second}/cancel", None).get_json()
    assert (state["status"], state["queuePosition"]) == ("CANCELLED", None)
    assert place(planner, second) is None
    moved = planner.get(f"/charting/{third}", headers={"If-None-Match": before})
    assert moved.status_code == 200
    assert moved.get_json()["queuePosition"] == places[0] + 1
    listed = {row["id"]: row for row in planner.get("/charting/active").get_json()["items"]}
    assert listed[third]["queuePosition"] == places[0] + 1


def test_the_page_of_a_waiting_charting_shows_its_place(
    browser: Browser, planner: ApiClient
) -> None:
    made = ask(planner)
    state = browser.get(f"/voyages/{made['id']}/state").get_json()
    assert state["queuePosition"] == place(planner, made["id"])
    assert state["isCancelling"] is False
    assert state["cancelAddress"] in browser.get(f"/voyages/{made['id']}").text


def test_what_has_ended_is_not_cancelled_again(browser: Browser, planner: ApiClient) -> None:
    made = ask(planner)
    assert browser.post(f"/voyages/{made['id']}/cancel", None).status_code == 200
    again = browser.post(f"/voyages/{made['id']}/cancel", None)
    assert again.status_code == 409
    assert "nothing to cancel" in again.get_json()["detail"]
