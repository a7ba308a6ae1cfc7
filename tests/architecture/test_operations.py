"""Every route has its guard, every operation its description."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app import create_app
from app.api.examples import BODIES
from app.config import Settings
from app.jobs import optimise_charting
from app.services.queue import OPTIMISE

ROOT = Path(__file__).parents[2]

#: Routes under no prefix of their own that anybody may call.
OPEN = {"/healthz", "/readyz", "/docs", "/v1/openapi.json"}

#: Numbers that may be of either sign and of any size.
UNBOUNDED = {
 "minUkcM", "ukcM", "avgCurrentKn",
    "extraNm", "extraH", "extraFuelMt", "trackMt", "depthMt", "speedMt",
}  # fmt: skip


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


def test_every_field_says_what_it_is(description: dict[str, Any]) -> None:
    silent = [where for where, field in fields_of(description) if not field.get("description")]
    assert silent == []


def test_every_figure_says_its_unit(description: dict[str, Any]) -> None:
    without = [
        where
        for where, field in fields_of(description)
        if field.get("type") == "number"
        and not re.search(r"\[.+\]|waveUnit|windUnit|Share of|Gross tonnage", field["description"])
    ]
    assert without == []


def test_every_number_says_its_range_unless_it_has_none(description: dict[str, Any]) -> None:
    without = {
        where.partition(".")[2]
        for where, field in fields_of(description)
        if field.get("type") in {"number", "integer"}
        and not {"minimum", "maximum", "enum"} & set(field)
    }
    assert without == UNBOUNDED


def test_every_parameter_says_what_it_is(description: dict[str, Any]) -> None:
    silent = [
        f"{path} {parameter['name']}"
        for path, operations in description["paths"].items()
        for method, part in operations.items()
        for parameter in (part if method == "parameters" else part.get("parameters", ()))
        if "$ref" not in parameter and not parameter.get("description")
    ]
    assert silent == []


def test_every_body_has_an_example(description: dict[str, Any]) -> None:
    without = [
        operation["operationId"]
        for operations in description["paths"].values()
        for method, operation in operations.items()
        if method != "parameters"
        and "requestBody" in operation
        and "example" not in operation["requestBody"]["content"]["application/json"]
    ]
    assert without == []


def test_every_example_is_of_an_operation(description: dict[str, Any]) -> None:
    ids = {
        operation["operationId"]
        for operations in description["paths"].values()
        for method, operation in operations.items()
        if method != "parameters"
    }
    assert set(BODIES) <= ids


def fields_of(description: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field of every schema, with its place."""
    for name, schema in description["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            yield f"{name}.{field}", described


def test_the_job_that_is_queued_by_name_is_there() -> None:
    assert f"{optimise_charting.__module__}.{optimise_charting.__qualname__}" == OPTIMISE
