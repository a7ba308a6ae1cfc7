"""Real workers in processes of their own: killed, cancelled, out of time."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from app import create_app
from app.config import Settings
from tests.integration.client import ApiClient
from tests.killing import kill

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.atlas,
    pytest.mark.usefixtures("atlas", "redis"),
    pytest.mark.timeout(200),
]

Start = Callable[..., "list[subprocess.Popen[bytes]]"]


@pytest.fixture
def start(settings: Settings, tmp_path: Path) -> Iterator[Start]:
    """Starts workers, and stops them and their work-horses at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def start_workers(count: int, planning_takes_s: float) -> list[subprocess.Popen[bytes]]:
        environment = os.environ | {
            "DATABASE_URL": settings.database_url,
            "REDIS_URL": settings.redis_url,
            "ATLAS_DIR": str(settings.atlas_dir),
            "PLANNING_TAKES_S": str(planning_takes_s),
            "NUMBA_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
        }
        for _ in range(count):
            with (tmp_path / f"worker-{len(started)}.log").open("wb") as log:
                started.append(
                    subprocess.Popen(
                        [sys.executable, str(ROOT / "tests/integration/slow_worker.py")],
                        env=environment, cwd=ROOT, stdout=log, stderr=log,
                    )
                )  # fmt: skip
        return started[-count:]

    yield start_workers
    for process in started:
        kill_all_of(process)
        process.wait()


def horses_of(worker: "subprocess.Popen[bytes]") -> list[int]:
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
    try:
        return [int(pid) for pid in children.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def kill_all_of(worker: "subprocess.Popen[bytes]") -> None:
    """Kill a worker and its work-horse as a machine that loses power does."""
    kill([worker.pid, *horses_of(worker)])


def wait_for(planner: ApiClient, charting_id: str, statuses: set[str], within_s: float) -> Any:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        charting = planner.get(f"/charting/{charting_id}?addCharting=false").get_json()
        if charting["status"] in statuses:
            return charting
        time.sleep(0.2)
    pytest.fail(f"after {within_s} s the charting is still {charting}")


def busy(workers: "list[subprocess.Popen[bytes]]") -> "subprocess.Popen[bytes]":
    return next(worker for worker in workers if horses_of(worker))


ENDED = {"COMPLETED", "FAILED", "CANCELLED"}


def test_progress_moves_while_a_worker_plans(planner: ApiClient, start: Start) -> None:
    start(1, planning_takes_s=4)
    charting_id = planner.order()["id"]
    seen = []
    wait_for(planner, charting_id, {"RUNNING"}, 60)
    while (charting := planner.get(f"/charting/{charting_id}").get_json())["status"] == "RUNNING":
        seen.append((charting["progress"], charting["stage"]))
        time.sleep(0.2)
    assert charting["status"] == "COMPLETED"
    assert len({progress for progress, _ in seen}) > 2
    assert seen == sorted(seen, key=lambda entry: entry[0])
    assert "Taking its time" in {stage for _, stage in seen}


def test_a_killed_work_horse_loses_nothing(planner: ApiClient, start: Start) -> None:
    workers = start(2, planning_takes_s=5)
    charting_id = planner.order()["id"]
    wait_for(planner, charting_id, {"RUNNING"}, 60)
    horses = horses_of(busy(workers))
    assert horses
    kill(horses)
    assert wait_for(planner, charting_id, ENDED, 120)["status"] == "COMPLETED"


def test_a_killed_worker_loses_nothing(planner: ApiClient, start: Start) -> None:
    workers = start(2, planning_takes_s=5)
    charting_id = planner.order()["id"]
    wait_for(planner, charting_id, {"RUNNING"}, 60)
    kill_all_of(busy(workers))
    assert wait_for(planner, charting_id, ENDED, 120)["status"] == "COMPLETED"


def test_a_charting_is_cancelled_while_it_is_planned(planner: ApiClient, start: Start) -> None:
    start(1, planning_takes_s=60)
    charting_id = planner.order()["id"]
    wait_for(planner, charting_id, {"RUNNING"}, 60)
    assert planner.post(f"/charting/{charting_id}/cancel").get_json()["status"] == "RUNNING"
    assert wait_for(planner, charting_id, ENDED, 10)["status"] == "CANCELLED"


def test_a_planning_that_takes_too_long_fails_and_says_so(
    planner: ApiClient, settings: Settings, start: Start
) -> None:
    impatient = create_app(replace(settings, job_timeout_s=3))
    start(1, planning_takes_s=60)
    charting_id = ApiClient(impatient.test_client(), planner.key).order()["id"]
    impatient.extensions["chartroom"].engine.dispose()
    impatient.extensions["chartroom"].redis.close()
    failed = wait_for(planner, charting_id, ENDED, 60)
    assert failed["failure"]["code"] == "TIMEOUT"


def health_of_workers() -> int:
    script = ROOT / "scripts" / "worker_health.py"
    return subprocess.run([sys.executable, str(script)], check=False).returncode


def test_a_worker_is_healthy_while_redis_hears_of_it(
    planner: ApiClient, start: Start, redis: Redis
) -> None:
    assert health_of_workers() == 1
    start(1, planning_takes_s=0)
    wait_for(planner, planner.order()["id"], {"COMPLETED"}, 90)
    assert health_of_workers() == 0
    redis.flushdb()
    assert health_of_workers() == 1
