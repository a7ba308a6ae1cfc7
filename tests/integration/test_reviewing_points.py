"""Reviews of critical points: user, time and revision."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import update
from werkzeug.test import TestResponse

from app.models import PointReview, Role
from app.services.platform.sessions import organization_session
from tests.integration.browser import Browser, signed_in
from tests.integration.client import CHARTING, ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

Plan = Callable[..., None]


def points_of(planner: ApiClient, charting_id: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = planner.get(f"/charting/{charting_id}/critical-points").get_json()
    return [{key: item[key] for key in ("waypointIndex", "eta")} for item in items["items"]]


def send(
    browser: Browser, charting_id: str, point: dict[str, Any], *, method: str = "PUT", revision=1
) -> TestResponse:
    headers = {"Accept": "application/json", "X-CSRFToken": browser.token()}
    path = f"/voyages/{charting_id}/revisions/{revision}/reviews"
    return browser.http.open(path, method=method, json=point, headers=headers)


def test_a_tick_keeps_name_and_time_and_counts(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    points = points_of(planner, charting_id)
    assert f"0 of {len(points)} reviewed" in browser.get(f"/voyages/{charting_id}").text
    ticked = send(browser, charting_id, points[0]).get_json()
    assert ticked["by"] == "A. Vos"
    age = datetime.now(UTC) - datetime.fromisoformat(ticked["at"])
    assert timedelta(0) <= age < timedelta(minutes=1)
    assert f"1 of {len(points)} reviewed" in browser.get(f"/voyages/{charting_id}").text


def test_the_first_name_and_time_stay(
    app: Flask, browser: Browser, planner: ApiClient, charting_id: str, organization_id: UUID
) -> None:
    point = points_of(planner, charting_id)[0]
    first = send(browser, charting_id, point).get_json()
    other = signed_in(app, organization_id, Role.ADMIN)
    assert send(other, charting_id, point).get_json() == first


def test_a_tick_can_be_taken_back(browser: Browser, planner: ApiClient, charting_id: str) -> None:
    point = points_of(planner, charting_id)[0]
    send(browser, charting_id, point)
    for _ in range(2):
        assert send(browser, charting_id, point, method="DELETE").status_code == 204
    assert "0 of" in browser.get(f"/voyages/{charting_id}").text


def test_a_new_revision_begins_without_ticks(
    browser: Browser, planner: ApiClient, charting_id: str, plan: Plan
) -> None:
    send(browser, charting_id, points_of(planner, charting_id)[0])
    vessel_id = planner.get(f"/charting/{charting_id}").get_json()["vesselId"]
    again = CHARTING | {"vesselId": vessel_id, "speedRangeMax": 13}
    assert planner.put(f"/charting/{charting_id}", again).status_code == 200
    plan(charting_id, 2)
    assert "0 of" in browser.get(f"/voyages/{charting_id}").text
    assert (
        send(browser, charting_id, points_of(planner, charting_id)[0], revision=2).status_code
        == 200
    )


def test_a_point_that_says_something_else_since_has_not_been_looked_at(
    app: Flask, browser: Browser, planner: ApiClient, charting_id: str, organization_id: UUID
) -> None:
    point = points_of(planner, charting_id)[0]
    send(browser, charting_id, point)
    with app.app_context(), organization_session(organization_id) as session:
        session.execute(update(PointReview).values(description="Something else."))
    assert "0 of" in browser.get(f"/voyages/{charting_id}").text
    assert send(browser, charting_id, point).status_code == 200
    assert "1 of" in browser.get(f"/voyages/{charting_id}").text


def test_what_is_no_point_of_the_route_is_not_ticked(browser: Browser, charting_id: str) -> None:
    nowhere = {"waypointIndex": 0, "eta": "2026-01-01T00:00:00Z"}
    assert send(browser, charting_id, nowhere).status_code == 404
    assert send(browser, charting_id, {"waypointIndex": "x"}).status_code == 422


def test_a_master_ticks_points_and_orders_nothing(
    app: Flask, planner: ApiClient, charting_id: str, organization_id: UUID
) -> None:
    point = points_of(planner, charting_id)[0]
    master = signed_in(app, organization_id, Role.MASTER)
    page = master.get(f"/voyages/{charting_id}").text
    assert "data-reviewed" in page
    assert "Plan with this arrival" not in page
    assert send(master, charting_id, point).get_json()["by"] == "A. Vos"
    assert send(master, charting_id, point, method="DELETE").status_code == 204
    assert master.post("/chartings", {}).status_code == 403
    assert master.post("/constraints", {}).status_code == 403
    assert master.post("/fleet/new", {}).status_code == 403


def test_a_viewer_and_another_organization_tick_nothing(
    app: Flask,
    planner: ApiClient,
    charting_id: str,
    organization_id: UUID,
    other_organization_id: UUID,
) -> None:
    point = points_of(planner, charting_id)[0]
    viewer = signed_in(app, organization_id, Role.VIEWER)
    stranger = signed_in(app, other_organization_id, Role.ADMIN)
    for method in ("PUT", "DELETE"):
        assert send(viewer, charting_id, point, method=method).status_code == 403
        assert send(stranger, charting_id, point, method=method).status_code == 404
    page = viewer.get(f"/voyages/{charting_id}").text
    assert "data-reviewed" not in page
    assert "0 of" in page


def test_a_tick_without_the_forms_token_is_refused(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    path = f"/voyages/{charting_id}/revisions/1/reviews"
    assert browser.http.put(path, json=points_of(planner, charting_id)[0]).status_code == 400
