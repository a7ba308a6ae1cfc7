"""Corrections of voyages: resumed, reopened, and finished at another time."""

from datetime import datetime

import pytest
from flask import Flask

from app.models import Role
from app.records.instants import format_instant
from tests.integration.client import ApiClient
from tests.integration.conftest import client_of
from tests.integration.voyages import HOUR, Plan, Voyage

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis", "context")]


def test_an_abandoned_voyage_that_is_resumed_keeps_its_departure(
    voyage: Voyage, now: datetime
) -> None:
    departed, corrected = (format_instant(now - hours * HOUR) for hours in (5, 4))
    start, abandon = (f"/charting/{voyage.id}/{act}" for act in ("start", "abandon"))
    for at, expected in ((departed, departed), (None, departed), (corrected, corrected)):
        shown = voyage.planner.post(start, {"at": at}).get_json()
        assert (shown["state"], shown["departedAt"]) == ("UNDER_WAY", expected)
        voyage.planner.post(abandon, {"reason": "Orders changed"})


def test_a_planner_corrects_the_arrival_of_a_finished_voyage_and_reopens_it(
    voyage: Voyage, now: datetime, admin: ApiClient, app: Flask
) -> None:
    path, departed = f"/charting/{voyage.id}", format_instant(voyage.departs_at)
    voyage.planner.post(f"{path}/start", {"at": departed})
    voyage.planner.post(f"{path}/finish", {})
    corrected = {"at": format_instant(now - HOUR)}
    master = client_of(app, voyage.organization_id, Role.MASTER)
    for act in ("finish", "start"):
        assert master.post(f"{path}/{act}", corrected).status_code == 403
    shown = voyage.planner.post(f"{path}/finish", corrected).get_json()
    assert (shown["state"], shown["endedAt"]) == ("FINISHED", corrected["at"])
    shown = voyage.planner.post(f"{path}/start", {}).get_json()
    assert (shown["state"], shown["departedAt"], shown["endedAt"]) == ("UNDER_WAY", departed, None)
    entry, *_ = admin.get("/audit").get_json()["items"]
    assert (entry["action"], entry["before"]["state"]) == ("voyage.reopened", "FINISHED")


def test_the_progress_of_a_finished_voyage_follows_reports_that_arrive_late(
    voyage: Voyage, now: datetime
) -> None:
    path = f"/charting/{voyage.id}"
    departed_at = voyage.departs_at - 24 * HOUR
    voyage.planner.post(f"{path}/start", {"at": format_instant(departed_at)})
    *_, last = voyage.report(until=departed_at + 6 * HOUR, late_h=-24.0)
    voyage.planner.post(f"{path}/finish", {"at": format_instant(now - HOUR)})
    before = voyage.progress()["progress"]
    *_, late = voyage.report(until=now, late_h=-24.0)
    after = voyage.progress()["progress"]
    assert [before["time"], after["time"]] == [last["timestamp"], late["timestamp"]]
    assert after["madeGoodNm"] > before["madeGoodNm"]


def test_a_voyage_that_finished_a_week_ago_is_not_reopened(
    planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, now: datetime
) -> None:
    voyage = Voyage(planner, plan, worker_app, now - 9 * 24 * HOUR)
    for act, days in (("start", 9), ("finish", 8)):
        at = {"at": format_instant(now - 24 * days * HOUR)}
        assert planner.post(f"/charting/{voyage.id}/{act}", at).status_code == 200
    refused = planner.post(f"/charting/{voyage.id}/start", {})
    assert refused.status_code == 409
    assert "more than 7 days" in refused.get_json()["detail"]


def test_a_voyage_starts_and_finishes_now_without_a_body(voyage: Voyage) -> None:
    for act, state in (("start", "UNDER_WAY"), ("finish", "FINISHED")):
        answer = voyage.planner.post(f"/charting/{voyage.id}/{act}")
        assert answer.status_code == 200, answer.text
        assert answer.get_json()["state"] == state
