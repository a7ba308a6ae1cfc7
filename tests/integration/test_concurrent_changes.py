"""Rows that another transaction changes, locks or deletes while a request holds them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from sqlalchemy import delete
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from app.models import Base, Charting, WebhookEndpoint
from app.services.platform.sessions import operator_session
from tests.integration.client import ApiClient
from tests.integration.test_safe_retries import WAITING
from tests.waiting import wait_until

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

HOOK = {"url": "https://ship.example/hook"}
WINDOW = {"departFrom": "2026-03-01T06:00:00Z", "departTo": "2026-03-01T12:00:00Z"}

Send = Callable[[], TestResponse]


def answer_after(session: Session, database_url: str, send: Send) -> TestResponse:
    """Commit a session once a request waits for one of its locks; return the request's answer."""
    with (
        ThreadPoolExecutor(1) as thread,
        psycopg.connect(database_url, autocommit=True) as watching,
    ):
        sent = thread.submit(send)
        wait_until(lambda: watching.execute(WAITING).fetchone() == (1,), "a waiting request")
        session.commit()
        return sent.result()


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


def test_a_webhook_deleted_while_a_request_waits_for_it_is_not_found(
    app: Flask, admin: ApiClient, organization_id: UUID, database_url: str
) -> None:
    id_ = admin.post("/webhooks", HOOK).get_json()["id"]
    client = ApiClient(app.test_client(), admin.key)
    answer = _answer_after_deletion(
        app,
        organization_id,
        database_url,
        WebhookEndpoint,
        id_,
        lambda: client.delete(f"/webhooks/{id_}"),
    )
    assert answer.status_code == 404


def _answer_after_deletion(
    app: Flask, organization_id: UUID, database_url: str, model: type[Base], id_: str, send: Send
) -> TestResponse:
    with app.app_context(), operator_session(organization_id) as session:
        table = model.__table__
        session.execute(delete(model).where(table.c.id == UUID(id_)))
        return answer_after(session, database_url, send)
