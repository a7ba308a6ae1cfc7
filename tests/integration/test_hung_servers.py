"""Hanging servers: requests are refused within seconds and succeed once servers answer."""

import re
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from flask import Flask
from local_services import LocalServices
from psycopg.errors import DiskFull
from redis import Redis

from app import create_app
from app.config import Settings
from app.services.upkeep.doctor import Level, check_redis
from app.services.vessels.staging import Staging
from tests.integration.browser import HTML
from tests.integration.client import CHARTING, VESSEL, ApiClient
from tests.waiting import wait_until

pytestmark = [pytest.mark.services, pytest.mark.usefixtures("redis")]


class Line:
    """A way to a server that can be held up, as a frozen server holds up what is sent to it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (parts.hostname, parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        host = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.url = parts._replace(netloc=f"{parts.netloc.rpartition('@')[0]}@{host}").geturl()
        self.flows = threading.Event()
        self.flows.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(near,), daemon=True).start()

    def _join(self, near: socket.socket) -> None:
        self.flows.wait()
        far = socket.create_connection(self._server)
        for ends in ((near, far), (far, near)):
            threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        try:
            while content := near.recv(65536):
                self.flows.wait()
                far.sendall(content)
        except OSError:
            pass
        for end in (near, far):
            end.close()

    def close(self) -> None:
        self.flows.set()
        self._listener.close()


@pytest.fixture
def lines(settings: Settings) -> Iterator[dict[str, Line]]:
    found = {"database": Line(settings.database_url), "redis": Line(settings.redis_url)}
    yield found
    for line in found.values():
        line.close()


@pytest.fixture
def client(settings: Settings, lines: dict[str, Line], planner: ApiClient) -> Iterator[ApiClient]:
    """A planner whose requests reach both servers by lines that can be held up."""
    urls = {"database_url": lines["database"].url, "redis_url": lines["redis"].url}
    app = create_app(replace(settings, **urls))
    yield ApiClient(app.test_client(), planner.key)
    for line in lines.values():
        line.flows.set()
    app.extensions["chartroom"].close()


def test_a_hung_database_refuses_requests_until_it_answers_again(
    client: ApiClient, lines: dict[str, Line]
) -> None:
    assert client.get("/vessel").status_code == 200
    lines["database"].flows.clear()
    refused = client.get("/vessel")
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)
    assert client.http.application.extensions["chartroom"].engine.pool.checkedout() == 0
    assert client.get("/vessel").status_code == 503
    lines["database"].flows.set()
    wait_until(lambda: client.get("/vessel").status_code == 200, "the database is asked again")


def test_reading_goes_on_while_redis_hangs_and_ordering_once_it_answers(
    client: ApiClient, lines: dict[str, Line]
) -> None:
    vessel_id = client.make_vessel()["id"]
    lines["redis"].flows.clear()
    assert client.get(f"/vessel/{vessel_id}").status_code == 200
    order = CHARTING | {"vesselId": vessel_id}
    refused = client.post("/charting", order)
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)
    lines["redis"].flows.set()
    wait_until(lambda: client.post("/charting", order).status_code == 201, "Redis is asked again")


def test_a_connection_that_became_read_only_refuses_one_request_and_is_given_up(
    settings: Settings, planner: ApiClient
) -> None:
    app = create_app(settings)
    client = ApiClient(app.test_client(), planner.key)
    engine = app.extensions["chartroom"].engine
    # as connections are that are made while a server fails over
    with engine.connect() as connection:
        connection.exec_driver_sql("SET default_transaction_read_only = on")
        connection.commit()
    refused = client.post("/vessel", VESSEL)
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)
    assert client.post("/vessel", VESSEL).status_code == 201
    engine.dispose()
    app.extensions["chartroom"].redis.close()


def test_a_locked_table_refuses_requests_within_five_seconds(
    settings: Settings, planner: ApiClient
) -> None:
    with psycopg.connect(settings.database_url) as owner:
        # as a migration does that takes long
        owner.execute("LOCK TABLE vessel IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        refused = planner.get("/vessel")
        assert time.monotonic() - began < 5.0
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)
    assert planner.get("/vessel").status_code == 200


def test_a_database_whose_disk_is_full_within_a_copy_is_away(
    planner: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise DiskFull("could not extend file: No space left on device")

    vessel_id = planner.make_vessel()["id"]
    monkeypatch.setattr(Staging, "store", refuse)
    report = {"timestamp": "2026-03-01T12:00:00Z", "fuel": 28.5, "speedOverGround": 14}
    refused = planner.post(f"/vessel/{vessel_id}/noon-reports", [report])
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[Redis]:
    """A Redis for one test, whose configuration may be changed."""
    server = LocalServices(tmp_path, throwaway=True, names=["redis"])
    server.start(tied=True)
    with Redis.from_url(server.environment()["REDIS_URL"]) as redis:
        yield redis
    server.remove()


@pytest.fixture
def on_own_redis(settings: Settings, own_redis: Redis) -> Iterator[Flask]:
    address = own_redis.get_connection_kwargs()
    url = f"redis://:{address['password']}@{address['host']}:{address['port']}"
    app = create_app(replace(settings, redis_url=url))
    yield app
    app.extensions["chartroom"].close()


def end_writes(redis: Redis, why: str) -> None:
    """Bring a Redis into a state in which it takes no writes, and wait for it."""
    if why == "without disk":
        # snapshots fail as on a full disk: a folder has the name of their file
        (Path(redis.config_get("dir")["dir"]) / "dump.rdb").mkdir()
        redis.config_set("save", "3600 1")
        redis.bgsave()
        wait_until(lambda: _has_failed_snapshot(redis), "failed snapshot")
    for command in COMMANDS_OF.get(why, ()):
        redis.execute_command(*command.split())


COMMANDS_OF = {
    "full": ["CONFIG SET maxmemory 1"],
    "without replicas": ["CONFIG SET min-replicas-to-write 1"],
    "replica": ["REPLICAOF 127.0.0.1 1"],
    "replica of nobody": ["CONFIG SET replica-serve-stale-data no", "REPLICAOF 127.0.0.1 1"],
}
REASONS = {
    "full": "OutOfMemoryError",
    "without replicas": "NOREPLICAS",
    "replica": "ReadOnlyError",
    "replica of nobody": "ReadOnlyError",
    "without disk": "MISCONF",
}


def _has_failed_snapshot(redis: Redis) -> bool:
    return redis.info("persistence")["rdb_last_bgsave_status"] == "err"


@pytest.mark.parametrize("why", REASONS)
def test_a_queue_that_takes_no_writes_is_away_for_who_signs_in(
    on_own_redis: Flask, own_redis: Redis, planner: ApiClient, why: str
) -> None:
    client = on_own_redis.test_client()
    page = client.get("/sign-in", headers=HTML).text
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
    assert token, page
    end_writes(own_redis, why)
    form = {"csrf_token": token[1], "email": "mate@ship.example", "password": "wrong"}
    refused = client.post("/sign-in", data=form, headers=HTML)
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)
    assert ApiClient(client, planner.key).get("/vessel").status_code == 200


@pytest.mark.parametrize("why", REASONS)
def test_a_queue_that_takes_no_writes_is_not_ready_and_takes_no_orders(
    on_own_redis: Flask, own_redis: Redis, planner: ApiClient, why: str
) -> None:
    vessel_id = planner.make_vessel()["id"]
    ready = on_own_redis.test_client().get("/readyz").get_json()["checks"]["queue"]
    assert (ready, own_redis.dbsize()) == ("ok", 0)
    end_writes(own_redis, why)
    refused = on_own_redis.test_client().get("/readyz")
    assert (refused.status_code, refused.get_json()["checks"]["queue"]) == (503, REASONS[why])
    client = ApiClient(on_own_redis.test_client(), planner.key)
    ordered = client.post("/charting", CHARTING | {"vesselId": vessel_id})
    assert (ordered.status_code, "Retry-After" in ordered.headers) == (503, True)


@pytest.mark.parametrize("why", ["full", "replica"])
def test_the_doctor_finds_a_queue_that_takes_no_writes(
    on_own_redis: Flask, own_redis: Redis, why: str
) -> None:
    end_writes(own_redis, why)
    with on_own_redis.app_context():
        words = [each.words for each in check_redis() if each.level is Level.FAULT]
    assert [each for each in words if each.startswith("takes no writes: ")], words
