"""Rate limits, and cross-origin requests."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from app import create_app
from app.config import Settings
from tests.integration.client import ApiClient

Make = Callable[..., Flask]


@pytest.fixture
def make_app(settings: Settings) -> Iterator[Make]:
    """Applications with other settings."""
    made = []

    def make(**changes: Any) -> Flask:
        made.append(create_app(replace(settings, **changes)))
        return made[-1]

    yield make
    for app in made:
        app.extensions["chartroom"].close()


def test_requests_beyond_the_limit_learn_when_to_go_on(
    make_app: Make, planner: ApiClient, stranger: ApiClient
) -> None:
    # two web processes count together
    clients = [
        ApiClient(make_app(requests_per_minute=5).test_client(), planner.key) for _ in range(2)
    ]
    answers = [clients[number % 2].get("/vessel") for number in range(5)]
    assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
    left = [answer.headers["RateLimit"].partition(";t=")[0] for answer in answers]
    assert left == [f'"requests";r={n}' for n in (2, 1, 0, 0, 0)]
    refused = answers[-1]
    assert refused.headers["RateLimit-Policy"] == '"requests";q=3;w=60'
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert refused.content_type == "application/problem+json"
    other = ApiClient(clients[0].http, stranger.key)
    assert other.get("/vessel").status_code == 200


def test_a_key_leaves_some_of_the_organizations_requests_to_the_others(
    make_app: Make, planner: ApiClient, admin: ApiClient
) -> None:
    http = make_app(requests_per_minute=8).test_client()
    greedy, other = ApiClient(http, planner.key), ApiClient(http, admin.key)
    assert [greedy.get("/vessel").status_code for _ in range(7)] == [200] * 6 + [429]
    answers = [other.get("/vessel") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200] * 2 + [429]
    assert answers[0].headers["RateLimit"].startswith('"requests";r=1;')
    assert answers[2].headers["RateLimit-Policy"] == '"requests";q=8;w=60'


def test_keys_of_one_name_are_counted_separately(make_app: Make, admin: ApiClient) -> None:
    http = make_app(requests_per_minute=8).test_client()
    secrets = [
        admin.post("/keys", {"role": "viewer", "name": "ship"}).get_json()["secret"]
        for _ in range(2)
    ]
    greedy, other = (ApiClient(http, secret) for secret in secrets)
    assert [greedy.get("/vessel").status_code for _ in range(7)] == [200] * 6 + [429]
    assert other.get("/vessel").status_code == 200


def test_processes_that_take_requests_by_the_handful_do_not_exceed_the_limit(
    make_app: Make, planner: ApiClient, admin: ApiClient
) -> None:
    clients = [
        ApiClient(make_app(requests_per_minute=200).test_client(), key)
        for key in (planner.key, planner.key, admin.key)
    ]
    statuses = [clients[number % 3].get("/organization").status_code for number in range(210)]
    assert 190 <= statuses.count(200) <= 200
    assert set(statuses) == {200, 429}


def test_the_limit_is_described_at_every_answer_that_shows_it(planner: ApiClient) -> None:
    assert planner.get("/vessel").headers["RateLimit-Policy"].startswith('"requests";')
    described = planner.get("/openapi.json").get_json()["paths"]
    answers = [
        answer
        for path in described.values()
        for method, operation in path.items()
        if method != "parameters"
        for status, answer in operation["responses"].items()
        if status.startswith("2")
    ]
    assert answers
    assert all({"RateLimit", "RateLimit-Policy"} <= answer["headers"].keys() for answer in answers)


def test_without_redis_no_request_is_refused_and_readiness_reports_it(
    make_app: Make, planner: ApiClient
) -> None:
    app = make_app(requests_per_minute=1, redis_url="redis://127.0.0.1:1/0")
    client = ApiClient(app.test_client(), planner.key)
    answers = [client.get("/vessel") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200] * 3
    assert "RateLimit" not in answers[0].headers
    ready = app.test_client().get("/readyz")
    assert (ready.status_code, ready.get_json()["checks"]["queue"] == "ok") == (503, False)


def test_no_other_sites_page_may_call_unless_it_is_named(planner: ApiClient) -> None:
    answer = planner.get("/vessel", headers={"Origin": "https://fleet.example"})
    assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]


def test_a_page_of_a_named_site_may_call_and_read_the_answers_headers(
    make_app: Make, planner: ApiClient
) -> None:
    app = make_app(cors_origins=("https://fleet.example",))
    client = ApiClient(app.test_client(), planner.key)
    asked = client.http.options(
        "/v1/vessel",
        headers={
            "Origin": "https://fleet.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "x-api-key, last-event-id, prefer, content-encoding",
        },
    )
    assert asked.status_code == 200
    assert asked.headers["Access-Control-Allow-Origin"] == "https://fleet.example"
    assert "POST" in asked.headers["Access-Control-Allow-Methods"]
    allowed = asked.headers["Access-Control-Allow-Headers"].lower().split(", ")
    assert {"x-api-key", "last-event-id", "prefer", "content-encoding"} <= set(allowed)
    answer = client.get("/vessel", headers={"Origin": "https://fleet.example"})
    assert answer.headers["Access-Control-Allow-Origin"] == "https://fleet.example"
    assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer.headers
    other = client.get("/vessel", headers={"Origin": "https://other.example"})
    assert "Access-Control-Allow-Origin" not in other.headers
    page = app.test_client().get("/docs", headers={"Origin": "https://fleet.example"})
    assert "Access-Control-Allow-Origin" not in page.headers
