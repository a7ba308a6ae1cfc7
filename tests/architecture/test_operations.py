"""Every route has its guard, every operation its description."""

import json
import re
from collections.abc import Iterator
from html import unescape
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app import create_app
from app.api.examples import BODIES
from app.config import Settings
from app.engine.codes import AlternativeKind, FailureCode, WarningCode
from app.engine.errors import VoyageError
from app.jobs import optimise_charting
from app.services.errors import ServiceError
from app.services.platform.fair_queue import JobFunction
from app.services.problem_codes import ProblemCode, code_of

ROOT = Path(__file__).parents[2]

#: Routes under no prefix of their own that anybody may call.
OPEN = {"/healthz", "/readyz", "/docs", "/docs/codes", "/v1/openapi.json"}

#: Numbers that may be of either sign and of any size.
UNBOUNDED = {
    "behindH", "offTrackNm", "speedMadeGoodKn", "laterH", "fuelSavedMt", "timeSavedH",
    "weatherMt", "modelMt", "weatherH", "conductH",
    "minUkcM", "ukcM", "avgCurrentKn",
    "extraNm", "extraH", "extraFuelMt", "trackMt", "depthMt", "speedMt", "arrivalMt",
    "measured", "required",
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
        and not hasattr(app.view_functions[rule.endpoint], "right")
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


def test_webhooks_need_an_admin_unless_planners_may_manage_them(
    description: dict[str, Any],
) -> None:
    right = (
        "Requires the role admin, or planner if the organization's `plannersManageWebhooks` is"
        " true, and the scope admin."
    )
    described = [
        operation["description"]
        for path, operations in description["paths"].items()
        for method, operation in operations.items()
        if path.startswith("/v1/webhooks") and method != "parameters"
    ]
    assert len(described) == 9
    assert all(text.endswith(right) for text in described)


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
        # a file has no example in words
        and "example"
        not in operation["requestBody"]["content"].get("application/json", {"example"})
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


def test_every_code_is_described_where_its_type_leads(app: Flask) -> None:
    page = unescape(app.test_client().get("/docs/codes").text)
    anchored = re.findall(r'id="([A-Z_]+)"', page)
    assert len(anchored) == len(set(anchored))
    for codes in (ProblemCode, FailureCode, WarningCode, AlternativeKind):
        assert set(codes) <= set(anchored)
        assert all(code.meaning in page for code in codes)


def test_a_problem_leads_to_its_code(app: Flask) -> None:
    refused = app.test_client().get("/v1/vessel").get_json()
    address, _, place = refused["type"].partition("#")
    assert place == refused["code"] == "UNAUTHENTICATED"
    assert f'id="{place}"' in app.test_client().get(address).text


def test_no_problem_has_a_code_that_is_not_listed() -> None:
    spelt_out = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in ("api", "pages", "services", "jobs")
        for path in (ROOT / "app" / folder).rglob("*.py")
        for line in path.read_text().splitlines()
        if re.search(r"""code=["']|PlanWarning\(\s*["']|"code": ["']""", line)
    ]
    assert spelt_out == [], "take it from an enumeration of codes"


def test_every_errors_own_code_is_one_of_its_list(description: dict[str, Any]) -> None:
    def all_of(kind: type) -> Iterator[type]:
        for below in kind.__subclasses__():
            yield from (below, *all_of(below))

    for kind in all_of(ServiceError):
        assert isinstance(kind.code, ProblemCode), kind
    for kind in all_of(VoyageError):
        assert isinstance(kind.code, FailureCode), kind
        assert str(kind.code) in set(ProblemCode)
    assert {code_of(status) for status in HTTPStatus if status >= 400} <= set(ProblemCode)
    schemas = description["components"]["schemas"]
    assert schemas["Problem"]["properties"]["code"]["enum"] == list(ProblemCode)
    assert schemas["Failure"]["properties"]["code"]["enum"] == list(FailureCode)
    assert schemas["Warning"]["properties"]["code"]["enum"] == list(WarningCode)


def test_every_code_is_one_of_an_enumeration(description: dict[str, Any]) -> None:
    free = [
        name
        for name, schema in description["components"]["schemas"].items()
        if "enum" not in schema.get("properties", {}).get("code", {"enum": []})
    ]
    assert free == [], "a generated client cannot know these codes"


def test_only_null_stands_with_what_may_be_null(description: dict[str, Any]) -> None:
    for where, field in fields_of(description):
        assert None not in field.get("enum", ()), where
        for choice in field.get("anyOf", ()):
            assert "nullable" not in choice or choice["enum"] == [None], where


def test_what_has_a_default_may_be_left_out_by_every_client(description: dict[str, Any]) -> None:
    assert [where for where, field in fields_of(description) if "default" in field] == []
    flag = description["components"]["schemas"]["Charting"]["properties"]["avoidWarZones"]
    assert flag["description"].endswith("Default: true")


def test_what_a_webhook_is_sent_is_described(description: dict[str, Any]) -> None:
    (callback,) = description["paths"]["/v1/webhooks"]["post"]["callbacks"].values()
    body = callback["{$request.body#/url}"]["post"]["requestBody"]
    schema = body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    assert set(description["components"]["schemas"][schema]["required"]) == {
        "type", "timestamp", "data",
    }  # fmt: skip


def fields_of(description: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field of every schema, with its place."""
    for name, schema in description["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            yield f"{name}.{field}", described


def test_the_job_that_is_queued_by_name_is_there() -> None:
    assert (
        f"{optimise_charting.__module__}.{optimise_charting.__qualname__}" == JobFunction.OPTIMISE
    )
