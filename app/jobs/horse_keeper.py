"""RQ's worker, with work-horses that do several jobs.

A work-horse whose job ended well is handed the next one: it has its connections, and statements
are compiled. It leaves when no job comes soon. One that ends in any other way, or is killed, is
noticed as RQ notices it.
"""

import os
import signal
import threading
from contextlib import suppress
from typing import Any, ClassVar, Final

from flask import Flask
from rq import Worker
from rq.executions import Execution
from rq.job import Job
from rq.queue import Queue
from rq.serializers import JSONSerializer

from app import logs, tracing
from app.extensions import chartroom
from app.jobs.horse_channel import HorseChannel, Task
from app.jobs.memory import release_memory
from app.services.platform.fair_queue import (
    DELIVER_WEBHOOK,
    DISPATCH_EVENTS,
    OPTIMISE,
    KnownJob,
)

#: Jobs after which a work-horse may do another: they are many, and leave a process as it was.
_FOLLOWED: Final = frozenset({OPTIMISE, DISPATCH_EVENTS, DELIVER_WEBHOOK})
#: How many jobs a work-horse does.
_MOST_JOBS: Final = 50


class HorseKeeper(Worker):
    """Forks a work-horse only where none waits for a job."""

    #: How long a work-horse waits for its next job [s]; it holds memory meanwhile.
    next_within_s: ClassVar[float] = 1.0
    _app: Flask
    #: The way to the work-horse, and its process.
    _channel: HorseChannel | None = None
    _kept_pid = 0

    def fork_work_horse(self, job: Job, queue: Queue) -> None:
        """Hand a job to the work-horse of the one before, or fork a new one."""
        if self._channel is not None and not self._hand_over(job, queue):
            self._let_horse_go()
        if self._channel is None:
            self._channel = HorseChannel()
            super().fork_work_horse(job, queue)
            self._channel.become_worker()
            self._kept_pid = self.horse_pid
        self._horse_pid = self._kept_pid

    def _hand_over(self, job: Job, queue: Queue) -> bool:
        if self._channel is None or self.execution is None or job.func_name not in _FOLLOWED:
            return False
        task = {"job": job.id, "queue": queue.name, "execution": self.execution.id}
        return self._channel.hand_over(task)

    def _let_horse_go(self) -> None:
        """End a work-horse that has nothing to do."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self._kept_pid, signal.SIGKILL)
                os.waitpid(self._kept_pid, 0)

    def run_maintenance_tasks(self) -> None:
        """RQ's own tasks, and the end of a work-horse that has left."""
        if self._channel is not None and os.waitpid(self._kept_pid, os.WNOHANG)[0]:
            self._channel.close()
            self._channel = None
        super().run_maintenance_tasks()  # type: ignore[no-untyped-call]

    def wait_for_horse(self) -> tuple[int | None, int | None, Any]:
        """Wait until the work-horse has ended, or waits for its next job."""
        if self._channel is not None:
            if self._channel.wait_for_end():
                return self.horse_pid, os.EX_OK, None
            self._channel.close()
            self._channel = None
        return super().wait_for_horse()

    def teardown(self) -> None:
        """Leave Redis. A work-horse leaves by itself, once it has ended its job if it has one.

        A worker that loses Redis ends while its work-horse is at work, which needs none for it.
        """
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        super().teardown()  # type: ignore[no-untyped-call]

    def main_work_horse(self, job: Job, queue: Queue) -> Any:
        """Do jobs in a fork, with connections that the parent does not share."""
        try:
            if self._channel is not None:
                self._channel.become_horse()
            with self._app.app_context():
                chartroom().engine.dispose(close=False)
                super().main_work_horse(job, queue)
        finally:
            os._exit(1)  # RQ's ends before; what failed earlier must not go on as a second worker

    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Do a job in the work-horse, and those that the worker hands over after it."""
        threads = threading.active_count()
        for _ in range(_MOST_JOBS):
            is_well = self._perform(job, queue)
            is_alone = threading.active_count() == threads
            if self._channel is None or not (is_well and is_alone and _may_be_followed(job)):
                break
            self._channel.say_done()
            release_memory()
            task = self._channel.take_over(self.next_within_s)
            if task is None:
                break
            job, queue = self._find(task)
        return is_well

    def _perform(self, job: Job, queue: Queue) -> bool:
        """Do one job, in the trace of who queued it."""
        with (
            logs.bound(job_id=job.id),
            tracing.job(str(job.func_name), job.meta, **{"chartroom.job_id": job.id}),
        ):
            return bool(super().perform_job(job, queue))

    def _find(self, task: Task) -> tuple[Job, Queue]:
        """Return a job that was handed over, and its queue."""
        job = KnownJob.fetch(task["job"], self.connection, serializer=JSONSerializer)
        # by which RQ decides how to keep results
        job.redis_server_version = self.get_redis_server_version()  # type: ignore[no-untyped-call]
        self.execution = Execution(task["execution"], job.id, self.connection, self.name)
        return job, next(queue for queue in self.queues if queue.name == task["queue"])


def _may_be_followed(job: Job) -> bool:
    """Return whether a job that ended leaves its process fit for another."""
    if job.func_name not in _FOLLOWED or job.started_at is None or job.ended_at is None:
        return False
    # one that used its time up was interrupted, anywhere
    return (job.ended_at - job.started_at).total_seconds() < float(job.timeout or 0.0)
