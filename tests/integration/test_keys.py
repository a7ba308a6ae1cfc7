"""Management of keys by admins through the API."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from app.models import IdempotencyRecord, Role, utc_now
from app.services.identity import keys
from app.services.platform.sessions import operator_session, organization_session
from tests.integration.client import ApiClient
from tests.integration.conftest import client_of


def issue(admin: ApiClient, **wanted: Any) -> dict[str, Any]:
    answer = admin.post("/keys", {"role": "planner"} | wanted)
    assert answer.status_code == 201, answer.text
    issued: dict[str, Any] = answer.get_json()
    return issued


def using(admin: ApiClient, secret: str) -> ApiClient:
    return ApiClient(admin.http, secret)


def listed(admin: ApiClient) -> dict[str, dict[str, Any]]:
    return {key["id"]: key for key in admin.get("/keys").get_json()["items"]}


def test_an_issued_key_works_and_its_secret_is_never_shown_again(admin: ApiClient) -> None:
    answer = admin.post("/keys", {"role": "viewer", "name": "bridge tablet", "kind": "test"})
    issued = answer.get_json()
    assert issued["secret"].startswith(issued["prefix"])
    assert issued["prefix"].startswith("vk_test_")
    assert using(admin, issued["secret"]).get("/organization").status_code == 200
    again = admin.get(answer.headers["Location"].removeprefix("/v1"))
    assert again.get_json()["id"] == issued["id"]
    assert issued["secret"] not in again.text + admin.get("/keys").text


def test_a_list_says_who_may_what_and_when_a_key_was_last_used(admin: ApiClient) -> None:
    issued = issue(admin, role="viewer", name="bridge tablet")
    assert listed(admin)[issued["id"]]["lastUsedAt"] is None
    using(admin, issued["secret"]).get("/organization")
    shown = listed(admin)[issued["id"]]
    assert (shown["name"], shown["role"], shown["state"]) == ("bridge tablet", "viewer", "ACTIVE")
    assert shown["lastUsedAt"] is not None


def test_a_key_used_meanwhile_is_revoked_and_one_revoked_meanwhile_is_not(
    admin: ApiClient,
) -> None:
    issued = issue(admin)
    path = f"/keys/{issued['id']}"
    unused = {"If-Match": admin.get(path).headers["ETag"]}
    using(admin, issued["secret"]).get("/organization")
    unchanged = admin.get(path, headers={"If-None-Match": unused["If-Match"]})
    assert unchanged.get_json()["lastUsedAt"] is not None
    assert admin.delete(path, headers=unused).status_code == 204
    assert admin.delete(path, headers=unused).status_code == 412


def test_a_revoked_key_is_invalid_at_once_and_stays_in_the_list(admin: ApiClient) -> None:
    issued = issue(admin)
    assert admin.delete(f"/keys/{issued['id']}").status_code == 204
    assert using(admin, issued["secret"]).get("/organization").status_code == 401
    assert listed(admin)[issued["id"]]["state"] == "REVOKED"


def test_a_rotated_key_and_its_successor_are_valid_during_the_overlap(admin: ApiClient) -> None:
    old = issue(admin, role="viewer", name="bridge tablet")
    new = admin.post(f"/keys/{old['id']}/rotate", {"overlapHours": 2}).get_json()
    assert (new["role"], new["name"], new["rotatedFromId"]) == (
        "viewer",
        "bridge tablet",
        old["id"],
    )
    for secret in (old["secret"], new["secret"]):
        assert using(admin, secret).get("/organization").status_code == 200
    assert new["expiresAt"] > listed(admin)[old["id"]]["expiresAt"]
    assert listed(admin)[old["id"]]["expiresAt"] is not None


def test_without_overlap_the_old_key_ends_with_the_rotation(admin: ApiClient) -> None:
    old = issue(admin)
    new = admin.post(f"/keys/{old['id']}/rotate", {"overlapHours": 0}).get_json()
    assert using(admin, old["secret"]).get("/organization").status_code == 401
    assert using(admin, new["secret"]).get("/organization").status_code == 200
    assert listed(admin)[old["id"]]["state"] == "EXPIRED"


def test_an_operators_key_is_rotated_from_the_command_line_only(
    app: Flask, admin: ApiClient, organization_id: UUID
) -> None:
    with app.app_context(), operator_session(organization_id) as session:
        key_id = str(keys.issue(session, organization_id, Role.ADMIN, is_operator=True).key.id)
    refused = admin.post(f"/keys/{key_id}/rotate", {})
    assert refused.status_code == 403
    assert "command line" in refused.get_json()["detail"]
    with app.app_context(), operator_session(organization_id) as session:
        overlap = timedelta(hours=1)
        new = keys.rotate(session, organization_id, key_id, overlap, by_operator=True)
        assert new.key.is_operator


def test_a_key_has_one_successor(admin: ApiClient) -> None:
    old = issue(admin)
    assert admin.post(f"/keys/{old['id']}/rotate").status_code == 201
    again = admin.post(f"/keys/{old['id']}/rotate")
    assert (again.status_code, again.get_json()["code"]) == (409, "KEY_ROTATED")


def test_a_key_that_ends_on_the_last_day_is_rotated(admin: ApiClient) -> None:
    old = issue(admin, expiresAt="9999-12-31T23:59:59Z")
    new = admin.post(f"/keys/{old['id']}/rotate")
    assert new.status_code == 201, new.text
    assert new.get_json()["expiresAt"].startswith("9999-12-31T23:59:59")


def test_the_successor_of_a_key_that_ends_is_given_as_long_to_live(admin: ApiClient) -> None:
    ends = (utc_now() + timedelta(days=10)).isoformat()
    old = issue(admin, expiresAt=ends)
    new = admin.post(f"/keys/{old['id']}/rotate", {"overlapHours": 1}).get_json()
    assert new["expiresAt"] is not None
    assert new["expiresAt"] >= old["expiresAt"]


def test_a_key_cannot_be_issued_to_have_ended_already(admin: ApiClient) -> None:
    answer = admin.post("/keys", {"role": "viewer", "expiresAt": "2020-01-01T00:00:00Z"})
    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["pointer"] == "/expiresAt"


@pytest.mark.parametrize("role", [Role.VIEWER, Role.PLANNER])
def test_only_admins_manage_keys(
    app: Flask, admin: ApiClient, organization_id: Any, role: Role
) -> None:
    issued = issue(admin)
    client = client_of(app, organization_id, role)
    answers = [
        client.get("/keys"),
        client.get(f"/keys/{issued['id']}"),
        client.post("/keys", {"role": "viewer"}),
        client.post(f"/keys/{issued['id']}/rotate"),
        client.delete(f"/keys/{issued['id']}"),
    ]
    assert [answer.status_code for answer in answers] == [403] * 5


def test_another_organizations_keys_are_not_there(admin: ApiClient, stranger: ApiClient) -> None:
    issued = issue(admin)
    assert issued["id"] not in listed(stranger)
    assert stranger.get(f"/keys/{issued['id']}").status_code == 404
    assert stranger.post(f"/keys/{issued['id']}/rotate").status_code == 404
    assert stranger.delete(f"/keys/{issued['id']}").status_code == 404


def test_the_api_cannot_grant_operator_rights(
    app: Flask, admin: ApiClient, organization_id: Any
) -> None:
    assert admin.post("/keys", {"role": "admin", "isOperator": True}).status_code == 422
    with app.app_context(), operator_session(organization_id) as session:
        operators = keys.issue(session, organization_id, Role.ADMIN, is_operator=True).key
    answer = admin.post(f"/keys/{operators.id}/rotate")
    assert answer.status_code == 403
    assert "secret" not in answer.text


def test_no_secret_is_stored_for_an_answer_that_is_given_again(
    app: Flask, admin: ApiClient, organization_id: Any
) -> None:
    again = {"Idempotency-Key": "issue-once"}
    first = admin.post("/keys", {"role": "viewer"}, headers=again).get_json()
    second = admin.post("/keys", {"role": "viewer"}, headers=again).get_json()
    assert second == first | {"secret": None}
    with app.app_context(), organization_session(organization_id) as session:
        kept = session.get(IdempotencyRecord, (organization_id, "issue-once"))
    assert kept is not None
    assert first["secret"].encode() not in kept.body
