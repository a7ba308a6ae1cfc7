"""Answers against the service's own description, by requests that schemathesis makes up."""

import os
from uuid import UUID

import pytest
import schemathesis
import schemathesis.specs.openapi.checks as conformance
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.failures import FailureGroup

from app.models import Role
from tests.integration.conftest import client_of, make_organization

#: Requests per operation; set it higher for a long search.
EXAMPLES = int(os.environ.get("OPENAPI_EXAMPLES", "8"))


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
def key(app: Flask) -> str:
    organization_id: UUID = make_organization(app, "openapi")
    return client_of(app, organization_id, Role.ADMIN).key


@pytest.mark.atlas
@pytest.mark.usefixtures("atlas", "redis")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_whatever_is_asked_the_answer_is_as_described(app: Flask, key: str) -> None:
    schema = schemathesis.openapi.from_wsgi("/v1/openapi.json", app)
    # its own transport does not unpack what it asks to be packed
    headers = {"X-API-Key": key, "Accept-Encoding": "identity"}
    surprises = []
    for result in schema.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            case.call_and_validate(headers=headers, checks=CHECKS)

        try:
            ask()
        except (AssertionError, FailureGroup) as failures:
            surprises.append(f"{operation.label}: {failures}")
    assert not surprises, "\n\n".join(surprises)
