"""Concurrent and repeated requests, and unavailable servers."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from sqlalchemy import event
from sqlalchemy.engine import make_url
from werkzeug.test import TestResponse

from app import create_app
from app.config import Settings
from app.models import Base, Charting, Organization, User, Vessel, WebhookEndpoint
from app.services.platform import idempotency
from app.services.platform.sessions import operator_session
from tests.integration.client import CHARTING, VESSEL, ApiClient
from tests.integration.test_doctor import database_made
from tests.waiting import wait_until

#: Number of sessions of this database that wait for a lock.
WAITING = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


@pytest.fixture
def cut_off(settings: Settings) -> Iterator[Flask]:
    """The application with a database and a queue that nobody answers for."""
    app = create_app(
        replace(
            settings,
            database_url="postgresql://nobody@127.0.0.1:1/none",
            redis_url="redis://127.0.0.1:1/0",
        )
    )
    yield app
    app.extensions["chartroom"].close()


@pytest.mark.atlas
@pytest.mark.usefixtures("atlas", "redis")
@pytest.mark.parametrize("path", ["/vessel", "/charting"])
def test_ten_parallel_posts_with_one_key_make_one_thing(
    app: Flask, planner: ApiClient, path: str
) -> None:
    vessel_id = planner.make_vessel(imo="9074729")["id"]
    body = VESSEL if path == "/vessel" else CHARTING | {"vesselId": vessel_id}
    before = planner.get(path).get_json()["total"]

    def post(_number: int) -> tuple[int, bytes]:
        client = ApiClient(app.test_client(), planner.key)
        answer = client.post(path, body, headers={"Idempotency-Key": "parallel"})
        return answer.status_code, answer.data

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(post, range(10)))
    assert {status for status, _ in answers} <= {201, 409}
    assert len({body for status, body in answers if status == 201}) == 1
    assert planner.get(path).get_json()["total"] == before + 1


@pytest.mark.atlas
@pytest.mark.usefixtures("atlas", "redis")
@pytest.mark.parametrize("model", [Charting, Organization, User, Vessel, WebhookEndpoint])
def test_of_two_changes_to_one_state_at_once_the_second_is_refused(
    app: Flask, admin: ApiClient, organization_id: UUID, database_url: str, model: type[Base]
) -> None:
    path, id_, body = _find_changed(admin, model, organization_id)
    tag = {"If-Match": admin.get(path).headers["ETag"]}

    def change(_number: int) -> int:
        client = ApiClient(app.test_client(), admin.key)
        send = client.patch if model is Organization else client.put
        return send(path, body, headers=tag).status_code

    with (
        ThreadPoolExecutor(2) as threads,
        app.app_context(),
        psycopg.connect(database_url, autocommit=True) as watching,
    ):
        with operator_session(organization_id) as session:
            session.get_one(model, id_, with_for_update=True)
            sent = threads.map(change, range(2))
            wait_until(lambda: watching.execute(WAITING).fetchone() == (2,), "waiting changes")
        assert sorted(sent) == [200, 412]


def _find_changed(
    admin: ApiClient, model: type[Base], organization_id: UUID
) -> tuple[str, UUID, dict[str, Any]]:
    """Path and id of something to change, and the body of the change."""
    if model is Organization:
        return "/organization", organization_id, {"eraseAfterDays": 20}
    if model is Charting:
        order = CHARTING | {"vesselId": admin.make_vessel()["id"]}
        id_ = admin.post("/charting", order).get_json()["id"]
        return f"/charting/{id_}", UUID(id_), order
    if model is Vessel:
        id_ = admin.make_vessel()["id"]
        return f"/vessel/{id_}", UUID(id_), VESSEL | {"captain": "A. Vos"}
    if model is User:
        mate = {"email": "mate@ship.example", "role": "viewer"}
        id_ = admin.post("/users", mate).get_json()["id"]
        return f"/users/{id_}", UUID(id_), mate | {"name": "Anna Vos"}
    hook = {"url": "https://ship.example/hook"}
    id_ = admin.post("/webhooks", hook).get_json()["id"]
    return f"/webhooks/{id_}", UUID(id_), hook | {"description": "new"}


def test_a_file_sent_again_is_the_same_request_and_another_file_is_not(
    planner: ApiClient,
) -> None:
    path = f"/v1/vessel/{planner.make_vessel()['id']}/noon-reports/preview"

    def send(boundary: str, content: str) -> TestResponse:
        part = f'Content-Disposition: form-data; name="file"; filename="n.csv"\r\n\r\n{content}'
        return planner.http.post(
            path,
            data=f"--{boundary}\r\n{part}\r\n--{boundary}--\r\n",
            headers={"X-API-Key": planner.key, "Idempotency-Key": "file"},
            content_type=f"multipart/form-data; boundary={boundary}",
        )

    rows = "Date,Latitude,Longitude\n2026-03-01 12:00,50,-20\n"
    first = send("one1", rows)
    again = send("two2", rows)
    assert (again.status_code, again.data) == (first.status_code, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert send("three3", rows.replace("50", "51")).status_code == 422


def test_a_key_is_free_again_after_a_day(
    planner: ApiClient, organization_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = {"Idempotency-Key": "daily"}
    first = planner.post("/vessel", VESSEL, headers=headers).get_json()
    monkeypatch.setattr(idempotency, "KEPT_FOR", -idempotency.KEPT_FOR)
    second = planner.post("/vessel", VESSEL, headers=headers).get_json()
    assert first["id"] != second["id"]


def test_a_key_used_with_another_query_is_not_answered_from_memory(
    planner: ApiClient, plan: Callable[..., None]
) -> None:
    path = f"/charting/{planner.order()['id']}/segments/compute"
    plan(path.split("/")[2])
    headers = {"Idempotency-Key": "parts"}
    first = planner.post(f"{path}?revision=1", {}, headers=headers)
    again = planner.post(f"{path}?revision=1", {}, headers=headers)
    assert (again.status_code, again.data) == (200, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    other = planner.post(path, {}, headers=headers)
    assert other.status_code == 422


def test_a_refused_request_leaves_its_key_free(planner: ApiClient) -> None:
    headers = {"Idempotency-Key": "mended"}
    assert planner.post("/vessel", VESSEL | {"dwt": -1}, headers=headers).status_code == 422
    assert planner.post("/vessel", VESSEL, headers=headers).status_code == 201


@pytest.mark.parametrize("key", ["", "a b", "x" * 256])
def test_a_key_that_is_none_is_refused(planner: ApiClient, key: str) -> None:
    assert planner.post("/vessel", VESSEL, headers={"Idempotency-Key": key}).status_code == 422


def test_without_a_database_requests_are_asked_to_come_back(
    cut_off: Flask, planner: ApiClient
) -> None:
    refused = ApiClient(cut_off.test_client(), planner.key).get("/vessel")
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert refused.content_type == "application/problem+json"
    ready = cut_off.test_client().get("/readyz")
    assert ready.status_code == 503
    assert ready.get_json()["checks"]["database"] != "ok"
    assert ready.get_json()["checks"]["queue"] != "ok"
    assert cut_off.test_client().get("/healthz").status_code == 200


def test_a_database_without_the_tables_of_this_version_is_not_ready(
    settings: Settings, database_url: str, app: Flask
) -> None:
    assert app.test_client().get("/readyz").get_json()["checks"]["database"] == "ok"
    with database_made(database_url, template="template1") as url:
        unmigrated = create_app(replace(settings, database_url=url))
        ready = unmigrated.test_client().get("/readyz")
        unmigrated.extensions["chartroom"].close()
    assert ready.status_code == 503
    assert ready.get_json()["checks"]["database"] == "NotMigrated"


@pytest.mark.parametrize(
    ("revision", "result"), [("0053", "NotMigrated"), (None, "NotMigrated"), ("9999", "ok")]
)
def test_a_database_that_lacks_a_migration_is_not_ready_and_a_newer_one_is(
    app: Flask, database_url: str, revision: str | None, result: str
) -> None:
    with psycopg.connect(database_url, autocommit=True) as database:
        kept = database.execute("DELETE FROM alembic_version RETURNING version_num").fetchone()
        assert kept is not None
        insert = "INSERT INTO alembic_version SELECT %s::text WHERE %s::text IS NOT NULL"
        try:
            database.execute(insert, [revision, revision])
            found = app.test_client().get("/readyz").get_json()["checks"]["database"]
        finally:
            database.execute("DELETE FROM alembic_version")
            database.execute("INSERT INTO alembic_version VALUES (%s)", kept)
    assert found == result
    assert app.test_client().get("/readyz").get_json()["checks"]["database"] == "ok"


def test_a_database_that_does_not_yet_grant_the_revision_is_not_ready(
    app: Flask, database_url: str
) -> None:
    with psycopg.connect(database_url, autocommit=True) as database:
        database.execute("REVOKE SELECT ON alembic_version FROM chartroom_gate")
        try:
            found = app.test_client().get("/readyz").get_json()["checks"]["database"]
        finally:
            database.execute("GRANT SELECT ON alembic_version TO chartroom_gate")
    assert found == "NotMigrated"
    assert app.test_client().get("/readyz").get_json()["checks"]["database"] == "ok"


def test_without_a_queue_reads_go_on(settings: Settings, planner: ApiClient) -> None:
    app = create_app(replace(settings, redis_url="redis://127.0.0.1:1/0"))
    try:
        assert ApiClient(app.test_client(), planner.key).get("/vessel").status_code == 200
        assert app.test_client().get("/readyz").get_json()["checks"]["database"] == "ok"
    finally:
        app.extensions["chartroom"].close()


@pytest.fixture
def read_only(settings: Settings) -> Iterator[Flask]:
    """The application with a database that takes no writes."""
    url = make_url(settings.database_url)
    url = url.update_query_dict({"options": "-c default_transaction_read_only=on"})
    app = create_app(replace(settings, database_url=url.render_as_string(hide_password=False)))
    yield app
    app.extensions["chartroom"].close()


def test_while_the_database_takes_no_writes_reads_go_on(
    read_only: Flask, planner: ApiClient
) -> None:
    client = ApiClient(read_only.test_client(), planner.key)
    for _ in range(2):
        assert client.get("/vessel").status_code == 200
    refused = client.post("/vessel", VESSEL)
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)


def test_a_refused_last_use_of_a_key_is_not_stored_again_by_each_read(
    read_only: Flask, planner: ApiClient, admin: ApiClient, caplog: pytest.LogCaptureFixture
) -> None:
    opened: list[object] = []
    event.listen(
        read_only.extensions["chartroom"].engine, "connect", lambda one, _entry: opened.append(one)
    )
    clients = [ApiClient(read_only.test_client(), each.key) for each in (planner, admin)]
    for number in range(10):
        assert clients[number % 2].get("/vessel").status_code == 200
    assert [record for record in caplog.messages if "is not stored" in record][1:] == []
    assert len(opened) <= 4, "two before and two after the refusal"
