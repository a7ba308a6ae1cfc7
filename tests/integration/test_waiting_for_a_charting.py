"""Long polling for a charting's next state."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from app.api import waiting
from tests.integration.client import ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("redis")]


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set once somebody has begun to wait."""
    begun = threading.Event()
    look = waiting.wait_for_change

    def tell(*arguments: Any) -> None:
        try:
            look(*arguments)
        except waiting.Later:
            begun.set()
            raise

    monkeypatch.setattr("app.api.chartings.wait_for_change", tell)
    monkeypatch.setattr(waiting, "STEP_S", 0.02)
    return begun


@pytest.fixture
def other_thread(app: Flask, planner: ApiClient) -> Iterator[Callable[[str], Any]]:
    """Asks for a path in another thread, by a client of its own; answers what will come."""
    with ThreadPoolExecutor() as pool:
        yield lambda path: pool.submit(ApiClient(app.test_client(), planner.key).get, path)


def test_the_answer_comes_with_the_next_status(
    planner: ApiClient, looked: threading.Event, other_thread: Callable[[str], Any]
) -> None:
    path = f"/charting/{planner.order()['id']}"
    answer = other_thread(f"{path}?wait=30&addCharting=false")
    assert looked.wait(60)
    assert not answer.done()
    planner.post(f"{path}/cancel")
    shown = answer.result(60).get_json()
    assert shown["status"] == "CANCELLED"


def test_a_new_revision_ends_the_wait_too(
    planner: ApiClient, looked: threading.Event, other_thread: Callable[[str], Any]
) -> None:
    charting = planner.order()
    path = f"/charting/{charting['id']}"
    answer = other_thread(f"{path}?wait=30")
    assert looked.wait(60)
    planner.put(path, charting | {"speedRangeMax": 13})
    assert answer.result(60).get_json()["latestRevision"] == 2


def test_when_the_time_is_over_the_answer_is_the_state_as_it_is(
    planner: ApiClient, looked: threading.Event
) -> None:
    path = f"/charting/{planner.order()['id']}"
    waited = planner.get(f"{path}?wait=1")
    assert looked.is_set()
    assert waited.get_json()["status"] == "QUEUED"
    tag = waited.headers["ETag"]
    assert planner.get(f"{path}?wait=1", headers={"If-None-Match": tag}).status_code == 304


def test_what_has_ended_is_answered_at_once(planner: ApiClient, looked: threading.Event) -> None:
    path = f"/charting/{planner.order()['id']}"
    planner.post(f"{path}/cancel")
    assert planner.get(f"{path}?wait=30").get_json()["status"] == "CANCELLED"
    assert not looked.is_set()


def test_who_comes_beyond_the_places_is_answered_at_once_and_places_are_given_back(
    app: Flask, planner: ApiClient, looked: threading.Event, redis: Redis
) -> None:
    path = f"/charting/{planner.order()['id']}"
    slots = app.extensions["waiting_slots"]
    for _ in range(waiting.MOST_WAITING):
        assert slots.acquire(blocking=False)
    assert planner.get(f"{path}?wait=30").get_json()["status"] == "QUEUED"
    assert not looked.is_set()
    for _ in range(waiting.MOST_WAITING):
        slots.release()
    planner.get(f"{path}?wait=1")
    assert looked.is_set()
    for _ in range(waiting.MOST_WAITING):
        assert slots.acquire(blocking=False)
    for _ in range(waiting.MOST_WAITING):
        slots.release()


def test_a_request_is_counted_once_however_long_it_waits(
    planner: ApiClient, looked: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/charting/{planner.order()['id']}"
    counted: list[Any] = []
    monkeypatch.setattr("app.api.operation.count_request", counted.append)
    planner.get(f"{path}?wait=1")
    assert looked.is_set()
    assert len(counted) == 1


@pytest.mark.parametrize("wait", ["31", "-1", "x", "1.5"])
def test_a_wait_is_whole_seconds_up_to_30(planner: ApiClient, wait: str) -> None:
    refused = planner.get(f"/charting/{planner.order()['id']}?wait={wait}")
    assert [error["pointer"] for error in refused.get_json()["errors"]] == ["/wait"]
