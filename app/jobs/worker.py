"""The worker: RQ's own, which also sweeps, and whose work-horses use connections of their own."""

import logging
from types import FrameType
from typing import Any

from flask import Flask
from redis.exceptions import RedisError
from rq import Worker
from rq.job import Job
from rq.queue import Queue
from sqlalchemy.exc import SQLAlchemyError

from app import logs
from app.extensions import chartroom
from app.services import queue
from app.services.sweeper import SWEEP_EVERY_S, sweep

logger = logging.getLogger(__name__)

#: How often a busy worker looks after its work-horse and says that it lives [s].
MONITOR_EVERY_S = 5


class ChartroomWorker(Worker):
    """Sweeps every half minute while it has nothing else to do.

    RQ waits for work for ``worker_ttl`` less 15 seconds, and does its
    maintenance only in between: the worker's life is set to let that be often.
    While every worker is busy nobody sweeps, but nobody could take up the work.
    """

    #: Longest wait for a queue that is away before it is asked again [s].
    max_connection_wait_time = 5.0

    def __init__(self, app: Flask) -> None:
        with app.app_context():
            super().__init__(
                queue.all_queues(),
                connection=chartroom().redis,
                maintenance_interval=SWEEP_EVERY_S,
                worker_ttl=SWEEP_EVERY_S + 15,
                job_monitoring_interval=MONITOR_EVERY_S,
            )
        self._app = app
        self.was_told_to_stop = False

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the job at hand."""
        self.was_told_to_stop = True
        super().request_stop(signum, frame)

    def unsubscribe(self) -> None:
        """Leave RQ's channel of commands; its thread ends also when the queue is away."""
        try:
            super().unsubscribe()
        except RedisError:
            if self.pubsub_thread is not None:
                self.pubsub_thread.stop()

    def run_maintenance_tasks(self) -> None:
        """RQ's own tasks, and a sweep."""
        super().run_maintenance_tasks()
        try:
            with self._app.app_context():
                sweep()
                source = chartroom().settings.weather_source
                if source is not None:
                    queue.enqueue_weather(source)
        except (SQLAlchemyError, RedisError) as error:
            logger.warning("sweep put off: %s", error)

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Do a job; what is said meanwhile says of which, here and in the work-horse."""
        with logs.bound(job_id=job.id):
            super().execute_job(job, queue)

    def main_work_horse(self, job: Job, queue: Queue) -> Any:
        """Do a job in a fork, with connections that the parent does not share."""
        with self._app.app_context():
            chartroom().engine.dispose(close=False)
            super().main_work_horse(job, queue)
