"""The queues of planning, weather and webhooks: ids only, nothing that rows do not say better."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
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
    ChartingRevision,
    ChartingStatus,
    NoonImport,
    RunKind,
    VesselCalibration,
    utc_now,
)
from app.services.platform.fair_queue import (
    CALIBRATE_VESSEL,
    COMPARE_DEPARTURES,
    DELIVER_WEBHOOK,
    DISPATCH_EVENTS,
    FETCH_WEATHER,
    IMPORT_NOON_REPORTS,
    MAIL_ADVICE,
    MONITOR_VOYAGE,
    MONITORING,
    OPTIMISE,
    WATCH_VOYAGE,
    FairQueue,
    KnownJob,
)

logger = logging.getLogger(__name__)

PLANNING = "planning"
WEATHER = "weather"
WEBHOOKS = "webhooks"
WEBHOOKS_LATER = "webhooks-later"

#: How often a job is taken up again whose work-horse was killed under it.
RETRIES = 2

#: A fetch may take this long, and is not queued again before this time [s].
_WEATHER_TIMEOUT_S = 3600
_WEATHER_EVERY_S = 3600

#: After fetches that failed the next one waits twice as long each time, up to this [s].
_LONGEST_WEATHER_WAIT_S = 6 * 3600
_WEATHER_FAILURES = "chartroom:weather-failures"
_WEATHER_PUT_OFF = "chartroom:weather-put-off"

#: A look at a voyage may take this long [s].
_MONITORING_TIMEOUT_S = 120
#: A failed job of what is looked after goes so soon that the sweeper can queue it again [s].
_FAILED_GOES_S = 20
#: A worker's turn at what takes long may last this long; it ends by itself far sooner [s].
_TURN_TIMEOUT_S = 900

#: An attempt to deliver may take this long in all, whatever the receiver does [s].
DELIVERY_TIMEOUT_S = 30

#: How often what is kept no longer is looked for [s].
_RETIRE_EVERY_S = 3600

_KEEP_RESULT_S = 60
_KEEP_FAILURE_S = 24 * 3600

#: What a worker does for a row, by its kind.
FUNCTION_OF: Final[Mapping[RunKind, str]] = {
    VesselCalibration: CALIBRATE_VESSEL,
    NoonImport: IMPORT_NOON_REPORTS,
}

_ENDED = frozenset({JobStatus.FINISHED, JobStatus.FAILED, JobStatus.STOPPED, JobStatus.CANCELED})


def is_time_to_retire() -> bool:
    """Return whether nobody has looked within the hour for what is kept no longer."""
    name = "chartroom:retired"
    return bool(chartroom().redis.set(name, "", nx=True, ex=_RETIRE_EVERY_S))


def planning_queue() -> FairQueue:
    """The queue of plannings."""
    return FairQueue(PLANNING, chartroom().redis)


def weather_queue() -> FairQueue:
    """The queue of fetching weather; workers turn to it and to planning by turns."""
    return FairQueue(WEATHER, chartroom().redis)


def all_queues() -> list[FairQueue]:
    """All there are."""
    return [planning_queue(), weather_queue(), monitoring_queue(), *webhook_queues()]


def monitoring_queue() -> FairQueue:
    """The queue of voyages under way, of comparing departures and of runs for vessels."""
    return FairQueue(MONITORING, chartroom().redis)


def enqueue_monitoring(organization_id: UUID, charting_id: UUID) -> None:
    """Queue a look at a voyage, unless it is queued already."""
    _enqueue_voyage(MONITOR_VOYAGE, f"monitor_{charting_id}", organization_id, charting_id)


def enqueue_watch(organization_id: UUID, charting_id: UUID) -> None:
    """Queue a watch of a voyage, unless it is queued already."""
    _enqueue_voyage(WATCH_VOYAGE, f"watch_{charting_id}", organization_id, charting_id)


def _enqueue_voyage(function: str, job_id: str, organization_id: UUID, charting_id: UUID) -> None:
    what = f"voyage of charting {charting_id}"
    args = (organization_id, charting_id)
    _enqueue_once(monitoring_queue(), function, job_id, args, what, _MONITORING_TIMEOUT_S)


def enqueue_departures(organization_id: UUID, charting_id: UUID) -> None:
    """Queue the comparison of a charting's departures, unless it is queued already."""
    job_id, what = _departures_job(charting_id), f"departures of charting {charting_id}"
    args = (organization_id, charting_id)
    _enqueue_once(monitoring_queue(), COMPARE_DEPARTURES, job_id, args, what, _TURN_TIMEOUT_S)


def departures_wait(charting_id: UUID, *, may_be_taken: bool) -> bool:
    """Return whether a comparison's job stands in the queue, or is just being taken from it."""
    job_id = _departures_job(charting_id)
    return _is_waiting(job_id) if may_be_taken else _stands_in_queue(job_id)


def forget_departures(charting_id: UUID) -> None:
    """Take a comparison's job away, whatever became of it."""
    _forget(_departures_job(charting_id))


def _departures_job(charting_id: UUID) -> str:
    return f"departures_{charting_id}"


def enqueue_run(kind: RunKind, organization_id: UUID, run_id: UUID) -> None:
    """Queue what a row of this kind asks for, unless it is queued already."""
    job_id, what = _run_job(kind, run_id), f"{kind.__tablename__} {run_id}"
    args = (organization_id, run_id)
    _enqueue_once(monitoring_queue(), FUNCTION_OF[kind], job_id, args, what, _TURN_TIMEOUT_S)


def run_waits(kind: RunKind, run_id: UUID, *, may_be_taken: bool) -> bool:
    """Return whether a row's job stands in the queue, or is just being taken from it."""
    job_id = _run_job(kind, run_id)
    return _is_waiting(job_id) if may_be_taken else _stands_in_queue(job_id)


def forget_run(kind: RunKind, run_id: UUID) -> None:
    """Take a row's job away, whatever became of it."""
    _forget(_run_job(kind, run_id))


def _run_job(kind: RunKind, run_id: UUID) -> str:
    return f"{kind.__tablename__}_{run_id}"


def _enqueue_once(
    to: FairQueue, function: str, job_id: str, args: tuple[UUID, UUID], what: str, timeout_s: int
) -> None:
    """Queue a job of an organization and one of its rows, which says what is left to do."""
    with _left_to_sweeper(what):
        to.enqueue(
            function,
            *map(str, args),
            job_id=job_id,
            unique=True,
            meta=_of(args[0]),
            job_timeout=timeout_s,
            result_ttl=0,
            failure_ttl=_FAILED_GOES_S,
            description=what,
        )


def enqueue_weather(source: str) -> None:
    """Queue a fetch of the weather, unless one was queued within the last hour or put off."""
    if chartroom().redis.exists(_WEATHER_PUT_OFF):
        return
    with suppress(DuplicateJobError):
        weather_queue().enqueue(
            FETCH_WEATHER,
            source,
            job_id=f"weather_{source}",
            unique=True,
            job_timeout=_WEATHER_TIMEOUT_S,
            result_ttl=_WEATHER_EVERY_S,
            failure_ttl=_WEATHER_EVERY_S,
            description=f"weather from {source}",
        )


def put_off_weather() -> int:
    """Remember that a fetch failed; answers how long the next one waits [s]."""
    redis: Any = chartroom().redis  # its stubs promise an awaitable
    failures = int(redis.incr(_WEATHER_FAILURES))
    doubled: int = _WEATHER_EVERY_S << min(failures - 1, 8)
    seconds = min(doubled, _LONGEST_WEATHER_WAIT_S)
    redis.expire(_WEATHER_FAILURES, 2 * _LONGEST_WEATHER_WAIT_S)
    redis.set(_WEATHER_PUT_OFF, "", ex=seconds)
    return seconds


def forget_weather_failures() -> None:
    """Let the next fetch of the weather come as soon as any."""
    chartroom().redis.delete(_WEATHER_FAILURES, _WEATHER_PUT_OFF)


def webhook_queue() -> FairQueue:
    """The queue of webhooks, which has workers of its own: receivers may be slow."""
    return FairQueue(WEBHOOKS, chartroom().redis)


def webhook_queues() -> list[FairQueue]:
    """The queues of webhooks, the more urgent first.

    The second holds what may take long: deliveries to receivers that did not answer
    lately, and what was forgotten. It keeps nobody else's webhooks waiting.
    """
    return [webhook_queue(), FairQueue(WEBHOOKS_LATER, chartroom().redis)]


def enqueue_dispatch(organization_id: UUID) -> None:
    """Queue the dispatch of an organization's new events."""
    with _left_to_sweeper(f"events of {organization_id}"):
        webhook_queue().enqueue(
            DISPATCH_EVENTS,
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
    """Queue an attempt to deliver for a time, now or later, unless it is queued already."""
    urgent, later = webhook_queues()
    queue = urgent if is_urgent else later
    job = queue.create_job(
        DELIVER_WEBHOOK,
        (str(organization_id), str(delivery_id)),
        meta=_of(organization_id),
        job_id=f"webhook_{delivery_id}_{at.timestamp():.0f}",
        timeout=DELIVERY_TIMEOUT_S,
        result_ttl=0,
        failure_ttl=DELIVERY_TIMEOUT_S,  # soon gone, so that the sweeper can queue it again
        description=f"webhook delivery {delivery_id}",
    )
    with _left_to_sweeper(f"webhook delivery {delivery_id}"):
        if at > utc_now():
            queue.schedule_job(job, at, unique=True)
        else:
            queue.enqueue_job(job, unique=True)


def enqueue_advice_mail(organization_id: UUID, advice_id: UUID) -> None:
    """Queue the mail of an advice, unless it is queued already."""
    job_id, args = f"mail_{advice_id}", (organization_id, advice_id)
    what = f"mail of advice {advice_id}"
    _enqueue_once(webhook_queue(), MAIL_ADVICE, job_id, args, what, DELIVERY_TIMEOUT_S)


def job_id_of(charting_id: UUID, revision: int) -> str:
    """The one job of a revision; the name keeps it from being queued twice."""
    return f"{charting_id}_{revision}"


def check() -> None:
    """Raise redis' own error when the queue is away."""
    chartroom().redis.ping()


def enqueue(
    organization_id: UUID, charting_id: UUID, revision: int, *, at_front: bool = False
) -> None:
    """Queue the planning of an organization's revision, unless it is queued already.

    A queue that has just gone away is no error here: the row is stored, and the
    sweeper queues it.
    """
    with _left_to_sweeper(f"charting {charting_id}"):
        planning_queue().enqueue(
            OPTIMISE,
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


def is_waiting(charting_id: UUID, revision: int) -> bool:
    """Return whether a job of the revision stands in the queue, or is being taken from it."""
    return _is_waiting(job_id_of(charting_id, revision))


def stands_in_queue(charting_id: UUID, revision: int) -> bool:
    """Return whether a job of the revision stands in the queue, not yet taken from it."""
    return _stands_in_queue(job_id_of(charting_id, revision))


def _is_waiting(job_id: str) -> bool:
    job = _find(job_id)
    if job is None or job.get_status() in _ENDED:
        return False
    return job.get_status() == JobStatus.STARTED or job.get_position() is not None


def _stands_in_queue(job_id: str) -> bool:
    job = _find(job_id)
    return job is not None and job.get_position() is not None


def withdraw(charting_id: UUID, revision: int) -> None:
    """Take a cancelled revision's job away, so that it holds no place in the queue."""
    with _left_to_sweeper(f"cancelled charting {charting_id}"):
        forget(charting_id, revision)


def place_of(revision: ChartingRevision) -> int | None:
    """The place of a revision among all that wait, from 1; ``None`` when it does not wait."""
    if revision.status != ChartingStatus.QUEUED:
        return None
    try:
        job_id = job_id_of(revision.charting_id, revision.revision)
        position: Any = chartroom().redis.lpos(planning_queue().key, job_id)
    except RedisError:
        return None
    return None if position is None else position + 1


def forget(charting_id: UUID, revision: int) -> None:
    """Take a revision's job away, whatever became of it."""
    _forget(job_id_of(charting_id, revision))


def _forget(job_id: str) -> None:
    job = _find(job_id)
    if job is None:
        return
    try:
        job.delete()
    except ValueError:
        # RQ reads each execution that its registry names, and one of them has run out
        chartroom().redis.delete(job.execution_registry.key)
        job.delete()


def _find(job_id: str) -> Job | None:
    try:
        return KnownJob.fetch(job_id, chartroom().redis, serializer=JSONSerializer)
    except NoSuchJobError:
        return None


def _of(organization_id: UUID) -> dict[str, str]:
    """Return a job's owner, by which the queue takes turns, and the trace that it belongs to."""
    return {"organization": str(organization_id)} | tracing.carrier()


@contextmanager
def _left_to_sweeper(what: str) -> Iterator[None]:
    """Go on when a job is queued already, or the queue is away: the row is stored."""
    try:
        yield
    except DuplicateJobError:
        return
    except RedisError as error:
        logger.warning("%s left to the sweeper: %s", what, error)
