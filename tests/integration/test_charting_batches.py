"""Many charting requests in one."""

from typing import Any

import pytest
from redis import Redis

from tests.integration.client import CHARTING, ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("redis")]


def test_each_request_of_a_batch_is_answered_and_valid_ones_are_stored(
    planner: ApiClient, stranger: ApiClient, redis: Redis
) -> None:
    vessel_id = planner.make_vessel()["id"]
    foreign = stranger.make_vessel()["id"]
    items: list[dict[str, Any]] = [
        {"speedRangeMax": 13},
        {"speedRangeMax": "13"},
        {"draft": 20},
        {"vesselId": foreign},
        {"latTo": 23.0, "lngTo": 5.0},
        {"startDate": "2026-03-02T06:00:00Z"},
    ]
    common = CHARTING | {"vesselId": vessel_id}
    answer = planner.post("/charting/batch", {"common": common, "items": items})
    assert answer.status_code == 200, answer.text
    report = answer.get_json()
    assert (report["created"], report["rejected"]) == (2, 4)
    assert [item["index"] for item in report["items"]] == list(range(6))
    places = [[error["pointer"] for error in item.get("errors", [])] for item in report["items"]]
    assert places == [[], ["/speedRangeMax"], ["/draft"], ["/vesselId"], ["/latTo"], []]
    assert report["items"][4]["code"] == "PORT_ON_LAND"
    stored = planner.get("/charting?sort=createdAt").get_json()["items"]
    ids = [item["id"] for item in report["items"] if item["status"] == "CREATED"]
    assert [item["id"] for item in stored] == ids
    assert [item["speedRangeMax"] for item in stored] == [13, 14]
    assert {item["status"] for item in stored} == {"QUEUED"}


def test_a_batch_sent_again_orders_nothing_twice(planner: ApiClient) -> None:
    batch = {"items": [CHARTING | {"vesselId": planner.make_vessel()["id"]}] * 3}
    answers = [
        planner.post("/charting/batch", batch, headers={"Idempotency-Key": "b-1"}).data
        for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert planner.get("/charting").get_json()["total"] == 3


def test_a_batch_holds_1_to_100_orders(planner: ApiClient, viewer: ApiClient) -> None:
    for items in ([], [{}] * 101, [5], "x"):
        assert planner.post("/charting/batch", {"items": items}).status_code == 422
    path = "/charting/batch"
    for common in ([], None, "x"):
        (error,) = planner.post(path, {"common": common, "items": [{}]}).get_json()["errors"]
        assert error["pointer"] == "/common"
        assert error["detail"].startswith("Must be a JSON object.")
    report = planner.post("/charting/batch", {"items": [{}] * 100}).get_json()
    assert (report["created"], report["rejected"]) == (0, 100)
    assert viewer.post("/charting/batch", {"items": [{}]}).status_code == 403
