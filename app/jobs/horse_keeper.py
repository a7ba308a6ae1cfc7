"""RQ worker whose work-horses run several jobs.

After a successful job, a work-horse receives the next one and reuses its connections and compiled
statements. It exits if no job arrives soon. RQ handles work-horses that fail or are killed.
"""

import os
import signal
import threading
from contextlib import suppress
from itertools import count
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
from app.services.platform.fair_queue import JobFunction, KnownJob

#: Jobs after which a work-horse may run another: they are frequent and leave no state behind.
_FOLLOWED: Final = frozenset(
    {JobFunction.OPTIMISE, JobFunction.DISPATCH_EVENTS, JobFunction.DELIVER_WEBHOOK}
)


class HorseKeeper(Worker):
    """Worker that forks a work-horse only if none is waiting for a job."""

    #: Time that an idle work-horse waits for its next job, during which it holds memory [s].
    next_within_s: ClassVar[float] = 1.0
    #: Largest number of jobs of a work-horse.
    most_jobs: ClassVar[int] = 50
    _app: Flask
    #: The channel to the work-horse.
    _channel: HorseChannel | None = None
    _kept_pid = 0

    def fork_work_horse(self, job: Job, queue: Queue) -> None:
        """Send a job to the work-horse of the previous job, or fork a new one."""
        if self._channel is not None and not self._hand_over(job, queue):
            self._end_idle_horse()
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

    def _end_idle_horse(self) -> None:
        """End an idle work-horse."""
        if self._channel is not None:
            self._drop_channel()
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self._kept_pid, signal.SIGKILL)
                os.waitpid(self._kept_pid, 0)

    def _drop_channel(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def run_maintenance_tasks(self) -> None:
        """Run RQ's tasks, and clean up after a work-horse that has exited."""
        if self._channel is not None and os.waitpid(self._kept_pid, os.WNOHANG)[0]:
            self._drop_channel()
        super().run_maintenance_tasks()  # type: ignore[no-untyped-call]

    def wait_for_horse(self) -> tuple[int | None, int | None, Any]:
        """Wait until the work-horse has ended or is waiting for its next job."""
        if self._channel is not None:
            if self._channel.wait_for_end():
                return self.horse_pid, os.EX_OK, None
            self._drop_channel()
        return super().wait_for_horse()

    def teardown(self) -> None:
        """Deregister from Redis. The work-horse exits by itself after its present job.

        A worker that loses Redis ends while its work-horse, which does not need Redis, continues.
        """
        self._drop_channel()
        super().teardown()  # type: ignore[no-untyped-call]

    def main_work_horse(self, job: Job, queue: Queue) -> Any:
        """Run jobs in a fork, with its own connections."""
        try:
            if self._channel is not None:
                self._channel.become_horse()
            with self._app.app_context():
                chartroom().engine.dispose(close=False)
                super().main_work_horse(job, queue)
        finally:
            os._exit(1)  # RQ's ends before; what failed earlier must not go on as a second worker

    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Run a job in the work-horse, then the further jobs that the worker sends."""
        threads = threading.active_count()
        for number in count(1):
            is_well = self._perform(job, queue)
            is_alone = threading.active_count() == threads
            may_go_on = number < self.most_jobs and is_well and is_alone and _may_be_followed(job)
            if self._channel is None or not may_go_on:
                break
            self._channel.say_done()
            release_memory()
            task = self._channel.take_over(self.next_within_s)
            if task is None:
                break
            job, queue = self._find(task)
        return is_well

    def _perform(self, job: Job, queue: Queue) -> bool:
        """Run one job, in the trace of the request that queued it."""
        with (
            logs.bound(job_id=job.id),
            tracing.job(str(job.func_name), job.meta, **{"chartroom.job_id": job.id}),
        ):
            return bool(super().perform_job(job, queue))

    def _find(self, task: Task) -> tuple[Job, Queue]:
        """Return a received job and its queue."""
        job = KnownJob.fetch(task["job"], self.connection, serializer=JSONSerializer)
        # RQ needs it to store results
        job.redis_server_version = self.get_redis_server_version()  # type: ignore[no-untyped-call]
        self.execution = Execution(task["execution"], job.id, self.connection, self.name)
        return job, next(queue for queue in self.queues if queue.name == task["queue"])


def _may_be_followed(job: Job) -> bool:
    """Return whether the process of an ended job may run another job."""
    if job.func_name not in _FOLLOWED or job.started_at is None or job.ended_at is None:
        return False
    # a timeout may have interrupted the job anywhere
    return (job.ended_at - job.started_at).total_seconds() < float(job.timeout or 0.0)
