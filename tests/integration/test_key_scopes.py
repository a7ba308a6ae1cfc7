"""Scopes, networks and lifetimes of keys."""

import itertools
import re
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from app.models import ALL_SCOPES, Role, Scope, utc_now
from app.services.identity import keys
from app.services.platform.sessions import operator_session
from tests.integration.client import ApiClient
from tests.integration.test_keys import issue, using

NO_ID = "019b76da-a800-7000-8000-00000000ffff"
#: The least role of an operation, the last one named, and its scope.
RIGHT = re.compile(
    r"Requires the role (?:\w+, or )?(\w+)(?: if [^.]+,)?(?: and the scope (\w+))?\.$"
)


def operations_of(app: Flask) -> dict[tuple[str, str], Scope | None]:
    """The scope that the description names for every operation, by method and path."""
    described = app.test_client().get("/v1/openapi.json").get_json()
    return {
        (method.upper(), path): scope_named_in(operation["description"])
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        if method != "parameters"
    }


def scope_named_in(description: str) -> Scope | None:
    found = RIGHT.search(description)
    assert found, description
    return Scope(found[2]) if found[2] else None


def key_with(app: Flask, organization_id: UUID, *scopes: Scope) -> ApiClient:
    with app.app_context(), operator_session(organization_id) as session:
        issued = keys.issue(session, organization_id, Role.ADMIN, kind="test", scopes=scopes)
    return ApiClient(app.test_client(), issued.secret)


def is_refused_for_scope(client: ApiClient, method: str, path: str) -> bool:
    path = path.replace("{timestamp}", "2026-03-01T12:00:00Z")
    path = re.sub(r"\{\w+Id\}", NO_ID, path)
    options: dict[str, Any] = {} if method in ("GET", "DELETE") else {"json": {"unknown": 1}}
    answer = client.http.open(path, method=method, headers={"X-API-Key": client.key}, **options)
    return answer.status_code == 403 and "scope" in answer.get_json().get("data", {})


def test_each_operation_is_open_to_its_scope_and_to_no_other(
    app: Flask, organization_id: UUID
) -> None:
    operations = operations_of(app)
    assert [path for (_, path), needed in operations.items() if needed is None] == [
        "/v1/organization"
    ]
    clients = {scope: key_with(app, organization_id, scope) for scope in Scope}
    for (operation, needed), scope in itertools.product(operations.items(), Scope):
        is_open = needed in (None, scope)
        refused = is_refused_for_scope(clients[scope], *operation)
        assert refused is not is_open, (operation, scope)


def test_a_scope_gives_no_more_than_the_role_does(admin: ApiClient) -> None:
    issued = issue(admin, role="viewer", scopes=["read", "plan"])
    answer = using(admin, issued["secret"]).post("/vessel", {})
    assert answer.status_code == 403
    assert answer.get_json()["data"] == {"required": "planner"}


def test_a_key_has_all_scopes_unless_some_are_named(admin: ApiClient) -> None:
    assert issue(admin)["scopes"] == list(Scope)
    assert issue(admin, scopes=["TELEMETRY", "read"])["scopes"] == ["read", "telemetry"]
    assert len(ALL_SCOPES) == len(Scope)


@pytest.mark.parametrize("scopes", [[], ["write"]])
def test_scopes_that_are_none_are_refused(admin: ApiClient, scopes: list[str]) -> None:
    answer = admin.post("/keys", {"role": "planner", "scopes": scopes})
    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["pointer"].startswith("/scopes")


@pytest.mark.parametrize(
    ("role", "scopes", "named"),
    [("viewer", ["plan"], "plan needs the role master"),
     ("master", ["telemetry", "admin"], "telemetry needs the role planner")],
)  # fmt: skip
def test_a_key_that_could_do_nothing_is_refused(
    admin: ApiClient, role: str, scopes: list[str], named: str
) -> None:
    answer = admin.post("/keys", {"role": role, "scopes": scopes})
    assert answer.status_code == 422
    (error,) = answer.get_json()["errors"]
    assert error["pointer"] == "/scopes"
    assert named in error["detail"]
    issue(admin, role=role, scopes=["read", *scopes])


def test_the_least_role_of_a_scope_is_that_of_its_operations(app: Flask) -> None:
    described = app.test_client().get("/v1/openapi.json").get_json()
    roles: dict[Scope, set[Role]] = {scope: set() for scope in Scope}
    for operations in described["paths"].values():
        for method, operation in operations.items():
            if method == "parameters":
                continue
            words = operation["description"]
            found = RIGHT.search(words)
            if found and found[2]:
                roles[Scope(found[2])].add(Role(found[1]))
    for scope, least in keys.LEAST_ROLES.items():
        assert least in roles[scope]
        assert all(role.includes(least) for role in roles[scope])


def test_a_key_works_from_its_networks_only(admin: ApiClient) -> None:
    issued = issue(admin, networks=["192.0.2.0/24", "2001:db8::1"])
    assert issued["networks"] == ["192.0.2.0/24", "2001:db8::1/128"]
    status = {
        address: admin.http.get(
            "/v1/organization",
            headers={"X-API-Key": issued["secret"]},
            environ_base={"REMOTE_ADDR": address},
        ).status_code
        for address in ("192.0.2.9", "::ffff:192.0.2.9", "2001:db8::1", "192.0.3.1", "2001:db8::2")
    }
    assert list(status.values()) == [200, 200, 200, 403, 403]


def test_a_network_of_mapped_addresses_is_the_ipv4_network(admin: ApiClient) -> None:
    issued = issue(admin, networks=["::ffff:192.0.2.0/120", "::ffff:203.0.113.9"])
    assert issued["networks"] == ["192.0.2.0/24", "203.0.113.9/32"]


@pytest.mark.parametrize("network", ["192.0.2.7/24", "ship", "300.1.1.1"])
def test_what_is_no_network_is_refused_at_its_place(admin: ApiClient, network: str) -> None:
    answer = admin.post("/keys", {"role": "viewer", "networks": ["192.0.2.0/24", network]})
    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["pointer"] == "/networks/1"


def test_a_successor_has_the_scopes_and_networks_of_its_key(admin: ApiClient) -> None:
    old = issue(admin, scopes=["read"], networks=["127.0.0.0/8"])
    new = admin.post(f"/keys/{old['id']}/rotate").get_json()
    assert (new["scopes"], new["networks"]) == (["read"], ["127.0.0.0/8"])


def test_a_key_ends_after_the_organizations_lifetime_unless_its_end_is_given(
    admin: ApiClient,
) -> None:
    assert ends_in_days(issue(admin), 365)
    assert issue(admin, expiresAt=None)["expiresAt"] is None
    assert admin.patch("/organization", {"keyLifetimeDays": 30}).status_code == 200
    assert ends_in_days(issue(admin), 30)
    assert admin.patch("/organization", {"keyLifetimeDays": None}).status_code == 200
    assert issue(admin)["expiresAt"] is None


def ends_in_days(key: dict[str, Any], days: int) -> bool:
    left = datetime.fromisoformat(key["expiresAt"]) - utc_now()
    return timedelta(days=days - 1) < left <= timedelta(days=days)


def test_a_scope_given_more_often_than_there_are_scopes_is_kept_once(admin: ApiClient) -> None:
    made = admin.post("/keys", {"role": "viewer", "scopes": ["read"] * 9})
    assert made.status_code == 201, made.text
    assert made.get_json()["scopes"] == ["read"]
