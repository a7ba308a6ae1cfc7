"""Planned voyages affected by an area, requested while it is drawn in the editor."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from shapely import MultiPolygon, box
from shapely.geometry import mapping

from app.models import utc_now
from app.records.instants import format_instant, parse_instant
from app.services.areas import area_impact
from app.services.areas.area_impact import AreaImpact, find_affected
from app.services.platform.sessions import organization_session
from tests.integration.browser import Browser
from tests.integration.client import CHARTING, ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas")]

SOON = utc_now() + timedelta(days=3)
#: From coast to coast, between the two ports.
ACROSS = MultiPolygon([box(2.4, 50.0, 2.6, 53.0)])


@pytest.fixture
def voyage(planner: ApiClient, plan: Callable[[str], None]) -> dict[str, Any]:
    """A planned voyage of the next days."""
    vessel = planner.make_vessel()
    body = CHARTING | {"vesselId": vessel["id"], "startDate": format_instant(SOON)}
    charting = planner.post("/charting", body).get_json()
    plan(charting["id"])
    found: dict[str, Any] = planner.get(f"/charting/{charting['id']}").get_json()
    assert found["status"] == "COMPLETED", found["failure"]
    return found


@pytest.fixture
def ask(app: Flask) -> Callable[..., list[AreaImpact]]:
    def run(
        organization_id: UUID, geometry: MultiPolygon = ACROSS, **when: Any
    ) -> list[AreaImpact]:
        dated = {"first_day": None, "last_day": None} | when
        with app.app_context(), organization_session(organization_id) as session:
            return find_affected(session, organization_id, geometry, **dated)

    return run


def test_a_planned_voyage_is_touched_where_and_when_it_passes(
    voyage: dict[str, Any], ask: Callable[..., list[AreaImpact]], organization_id: UUID
) -> None:
    (impact,) = ask(organization_id)
    assert str(impact.charting_id) == voyage["id"]
    assert 7.0 < impact.crossing.inside_nm < 12.0
    assert SOON < impact.crossing.from_time < impact.crossing.to_time < SOON + timedelta(days=1)
    lngs = [lng for line in impact.lines for _, lng in line]
    assert min(lngs) >= 2.4 - 1e-9
    assert max(lngs) <= 2.6 + 1e-9


@pytest.mark.usefixtures("voyage")
def test_an_area_elsewhere_or_at_another_time_or_for_other_ships_touches_none(
    ask: Callable[..., list[AreaImpact]], organization_id: UUID
) -> None:
    day = SOON.date()
    assert ask(organization_id, MultiPolygon([box(-30.0, 40.0, -20.0, 45.0)])) == []
    assert ask(organization_id, last_day=day - timedelta(days=1)) == []
    assert ask(organization_id, first_day=day + timedelta(days=3)) == []
    assert ask(organization_id, vessel_type_codes=[8]) == []
    assert len(ask(organization_id, first_day=day, last_day=day + timedelta(days=1))) == 1


@pytest.mark.usefixtures("voyage")
def test_voyages_at_another_time_do_not_displace_those_affected(
    planner: ApiClient,
    plan: Callable[[str], None],
    voyage: dict[str, Any],
    ask: Callable[..., list[AreaImpact]],
    organization_id: UUID,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan(planner.order(startDate=format_instant(SOON + timedelta(days=20)))["id"])
    monkeypatch.setattr(area_impact, "_MOST", 1)
    (impact,) = ask(organization_id, last_day=(SOON + timedelta(days=5)).date())
    assert str(impact.charting_id) == voyage["id"]


def test_the_voyages_of_others_are_not_mentioned(
    ask: Callable[..., list[AreaImpact]], other_organization_id: UUID
) -> None:
    assert ask(other_organization_id) == []


def test_a_constraint_saved_after_the_plan_is_a_danger_on_its_page_and_on_paper(
    browser: Browser, planner: ApiClient, voyage: dict[str, Any]
) -> None:
    pages = [f"/voyages/{voyage['id']}", f"/voyages/{voyage['id']}/revisions/1/passage-plan"]
    area = {"type": "MILITARY", "level": "GLOBAL", "geometry": mapping(ACROSS)}
    over = {"name": "Sunken ferry", "end_date": str(utc_now().date())}
    elsewhere = {"name": "Dogger Bank", "geometry": mapping(box(2.0, 54.5, 3.0, 55.0))}
    for changes in (over, elsewhere):
        assert planner.post("/constraints", area | changes).status_code == 201
    assert not any("after it was planned" in browser.get(page).text for page in pages)
    assert planner.post("/constraints", area | {"name": "Firing range"}).status_code == 201
    for page in pages:
        (danger,) = re.findall(r"The track crosses “(.*?)”.* (\d+\.\d) nm", browser.get(page).text)
        assert danger[0] == "Firing range"
        assert 7.0 < float(danger[1]) < 12.0
    assert '"name": "Firing range"' in browser.get(pages[0]).text


def test_a_constraint_on_water_already_passed_is_no_danger(
    browser: Browser,
    planner: ApiClient,
    voyage: dict[str, Any],
    ask: Callable[..., list[AreaImpact]],
    organization_id: UUID,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (impact,) = ask(organization_id)
    area = {"type": "MILITARY", "level": "GLOBAL", "geometry": mapping(ACROSS), "name": "Wreck"}
    assert planner.post("/constraints", area).status_code == 201
    assert "after it was planned" in browser.get(f"/voyages/{voyage['id']}").text
    assert impact.crossing.to_time < parse_instant(voyage["summary"]["eta"])
    monkeypatch.setattr(area_impact, "utc_now", lambda: impact.crossing.to_time)
    assert ask(organization_id) == []
    assert "after it was planned" not in browser.get(f"/voyages/{voyage['id']}").text


def test_a_constraint_that_a_plan_keeps_clear_of_is_no_danger(
    browser: Browser, planner: ApiClient, plan: Callable[[str], None]
) -> None:
    bank = {"type": "MILITARY", "level": "GLOBAL", "name": "Bank"}
    around = mapping(box(2.4, 51.6, 2.6, 51.9))
    assert planner.post("/constraints", bank | {"geometry": around}).status_code == 201
    charting = planner.order(startDate=format_instant(SOON))
    plan(charting["id"])
    assert "after it was planned" not in browser.get(f"/voyages/{charting['id']}").text
