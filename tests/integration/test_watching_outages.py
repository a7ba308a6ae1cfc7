"""Checks of voyages while a worker, Redis or PostgreSQL is killed: one mail per advice."""

import json
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import psycopg
import pytest
from flask import Flask
from local_services import LocalServices
from redis import Redis

from app.config import Settings
from app.records.instants import format_instant
from app.records.record import Json
from tests.integration.client import ApiClient
from tests.integration.conftest import make_settings, migrate, running_app
from tests.integration.test_webhook_worker import environment, secret, worker
from tests.integration.test_workers import Workers, horses_of, kill_all_of, workers
from tests.integration.voyages import CROSSING, HOUR, Plan, Voyage, bring_storm
from tests.receiver import Receiver
from tests.waiting import wait_until

__all__ = ["environment", "secret", "worker", "workers"]

pytestmark = [
    pytest.mark.atlas,
    pytest.mark.usefixtures("atlas", "redis", "climatology", "secret"),
    pytest.mark.timeout(900),
]

#: More than the one worker watches at a time: some are lost in their watch, some in the queue.
VOYAGES = 2

_ADVICES = "SELECT count(*) FROM voyage_advice"
_ADVICE_EVENTS = "SELECT count(*) FROM event WHERE kind = 'charting.advice'"
_LEFT_TO_DO = """
    SELECT (SELECT count(*) FROM voyage_execution
            WHERE watched_at IS NULL OR watch_due_at IS NOT NULL)
         + (SELECT count(*) FROM event WHERE dispatched_at IS NULL)
         + (SELECT count(*) FROM webhook_delivery WHERE status = 'PENDING')
"""


@pytest.fixture(scope="module")
def servers() -> Iterator[LocalServices]:
    """PostGIS and Redis of these tests alone, as ``make run`` starts them."""
    # not below a directory of pytest's, which the servers' accounts can't enter
    folder = Path(tempfile.mkdtemp(prefix="outages-"))
    folder.chmod(0o711)
    made = LocalServices(folder)
    try:
        made.start(tied=True)
        yield made
    finally:
        made.remove()
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def services(servers: LocalServices) -> tuple[str, str]:
    addresses = servers.environment()
    return addresses["DATABASE_URL"], addresses["REDIS_URL"]


@pytest.fixture(scope="module")
def database_url(services: tuple[str, str]) -> str:
    migrate(services[0])
    return services[0]


@pytest.fixture(scope="module")
def settings(
    database_url: str, services: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    return make_settings(database_url, services[1], tmp_path_factory.mktemp("weather"))


@pytest.fixture(scope="module")
def atlas(settings: Settings) -> Path:
    return settings.atlas_dir


@pytest.fixture
def app(settings: Settings) -> Iterator[Flask]:
    """An application of each test's own: no connection of it is one that was lost."""
    with running_app(settings) as made:
        yield made


@pytest.fixture
def worker_app(settings: Settings) -> Iterator[Flask]:
    with running_app(replace(settings, process_role="worker")) as made:
        yield made


@dataclass(frozen=True)
class Watched:
    """Services that a check needs."""

    servers: LocalServices
    workers: Workers
    database_url: str
    receiver: Receiver
    voyages: list[str]

    def kill(self, server: str) -> None:
        """Kill a server; it stays away until it is looked after."""
        mark = self.servers._mark(server)
        assert mark is not None
        mark.stop(signal.SIGKILL, patience_s=60.0)

    def count(self, query: str) -> int:
        with psycopg.connect(self.database_url) as database:
            (found,) = database.execute(query).fetchone() or (0,)
        return int(found)

    def list_received(self) -> list[Json]:
        """The advice received; what was delivered twice, under the same id, counts once."""
        sent = {each.headers["webhook-id"]: each.body for each in self.receiver.received}
        bodies = map(json.loads, sent.values())
        return [body["data"] for body in bodies if body["type"] == "charting.advice"]


@pytest.fixture
def watched(
    servers: LocalServices,
    workers: Workers,
    database_url: str,
    receiver: Receiver,
    planner: ApiClient,
    plan: Plan,
    worker_app: Flask,
    context: Flask,
) -> Watched:
    """Voyages under way into a storm of the newest forecast; the watch of one has begun."""
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    departed_at = now - 24 * HOUR
    bring_storm(worker_app, 1.5, begins_at=departed_at, issued_at=departed_at)
    by = {"endDate": format_instant(now + 216 * HOUR)}
    voyages = [
        Voyage(planner, plan, worker_app, departed_at, **CROSSING | by) for _ in range(VOYAGES)
    ]
    bring_storm(worker_app, 10.0, begins_at=departed_at, issued_at=now - HOUR)
    for voyage in voyages:
        voyage.report(until=datetime.now(UTC))
        voyage.check_position_reports()
    workers.start(1)
    workers.wait_for_watch()
    ids = sorted(voyage.id for voyage in voyages)
    return Watched(servers, workers, database_url, receiver, ids)


def kill_worker(watched: Watched) -> None:
    """Kill the worker in the midst of a watch; another takes its place."""
    kill_all_of(watched.workers.busy())
    watched.workers.start(1)
    watched.workers.let_go_on()


def kill_redis(watched: Watched, *, is_emptied: bool) -> None:
    """Kill Redis during a check; it is back after the advice, whose mail could not be queued."""
    watched.kill("redis")
    watched.workers.let_go_on()
    wait_until(lambda: watched.count(_ADVICE_EVENTS), "advice while Redis is away")
    watched.workers.hold_up()  # the next advice would bring this one along
    if is_emptied:
        shutil.rmtree(watched.servers._home("redis"))
    watched.servers.tend()
    wait_until(watched.list_received, "advice that nobody could be told of")
    watched.workers.let_go_on()


def kill_database(watched: Watched) -> None:
    """Kill PostgreSQL; it is back when the watch has ended, whose advice could not be kept."""
    watched.kill("postgres")
    (at_work,) = watched.workers.started
    watching = horses_of(at_work)
    watched.workers.let_go_on()
    wait_until(lambda: horses_of(at_work) != watching, "end of the watch without a database")
    watched.servers.tend()


OUTAGES: dict[str, Callable[[Watched], None]] = {
    "a worker is killed": kill_worker,
    "Redis is killed": partial(kill_redis, is_emptied=False),
    "Redis is killed and comes back empty": partial(kill_redis, is_emptied=True),
    "PostgreSQL is killed": kill_database,
}


@pytest.mark.parametrize("outage", OUTAGES)
def test_no_advice_is_lost_or_sent_twice_where(watched: Watched, redis: Redis, outage: str) -> None:
    assert watched.count(_ADVICES) == 0
    OUTAGES[outage](watched)
    wait_until(lambda: not watched.count(_LEFT_TO_DO), "end of what is due")
    wait_until(lambda: not redis.keys("rq:job:watch_*"), "end of all watches, needed or not")
    wait_until(lambda: not watched.count(_LEFT_TO_DO), "end of what came of them")
    received = watched.list_received()
    assert sorted(advice["chartingId"] for advice in received) == watched.voyages
    assert watched.count(_ADVICES) == watched.count(_ADVICE_EVENTS) == VOYAGES
