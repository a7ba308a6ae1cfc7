"""Fair queues: organizations take turns, and only known functions run.

The n-th waiting job of an organization runs after at most n jobs of each other organization: an
organization that queues a hundred routes delays the others by one route. Jobs are JSON and name
one of a few functions, so write access to Redis does not allow running code.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from rq import Queue, worker_registration
from rq.job import Job
from rq.serializers import JSONSerializer

#: Name of the queue of all work other than planning, weather and webhooks.
MONITORING: Final = "monitoring"


class JobFunction(StrEnum):
    """Functions that jobs may run, by path, so that web processes need not import the work."""

    OPTIMISE = "app.jobs.optimise_charting"
    FETCH_WEATHER = "app.jobs.fetch_weather"
    MONITOR_VOYAGE = "app.jobs.monitor_voyage"
    WATCH_VOYAGE = "app.jobs.watch_voyage"
    COMPARE_DEPARTURES = "app.jobs.compare_departures"
    CALIBRATE_VESSEL = "app.jobs.calibrate_vessel"
    IMPORT_NOON_REPORTS = "app.jobs.import_noon_reports"
    DISPATCH_EVENTS = "app.jobs.dispatch_events"
    DELIVER_WEBHOOK = "app.jobs.deliver_webhook"
    MAIL_ADVICE = "app.jobs.mail_advice"


#: Lua script that moves a job from the queue's end to its organization's next turn. The round of
#: a waiting job is its number among its organization's jobs; the moved job goes before the first
#: job of a later round.
_TAKE_TURN: Final = """
local queue, job, prefix = KEYS[1], ARGV[1], ARGV[2]
local function owner(id)
    local meta = redis.call('HGET', prefix .. id, 'meta')
    local is_read, read = pcall(cjson.decode, meta or '')
    return is_read and type(read) == 'table' and read.organization or id
end
if redis.call('LREM', queue, -1, job) == 0 then
    return 0
end
local mine, waiting, round, seen = owner(job), redis.call('LRANGE', queue, 0, -1), 1, {}
local owners = {}
for place, id in ipairs(waiting) do
    owners[place] = owner(id)
    if owners[place] == mine then round = round + 1 end
end
local own_before = 0
for place, id in ipairs(waiting) do
    local its = owners[place]
    seen[its] = (seen[its] or 0) + 1
    if its == mine then own_before = own_before + 1 end
    if its ~= mine and seen[its] > round and own_before == round - 1 then
        redis.call('LINSERT', queue, 'BEFORE', id, job)
        return place
    end
end
return redis.call('RPUSH', queue, job)
"""


class NotOurs(Exception):
    """A job names a function that is not a :class:`JobFunction`."""


class KnownJob(Job):
    """A job that runs a :class:`JobFunction`."""

    @property
    def func(self) -> Any:
        """The function to run; raises :class:`NotOurs`."""
        if self.func_name not in set(JobFunction) or self.instance is not None:
            raise NotOurs(f"{self.func_name} is not a job of this service")
        return super().func

    @property
    def success_callback(self) -> None:
        """``None``: jobs have no callbacks, and a stored callback name must not be imported."""

    @property
    def failure_callback(self) -> None:
        """``None``, as above."""

    @property
    def stopped_callback(self) -> None:
        """``None``, as above."""


def _leaves_a_worker(of: Queue) -> bool:
    """Return whether a queue may use one more worker; if there are several, one stays free."""
    workers = len(worker_registration.get_keys(of))
    busy: int = of.started_job_registry.get_job_count(cleanup=False)
    return workers < 2 or busy < workers - 1


class FairQueue(Queue):
    """A queue in which the organizations named in the jobs' ``meta`` take turns."""

    def __init__(self, name: str, connection: Any, **options: Any) -> None:
        given = {"serializer": JSONSerializer, "job_class": KnownJob}
        super().__init__(name, connection=connection, **{**options, **given})

    @classmethod
    def dequeue_any(
        cls, queues: Iterable[Queue], timeout: int | None, *given: Any, **options: Any
    ) -> tuple[Job, Queue] | None:
        """Take the next job of the queues; one of several workers stays free for planning."""
        open_ones = [each for each in queues if each.name != MONITORING or _leaves_a_worker(each)]
        return super().dequeue_any(open_ones, timeout, *given, **options)

    def _enqueue_async_job(
        self, job: Job, pipeline: Any = None, at_front: bool = False, unique: bool = False
    ) -> Job:
        queued = super()._enqueue_async_job(job, pipeline, at_front=at_front, unique=unique)
        if pipeline is None and not at_front:
            prefix = Job.redis_job_namespace_prefix
            self.connection.eval(_TAKE_TURN, 1, self.key, job.id, prefix)
        return queued
