"""Comparisons of departures: start, poll, pause, resume, cancel."""

import csv
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import func, select, update

from app.engine.departures.sweep import SearchedDeparture
from app.engine.errors import DataMissing, NoRoute
from app.models import ComparedDeparture, DepartureComparisonRecord, Event, utc_now
from app.services.chartings import departure_runs
from app.services.chartings.departure_progress import DepartureProgress
from app.services.platform import queue, run_progress
from app.services.platform.sessions import organization_session
from app.services.sea import sea
from app.services.upkeep import sweeper
from tests.integration.client import ApiClient
from tests.integration.test_workers import Workers, kill_all_of, workers
from tests.waiting import wait_until

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis", "climatology")]

__all__ = ["workers"]

#: Five departures of the voyage to London.
WINDOW: dict[str, Any] = {
    "departFrom": "2026-03-01T00:00:00Z",
    "departTo": "2026-03-02T00:00:00Z",
    "departStepH": 6,
}
DEPARTURES = [
    "2026-03-01T00:00:00Z", "2026-03-01T06:00:00Z", "2026-03-01T12:00:00Z",
    "2026-03-01T18:00:00Z", "2026-03-02T00:00:00Z",
]  # fmt: skip


class Office:
    """A planner who compares departures, and the worker that does so."""

    def __init__(self, planner: ApiClient, plan: Callable[..., None], worker: Flask) -> None:
        self.planner, self._plan, self.worker = planner, plan, worker
        self.organization_id = UUID(planner.get("/organization").get_json()["id"])

    def order(self, **asked: Any) -> str:
        """Order a voyage and plan it; the queue is empty then."""
        charting_id: str = self.planner.order(**asked)["id"]
        self.plan(charting_id)
        return charting_id

    def plan(self, charting_id: str, revision: int = 1) -> None:
        self._plan(charting_id, revision)
        with self.worker.app_context():
            queue.planning_queue().empty()

    def start(self, charting_id: str, **asked: Any) -> Any:
        answer = self.planner.post(f"/charting/{charting_id}/departures", WINDOW | asked)
        assert answer.status_code == 201, answer.text
        return answer.get_json()

    def compare(self, charting_id: str) -> None:
        """Compare as a worker does that has taken the job."""
        with self.worker.app_context():
            departure_runs.run(self.organization_id, UUID(charting_id))

    def read(self, charting_id: str) -> Any:
        answer = self.planner.get(f"/charting/{charting_id}/departures")
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    def count_kept(self) -> int:
        with self.worker.app_context(), organization_session(self.organization_id) as session:
            return session.scalar(select(func.count()).select_from(ComparedDeparture)) or 0


@pytest.fixture
def office(planner: ApiClient, plan: Callable[..., None], worker_app: Flask) -> Office:
    return Office(planner, plan, worker_app)


def test_departures_are_compared_and_the_best_is_marked(office: Office) -> None:
    charting_id = office.order()
    started = office.start(charting_id)
    assert (started["status"], started["done"], started["total"]) == ("QUEUED", 0, 5)
    assert [each["departure"] for each in started["departures"]] == DEPARTURES
    assert {each["state"] for each in started["departures"]} == {"PENDING"}
    office.compare(charting_id)
    compared = office.read(charting_id)
    assert (compared["status"], compared["done"], compared["progress"]) == ("COMPLETED", 5, 1.0)
    best = [each for each in compared["departures"] if each["isBest"]]
    assert len(best) == 1
    assert best[0]["state"] == "REFINED"
    planned = office.planner.get(f"/charting/{charting_id}").get_json()["summary"]
    for each in compared["departures"]:
        assert each["state"] in ("COARSE", "REFINED")
        assert each["fuelMt"] >= best[0]["fuelMt"] - 0.001
        assert each["fuelMt"] == pytest.approx(planned["fuelMt"], rel=0.1)
        assert each["durationH"] > 5
        assert each["arrival"] > each["departure"]
        assert each["reason"] is None
    with office.worker.app_context(), organization_session(office.organization_id) as session:
        query = select(Event.payload).where(Event.kind == "charting.departures")
        (told,) = session.scalars(query)
    expected = {"status": "COMPLETED", "done": 5, "total": 5, "best": best[0]["departure"]}
    assert told["departures"] == expected


def test_a_comparison_does_not_fail_if_the_atlas_is_cut_once_it_has_begun(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    charting_id = office.order()
    office.start(charting_id)
    with monkeypatch.context() as patch:

        def refuse() -> None:
            raise sea.AtlasDamaged("The sea atlas is damaged.")

        def compare(*_: Any) -> None:
            patch.setattr(sea, "open_atlas", refuse)
            raise NoRoute("No water joins the two ends.")

        patch.setattr(departure_runs, "compare_departures", compare)
        with pytest.raises(sea.AtlasDamaged):
            office.compare(charting_id)
    assert office.read(charting_id)["status"] == "RUNNING"
    office.compare(charting_id)
    assert office.read(charting_id)["status"] == "COMPLETED"


@pytest.mark.parametrize("function", ["build_voyage_request", "build_present_request"])
def test_a_comparison_whose_inputs_cannot_be_loaded_fails(
    office: Office, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    def fail(*_: Any) -> None:
        raise PermissionError("a file of root's")

    charting_id = office.order()
    office.start(charting_id)
    monkeypatch.setattr(departure_runs, function, fail)
    office.compare(charting_id)
    failed = office.read(charting_id)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INTERNAL")


def test_a_comparison_without_an_atlas_fails_and_logs_its_begin_and_end(
    office: Office, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise DataMissing("There is no sea atlas.")

    caplog.set_level("INFO", "app.services")
    charting_id = office.order()
    office.start(charting_id)
    monkeypatch.setattr(sea, "open_atlas", fail)
    office.compare(charting_id)
    failed = office.read(charting_id)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "DATA_MISSING")
    logged = [each for each in caplog.messages if each.startswith("comparison of departures")]
    assert logged == ["comparison of departures begins", "comparison of departures ended"]


def test_a_window_in_the_order_is_compared_once_it_is_planned(office: Office) -> None:
    charting_id = office.order(**WINDOW, departDurationH=48)
    ordered = office.planner.get(f"/charting/{charting_id}").get_json()
    assert {name: ordered[name] for name in WINDOW} == WINDOW
    assert ordered["startDate"] == "2026-03-01T06:00:00Z"
    with office.worker.app_context():
        assert queue.monitoring_queue().count == 1
    waiting = office.read(charting_id)
    assert (waiting["status"], waiting["departDurationH"]) == ("QUEUED", 48)
    office.compare(charting_id)
    assert office.read(charting_id)["status"] == "COMPLETED"


#: The arrival, closed for longer than a ship of the first departures waits.
LONDON_CLOSED = {
    "type": "Feature",
    "properties": {"start_date": "2026-02-20", "end_date": "2026-03-18"},
    "geometry": {
        "type": "Polygon",
        "coordinates": [[[0.0, 51.0], [1.5, 51.0], [1.5, 52.0], [0.0, 52.0], [0.0, 51.0]]],
    },
}
DEPARTURES_UNTIL_IT_OPENS: dict[str, Any] = {
    "departFrom": "2026-03-01T06:00:00Z",
    "departTo": "2026-03-11T06:00:00Z",
    "departStepH": 12,
}


@pytest.mark.parametrize("is_ordered_with_the_voyage", [True, False])
def test_a_window_is_compared_where_only_the_departure_ordered_has_no_route(
    office: Office, is_ordered_with_the_voyage: bool
) -> None:
    window = DEPARTURES_UNTIL_IT_OPENS
    ordered = window if is_ordered_with_the_voyage else {}
    charting_id = office.order(noGoAreas=[LONDON_CLOSED], **ordered)
    assert office.planner.get(f"/charting/{charting_id}").get_json()["status"] == "FAILED"
    if not is_ordered_with_the_voyage:
        office.start(charting_id, **window)
    assert office.read(charting_id)["status"] == "QUEUED"
    office.compare(charting_id)
    compared = office.read(charting_id)
    assert compared["status"] == "COMPLETED"
    states = [each["state"] for each in compared["departures"]]
    assert (states[0], states[-1]) == ("INFEASIBLE", "REFINED")


def test_departures_of_a_deleted_vessel_are_not_compared(office: Office) -> None:
    charting_id = office.order()
    vessel_id = office.planner.get(f"/charting/{charting_id}").get_json()["vesselId"]
    assert office.planner.delete(f"/vessel/{vessel_id}").status_code == 204
    answer = office.planner.post(f"/charting/{charting_id}/departures", WINDOW)
    assert (answer.status_code, answer.get_json()["detail"]) == (
        409,
        "The vessel is deleted; no departures are compared for it.",
    )


def test_departures_too_late_for_the_arrival_say_why(office: Office) -> None:
    charting_id = office.order()
    office.start(charting_id, endDate="2026-03-01T18:00:00Z")
    office.compare(charting_id)
    compared = office.read(charting_id)["departures"]
    assert compared[0]["state"] != "INFEASIBLE"
    for each in compared[3:]:
        assert (each["state"], each["fuelMt"]) == ("INFEASIBLE", None)
        assert each["reason"]["code"] == "ENDDATE_UNREACHABLE"
        assert "latest arrival" in each["reason"]["detail"]


def test_the_charting_s_own_arrival_holds_unless_null_frees_it(office: Office) -> None:
    charting_id = office.order(endDate="2026-03-02T00:00:00Z")
    assert office.start(charting_id)["endDate"] == "2026-03-02T00:00:00Z"
    office.planner.delete(f"/charting/{charting_id}/departures")
    assert office.start(charting_id, endDate=None)["endDate"] is None


@pytest.mark.parametrize(
    ("asked", "pointer", "said"),
    [
        ({"departTo": "2026-02-01T00:00:00Z"}, "/departTo", "lies before the first departure"),
        ({"departTo": "2026-03-12T12:00:00Z"}, "/departTo", "11.5 days after the first departure"),
        ({"departStepH": 0.5}, "/departStepH", "0.5 h between departures: 1 to 12 h"),
        ({"departDurationH": 30, "endDate": "2026-03-09T00:00:00Z"}, "/departDurationH", "both"),
        ({"departFrom": None}, "/departFrom", "null"),
        ({"endDate": "2110-01-01T00:00:00Z"}, "/endDate", "lies outside the years 1980 to 2099"),
        (
            {"endDate": "2026-02-01T00:00:00Z"},
            "/departFrom",
            "does not lie before the latest arrival",
        ),
    ],
)
def test_a_window_that_cannot_be_is_refused_at_its_field(
    office: Office, asked: dict[str, Any], pointer: str, said: str
) -> None:
    charting_id = office.order()
    refused = office.planner.post(f"/charting/{charting_id}/departures", WINDOW | asked)
    assert refused.status_code == 422
    (fault,) = refused.get_json()["errors"]
    assert fault["pointer"] == pointer
    assert said in fault["detail"]


def test_departures_are_compared_for_a_plan_once_at_a_time_and_for_its_owner(
    office: Office, viewer: ApiClient, stranger: ApiClient
) -> None:
    unplanned = office.planner.order()["id"]
    path = f"/charting/{unplanned}/departures"
    assert office.planner.post(path, WINDOW).status_code == 409
    assert office.planner.get(path).status_code == 404
    office.plan(unplanned)
    assert viewer.post(path, WINDOW).status_code == 403
    assert stranger.post(path, WINDOW).status_code == 404
    office.start(unplanned)
    again = office.planner.post(path, WINDOW)
    assert again.status_code == 409
    assert "Another comparison of departures is queued" in again.get_json()["detail"]
    backwards = WINDOW | {"departFrom": WINDOW["departTo"], "departTo": WINDOW["departFrom"]}
    assert office.planner.post(path, backwards).status_code == 422
    assert viewer.get(path).status_code == 200
    for call in (stranger.get, stranger.delete):
        assert call(path).status_code == 404
    assert stranger.get(f"{path}/csv").status_code == 404


def test_a_comparison_that_waits_is_cancelled_at_once(office: Office) -> None:
    charting_id = office.order()
    path = f"/charting/{charting_id}/departures"
    assert office.planner.delete(path).status_code == 404
    office.start(charting_id)
    as_read = {"If-Match": office.planner.get(path).headers["ETag"]}
    assert office.planner.delete(path, headers={"If-Match": '"another"'}).status_code == 412
    assert office.planner.delete(path, headers=as_read).get_json()["status"] == "CANCELLED"
    assert office.planner.delete(path, headers=as_read).status_code == 412
    assert office.planner.delete(path).status_code == 409
    office.compare(charting_id)
    assert office.read(charting_id)["done"] == 0


@pytest.fixture
def when_found(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Does something when the second departure is found and stored."""

    def arrange(act: Callable[[], None]) -> None:
        found: list[SearchedDeparture] = []
        take = DepartureProgress.receive

        def receive(progress: DepartureProgress, searched: SearchedDeparture) -> None:
            take(progress, searched)
            found.append(searched)
            if len(found) == 2:
                progress._report()
                act()

        monkeypatch.setattr(run_progress, "WRITE_EVERY_S", 0.0)
        monkeypatch.setattr(run_progress, "STAGE_EVERY_S", 0.0)
        monkeypatch.setattr(DepartureProgress, "receive", receive)

    return arrange


def test_a_comparison_is_cancelled_between_departures_and_keeps_what_it_found(
    office: Office, when_found: Callable[[Callable[[], None]], None]
) -> None:
    charting_id = office.order()
    path = f"/charting/{charting_id}/departures"
    office.start(charting_id)
    seen: list[Any] = []
    when_found(lambda: seen.append(office.planner.delete(path).get_json()))
    office.compare(charting_id)
    assert (seen[0]["status"], seen[0]["done"]) == ("RUNNING", 2)
    cancelled = office.read(charting_id)
    assert cancelled["status"] == "CANCELLED"
    assert cancelled["done"] >= 2
    assert not any(each["isBest"] for each in cancelled["departures"])


def test_a_comparison_gives_way_to_an_order_and_goes_on_afterwards(
    office: Office, when_found: Callable[[Callable[[], None]], None]
) -> None:
    charting_id = office.order()
    office.start(charting_id)
    when_found(lambda: office.planner.order() and None)
    office.compare(charting_id)
    waiting = office.read(charting_id)
    assert waiting["status"] == "QUEUED"
    assert waiting["done"] >= 2
    with office.worker.app_context():
        queue.monitoring_queue().empty()
        make_older(office)
        sweeper.sweep()
        assert queue.monitoring_queue().count == 0
        office.compare(charting_id)
        assert office.read(charting_id)["done"] == waiting["done"]
        queue.planning_queue().empty()
        sweeper.sweep()
        assert queue.monitoring_queue().count == 1
    office.compare(charting_id)
    assert office.read(charting_id)["status"] == "COMPLETED"


def make_older(office: Office) -> None:
    """Let a comparison have waited, and its worker been silent, for a minute."""
    ago = utc_now() - timedelta(minutes=1)
    with organization_session(office.organization_id) as session:
        older = {"queued_at": ago, "heartbeat_at": ago}
        session.execute(update(DepartureComparisonRecord).values(older))


class Killed(BaseException):
    """A worker that is killed."""


def test_what_a_dead_worker_found_is_neither_lost_nor_searched_again(
    office: Office,
    when_found: Callable[[Callable[[], None]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    charting_id = office.order()
    office.start(charting_id)

    def die() -> None:
        raise Killed

    with monkeypatch.context():
        when_found(die)
        with pytest.raises(Killed):
            office.compare(charting_id)
    assert office.read(charting_id)["status"] == "RUNNING"
    assert office.count_kept() == 2
    with office.worker.app_context():
        make_older(office)
        queue.monitoring_queue().empty()
        sweeper.sweep()
        assert queue.monitoring_queue().count == 1
    again: list[SearchedDeparture] = []
    take = DepartureProgress.receive

    def receive(progress: DepartureProgress, searched: SearchedDeparture) -> None:
        take(progress, searched)
        again.append(searched)

    monkeypatch.setattr(DepartureProgress, "receive", receive)
    office.compare(charting_id)
    assert sum(not each.outcome.is_refined for each in again) == 3
    compared = office.read(charting_id)
    assert (compared["status"], compared["done"], office.count_kept()) == ("COMPLETED", 5, 5)


def test_a_comparison_whose_workers_die_each_time_fails(office: Office) -> None:
    charting_id = office.order()
    office.start(charting_id)
    with office.worker.app_context(), organization_session(office.organization_id) as session:
        session.execute(update(DepartureComparisonRecord).values(attempt=3))
    office.compare(charting_id)
    failed = office.read(charting_id)
    assert failed["status"] == "FAILED"
    assert "its worker died each time" in failed["failure"]["detail"]


def test_departures_found_in_other_weather_are_deleted(
    office: Office,
    when_found: Callable[[Callable[[], None]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    charting_id = office.order()
    office.start(charting_id)
    with monkeypatch.context():
        when_found(lambda: office.planner.order() and None)
        office.compare(charting_id)
    with office.worker.app_context(), organization_session(office.organization_id) as session:
        queue.planning_queue().empty()
        session.execute(update(DepartureComparisonRecord).values(basis="an older forecast"))
        session.execute(update(ComparedDeparture).values(cost=0.001, is_refined=True))
    office.compare(charting_id)
    compared = office.read(charting_id)
    assert (compared["status"], compared["done"]) == ("COMPLETED", 5)
    with office.worker.app_context(), organization_session(office.organization_id) as session:
        assert session.scalar(select(func.min(ComparedDeparture.cost))) > 0.1


def test_a_departure_planned_keeps_the_comparison_and_another_voyage_does_not(
    office: Office,
) -> None:
    charting_id = office.order(**WINDOW)
    office.compare(charting_id)
    asked = office.planner.get(f"/charting/{charting_id}").get_json()
    later = asked | {"startDate": DEPARTURES[3], "departFrom": None, "departTo": None}
    later |= {"departStepH": None}
    assert office.planner.put(f"/charting/{charting_id}", later).status_code == 200
    office.plan(charting_id, 2)
    assert office.read(charting_id)["revision"] == 1
    elsewhere = later | {"latTo": 51.45, "lngTo": 1.5}
    assert office.planner.put(f"/charting/{charting_id}", elsewhere).status_code == 200
    office.plan(charting_id, 3)
    assert office.planner.get(f"/charting/{charting_id}/departures").status_code == 404


def test_departures_are_exported_as_csv(office: Office) -> None:
    charting_id = office.order(**WINDOW)
    office.compare(charting_id)
    answer = office.planner.get(f"/charting/{charting_id}/departures/csv")
    assert answer.headers["Content-Type"].startswith("text/csv")
    route = office.planner.get(f"/charting/{charting_id}/rtz").headers["Content-Disposition"]
    assert answer.headers["Content-Disposition"] == route.replace(".rtz", "-departures.csv")
    lines = [*csv.DictReader(answer.text.splitlines())]
    assert [line["departure"] for line in lines] == DEPARTURES
    assert [line["best"] for line in lines].count("true") == 1
    assert all(float(line["fuel_mt"]) > 0 for line in lines)


@pytest.mark.timeout(900)
def test_a_killed_worker_s_comparison_is_ended_by_another(office: Office, workers: Workers) -> None:
    charting_id = office.order()
    office.start(charting_id)
    workers.start(1)
    wait_until(lambda: office.read(charting_id)["done"], "first departure")
    kill_all_of(workers.busy())
    workers.let_go_on()
    workers.start(1)
    wait_until(lambda: office.read(charting_id)["status"] == "COMPLETED", "end of the comparison")
    compared = office.read(charting_id)
    assert (compared["done"], office.count_kept()) == (5, 5)
