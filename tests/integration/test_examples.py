"""The examples of the API's description work unchanged in a demo organization."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from app.api.examples import BODIES
from app.models import Role
from app.services.chartings import charting_runs
from app.services.identity import organizations, users
from app.services.platform.sessions import operator_session
from app.services.upkeep import demo
from tests.integration.client import ApiClient
from tests.integration.conftest import client_of


@pytest.fixture(scope="module")
def admin(app: Flask, tmp_path_factory: pytest.TempPathFactory) -> ApiClient:
    """An admin of the demo organization."""
    files = tmp_path_factory.mktemp("demo")
    with app.app_context():
        demo.create(files / "key", files / "password")
        free_address(BODIES["createUser"]["email"])
        organization_id = organizations.get_by_name(demo.ORGANIZATION)
    return client_of(app, organization_id, Role.ADMIN)


def free_address(email: str) -> None:
    """Move who has this address to another: made-up requests take their values from examples."""
    for row in users.list_by_email(email):
        with operator_session(row.organization_id) as session:
            user = users.get(session, row.organization_id, str(row.id))
            users.change(session, user, {"email": f"{row.id}@elsewhere.example"})


@pytest.fixture(scope="module")
def things(admin: ApiClient, worker_app: Flask, atlas: Path) -> dict[str, str]:
    """Resources of the operations, created by the examples of the creating operations."""
    examples = {id_: (method, path, body) for id_, method, path, body in shown(admin)}

    def make(operation_id: str) -> str:
        _, path, body = examples[operation_id]
        answer = admin.post(path.removeprefix("/v1"), body)
        assert answer.status_code == 201, answer.text
        return str(answer.get_json()["id"])

    charting_id = make("createCharting")
    with worker_app.app_context():
        charting_runs.run(UUID(charting_id), 1)
    return {
        "vesselId": str(demo.VESSEL_ID),
        "chartingId": charting_id,
        "keyId": make("issueKey"),
        "userId": make("createUser"),
        "webhookId": make("createWebhook"),
        "timestamp": BODIES["correctTelemetry"]["timestamp"],
        "constraints": make("createConstraint"),
        "client-data": make("createClientData"),
    }


def shown(admin: ApiClient) -> Iterator[tuple[str, str, str, Any]]:
    """Operations whose body has an example: id, method, path and example."""
    description = admin.http.get("/v1/openapi.json").get_json()
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            if method == "parameters" or "requestBody" not in operation:
                continue
            content = operation["requestBody"]["content"]
            if "application/json" in content:
                body = content["application/json"]["example"]
                yield operation["operationId"], method.upper(), path, body


#: Examples that those before them leave nothing to do: the address has a user by then, the voyage
#: is finished, and no advice was given to it.
UNDONE = {"createUser", "abandonCharting", "declineChartingAdvice"}


@pytest.mark.atlas
def test_every_example_works_against_the_demo(admin: ApiClient, things: dict[str, str]) -> None:
    refused = []
    for operation_id, method, path, body in shown(admin):
        if operation_id in UNDONE:
            continue
        named = things | {"constraintId": things.get(path.split("/")[2], "")}
        answer = admin.http.open(
            path.format(**named), method=method, json=body, headers={"X-API-Key": admin.key}
        )
        if answer.status_code not in (200, 201):
            refused.append(f"{operation_id}: {answer.status_code} {answer.text}")
    assert refused == []


def test_the_demo_has_the_vessel_that_examples_name(admin: ApiClient) -> None:
    vessel = admin.get(f"/vessel/{demo.VESSEL_ID}").get_json()
    assert vessel["imo"] == demo.VESSEL["imo"]
    made_at = datetime.fromtimestamp((demo.VESSEL_ID.int >> 80) / 1000, UTC)
    assert (demo.VESSEL_ID.version, made_at) == (7, datetime(2026, 1, 1, tzinfo=UTC))
