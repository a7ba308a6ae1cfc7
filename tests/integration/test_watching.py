"""Re-planning checks of voyages under way: a forecast storm leads to one advice."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import update
from werkzeug.test import TestResponse

from app.models import VoyageAdvice, VoyageExecution
from app.records.instants import format_instant, parse_instant
from app.services.identity import mail
from app.services.monitoring import advice_mail, watching
from app.services.platform import queue
from app.services.platform.sessions import organization_session
from tests.integration.client import ApiClient
from tests.integration.test_invitations import Mailbox, mail_server
from tests.integration.voyages import CROSSING, HOUR, Plan, Voyage, bring_storm, bring_waves
from tests.unit.engine.storms import make_even

__all__ = ["mail_server"]

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis", "climatology")]

Bring = Callable[..., None]


def cross(now: datetime) -> dict[str, Any]:
    """Order the crossing with an arrival for which the ship meets the storm on its way."""
    return CROSSING | {"endDate": format_instant(now + 216 * HOUR)}


@pytest.fixture
def now() -> datetime:
    return datetime.now(UTC).replace(minute=0, second=0, microsecond=0)


@pytest.fixture
def bring(worker_app: Flask, now: datetime) -> Bring:
    """Brings in a forecast of waves: those of a storm, or none, as of some hours ago."""

    def take(height_m: float, *, hours_ago: float) -> None:
        bring_storm(
            worker_app, height_m, begins_at=now - 24 * HOUR, issued_at=now - hours_ago * HOUR
        )

    return take


@pytest.fixture
def voyage(
    planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, bring: Bring, now: datetime
) -> Voyage:
    """A crossing a day out, planned in a calm forecast and reported up to now."""
    bring(1.5, hours_ago=24.0)
    made = Voyage(planner, plan, worker_app, now - 24 * HOUR, **cross(now))
    made.report(until=datetime.now(UTC))
    made.check_position_reports()
    assert made.progress()["state"] == "UNDER_WAY"
    return made


def decline(voyage: Voyage, advice: dict[str, Any], **body: Any) -> TestResponse:
    return voyage.planner.post(f"/charting/{voyage.id}/advice/{advice['id']}/decline", body)


def test_a_watch_logs_when_it_begins_and_ends(
    voyage: Voyage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "app.services")
    voyage.watch()
    assert [each for each in caplog.messages if each.startswith("watch")] == [
        "watch begins",
        "watch ended",
    ]


def test_a_storm_in_a_new_forecast_is_advised_against_once_and_again_where_it_grows(
    voyage: Voyage, bring: Bring, stranger: ApiClient, viewer: ApiClient
) -> None:
    voyage.watch()
    outlook = voyage.progress()["outlook"]
    assert abs(outlook["laterH"]) < 1.0
    assert outlook["fuelMt"] == pytest.approx(outlook["plannedFuelMt"], rel=0.02)
    assert outlook["breaches"] == voyage.list_advice() == []

    bring(10.0, hours_ago=2.0)
    voyage.check_position_reports()
    assert queued_watches(voyage) == 1
    voyage.watch()
    (given,) = voyage.list_advice()
    advice = given["advice"]
    assert (given["state"], given["revision"]) == ("OPEN", 1)
    assert "LIMIT" in advice["reasons"]
    assert "the limit is 6.0 m" in advice["avoids"][0]
    assert re.search(r"Leave the planned track (by|at once)", advice["action"])
    assert parse_instant(advice["actBy"]) < parse_instant(advice["eta"])
    assert voyage.progress()["outlook"]["breaches"][0]["code"] == "WEATHER_LIMIT"
    voyage.watch()
    assert len(voyage.list_advice()) == 1
    assert voyage.events() == ["voyage.started", "charting.advice"]

    path = f"/charting/{voyage.id}/advice"
    assert stranger.get(path).status_code == 404
    assert stranger.post(f"{path}/{given['id']}/accept").status_code == 404
    assert viewer.get(path).status_code == 200
    assert viewer.post(f"{path}/{given['id']}/accept").status_code == 403

    assert decline(voyage, given).status_code == 422
    declined = decline(voyage, given, reason="Hove to if need be").get_json()
    assert (declined["state"], declined["answerReason"]) == ("DECLINED", "Hove to if need be")
    assert decline(voyage, given, reason="Again").status_code == 409
    answer = voyage.event_data()[-1]
    assert (answer["adviceId"], answer["state"]) == (given["id"], "DECLINED")
    assert answer["reason"] == "Hove to if need be"
    bring(10.05, hours_ago=1.0)
    voyage.watch()
    assert len(voyage.list_advice()) == 1
    bring(13.0, hours_ago=0.0)
    voyage.watch()
    newest, _ = voyage.list_advice()
    assert newest["state"] == "OPEN"
    assert newest["advice"]["excess"] > 1.1 * advice["excess"]


def test_an_unanswered_advice_expires_and_is_not_repeated(voyage: Voyage, bring: Bring) -> None:
    bring(10.0, hours_ago=1.0)
    voyage.watch()
    with organization_session(voyage.organization_id) as session:
        passed = datetime.now(UTC) - timedelta(minutes=1)
        session.execute(update(VoyageAdvice).values(act_by=passed))
    voyage.watch()
    (given,) = voyage.list_advice()
    assert given["state"] == "EXPIRED"
    voyage.watch()
    assert len(voyage.list_advice()) == 1
    bring(13.0, hours_ago=0.0)
    voyage.watch()
    assert [each["state"] for each in voyage.list_advice()] == ["OPEN", "EXPIRED"]


def test_an_advice_expires_though_its_ship_is_silent(voyage: Voyage, bring: Bring) -> None:
    bring(10.0, hours_ago=1.0)
    voyage.watch()
    with organization_session(voyage.organization_id) as session:
        passed = datetime.now(UTC) - timedelta(minutes=1)
        session.execute(update(VoyageAdvice).values(act_by=passed))
    voyage.check_position_reports()
    (given,) = voyage.list_advice()
    assert given["state"] == "EXPIRED"


def test_a_new_plan_supersedes_open_advice(voyage: Voyage, bring: Bring, plan: Plan) -> None:
    bring(10.0, hours_ago=1.0)
    voyage.watch()
    path = f"/charting/{voyage.id}"
    read = voyage.planner.get(path).get_json()
    again = voyage.planner.put(path, read | {"speedRangeMax": 13})
    assert again.status_code == 200, again.text
    plan(voyage.id, 2)
    assert voyage.progress()["revision"] == 2
    (given,) = voyage.list_advice()
    assert given["state"] == "SUPERSEDED"
    assert voyage.planner.post(f"{path}/advice/{given['id']}/accept").status_code == 409


@pytest.mark.parametrize("act", ["finish", "abandon"])
def test_the_end_of_a_voyage_supersedes_open_advice(voyage: Voyage, bring: Bring, act: str) -> None:
    bring(10.0, hours_ago=1.0)
    voyage.watch()
    body = {"reason": "Diverted"} if act == "abandon" else {}
    ended = voyage.planner.post(f"/charting/{voyage.id}/{act}", body)
    assert ended.status_code == 200, ended.text
    (given,) = voyage.list_advice()
    assert given["state"] == "SUPERSEDED"


def test_a_voyage_that_starts_again_has_no_outlook_until_it_is_checked(voyage: Voyage) -> None:
    voyage.watch()
    assert voyage.progress()["outlook"] is not None
    path = f"/charting/{voyage.id}"
    voyage.planner.post(f"{path}/abandon", {"reason": "Engine trouble"})
    started = voyage.planner.post(f"{path}/start", {"at": format_instant(voyage.departs_at)})
    assert started.status_code == 200, started.text
    assert voyage.progress()["outlook"] is None


def test_an_accepted_advice_is_planned_from_the_position_under_way_and_followed(
    voyage: Voyage, bring: Bring, plan: Plan
) -> None:
    bring(10.0, hours_ago=1.0)
    voyage.watch()
    (given,) = voyage.list_advice()
    path = f"/charting/{voyage.id}/advice/{given['id']}"
    accepted = voyage.planner.post(f"{path}/accept")
    assert accepted.status_code == 200, accepted.text
    assert accepted.get_json()["acceptedRevision"] == 2
    plan(voyage.id, 2)
    planned = voyage.planner.get(f"/charting/{voyage.id}").get_json()
    assert planned["isAlterFrom"]
    assert planned["latFrom"] == pytest.approx(voyage.reported[-1]["latitude"], abs=1e-5)
    assert planned["summary"]["maxWaveM"] <= 6.0
    assert voyage.planner.get(f"/charting/{voyage.id}/rtz").status_code == 200
    shown = voyage.progress()
    assert (shown["revision"], shown["state"]) == (2, "UNDER_WAY")
    assert shown["outlook"] is None
    assert shown["progress"]["madeGoodNm"] == pytest.approx(0.0, abs=1.0)
    again = voyage.planner.post(f"{path}/accept")
    assert again.status_code == 409
    assert "This advice was accepted by " in again.get_json()["detail"]
    voyage.watch()
    assert len(voyage.list_advice()) == 1
    assert voyage.progress()["outlook"]["breaches"] == []


def test_a_constraint_across_the_rest_is_advised_against_whatever_a_change_must_gain(
    voyage: Voyage, admin: ApiClient
) -> None:
    changed = admin.patch("/organization", {"adviceFuelPct": 50, "adviceFuelMt": 500})
    assert changed.get_json()["adviceFuelPct"] == 50.0
    assert admin.patch("/organization", {"adviceEtaH": -1}).status_code == 422
    halfway = voyage.track[len(voyage.track) // 2]
    west, south = halfway["lng"] - 1.0, halfway["lat"] - 1.0
    ring = [[west + x, south + y] for x, y in ((0, 0), (2, 0), (2, 2), (0, 2), (0, 0))]
    area = {
        **{"name": "Rocket range", "type": "USER_DEFINED", "level": "GLOBAL"},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }
    assert voyage.planner.post("/client-data", area).status_code == 201
    voyage.check_position_reports()
    assert queued_watches(voyage) == 1
    voyage.watch()
    (given,) = voyage.list_advice()
    assert "Rocket range" in given["advice"]["avoids"][0]


def test_a_deleted_constraint_makes_a_check_due(voyage: Voyage) -> None:
    area = {
        **{"name": "Rocket range", "type": "USER_DEFINED", "level": "GLOBAL"},
        "geometry": {"type": "Polygon", "coordinates": [[[0, -50], [1, -50], [1, -49], [0, -50]]]},
    }
    made = voyage.planner.post("/client-data", area).get_json()
    voyage.watch()
    voyage.check_position_reports()
    assert not voyage.is_watch_due()
    assert voyage.planner.delete(f"/client-data/{made['id']}").status_code == 204
    voyage.check_position_reports()
    assert voyage.is_watch_due()


def test_an_area_that_ends_before_the_planned_day_counts_for_a_ship_that_sails_days_earlier(
    planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, bring: Bring, now: datetime
) -> None:
    bring(1.5, hours_ago=24.0)
    early = Voyage(planner, plan, worker_app, now + 120 * HOUR, **CROSSING)
    started = planner.post(f"/charting/{early.id}/start", {"at": format_instant(now - 24 * HOUR)})
    assert started.status_code == 200, started.text
    early.report(until=datetime.now(UTC), late_h=-144.0)
    early.check_position_reports()
    ahead = next(at for at in early.track if parse_instant(at["time"]) > now + 168 * HOUR)
    west, south = ahead["lng"] - 1.0, ahead["lat"] - 1.0
    ring = [[west + x, south + y] for x, y in ((0, 0), (2, 0), (2, 2), (0, 2), (0, 0))]
    area = {
        **{"name": "Rocket range", "type": "USER_DEFINED", "level": "GLOBAL"},
        "end_date": (now + 96 * HOUR).date().isoformat(),
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }
    assert planner.post("/client-data", area).status_code == 201
    early.watch()
    assert early.progress()["outlook"]["breaches"]


@pytest.mark.parametrize("risk", [None, "P90"])
def test_an_advice_is_planned_as_advised_where_no_route_keeps_the_limit_and_where_members_decide(
    planner: ApiClient,
    plan: Plan,
    worker_app: Flask,
    context: Flask,
    bring: Bring,
    now: datetime,
    risk: str | None,
) -> None:
    bring(1.5, hours_ago=24.0)
    asked = cross(now) | {"maxWaveHeight": 1.6, "risk": risk}
    voyage = Voyage(planner, plan, worker_app, now - 24 * HOUR, **asked)
    voyage.report(until=datetime.now(UTC))
    voyage.check_position_reports()
    begins_at = now - 24 * HOUR
    bring_waves(worker_app, make_even(4.0), begins_at=begins_at, issued_at=now)
    voyage.watch()
    (given,) = voyage.list_advice()
    advice = given["advice"]
    assert advice["action"].startswith("No route keeps the wave height under 1.6 m;")
    assert 1.6 < advice["allowedWaveM"] < 4.2
    path = f"/charting/{voyage.id}"
    assert planner.post(f"{path}/advice/{given['id']}/accept").status_code == 200
    plan(voyage.id, 2)
    followed = planner.get(path).get_json()
    assert followed["status"] == "COMPLETED", followed
    assert followed["maxWaveHeight"] == advice["allowedWaveM"]
    assert followed["summary"]["fuelMt"] == pytest.approx(advice["fuelMt"], rel=0.005)
    assert followed["summary"]["maxWaveM"] <= advice["allowedWaveM"]


def test_two_watches_at_once_give_one_advice(
    voyage: Voyage, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(10.0, hours_ago=1.0)
    plan_rest = watching.find_better_plan

    def plan_beside_another(*given: Any, **named: Any) -> Any:
        monkeypatch.setattr(watching, "find_better_plan", plan_rest)
        # another worker's, which began before this one and ends before it
        began_at = datetime.now(UTC) - timedelta(minutes=1)
        monkeypatch.setattr(watching, "utc_now", lambda: began_at)
        voyage.watch()
        return plan_rest(*given, **named)

    monkeypatch.setattr(watching, "find_better_plan", plan_beside_another)
    voyage.watch()
    assert len(voyage.list_advice()) == 1
    assert voyage.events().count("charting.advice") == 1


def test_a_check_that_fails_is_not_due_again_for_a_while(
    voyage: Voyage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: Any, **_named: Any) -> None:
        raise ZeroDivisionError

    assert queued_watches(voyage) == 1
    monkeypatch.setattr(watching, "assess_remainder", fail)
    with pytest.raises(ZeroDivisionError):
        voyage.watch()
    queue.monitoring_queue().empty()
    assert queued_watches(voyage) == 0
    with organization_session(voyage.organization_id) as session:
        due_at = session.get_one(VoyageExecution, UUID(voyage.id)).watch_due_at
    assert timedelta(minutes=10) < due_at - datetime.now(UTC) < timedelta(minutes=20)


def test_a_ship_that_moves_at_its_last_waypoint_is_not_watched(
    planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, bring: Bring, now: datetime
) -> None:
    bring(1.5, hours_ago=24.0)
    asked = CROSSING | {"endDate": format_instant(now)}
    voyage = Voyage(planner, plan, worker_app, now - 216 * HOUR, **asked)
    voyage.report(until=now)
    assert len(voyage.reported) == len(voyage.track)
    departed = {"at": voyage.reported[0]["timestamp"]}
    assert planner.post(f"/charting/{voyage.id}/start", departed).status_code == 200
    voyage.check_position_reports()
    shown = voyage.progress()
    assert (shown["state"], shown["progress"]["toGoNm"]) == ("UNDER_WAY", 0.0)
    voyage.watch()
    assert voyage.progress()["outlook"] is None
    assert voyage.list_advice() == []
    assert not voyage.is_watch_due()


def test_a_ship_off_its_track_after_its_planned_arrival_is_watched_by_the_newest_forecast(
    planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, bring: Bring, now: datetime
) -> None:
    bring(1.5, hours_ago=24.0)
    ends = {"latTo": CROSSING["latFrom"], "lngTo": CROSSING["lngFrom"] + 3.0}
    astray = Voyage(planner, plan, worker_app, now - 20 * HOUR, **CROSSING | ends)
    first = astray.report(until=now - 19 * HOUR)[-1]
    astray.send(
        [
            first
            | {"timestamp": format_instant(now - (19 - hour) * HOUR)}
            | {"latitude": first["latitude"] - 0.2 * hour, "heading": 180, "speed": 12}
            for hour in range(1, 20)
        ]
    )
    departed = {"at": format_instant(astray.departs_at)}
    assert planner.post(f"/charting/{astray.id}/start", departed).status_code == 200
    astray.check_position_reports()
    shown = astray.progress()["progress"]
    assert shown["etaByPlan"] is None
    assert parse_instant(shown["plannedEta"]) < now - HOUR
    bring_storm(worker_app, 1.5, begins_at=now - HOUR, issued_at=now - HOUR)
    astray.watch()
    newest = f"{now - HOUR:%Y%m%dT%H}"
    assert newest in astray.progress()["outlook"]["weather"]
    astray.check_position_reports()
    assert not astray.is_watch_due()


def test_a_stale_position_is_not_acted_on(
    planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, bring: Bring, now: datetime
) -> None:
    bring(1.5, hours_ago=24.0)
    voyage = Voyage(planner, plan, worker_app, now - 24 * HOUR, **cross(now))
    voyage.report(until=now - timedelta(hours=8))
    bring(10.0, hours_ago=1.0)
    voyage.check_position_reports()
    assert queued_watches(voyage) == 0
    voyage.watch()
    shown = voyage.progress()
    assert shown["isStale"]
    assert shown["outlook"] is None
    assert voyage.list_advice() == []


def test_an_advice_is_mailed_once_as_soon_as_the_mail_server_takes_it(
    voyage: Voyage,
    bring: Bring,
    admin: ApiClient,
    mail_server: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = {"adviceMail": ["ops@ships.example", "master@ships.example"]}
    refused = admin.patch("/organization", asked)
    assert refused.status_code == 422
    assert "sends no mail" in refused.text
    use_mail(voyage.worker, "smtp://127.0.0.1:1", monkeypatch)
    use_mail(admin.http.application, mail_server, monkeypatch)
    assert admin.patch("/organization", {"adviceMail": ["ops"]}).status_code == 422
    assert admin.patch("/organization", asked).get_json() == {
        **admin.get("/organization").get_json(), **asked,
    }  # fmt: skip
    bring(10.0, hours_ago=1.0)
    voyage.watch()
    (given,) = voyage.list_advice()
    send_mail(voyage, given)
    assert Mailbox.messages == []
    use_mail(voyage.worker, mail_server, monkeypatch)
    send_mail(voyage, given)
    assert Mailbox.messages == [], "it waits a minute"
    later = datetime.now(UTC) + timedelta(minutes=2)
    monkeypatch.setattr(advice_mail, "utc_now", lambda: later)
    send_mail(voyage, given)
    send_mail(voyage, given)
    (message,) = Mailbox.messages
    assert "To: ops@ships.example, master@ships.example" in message
    assert "New York to Bishop Rock" in message
    assert given["advice"]["avoids"][0].split(" at ")[0] in message
    assert f"/voyages/{voyage.id}/progress" in message


def test_an_advice_is_declined_while_its_mail_is_being_sent(
    voyage: Voyage,
    bring: Bring,
    admin: ApiClient,
    mail_server: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_mail(admin.http.application, mail_server, monkeypatch)
    assert admin.patch("/organization", {"adviceMail": ["ops@ships.example"]}).status_code == 200
    bring(10.0, hours_ago=1.0)
    voyage.watch()
    (given,) = voyage.list_advice()
    answers = []

    def send(*_mail: str) -> bool:
        path = f"/charting/{voyage.id}/advice/{given['id']}/decline"
        answers.append(voyage.planner.post(path, {"reason": "Wait for the next run"}).status_code)
        send_mail(voyage, given)
        return True

    monkeypatch.setattr(mail, "send", send)
    send_mail(voyage, given)
    assert answers == [200]


def use_mail(app: Flask, smtp_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = app.extensions["chartroom"]
    settings = replace(state.settings, smtp_url=smtp_url)
    monkeypatch.setitem(app.extensions, "chartroom", replace(state, settings=settings))


def send_mail(voyage: Voyage, given: dict[str, Any]) -> None:
    """Find what is to be mailed, and mail the advice, as a worker does."""
    with voyage.worker.app_context():
        advice_mail.queue_due()
        advice_mail.send(voyage.organization_id, UUID(given["id"]))


def queued_watches(voyage: Voyage) -> int:
    """Sweep twice, as workers do; answer how many watches of the voyage are queued."""
    with voyage.worker.app_context():
        watching.queue_due()
        watching.queue_due()
        return queue.monitoring_queue().get_job_ids().count(f"watch_{voyage.id}")
