"""Jobs lost between row and queue are queued again."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask
from redis import Redis
from redis.exceptions import ConnectionError as RedisAway
from rq import Worker
from rq.executions import Execution
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer
from sqlalchemy import select, update
from sqlalchemy.exc import ProgrammingError

from app import create_app
from app.config import Settings
from app.engine.errors import NoRoute
from app.jobs.worker import ChartroomWorker
from app.models import ChartingRevision, Event, utc_now
from app.models import base as models_base
from app.services.areas import charts
from app.services.chartings import charting_runs
from app.services.platform import metrics, queue, run_progress
from app.services.platform.fair_queue import JobFunction, KnownJob
from app.services.platform.sessions import organization_session
from app.services.sea import sea
from app.services.upkeep.sweeper import sweep
from tests.integration.client import CHARTING, ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "context")]


def set_row(organization_id: UUID, charting_id: str, **values: object) -> None:
    with organization_session(organization_id) as session:
        session.execute(
            update(ChartingRevision)
            .where(ChartingRevision.charting_id == UUID(charting_id))
            .values(**values)
        )


def make_old(organization_id: UUID, charting_id: str) -> None:
    set_row(organization_id, charting_id, queued_at=utc_now() - timedelta(minutes=1))


def is_queued(charting_id: str) -> bool:
    return queue.is_alive(queue.job_id_of(UUID(charting_id), 1), "RUNNING")


def test_a_charting_whose_job_was_lost_is_queued_again(
    planner: ApiClient, organization_id: UUID, redis: Redis
) -> None:
    charting_id = planner.order()["id"]
    make_old(organization_id, charting_id)
    redis.flushdb()
    assert sweep() == 1
    assert is_queued(charting_id)
    assert sweep() == 0


def test_a_young_or_waiting_charting_is_left_alone(
    planner: ApiClient, organization_id: UUID, redis: Redis
) -> None:
    waiting = planner.order()["id"]
    make_old(organization_id, waiting)
    planner.order()
    assert sweep() == 0
    assert queue.planning_queue().count == 2


def test_a_running_charting_is_taken_up_when_its_heartbeat_stops(
    planner: ApiClient, organization_id: UUID, redis: Redis
) -> None:
    charting_id = planner.order()["id"]
    redis.flushdb()
    set_row(organization_id, charting_id, status="RUNNING", attempt=1, heartbeat_at=utc_now())
    assert sweep() == 0
    stopped = utc_now() - timedelta(seconds=40)
    set_row(organization_id, charting_id, heartbeat_at=stopped)
    assert sweep() == 1
    assert is_queued(charting_id)


@pytest.fixture
def jump(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Lets this machine's clock jump; the database's goes on as it was."""

    def shift(by: timedelta) -> None:
        class Jumped(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:
                return datetime.now(tz) + by

        monkeypatch.setattr(models_base, "datetime", Jumped)

    return shift


@pytest.mark.parametrize("by", [timedelta(hours=-1), timedelta(hours=1)])
def test_a_worker_whose_clock_jumps_is_not_taken_for_dead(
    planner: ApiClient,
    organization_id: UUID,
    worker_app: Flask,
    redis: Redis,
    jump: Callable[[timedelta], None],
    monkeypatch: pytest.MonkeyPatch,
    by: timedelta,
) -> None:
    charting_id = planner.order()["id"]
    redis.flushdb()
    swept = []

    def plan_voyage(*given: Any, **options: Any) -> Any:
        jump(by)
        with worker_app.app_context():
            key = {"charting_id": charting_id, "revision": 1}
            run_progress.note_alive(ChartingRevision, organization_id, key)
            swept.append(sweep())
            monkeypatch.undo()
            swept.append(sweep())
        return planner_of_voyages(*given, **options)

    planner_of_voyages = charting_runs.plan_voyage
    monkeypatch.setattr(charting_runs, "plan_voyage", plan_voyage)
    with worker_app.app_context():
        charting_runs.run(UUID(charting_id), 1)
    assert swept == [0, 0]
    assert planner.get(f"/charting/{charting_id}").get_json()["status"] == "COMPLETED"


def test_an_order_of_a_clock_far_ahead_is_queued_again_when_its_job_was_lost(
    planner: ApiClient, redis: Redis, jump: Callable[[timedelta], None]
) -> None:
    jump(timedelta(hours=1))
    charting_id = planner.order()["id"]
    redis.flushdb()
    assert sweep() == 1
    assert is_queued(charting_id)


def test_a_charting_that_a_worker_died_over_does_not_wait_its_turn_again(
    planner: ApiClient, organization_id: UUID, redis: Redis
) -> None:
    charting_id = planner.order()["id"]
    redis.flushdb()
    stopped = utc_now() - timedelta(seconds=40)
    set_row(organization_id, charting_id, status="RUNNING", attempt=1, heartbeat_at=stopped)
    planner.order()
    assert sweep() == 1
    assert queue.planning_queue().job_ids[0] == queue.job_id_of(UUID(charting_id), 1)


def test_a_charting_whose_worker_dies_each_time_fails_and_is_counted(
    planner: ApiClient,
    organization_id: UUID,
    plan: Callable[[str], None],
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    charting_id = planner.order()["id"]
    now = utc_now()
    set_row(
        organization_id, charting_id, status="RUNNING", attempt=3, started_at=now, heartbeat_at=now
    )
    counted: list[str] = []
    monkeypatch.setattr(metrics, "count_planning", lambda status, _seconds: counted.append(status))
    plan(charting_id)
    failed = planner.get(f"/charting/{charting_id}").get_json()
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INTERNAL")
    assert counted == ["FAILED"]


def test_an_order_is_refused_and_not_stored_while_the_queue_is_away(
    planner: ApiClient, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    vessel_id = planner.make_vessel()["id"]

    def be_away() -> None:
        raise RedisAway("gone")

    monkeypatch.setattr(queue, "check", be_away)
    refused = planner.post("/charting", CHARTING | {"vesselId": vessel_id})
    assert refused.status_code == 503
    assert refused.headers["Retry-After"]
    assert planner.get("/charting").get_json()["total"] == 0


def test_an_order_is_kept_when_the_queue_goes_away_at_the_last_moment(
    planner: ApiClient, organization_id: UUID, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def be_away(*_arguments: object, **_options: object) -> None:
        raise RedisAway("gone")

    with monkeypatch.context() as patch:
        patch.setattr("rq.Queue.enqueue", be_away)
        charting_id = planner.order()["id"]
    make_old(organization_id, charting_id)
    assert sweep() == 1


def test_events_show_what_became_of_a_charting(
    context: Flask,
    planner: ApiClient,
    organization_id: UUID,
    plan: Callable[[str], None],
    redis: Redis,
) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    with organization_session(organization_id) as session:
        kinds = list(session.scalars(select(Event.kind).order_by(Event.sequence)))
    assert kinds == ["charting.started", "charting.completed"]


def test_a_charting_whose_job_a_worker_has_taken_but_not_started_is_left_alone(
    planner: ApiClient, organization_id: UUID, redis: Redis
) -> None:
    charting_id = planner.order()["id"]
    make_old(organization_id, charting_id)
    job = take_up(charting_id, redis)
    assert sweep() == 0
    redis.delete(job.execution_registry.key)  # as at its end, if the worker has died
    assert sweep() == 1
    assert is_queued(charting_id)


def test_a_planning_whose_execution_has_run_out_is_taken_up_all_the_same(
    planner: ApiClient, organization_id: UUID, redis: Redis
) -> None:
    charting_id = planner.order()["id"]
    job = take_up(charting_id, redis)
    redis.delete(*redis.keys(f"rq:execution:{job.id}:*"))
    an_hour_ago = utc_now() - timedelta(hours=1)
    set_row(organization_id, charting_id, status="RUNNING", heartbeat_at=an_hour_ago)
    assert sweep() == 1
    assert is_queued(charting_id)


def test_no_error_of_bookkeeping_ends_a_worker(
    app: Flask, redis: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError("Execution 1 not found in Redis")

    worker = ChartroomWorker(app)
    monkeypatch.setattr(Worker, "run_maintenance_tasks", fail)
    monkeypatch.setattr(worker, "list_sweeps", lambda: [fail])
    worker.run_maintenance_tasks()
    charting_id, organization = uuid4(), uuid4()
    queue.enqueue(organization, charting_id, 1)
    job = take_up(str(charting_id), redis)
    monkeypatch.setattr(Worker, "monitor_work_horse", fail)
    worker.monitor_work_horse(job, queue.planning_queue())
    failed = [record.args for record in caplog.records if "failed" in record.msg]
    assert failed == [("maintenance",), ("a sweep",), (f"the end of job {job.id}",)]


def take_up(charting_id: str, redis: Redis) -> Job:
    """Take a job from the queue as a worker does that is about to begin it."""
    job = KnownJob.fetch(queue.job_id_of(UUID(charting_id), 1), redis, serializer=JSONSerializer)
    with redis.pipeline() as pipeline:
        Execution.create(job, ttl=60, pipeline=pipeline)
        pipeline.lrem(queue.planning_queue().key, 1, job.id)
        pipeline.execute()
    return job


def test_an_order_whose_inputs_cannot_be_loaded_fails_and_does_not_wait_for_ever(
    planner: ApiClient, plan: Callable[[str], None], redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise PermissionError("a file of root's")

    charting_id = planner.order()["id"]
    monkeypatch.setattr(charting_runs, "build_present_request", fail)
    plan(charting_id)
    failed = planner.get(f"/charting/{charting_id}").get_json()
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INTERNAL")
    assert "Planning failed" in failed["failure"]["detail"]


def test_an_order_fails_by_the_name_of_a_chart_that_cannot_be_read(
    planner: ApiClient,
    plan: Callable[[str], None],
    redis: Redis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "US5TEST.json").write_text("{}")
    monkeypatch.setattr(charts, "charts_dir", lambda: tmp_path)
    charting_id = planner.order()["id"]
    plan(charting_id)
    failed = planner.get(f"/charting/{charting_id}").get_json()
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "DATA_MISSING")
    assert "chart US5TEST cannot be read" in failed["failure"]["detail"]


class OwnAtlas:
    """A copy of the atlas with a file that can be cut, and put back."""

    def __init__(self, atlas: Path, files: Path) -> None:
        shutil.copytree(atlas.resolve(), files, copy_function=os.symlink)
        self.files, self.harmed = files, files / "gates.npy"
        self.harmed.unlink()
        shutil.copy(atlas / "gates.npy", self.harmed)
        self.whole = self.harmed.read_bytes()

    def cut(self) -> None:
        os.truncate(self.harmed, len(self.whole) // 2)

    def put_back(self) -> None:
        with self.harmed.open("r+b") as file:
            file.write(self.whole)


@pytest.fixture
def own_atlas(atlas: Path, tmp_path: Path) -> OwnAtlas:
    return OwnAtlas(atlas, tmp_path / "atlas")


@pytest.fixture
def worker_app(settings: Settings, own_atlas: OwnAtlas, context: Flask) -> Iterator[Flask]:
    app = create_app(replace(settings, process_role="worker", atlas_dir=own_atlas.files))
    with app.app_context():
        yield app
    app.extensions["chartroom"].close()


@pytest.mark.usefixtures("worker_app")
def test_an_order_waits_while_the_atlas_is_cut_and_is_no_worse_for_it(
    planner: ApiClient, own_atlas: OwnAtlas
) -> None:
    order = planner.order()["id"]
    for was_open in (False, True):
        if was_open:
            sea.open_atlas()
        own_atlas.cut()
        with pytest.raises(sea.AtlasDamaged):
            charting_runs.run(UUID(order), 1)
        assert planner.get(f"/charting/{order}").get_json()["status"] == "QUEUED"
        own_atlas.put_back()
    charting_runs.run(UUID(order), 1)
    assert planner.get(f"/charting/{order}").get_json()["status"] == "COMPLETED"


@pytest.mark.usefixtures("worker_app")
def test_an_order_does_not_fail_if_the_atlas_is_cut_once_its_planning_has_begun(
    planner: ApiClient, own_atlas: OwnAtlas, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_in = {"before it is opened": "build_present_request", "meanwhile": "plan_voyage"}
    for function in cut_in.values():
        order = planner.order()["id"]
        with monkeypatch.context() as patch:
            patch.setattr(charting_runs, function, cutting(own_atlas, function))
            with pytest.raises(sea.AtlasDamaged):
                charting_runs.run(UUID(order), 1)
        assert planner.get(f"/charting/{order}").get_json()["status"] == "RUNNING"
        own_atlas.put_back()
        charting_runs.run(UUID(order), 1)
        assert planner.get(f"/charting/{order}").get_json()["status"] == "COMPLETED"


def cutting(own_atlas: OwnAtlas, name: str) -> Callable[..., Any]:
    """The function, after which the atlas is cut; the engine then meets an error of its own."""
    function = getattr(charting_runs, name)

    def cut(*arguments: Any, **named: Any) -> Any:
        own_atlas.cut()
        if name == "plan_voyage":
            raise NoRoute("No water joins the two ends.")
        return function(*arguments, **named)

    return cut


@pytest.mark.parametrize(
    "enqueue",
    [
        lambda owner, row: queue.enqueue_row(JobFunction.MONITOR_VOYAGE, owner, row),
        lambda owner, row: queue.enqueue_delivery(owner, row, datetime(2026, 1, 1, tzinfo=UTC)),
        lambda _owner, _row: queue.enqueue_weather("gfs"),
    ],
    ids=["row", "delivery", "weather"],
)
def test_a_job_that_a_worker_took_and_did_not_start_is_queued_again(
    redis: Redis, enqueue: Callable[[UUID, UUID], None]
) -> None:
    owner, row = uuid4(), uuid4()
    enqueue(owner, row)
    (waiting,) = [each for each in queue.all_queues() if each.count]
    enqueue(owner, row)
    assert waiting.count == 1
    redis.lpop(waiting.key)
    enqueue(owner, row)
    assert waiting.count == 1


def test_a_fetch_of_weather_that_has_ended_is_not_queued_again_within_the_hour(
    redis: Redis,
) -> None:
    queue.enqueue_weather("gfs")
    (job,) = queue.weather_queue().jobs
    redis.lpop(queue.weather_queue().key)
    job.set_status(JobStatus.FINISHED)
    queue.enqueue_weather("gfs")
    assert queue.weather_queue().count == 0


def test_a_step_of_a_sweep_that_fails_leaves_the_others(
    app: Flask, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ProgrammingError("SELECT 1", {}, Exception())

    worker, done = ChartroomWorker(app), []
    monkeypatch.setattr(worker, "list_sweeps", lambda: [fail, lambda: done.append(1)])
    worker.run_maintenance_tasks()
    assert done == [1]
