"""Telemetry through the API, on a real database."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from app.services.platform.sessions import organization_session
from tests.integration.client import ApiClient, pointers

pytestmark = pytest.mark.services

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

RECORD: dict[str, Any] = {
    "timestamp": "2026-03-01T12:00:00Z",
    "latitude": 50.1,
    "longitude": -5.2,
    "speed": 12.5,
    "heading": 245,
    "rpm": 85,
    "fuelConsumption": 28.4,
    "draft": 12.1,
    "engineLoad": 62,
}


def at(hours: float, **changes: Any) -> dict[str, Any]:
    instant = NOON + timedelta(hours=hours)
    return RECORD | {"timestamp": instant.isoformat().replace("+00:00", "Z")} | changes


@pytest.fixture
def path(planner: ApiClient) -> str:
    return f"/telemetry/{planner.make_vessel()['id']}"


def test_a_record_is_stored_and_read_back_as_it_was_sent(planner: ApiClient, path: str) -> None:
    made = planner.post(path, RECORD | {"windSpeed": 9.5, "seaState": 4})
    assert made.status_code == 201
    (read,) = planner.get(path).get_json()["items"]
    assert (RECORD | {"windSpeed": 9.5, "seaState": 4}).items() <= read.items()
    assert read["mePower"] is None


def test_the_same_record_again_is_answered_with_the_stored_one(
    planner: ApiClient, path: str
) -> None:
    first = planner.post(path, RECORD)
    again = planner.post(path, RECORD)
    assert again.status_code == 200
    assert again.get_json() == first.get_json()
    assert planner.get(path).get_json()["total"] == 1


def test_another_record_at_that_instant_is_a_conflict(planner: ApiClient, path: str) -> None:
    planner.post(path, RECORD)
    refused = planner.post(path, RECORD | {"speed": 3, "windSpeed": 9.5})
    assert refused.status_code == 409
    problem = refused.get_json()
    assert problem["data"]["fields"] == ["speed", "windSpeed"]
    assert "It has speed 12.5, not 3, windSpeed null, not 9.5." in problem["detail"]
    close = planner.post(path, RECORD | {"speed": 12.5000001, "latitude": 50.10000001})
    assert "It has latitude 50.1, not 50.10000001, speed 12.5, not 12.5000001." in close.text
    assert "An admin can correct it with PUT" in problem["detail"]
    assert planner.get(path).get_json()["items"][0]["speed"] == 12.5


@pytest.mark.parametrize(("item", "received"), [(1, " Received: 1."), ([], "")])
def test_items_that_are_no_records_are_told_what_is_wanted(
    planner: ApiClient, path: str, item: Any, received: str
) -> None:
    expected = f"Must be a JSON object with the record's fields.{received}"
    (line,) = planner.post(f"{path}/batch", [item]).get_json()["items"]
    assert [error["detail"] for error in line["errors"]] == [expected]
    assert planner.post(path, item).get_json()["errors"][0]["detail"] == expected


def test_a_required_figure_that_is_null_is_named(planner: ApiClient, path: str) -> None:
    (error,) = planner.post(path, RECORD | {"speed": None}).get_json()["errors"]
    assert error == {"pointer": "/speed", "detail": "Must have a value, not null."}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("latitude", 90.1),
        ("longitude", -180.1),
        ("speed", -0.1),
        ("heading", 360.1),
        ("engineLoad", 100.5),
        ("seaState", 9.5),
        ("windDirection", -1),
        ("draft", "12"),
        ("timestamp", "2026-03-01T12:00:00"),
        ("timestamp", "1980-03-01T12:00:00Z"),
        ("sped", 12),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(
    planner: ApiClient, path: str, field: str, value: Any
) -> None:
    refused = planner.post(path, RECORD | {field: value})
    assert refused.status_code == 422
    assert pointers(refused) == {f"/{field}"}
    assert planner.get(path).get_json()["total"] == 0


def test_longitudes_are_counted_to_360(planner: ApiClient, path: str) -> None:
    sent = [at(hours, longitude=lng) for hours, lng in enumerate((190.3, 180, 360, 179.9))]
    assert planner.post(path, sent[0]).get_json()["longitude"] == -169.7
    planner.post(f"{path}/batch", sent)
    stored = planner.get(path).get_json()["items"]
    assert [each["longitude"] for each in stored] == [-169.7, -180.0, 0.0, 179.9]
    assert pointers(planner.post(path, at(9, longitude=360.1))) == {"/longitude"}


def test_a_clock_may_run_five_minutes_ahead_and_no_more(planner: ApiClient, path: str) -> None:
    now = datetime.now(UTC)
    soon = RECORD | {"timestamp": (now + timedelta(minutes=4)).isoformat()}
    late = RECORD | {"timestamp": (now + timedelta(minutes=7)).isoformat()}
    assert planner.post(path, soon).status_code == 201
    assert pointers(planner.post(path, late)) == {"/timestamp"}


def test_a_time_is_kept_to_the_millisecond(planner: ApiClient, path: str) -> None:
    made = planner.post(path, RECORD | {"timestamp": "2026-03-01T12:00:00.123456Z"})
    assert made.get_json()["timestamp"] == "2026-03-01T12:00:00.123Z"


def test_a_range_includes_both_its_ends(planner: ApiClient, path: str) -> None:
    for hours in range(4):
        planner.post(path, at(hours))
    found = planner.get(f"{path}?from=2026-03-01T13:00:00Z&to=2026-03-01T14:00:00Z").get_json()
    assert [item["timestamp"] for item in found["items"]] == [
        "2026-03-01T13:00:00Z",
        "2026-03-01T14:00:00Z",
    ]
    assert found["total"] == 2


def test_a_calendar_date_is_the_whole_day(planner: ApiClient, path: str) -> None:
    for hours in (-12.0, 11.9, 12.0):
        planner.post(path, at(hours))
    assert planner.get(f"{path}?from=2026-03-01&to=2026-03-01").get_json()["total"] == 2


def test_pages_over_many_days_hold_every_record_once(planner: ApiClient, path: str) -> None:
    for hours in range(0, 100, 9):
        planner.post(path, at(hours))
    pages = [planner.get(f"{path}?page={n}&pageSize=5").get_json() for n in (1, 2, 3, 4)]
    times = [item["timestamp"] for page in pages for item in page["items"]]
    assert times == sorted(times)
    assert len(set(times)) == len(times) == 12
    assert {page["total"] for page in pages} == {12}
    assert pages[3]["items"] == []


def test_a_range_that_ends_before_it_begins_is_refused(planner: ApiClient, path: str) -> None:
    assert planner.get(f"{path}?from=2026-03-02&to=2026-03-01").status_code == 422


def test_another_organization_neither_reads_nor_writes(
    planner: ApiClient, stranger: ApiClient, path: str
) -> None:
    planner.post(path, RECORD)
    assert stranger.get(path).status_code == 404
    assert stranger.post(path, at(1)).status_code == 404
    assert stranger.post(f"{path}/batch", [at(1)]).status_code == 404
    assert planner.get(path).get_json()["total"] == 1


def test_a_viewer_reads_and_does_not_write(
    viewer: ApiClient, planner: ApiClient, path: str
) -> None:
    assert viewer.get(path).status_code == 200
    assert viewer.post(path, RECORD).status_code == 403


# Batches


def test_a_batch_stores_its_valid_lines_and_reports_on_each(planner: ApiClient, path: str) -> None:
    planner.post(path, at(0))
    planner.post(path, at(1))
    report = planner.post(
        f"{path}/batch",
        [at(0), at(1, speed=1.0), at(2), at(3, latitude=91), at(2), at(2, rpm=1), at(4)],
    ).get_json()
    assert [item["status"] for item in report["items"]] == [
        "DUPLICATE",
        "CONFLICT",
        "STORED",
        "INVALID",
        "DUPLICATE",
        "CONFLICT",
        "STORED",
    ]
    assert (report["stored"], report["duplicates"], report["rejected"]) == (2, 2, 3)
    assert report["items"][3]["errors"][0]["pointer"] == "/latitude"
    assert planner.get(path).get_json()["total"] == 4


def test_a_batch_of_lines_is_read_like_an_array_and_counted_as_in_the_file(
    planner: ApiClient, path: str
) -> None:
    lines = "\n".join(json.dumps(at(hours)) for hours in range(3)) + "\n\nnot json\n"
    response = planner.post(f"{path}/batch", data=lines, content_type="application/x-ndjson")
    assert [(item["line"], item["status"]) for item in response.get_json()["items"]] == [
        (1, "STORED"),
        (2, "STORED"),
        (3, "STORED"),
        (5, "INVALID"),
    ]


def test_a_batch_over_several_months_is_counted_by_day(planner: ApiClient, path: str) -> None:
    report = planner.post(f"{path}/batch", [at(days * 24.0) for days in range(0, 100, 10)])
    assert report.get_json()["stored"] == 10
    found = planner.get(f"{path}?from=2026-03-11&to=2026-04-10").get_json()
    assert found["total"] == len(found["items"]) == 4


@pytest.mark.parametrize("is_batch", [False, True])
def test_a_record_is_kept_in_the_month_of_its_instant_whatever_its_offset(
    planner: ApiClient, path: str, is_batch: bool
) -> None:
    month = "2011-07" if is_batch else "2011-05"
    record = RECORD | {"timestamp": f"{month}-01T00:30:00+02:00"}
    if is_batch:
        assert planner.post(f"{path}/batch", [record]).get_json()["stored"] == 1
    else:
        assert planner.post(path, record).status_code == 201
    (kept,) = planner.get(path).get_json()["items"]
    assert kept["timestamp"] == ("2011-06" if is_batch else "2011-04") + "-30T22:30:00Z"


@pytest.mark.parametrize("instant", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_an_instant_that_utc_cannot_express_is_refused_by_its_name(
    planner: ApiClient, path: str, instant: str
) -> None:
    record = RECORD | {"timestamp": instant}
    refused = planner.post(path, record)
    assert refused.status_code == 422
    assert refused.get_json()["errors"][0]["pointer"] == "/timestamp"
    assert planner.post(f"{path}/batch", [RECORD, record]).status_code in (200, 422)


def test_a_batch_over_more_months_than_partitions_may_be_made_for_is_refused_whole(
    planner: ApiClient, path: str
) -> None:
    months = [f"{2000 + n // 12}-{n % 12 + 1:02d}" for n in range(37)]
    records = [at(0) | {"timestamp": f"{month}-01T00:00:00Z"} for month in months]
    refused = planner.post(f"{path}/batch", records)
    assert refused.status_code == 422
    assert "37 months" in refused.get_json()["errors"][0]["detail"]
    assert planner.post(f"{path}/batch", records[:36]).get_json()["stored"] == 36


def test_a_record_of_before_2000_is_refused(planner: ApiClient, path: str) -> None:
    refused = planner.post(path, at(0) | {"timestamp": "1999-12-31T23:59:59Z"})
    assert refused.get_json()["errors"][0]["detail"].startswith("Lies before 2000.")


def test_a_batch_line_gets_every_fault_that_a_single_record_gets(
    planner: ApiClient, path: str
) -> None:
    wrong = RECORD | {"latitude": 91, "speed": -1, "sped": 2}
    alone = pointers(planner.post(path, wrong))
    (line,) = planner.post(f"{path}/batch", [wrong]).get_json()["items"]
    assert {error["pointer"] for error in line["errors"]} == alone


def test_a_batch_line_that_names_a_field_twice_is_refused(planner: ApiClient, path: str) -> None:
    written = json.dumps(at(1, windSpeed=None))
    lines = [
        written,
        written[:-1] + ', "speed": 3}',
        written[:-1] + ', "windSpeed": 9}',
        json.dumps(at(2, windSpeed=4)),
    ]
    sent = planner.post(
        f"{path}/batch", data="\n".join(lines).encode(), content_type="application/x-ndjson"
    ).get_json()
    assert [item["status"] for item in sent["items"]] == ["STORED", "INVALID", "INVALID", "STORED"]
    assert [item["errors"][0]["pointer"] for item in sent["items"][1:3]] == ["/speed", "/windSpeed"]


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        ("{}", "application/json", 422),
        ("null", "application/json", 422),
        ("[", "application/json", 400),
        ("", "text/plain", 415),
        (json.dumps([{}] * 5001), "application/json", 422),
    ],
)
def test_a_batch_that_is_none_is_refused_whole(
    planner: ApiClient, path: str, body: str, content_type: str, status: int
) -> None:
    refused = planner.post(f"{path}/batch", data=body, content_type=content_type)
    assert refused.status_code == status


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("speed", 90),
        ("rpm", 4000),
        ("fuelConsumption", 1e300),
        ("fuelConsumption", 2500),
        ("draft", 31),
        ("windSpeed", 200),
        ("waterDepth", 12_000),
        ("trimFore", 1e9),
        ("trimAft", -1e9),
        ("mePower", 1e6),
    ],
)
def test_what_no_ship_can_report_is_refused_alone_and_in_a_batch(
    planner: ApiClient, path: str, field: str, value: float
) -> None:
    refused = planner.post(path, RECORD | {field: value})
    assert (refused.status_code, pointers(refused)) == (422, {f"/{field}"})
    report = planner.post(f"{path}/batch", [RECORD | {field: value}, at(1)]).get_json()
    assert [item["status"] for item in report["items"]] == ["INVALID", "STORED"]
    vessel_id = path.rpartition("/")[2]
    assert planner.get(f"/vessel/{vessel_id}/stats").status_code == 200


def test_an_admin_corrects_a_record_and_the_audit_record_keeps_both(
    admin: ApiClient, path: str
) -> None:
    stored = admin.post(path, RECORD | {"windSpeed": 9}).get_json()
    address = f"{path}/2026-03-01T13:00:00+01:00"
    corrected = admin.put(address, stored | {"speed": 11.5, "windSpeed": None})
    assert corrected.status_code == 200, corrected.text
    (read,) = admin.get(path).get_json()["items"]
    assert (read["speed"], read["windSpeed"]) == (11.5, None)
    entry = admin.get("/audit").get_json()["items"][0]
    assert (entry["action"], entry["subjectId"]) == (
        "telemetry.corrected", path.rpartition("/")[2],
    )  # fmt: skip
    assert (entry["before"]["speed"], entry["after"]["speed"]) == (12.5, 11.5)
    moved = admin.put(address, at(1))
    assert (moved.status_code, pointers(moved)) == (422, {"/timestamp"})
    assert pointers(admin.put(address, RECORD | {"speed": 1e9})) == {"/speed"}


def test_a_record_that_changed_meanwhile_is_neither_corrected_nor_deleted(
    admin: ApiClient, path: str
) -> None:
    address = f"{path}/2026-03-01T12:00:00Z"
    sent = admin.post(path, RECORD)
    as_sent = {"If-Match": sent.headers["ETag"]}
    assert admin.put(address, RECORD, headers={"If-None-Match": "*"}).status_code == 412
    corrected = admin.put(address, RECORD | {"speed": 11}, headers=as_sent)
    assert corrected.status_code == 200
    assert admin.put(address, RECORD, headers=as_sent).status_code == 412
    assert admin.delete(address, headers=as_sent).status_code == 412
    as_corrected = {"If-Match": corrected.headers["ETag"]}
    assert admin.delete(address, headers=as_corrected).status_code == 204


def test_an_admin_deletes_a_record_and_the_audit_record_keeps_it(
    admin: ApiClient, path: str
) -> None:
    for hours in range(3):
        admin.post(path, at(hours))
    address = f"{path}/2026-03-01T13:00:00Z"
    assert admin.delete(address).status_code == 204
    left = admin.get(path).get_json()
    assert (left["total"], len(left["items"])) == (2, 2)
    entry = admin.get("/audit").get_json()["items"][0]
    assert (entry["action"], entry["after"]) == ("telemetry.deleted", None)
    assert at(1).items() <= entry["before"].items()
    assert admin.delete(address).status_code == 404
    assert admin.delete(f"{path}/yesterday").status_code == 404
    assert admin.post(path, at(1, speed=3)).status_code == 201
    assert admin.get(path).get_json()["total"] == 3


def test_only_admins_of_the_organization_correct_delete_and_read_the_audit_record(
    planner: ApiClient, stranger: ApiClient, path: str
) -> None:
    planner.post(path, RECORD)
    address = f"{path}/{RECORD['timestamp']}"
    assert planner.put(address, RECORD).status_code == 403
    assert planner.delete(address).status_code == 403
    assert planner.get("/audit").status_code == 403
    assert stranger.delete(address).status_code in (403, 404)
    assert planner.get(path).get_json()["total"] == 1


def test_the_audit_record_cannot_be_changed(
    app: Flask, organization_id: UUID, admin: ApiClient, path: str
) -> None:
    admin.post(path, RECORD)
    admin.delete(f"{path}/{RECORD['timestamp']}")
    for statement in ("UPDATE audit_entry SET actor = 'nobody'", "DELETE FROM audit_entry"):
        with (
            app.app_context(),
            pytest.raises(ProgrammingError, match="permission denied"),
            organization_session(organization_id) as session,
        ):
            session.execute(text(statement))
