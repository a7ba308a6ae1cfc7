"""The queues of planning, weather, monitoring and webhooks; jobs carry only the ids of rows."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

from redis.exceptions import RedisError
from rq import Retry
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from app import tracing
from app.extensions import chartroom
from app.models import (
    BackgroundRun,
    ChartingRevision,
    ChartingStatus,
    NoonImport,
    VesselCalibration,
    utc_now,
)
from app.services.platform.fair_queue import MONITORING, FairQueue, JobFunction, KnownJob

logger = logging.getLogger(__name__)

PLANNING = "planning"
WEATHER = "weather"
WEBHOOKS = "webhooks"
WEBHOOKS_LATER = "webhooks-later"

#: Retries of a job whose work-horse was killed.
RETRIES = 2

#: Timeout of a fetch, and shortest time between two fetches [s].
_WEATHER_TIMEOUT_S = 3600
_WEATHER_EVERY_S = 3600

#: Longest delay of the next fetch; the delay doubles with each failure [s].
_LONGEST_WEATHER_WAIT_S = 6 * 3600
_WEATHER_FAILURES = "chartroom:weather-failures"
_WEATHER_PUT_OFF = "chartroom:weather-put-off"

#: Retention of a failed job; short, so that the sweeper can queue it again [s].
_FAILED_GOES_S = 20

#: Timeout of one delivery attempt in all [s].
DELIVERY_TIMEOUT_S = 30

#: Interval of the clean-up of expired data [s].
_RETIRE_EVERY_S = 3600

#: Key of a write that tries whether Redis takes any.
_NEVER_SET = "chartroom:never-set"

_KEEP_RESULT_S = 60
_KEEP_FAILURE_S = 24 * 3600

#: Job function of each kind of run.
FUNCTION_OF: Final[Mapping[type[BackgroundRun], JobFunction]] = {
    VesselCalibration: JobFunction.CALIBRATE_VESSEL,
    NoonImport: JobFunction.IMPORT_NOON_REPORTS,
}

#: Jobs for one row: start of their ids, and timeout [s]. Long background work is done in turns,
#: which normally end much earlier.
_ROW_JOBS: Final[Mapping[JobFunction, tuple[str, int]]] = {
    JobFunction.MONITOR_VOYAGE: ("monitor", 120),
    JobFunction.WATCH_VOYAGE: ("watch", 120),
    JobFunction.COMPARE_DEPARTURES: ("departures", 900),
    JobFunction.CALIBRATE_VESSEL: (VesselCalibration.__tablename__, 900),
    JobFunction.IMPORT_NOON_REPORTS: (NoonImport.__tablename__, 900),
    JobFunction.MAIL_ADVICE: ("mail", DELIVERY_TIMEOUT_S),
}

_ENDED = frozenset({JobStatus.FINISHED, JobStatus.FAILED, JobStatus.STOPPED, JobStatus.CANCELED})


def is_time_to_retire() -> bool:
    """Return whether the hourly clean-up of expired data is due, and start its next interval."""
    name = "chartroom:retired"
    return bool(chartroom().redis.set(name, "", nx=True, ex=_RETIRE_EVERY_S))


def _open(name: str) -> FairQueue:
    return FairQueue(name, chartroom().redis)


planning_queue: Final = partial(_open, PLANNING)
#: Weather fetches; workers alternate between it and planning.
weather_queue: Final = partial(_open, WEATHER)
#: Voyages under way, departure comparisons and runs for vessels.
monitoring_queue: Final = partial(_open, MONITORING)
#: Webhooks, which have their own workers because receivers may be slow.
webhook_queue: Final = partial(_open, WEBHOOKS)


def webhook_queues() -> list[FairQueue]:
    """The queues of webhooks, the more urgent first.

    The second holds slow work, which must not delay other webhooks: deliveries to receivers
    whose last answer was slow or missing, and deliveries that the sweeper queues again.
    """
    return [webhook_queue(), _open(WEBHOOKS_LATER)]


def all_queues() -> list[FairQueue]:
    """All queues."""
    return [planning_queue(), weather_queue(), monitoring_queue(), *webhook_queues()]


def enqueue_row(function: JobFunction, organization_id: UUID, row_id: UUID) -> None:
    """Queue a job for one of an organization's rows, unless it is queued already."""
    job_id = row_job(function, row_id)
    queue = webhook_queue() if function == JobFunction.MAIL_ADVICE else monitoring_queue()
    job = queue.create_job(
        function,
        (str(organization_id), str(row_id)),
        meta=_of(organization_id),
        job_id=job_id,
        timeout=_ROW_JOBS[function][1],
        result_ttl=0,
        failure_ttl=_FAILED_GOES_S,
    )
    with _left_to_sweeper(job_id):
        _enqueue_once(queue, job)


def row_job(function: JobFunction, row_id: UUID) -> str:
    """The id of a job for a row."""
    return f"{_ROW_JOBS[function][0]}_{row_id}"


def enqueue_weather(source: str) -> None:
    """Queue a weather fetch, unless one was queued in the last hour or fetches are delayed."""
    if chartroom().redis.exists(_WEATHER_PUT_OFF):
        return
    queue = weather_queue()
    job = queue.create_job(
        JobFunction.FETCH_WEATHER,
        (source,),
        job_id=f"weather_{source}",
        timeout=_WEATHER_TIMEOUT_S,
        result_ttl=_WEATHER_EVERY_S,
        failure_ttl=_WEATHER_EVERY_S,
        description=f"weather from {source}",
    )
    _enqueue_once(queue, job)


def put_off_weather() -> int:
    """Count a failed fetch; return the delay until the next one [s]."""
    redis: Any = chartroom().redis  # its stubs promise an awaitable
    failures = int(redis.incr(_WEATHER_FAILURES))
    doubled: int = _WEATHER_EVERY_S << min(failures - 1, 8)
    seconds = min(doubled, _LONGEST_WEATHER_WAIT_S)
    redis.expire(_WEATHER_FAILURES, 2 * _LONGEST_WEATHER_WAIT_S)
    redis.set(_WEATHER_PUT_OFF, "", ex=seconds)
    return seconds


def forget_weather_failures() -> None:
    """Reset the count of failed fetches and the delay of the next one."""
    chartroom().redis.delete(_WEATHER_FAILURES, _WEATHER_PUT_OFF)


def enqueue_dispatch(organization_id: UUID) -> None:
    """Queue the dispatch of an organization's new events."""
    with _left_to_sweeper(f"events of {organization_id}"):
        webhook_queue().enqueue(
            JobFunction.DISPATCH_EVENTS,
            str(organization_id),
            meta=_of(organization_id),
            job_timeout=DELIVERY_TIMEOUT_S,
            result_ttl=0,
            failure_ttl=_KEEP_FAILURE_S,
            description=f"events of organization {organization_id}",
        )


def enqueue_delivery(
    organization_id: UUID, delivery_id: UUID, at: datetime, *, is_urgent: bool = True
) -> None:
    """Queue a delivery attempt for a time, now or later, unless it is queued already."""
    urgent, later = webhook_queues()
    queue = urgent if is_urgent else later
    job = queue.create_job(
        JobFunction.DELIVER_WEBHOOK,
        (str(organization_id), str(delivery_id)),
        meta=_of(organization_id),
        job_id=f"webhook_{delivery_id}_{at.timestamp():.0f}",
        timeout=DELIVERY_TIMEOUT_S,
        result_ttl=0,
        failure_ttl=DELIVERY_TIMEOUT_S,  # short, so that the sweeper can queue it again
        description=f"webhook delivery {delivery_id}",
    )
    with _left_to_sweeper(f"webhook delivery {delivery_id}"):
        if at > utc_now():
            # RQ drops parts of a second: the attempt would come before a receiver's Retry-After
            up = timedelta(microseconds=-at.microsecond % 1_000_000)
            queue.schedule_job(job, at + up, unique=True)
        else:
            _enqueue_once(queue, job)


def job_id_of(charting_id: UUID, revision: int) -> str:
    """The job id of a revision; equal ids prevent a second job in the queue."""
    return f"{charting_id}_{revision}"


def check() -> None:
    """Raise redis' own error when the queue is unreachable or takes no writes.

    Redis refuses a write that it has no memory, disk or replicas for, and this one changes nothing:
    the key never exists.
    """
    chartroom().redis.set(_NEVER_SET, "", xx=True)


def enqueue(
    organization_id: UUID, charting_id: UUID, revision: int, *, at_front: bool = False
) -> None:
    """Queue the planning of an organization's revision, unless it is queued already.

    An unreachable queue is no error here: the row is stored, and the sweeper
    queues it later.
    """
    with _left_to_sweeper(f"charting {charting_id}"):
        planning_queue().enqueue(
            JobFunction.OPTIMISE,
            str(charting_id),
            revision,
            job_id=job_id_of(charting_id, revision),
            unique=True,
            at_front=at_front,
            meta=_of(organization_id),
            job_timeout=chartroom().settings.job_timeout_s,
            retry=Retry(max=RETRIES),
            result_ttl=_KEEP_RESULT_S,
            failure_ttl=_KEEP_FAILURE_S,
            description=f"charting {charting_id}, revision {revision}",
        )


def _enqueue_once(queue: FairQueue, job: Job) -> None:
    """Queue a job, unless one of its id exists.

    One that a worker took from the queue and did not start before it ended is replaced: Redis keeps
    such a job for ever, as queued.
    """
    try:
        queue.enqueue_job(job, unique=True)
    except DuplicateJobError:
        if _is_lost(job.id):
            forget(job.id)
            with suppress(DuplicateJobError):
                queue.enqueue_job(job, unique=True)


def _is_lost(job_id: str) -> bool:
    """Return whether a job counts as queued, but neither stands in a queue nor is being started."""
    job = _find(job_id)
    return (
        job is not None and job.get_status() == JobStatus.QUEUED and not _waits_or_is_started(job)
    )


def is_alive(job_id: str, status: str) -> bool:
    """Return whether the job of a row is queued or, if the row is still QUEUED, being started."""
    job = _find(job_id)
    if job is None or status != ChartingStatus.QUEUED:
        return _stands_in_queue(job)
    return job.get_status() not in _ENDED and _waits_or_is_started(job)


def _waits_or_is_started(job: Job) -> bool:
    """Return whether a job is queued, or a worker that has taken it is about to start it."""
    # a worker registers its execution of a job some seconds before it starts it on a busy machine
    return bool(job.execution_registry.get_execution_ids()) or _stands_in_queue(job)


def _stands_in_queue(job: Job | None) -> bool:
    """Return whether a job is queued and not yet taken by a worker."""
    return job is not None and job.get_position() is not None


def withdraw(charting_id: UUID, revision: int) -> None:
    """Delete a cancelled revision's job, so that it does not delay others."""
    with _left_to_sweeper(f"cancelled charting {charting_id}"):
        forget(job_id_of(charting_id, revision))


def place_of(revision: ChartingRevision) -> int | None:
    """Position of a revision's job in the planning queue, from 1; ``None`` if it is not there."""
    if revision.status != ChartingStatus.QUEUED:
        return None
    try:
        job_id = job_id_of(revision.charting_id, revision.revision)
        position: Any = chartroom().redis.lpos(planning_queue().key, job_id)
    except RedisError:
        return None
    return None if position is None else position + 1


def forget(job_id: str) -> None:
    """Delete a job in any state."""
    job = _find(job_id)
    if job is None:
        return
    try:
        job.delete()
    except ValueError:
        # RQ reads each execution that its registry names, and one of them has expired
        chartroom().redis.delete(job.execution_registry.key)
        job.delete()


def _find(job_id: str) -> Job | None:
    try:
        return KnownJob.fetch(job_id, chartroom().redis, serializer=JSONSerializer)
    except NoSuchJobError:
        return None


def _of(organization_id: UUID) -> dict[str, str]:
    """Return a job's meta data: the organization for fair queuing, and the trace context."""
    return {"organization": str(organization_id)} | tracing.carrier()


@contextmanager
def _left_to_sweeper(what: str) -> Iterator[None]:
    """Suppress errors of a duplicate job or an unreachable queue: the row is stored."""
    try:
        yield
    except DuplicateJobError:
        return
    except RedisError as error:
        logger.warning("%s left to the sweeper: %s", what, error)
