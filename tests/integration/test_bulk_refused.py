"""Expensive bulk requests are refused cheaply, with a small response."""

import json
from typing import Any

import pytest

from tests.integration.client import ApiClient

RECORD = {
    "timestamp": "2026-11-01T12:00:00Z", "latitude": 50.0, "longitude": -10.0, "speed": 12.5,
    "heading": 240, "rpm": 80, "fuelConsumption": 28.4, "draft": 12.0, "engineLoad": 65,
}  # fmt: skip


def test_a_batch_full_of_faults_is_answered_with_a_hundred_of_them(planner: ApiClient) -> None:
    vessel = planner.make_vessel()
    unknown = {f"field{n}": n for n in range(40)}
    answer = planner.post(f"/telemetry/{vessel['id']}/batch", [RECORD | unknown] * 2000)
    report = answer.get_json()
    assert (report["rejected"], len(report["items"])) == (2000, 2000)
    assert sum(len(item.get("errors", ())) for item in report["items"]) == 100
    assert len(answer.data) < 200_000


def test_good_lines_are_stored_whatever_comes_before_them(planner: ApiClient) -> None:
    vessel = planner.make_vessel()
    report = planner.post(
        f"/telemetry/{vessel['id']}/batch", [RECORD | {"nonsense": 1}] * 150 + [RECORD]
    ).get_json()
    assert (report["stored"], report["rejected"]) == (1, 150)


def test_a_body_full_of_unknown_fields_is_answered_with_a_hundred_faults(
    planner: ApiClient,
) -> None:
    answer = planner.post("/vessel", {f"field{n}": n for n in range(900)})
    assert answer.status_code == 422
    assert len(answer.get_json()["errors"]) == 100


@pytest.mark.parametrize(
    "path",
    ["/vessel", "/users", "/keys", "/webhooks", "/telemetry/019b76da-a800-7000-8000-000000000001"],
)
def test_a_record_of_megabytes_is_refused_before_it_is_read(admin: ApiClient, path: str) -> None:
    assert admin.post(path, {"name": "x" * 200_000}).status_code == 413


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ([[[]]], "Not a valid"),
        (json.loads("[" * 60 + "]" * 60), "nested more than 32 levels"),
        (10**400, "too large"),
        ({f"field{n}": n for n in range(1500)}, "at most 1000"),
    ],
)  # fmt: skip
def test_json_that_no_field_holds_is_refused_in_words(
    planner: ApiClient, value: Any, fault: str
) -> None:
    answer = planner.post("/vessel", {"name": value})
    assert answer.status_code == 422
    assert fault in answer.text


def test_what_is_common_to_many_orders_is_read_only_so_often(planner: ApiClient) -> None:
    ring = [[n / 1000, n / 2000] for n in range(9000)]
    answer = planner.post("/charting/batch", {"common": {"noGoAreas": [ring]}, "items": [{}] * 100})
    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["pointer"] == "/common"
