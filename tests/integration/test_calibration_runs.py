"""Calibration runs of workers: queued, polled, cancelled, lost and restarted."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import select, update

from app.engine.calibration import calibrating
from app.models import VesselCalibration, utc_now
from app.services.engine_mapping import build_registered_ship
from app.services.platform import queue, run_progress
from app.services.platform.sessions import organization_session
from app.services.upkeep import sweeper
from app.services.vessels import calibration_runs, vessels
from benchmarks.synthetic_reports import make_ship
from tests.integration.client import ApiClient
from tests.integration.test_workers import Workers, kill_all_of, workers
from tests.reported import as_telemetry
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("redis")

__all__ = ["workers"]


class Yard:
    """A planner who calibrates a vessel that has sailed, and the worker that fits."""

    def __init__(self, planner: ApiClient, worker: Flask) -> None:
        self.planner, self.worker = planner, worker
        self.organization_id = UUID(planner.get("/organization").get_json()["id"])
        self.vessel: str = planner.make_vessel()["id"]
        self.address = f"/vessel/{self.vessel}/calibrations"
        with worker.app_context(), organization_session(self.organization_id) as session:
            vessel = vessels.get(session, self.organization_id, self.vessel)
            ship = build_registered_ship(vessel)
        records = as_telemetry(make_ship(ship, 5, with_faults=False).reports)
        assert planner.post(f"/telemetry/{self.vessel}/batch", records).status_code == 200

    def order(self) -> str:
        """Order a calibration; answers its id."""
        answer = self.planner.post(self.address)
        assert answer.status_code == 202, answer.text
        id_: str = answer.get_json()["id"]
        return id_

    def fit(self, calibration_id: str) -> None:
        """Fit as a worker does that has taken the job."""
        with self.worker.app_context():
            calibration_runs.run(self.organization_id, UUID(calibration_id))

    def read(self, calibration_id: str) -> Any:
        answer = self.planner.get(f"{self.address}/{calibration_id}")
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    def cancel(self, calibration_id: str) -> Any:
        return self.planner.post(f"{self.address}/{calibration_id}/cancel")

    def change(self, **values: Any) -> None:
        """Change all calibrations behind the service's back."""
        with self.worker.app_context(), organization_session(self.organization_id) as session:
            session.execute(update(VesselCalibration).values(**values))

    def make_older(self) -> None:
        """Let a calibration have waited, and its worker been silent, for a minute."""
        ago = utc_now() - timedelta(minutes=1)
        self.change(created_at=ago, heartbeat_at=ago)

    def count_queued(self) -> int:
        with self.worker.app_context():
            return queue.monitoring_queue().count

    def sweep(self) -> None:
        """Sweep after the queue was lost."""
        with self.worker.app_context():
            queue.monitoring_queue().empty()
            sweeper.sweep()


@pytest.fixture
def yard(planner: ApiClient, worker_app: Flask) -> Yard:
    return Yard(planner, worker_app)


@pytest.fixture
def amid_fit(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    """Does something once, in the middle of the next fit."""

    def arrange(act: Callable[[], Any]) -> None:
        def calibrate(*arguments: Any, on_progress: Any, **options: Any) -> Any:
            reported: list[str] = []

            def report(fraction: float, stage: str) -> None:
                on_progress(fraction, stage)
                reported.append(stage)
                if len(reported) == 10:
                    act()

            return calibrating.calibrate(*arguments, on_progress=report, **options)

        monkeypatch.setattr(run_progress, "WRITE_EVERY_S", 0.0)
        monkeypatch.setattr(run_progress, "STAGE_EVERY_S", 0.0)
        monkeypatch.setattr(calibration_runs, "calibrate", calibrate)

    return arrange


def test_a_calibration_is_queued_and_found_fitted(yard: Yard) -> None:
    answer = yard.planner.post(yard.address)
    assert answer.status_code == 202
    queued = answer.get_json()
    assert answer.headers["Location"] == f"/v1{yard.address}/{queued['id']}"
    assert (queued["status"], queued["number"], queued["progress"]) == ("QUEUED", 1, 0.0)
    assert (queued["failure"], queued["finishedAt"], queued["estimates"]) == (None, None, None)
    assert yard.count_queued() == 1
    yard.fit(queued["id"])
    fitted = yard.read(queued["id"])
    assert (fitted["status"], fitted["progress"], fitted["stage"]) == ("PROPOSED", 1.0, None)
    assert fitted["used"] > 100
    assert fitted["finishedAt"] > fitted["createdAt"]
    listed = yard.planner.get(yard.address).get_json()["items"]
    assert [each["status"] for each in listed] == ["PROPOSED"]


def test_a_running_calibration_shows_its_progress(
    yard: Yard, amid_fit: Callable[[Callable[[], Any]], None]
) -> None:
    id_ = yard.order()
    seen: list[Any] = []
    amid_fit(lambda: seen.append(yard.read(id_)))
    yard.fit(id_)
    assert seen[0]["status"] == "RUNNING"
    assert 0.0 < seen[0]["progress"] < 1.0
    assert seen[0]["stage"] in ("Checking reports", "Fitting the earlier reports")


def test_a_vessel_is_calibrated_once_at_a_time(yard: Yard) -> None:
    first = yard.order()
    refused = yard.planner.post(yard.address)
    assert refused.status_code == 409
    assert "Another calibration for this vessel is queued" in refused.get_json()["detail"]
    assert yard.cancel(first).status_code == 200
    assert yard.read(yard.order())["number"] == 2


def test_a_calibration_is_its_owner_s_and_a_viewer_only_reads_it(
    yard: Yard, viewer: ApiClient, stranger: ApiClient
) -> None:
    assert viewer.post(yard.address).status_code == 403
    assert stranger.post(yard.address).status_code == 404
    id_ = yard.order()
    one = f"{yard.address}/{id_}"
    assert viewer.get(one).status_code == 200
    assert viewer.post(f"{one}/cancel").status_code == 403
    assert stranger.get(one).status_code == 404
    assert stranger.post(f"{one}/cancel").status_code == 404
    assert yard.read(id_)["status"] == "QUEUED"


def test_a_calibration_that_waits_is_cancelled_at_once(yard: Yard) -> None:
    id_ = yard.order()
    assert yard.cancel(id_).get_json()["status"] == "CANCELLED"
    assert yard.cancel(id_).status_code == 409
    yard.fit(id_)
    cancelled = yard.read(id_)
    assert (cancelled["status"], cancelled["progress"]) == ("CANCELLED", 0.0)


def test_a_calibration_is_cancelled_while_it_is_fitted(
    yard: Yard, amid_fit: Callable[[Callable[[], Any]], None]
) -> None:
    id_ = yard.order()
    seen: list[Any] = []
    amid_fit(lambda: seen.append(yard.cancel(id_).get_json()))
    yard.fit(id_)
    assert [each["status"] for each in seen] == ["RUNNING"]
    cancelled = yard.read(id_)
    assert (cancelled["status"], cancelled["estimates"]) == ("CANCELLED", None)
    assert cancelled["progress"] < 1.0


def test_a_calibration_that_never_reached_the_queue_is_queued_again(yard: Yard) -> None:
    id_ = yard.order()
    yard.make_older()
    yard.sweep()
    assert yard.count_queued() == 1
    yard.fit(id_)
    assert yard.read(id_)["status"] == "PROPOSED"


class Killed(BaseException):
    """A worker that is killed."""


def test_a_calibration_whose_worker_died_is_queued_again_and_fitted(
    yard: Yard, amid_fit: Callable[[Callable[[], Any]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = yard.order()

    def die() -> None:
        raise Killed

    amid_fit(die)
    with pytest.raises(Killed):
        yard.fit(id_)
    monkeypatch.undo()
    assert yard.read(id_)["status"] == "RUNNING"
    yard.sweep()
    assert yard.count_queued() == 0  # its heartbeat is fresh
    yard.make_older()
    yard.sweep()
    assert yard.count_queued() == 1
    yard.fit(id_)
    assert yard.read(id_)["status"] == "PROPOSED"


def test_a_worker_that_was_given_up_writes_nothing(
    yard: Yard, amid_fit: Callable[[Callable[[], Any]], None]
) -> None:
    id_ = yard.order()
    amid_fit(lambda: yard.change(attempt=2, stage="Another's"))
    yard.fit(id_)
    kept = yard.read(id_)
    assert (kept["status"], kept["stage"], kept["estimates"]) == ("RUNNING", "Another's", None)


def test_a_calibration_whose_workers_die_each_time_fails(yard: Yard) -> None:
    id_ = yard.order()
    yard.change(attempt=3)
    yard.fit(id_)
    failed = yard.read(id_)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INTERNAL")
    assert "its worker died each time" in failed["failure"]["detail"]


def test_an_unexpected_error_fails_the_calibration_and_names_no_figures(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(calibration_runs, "calibrate", fail)
    id_ = yard.order()
    yard.fit(id_)
    failed = yard.read(id_)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INTERNAL")
    assert failed["records"] is None


@pytest.mark.atlas
@pytest.mark.usefixtures("atlas")
@pytest.mark.timeout(900)
def test_a_killed_worker_s_calibration_is_fitted_by_another(yard: Yard, workers: Workers) -> None:
    id_ = yard.order()
    workers.start(1)
    wait_until(lambda: yard.read(id_)["stage"] == "Taking its time", "running fit")
    kill_all_of(workers.busy())
    workers.let_go_on()
    workers.start(1)
    wait_until(lambda: yard.read(id_)["status"] == "PROPOSED", "end of the fit")
    with yard.worker.app_context(), organization_session(yard.organization_id) as session:
        assert session.scalar(select(VesselCalibration.attempt)) == 2
