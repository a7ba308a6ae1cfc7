"""Real worker processes: killed, cancelled, timed out."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from redis import Redis

from app import create_app
from app.config import Settings
from app.models import ChartingRevision
from app.services.platform.sessions import organization_session
from tests.integration import slow_worker
from tests.integration.client import ApiClient
from tests.integration.forked import ROOT, fork
from tests.killing import kill
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.atlas,
    pytest.mark.usefixtures("atlas", "redis"),
    pytest.mark.timeout(900),
]

ENDED = {"COMPLETED", "FAILED", "CANCELLED"}


@dataclass
class Workers:
    """Real workers, whose plannings wait until they are let go on."""

    environment: dict[str, str]
    folder: Path
    started: list[ForkServerProcess] = field(default_factory=list)

    @property
    def gate(self) -> Path:
        return self.folder / "gate"

    def start(self, count: int) -> None:
        environment = self.environment | {"PLANNING_GATE": str(self.gate)}
        for _ in range(count):
            log = self.folder / f"worker-{len(self.started)}.log"
            self.started.append(fork(slow_worker.main, environment, log))

    def let_go_on(self) -> None:
        self.gate.touch()

    def hold_up(self) -> None:
        self.gate.unlink()

    def wait_for_watch(self) -> None:
        """Wait until a voyage's watch has begun, which goes on when it is let."""
        wait_until((self.folder / "watching").exists, "watch under way")

    def busy(self) -> ForkServerProcess:
        """The worker that has a work-horse, once it alone has: others' leave when idle."""
        wait_until(lambda: len(self._with_horse()) == 1, "one work-horse")
        return self._with_horse()[0]

    def _with_horse(self) -> list[ForkServerProcess]:
        return [worker for worker in self.started if horses_of(worker)]


@pytest.fixture
def workers(settings: Settings, tmp_path: Path) -> Iterator[Workers]:
    """Workers, stopped with their work-horses at the end."""
    environment = os.environ | {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "ATLAS_DIR": str(settings.atlas_dir),
        "WEATHER_DIR": str(settings.weather_dir),
        "WEATHER_SOURCE": "none",
        "NUMBA_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
    }
    made = Workers(environment, tmp_path)
    yield made
    for process in made.started:
        kill_all_of(process)
        process.join()


def horses_of(worker: ForkServerProcess) -> list[int]:
    """The work-horses of a worker that have not ended."""
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
    try:
        return [pid for pid in map(int, children.read_text().split()) if is_running(pid)]
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def kill_all_of(worker: ForkServerProcess) -> None:
    """Kill a worker and its work-horse as a machine that loses power does."""
    kill([worker.pid, *horses_of(worker)])


def wait_for(planner: ApiClient, charting_id: str, statuses: set[str]) -> Any:
    charting: dict[str, Any] = {}

    def is_so() -> bool:
        charting.update(planner.get(f"/charting/{charting_id}?addCharting=false").get_json())
        return charting["status"] in statuses

    wait_until(is_so, f"charting that is {' or '.join(sorted(statuses))}")
    return charting


def test_progress_moves_while_a_worker_plans(planner: ApiClient, workers: Workers) -> None:
    workers.start(1)
    charting_id = planner.order()["id"]
    seen: list[tuple[float, str]] = []

    def has_moved() -> bool:
        charting = wait_for(planner, charting_id, {"RUNNING"})
        seen.append((charting["progress"], charting["stage"]))
        return len({progress for progress, _ in seen}) > 3

    wait_until(has_moved, "progress")
    workers.let_go_on()
    assert wait_for(planner, charting_id, ENDED)["status"] == "COMPLETED"
    assert seen == sorted(seen, key=lambda entry: entry[0])
    assert "Taking its time" in {stage for _, stage in seen}


def test_a_killed_work_horse_loses_nothing(planner: ApiClient, workers: Workers) -> None:
    workers.start(2)
    charting_id = planner.order()["id"]
    wait_for(planner, charting_id, {"RUNNING"})
    kill(horses_of(workers.busy()))
    workers.let_go_on()
    assert wait_for(planner, charting_id, ENDED)["status"] == "COMPLETED"


def test_a_work_horse_that_stays_plans_order_after_order_and_is_replaced_when_killed(
    planner: ApiClient, workers: Workers
) -> None:
    workers.environment |= {"LOG_FORMAT": "json", "WORK_HORSES_STAY": "1"}
    workers.start(1)
    workers.let_go_on()
    for order in [planner.order()["id"] for _ in range(3)]:
        assert wait_for(planner, order, ENDED)["status"] == "COMPLETED"
    begun = plannings_begun(workers.folder / "worker-0.log")
    assert len({line["job_id"] for line in begun}) == len(begun) == 3
    assert len({line["process"] for line in begun}) == 1

    (worker,), (horse,) = workers.started, horses_of(workers.started[0])
    workers.hold_up()
    under_way = planner.order()["id"]
    wait_for(planner, under_way, {"RUNNING"})
    assert horses_of(worker) == [horse]
    kill([horse])
    workers.let_go_on()
    assert wait_for(planner, under_way, ENDED)["status"] == "COMPLETED", "killed in an order"

    kill(horses_of(worker))
    between = planner.order()["id"]
    assert wait_for(planner, between, ENDED)["status"] == "COMPLETED", "killed between orders"

    (horse,) = horses_of(worker)
    kill([worker.pid])
    wait_until(lambda: not is_running(horse), "end of an idle work-horse with its worker")


def test_a_work_horse_takes_no_order_beyond_its_last(planner: ApiClient, workers: Workers) -> None:
    workers.environment |= {"LOG_FORMAT": "json", "WORK_HORSES_STAY": "1", "MOST_JOBS": "2"}
    workers.start(1)
    workers.let_go_on()
    orders = [planner.order()["id"] for _ in range(5)]
    for order in orders:
        assert wait_for(planner, order, ENDED)["status"] == "COMPLETED"

    begun = plannings_begun(workers.folder / "worker-0.log")
    assert [line["charting_id"] for line in begun] == orders, "one was lost and queued again"
    processes = [line["process"] for line in begun]
    assert processes == [processes[n] for n in (0, 0, 2, 2, 4)]
    assert len(set(processes)) == 3


def plannings_begun(log: Path) -> list[dict[str, Any]]:
    """Return the log lines of plannings that began, in order."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return [line for line in lines if line["message"] == "planning begins"]


def test_a_killed_worker_loses_nothing(planner: ApiClient, workers: Workers) -> None:
    workers.start(2)
    charting_id = planner.order()["id"]
    wait_for(planner, charting_id, {"RUNNING"})
    kill_all_of(workers.busy())
    workers.let_go_on()
    assert wait_for(planner, charting_id, ENDED)["status"] == "COMPLETED"


def test_a_planning_that_is_long_silent_is_not_begun_again(
    planner: ApiClient, settings: Settings, workers: Workers
) -> None:
    workers.environment["PLANNING_IN_SILENCE"] = "1"
    workers.start(2)
    charting_id = planner.order()["id"]
    wait_for(planner, charting_id, {"RUNNING"})
    query = "SELECT attempt, heartbeat_at - started_at FROM charting_revision"
    with psycopg.connect(settings.database_url, autocommit=True) as database:

        def is_heard_of() -> bool:
            attempt, silence = database.execute(query).fetchone()
            assert attempt == 1
            return bool(silence > timedelta(seconds=3))

        wait_until(is_heard_of, "heartbeat of a silent planning")
    workers.let_go_on()
    assert wait_for(planner, charting_id, ENDED)["status"] == "COMPLETED"


def test_a_charting_is_cancelled_while_it_is_planned(planner: ApiClient, workers: Workers) -> None:
    workers.start(1)
    charting_id = planner.order()["id"]
    wait_for(planner, charting_id, {"RUNNING"})
    assert planner.post(f"/charting/{charting_id}/cancel").get_json()["status"] == "RUNNING"
    assert wait_for(planner, charting_id, ENDED)["status"] == "CANCELLED"


def test_a_planning_that_takes_too_long_fails_and_says_so(
    planner: ApiClient, settings: Settings, workers: Workers
) -> None:
    impatient = create_app(replace(settings, job_timeout_s=3))
    workers.start(1)
    charting_id = ApiClient(impatient.test_client(), planner.key).order()["id"]
    impatient.extensions["chartroom"].close()
    failed = wait_for(planner, charting_id, ENDED)
    assert failed["failure"]["code"] == "TIMEOUT"


def test_an_order_whose_request_cannot_be_read_fails_and_is_not_begun_for_ever(
    app: Flask, planner: ApiClient, organization_id: UUID, workers: Workers
) -> None:
    charting_id = planner.order()["id"]
    with app.app_context(), organization_session(organization_id) as session:
        row = session.get_one(ChartingRevision, (UUID(charting_id), 1))
        row.request = {**row.request, "maxWaveHeight": "high"}
    workers.start(1)
    failed = wait_for(planner, charting_id, ENDED)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INTERNAL")
    assert "Planning failed" in failed["failure"]["detail"]


def health_of_workers() -> int:
    script = ROOT / "scripts" / "worker_health.py"
    return subprocess.run([sys.executable, str(script)], check=False).returncode


def test_workers_are_not_restarted_for_a_redis_that_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert health_of_workers() == 0


def test_a_worker_is_healthy_while_redis_hears_of_it(
    planner: ApiClient, workers: Workers, redis: Redis
) -> None:
    assert health_of_workers() == 1
    workers.start(1)
    workers.let_go_on()
    wait_for(planner, planner.order()["id"], {"COMPLETED"})
    assert health_of_workers() == 0
    redis.flushdb()
    assert health_of_workers() == 1
