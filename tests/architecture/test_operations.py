"""Every route has its guard, every operation its description."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app import create_app
from app.config import Settings
from app.jobs import optimise_charting
from app.services.queue import OPTIMISE

ROOT = Path(__file__).parents[2]

#: Routes under no prefix of their own that anybody may call.
OPEN = {"/healthz", "/readyz", "/docs", "/v1/openapi.json"}


@pytest.fixture(scope="module")
def app() -> Flask:
    """The application; nothing is connected until it is asked something."""
    return create_app(
        Settings(
            database_url="postgresql://nobody@localhost:1/none",
            redis_url="redis://localhost:1/0",
            secret_key="for tests",
        )
    )


@pytest.fixture(scope="module")
def description(app: Flask) -> dict[str, Any]:
    described: dict[str, Any] = app.test_client().get("/v1/openapi.json").get_json()
    return described


def test_every_route_of_the_api_asks_for_a_key(app: Flask) -> None:
    open_rules = [
        rule.rule
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/v1/")
        and rule.rule not in OPEN
        and not hasattr(app.view_functions[rule.endpoint], "required_role")
    ]
    assert open_rules == []


def test_nothing_is_read_of_a_request_without_a_key(app: Flask) -> None:
    client = app.test_client()
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/v1/") and rule.rule not in OPEN:
            path = rule.rule
            for argument in rule.arguments:
                path = path.replace(f"<{argument}>", "x")
            for method in rule.methods - {"OPTIONS", "HEAD"}:
                answer = client.open(path, method=method, data=b"{", content_type="text/plain")
                assert answer.status_code == 401, (method, path)


def test_every_operation_says_what_it_does_and_answers(description: dict[str, Any]) -> None:
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            if method == "parameters":
                continue
            where = f"{method} {path}"
            assert operation["summary"], where
            assert operation["operationId"], where
            assert {"401", "403", "422", "429", "503"} <= set(operation["responses"]), where


def test_the_committed_description_is_the_services_own(description: dict[str, Any]) -> None:
    committed = json.loads((ROOT / "docs" / "api" / "openapi.json").read_text())
    assert committed == description, "`make api` writes it anew"


def test_operation_ids_are_unique(description: dict[str, Any]) -> None:
    ids = [
        operation["operationId"]
        for operations in description["paths"].values()
        for method, operation in operations.items()
        if method != "parameters"
    ]
    assert len(ids) == len(set(ids))


def test_every_number_asked_for_says_what_it_is(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]
    for name in ("Vessel", "Charting"):
        for field, schema in schemas[name]["properties"].items():
            if schema.get("type") in {"number", "integer"}:
                assert schema.get("description"), f"{name}.{field}"


def test_the_job_that_is_queued_by_name_is_there() -> None:
    assert f"{optimise_charting.__module__}.{optimise_charting.__qualname__}" == OPTIMISE
