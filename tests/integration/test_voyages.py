"""Voyages under way: started by reports or manually, monitored, finished, abandoned."""

import csv
import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pkgutil import resolve_name
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.engine.formatting import format_time
from app.engine.monitoring.positions import CredibleRecords
from app.models import Role, VoyageExecution
from app.pages.presenters.filters import dated_time
from app.records.instants import format_instant, parse_instant
from app.services.chartings import chartings
from app.services.monitoring import executions, monitor, position_reports
from app.services.platform import queue
from app.services.platform.actor import Actor
from app.services.platform.sessions import organization_session
from tests.integration.browser import HTML, signed_in
from tests.integration.client import CHARTING, ApiClient
from tests.integration.voyages import HOUR, Plan, Voyage, bring_waves
from tests.unit.engine.storms import make_even
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]


@pytest.fixture
def voyage(voyage: Voyage, context: Flask) -> Voyage:
    """The voyage, in an application context for the services that tests call."""
    return voyage


def test_a_new_plan_is_expected_to_depart(voyage: Voyage) -> None:
    shown = voyage.progress()
    assert (shown["state"], shown["progress"], shown["departedAt"]) == ("EXPECTED", None, None)


def test_a_plan_of_long_ago_is_not_awaited(planner: ApiClient, plan: Plan) -> None:
    charting_id = planner.order()["id"]
    assert planner.get(f"/charting/{charting_id}/progress").status_code == 409
    plan(charting_id)
    assert planner.get(f"/charting/{charting_id}/progress").get_json()["state"] == "PLANNED"


def test_reports_from_beyond_the_port_s_area_start_the_voyage(
    voyage: Voyage, now: datetime
) -> None:
    voyage.report(until=now, late_h=1.0)
    voyage.check_position_reports()
    shown = voyage.progress()
    assert (shown["state"], shown["startedBy"]) == ("UNDER_WAY", "position reports")
    assert abs(parse_instant(shown["departedAt"]) - voyage.departs_at - HOUR) < HOUR
    progress = shown["progress"]
    assert progress["behindH"] == pytest.approx(1.0, abs=0.2)
    assert progress["madeGoodNm"] + progress["toGoNm"] == pytest.approx(voyage.length_nm, abs=0.1)
    assert abs(progress["offTrackNm"]) < 0.5
    assert progress["fuelMt"] > 0
    assert voyage.events() == ["voyage.started"]


def test_a_later_voyage_between_the_same_ports_does_not_keep_this_one_from_starting(
    voyage: Voyage, planner: ApiClient, plan: Plan, now: datetime
) -> None:
    days_later = {"startDate": format_instant(now + 240 * HOUR), "vesselId": voyage.vessel_id}
    plan(planner.order(**days_later)["id"])
    voyage.report(until=now, late_h=1.0)
    with organization_session(voyage.organization_id) as session:
        session.get_one(VoyageExecution, UUID(voyage.id)).due_at = now
    monitor.check_position_reports(voyage.organization_id, UUID(voyage.id))
    assert voyage.progress()["state"] == "UNDER_WAY"


def test_a_voyage_is_that_of_the_vessel_whose_plan_it_starts_with(
    voyage: Voyage, planner: ApiClient, plan: Plan
) -> None:
    planner.post(f"/charting/{voyage.id}/start", {})
    planner.post(f"/charting/{voyage.id}/abandon", {"reason": "Orders changed"})
    other = planner.make_vessel(name="Zuiderster")["id"]
    request = planner.get(f"/charting/{voyage.id}").get_json() | {"vesselId": other}
    assert planner.put(f"/charting/{voyage.id}", request).status_code == 200
    refused = planner.post(f"/charting/{voyage.id}/start", {})
    assert refused.status_code == 409
    assert "planned for another vessel" in refused.get_json()["detail"]
    plan(voyage.id, 2)
    assert planner.post(f"/charting/{voyage.id}/start", {}).status_code == 200
    assert planner.delete(f"/vessel/{other}").get_json()["code"] == "VOYAGE_UNDER_WAY"
    assert planner.delete(f"/vessel/{voyage.vessel_id}").status_code == 204


def test_a_ship_in_port_has_not_started(voyage: Voyage, now: datetime) -> None:
    lying = {"latitude": CHARTING["latFrom"], "longitude": CHARTING["lngFrom"], "speed": 0}
    voyage.report(until=now, **lying)
    voyage.check_position_reports()
    assert voyage.progress()["state"] == "EXPECTED"


def test_a_ship_on_another_voyage_does_not_start_this_one(voyage: Voyage, now: datetime) -> None:
    first, *_ = voyage.report(until=voyage.departs_at)
    north = [
        first
        | {
            "timestamp": format_instant(voyage.departs_at + hours * HOUR),
            "latitude": CHARTING["latFrom"] + 0.23 * hours,
        }
        for hours in range(1, 7)
    ]
    voyage.send(north)
    voyage.check_position_reports()
    assert voyage.progress()["state"] == "EXPECTED"


def test_lying_still_at_the_destination_finishes_the_voyage(
    voyage: Voyage, now: datetime, app: Flask
) -> None:
    early_h = -24.0
    answer = voyage.planner.post(
        f"/charting/{voyage.id}/start", {"at": format_instant(voyage.departs_at - 24 * HOUR)}
    )
    assert answer.status_code == 200, answer.text
    *_, last = voyage.report(until=now, late_h=early_h)
    arrived_at = parse_instant(last["timestamp"]) + HOUR
    voyage.send([last | {"timestamp": format_instant(arrived_at), "speed": 0}])
    voyage.check_position_reports()
    shown = voyage.progress()
    assert (shown["state"], shown["endedBy"]) == ("FINISHED", "position reports")
    assert parse_instant(shown["endedAt"]) == arrived_at
    assert shown["progress"]["toGoNm"] == pytest.approx(0.0, abs=0.1)
    assert voyage.events() == ["voyage.started", "voyage.finished"]
    report = voyage.planner.get(f"/charting/{voyage.id}/report").get_json()
    fuel = report["fuel"]
    total_t = sum(fuel[f"{cause}Mt"] for cause in ("planned", "weather", "speed", "track", "model"))
    assert total_t == pytest.approx(fuel["reportedMt"], abs=0.01)
    hours = (arrived_at - parse_instant(report["departedAt"])) / HOUR
    assert fuel["reportedMt"] == pytest.approx(hours, rel=0.1)  # of the 24 t a day reported
    assert report["sailedNm"] == pytest.approx(voyage.length_nm, rel=0.1)
    browser = signed_in(app, voyage.organization_id)
    page = browser.get(f"/voyages/{voyage.id}/progress").text
    assert "Finished" in page
    assert f"{fuel['reportedMt']:.1f}" in page[page.index('id="voyage-report"') :]
    answer = voyage.planner.get(f"/charting/{voyage.id}/report/csv")
    (line,) = csv.DictReader(answer.text.splitlines())
    assert line["departed"] == report["departedAt"]
    kept = [f"{cause}_fuel_mt" for cause in ("planned", "weather", "speed", "track", "model")]
    total_t = sum(float(line[name]) for name in kept)
    assert total_t == pytest.approx(float(line["reported_fuel_mt"]), abs=0.01)
    on_page = browser.get(f"/voyages/{voyage.id}/report.csv")
    assert on_page.data == answer.data
    route = voyage.planner.get(f"/charting/{voyage.id}/rtz").headers["Content-Disposition"]
    for each in (answer, on_page):
        assert each.headers["Content-Disposition"] == route.replace(".rtz", "-voyage-report.csv")


@pytest.mark.usefixtures("climatology")
def test_a_report_has_the_newest_forecast_of_each_of_the_voyages_days(
    voyage: Voyage, now: datetime, worker_app: Flask
) -> None:
    early_h = -24.0
    departed_at = voyage.departs_at - 24 * HOUR
    path = f"/charting/{voyage.id}"
    voyage.planner.post(f"{path}/start", {"at": format_instant(departed_at)})
    *_, last = voyage.report(until=now, late_h=early_h)
    arrived_at = parse_instant(last["timestamp"])
    middle = departed_at + (arrived_at - departed_at) / 2
    for height_m, begins_at in ((3.0, departed_at), (2.0, middle), (4.0, arrived_at)):
        bring_waves(worker_app, make_even(height_m), begins_at=begins_at, issued_at=begins_at)
    finished = voyage.planner.post(f"{path}/finish", {"at": format_instant(arrived_at)})
    assert finished.status_code == 200, finished.text
    report = voyage.planner.get(f"{path}/report").get_json()
    assert report["metWaveM"] == pytest.approx(3.0, abs=0.05)
    assert len(report["weatherRuns"]) == 2
    # of waves alone: the wind is the climatology's
    assert report["forecastCoveragePct"] == 0.0


def test_no_transaction_is_open_while_a_report_is_computed(
    voyage: Voyage, now: datetime, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/charting/{voyage.id}"
    voyage.planner.post(f"{path}/start", {"at": format_instant(voyage.departs_at - 24 * HOUR)})
    *_, last = voyage.report(until=now, late_h=-24.0)
    voyage.planner.post(f"{path}/finish", {"at": last["timestamp"]})
    place = "app.services.monitoring.voyage_reports.report_voyage"
    compute, pool = resolve_name(place), app.extensions["chartroom"].engine.pool
    in_use: list[int] = []
    monkeypatch.setattr(place, lambda *given: in_use.append(pool.checkedout()) or compute(*given))
    for each in ("report", "report/csv"):
        assert voyage.planner.get(f"{path}/{each}").status_code == 200
    assert in_use == [0, 0]


def test_a_voyage_started_in_its_middle_has_no_report(voyage: Voyage, now: datetime) -> None:
    path = f"/charting/{voyage.id}"
    voyage.track = voyage.track[len(voyage.track) // 2 :]
    first, *_, last = voyage.report(until=now, late_h=-24.0)
    voyage.planner.post(f"{path}/start", {"at": first["timestamp"]})
    voyage.planner.post(f"{path}/finish", {"at": last["timestamp"]})
    answer = voyage.planner.get(f"{path}/report")
    assert answer.status_code == 409
    assert "nm from the place of departure" in answer.get_json()["detail"]


def test_a_voyage_that_is_not_finished_has_no_report(voyage: Voyage, stranger: ApiClient) -> None:
    for path in ("report", "report/csv"):
        assert voyage.planner.get(f"/charting/{voyage.id}/{path}").status_code == 409
        assert stranger.get(f"/charting/{voyage.id}/{path}").status_code == 404


def test_a_voyage_is_locked_while_its_progress_is_measured(
    voyage: Voyage, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    voyage.report(until=now)
    voyage.check_position_reports()
    load, free = position_reports.load_reports, []

    def note(session: Session, row: VoyageExecution, at: datetime) -> CredibleRecords:
        unlocked = select(VoyageExecution.charting_id).with_for_update(skip_locked=True)
        with organization_session(row.organization_id) as other:
            free.extend(other.scalars(unlocked))
        return load(session, row, at)

    monkeypatch.setattr(position_reports, "load_reports", note)
    assert voyage.progress()["state"] == "UNDER_WAY"
    assert free == []


def test_a_jump_is_named_and_never_used(voyage: Voyage, now: datetime) -> None:
    *_, last = voyage.report(until=now)
    voyage.planner.post(f"/charting/{voyage.id}/start", {"at": format_instant(voyage.departs_at)})
    before = voyage.progress()["progress"]
    jumped = last | {"timestamp": format_instant(now), "latitude": 10.0}
    voyage.send([jumped])
    shown = voyage.progress()
    assert shown["progress"] == before
    (refused,) = shown["refusedPositions"]
    assert (refused["fault"], refused["lat"]) == ("JUMP", 10.0)


def test_reports_of_two_ships_give_no_position(voyage: Voyage, now: datetime) -> None:
    records = voyage.report(until=now)
    other = [
        record
        | {
            "timestamp": format_instant(parse_instant(record["timestamp"]) + timedelta(minutes=1)),
            "latitude": -record["latitude"],
        }
        for record in records[:-1]
    ]
    voyage.send(other)
    voyage.check_position_reports()
    assert voyage.progress()["state"] == "EXPECTED"
    voyage.planner.post(f"/charting/{voyage.id}/start", {"at": format_instant(voyage.departs_at)})
    shown = voyage.progress()
    assert (shown["isAmbiguous"], shown["progress"]) == (True, None)


def test_an_old_position_is_said_to_be_stale(
    planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, now: datetime
) -> None:
    voyage = Voyage(planner, plan, worker_app, now - 15 * HOUR)
    voyage.report(until=now - 8 * HOUR)
    planner.post(f"/charting/{voyage.id}/start", {"at": format_instant(voyage.departs_at)})
    shown = voyage.progress()
    assert shown["isStale"]
    assert shown["positionAgeH"] > 8.0


def test_a_vessel_is_under_way_on_one_voyage(
    voyage: Voyage, planner: ApiClient, plan: Plan, now: datetime
) -> None:
    other = planner.order(vesselId=voyage.vessel_id, startDate=format_instant(now))["id"]
    plan(other)
    assert planner.post(f"/charting/{voyage.id}/start", {}).status_code == 200
    refused = planner.post(f"/charting/{other}/start", {})
    assert refused.status_code == 409
    assert refused.get_json()["data"]["chartingId"] == voyage.id
    abandoned = planner.post(f"/charting/{voyage.id}/abandon", {"reason": "Orders changed"})
    assert abandoned.get_json()["endReason"] == "Orders changed"
    assert planner.post(f"/charting/{other}/start", {}).get_json()["state"] == "UNDER_WAY"
    assert voyage.events() == ["voyage.started", "voyage.abandoned"]


def test_two_voyages_of_a_vessel_that_start_at_once_are_not_both_under_way(
    voyage: Voyage, planner: ApiClient, plan: Plan, organization_id: UUID, now: datetime
) -> None:
    other = planner.order(vesselId=voyage.vessel_id, startDate=format_instant(now))["id"]
    plan(other)
    actor = Actor(organization_id, "test", Role.MASTER)
    with ThreadPoolExecutor(1) as pool:
        with organization_session(organization_id) as session:
            charting = chartings.get(session, organization_id, voyage.id)
            executions.start(session, actor, charting)
            late = pool.submit(planner.post, f"/charting/{other}/start", {})
            with pytest.raises(TimeoutError):
                late.result(1.0)
        refused = late.result(PATIENCE_S)
    assert refused.status_code == 409
    assert "under way on another voyage" in refused.get_json()["detail"]


def test_the_page_starts_a_voyage_at_the_departure_that_has_passed(
    planner: ApiClient, plan: Plan, worker_app: Flask, now: datetime, app: Flask
) -> None:
    voyage = Voyage(planner, plan, worker_app, now - 6 * HOUR)
    voyage.report(until=now)
    browser = signed_in(app, voyage.organization_id)
    address = f"/voyages/{voyage.id}"
    page = browser.get(f"{address}/progress").text
    proposed = re.search(r'name="at" value="([^"]+)"', page)
    assert proposed
    assert proposed[1] == dated_time(voyage.departs_at)
    form = {"csrf_token": browser.token(), "at": "soon"}
    refused = browser.http.post(f"{address}/start", data=form, headers=HTML)
    assert refused.status_code == 422
    answer = browser.http.post(f"{address}/start", data=form | {"at": proposed[1]}, headers=HTML)
    assert answer.status_code == 302
    shown = voyage.progress()
    assert parse_instant(shown["departedAt"]) == voyage.departs_at.replace(second=0)
    assert shown["progress"]["behindH"] == pytest.approx(0.0, abs=0.2)


def test_the_ship_on_the_page_s_chart_has_its_reported_heading(
    planner: ApiClient, plan: Plan, worker_app: Flask, now: datetime, app: Flask
) -> None:
    voyage = Voyage(planner, plan, worker_app, now - 6 * HOUR)
    (first, *_) = voyage.report(until=voyage.departs_at)
    planner.post(f"/charting/{voyage.id}/start", {"at": format_instant(voyage.departs_at)})
    page = signed_in(app, voyage.organization_id).get(f"/voyages/{voyage.id}/progress").text
    data = re.search(r'id="page-data"[^>]*>(.*?)</script>', page)
    assert data
    shown = json.loads(data[1])
    assert len(shown["sailed"]) == 1
    assert shown["headingDeg"] == pytest.approx(first["heading"])


def test_a_voyage_is_started_and_finished_once(voyage: Voyage) -> None:
    acts = (("finish", 409), ("start", 200), ("start", 409), ("finish", 200), ("finish", 409))
    for act, expected in acts:
        assert voyage.planner.post(f"/charting/{voyage.id}/{act}", {}).status_code == expected, act


def test_the_voyage_of_an_archived_charting_is_started_only_once_it_is_restored(
    voyage: Voyage,
) -> None:
    voyage.planner.post(f"/charting/{voyage.id}/archive")
    refused = voyage.planner.post(f"/charting/{voyage.id}/start", {})
    assert (refused.status_code, voyage.progress()["state"]) == (409, "EXPECTED")
    assert "restore it" in refused.get_json()["detail"]
    voyage.planner.post(f"/charting/{voyage.id}/restore")
    assert voyage.planner.post(f"/charting/{voyage.id}/start", {}).status_code == 200


def test_a_voyage_is_expected_again_once_its_charting_is_restored(voyage: Voyage) -> None:
    voyage.planner.post(f"/charting/{voyage.id}/archive")
    voyage.check_position_reports()
    assert voyage.progress()["state"] == "PLANNED"
    voyage.planner.post(f"/charting/{voyage.id}/restore")
    assert voyage.progress()["state"] == "EXPECTED"


def test_a_voyage_under_way_and_its_ship_are_not_deleted(voyage: Voyage, admin: ApiClient) -> None:
    charting, vessel = f"/charting/{voyage.id}", f"/vessel/{voyage.vessel_id}"
    voyage.planner.post(f"{charting}/start", {})
    refused = [
        *map(admin.delete, (charting, vessel)),
        admin.post(f"/erasures/charting/{voyage.id}"),
        admin.post(f"/erasures/vessel/{voyage.vessel_id}"),
    ]
    for answer in refused:
        assert (answer.status_code, answer.get_json()["code"]) == (409, "VOYAGE_UNDER_WAY")
        assert "finish or abandon" in answer.get_json()["detail"]
        assert answer.get_json()["data"]["chartingId"] == voyage.id
    assert voyage.progress()["state"] == "UNDER_WAY"
    voyage.planner.post(f"{charting}/abandon", {"reason": "Orders changed"})
    assert admin.delete(vessel).status_code == 204
    assert admin.delete(charting).status_code == 204


def test_times_to_come_and_before_departure_are_refused(voyage: Voyage, now: datetime) -> None:
    post = voyage.planner.post
    ahead = {"at": format_instant(now + HOUR)}
    assert post(f"/charting/{voyage.id}/start", ahead).get_json()["errors"][0]["pointer"] == "/at"
    post(f"/charting/{voyage.id}/start", {"at": format_instant(now - HOUR)})
    before = post(f"/charting/{voyage.id}/finish", {"at": format_instant(now - 2 * HOUR)})
    assert before.status_code == 422
    assert "after this time" in before.get_json()["detail"]


def test_a_departure_long_before_the_planned_one_is_refused(voyage: Voyage) -> None:
    earliest = voyage.departs_at - timedelta(days=14)
    path = f"/charting/{voyage.id}/start"
    refused = voyage.planner.post(path, {"at": format_instant(earliest - timedelta(seconds=1))})
    assert refused.status_code == 422
    (fault,) = refused.get_json()["errors"]
    assert fault["pointer"] == "/at"
    assert f"from {format_time(earliest)} until now" in fault["detail"]
    assert voyage.planner.post(path, {"at": format_instant(earliest)}).status_code == 200


def test_voyages_under_way_are_listed_the_latest_first(
    planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, now: datetime
) -> None:
    late = {hours: Voyage(planner, plan, worker_app, now - 5 * HOUR) for hours in (0.5, 2.0)}
    for hours, voyage in late.items():
        voyage.report(until=now, late_h=hours)
        planner.post(f"/charting/{voyage.id}/start", {"at": format_instant(voyage.departs_at)})
        voyage.check_position_reports()
    listed = planner.get("/voyages").get_json()["items"]
    assert [item["chartingId"] for item in listed] == [late[2.0].id, late[0.5].id]
    soonest = planner.get("/voyages?sort=eta").get_json()["items"]
    assert [item["chartingId"] for item in soonest] == [late[0.5].id, late[2.0].id]
    assert planner.get("/voyages?state=FINISHED").get_json()["total"] == 0


def test_ships_off_their_track_are_listed_before_those_behind_their_plan(
    planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, now: datetime
) -> None:
    behind, off_track, unknown = (
        Voyage(planner, plan, worker_app, now - 5 * HOUR) for _ in range(3)
    )
    behind.report(until=now, late_h=2.0)
    off_track.report(until=now, latitude=30.0, longitude=-40.0)
    for voyage in (unknown, behind, off_track):
        planner.post(f"/charting/{voyage.id}/start", {"at": format_instant(voyage.departs_at)})
        voyage.check_position_reports()
    listed = planner.get("/voyages").get_json()["items"]
    assert [item["chartingId"] for item in listed] == [off_track.id, behind.id, unknown.id]


def test_strangers_see_and_start_nothing(voyage: Voyage, stranger: ApiClient) -> None:
    assert stranger.get(f"/charting/{voyage.id}/progress").status_code == 404
    assert stranger.post(f"/charting/{voyage.id}/start", {}).status_code == 404
    voyage.planner.post(f"/charting/{voyage.id}/start", {})
    assert stranger.get("/voyages").get_json()["total"] == 0


def test_viewers_follow_and_start_nothing(voyage: Voyage, viewer: ApiClient) -> None:
    assert viewer.get(f"/charting/{voyage.id}/progress").status_code == 200
    assert viewer.post(f"/charting/{voyage.id}/start", {}).status_code == 403


def test_what_is_due_is_queued_once(voyage: Voyage, worker_app: Flask) -> None:
    with worker_app.app_context():
        monitor.queue_due()
        monitor.queue_due()
        waiting = queue.monitoring_queue().get_job_ids()
    assert waiting.count(f"monitor_{voyage.id}") == 1


def test_a_new_plan_is_followed_by_a_voyage_under_way(
    voyage: Voyage, planner: ApiClient, plan: Plan
) -> None:
    planner.post(f"/charting/{voyage.id}/start", {})
    asked = planner.get(f"/charting/{voyage.id}").get_json()
    changed = CHARTING | {"vesselId": voyage.vessel_id, "startDate": asked["startDate"]}
    planner.put(f"/charting/{voyage.id}", changed | {"speedRangeMax": 13})
    plan(voyage.id, 2)
    assert voyage.progress()["revision"] == 2


def test_a_voyage_that_has_begun_is_not_planned_again_for_another_vessel(
    voyage: Voyage, planner: ApiClient
) -> None:
    other = planner.make_vessel(name="Other", imo="9074729", mmsi=None)["id"]
    asked = planner.get(f"/charting/{voyage.id}").get_json()
    body = CHARTING | {"vesselId": other, "startDate": asked["startDate"]}
    assert planner.put(f"/charting/{voyage.id}", body).status_code == 200
    own = body | {"vesselId": voyage.vessel_id}
    assert planner.put(f"/charting/{voyage.id}", own).status_code == 200
    planner.post(f"/charting/{voyage.id}/start", {})
    refused = planner.put(f"/charting/{voyage.id}", body)
    assert refused.status_code == 422, refused.text
    (fault,) = refused.get_json()["errors"]
    assert fault["pointer"] == "/vesselId"
    assert "has begun with another vessel" in fault["detail"]
