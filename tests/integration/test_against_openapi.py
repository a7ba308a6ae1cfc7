"""Answers against the service's own description, by requests that schemathesis makes up.

Nothing takes chartings from the queue meanwhile, so that all the time goes into asking.
"""

import os
from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest
import schemathesis
import schemathesis.specs.openapi.checks as conformance
from flask import Flask
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.schemas import APIOperation

from app.models import Role
from app.services.upkeep.demo import VESSEL
from tests.integration.client import ApiClient
from tests.integration.conftest import client_of, make_organization

#: How many requests all operations share; more than the usual ones are made up anew each time.
USUAL_REQUESTS = 500
REQUESTS = int(os.environ.get("OPENAPI_REQUESTS", USUAL_REQUESTS))
#: How many requests follow each other in a workflow, at most, and how many workflows there are.
STEPS = 10
WORKFLOWS = REQUESTS // (2 * STEPS)
DRAWING = settings(
    deadline=None,
    database=None,
    derandomize=REQUESTS == USUAL_REQUESTS,
    verbosity=Verbosity.quiet,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)


def nothing_breaks(
    _context: schemathesis.CheckContext, response: schemathesis.Response, _case: schemathesis.Case
) -> None:
    """No error of the service's own; that something is away (503) may be said."""
    assert response.status_code < 500 or response.status_code == 503, response.text


CHECKS = [
    nothing_breaks,
    conformance.status_code_conformance,
    conformance.content_type_conformance,
    conformance.response_headers_conformance,
    conformance.response_schema_conformance,
    conformance.negative_data_rejection,
]


@pytest.fixture
def client(app: Flask) -> ApiClient:
    organization_id: UUID = make_organization(app, "openapi")
    return client_of(app, organization_id, Role.ADMIN)


@pytest.fixture
def things(client: ApiClient, plan: Callable[[str, int], None]) -> dict[str, str]:
    """Ids of existing resources, by the names of path parameters."""
    vessel_id = client.make_vessel(imo=VESSEL["imo"])["id"]
    charting_id = client.order(vesselId=vessel_id)["id"]
    plan(charting_id, 1)
    key = client.post("/keys", {"role": "viewer"}).get_json()
    user = {"email": "o@openapi.example", "role": "viewer", "password": "ebb and flood"}
    return {
        "vesselId": vessel_id,
        "chartingId": charting_id,
        "timestamp": "2026-03-01T12:00:00Z",
        "keyId": key["id"],
        "userId": client.post("/users", user).get_json()["id"],
        "webhookId": client.post("/webhooks", {"url": "https://o.example"}).get_json()["id"],
    }


@pytest.mark.atlas
@pytest.mark.timeout(0 if REQUESTS > USUAL_REQUESTS else 300)
@pytest.mark.usefixtures("redis")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_whatever_is_asked_the_answer_is_as_described(
    app: Flask, client: ApiClient, things: dict[str, str]
) -> None:
    schema = schemathesis.openapi.from_wsgi("/v1/openapi.json", app)
    operations = [result.ok() for result in schema.get_all_operations()]
    each = -(-REQUESTS // len(operations))
    asked, surprises = 0, []
    for operation in operations:
        try:
            asked += ask(operation, things, client.key, each)
        except (AssertionError, FailureGroup) as failures:
            surprises.append(f"{operation.label}: {failures}")
    assert not surprises, "\n\n".join(surprises)
    assert asked >= REQUESTS


@pytest.mark.atlas
@pytest.mark.timeout(0 if REQUESTS > USUAL_REQUESTS else 300)
@pytest.mark.usefixtures("redis")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_whatever_is_done_one_after_the_other_the_answers_are_as_described(
    app: Flask, database_url: str
) -> None:
    schema = schemathesis.openapi.from_wsgi("/v1/openapi.json", app)
    headers: dict[str, str] = {}
    asked = 0

    class Workflow(schema.as_state_machine()):  # type: ignore[misc]
        """Things are made, and asked for by the ids that the answers tell."""

        def setup(self) -> None:
            """Begin each workflow with nothing there, so that the same steps lead to the same."""
            super().setup()
            with psycopg.connect(database_url) as database:
                database.execute("TRUNCATE organization CASCADE")
            organization_id: UUID = make_organization(app, "workflow")
            headers.update(headers_of(client_of(app, organization_id, Role.ADMIN).key))

        def get_call_kwargs(self, _case: schemathesis.Case) -> dict[str, Any]:
            return {"headers": headers}

        def validate_response(
            self, response: schemathesis.Response, case: schemathesis.Case, **_options: Any
        ) -> None:
            nonlocal asked
            asked += 1
            case.validate_response(response, headers=headers, checks=CHECKS)

    Workflow.run(settings=settings(DRAWING, max_examples=WORKFLOWS, stateful_step_count=STEPS))
    assert asked > WORKFLOWS * STEPS / 2, "workflows end early"


def headers_of(key: str) -> dict[str, str]:
    # its own transport does not unpack what it asks to be packed
    return {"X-API-Key": key, "Accept-Encoding": "identity"}


def ask(operation: APIOperation, things: dict[str, str], key: str, most: int) -> int:
    """Ask an operation things good and bad, of what is there and is not; count the requests."""
    headers = headers_of(key)
    asked = 0

    @settings(DRAWING, max_examples=most)
    @given(case=requests_of(operation, things))
    def run(case: schemathesis.Case) -> None:
        nonlocal asked
        asked += 1
        case.call_and_validate(headers=headers, checks=CHECKS)

    run()
    return asked


def requests_of(
    operation: APIOperation, things: dict[str, str]
) -> st.SearchStrategy[schemathesis.Case]:
    """Requests that are right in form, and requests that are wrong somewhere."""
    named = {
        parameter.name: things[parameter.name]
        for parameter in operation.path_parameters
        if parameter.name in things
    }
    ways = [operation.as_strategy(), operation.as_strategy(GenerationMode.NEGATIVE)]
    if named and operation.method.upper() != "DELETE":
        ways.append(operation.as_strategy(path_parameters=named))
    return st.one_of([way for way in ways if can_be(way)])


def can_be(way: st.SearchStrategy[schemathesis.Case]) -> bool:
    """Return whether a request can be invalid; without parameters it cannot."""

    @settings(max_examples=1, database=None, phases=[Phase.generate], derandomize=True)
    @given(way)
    def try_one(_case: schemathesis.Case) -> None: ...

    try:
        try_one()
    except Unsatisfiable:
        return False
    return True
