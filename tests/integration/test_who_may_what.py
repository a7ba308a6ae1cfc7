"""Permissions of every operation for every kind of user."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from openapi_schema_validator import OAS30ReadValidator, oas30_format_checker
from werkzeug.test import TestResponse

from app.models import Role, utc_now
from app.services.chartings import charting_runs
from app.services.identity import keys
from app.services.platform.sessions import operator_session
from tests.integration.client import CHARTING, VESSEL, ApiClient
from tests.integration.conftest import client_of, make_organization

pytestmark = [pytest.mark.atlas]

#: A word in the names of all that the organization owns; no answer to others holds it.
MARK = "Zephyrine"

CALLERS = ("no key", "wrong key", "expired key", "viewer", "master", "planner", "admin", "stranger")
NOBODY = CALLERS[:3]

_VESSEL = VESSEL | {"name": f"{MARK} Star", "captain": f"{MARK} Vos", "owner": f"{MARK} Lines"}
_CHARTING = CHARTING | {"portFromName": f"{MARK} Roads", "owner": f"{MARK} Lines"}
_AREA = {
    "name": f"{MARK} Range",
    "description": f"known to {MARK} only",
    "geometry": {
        "type": "Polygon",
        "coordinates": [[[-30, 40], [-29, 40], [-29, 41], [-30, 41], [-30, 40]]],
    },
    "type": "MILITARY",
    "level": "GLOBAL",
}
_ANOTHER = _AREA | {"name": "Another", "description": None}
_TELEMETRY = {
    "latitude": 51.9,
    "longitude": 2.4,
    "speed": 12.4,
    "heading": 278,
    "rpm": 84,
    "fuelConsumption": 24.6,
    "draft": 10.5,
    "engineLoad": 61,
}


@dataclass(frozen=True)
class Operation:
    """An operation, what it is sent, and its answers to those who have a key.

    Its path names what it works on: ``vessel`` and ``charting`` (a planned one)
    stay; what begins with ``new_`` is made for each request.
    """

    method: str
    path: str
    planner: int
    viewer: int
    stranger: int
    body: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    def status_for(self, caller: str) -> int:
        if caller in NOBODY:
            return 401
        may_read = {"viewer": self.viewer, "master": self.viewer}
        return (may_read | {"stranger": self.stranger}).get(caller, self.planner)


def reading(path: str, *, stranger: int = 404) -> Operation:
    return Operation("GET", path, 200, 200, stranger)


def writing(
    method: str, path: str, status: int, *, stranger: int = 404, body: dict[str, Any] | None = None
) -> Operation:
    return Operation(method, path, status, 403, stranger, body)


OPERATIONS = (
    reading("/organization", stranger=200),
    reading("/vessel", stranger=200),
    writing("POST", "/vessel", 201, stranger=201, body=VESSEL),
    reading("/vessel/{vessel}"),
    writing("PUT", "/vessel/{new_vessel}", 200, body=VESSEL),
    writing("DELETE", "/vessel/{new_vessel}", 204),
    reading("/vessel/{vessel}/stats"),
    reading("/charting", stranger=200),
    writing("POST", "/charting", 201, stranger=422, body=CHARTING),
    reading("/charting/active", stranger=200),
    reading("/charting/{charting}"),
    writing("PUT", "/charting/{new_charting}", 200, body=CHARTING),
    Operation("POST", "/charting/{charting}/segments/compute", 200, 200, 404, {"splitIndices": []}),
    reading("/charting/{charting}/critical-points"),
    reading("/charting/{charting}/foc"),
    reading("/charting/{charting}/csv"),
    reading("/charting/{charting}/rtz"),
    reading("/charting/{charting}/explanation"),
    reading("/constraints", stranger=200),
    writing("POST", "/constraints", 201, stranger=201, body=_ANOTHER),
    writing("DELETE", "/constraints/{new_constraint}", 204),
    reading("/client-data", stranger=200),
    writing("POST", "/client-data", 201, stranger=201, body=_ANOTHER),
    writing("PUT", "/client-data/{new_client_data}", 200, body=_AREA),
    writing("DELETE", "/client-data/{new_client_data}", 204),
    reading("/telemetry/{vessel}"),
    writing("POST", "/telemetry/{vessel}", 201, body=_TELEMETRY),
)


@dataclass
class World:
    """An organization with a planned voyage, those who ask, and the service's description."""

    callers: dict[str, ApiClient]
    description: dict[str, Any]
    vessel: str
    charting: str
    seconds: Iterator[int] = field(default_factory=itertools.count)

    @property
    def admin(self) -> ApiClient:
        return self.callers["admin"]

    def path_for(self, template: str) -> str:
        makers = {
            "vessel": lambda: self.vessel,
            "charting": lambda: self.charting,
            "new_vessel": lambda: self.admin.make_vessel(**_VESSEL)["id"],
            "new_charting": lambda: self.admin.order(**_CHARTING, vesselId=self.vessel)["id"],
            "new_constraint": lambda: self._make("/constraints"),
            "new_client_data": lambda: self._make("/client-data"),
        }
        named = {name: make() for name, make in makers.items() if f"{{{name}}}" in template}
        return template.format(**named)

    def body_for(self, operation: Operation) -> dict[str, Any] | None:
        if operation.body is CHARTING:
            return CHARTING | {"vesselId": self.vessel}
        if operation.body is _TELEMETRY:
            instant = f"2026-03-01T12:00:{next(self.seconds):02}Z"
            return _TELEMETRY | {"timestamp": instant}
        return operation.body

    def _make(self, path: str) -> str:
        answer = self.admin.post(path, _AREA)
        assert answer.status_code == 201, answer.text
        return str(answer.get_json()["id"])


@pytest.fixture(scope="module")
def world(app: Flask, worker_app: Flask, atlas: Path) -> World:
    organization_id = make_organization(app, f"{MARK} Lines")
    admin = client_of(app, organization_id, Role.ADMIN)
    vessel = admin.make_vessel(**_VESSEL)["id"]
    charting = admin.order(**_CHARTING, vesselId=vessel)["id"]
    with worker_app.app_context():
        charting_runs.run(UUID(charting), 1)
    admin.post("/constraints", _AREA)
    admin.post("/client-data", _AREA)
    admin.post(f"/telemetry/{vessel}", _TELEMETRY | {"timestamp": "2026-03-01T11:00:00Z"})
    return World(
        callers={
            "no key": admin,
            "wrong key": ApiClient(admin.http, admin.key[:-1] + "-"),
            "expired key": ApiClient(admin.http, expired_key(app, organization_id)),
            "viewer": client_of(app, organization_id, Role.VIEWER),
            "master": client_of(app, organization_id, Role.MASTER),
            "planner": client_of(app, organization_id, Role.PLANNER),
            "admin": admin,
            "stranger": client_of(app, make_organization(app, "Foreign Shipping"), Role.ADMIN),
        },
        description=admin.http.get("/v1/openapi.json").get_json(),
        vessel=vessel,
        charting=charting,
    )


def expired_key(app: Flask, organization_id: UUID) -> str:
    yesterday = utc_now() - timedelta(days=1)
    with app.app_context(), operator_session(organization_id) as session:
        return keys.issue(session, organization_id, Role.ADMIN, expires_at=yesterday).secret


def ask(world: World, caller: str, operation: Operation, path: str) -> TestResponse:
    client, body = world.callers[caller], world.body_for(operation)
    headers = {} if caller == "no key" else {"X-API-Key": client.key}
    return client.http.open(f"/v1{path}", method=operation.method, json=body, headers=headers)


def test_the_table_holds_every_operation_of_the_service() -> None:
    assert len(OPERATIONS) == len({operation.name for operation in OPERATIONS}) == 27


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_answers_each_as_described_and_shows_strangers_nothing(
    world: World, operation: Operation, caller: str
) -> None:
    path = world.path_for(operation.path)
    before = state_of(world, path)
    answer = ask(world, caller, operation, path)
    assert answer.status_code == operation.status_for(caller), answer.text
    check_described(world.description, operation, answer)
    if caller in NOBODY or caller == "stranger":
        told = answer.text + str(answer.headers)
        assert MARK not in told
        assert not any(trace in told for trace in ("Traceback", "psycopg", "SELECT ", ".py"))
    if answer.status_code >= 400:
        assert state_of(world, path) == before


def test_a_refusal_does_not_reveal_what_exists(world: World) -> None:
    """Another's, one that never was and one that is no id: the same 404, but for the path."""
    ids = (world.vessel, "019b76da-a800-7000-8000-00000000ffff", "nonsense")
    answers = [world.callers["stranger"].get(f"/vessel/{id_}").get_json() for id_ in ids]
    told = [
        {name: value for name, value in answer.items() if name not in {"instance", "requestId"}}
        for answer in answers
    ]
    assert told[0] == told[1] == told[2]


def test_every_bad_key_is_refused_in_the_same_words(world: World) -> None:
    wrong, expired = (
        world.callers[caller].get("/organization").get_json() for caller in NOBODY[1:]
    )
    assert wrong["detail"] == expired["detail"]


def state_of(world: World, path: str) -> str | None:
    """The tag of what a path's operations work on, as its owner sees it."""
    group, _, thing = path.removeprefix("/").partition("/")
    if not thing or group == "telemetry" or "/" in thing or thing == "active":
        return None
    return world.admin.get(path).headers["ETag"]


def check_described(
    description: dict[str, Any], operation: Operation, answer: TestResponse
) -> None:
    """The answer is one of those that the description holds out, and of the form it gives."""
    described = find_described(description, operation)["responses"][str(answer.status_code)]
    if "$ref" in described:
        described = description["components"]["responses"][described["$ref"].rpartition("/")[2]]
    if answer.status_code == 204:
        assert answer.data == b""
        return
    schema = described["content"][answer.mimetype]["schema"]
    if answer.mimetype.endswith("json"):
        OAS30ReadValidator(
            schema | {"components": description["components"]}, format_checker=oas30_format_checker
        ).validate(answer.get_json())
    else:
        assert schema["type"] == "string"
        assert answer.data


def find_described(description: dict[str, Any], operation: Operation) -> dict[str, Any]:
    wanted = ["{}" if part.startswith("{") else part for part in operation.path.split("/")]
    for path, operations in description["paths"].items():
        parts = path.removeprefix("/v1").split("/")
        if wanted == ["{}" if part.startswith("{") else part for part in parts]:
            found: dict[str, Any] = operations[operation.method.lower()]
            return found
    raise LookupError(operation.name)
