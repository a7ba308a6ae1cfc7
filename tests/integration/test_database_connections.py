"""Connections of a web process to the database, and the statements that they keep."""

from contextlib import ExitStack
from dataclasses import replace
from pkgutil import resolve_name
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app import create_app, extensions
from app.config import Settings
from app.extensions import MOST_CONNECTIONS, chartroom
from app.models import Role
from app.services.errors import Conflict
from app.services.platform import idempotency
from app.services.platform.actor import Actor
from app.services.platform.sessions import end_reading, organization_session
from tests.integration.client import ApiClient
from tests.integration.test_quotes import VOYAGE
from tests.integration.test_route_checks import BODY, CLEAR


def backends_of_a_burst(organization_id: UUID) -> set[int]:
    """Use all connections at the same time; return their server processes."""
    with ExitStack() as stack:
        sessions = [
            stack.enter_context(organization_session(organization_id))
            for _ in range(MOST_CONNECTIONS)
        ]
        return {
            session.execute(text("SELECT pg_backend_pid()")).scalar_one() for session in sessions
        }


def test_the_connections_of_a_burst_are_kept_for_the_next(
    context: Flask, organization_id: UUID
) -> None:
    chartroom().engine.dispose()
    first = backends_of_a_burst(organization_id)
    assert len(first) == MOST_CONNECTIONS
    assert backends_of_a_burst(organization_id) == first


def test_a_transaction_of_a_lost_host_keeps_its_locks_for_a_limited_time(
    settings: Settings, organization_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extensions, "IDLE_TRANSACTION_TIMEOUT_S", 1)
    app = create_app(replace(settings, process_role="worker"))
    lost = app.extensions["chartroom"].engine.connect()
    lock = text("SELECT id FROM organization WHERE id = :id FOR UPDATE")
    lost.execute(text("SET LOCAL ROLE none"))
    assert lost.scalar(lock, {"id": organization_id}) == organization_id
    with psycopg.connect(settings.database_url) as other:
        # waits for the lock; the time limit of the test is that of no answer at all
        found = other.execute(lock.text.replace(":id", "%s"), [organization_id]).fetchone()
    assert found == (organization_id,)
    with pytest.raises(DBAPIError, match="idle-in-transaction timeout"):
        lost.scalar(text("SELECT 1"))
    lost.close()
    app.extensions["chartroom"].close()


@pytest.mark.atlas
@pytest.mark.usefixtures("atlas", "redis")
@pytest.mark.parametrize(
    ("computation", "path", "asked"),
    [
        ("quotes.quote_voyage", "/routes/quote", VOYAGE),
        ("route_checks.settle_for_given_route", "/routes/check", BODY | {"waypoints": CLEAR}),
        ("route_checks.check_bounded", "/routes/check", BODY | {"waypoints": CLEAR}),
        ("route_comparisons.check_bounded", "/charting/{}/compare", {"waypoints": CLEAR}),
    ],
)
def test_no_transaction_is_open_during_a_computation(
    app: Flask,
    planner: ApiClient,
    charting_id: str,
    monkeypatch: pytest.MonkeyPatch,
    computation: str,
    path: str,
    asked: dict[str, Any],
) -> None:
    place = f"app.services.chartings.{computation}"
    compute, pool = resolve_name(place), app.extensions["chartroom"].engine.pool
    in_use: list[Any] = []
    monkeypatch.setattr(place, lambda *given: in_use.append(pool.checkedout()) or compute(*given))
    ship = {} if "compare" in path else {"vesselId": planner.make_vessel()["id"]}
    answer = planner.post(path.format(charting_id), ship | asked)
    assert answer.status_code == 200, answer.text
    assert in_use == [0]


def test_a_transaction_with_the_lock_of_a_key_may_be_idle_for_a_computation(
    context: Flask, organization_id: UUID
) -> None:
    asked = text("SHOW idle_in_transaction_session_timeout")
    actor = Actor(organization_id=organization_id, name="test", role=Role.PLANNER)
    chartroom().engine.dispose()
    with organization_session(organization_id) as session:
        idempotency.find_answer(session, actor, "computation", b"digest")
        end_reading(session)
        assert session.scalar(asked) == "10min"
        with (
            organization_session(organization_id) as other,
            pytest.raises(Conflict, match="in progress"),
        ):
            idempotency.find_answer(other, actor, "computation", b"digest")
    with organization_session(organization_id) as session:
        assert session.scalar(asked) == "1min"


def test_requests_one_after_another_use_one_connection(
    context: Flask, organization_id: UUID
) -> None:
    backends_of_a_burst(organization_id)
    used = set()
    for _ in range(3):
        with organization_session(organization_id) as session:
            used.add(session.execute(text("SELECT pg_backend_pid()")).scalar_one())
    assert len(used) == 1


def test_the_plan_of_the_look_up_of_a_key_is_kept_by_the_connection(database_url: str) -> None:
    # the server plans the body of a function in SQL again in each statement
    with psycopg.connect(database_url) as connection:
        found = connection.execute(
            "SELECT lanname FROM pg_proc JOIN pg_language l ON l.oid = prolang"
            " WHERE proname = 'find_key'"
        ).fetchone()
    assert found == ("plpgsql",)
