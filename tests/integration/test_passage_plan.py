"""The passage plan in a browser."""

import re
from collections.abc import Callable
from uuid import UUID

import pytest
from flask import Flask

from app.models import Role
from tests.integration.browser import HTML, Browser, signed_in
from tests.integration.client import ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

Plan = Callable[..., None]


def test_the_plan_holds_every_waypoint_point_and_zone(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    page = browser.get(f"/voyages/{charting_id}/revisions/1/passage-plan").text
    points = planner.get(f"/charting/{charting_id}/critical-points").get_json()["items"]
    waypoints = planner.get(f"/charting/{charting_id}").get_json()["waypoints"]
    assert page.count('class="print-waypoint"') == len(waypoints)
    chart, _, tables = page.partition("</section>")
    marks = "".join(re.findall(r'class="severity [^>]*transform.*?</g>', chart, re.DOTALL))
    numbers = re.findall(r"\d+", " ".join(re.findall(r">([^<>]+)</text>", marks)))
    assert sorted(map(int, numbers)) == [*range(1, len(points) + 1)]
    assert tables.count('class="severity severity--') == len(points)
    assert f"0 of {len(points)} reviewed" in page
    # Rotterdam to the Thames lies in the North Sea's control area from end to end
    assert "North Sea ECA" in page
    assert 'class="print-area"' in page
    assert "Verify on the ECDIS before use." in page
    assert page.count("<path") > len(points)


def test_a_revision_without_a_plan_has_none_on_paper(browser: Browser, planner: ApiClient) -> None:
    charting_id = planner.order()["id"]
    address = f"/voyages/{charting_id}/revisions/1/passage-plan"
    refused = browser.http.get(address, headers=HTML)
    assert refused.status_code == 409
    assert "There is no route yet (planning queued)." in refused.text
    assert f'href="/voyages/{charting_id}">Go to the voyage</a>' in refused.text
    assert browser.get(f"/voyages/{charting_id}/revisions/2/passage-plan").status_code == 404


def test_another_organizations_passage_plan_is_not_there(
    app: Flask, planner: ApiClient, plan: Plan, other_organization_id: UUID
) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    stranger = signed_in(app, other_organization_id, Role.ADMIN)
    assert stranger.get(f"/voyages/{charting_id}/revisions/1/passage-plan").status_code == 404
