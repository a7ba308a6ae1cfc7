"""Consumption, segments, critical points, explanation and track of a charting."""

import os
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from jsonschema import ValidationError
from openapi_schema_validator import OAS30Validator
from redis import Redis

from app.config import Settings
from app.models import Role
from app.rate_limit import EXPLANATIONS_PER_HOUR
from tests.integration.client import ApiClient
from tests.integration.conftest import client_of, make_organization
from tests.integration.forked import fork
from tests.integration.test_hung_servers import end_writes, on_own_redis, own_redis
from tests.integration.web_processes import ask_five_times
from tests.waiting import PATIENCE_S

__all__ = ["on_own_redis", "own_redis"]

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

Plan = Callable[..., None]
READINGS = ("critical-points", "explanation", "track")

#: A number that is no part of a word, and a moment.
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)")
MOMENT = re.compile(r"\w{3} \d{1,2} \w{3} \d{4} \d\d:\d\d UTC")

#: Three voyages that differ in their facts: a short one, one through a canal with
#: limits by scale, and one that keeps out of war-risk areas by arriving late.
VOYAGES: dict[str, dict[str, Any]] = {
    "short": {},
    "canal": {
        "latFrom": 9.5, "lngFrom": -79.9, "portFromName": "Cristobal",
        "latTo": 8.8, "lngTo": -79.5, "portToName": "Balboa",
        "maxWaveHeight": 6, "waveUnit": "douglas", "maxWindBf": 8,
    },
    "around the Cape": {
        "latFrom": 36.0, "lngFrom": 14.0, "portFromName": "Malta Channel",
        "latTo": 18.9, "lngTo": 72.7, "portToName": "Mumbai",
        "endDate": "2026-03-02T00:00:00Z", "maxWaveHeight": 7.5, "maxNorthLat": 62.5,
    },
}  # fmt: skip


@pytest.fixture
def winding_id(planner: ApiClient, plan: Plan) -> str:
    """A planned charting down the Channel and around Brittany, which has waypoints between."""
    id_: str = planner.order(latTo=47.2, lngTo=-2.6, portToName="Saint-Nazaire")["id"]
    plan(id_)
    return id_


def read(client: ApiClient, charting_id: str, what: str) -> dict[str, Any]:
    response = client.get(f"/charting/{charting_id}/{what}")
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.get_json()
    return found


def leaves(record: Any) -> Iterator[Any]:
    """Every value of nested lists and mappings."""
    if isinstance(record, dict | list):
        for value in record.values() if isinstance(record, dict) else record:
            yield from leaves(value)
    else:
        yield record


def missing_numbers(text: str, record: dict[str, Any]) -> list[str]:
    """Numbers and moments of a text that no value of a record rounds to."""
    values = list(leaves(record))
    words = [value for value in values if isinstance(value, str)]
    moments = {
        datetime.fromisoformat(word).strftime("%a %-d %b %Y %H:%M UTC")
        for word in words
        if re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", word)
    }
    told = {number for word in words for number in NUMBER.findall(word)}
    numbers = [abs(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)]

    def is_held(number: str) -> bool:
        decimals = len(number.partition(".")[2])
        return number in told or any(f"{value:.{decimals}f}" == number for value in numbers)

    found = NUMBER.findall(MOMENT.sub("", text))
    absent = [moment for moment in MOMENT.findall(text) if moment not in moments]
    return absent + [number for number in found if not is_held(number)]


def test_three_explanations_differ_and_every_number_is_in_the_record(
    planner: ApiClient, plan: Plan
) -> None:
    texts, points = {}, {}
    for name, changes in VOYAGES.items():
        id_ = planner.order(**changes)["id"]
        plan(id_)
        record = planner.get(f"/charting/{id_}").get_json()
        assert record["status"] == "COMPLETED", (name, record["failure"])
        texts[name] = read(planner, id_, "explanation")["summary"]
        points[name] = read(planner, id_, "critical-points")["items"]
        assert len(NUMBER.findall(texts[name])) > 10
        assert missing_numbers(texts[name], record) == [], texts[name]
    assert len(set(texts.values())) == 3
    assert "Panama Canal" in texts["canal"]
    assert "war-risk" in texts["around the Cape"]
    kinds = {name: {kind for p in found for kind in p["kinds"]} for name, found in points.items()}
    assert "CANAL" in kinds["canal"]
    assert "CANAL" not in kinds["short"] | kinds["around the Cape"]
    assert {"ECA_EXIT", "ECA_ENTRY"} & kinds["around the Cape"]


@pytest.mark.usefixtures("climatology")
def test_every_reading_is_as_described(planner: ApiClient, app: Flask, plan: Plan) -> None:
    def check(name: str, answer: Any) -> None:
        components = app.test_client().get("/v1/openapi.json").get_json()["components"]
        schema = {"$ref": f"#/components/schemas/{name}", "components": components}
        OAS30Validator(schema).validate(answer)

    route = {"name": "straight", "waypoints": [{"lat": 9.5, "lng": -79.9}, {"lat": 9, "lng": -80}]}
    charting_id = planner.order(**VOYAGES["canal"], importedData=[route])["id"]
    plan(charting_id)
    record = planner.get(f"/charting/{charting_id}").get_json()
    assert record["facts"]["passages"][0]["waitingH"] > 0
    check("ChartingRecord", record)
    check("Provenance", record["provenance"])
    check("Facts", record["facts"])
    assert "optimalityGapPct" not in record["summary"]
    check("CriticalPoints", read(planner, charting_id, "critical-points"))
    check("Track", read(planner, charting_id, "track"))
    check("Explanation", read(planner, charting_id, "explanation"))
    check("Foc", read(planner, charting_id, "foc"))
    split = planner.post(f"/charting/{charting_id}/segments/compute").get_json()
    check("Segments", split)
    with pytest.raises(ValidationError):
        check("Segments", split | {"more": 1})


@pytest.mark.usefixtures("climatology")
def test_limits_are_shown_as_the_captain_gave_them(planner: ApiClient, plan: Plan) -> None:
    def explained(**limits: Any) -> str:
        id_ = planner.order(**limits)["id"]
        plan(id_)
        record = planner.get(f"/charting/{id_}").get_json()
        assert record["status"] == "COMPLETED", record["failure"]
        text: str = read(planner, id_, "explanation")["summary"]
        assert missing_numbers(text, record) == [], text
        return text

    by_scale = explained(maxWaveHeight=7, waveUnit="douglas", maxWindBf=9)
    assert "within the limit of Douglas 7" in by_scale
    assert "within the limit of Beaufort 9" in by_scale
    by_measure = explained(maxWaveHeight=7.5, maxWindBf=22.5, windUnit="m/s")
    assert "within the limit of 7.5 m." in by_measure
    assert "within the limit of 22.5 m/s." in by_measure


def test_the_explanation_is_written_once(planner: ApiClient, charting_id: str) -> None:
    first = read(planner, charting_id, "explanation")
    assert read(planner, charting_id, "explanation") == first
    assert set(first) == {"summary", "generatedAt"}
    record = planner.get(f"/charting/{charting_id}").get_json()
    assert first["generatedAt"] >= record["startedAt"]


def test_the_eleventh_explanation_in_an_hour_is_refused_by_every_web_process(
    planner: ApiClient, viewer: ApiClient, charting_id: str, settings: Settings, tmp_path: Path
) -> None:
    path = f"/charting/{charting_id}/explanation"
    servers = {"DATABASE_URL": settings.database_url, "REDIS_URL": settings.redis_url}
    left = []
    for key in (planner.key, viewer.key):
        said = tmp_path / key
        web = fork(partial(ask_five_times, f"/v1{path}", key), os.environ | servers, said)
        web.join(PATIENCE_S)
        assert web.exitcode == 0, said.read_text()
        left += said.read_text().splitlines()
    assert left == [f'200 "explanation";r={10 - number}' for number in range(1, 11)]
    for client in (viewer, planner):
        refused = client.get(path)
        assert refused.status_code == 429
        assert refused.content_type == "application/problem+json"
        assert refused.get_json()["code"] == "TOO_MANY_REQUESTS"
        assert 3400 < int(refused.headers["Retry-After"]) <= 3600
        assert refused.headers["RateLimit-Policy"] == '"explanation";q=10;w=3600'
        assert refused.headers["RateLimit"].startswith('"explanation";r=0;t=')
    assert planner.get(f"/charting/{charting_id}/critical-points").status_code == 200


def test_another_organizations_quota_is_its_own(
    planner: ApiClient, charting_id: str, app: Flask, plan: Plan
) -> None:
    for _ in range(10):
        assert planner.get(f"/charting/{charting_id}/explanation").status_code == 200
    other = client_of(app, make_organization(app, "unaffected"), Role.PLANNER)
    theirs = other.order()["id"]
    plan(theirs)
    assert other.get(f"/charting/{theirs}/explanation").status_code == 200
    assert planner.get(f"/charting/{charting_id}/explanation").status_code == 429


@pytest.mark.parametrize("why", ["away", "full"])
def test_an_explanation_is_served_without_a_queue_and_not_counted(
    planner: ApiClient, charting_id: str, on_own_redis: Flask, own_redis: Redis, why: str
) -> None:
    if why == "away":
        own_redis.shutdown(nosave=True)
    else:
        end_writes(own_redis, why)
    client = ApiClient(on_own_redis.test_client(), planner.key)
    for _ in range(EXPLANATIONS_PER_HOUR + 1):
        answer = client.get(f"/charting/{charting_id}/explanation")
        assert (answer.status_code, "RateLimit" in answer.headers) == (200, False)
    assert answer.get_json() == read(planner, charting_id, "explanation")


def test_critical_points_follow_the_clearance_that_an_organization_requires(
    admin: ApiClient, planner: ApiClient, plan: Plan
) -> None:
    ends = {"latFrom": 54.7, "lngFrom": 2.0, "latTo": 54.9, "lngTo": 2.6}
    path = f"/charting/{planner.order(**ends, isAlterFrom=True)['id']}/critical-points"
    plan(path.split("/")[2], 1)
    before = planner.get(path)
    tag = {"If-None-Match": before.headers["ETag"]}
    assert planner.get(path, headers=tag).status_code == 304
    admin.patch("/organization", {"ukcMarginM": 15})
    after = planner.get(path, headers=tag)
    assert after.status_code == 200
    assert after.get_json() != before.get_json()


def test_what_is_refused_is_not_counted(planner: ApiClient, charting_id: str) -> None:
    queued = planner.order()["id"]
    for _ in range(11):
        assert planner.get(f"/charting/{queued}/explanation").status_code == 409
        assert planner.get("/charting/nothing/explanation").status_code == 404
    assert planner.get(f"/charting/{charting_id}/explanation").status_code == 200


def test_what_brings_no_text_spends_no_explanation(planner: ApiClient, charting_id: str) -> None:
    path = f"/charting/{charting_id}/explanation"
    told = planner.get(path)
    for _ in range(6):
        assert (
            planner.http.head(f"/v1{path}", headers={"X-API-Key": planner.key}).status_code == 200
        )
        seen = planner.get(path, headers={"If-None-Match": told.headers["ETag"]})
        assert seen.status_code == 304
    assert planner.get(path).headers["RateLimit"].startswith('"explanation";r=8;')


def test_segments_add_up_to_the_route(planner: ApiClient, winding_id: str) -> None:
    record = planner.get(f"/charting/{winding_id}").get_json()
    path, last = f"/charting/{winding_id}/segments/compute", len(record["waypoints"]) - 1
    for body in (None, {}, {"splitIndices": []}, {"splitIndices": None}):
        by_leg = planner.post(path, body) if body is not None else planner.post(path, data=b"")
        assert by_leg.status_code == 200, by_leg.text
        assert len(by_leg.get_json()["segments"]) == last
    split = planner.post(path, {"splitIndices": [1]}).get_json()["segments"]
    assert [(part["fromIndex"], part["toIndex"]) for part in split] == [(0, 1), (1, last)]
    summary = record["summary"]
    for name, total in (("distanceNm", "distanceNm"), ("fuelMt", "fuelMt"), ("co2Mt", "co2Mt")):
        assert sum(part[name] for part in split) == pytest.approx(summary[total], abs=0.01)
    assert sum(part["durationH"] for part in split) == pytest.approx(summary["durationH"], abs=0.01)


@pytest.mark.parametrize(
    ("indices", "pointer"),
    [
        ([0], "/splitIndices/0"),
        ([1, 99], "/splitIndices/1"),
        ([1, 1], "/splitIndices/1"),
        ([2, 1], "/splitIndices/1"),
        (["1"], "/splitIndices/0"),
        ([1.5], "/splitIndices/0"),
        (3, "/splitIndices"),
    ],
)
def test_an_index_that_cannot_be_split_at_is_named(
    planner: ApiClient, winding_id: str, indices: Any, pointer: str
) -> None:
    path = f"/charting/{winding_id}/segments/compute"
    refused = planner.post(path, {"splitIndices": indices})
    assert refused.status_code == 422
    assert refused.get_json()["errors"][0]["pointer"] == pointer


def test_there_is_nothing_to_read_before_there_is_a_route(planner: ApiClient) -> None:
    path = f"/charting/{planner.order()['id']}"
    answers = [planner.get(f"{path}/{what}") for what in READINGS]
    answers.append(planner.post(f"{path}/segments/compute", {}))
    assert [answer.status_code for answer in answers] == [409] * 4
    assert {answer.get_json()["code"] for answer in answers} == {"CHARTING_NOT_COMPLETED"}


def test_a_strangers_readings_are_not_found(stranger: ApiClient, charting_id: str) -> None:
    path = f"/charting/{charting_id}"
    answers = [stranger.get(f"{path}/{what}") for what in (*READINGS, "foc")]
    answers.append(stranger.post(f"{path}/segments/compute", {}))
    assert [answer.status_code for answer in answers] == [404] * 5


@pytest.mark.parametrize("kind", ["csv", "rtz"])
def test_an_export_is_recorded_where_the_file_is_handed_out(
    planner: ApiClient, admin: ApiClient, charting_id: str, kind: str
) -> None:
    path = f"/charting/{charting_id}/{kind}"

    def count() -> int:
        items = admin.get("/audit?pageSize=200").get_json()["items"]
        return len([item for item in items if item["action"] == "charting.exported"])

    before = count()
    answer = planner.get(path)
    assert count() == before + 1
    assert planner.http.head(f"/v1{path}", headers={"X-API-Key": planner.key}).status_code == 200
    unchanged = planner.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert unchanged.status_code == 304
    assert count() == before + 1


def test_critical_points_are_in_order_and_on_the_route(
    planner: ApiClient, charting_id: str
) -> None:
    found = read(planner, charting_id, "critical-points")
    items = found["items"]
    assert found["total"] == len(items) >= 2
    times = [item["eta"] for item in items]
    assert times == sorted(times)
    assert "DEPARTURE" in items[0]["kinds"]
    assert "ARRIVAL" in items[-1]["kinds"]
    record = planner.get(f"/charting/{charting_id}").get_json()
    assert items[-1]["waypointIndex"] == record["waypoints"][-1]["index"]
    assert {item["severity"] for item in items} <= {"info", "caution", "danger"}


def test_the_track_is_dense_and_ends_where_the_route_does(
    planner: ApiClient, charting_id: str
) -> None:
    track = read(planner, charting_id, "track")
    record = planner.get(f"/charting/{charting_id}").get_json()
    points = track["items"]
    assert track["total"] == len(points) > record["summary"]["distanceNm"] / 5
    miles = [point["cumulativeNm"] for point in points]
    assert max(b - a for a, b in pairwise(miles)) < 5.01
    assert points[0]["time"] == record["waypoints"][0]["eta"]
    assert points[-1]["time"] == record["waypoints"][-1]["eta"]
    assert points[-1]["cumulativeFuelMt"] == pytest.approx(record["summary"]["fuelMt"], abs=0.01)


def test_consumption_needs_no_route_and_is_of_the_vessel_as_registered(
    planner: ApiClient,
) -> None:
    vessel = planner.make_vessel()
    charting_id = planner.order(vesselId=vessel["id"], pitch=4.9, dwt=50000)["id"]
    foc = read(planner, charting_id, "foc")
    assert foc["inputs"]["pitch"] == vessel["pitch"]
    assert foc["inputs"]["dwt"] == vessel["dwt"]
    assert foc["inputs"]["lbp"] == vessel["lbp"]
    assert foc["serviceSpeedKn"] == vessel["serviceSpeed"]
    assert 15 < foc["focMtPerDay"] < 45
    assert 0.05 < foc["standardErrorMtPerDay"] / foc["focMtPerDay"] < 0.15
    assert foc["inputs"]["yearBuilt"] == int(vessel["dateConstructed"][:4])
    by_power = foc["powerKw"] * foc["sfocGPerKwh"] * 24 / 1e6
    assert foc["focMtPerDay"] == pytest.approx(by_power, rel=1e-3)
    speeds = [point["speedKn"] for point in foc["curve"]]
    burnt = [point["focMtPerDay"] for point in foc["curve"]]
    assert speeds == sorted(speeds)
    assert burnt == sorted(burnt)
    planner.patch(f"/vessel/{vessel['id']}", {"serviceSpeed": 12})
    assert read(planner, charting_id, "foc")["focMtPerDay"] < foc["focMtPerDay"]


def test_readings_of_one_revision_stay(
    planner: ApiClient, charting_id: str, plan: Plan, organization_id: UUID
) -> None:
    path = f"/charting/{charting_id}"
    first = {what: read(planner, charting_id, what) for what in READINGS}
    planner.put(path, planner.get(path).get_json() | {"speedRangeMin": 13.5})
    plan(charting_id, 2)
    assert read(planner, charting_id, "track")["revision"] == 2
    for what in READINGS:
        assert read(planner, charting_id, f"{what}?revision=1") == first[what]
