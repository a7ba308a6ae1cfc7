"""Workers, which run the jobs of their queues and sweep."""

import gc
import logging.config
import time
from collections.abc import Callable, Iterator, Mapping
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
from app.config import Settings
from app.environment import exit_if_misconfigured
from app.extensions import chartroom
from app.jobs.horse_keeper import HorseKeeper
from app.jobs.memory import release_memory
from app.jobs.work_horse import WorkHorse
from app.models import BackgroundRun, ChartingRevision, DepartureComparisonRecord
from app.services.monitoring import advice_mail, monitor
from app.services.platform import queue, run_progress
from app.services.platform.fair_queue import FairQueue, JobFunction, KnownJob
from app.services.upkeep import erasing
from app.services.upkeep.sweeper import SWEEP_EVERY_S, sweep
from app.services.webhooks import webhook_dispatch

logger = logging.getLogger(__name__)

#: Interval at which a busy worker checks its work-horse and writes heartbeats [s].
MONITOR_EVERY_S = 5
#: Kinds of runs by their job function.
_RUNS: Final[Mapping[str | None, type[BackgroundRun]]] = {
    function: kind for kind, function in queue.FUNCTION_OF.items()
}
_WITH_HEARTBEAT: Final = (JobFunction.OPTIMISE, JobFunction.COMPARE_DEPARTURES, *_RUNS)
#: Time between two attempts to reach Redis [s].
WAIT_S = 2.0
#: Timeout of stopping the scheduler process [s].
SCHEDULER_ENDS_WITHIN_S: Final = 5.0


class ChartroomWorker(HorseKeeper):
    """Worker that plans, fetches weather, and sweeps every ten seconds while idle.

    RQ waits for work for ``worker_ttl`` less 15 seconds and runs maintenance only in
    between, so ``worker_ttl`` is set low. While every worker is busy there is no sweep,
    but no worker could run the queued jobs either.
    """

    #: Longest time between two attempts to reconnect to Redis [s].
    max_connection_wait_time = 5.0
    #: True if its queues have jobs that are scheduled for later.
    has_scheduler: ClassVar[bool] = False
    #: Order of its queues: round robin, so that weather does not wait for all planning.
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
        """Queues of this worker."""
        return [queue.planning_queue(), queue.weather_queue(), queue.monitoring_queue()]

    def list_sweeps(self) -> list[Callable[[], object]]:
        """List the steps of a sweep: queue lost rows again, and run periodic maintenance."""
        return [sweep, monitor.queue_due, erasing.erase_due, _erase_expired, _enqueue_weather]

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the present job.

        RQ stops an idle worker only by an exception, which the interrupted code may swallow. The
        flag, which RQ sets only for a busy worker, is checked at the next maintenance.
        """
        self.was_told_to_stop = self._stop_requested = True
        super().request_stop(signum, frame)

    def set_shutdown_requested_date(self) -> None:
        """Do not write the time of the stop request to Redis.

        RQ would write it in the signal handler, which deadlocks if the signal interrupted the
        Redis client while it held its connection pool's lock.
        """

    def stop_scheduler(self) -> None:
        """Stop the scheduler process; kill it if it does not end in time."""
        process = self.scheduler and self.scheduler._process
        if process and process.is_alive():
            process.terminate()
            process.join(SCHEDULER_ENDS_WITHIN_S)
            process.kill()
            process.join()

    def unsubscribe(self) -> None:
        """Unsubscribe from RQ's commands; the thread also ends while Redis is unreachable."""
        try:
            super().unsubscribe()
        except RedisError:
            if self.pubsub_thread is not None:
                self.pubsub_thread.stop()

    def run_maintenance_tasks(self) -> None:
        """Run RQ's tasks and a sweep; stop if that was requested."""
        if self._stop_requested:
            raise StopRequested
        with _suppressing_errors("maintenance"):
            super().run_maintenance_tasks()
        with self._app.app_context():
            for step in self.list_sweeps():
                try:
                    with _suppressing_errors("a sweep"):
                        step()
                except (SQLAlchemyError, RedisError) as error:
                    logger.warning("a sweep is postponed (%s): %s", step.__name__, error)

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run a job; log lines of worker and work-horse carry its ids meanwhile."""
        with logs.bound(job_id=job.id):
            super().execute_job(job, queue)

    def monitor_work_horse(self, job: Job, queue: Queue) -> None:
        """Wait for the work-horse, even if RQ's bookkeeping fails."""
        self._horse = WorkHorse(self.horse_pid)
        with _suppressing_errors(f"the end of job {job.id}"):
            super().monitor_work_horse(job, queue)
        if self.horse_pid:
            self.wait_for_horse()
            self._horse_pid = 0

    def maintain_heartbeats(self, job: Job) -> None:
        """Write heartbeats of worker and job to Redis and to the job's row."""
        try:
            with _suppressing_errors(f"a heartbeat of job {job.id}"):
                super().maintain_heartbeats(job)
            if job.func_name in _WITH_HEARTBEAT and self._horse.has_worked():
                with self._app.app_context():
                    _note_alive(job)
        except (SQLAlchemyError, RedisError) as error:
            logger.warning("a heartbeat of job %s failed: %s", job.id, error)


class WebhookWorker(ChartroomWorker):
    """Worker that dispatches events and delivers webhooks, so that planning never waits for it."""

    has_scheduler = True
    next_within_s = 10.0  # its work-horses are small, and events come one by one
    strategy = DequeueStrategy.DEFAULT  # the urgent first

    def listens_on(self) -> list[Queue]:
        """Webhooks only."""
        return [*queue.webhook_queues()]

    def list_sweeps(self) -> list[Callable[[], object]]:
        """List the steps of a sweep: queue lost events, deliveries and mails again."""
        return [webhook_dispatch.sweep, advice_mail.queue_due]


def _erase_expired() -> None:
    if queue.is_time_to_retire():
        erasing.erase_expired()


def _enqueue_weather() -> None:
    source = chartroom().settings.weather_source
    if source is not None:
        queue.enqueue_weather(source)


def _note_alive(job: Job) -> None:
    """Write a heartbeat to the row of a job."""
    if job.func_name == JobFunction.OPTIMISE:
        charting_id, revision = job.args
        owner, key = job.meta["organization"], {"charting_id": charting_id, "revision": revision}
        run_progress.note_alive(ChartingRevision, UUID(owner), key)
        return
    owner, row_id = map(UUID, job.args)
    if job.func_name == JobFunction.COMPARE_DEPARTURES:
        run_progress.note_alive(DepartureComparisonRecord, owner, {"charting_id": row_id})
    else:
        run_progress.note_alive(_RUNS[job.func_name], owner, {"id": row_id})


@contextmanager
def _suppressing_errors(what: str) -> Iterator[None]:
    """Log and suppress errors of RQ's bookkeeping, which rows do not depend on.

    Errors of an unreachable queue or database, and requests to stop, pass through.
    """
    try:
        yield
    except (RedisError, SQLAlchemyError, StopRequested):
        raise
    except Exception:
        logger.exception("%s failed; the worker goes on", what)


def run(
    kind: type[ChartroomWorker],
    create_app: Callable[[Settings], Flask],
    prepare: Callable[[], object] = lambda: None,
) -> int:
    """Work by the settings of the environment until stopped; return the exit status.

    ``prepare`` is called once, before work-horses are forked.
    """
    with exit_if_misconfigured():
        logging.config.dictConfig(logs.configuration())
        app = create_app(Settings.from_environment(process_role="worker"))
    with app.app_context():
        prepare()
    work(app, kind)
    return 0


def work(app: Flask, kind: type[ChartroomWorker]) -> None:
    """Work until stopped; wait while the queue is unavailable."""
    release_memory()
    # present objects are permanent: garbage collection in work-horses need not scan or copy them
    gc.freeze()
    while not _work_while_connected(app, kind):
        time.sleep(WAIT_S)


def _work_while_connected(app: Flask, kind: type[ChartroomWorker]) -> bool:
    worker = None
    try:
        worker = kind(app)
        # jobs write their own log lines; RQ would also log every sweep
        worker.work(
            logging_level="WARNING",
            with_scheduler=kind.has_scheduler,
            dequeue_strategy=kind.strategy,
        )
    except RedisError as error:
        logger.warning("the queue is unavailable: %s", error)
    return worker is not None and worker.was_told_to_stop
