"""Queues that take turns between organizations, of jobs that can be nothing but our own.

A job stands in its queue behind as many of every other organization's as it has of its own before
it: whoever orders a hundred routes makes nobody else wait for more than one. Jobs are JSON and name
one of a few functions, so that writing to Redis is not running code.
"""

from collections.abc import Iterable
from typing import Any, Final

from rq import Queue, worker_registration
from rq.job import Job
from rq.serializers import JSONSerializer

#: The queue of work other than orders.
MONITORING: Final = "monitoring"

OPTIMISE: Final = "app.jobs.optimise_charting"
FETCH_WEATHER: Final = "app.jobs.fetch_weather"
MONITOR_VOYAGE: Final = "app.jobs.monitor_voyage"
WATCH_VOYAGE: Final = "app.jobs.watch_voyage"
COMPARE_DEPARTURES: Final = "app.jobs.compare_departures"
CALIBRATE_VESSEL: Final = "app.jobs.calibrate_vessel"
IMPORT_NOON_REPORTS: Final = "app.jobs.import_noon_reports"
DISPATCH_EVENTS: Final = "app.jobs.dispatch_events"
DELIVER_WEBHOOK: Final = "app.jobs.deliver_webhook"
MAIL_ADVICE: Final = "app.jobs.mail_advice"
#: A job is named by its path, so that web processes need not import the work.
FUNCTIONS: Final = frozenset(
    {
        OPTIMISE,
        FETCH_WEATHER,
        MONITOR_VOYAGE,
        WATCH_VOYAGE,
        COMPARE_DEPARTURES,
        CALIBRATE_VESSEL,
        IMPORT_NOON_REPORTS,
        DISPATCH_EVENTS,
        DELIVER_WEBHOOK,
        MAIL_ADVICE,
    }
)

#: Moves a job from the queue's end to its organization's next turn. A waiting job's round is its
#: place among those of its organization; the job goes before the first of a later round.
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
    """A job that names something else than our own work."""


class KnownJob(Job):
    """A job that runs one of :data:`FUNCTIONS`."""

    @property
    def func(self) -> Any:
        """The function to run; raises :class:`NotOurs`."""
        if self.func_name not in FUNCTIONS or self.instance is not None:
            raise NotOurs(f"{self.func_name} is not a job of this service")
        return super().func

    @property
    def success_callback(self) -> None:
        """None: our jobs have no callbacks, and a stored name of one is not imported."""

    @property
    def failure_callback(self) -> None:
        """None, as above."""

    @property
    def stopped_callback(self) -> None:
        """None, as above."""


def _leaves_a_worker(of: Queue) -> bool:
    """Return whether a queue may take one more worker: of several, one stays free."""
    workers = len(worker_registration.get_keys(of))
    busy: int = of.started_job_registry.get_job_count(cleanup=False)
    return workers < 2 or busy < workers - 1


class FairQueue(Queue):
    """A queue whose jobs are dealt round to the organizations in their ``meta``."""

    def __init__(self, name: str, connection: Any, **options: Any) -> None:
        given = {"serializer": JSONSerializer, "job_class": KnownJob}
        super().__init__(name, connection=connection, **{**options, **given})

    @classmethod
    def dequeue_any(
        cls, queues: Iterable[Queue], timeout: int | None, *given: Any, **options: Any
    ) -> tuple[Job, Queue] | None:
        """Take the next job of some queues; of several workers one is always left to orders."""
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
