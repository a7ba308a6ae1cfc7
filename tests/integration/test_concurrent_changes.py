"""Rows that another transaction changes, locks or deletes while a request holds them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from sqlalchemy import delete
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from app.models import (
    Base,
    Charting,
    ChartingRevision,
    PointReview,
    Role,
    SubjectKind,
    VoyageAdvice,
    WebhookEndpoint,
    utc_now,
)
from app.records.charting import ChartingSchema
from app.records.instants import format_instant, parse_instant
from app.services.chartings import chartings
from app.services.chartings.charting_runs import PlanningProgress
from app.services.chartings.expected_voyages import find_execution
from app.services.identity import users
from app.services.platform.actor import Actor
from app.services.platform.sessions import operator_session, organization_session
from app.services.upkeep import erasing
from app.services.vessels import vessels
from app.services.webhooks import webhook_endpoints
from tests.integration.browser import Browser
from tests.integration.client import CHARTING, ApiClient
from tests.integration.test_reviewing_points import points_of
from tests.integration.test_safe_retries import WAITING
from tests.waiting import wait_until

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

MATE = {"email": "mate@ship.example", "role": "viewer", "name": "B. Maat"}
HOOK = {"url": "https://ship.example/hook"}
WINDOW = {"departFrom": "2026-03-01T06:00:00Z", "departTo": "2026-03-01T12:00:00Z"}

Send = Callable[[], TestResponse]


def await_waiting(database_url: str) -> None:
    """Wait until a request waits for a lock."""
    with psycopg.connect(database_url, autocommit=True) as watching:
        wait_until(lambda: watching.execute(WAITING).fetchone() == (1,), "a waiting request")


def answer_after(session: Session, database_url: str, send: Send) -> TestResponse:
    """Commit a session once a request waits for one of its locks; return the request's answer."""
    with ThreadPoolExecutor(1) as thread:
        sent = thread.submit(send)
        await_waiting(database_url)
        session.commit()
        return sent.result()


def _answer_after_deletion(
    app: Flask, organization_id: UUID, database_url: str, model: type[Base], id_: str, send: Send
) -> TestResponse:
    with app.app_context(), operator_session(organization_id) as session:
        table = model.__table__
        session.execute(delete(model).where(table.c.id == UUID(id_)))
        return answer_after(session, database_url, send)


@pytest.mark.parametrize("act", ["change", "delete", "start", "compare", "explain"])
def test_a_charting_deleted_while_a_request_waits_for_it_is_not_found(
    app: Flask,
    admin: ApiClient,
    organization_id: UUID,
    database_url: str,
    charting_id: str,
    act: str,
) -> None:
    path = f"/charting/{charting_id}"
    body = admin.get(path).get_json()
    client = ApiClient(app.test_client(), admin.key)
    acts: dict[str, Send] = {
        "change": lambda: client.put(path, body),
        "delete": lambda: client.delete(path),
        "start": lambda: client.post(f"{path}/start", {}),
        "compare": lambda: client.post(f"{path}/departures", WINDOW),
        "explain": lambda: client.get(f"{path}/explanation"),
    }
    answer = _answer_after_deletion(
        app, organization_id, database_url, Charting, charting_id, acts[act]
    )
    assert answer.status_code == 404
    assert answer.get_json()["detail"] == "There is no charting with this id."


@pytest.mark.parametrize(
    ("act", "refusal"), [("delete", (404, "NOT_FOUND")), ("test", (409, "CONFLICT"))]
)
def test_a_webhook_deleted_while_a_request_waits_for_it_is_not_used(
    app: Flask,
    admin: ApiClient,
    organization_id: UUID,
    database_url: str,
    act: str,
    refusal: tuple[int, str],
) -> None:
    id_ = admin.post("/webhooks", HOOK).get_json()["id"]
    client = ApiClient(app.test_client(), admin.key)
    path = f"/webhooks/{id_}"
    acts: dict[str, Send] = {
        "delete": lambda: client.delete(path),
        "test": lambda: client.post(f"{path}/test"),
    }
    answer = _answer_after_deletion(
        app, organization_id, database_url, WebhookEndpoint, id_, acts[act]
    )
    assert (answer.status_code, answer.get_json()["code"]) == refusal


def test_of_two_rotations_at_once_the_second_is_refused(
    app: Flask, admin: ApiClient, organization_id: UUID, database_url: str
) -> None:
    id_ = admin.post("/webhooks", HOOK).get_json()["id"]
    client = ApiClient(app.test_client(), admin.key)
    with app.app_context(), organization_session(organization_id) as session:
        endpoint = session.get_one(WebhookEndpoint, UUID(id_))
        before = endpoint.secret
        webhook_endpoints.rotate(session, endpoint, timedelta(hours=1))
        answer = answer_after(
            session, database_url, lambda: client.post(f"/webhooks/{id_}/rotate", {})
        )
        session.refresh(endpoint)
        assert (answer.status_code, answer.get_json()["code"]) == (409, "SECRET_ROTATED")
        assert endpoint.previous_secret == before


@pytest.fixture
def sailing_id(planner: ApiClient, plan: Callable[[str], None]) -> str:
    """A charting whose voyage is an hour under way, with a position just reported."""
    now = utc_now().replace(microsecond=0)
    departed = format_instant(now - timedelta(hours=1))
    ordered = planner.order(startDate=departed)
    plan(ordered["id"])
    started = planner.post(f"/charting/{ordered['id']}/start", {"at": departed})
    assert started.status_code == 200
    place = {"latitude": ordered["latFrom"], "longitude": ordered["lngFrom"]}
    ship = {"speed": 12, "heading": 270, "rpm": 84, "fuelConsumption": 24, "draft": 10}
    record = {"timestamp": format_instant(now), "engineLoad": 60, **place, **ship}
    report = planner.post(f"/telemetry/{ordered['vesselId']}/batch", [record])
    assert report.status_code == 200, report.text
    id_: str = ordered["id"]
    return id_


def _add_advice(session: Session, organization_id: UUID, charting_id: str) -> VoyageAdvice:
    advice = VoyageAdvice(
        organization_id=organization_id,
        charting_id=UUID(charting_id),
        revision=1,
        weather="",
        content={},
        act_by=utc_now(),
    )
    session.add(advice)
    return advice


def _lock_as_planning(session: Session, organization_id: UUID, charting_id: str) -> None:
    """Lock a charting as a worker that stores its new plan."""
    key = {"charting_id": UUID(charting_id), "revision": 2}
    PlanningProgress(ChartingRevision, organization_id, key, 1).lock_own(session)


def test_accepting_advice_while_a_plan_is_stored_does_not_deadlock(
    app: Flask,
    planner: ApiClient,
    organization_id: UUID,
    database_url: str,
    sailing_id: str,
) -> None:
    client = ApiClient(app.test_client(), planner.key)
    with (
        app.app_context(),
        ThreadPoolExecutor(1) as thread,
        organization_session(organization_id) as session,
    ):
        advice = _add_advice(session, organization_id, sailing_id)
        session.commit()
        _lock_as_planning(session, organization_id, sailing_id)
        path = f"/charting/{sailing_id}/advice/{advice.id}/accept"
        sent = thread.submit(lambda: client.post(path))
        await_waiting(database_url)
        assert find_execution(session, session.get_one(Charting, UUID(sailing_id)), lock=True)
        session.commit()
        answer = sent.result()
    assert answer.status_code == 200, answer.text


def test_advice_is_stored_while_a_plan_is_stored(
    app: Flask, organization_id: UUID, sailing_id: str
) -> None:
    with (
        app.app_context(),
        organization_session(organization_id) as planning,
        organization_session(organization_id) as watching,
    ):
        _lock_as_planning(planning, organization_id, sailing_id)
        charting = watching.get_one(Charting, UUID(sailing_id))
        assert find_execution(watching, charting, lock=True)
        _add_advice(watching, organization_id, sailing_id)
        watching.commit()


def test_no_route_is_requested_for_a_vessel_that_is_being_deleted(
    app: Flask, planner: ApiClient, organization_id: UUID, database_url: str
) -> None:
    vessel_id = planner.make_vessel()["id"]
    body = CHARTING | {"vesselId": vessel_id}
    with app.app_context(), organization_session(organization_id) as session:
        vessels.delete(session, vessels.get(session, organization_id, vessel_id))
        session.flush()
        refused = answer_after(session, database_url, lambda: planner.post("/charting", body))
    assert refused.status_code == 422, refused.text
    assert refused.get_json()["errors"][0]["pointer"] == "/vesselId"


def test_a_vessel_is_not_deleted_while_a_route_is_requested_for_it(
    app: Flask, planner: ApiClient, organization_id: UUID, database_url: str
) -> None:
    vessel_id = planner.make_vessel()["id"]
    with app.app_context(), organization_session(organization_id) as session:
        actor = Actor(organization_id, "mate@ship.example", Role.PLANNER)
        chartings.submit(session, actor, ChartingSchema().load(CHARTING | {"vesselId": vessel_id}))
        refused = answer_after(
            session, database_url, lambda: planner.delete(f"/vessel/{vessel_id}")
        )
    assert refused.status_code == 409, refused.text
    assert refused.get_json()["code"] == "VESSEL_HAS_ACTIVE_CHARTING"


def test_the_second_of_two_reviews_of_a_point_at_once_is_refused(
    app: Flask,
    browser: Browser,
    planner: ApiClient,
    organization_id: UUID,
    database_url: str,
    charting_id: str,
) -> None:
    point = points_of(planner, charting_id)[0]
    headers = {"Accept": "application/json", "X-CSRFToken": browser.token()}
    path = f"/voyages/{charting_id}/revisions/1/reviews"
    with app.app_context(), organization_session(organization_id) as session:
        session.add(
            PointReview(
                organization_id=organization_id,
                charting_id=UUID(charting_id),
                revision=1,
                waypoint_index=point["waypointIndex"],
                eta=parse_instant(point["eta"]),
                description="",
                reviewed_at=utc_now(),
                reviewed_by="mate@ship.example",
            )
        )
        session.flush()
        answer = answer_after(
            session,
            database_url,
            lambda: browser.http.put(path, json=point, headers=headers),
        )
    assert (answer.status_code, answer.get_json()["code"]) == (409, "CONFLICT")


def test_a_charting_whose_erasure_is_requested_at_the_same_moment_is_not_restored(
    app: Flask, admin: ApiClient, organization_id: UUID, database_url: str, charting_id: str
) -> None:
    path = f"/charting/{charting_id}"
    assert admin.post(f"{path}/archive").status_code == 200
    client = ApiClient(app.test_client(), admin.key)
    actor = Actor(organization_id, "admin", Role.ADMIN)
    with app.app_context(), organization_session(organization_id) as session:
        erasing.request(session, actor, SubjectKind.CHARTING, charting_id)
        answer = answer_after(session, database_url, lambda: client.post(f"{path}/restore"))
    assert (answer.status_code, answer.get_json()["code"]) == (409, "ERASURE_REQUESTED")
    assert admin.get(path).get_json()["archivedAt"] is not None


def _make_inactive(admin: ApiClient) -> str:
    path = f"/users/{admin.post('/users', MATE).get_json()['id']}"
    assert admin.delete(path).status_code == 204
    return path


def test_a_user_whose_erasure_is_requested_at_the_same_moment_is_not_activated(
    app: Flask, admin: ApiClient, organization_id: UUID, database_url: str
) -> None:
    path = _make_inactive(admin)
    client = ApiClient(app.test_client(), admin.key)
    actor = Actor(organization_id, "admin", Role.ADMIN)
    with app.app_context(), organization_session(organization_id) as session:
        erasing.request(session, actor, SubjectKind.USER, path.rpartition("/")[2])
        activation = MATE | {"isActive": True}
        answer = answer_after(session, database_url, lambda: client.put(path, activation))
    assert (answer.status_code, answer.get_json()["code"]) == (409, "ERASURE_REQUESTED")
    assert admin.get(path).get_json()["isActive"] is False


def test_a_user_activated_at_the_moment_of_the_erasure_request_is_deactivated(
    app: Flask, admin: ApiClient, organization_id: UUID, database_url: str
) -> None:
    path = _make_inactive(admin)
    id_ = path.rpartition("/")[2]
    client = ApiClient(app.test_client(), admin.key)
    with app.app_context(), organization_session(organization_id) as session:
        users.change(session, users.get(session, organization_id, id_), {"is_active": True})
        answer = answer_after(session, database_url, lambda: client.post(f"/erasures/user/{id_}"))
    assert answer.status_code == 201, answer.text
    assert admin.get(path).get_json()["isActive"] is False
