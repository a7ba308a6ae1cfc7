"""The workers: they serve their queues, and sweep."""

import gc
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ClassVar, Final
from uuid import UUID

from flask import Flask
from redis.exceptions import RedisError
from rq.exceptions import StopRequested
from rq.job import Job
from rq.queue import Queue
from rq.serializers import JSONSerializer
from rq.worker import DequeueStrategy
from sqlalchemy.exc import SQLAlchemyError

from app import logs
from app.extensions import chartroom
from app.jobs.horse_keeper import HorseKeeper
from app.jobs.work_horse import WorkHorse
from app.services.chartings import departure_progress, planning_progress
from app.services.monitoring import advice_mail, monitor
from app.services.platform import background_runs, queue
from app.services.platform.fair_queue import (
    COMPARE_DEPARTURES,
    OPTIMISE,
    FairQueue,
    KnownJob,
)
from app.services.upkeep import erasing
from app.services.upkeep.sweeper import SWEEP_EVERY_S, sweep
from app.services.webhooks import webhook_dispatch

logger = logging.getLogger(__name__)

#: How often a busy worker looks after its work-horse and says that it lives [s].
MONITOR_EVERY_S = 5
#: Jobs whose rows show that a worker is at them.
_RUNS: Final = {function: kind for kind, function in queue.FUNCTION_OF.items()}
_WITH_HEARTBEAT: Final = (OPTIMISE, COMPARE_DEPARTURES, *_RUNS)
#: How long to wait for a queue that went away [s].
WAIT_S = 2.0
#: How long the process that queues what is due later may take to end [s].
SCHEDULER_ENDS_WITHIN_S: Final = 5.0


class ChartroomWorker(HorseKeeper):
    """Plans, fetches weather, and sweeps every ten seconds while it has nothing else to do.

    RQ waits for work for ``worker_ttl`` less 15 seconds, and does its
    maintenance only in between: the worker's life is set to let that be often.
    While every worker is busy nobody sweeps, but nobody could take up the work.
    """

    #: Longest wait for a queue that is away before it is asked again [s].
    max_connection_wait_time = 5.0
    #: Whether jobs of its queues are scheduled for later.
    has_scheduler: ClassVar[bool] = False
    #: How it goes on from one of its queues to the next: weather never waits behind all planning.
    strategy: ClassVar[DequeueStrategy] = DequeueStrategy.ROUND_ROBIN

    def __init__(self, app: Flask) -> None:
        with app.app_context():
            super().__init__(
                self.listens_on(),
                connection=chartroom().redis,
                job_class=KnownJob,
                queue_class=FairQueue,
                serializer=JSONSerializer,
                maintenance_interval=SWEEP_EVERY_S,
                worker_ttl=SWEEP_EVERY_S + 15,
                job_monitoring_interval=MONITOR_EVERY_S,
            )
        self._app = app
        self.was_told_to_stop = False

    def listens_on(self) -> list[Queue]:
        """Its queues, served by turns."""
        return [queue.planning_queue(), queue.weather_queue(), queue.monitoring_queue()]

    def sweep(self) -> None:
        """Find what fell between row and queue."""
        sweep()
        monitor.queue_due()
        erasing.erase_due()
        if queue.is_time_to_retire():
            erasing.retire_old()
        source = chartroom().settings.weather_source
        if source is not None:
            queue.enqueue_weather(source)

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the job at hand.

        RQ stops an idle worker by an exception alone, which whatever runs just then may swallow;
        the flag, which it sets for a busy one only, is seen at the next maintenance in any case.
        """
        self.was_told_to_stop = self._stop_requested = True
        super().request_stop(signum, frame)

    def set_shutdown_requested_date(self) -> None:
        """Leave out RQ's note in Redis that the worker was told to stop.

        It is written from the signal's handler: where that interrupts the client of Redis as it
        gives back a connection, the lock held then is waited for for ever.
        """

    def stop_scheduler(self) -> None:
        """Stop the process that queues what is due later; one that does not end is killed."""
        process = self.scheduler and self.scheduler._process
        if process and process.is_alive():
            process.terminate()
            process.join(SCHEDULER_ENDS_WITHIN_S)
            process.kill()
            process.join()

    def unsubscribe(self) -> None:
        """Leave RQ's channel of commands; its thread ends also when the queue is away."""
        try:
            super().unsubscribe()
        except RedisError:
            if self.pubsub_thread is not None:
                self.pubsub_thread.stop()

    def run_maintenance_tasks(self) -> None:
        """RQ's own tasks, and a sweep; the end for a worker that was told to stop."""
        if self._stop_requested:
            raise StopRequested
        with _outliving("maintenance"):
            super().run_maintenance_tasks()
        try:
            with _outliving("a sweep"), self._app.app_context():
                self.sweep()
        except (SQLAlchemyError, RedisError) as error:
            logger.warning("sweep postponed: %s", error)

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Do a job; what is said meanwhile says of which, here and in the work-horse."""
        with logs.bound(job_id=job.id):
            super().execute_job(job, queue)

    def monitor_work_horse(self, job: Job, queue: Queue) -> None:
        """Wait for the work-horse; whatever goes wrong in keeping books, it is waited for."""
        self._horse = WorkHorse(self.horse_pid)
        with _outliving(f"the end of job {job.id}"):
            super().monitor_work_horse(job, queue)
        if self.horse_pid:
            self.wait_for_horse()
            self._horse_pid = 0

    def maintain_heartbeats(self, job: Job) -> None:
        """Say that worker and job live, in Redis and in the row that is worked on."""
        try:
            with _outliving(f"a heartbeat of job {job.id}"):
                super().maintain_heartbeats(job)
            if job.func_name in _WITH_HEARTBEAT and self._horse.has_worked():
                with self._app.app_context():
                    _note_alive(job)
        except (SQLAlchemyError, RedisError) as error:
            logger.warning("a heartbeat of job %s failed: %s", job.id, error)


class WebhookWorker(ChartroomWorker):
    """Dispatches events and delivers webhooks, so that planning never waits for a receiver."""

    has_scheduler = True
    next_within_s = 10.0  # its work-horses are small, and events come one by one
    strategy = DequeueStrategy.DEFAULT  # the urgent first

    def listens_on(self) -> list[Queue]:
        """Webhooks only."""
        return [*queue.webhook_queues()]

    def sweep(self) -> None:
        """Find events, deliveries and mail that fell between row and queue."""
        webhook_dispatch.sweep()
        advice_mail.queue_due()


def _note_alive(job: Job) -> None:
    """Say in the row that a job works on that it is being worked on."""
    if job.func_name == COMPARE_DEPARTURES:
        owner, charting_id = map(UUID, job.args)
        departure_progress.note_alive(owner, charting_id)
    elif job.func_name in _RUNS:
        background_runs.note_alive(_RUNS[job.func_name], *map(UUID, job.args))
    else:
        charting_id, revision = job.args
        owner = UUID(job.meta["organization"])
        planning_progress.note_alive(owner, UUID(charting_id), revision)


@contextmanager
def _outliving(what: str) -> Iterator[None]:
    """Go on after an error of RQ's bookkeeping: it holds nothing that rows do not say better.

    A queue or database that is away is another matter, and whoever stops the worker too.
    """
    try:
        yield
    except (RedisError, SQLAlchemyError, StopRequested):
        raise
    except Exception:
        logger.exception("%s failed; the worker goes on", what)


def work(app: Flask, kind: type[ChartroomWorker]) -> None:
    """Work until stopped; wait while the queue is unavailable."""
    # what is there now stays: in work-horses collections need neither look at it nor copy it
    gc.freeze()
    while not _work_while_connected(app, kind):
        time.sleep(WAIT_S)


def _work_while_connected(app: Flask, kind: type[ChartroomWorker]) -> bool:
    worker = None
    try:
        worker = kind(app)
        # jobs log themselves; RQ would log every sweep as well
        worker.work(
            logging_level="WARNING",
            with_scheduler=kind.has_scheduler,
            dequeue_strategy=kind.strategy,
        )
    except RedisError as error:
        logger.warning("the queue is unavailable: %s", error)
    return worker is not None and worker.was_told_to_stop
