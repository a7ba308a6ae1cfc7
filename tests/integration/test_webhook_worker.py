"""A real webhook worker process, and a web process that dies at the worst moment."""

import json
import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from redis import Redis
from sqlalchemy import update
from standardwebhooks import Webhook

from app.config import Settings
from app.models import WebhookEndpoint
from app.services.platform.sessions import operator_session
from tests.integration import hasty_webhook_worker
from tests.integration.client import ApiClient
from tests.integration.forked import ROOT, fork
from tests.integration.web_processes import die_in_cancelling
from tests.receiver import Answer, Receiver
from tests.waiting import PATIENCE_S, wait_until

pytestmark = [
    pytest.mark.atlas, pytest.mark.usefixtures("atlas"), pytest.mark.timeout(900)
]  # fmt: skip


@pytest.fixture
def environment(settings: Settings) -> dict[str, str]:
    return os.environ | {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "ATLAS_DIR": str(settings.atlas_dir),
        "SECRET_KEY": str(settings.secret_key),
        "WEBHOOKS_REACH": "127.0.0.0/8",
        "NUMBA_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
    }


@pytest.fixture
def worker(
    redis: Redis, database_url: str, environment: dict[str, str], tmp_path: Path
) -> Iterator[None]:
    with psycopg.connect(database_url) as database:
        database.execute("TRUNCATE event, webhook_endpoint CASCADE")
    log = tmp_path / "worker.log"
    process = fork(hasty_webhook_worker.main, environment, log)
    yield
    process.terminate()
    try:
        wait_until(lambda: not process.is_alive(), "end of the worker")
    except AssertionError:
        os.kill(process.ident, signal.SIGUSR1)  # it writes where it is, and dies
        process.join()
    finally:
        process.kill()
        process.join()
    assert process.exitcode == 0, log.read_text()


@pytest.fixture
def secret(
    app: Flask, worker: object, admin: ApiClient, organization_id: UUID, receiver: Receiver
) -> str:
    """The secret of a webhook of the receiver."""
    made = admin.post("/webhooks", {"url": "https://fleet.example"}).get_json()
    with app.app_context(), operator_session(organization_id) as session:
        mine = update(WebhookEndpoint).where(WebhookEndpoint.id == UUID(made["id"]))
        session.execute(mine.values(url=receiver.url))
    return str(made["secret"])


def test_a_receiver_that_fails_twice_gets_it_the_third_time(
    planner: ApiClient, receiver: Receiver, secret: str
) -> None:
    receiver.answers = [Answer(500), Answer(429, {"Retry-After": "2"})]
    charting_id = planner.order()["id"]
    planner.post(f"/charting/{charting_id}/cancel")
    first, second, third = receiver.wait_for(3)
    told = Webhook(secret).verify(third.body, third.headers)
    assert (told["type"], told["data"]["chartingId"]) == ("charting.cancelled", charting_id)
    assert first.headers["webhook-id"] == third.headers["webhook-id"]
    assert second.at - first.at > 0.3
    assert third.at - second.at > 1.9, "it had asked for two seconds"


def test_a_web_process_killed_between_commit_and_queue_loses_no_event(
    planner: ApiClient,
    receiver: Receiver,
    secret: str,
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    charting_id = planner.order()["id"]
    log = tmp_path / "web.log"
    web = fork(partial(die_in_cancelling, charting_id, planner.key), environment, log)
    web.join(PATIENCE_S)
    assert web.exitcode == -signal.SIGKILL, log.read_text()
    assert planner.get(f"/charting/{charting_id}").get_json()["status"] == "CANCELLED"
    (received,) = receiver.wait_for(1)
    assert json.loads(received.body)["data"]["chartingId"] == charting_id


def test_a_queue_that_is_emptied_loses_no_event(
    planner: ApiClient, receiver: Receiver, secret: str, redis: Redis
) -> None:
    receiver.answers = [Answer(503, {"Retry-After": "3"})]
    charting_id = planner.order()["id"]
    planner.post(f"/charting/{charting_id}/cancel")
    receiver.wait_for(1)
    redis.flushdb()
    receiver.wait_for(2)
