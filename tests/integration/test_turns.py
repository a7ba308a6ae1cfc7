"""Fair queuing between organizations, and refusal of unknown jobs."""

import os
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from flask import Flask
from redis import Redis
from rq import Queue
from rq.exceptions import DeserializationError
from rq.executions import Execution
from rq.job import Job
from rq.serializers import JSONSerializer

from app.jobs.worker import ChartroomWorker
from app.models import utc_now
from app.services.platform import queue
from app.services.platform.fair_queue import (
    FairQueue,
    JobFunction,
    KnownJob,
    NotOurs,
)

pytestmark = pytest.mark.usefixtures("context")


def order(organization: UUID, count: int) -> list[str]:
    """Queue so many orders of an organization; gives their jobs' names."""
    ids = [uuid4() for _ in range(count)]
    for charting_id in ids:
        queue.enqueue(organization, charting_id, 1)
    return [queue.job_id_of(each, 1) for each in ids]


def test_who_orders_one_route_waits_for_one_of_somebody_elses_hundred(redis: Redis) -> None:
    many = order(uuid4(), 100)
    (one,) = order(uuid4(), 1)
    assert queue.planning_queue().job_ids == [many[0], one, *many[1:]]


def test_organizations_are_planned_for_by_turns(redis: Redis) -> None:
    first, second, third = uuid4(), uuid4(), uuid4()
    a = order(first, 4)
    b = order(second, 2)
    c = order(third, 3)
    a += order(first, 1)
    expected = [a[0], b[0], c[0], a[1], b[1], c[1], a[2], c[2], a[3], a[4]]
    assert queue.planning_queue().job_ids == expected


def test_what_a_worker_died_over_goes_first_all_the_same(redis: Redis) -> None:
    waiting = order(uuid4(), 2)
    urgent = uuid4()
    queue.enqueue(uuid4(), urgent, 1, at_front=True)
    assert queue.planning_queue().job_ids == [queue.job_id_of(urgent, 1), *waiting]


def test_one_worker_of_several_is_left_to_orders(redis: Redis) -> None:
    for _ in range(3):
        queue.enqueue_row(JobFunction.WATCH_VOYAGE, uuid4(), uuid4())
    assert take(redis) is not None, "one worker alone does everything"
    redis.sadd("rq:workers:monitoring", "rq:worker:a", "rq:worker:b")
    watched = take(redis)
    assert watched is not None
    with redis.pipeline() as pipeline:
        Execution.create(watched, 60, pipeline)
        pipeline.execute()
    assert take(redis) is None, "another is at it"
    (ordered,) = order(uuid4(), 1)
    taken = take(redis)
    assert taken is not None
    assert taken.id == ordered


def take(redis: Redis) -> Job | None:
    """Take the next job as a worker does, without waiting."""
    queues = [queue.monitoring_queue(), queue.planning_queue()]
    taken = FairQueue.dequeue_any(
        queues, None, redis, job_class=KnownJob, serializer=JSONSerializer
    )
    return taken and taken[0]


def test_webhooks_are_delivered_by_turns(redis: Redis) -> None:
    busy, quiet = uuid4(), uuid4()
    for _ in range(5):
        queue.enqueue_delivery(busy, uuid4(), utc_now())
    delivery = uuid4()
    queue.enqueue_delivery(quiet, delivery, utc_now())
    assert str(delivery) in queue.webhook_queue().job_ids[1]


def test_a_delivery_is_never_attempted_before_its_time(redis: Redis) -> None:
    for microsecond in (0, 1, 650_000, 999_999):
        at = (utc_now() + timedelta(hours=1)).replace(microsecond=microsecond)
        delivery = uuid4()
        queue.enqueue_delivery(uuid4(), delivery, at)
        waiting = queue.webhook_queue().scheduled_job_registry
        (job,) = (id_ for id_ in waiting.get_job_ids() if str(delivery) in id_)
        assert at <= waiting.get_scheduled_time(job) < at + timedelta(seconds=1)


def test_a_job_is_stored_as_json_and_names_a_function_of_ours(redis: Redis) -> None:
    (name,) = order(uuid4(), 1)
    job = KnownJob.fetch(name, redis, serializer=JSONSerializer)
    assert (job.func_name, job.args[1]) == (JobFunction.OPTIMISE, 1)


@pytest.mark.parametrize("function", ["os.system", "subprocess.check_output", "app.cli.migrate"])
def test_a_job_that_names_another_function_is_not_run(redis: Redis, function: str) -> None:
    forged = Queue("planning", connection=redis, serializer=JSONSerializer)
    made = forged.enqueue(function, "true")
    job = KnownJob.fetch(made.id, redis, serializer=JSONSerializer)
    with pytest.raises(NotOurs):
        job.perform()


def test_a_pickled_job_is_not_unpickled(redis: Redis, tmp_path: object) -> None:
    class Attack:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (f"{tmp_path}/run",)

    made = Queue("planning", connection=redis).enqueue(JobFunction.DELIVER_WEBHOOK, Attack())
    job = KnownJob.fetch(made.id, redis, serializer=JSONSerializer)
    with pytest.raises(DeserializationError):
        job.perform()
    assert not os.path.exists(f"{tmp_path}/run")


def test_a_job_of_before_that_cannot_be_read_bars_nothing(redis: Redis) -> None:
    charting_id = uuid4()
    name = queue.job_id_of(charting_id, 1)
    Queue("planning", connection=redis).enqueue(
        JobFunction.OPTIMISE, "x", job_id=name, meta={"a": 1}
    )
    redis.delete("rq:queue:planning")
    queue.forget(name)
    queue.enqueue(uuid4(), charting_id, 1)
    assert queue.is_alive(name, "RUNNING")


def test_workers_serve_planning_weather_and_monitoring_by_turns(
    worker_app: Flask, redis: Redis
) -> None:
    worker = ChartroomWorker(worker_app)
    worker._dequeue_strategy = worker.strategy
    worker.reorder_queues(reference_queue=worker.queues[0])
    assert [each.name for each in worker._ordered_queues] == ["weather", "monitoring", "planning"]
