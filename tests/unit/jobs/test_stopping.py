"""Workers stop on request, whatever they are doing."""

import logging
import os
import signal
from types import SimpleNamespace
from typing import Any

import pytest
from redis.exceptions import RedisError
from rq.exceptions import StopRequested
from rq.scheduler import ForkProcess
from rq.worker import WorkerStatus

from app.jobs import worker as workers
from app.jobs.worker import ChartroomWorker, WebhookWorker
from tests.waiting import wait_until


class Idle(ChartroomWorker):
    """A worker without a queue, which has nothing to do."""

    def __init__(self, app: object = None) -> None:
        self.was_told_to_stop = self._stop_requested = False
        self.scheduler = None
        self._state, self.name, self.pid = WorkerStatus.IDLE, "idle", os.getpid()
        self.log = logging.getLogger(__name__)

    def work(self, **options: Any) -> bool:
        """Receive a stop request, and lose the queue while stopping."""
        with pytest.raises(StopRequested):
            self.request_stop(signal.SIGTERM, None)
        raise RedisError("gone")


@pytest.fixture(autouse=True)
def _signals() -> Any:
    """RQ changes handlers as it stops: put back what was there."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_an_idle_worker_stops_although_the_exception_that_says_so_was_swallowed() -> None:
    worker = Idle()
    with pytest.raises(StopRequested):
        worker.request_stop(signal.SIGTERM, None)
    with pytest.raises(StopRequested):
        worker.run_maintenance_tasks()


def test_a_busy_worker_asks_nothing_of_redis_from_the_handler_of_a_signal() -> None:
    worker = Idle()
    worker._state = WorkerStatus.BUSY
    worker.connection = None
    worker.request_stop(signal.SIGTERM, None)
    assert worker._stop_requested, "it stops after the job at hand"


def test_a_worker_that_loses_its_queue_while_it_stops_does_not_begin_again() -> None:
    workers.work(None, Idle)  # type: ignore[arg-type]


def test_a_scheduler_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SCHEDULER_ENDS_WITHIN_S", 0.2)
    process = ForkProcess(target=_never_end)
    process.start()
    pid = process.pid
    assert pid is not None
    wait_until(lambda: _ignores_end(pid), "a process that ignores SIGTERM")
    WebhookWorker.stop_scheduler(SimpleNamespace(scheduler=SimpleNamespace(_process=process)))  # type: ignore[arg-type]
    assert process.exitcode == -signal.SIGKILL


def _never_end() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()


def _ignores_end(pid: int) -> bool:
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        ignored = next(line for line in status if line.startswith("SigIgn"))
    return bool(int(ignored.split()[1], 16) & 1 << signal.SIGTERM - 1)
