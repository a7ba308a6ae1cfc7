"""Checks of given routes: by waypoints, by file, only for own ships."""

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from openapi_schema_validator import OAS30Validator
from werkzeug.test import TestResponse

from app.engine.formatting import format_time
from app.exports.rtz import render_rtz
from app.records.instants import format_instant
from app.services.areas import charts
from tests.builders import Turn, make_plan
from tests.integration.browser import signed_in
from tests.integration.client import CHARTING, VESSEL, ApiClient, list_pointers
from tests.integration.voyages import bring_waves
from tests.unit.engine.storms import make_even

pytestmark = pytest.mark.atlas

#: From south of the Lizard to west of Ushant, clear of all land.
CLEAR = [{"lat": 49.7, "lng": -4.9}, {"lat": 49.5, "lng": -6.4}, {"lat": 48.4, "lng": -6.4}]
#: That route as a table.
CLEAR_FILE = b"lat,lng\n49.7,-4.9\n49.5,-6.4\n48.4,-6.4\n"
#: The same, but over Cornwall on the second leg.
OVER_LAND = [CLEAR[0], {"lat": 49.7, "lng": -5.2}, {"lat": 50.8, "lng": -5.3}]
#: An area across the second leg of the clear route.
RING = [[-6.6, 48.8], [-6.2, 48.8], [-6.2, 49.2], [-6.6, 49.2], [-6.6, 48.8]]
BODY: dict[str, Any] = {"draft": 10, "startDate": "2031-03-01T06:00:00Z", "speed": 12}

Check = Callable[..., dict[str, Any]]


@pytest.fixture
def vessel_id(planner: ApiClient) -> str:
    return str(planner.make_vessel()["id"])


@pytest.fixture
def check(planner: ApiClient, vessel_id: str) -> Check:
    def ask(**changes: Any) -> dict[str, Any]:
        answer = planner.post("/routes/check", BODY | {"vesselId": vessel_id} | changes)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.get_json()
        return found

    return ask


def send_file(client: ApiClient, content: bytes, **fields: Any) -> TestResponse:
    form = {"file": (io.BytesIO(content), "route"), **fields}
    headers = {"X-API-Key": client.key}
    return client.http.post(
        "/v1/routes/check", data=form, headers=headers, content_type="multipart/form-data"
    )


def codes(answer: dict[str, Any], *severities: str) -> list[str]:
    found = answer["findings"]
    return [f["code"] for f in found if not severities or f["severity"] in severities]


def test_a_check_is_as_described_and_stores_nothing(
    app: Flask, planner: ApiClient, check: Check
) -> None:
    answer = check(waypoints=OVER_LAND, price=True)
    components = app.test_client().get("/v1/openapi.json").get_json()["components"]
    schema = {"$ref": "#/components/schemas/RouteCheck", "components": components}
    OAS30Validator(schema).validate(answer)
    assert len(answer["waypoints"]) == 3
    assert planner.get("/charting").get_json()["total"] == 0
    assert planner.get("/vessel").get_json()["total"] == 1


def test_land_is_a_danger_on_its_leg_and_comes_first(check: Check) -> None:
    found = check(waypoints=OVER_LAND)["findings"]
    assert (found[0]["code"], found[0]["severity"]) == ("LAND_CROSSED", "danger")
    assert (found[0]["legIndex"], found[0]["waypointIndex"]) == (1, None)
    assert 49.9 < found[0]["lat"] < 50.8


@pytest.mark.parametrize("order", [1, -1])
def test_a_route_with_an_end_far_inland_crosses_land(check: Check, order: int) -> None:
    inland = {"lat": 48.4, "lng": 6.4}  # the sign of CLEAR's last longitude is wrong
    found = check(waypoints=[*CLEAR[:2], inland][::order], price=True)
    assert "LAND_CROSSED" in codes(found, "danger")
    assert found["waypoints"][-1]["legFuelMt"] > 0.0


def test_a_clear_route_is_summed_up_and_priced_if_asked_for(check: Check) -> None:
    answer = check(waypoints=CLEAR)
    assert codes(answer, "danger", "warning") == []
    assert answer["waypoints"] == []
    assert 120 < answer["summary"]["distanceNm"] < 135
    assert answer["summary"]["durationH"] == pytest.approx(
        answer["summary"]["distanceNm"] / answer["summary"]["avgSpeedKn"], rel=0.01
    )
    priced = check(waypoints=CLEAR, price=True)
    fuel = sum(waypoint["legFuelMt"] for waypoint in priced["waypoints"])
    assert fuel == pytest.approx(priced["summary"]["fuelMt"], rel=0.001)


def test_a_round_voyage_is_checked(check: Check) -> None:
    answer = check(waypoints=[*CLEAR, CLEAR[0]])
    assert 200 < answer["summary"]["distanceNm"] < 300
    assert codes(answer, "danger") == []
    over_land = check(waypoints=[*OVER_LAND, OVER_LAND[0]])
    assert codes(over_land, "danger")[0] == "LAND_CROSSED"


def test_a_route_without_times_or_speeds_is_said_to_have_none(check: Check) -> None:
    found = check(waypoints=CLEAR, speed=None)["findings"]
    (missing,) = (each for each in found if each["code"] == "SCHEDULE_MISSING")
    assert f"sailed at {VESSEL['serviceSpeed']:.1f} kn" in missing["message"]
    assert "SCHEDULE_MISSING" not in codes(check(waypoints=CLEAR))


def test_times_of_the_request_are_kept(check: Check) -> None:
    etas = ["2031-03-01T12:00:00Z", "2031-03-01T18:00:00Z"]
    summary = check(waypoints=CLEAR, etas=etas)["summary"]
    assert summary["eta"] == etas[-1]
    waits = [CLEAR[0], CLEAR[1] | {"etd": "2031-03-01T13:00:00Z"}, CLEAR[2]]
    waited = check(waypoints=waits, etas=etas, price=True)
    assert waited["waypoints"][1]["eta"] == etas[0]


#: The clear route on a schedule of 2024, eight hours a leg.
OLD = [
    CLEAR[0] | {"etd": "2024-03-01T06:00:00Z"},
    CLEAR[1] | {"eta": "2024-03-01T14:00:00Z"},
    CLEAR[2] | {"eta": "2024-03-01T22:00:00Z"},
]

#: The same from the first to the last year of the calendar.
OLD_FOR_EVER = [
    place | {"eta": f"{year:04}-01-01T00:00:00Z"}
    for place, year in zip(CLEAR, (9999, 5000, 1), strict=True)
]
#: To and fro in the South Pacific, 70,000 nm.
ROUND_AND_ROUND = [{"lat": -50, "lng": -90 if number % 2 else -170} for number in range(24)]


def _late(number: int, field: str) -> list[dict[str, Any]]:
    """Return that schedule with a time beyond those that can be planned."""
    return [
        place | ({field: "2150-03-01T06:00:00Z"} if at == number else {})
        for at, place in enumerate(OLD)
    ]


def test_a_departure_that_is_asked_for_moves_the_schedule_of_a_route(check: Check) -> None:
    moved = check(waypoints=OLD)
    assert moved["summary"]["eta"] == "2031-03-01T22:00:00Z"
    assert "DEPARTURE_PAST" not in codes(moved)
    kept = check(waypoints=OLD, startDate=None)
    assert kept["summary"]["eta"] == "2024-03-01T22:00:00Z"


def test_a_departure_that_nobody_gave_is_now_and_is_stated(check: Check) -> None:
    def state(**asked: Any) -> list[str]:
        found = check(waypoints=CLEAR, **asked)["findings"]
        return [each["message"] for each in found if each["code"] == "SCHEDULE_MISSING"]

    (stated,) = state(startDate=None)
    now = datetime.now(UTC)
    assert any(format_time(now - back * timedelta(minutes=1)) in stated for back in range(3))
    assert state() == []


def test_a_departure_in_the_past_is_a_warning(check: Check) -> None:
    assert "DEPARTURE_PAST" in codes(check(waypoints=OLD, startDate=None), "warning")
    assert "DEPARTURE_PAST" not in codes(check(waypoints=CLEAR, startDate=None))


def test_a_departure_in_the_past_that_is_asked_for_is_not_asked_for_again(check: Check) -> None:
    answer = check(waypoints=CLEAR, startDate="2026-01-01T00:00:00Z")
    (past,) = (each for each in answer["findings"] if each["code"] == "DEPARTURE_PAST")
    assert past["message"].endswith("which is past.")


def test_the_detail_of_a_refused_check_names_the_fields(planner: ApiClient, vessel_id: str) -> None:
    body = {"vesselId": vessel_id, "waypoints": CLEAR, "speeds": [None, None]}
    refused = planner.post("/routes/check", body)
    assert refused.get_json()["detail"] == "Not valid: speeds/0, speeds/1, draft."
    neither = planner.post("/routes/check", data=b"x", content_type="text/csv")
    assert "multipart/form-data" in neither.get_json()["detail"]


def test_a_schedule_that_moves_beyond_the_calendar_is_refused(
    planner: ApiClient, vessel_id: str
) -> None:
    body = BODY | {"vesselId": vessel_id, "waypoints": OLD, "startDate": "9999-12-31T20:00:00Z"}
    assert list_pointers(planner.post("/routes/check", body)) == ["/startDate"]


def test_a_constraint_is_entered_only_while_it_is_in_force(
    planner: ApiClient, check: Check
) -> None:
    area = {"type": "Polygon", "coordinates": [RING]}
    assert "AREA_ENTERED" not in codes(check(waypoints=CLEAR), "danger")
    planner.post(
        "/constraints", {"name": "Firing", "type": "MILITARY", "level": "GLOBAL", "geometry": area,
                         "start_date": "2031-03-01", "end_date": "2031-03-03"},
    )  # fmt: skip
    assert "AREA_ENTERED" in codes(check(waypoints=CLEAR), "danger")
    late = check(waypoints=CLEAR, startDate="2031-03-05T06:00:00Z")
    assert "AREA_ENTERED" not in codes(late, "danger")


def test_an_installation_without_weather_says_that_it_is_unknown(check: Check) -> None:
    assert "WEATHER_UNKNOWN" in codes(check(waypoints=CLEAR, maxWaveHeight=0.1), "unknown")


@pytest.mark.usefixtures("climatology", "context")
@pytest.mark.parametrize("is_timed", [False, True])
def test_the_newest_forecast_that_covers_a_route_is_used_though_an_older_one_is_longer(
    worker_app: Flask, check: Check, is_timed: bool
) -> None:
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    for height_m, last_h, hours_ago in ((7.0, 240.0, 3), (2.0, 72.0, 1)):
        issued_at = now - timedelta(hours=hours_ago)
        bring_waves(worker_app, make_even(height_m, last_h), begins_at=now, issued_at=issued_at)
    # two days at 12 kn
    route: list[dict[str, Any]] = [{"lat": 48.0, "lng": -20.0}, {"lat": 48.0, "lng": -34.0}]
    if is_timed:
        route[1]["eta"] = format_instant(now + timedelta(hours=48))
    answer = check(waypoints=route, startDate=format_instant(now))
    assert answer["summary"]["durationH"] == pytest.approx(48.0, abs=2.0)
    assert answer["summary"]["maxWaveM"] == pytest.approx(2.0, abs=0.1)


def test_a_file_is_checked_like_the_same_waypoints(planner: ApiClient, vessel_id: str) -> None:
    turns = [Turn(at["lat"], at["lng"], xtd_m=900.0) for at in CLEAR]
    content = render_rtz(make_plan(turns), route_name="Out", revision=1)
    fields = {"vesselId": vessel_id, "draft": "10", "startDate": BODY["startDate"]}
    answer = send_file(planner, content, **fields, price="true")
    assert answer.status_code == 200, answer.text
    assert codes(answer.get_json(), "danger", "warning") == []
    assert len(answer.get_json()["waypoints"]) == 3
    packed = send_file(planner, content, request=json.dumps(fields | {"draft": 10}))
    assert packed.get_json()["summary"] == answer.get_json()["summary"]


def test_faults_of_a_file_are_findings_with_their_line(planner: ApiClient, vessel_id: str) -> None:
    turns = [Turn(at["lat"], at["lng"]) for at in CLEAR]
    content = render_rtz(make_plan(turns), route_name="Out", revision=1)
    content = content.replace(b'waypoint id="3"', b'waypoint id="2"')
    answer = send_file(planner, content, vesselId=vessel_id, draft="10").get_json()
    assert {"DUPLICATE_ID", "FILE_FAULT"} <= set(codes(answer, "warning"))
    fault = next(f for f in answer["findings"] if f["code"] == "FILE_FAULT")
    assert fault["line"] > 1
    assert f"Line {fault['line']}" in fault["message"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"PK\x03\x04\xff", "archive"),
        (b'<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><route>&e;</route>', "Line 1"),
        (b"lat,lng\n50,-6\nnorth,west\n", "Line 3: Waypoint 2 has the latitude 'north'"),
        (b"lat,lng\n" + b"50,-6\n" * 6_000, "up to 5000"),
        (b"lat,lng\n50,-6\n50,-6\n", "one place"),
        (
            b"<gpx>"
            + b'<rte><rtept lat="50" lon="-6"/><rtept lat="49" lon="-6"/></rte>' * 2
            + b"</gpx>",
            "holds 2 routes",
        ),
    ],
)
def test_a_file_that_is_no_route_is_refused_with_its_line(
    planner: ApiClient, vessel_id: str, content: bytes, words: str
) -> None:
    refused = send_file(planner, content, vesselId=vessel_id, draft="10")
    assert list_pointers(refused) == ["/file"]
    assert words in refused.get_json()["errors"][0]["detail"]
    assert refused.content_type == "application/problem+json"


def test_a_file_beyond_the_limit_is_refused_unread(planner: ApiClient) -> None:
    refused = planner.http.post(
        "/v1/routes/check",
        data=b"x" * 2_200_000,
        headers={"X-API-Key": planner.key},
        content_type="multipart/form-data; boundary=x",
    )
    assert refused.status_code == 413
    assert refused.get_json()["detail"] == (
        "The body has 2,200 kB; at most 2,097 kB are read here. Send fewer positions or records at"
        " once."
    )


def test_the_clearance_that_an_organization_requires_counts(admin: ApiClient, check: Check) -> None:
    over_the_dogger_bank = [{"lat": 54.7, "lng": 2.0}, {"lat": 54.9, "lng": 2.6}]
    assert "TOO_SHALLOW" not in codes(check(waypoints=over_the_dogger_bank))
    assert admin.patch("/organization", {"ukcMarginM": 5}).get_json()["ukcMarginM"] == 5
    assert "TOO_SHALLOW" in codes(check(waypoints=over_the_dogger_bank), "danger")
    for wrong in (-0.1, 20.1, None):
        assert list_pointers(admin.patch("/organization", {"ukcMarginM": wrong})) == ["/ukcMarginM"]


def test_a_field_that_a_form_gives_twice_is_refused(planner: ApiClient, vessel_id: str) -> None:
    twice = send_file(planner, CLEAR_FILE, vesselId=vessel_id, draft=["10", "14"])
    assert list_pointers(twice) == ["/draft"]
    files = [(io.BytesIO(CLEAR_FILE), "a.csv"), (io.BytesIO(CLEAR_FILE), "b.csv")]
    two_files = send_file(planner, b"", vesselId=vessel_id, draft="10", file=files)
    assert list_pointers(two_files) == ["/file"]


def test_a_field_of_a_form_counts_with_a_file_name_too(planner: ApiClient, vessel_id: str) -> None:
    asked = json.dumps({"vesselId": vessel_id, "draft": 10, "maxWaveHeight": -1})
    as_file = send_file(planner, CLEAR_FILE, request=(io.BytesIO(asked.encode()), "r.json"))
    assert list_pointers(as_file) == ["/maxWaveHeight"]
    limit = (io.BytesIO(b"-1"), "limit.txt")
    alone = send_file(planner, CLEAR_FILE, vesselId=vessel_id, draft="10", maxWaveHeight=limit)
    assert list_pointers(alone) == ["/maxWaveHeight"]
    unknown = (io.BytesIO(b"x"), "b.bin")
    other = send_file(planner, CLEAR_FILE, vesselId=vessel_id, draft="10", attachment=unknown)
    assert list_pointers(other) == ["/attachment"]


def test_a_form_s_number_that_is_none_is_refused_at_its_field(
    planner: ApiClient, vessel_id: str
) -> None:
    refused = send_file(planner, CLEAR_FILE, vesselId=vessel_id, draft="NaN")
    assert list_pointers(refused) == ["/draft"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"waypoints": None}, "/waypoints"),
        ({"waypoints": CLEAR[:1]}, "/waypoints"),
        ({"waypoints": [CLEAR[0], CLEAR[0]]}, "/waypoints"),
        ({"waypoints": [CLEAR[0], CLEAR[0] | {"lng": -4.900001}]}, "/waypoints"),
        ({"waypoints": [*CLEAR, {"lat": 91, "lng": 0}]}, "/waypoints/3/lat"),
        ({"waypoints": [*CLEAR, {"lat": 9, "lng": 0, "speedKn": 0}]}, "/waypoints/3/speedKn"),
        ({"vesselId": "none"}, "/vesselId"),
        ({"vesselId": None}, "/vesselId"),
        ({"draft": 20}, "/draft"),
        ({"speeds": [12], "speed": None}, "/speeds"),
        ({"etas": ["2031-03-01T12:00:00Z"]}, "/etas"),
        ({"maxWindBf": 3.5}, "/maxWindBf"),
        ({"noGoAreas": [{"type": "Polygon", "coordinates": []}]}, "/noGoAreas/0"),
        ({"startDate": "1970-01-01T00:00:00Z"}, "/startDate"),
        ({"startDate": "1970-01-01T00:00:00Z", "waypoints": OLD}, "/startDate"),
        ({"startDate": None, "waypoints": _late(0, "etd")}, "/waypoints/0/etd"),
        ({"startDate": None, "waypoints": _late(2, "eta")}, "/waypoints/2/eta"),
        ({"etas": ["2031-03-01T12:00:00Z", "2101-03-01T12:00:00Z"]}, "/etas/1"),
        ({"etas": ["2031-03-01T12:00:00Z", "2032-03-02T12:00:00Z"]}, "/etas/1"),
        ({"waypoints": [*OLD[:2], CLEAR[2] | {"eta": "2025-03-03T06:00:00Z"}]}, "/waypoints/2/eta"),
        ({"speeds": [11, 13]}, "/speeds"),
        ({"waypoints": OLD, "etas": ["2031-03-01T14:00:00Z", "2031-03-01T22:00:00Z"]}, "/etas"),
        ({"waypoints": OLD_FOR_EVER}, "/waypoints"),
        ({"waypoints": ROUND_AND_ROUND, "speed": 40}, "/waypoints"),
        ({"waypoints": ROUND_AND_ROUND[:18], "speed": 1}, "/waypoints"),
    ],
)
def test_what_cannot_be_checked_is_refused_at_its_place(
    planner: ApiClient, vessel_id: str, change: dict[str, Any], place: str
) -> None:
    body = BODY | {"vesselId": vessel_id, "waypoints": CLEAR} | change
    refused = list_pointers(planner.post("/routes/check", body))
    assert any(pointer.startswith(place) for pointer in refused)


def test_a_ship_need_not_be_registered(planner: ApiClient, check: Check) -> None:
    described = planner.post("/routes/check", BODY | {"particulars": VESSEL, "waypoints": CLEAR})
    assert described.status_code == 200, described.text
    assert described.get_json() == check(waypoints=CLEAR)


def test_another_organizations_vessel_is_not_checked(stranger: ApiClient, vessel_id: str) -> None:
    body = BODY | {"vesselId": vessel_id, "waypoints": CLEAR}
    assert list_pointers(stranger.post("/routes/check", body)) == ["/vesselId"]


def test_a_plans_own_rtz_has_no_danger_and_costs_what_was_planned(
    planner: ApiClient, vessel_id: str, plan: Callable[[str, int], None]
) -> None:
    charting_id = planner.order(vesselId=vessel_id, startDate=BODY["startDate"])["id"]
    plan(charting_id, 1)
    planned = planner.get(f"/charting/{charting_id}").get_json()["summary"]
    content = planner.get(f"/charting/{charting_id}/rtz").data
    answer = send_file(planner, content, vesselId=vessel_id, draft=str(CHARTING["draft"]))
    found = answer.get_json()
    assert codes(found, "danger", "warning") == []
    assert found["summary"]["eta"] == planned["eta"]
    assert found["summary"]["fuelMt"] == pytest.approx(planned["fuelMt"], rel=0.003)


def test_the_command_checks_a_file_and_says_by_its_status_if_it_is_grave(
    app: Flask, vessel_id: str, tmp_path: Path
) -> None:
    rows = {"clear": CLEAR, "grave": OVER_LAND}
    for name, route in rows.items():
        lines = ["lat,lng", *(f"{at['lat']},{at['lng']}" for at in route)]
        (tmp_path / name).write_text("\n".join(lines))

    def run(*arguments: str) -> Any:
        asked = ["route", "check", *arguments, "--vessel", vessel_id, "--speed", "12"]
        return app.test_cli_runner().invoke(args=asked)

    clear = run(str(tmp_path / "clear"), "--start", "2031-03-01T06:00:00Z")
    assert clear.exit_code == 0, clear.output
    assert "0 danger, 0 warning" in clear.output
    assert "2031-03-01" in clear.output
    grave = run(str(tmp_path / "grave"))
    assert grave.exit_code == 3
    assert grave.output.startswith("danger   LAND_CROSSED")
    printed = json.loads(run(str(tmp_path / "grave"), "--json").output)
    assert printed["findings"][0]["code"] == "LAND_CROSSED"
    assert run().exit_code == 2


def test_the_command_refuses_in_plain_words(app: Flask, vessel_id: str, tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("lat,lng\n50,-6\nnorth,west\n")

    def run(vessel: str, *arguments: str) -> str:
        asked = ["route", "check", str(tmp_path / "broken"), "--vessel", vessel, *arguments]
        result = app.test_cli_runner().invoke(args=asked)
        assert result.exit_code == 1
        return result.output

    assert run(vessel_id).startswith("Error: Line 3")
    assert "There is no vessel" in run("5c1e7d07-9e5f-4f1f-8a6f-3b110199a6f2")
    assert "startDate" in run(vessel_id, "--start", "tomorrow")


def test_the_command_names_a_chart_that_cannot_be_read(
    app: Flask, vessel_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "US5TEST.json").write_text("{}")
    monkeypatch.setattr(charts, "charts_dir", lambda: tmp_path)
    route = tmp_path / "route.csv"
    route.write_text("lat,lng\n" + "\n".join(f"{at['lat']},{at['lng']}" for at in CLEAR))
    asked = ["route", "check", str(route), "--vessel", vessel_id, "--speed", "12"]
    result = app.test_cli_runner().invoke(args=asked)
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert "chart US5TEST cannot be read" in result.output


def send_route(client: ApiClient, charting_id: str, content: bytes, **fields: str) -> TestResponse:
    return client.http.post(
        f"/v1/charting/{charting_id}/compare",
        data={"file": (io.BytesIO(content), "route"), **fields},
        headers={"X-API-Key": client.key},
        content_type="multipart/form-data",
    )


@pytest.mark.usefixtures("atlas", "redis")
def test_a_plans_own_route_compared_with_it_costs_nothing_more(
    app: Flask, planner: ApiClient, plan: Callable[..., None]
) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    rtz = planner.get(f"/charting/{charting_id}/rtz").data
    answer = send_route(planner, charting_id, rtz)
    assert answer.status_code == 200, answer.text
    compared = answer.get_json()
    components = app.test_client().get("/v1/openapi.json").get_json()["components"]
    schema = {"$ref": "#/components/schemas/RouteComparison", "components": components}
    OAS30Validator(schema).validate(compared)
    planned = compared["plan"]["fuelMt"]
    assert compared["revision"] == 1
    assert abs(compared["extra"]["extraFuelMt"]) < 0.003 * planned
    assert compared["atBestSpeeds"]["fuelMt"] == pytest.approx(planned, rel=0.005)


@pytest.mark.usefixtures("atlas", "redis")
def test_a_plan_into_the_ice_is_compared_and_checked_as_it_was_planned(
    planner: ApiClient, check: Check, plan: Callable[..., None]
) -> None:
    ends = {"latFrom": 54.5, "lngFrom": 18.8, "latTo": 65.5, "lngTo": 22.3}
    charting_id = planner.order(**ends, startDate="2027-02-10T06:00:00Z")["id"]
    plan(charting_id)
    planned = planner.get(f"/charting/{charting_id}").get_json()
    assert "ICE" in {warning["code"] for warning in planned["warnings"]}
    kept = ("lat", "lng", "legGeometry", "eta")
    waypoints = [{key: each[key] for key in kept} for each in planned["waypoints"]]
    compared = planner.post(f"/charting/{charting_id}/compare", {"waypoints": waypoints}).get_json()
    found = check(waypoints=waypoints, draft=planned["draft"], speed=None, startDate=None)
    for answer, summary in ((compared, compared["plan"]), (found, found["summary"])):
        assert summary["fuelMt"] == pytest.approx(planned["summary"]["fuelMt"], rel=0.03)
        assert codes(answer, "danger") == []


@pytest.mark.usefixtures("atlas", "redis")
def test_a_route_between_other_places_than_the_plan_saves_nothing(
    planner: ApiClient, plan: Callable[..., None]
) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    elsewhere = [{"lat": 49.5, "lng": -5.0}, {"lat": 50.0, "lng": -2.0}]
    compared = planner.post(f"/charting/{charting_id}/compare", {"waypoints": elsewhere}).get_json()
    found = [each for each in compared["findings"] if each["code"] == "OTHER_ENDS"]
    assert [(each["waypointIndex"], each["severity"]) for each in found] == [
        (0, "warning"),
        (1, "warning"),
    ]
    assert "begins 3" in found[0]["message"]
    assert compared["summary"]["fuelMt"] > 0.0
    assert (compared["extra"], compared["atBestSpeeds"]) == (None, None)
    assert compared["explanation"].startswith("The route is not compared with the plan: it begins")


@pytest.mark.usefixtures("atlas", "redis")
def test_a_detour_compared_with_a_plan_departs_with_it_and_says_what_it_costs_more(
    planner: ApiClient, stranger: ApiClient, plan: Callable[..., None]
) -> None:
    charting_id = planner.order()["id"]
    path = f"/charting/{charting_id}/compare"
    ordered = planner.get(f"/charting/{charting_id}").get_json()
    ends = [{"lat": ordered[f"lat{end}"], "lng": ordered[f"lng{end}"]} for end in ("From", "To")]
    via = {"lat": 0.5 * (ends[0]["lat"] + ends[1]["lat"]) - 1.5,
           "lng": 0.5 * (ends[0]["lng"] + ends[1]["lng"])}  # fmt: skip
    detour = {"waypoints": [ends[0], via, ends[1]], "speed": 12}
    assert planner.post(path, detour).status_code == 409
    plan(charting_id)
    compared = planner.post(path, detour).get_json()
    extra = compared["extra"]
    assert extra["extraNm"] > 0.0
    parts = extra["trackMt"] + extra["speedMt"] + extra["arrivalMt"]
    assert parts == pytest.approx(extra["extraFuelMt"], abs=0.002)
    assert compared["explanation"].startswith("The route burns ")
    assert compared["atBestSpeeds"]["fuelMt"] <= compared["summary"]["fuelMt"]
    late = [
        point | {"eta": f"2001-01-0{day}T00:00:00Z"}
        for day, point in enumerate(detour["waypoints"], 1)
    ]
    moved = planner.post(path, {"waypoints": late}).get_json()
    assert "SCHEDULE_REVERSED" not in codes(moved)
    assert stranger.post(path, detour).status_code == 404
    assert list_pointers(planner.post(path, {"speed": 12})) == ["/waypoints"]
    assert list_pointers(planner.post(path, detour | {"draft": 3})) == ["/draft"]


@pytest.mark.usefixtures("atlas", "redis")
@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"eta": "2028-02-01T00:00:00Z"}, "/waypoints/1/eta"),
        ({"eta": "9999-12-31T23:59:59Z"}, "/waypoints/1/eta"),
        ({}, "/waypoints"),
    ],
)
def test_a_route_of_more_than_a_year_is_not_compared(
    planner: ApiClient, plan: Callable[..., None], change: dict[str, Any], place: str
) -> None:
    charting_id = planner.order(startDate="2027-01-20T00:00:00Z")["id"]
    plan(charting_id)
    route = [CLEAR[0], CLEAR[2] | change] if change else ROUND_AND_ROUND[:18]
    refused = planner.post(f"/charting/{charting_id}/compare", {"waypoints": route, "speed": 1.0})
    assert list_pointers(refused) == [place]


def test_the_page_shows_the_constraints_that_apply_at_the_routes_times(
    app: Flask, planner: ApiClient, vessel_id: str, organization_id: UUID
) -> None:
    area = {"type": "Polygon", "coordinates": [RING]}
    for name, year in (("Firing", 2031), ("Cable", 2033)):
        planner.post(
            "/constraints", {"name": name, "type": "MILITARY", "level": "GLOBAL", "geometry": area,
                             "start_date": f"{year}-03-01", "end_date": f"{year}-03-03"},
        )  # fmt: skip
    browser = signed_in(app, organization_id)
    lines = ["lat,lng", *(f"{at['lat']},{at['lng']}" for at in CLEAR)]
    fields = {"vesselId": vessel_id, "draft": "10", "startDate": BODY["startDate"]}
    answer = browser.http.post(
        "/check",
        data={"file": (io.BytesIO("\n".join(lines).encode()), "route.csv"), **fields},
        headers={"Accept": "application/json", "X-CSRFToken": browser.token()},
        content_type="multipart/form-data",
    )
    assert answer.status_code == 200, answer.text
    shown = {each["name"]: each["avoided"] for each in answer.get_json()["areas"]}
    assert shown["Firing"]
    assert "Cable" not in shown
