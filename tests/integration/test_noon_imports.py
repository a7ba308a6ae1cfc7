"""Imports of noon report files by workers: queued, polled, cancelled, lost and restarted."""

import io
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import select, update
from werkzeug.test import TestResponse

from app.models import ChartingStatus, NoonImport, utc_now
from app.services.platform import queue, run_progress
from app.services.platform.sessions import organization_session
from app.services.upkeep import sweeper
from app.services.vessels import noon_imports, noon_reports
from tests.integration.client import ApiClient
from tests.integration.test_noon_reports import a_file, good

pytestmark = pytest.mark.usefixtures("redis")

FILE = a_file(*(good(day) for day in range(1, 29)))


class Office:
    """A planner who imports noon reports, and the worker that reads them."""

    def __init__(self, planner: ApiClient, worker: Flask) -> None:
        self.planner, self.worker = planner, worker
        self.organization_id = UUID(planner.get("/organization").get_json()["id"])
        self.path = f"/vessel/{planner.make_vessel()['id']}/noon-reports"

    def send(self, content: bytes = FILE, *, keep: bool = False, **said: Any) -> TestResponse:
        data = {"file": (io.BytesIO(content), "noon.csv"), "request": json.dumps(said)}
        path = f"/v1{self.path}?keepGoodRows={str(keep).lower()}"
        headers = {"X-API-Key": self.planner.key, "Prefer": "respond-async, wait=1"}
        return self.planner.http.post(path, data=data, headers=headers)

    def order(self, content: bytes = FILE, *, keep: bool = False, **said: Any) -> str:
        """Order an import; answers its id."""
        answer = self.send(content, keep=keep, **said)
        assert answer.status_code == 202, answer.text
        id_: str = answer.get_json()["id"]
        assert answer.headers["Location"] == f"/v1{self.path}/imports/{id_}"
        return id_

    def carry_out(self, import_id: str) -> Any:
        """Import as a worker does that has taken the job; answers the import."""
        with self.worker.app_context():
            noon_imports.run(self.organization_id, UUID(import_id))
        return self.read(import_id)

    def read(self, import_id: str) -> Any:
        answer = self.planner.get(f"{self.path}/imports/{import_id}")
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    def cancel(self, import_id: str) -> TestResponse:
        return self.planner.post(f"{self.path}/imports/{import_id}/cancel")

    def count_stored(self) -> int:
        return int(self.planner.get(self.path).get_json()["total"])

    def change(self, **values: Any) -> None:
        with self.worker.app_context(), organization_session(self.organization_id) as session:
            session.execute(update(NoonImport).values(**values))

    def is_content_kept(self, import_id: str) -> bool:
        with self.worker.app_context(), organization_session(self.organization_id) as session:
            query = select(NoonImport.content).where(NoonImport.id == UUID(import_id))
            return session.scalar(query) is not None

    def sweep(self) -> int:
        """Sweep after the queue was lost; return the number of queued jobs."""
        with self.worker.app_context():
            queue.monitoring_queue().empty()
            sweeper.sweep()
            return queue.monitoring_queue().count


@pytest.fixture
def office(planner: ApiClient, worker_app: Flask) -> Iterator[Office]:
    office = Office(planner, worker_app)
    yield office
    office.change(status=ChartingStatus.CANCELLED)  # sweeps of other tests shall find nothing


@pytest.fixture
def amid_reading(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    """Does something once, when the next file's rows are read."""
    read_noon_reports = noon_reports.read_noon_reports

    def arrange(act: Callable[[], Any]) -> None:
        def read(*given: Any, on_progress: Any, **options: Any) -> Any:
            def report(share: float, stage: str) -> None:
                on_progress(share, stage)
                if stage == "Checking reports":
                    act()
                    on_progress(share, stage)

            return read_noon_reports(*given, on_progress=report, **options)

        monkeypatch.setattr(run_progress, "WRITE_EVERY_S", 0.0)
        monkeypatch.setattr(run_progress, "STAGE_EVERY_S", 0.0)
        monkeypatch.setattr(noon_reports, "read_noon_reports", read)

    return arrange


def test_a_file_is_queued_and_stored_by_a_worker(office: Office) -> None:
    queued = office.read(office.order())
    assert (queued["status"], queued["progress"], queued["result"]) == ("QUEUED", 0.0, None)
    with office.worker.app_context():
        assert queue.monitoring_queue().count == 1
    assert office.is_content_kept(queued["id"])
    done = office.carry_out(queued["id"])
    assert (done["status"], done["progress"], done["failure"]) == ("COMPLETED", 1.0, None)
    assert (done["result"]["stored"], done["result"]["rows"]) == (28, 28)
    assert office.count_stored() == 28
    assert not office.is_content_kept(queued["id"])
    again = office.carry_out(office.order())
    assert (again["result"]["stored"], again["result"]["duplicates"]) == (0, 28)


def test_what_a_user_says_of_the_file_is_kept_with_it(office: Office) -> None:
    content = a_file(good(1), good(2, fuel=-3)).replace(b"Speed (kn)", b"V")
    mapping = [{"column": "V", "field": "speedOverGround", "unit": "kn"}]
    done = office.carry_out(office.order(content, keep=True, mapping=mapping))
    assert (done["result"]["stored"], done["result"]["faultCount"]) == (1, 1)
    (stored,) = office.planner.get(office.path).get_json()["items"]
    assert stored["speedOverGround"] == 14.0


def test_any_fault_stores_nothing_and_is_named(office: Office) -> None:
    failed = office.carry_out(office.order(a_file(good(1), good(2, fuel=-3))))
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INVALID_FILE")
    assert failed["failure"]["detail"].startswith("1 of 2 rows are at fault; nothing is stored.")
    (error,) = failed["failure"]["errors"]
    assert error["pointer"] == "/rows/3/ME FO Cons (mt)"
    assert office.count_stored() == 0


def test_a_report_in_conflict_undoes_the_whole_import(office: Office) -> None:
    office.carry_out(office.order(a_file(good(2))))
    failed = office.carry_out(office.order(a_file(good(1), good(2, fuel=29.5))))
    assert failed["status"] == "FAILED"
    assert "another report is stored for this time" in failed["failure"]["errors"][0]["detail"]
    assert office.count_stored() == 1


def test_a_file_that_is_no_table_fails_the_import(office: Office) -> None:
    failed = office.carry_out(office.order(b"%PDF-1.7 not a table"))
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INVALID_FILE")


def test_a_running_import_shows_its_progress_and_is_cancelled(
    office: Office, amid_reading: Callable[[Callable[[], Any]], None]
) -> None:
    id_ = office.order()
    seen: list[Any] = []
    amid_reading(lambda: seen.extend([office.read(id_), office.cancel(id_).get_json()]))
    cancelled = office.carry_out(id_)
    assert (seen[0]["status"], seen[0]["stage"]) == ("RUNNING", "Checking reports")
    assert 0.0 < seen[0]["progress"] < 1.0
    assert (cancelled["status"], cancelled["result"]) == ("CANCELLED", None)
    assert office.count_stored() == 0
    assert not office.is_content_kept(id_)
    assert office.cancel(id_).status_code == 409


def test_a_vessel_has_one_import_at_a_time(office: Office) -> None:
    first = office.order()
    refused = office.send()
    assert (refused.status_code, refused.get_json()["data"]["importId"]) == (409, first)
    assert office.cancel(first).get_json()["status"] == "CANCELLED"
    assert office.carry_out(office.order())["status"] == "COMPLETED"


def test_an_import_is_its_organization_s(
    office: Office, viewer: ApiClient, stranger: ApiClient
) -> None:
    one = f"{office.path}/imports/{office.order()}"
    assert viewer.get(one).status_code == 200
    assert viewer.post(f"{one}/cancel").status_code == 403
    assert stranger.get(one).status_code == 404
    assert stranger.post(f"{one}/cancel").status_code == 404


def test_an_import_whose_worker_died_is_queued_again_and_stored_once(
    office: Office, amid_reading: Callable[[Callable[[], Any]], None], monkeypatch: Any
) -> None:
    class Killed(BaseException):
        """A worker that is killed."""

    def die() -> None:
        raise Killed

    id_ = office.order()
    amid_reading(die)
    with pytest.raises(Killed):
        office.carry_out(id_)
    monkeypatch.undo()
    assert office.read(id_)["status"] == "RUNNING"
    assert office.sweep() == 0, "its heartbeat is fresh"
    office.change(heartbeat_at=utc_now() - timedelta(minutes=1))
    assert office.sweep() == 1
    assert office.carry_out(id_)["result"]["stored"] == 28


def test_an_import_whose_workers_die_each_time_fails(office: Office) -> None:
    id_ = office.order()
    office.change(attempt=3)
    failed = office.carry_out(id_)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INTERNAL")
    assert "its worker died each time" in failed["failure"]["detail"]
