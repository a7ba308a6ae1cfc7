"""Noon reports through the API, on a real database."""

import io
import json
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.datasources.noon_reports.reading import NoonTable
from app.services.vessels import noon_reports
from tests.integration.client import ApiClient, pointers

pytestmark = pytest.mark.services

HEADER = "Date (UTC),Lat,Long,Hours,Distance (nm),Speed (kn),ME FO Cons (mt),Draft Fwd,Draft Aft"
GOOD = "{date},51.5,-4.25,24,336,14.0,{fuel},11.8,12.2"


def a_file(*rows: str) -> bytes:
    return "\n".join([HEADER, *rows]).encode()


def good(day: int, fuel: float = 28.5) -> str:
    return GOOD.format(date=f"2026-03-{day:02} 12:00", fuel=fuel)


def send(
    client: ApiClient, path: str, content: bytes, said: dict[str, Any] | None = None
) -> TestResponse:
    data: dict[str, Any] = {"file": (io.BytesIO(content), "noon.csv")}
    if said is not None:
        data["request"] = json.dumps(said)
    headers = {"X-API-Key": client.key}
    return client.http.post(f"/v1{path}", data=data, headers=headers)


@pytest.fixture
def path(planner: ApiClient) -> str:
    return f"/vessel/{planner.make_vessel()['id']}/noon-reports"


def test_a_preview_says_how_a_file_is_understood_and_stores_nothing(
    planner: ApiClient, path: str
) -> None:
    answer = send(planner, f"{path}/preview", a_file(good(1), good(2, fuel=-3)))
    assert answer.status_code == 200, answer.text
    shown = answer.get_json()
    assert (shown["rows"], shown["goodRows"], shown["faultCount"]) == (2, 1, 1)
    (fault,) = shown["faults"]
    assert (fault["row"], fault["column"], fault["value"]) == (3, "ME FO Cons (mt)", "-3")
    columns = {each["column"]: (each["field"], each["unit"]) for each in shown["columns"]}
    assert columns["Speed (kn)"] == ("speedOverGround", "knot")
    assert planner.get(path).get_json()["total"] == 0


@pytest.mark.parametrize("operation", ["", "/preview"])
def test_no_transaction_is_open_while_a_file_is_read(
    app: Flask, planner: ApiClient, path: str, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    pool, read = app.extensions["chartroom"].engine.pool, noon_reports.read_noon_reports
    in_use: list[int] = []

    def note(*given: Any, **options: Any) -> NoonTable:
        in_use.append(pool.checkedout())
        return read(*given, **options)

    monkeypatch.setattr(noon_reports, "read_noon_reports", note)
    answer = send(planner, f"{path}{operation}", a_file(good(1)))
    assert answer.status_code == 200, answer.text
    assert in_use == [0]


def test_any_fault_refuses_all_rows_unless_good_rows_are_requested(
    planner: ApiClient, path: str
) -> None:
    content = a_file(good(1), good(2, fuel=-3))
    refused = send(planner, path, content)
    assert refused.status_code == 422
    (error,) = refused.get_json()["errors"]
    assert error["pointer"] == "/rows/3/ME FO Cons (mt)"
    assert "Row 3, ME FO Cons (mt) “-3”: is negative" in error["detail"]
    assert planner.get(path).get_json()["total"] == 0
    kept = send(planner, f"{path}?keepGoodRows=true", content)
    assert kept.status_code == 200, kept.text
    assert (kept.get_json()["stored"], kept.get_json()["faultCount"]) == (1, 1)
    (stored,) = planner.get(path).get_json()["items"]
    assert stored["timestamp"] == "2026-03-01T12:00:00Z"
    assert (stored["fuel"], stored["draftAft"], stored["trim"]) == (28.5, 12.2, None)


def test_the_same_file_again_changes_nothing_and_another_figure_is_named(
    planner: ApiClient, path: str
) -> None:
    content = a_file(good(1), good(2))
    assert send(planner, path, content).get_json()["stored"] == 2
    again = send(planner, path, content).get_json()
    assert (again["stored"], again["duplicates"]) == (0, 2)
    other = send(planner, path, a_file(good(2, fuel=29.5), good(3)))
    assert other.status_code == 422
    (error,) = other.get_json()["errors"]
    assert "another report is stored" in error["detail"]
    assert error["pointer"] == "/rows/2/Date (UTC)"
    assert planner.get(path).get_json()["total"] == 2


def test_an_error_of_a_field_without_a_column_points_to_the_field(
    planner: ApiClient, path: str
) -> None:
    content = a_file(good(1).replace("12:00", "12:00 LT")).replace(b" (UTC)", b"")
    (error,) = send(planner, path, content).get_json()["errors"]
    assert error["pointer"] == "/rows/2/utcOffset"
    assert error["detail"].startswith("Row 2, UTC offset: is blank")


def test_a_preview_states_which_columns_are_left_out_and_what_is_assumed(
    planner: ApiClient, path: str
) -> None:
    header = HEADER.replace(" (UTC)", "") + ",FO Cons (mt)"
    content = f"{header}\n{good(1)},31".encode()
    shown = send(planner, f"{path}/preview", content).get_json()
    remarks = {each["column"]: each["remark"] for each in shown["columns"] if each["remark"]}
    assert remarks == {
        "Date": "Times without a zone are read as UTC.",
        "FO Cons (mt)": "Left out: “ME FO Cons (mt)” is read as Main engine's fuel.",
    }


def test_a_user_says_what_columns_are_and_in_which_order_dates_stand(
    planner: ApiClient, path: str
) -> None:
    content = a_file("03/04/2026 12:00,51.5,-4.25,24,336,25.93,28.5,11.8,12.2")
    said = {
        "mapping": [{"column": "Speed (kn)", "field": "speedThroughWater", "unit": "km/h"}],
        "dateOrder": "MDY",
    }
    assert send(planner, path, content, said).status_code == 200
    (stored,) = planner.get(path).get_json()["items"]
    assert stored["timestamp"] == "2026-03-04T12:00:00Z"
    assert stored["speedThroughWater"] == pytest.approx(14.0, abs=0.01)
    wrong = send(planner, path, content, {"mapping": [{"column": "Lat", "field": "depth"}]})
    assert wrong.status_code == 422


def test_a_mapping_of_a_column_that_the_file_lacks_is_refused_with_its_columns(
    planner: ApiClient, path: str
) -> None:
    mistyped = {"column": "Spd", "field": "speedThroughWater", "unit": "kn"}
    said = {"mapping": [{"column": "Lat", "field": None}, mistyped]}
    for address in (path, f"{path}/preview"):
        refused = send(planner, address, a_file(good(2)), said)
        assert refused.status_code == 422
        (error,) = refused.get_json()["errors"]
        assert error["pointer"] == "/mapping/1/column"
        assert "no column “Spd”. Its columns: " in error["detail"]
        assert "Speed (kn)" in error["detail"]


def test_records_are_taken_as_json_by_the_same_rules(planner: ApiClient, path: str) -> None:
    record = {"timestamp": "2026-03-01T20:00:00+08:00", "fuel": 28.5, "speedOverGround": 14.0}
    assert planner.post(path, [record]).get_json()["stored"] == 1
    (stored,) = planner.get(path).get_json()["items"]
    assert stored["timestamp"] == "2026-03-01T12:00:00Z"
    refused = planner.post(path, [record | {"fuel": -1}, record | {"speedOverGround": 25.9}])
    assert pointers(refused) == {"/0/fuel", "/1/speedOverGround"}


def test_longitudes_of_records_are_counted_to_360_as_in_files(
    planner: ApiClient, path: str
) -> None:
    record = {"latitude": 1, "fuel": 3, "distance": 300, "steamingHours": 24}
    sent = [(1, 190.3), (2, 180), (3, 185)]
    records = [
        record | {"timestamp": f"2026-03-0{day}T12:00:00Z", "longitude": lng} for day, lng in sent
    ]
    answer = planner.post(path, records)
    assert answer.status_code == 200, answer.text
    stored = planner.get(path).get_json()["items"]
    assert sorted(each["longitude"] for each in stored) == [-180.0, -175.0, -169.7]
    (error,) = planner.post(path, [records[0] | {"longitude": 360.1}]).get_json()["errors"]
    assert error["pointer"].endswith("/longitude")


def test_errors_of_an_array_name_reports_instead_of_rows(planner: ApiClient, path: str) -> None:
    record = {"timestamp": "2026-03-01T12:00:00Z", "fuel": 28.5, "speedOverGround": 14.0}
    refused = planner.post(path, [record, record]).get_json()
    assert refused["detail"].startswith("1 of 2 reports are at fault")
    (error,) = refused["errors"]
    assert error["pointer"] == "/1/timestamp"
    assert error["detail"].startswith("Report 2, timestamp: is the time of report 1 again")


def test_errors_of_an_array_point_to_its_members(planner: ApiClient, path: str) -> None:
    record = {"timestamp": "2026-03-01T12:00:00Z", "fuel": 28.5, "speedOverGround": 14.0}
    assert pointers(planner.post(path, [record | {"ME/fuel~": 1}, 7])) == {"/0/ME~1fuel~0", "/1"}
    planner.post(path, [record])
    assert pointers(planner.post(path, [record | {"fuel": 30}])) == {"/0/timestamp"}


def test_records_at_fault_are_counted_among_the_rows(planner: ApiClient, path: str) -> None:
    good_one = {"timestamp": "2026-03-01T20:00:00+08:00", "fuel": 28.5, "speedOverGround": 14.0}
    records = [good_one, good_one | {"fuel": -1}, good_one | {"speed": 14}]
    refused = planner.post(path, records)
    assert "2 of 3 reports are at fault" in refused.get_json()["detail"]
    kept = planner.post(f"{path}?keepGoodRows=true", records).get_json()
    assert (kept["rows"], kept["goodRows"], kept["stored"]) == (3, 1, 1)


def test_what_is_no_table_is_refused_in_words(planner: ApiClient, path: str) -> None:
    for content, words in ((b"PK\x03\x04half", "cut off"), (b"hello", "No row of headers")):
        answer = send(planner, f"{path}/preview", content)
        assert answer.status_code == 422
        assert words in answer.get_json()["errors"][0]["detail"]


def test_an_admin_deletes_one_report_or_all_and_the_audit_record_says_so(
    admin: ApiClient, planner: ApiClient, path: str
) -> None:
    send(planner, path, a_file(good(1), good(2), good(3)))
    assert planner.delete(path).status_code == 403
    assert admin.delete(f"{path}/2026-03-02T12:00:00Z").status_code == 204
    assert admin.delete(f"{path}/2026-03-02T12:00:00Z").status_code == 404
    assert admin.delete(path).get_json() == {"deleted": 2}
    actions = [entry["action"] for entry in admin.get("/audit").get_json()["items"]]
    assert actions[:3] == ["noon_reports.deleted", "noon_reports.deleted", "noon_reports.imported"]


def test_reports_that_changed_since_they_were_read_are_not_deleted(
    admin: ApiClient, planner: ApiClient, path: str
) -> None:
    send(planner, path, a_file(good(1), good(2)))
    one = f"{path}/2026-03-02T12:00:00Z"
    as_read = {"If-Match": admin.get(one).headers["ETag"]}
    all_as_read = {"If-Match": admin.get(path).headers["ETag"]}
    assert admin.delete(one, headers={"If-Match": '"another"'}).status_code == 412
    assert admin.delete(one, headers=as_read).status_code == 204
    assert admin.get(one).status_code == 404
    assert admin.delete(path, headers=all_as_read).status_code == 412
    all_as_read = {"If-Match": admin.get(path).headers["ETag"]}
    assert admin.delete(path, headers=all_as_read).get_json() == {"deleted": 1}


def test_reports_of_another_organization_are_not_found(
    planner: ApiClient, stranger: ApiClient, path: str
) -> None:
    send(planner, path, a_file(good(1)))
    assert stranger.get(path).status_code == 404
    assert send(stranger, path, a_file(good(2))).status_code == 404


def test_reports_sent_again_do_not_count_as_more(
    planner: ApiClient, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noon_reports, "MOST_REPORTS", 3)
    three = a_file(good(1), good(2), good(3))
    assert [send(planner, path, three).status_code for _ in range(2)] == [200, 200]
    refused = send(planner, path, a_file(good(4)))
    assert refused.status_code == 409
    assert planner.get(path).get_json()["total"] == 3
