"""Management of users by admins through the API, and its effect on sign-in."""

from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
from argon2 import PasswordHasher
from flask import Flask

from app.models import Role
from app.services.errors import Conflict, Unauthenticated
from app.services.identity import user_sessions, users
from app.services.platform.sessions import organization_session
from tests.integration.client import ApiClient
from tests.integration.conftest import client_of

PASSWORD = "ebb and flood and slack"


def make(admin: ApiClient, **wanted: Any) -> dict[str, Any]:
    body = {"email": f"{uuid4().hex}@people.example", "role": "planner", "password": PASSWORD}
    answer = admin.post("/users", body | wanted)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.get_json()
    return made


def test_a_made_user_signs_in_with_the_role_given(app: Flask, admin: ApiClient) -> None:
    made = make(admin, name="Anna Vos", role="viewer")
    with app.app_context():
        signed_in = users.sign_in(made["email"].upper(), PASSWORD)
        user_sessions.begin(signed_in.user_id)
    assert (signed_in.name, signed_in.actor.role) == ("Anna Vos", Role.VIEWER)
    shown = admin.get(f"/users/{made['id']}").get_json()
    assert made["lastSignedInAt"] is None
    assert shown["lastSignedInAt"] is not None


def test_a_user_who_signed_in_meanwhile_is_changed(app: Flask, admin: ApiClient) -> None:
    made = make(admin)
    path = f"/users/{made['id']}"
    seen = {"If-Match": admin.get(path).headers["ETag"]}
    with app.app_context():
        user_sessions.begin(users.sign_in(made["email"], PASSWORD).user_id)
    assert admin.put(path, made | {"name": "Another"}, headers=seen).status_code == 200


def test_no_answer_shows_a_password_or_its_hash(admin: ApiClient) -> None:
    answers = [
        admin.post("/users", {"email": "p@people.example", "role": "viewer", "password": PASSWORD})
    ]
    made = answers[0].get_json()
    answers += [admin.get("/users"), admin.get(f"/users/{made['id']}")]
    answers += [admin.put(f"/users/{made['id']}", made | {"password": PASSWORD + "!"})]
    for answer in answers:
        assert answer.status_code in (200, 201), answer.text
        assert "password" not in answer.text
        assert PASSWORD not in answer.text
        assert "argon2" not in answer.text


@pytest.mark.parametrize("password", ["short", "x" * 1025])
def test_a_password_of_an_unsound_length_is_refused(admin: ApiClient, password: str) -> None:
    body = {"email": "q@people.example", "role": "viewer", "password": password}
    answer = admin.post("/users", body)
    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["pointer"] == "/password"


@pytest.mark.parametrize(
    "password",
    [
        "aaaaaaaaaaaa",
        "password1234",
        "{email}",
        "Aletta Brouwer",
        "AlettaBrouwer7",
    ],
)
def test_a_password_that_is_easily_guessed_is_refused(admin: ApiClient, password: str) -> None:
    made = make(admin, name="Aletta Brouwer")
    body = {"email": made["email"], "name": "Aletta Brouwer", "role": "viewer"}
    body["password"] = password.format(email=made["email"])
    for answer in (admin.post("/users", body), admin.put(f"/users/{made['id']}", body)):
        assert answer.status_code == 422
        (fault,) = answer.get_json()["errors"]
        assert fault["pointer"] == "/password"
        assert "four or more words" in fault["detail"]


def test_an_address_has_one_user_in_an_organization(admin: ApiClient) -> None:
    body = {"email": make(admin)["email"].upper(), "role": "viewer", "password": PASSWORD}
    answer = admin.post("/users", body)
    assert (answer.status_code, answer.get_json()["code"]) == (409, "EMAIL_TAKEN")


def test_no_organization_learns_of_anothers_user_or_keeps_an_address_from_it(
    app: Flask, admin: ApiClient, stranger: ApiClient
) -> None:
    taken, free = make(admin)["email"], f"{uuid4().hex}@people.example"
    word = "eleven grey herons at low tide"
    answers = [
        stranger.post("/users", {"email": email, "role": "viewer", "password": word})
        for email in (taken, free)
    ]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].get_json().keys() == answers[1].get_json().keys()
    theirs, ours = (client.get("/organization").get_json()["id"] for client in (stranger, admin))
    with app.app_context():
        assert str(users.sign_in(taken, PASSWORD).actor.organization_id) == ours
        assert str(users.sign_in(taken, word).actor.organization_id) == theirs
        with pytest.raises(Unauthenticated):
            users.sign_in(taken, "neither of the two words")


def test_a_sign_in_tries_as_many_passwords_whether_an_address_has_a_user_elsewhere(
    app: Flask, admin: ApiClient, stranger: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, both = make(admin)["email"], make(admin)["email"]
    body = {"email": both, "role": "viewer", "password": "eleven grey herons at low tide"}
    assert stranger.post("/users", body).status_code == 201
    tried: list[str] = []
    verify = PasswordHasher.verify
    monkeypatch.setattr(PasswordHasher, "verify", lambda *a: tried.append("") or verify(*a))
    counts = []
    with app.app_context():
        for email in ("nobody@people.example", one, both):
            tried.clear()
            with pytest.raises(Unauthenticated):
                users.sign_in(email, "a wrong word for all of them")
            counts.append(len(tried))
    assert counts == [2, 2, 2]


def test_a_user_is_read_changed_and_sent_back(app: Flask, admin: ApiClient) -> None:
    made = make(admin)
    read = admin.get(f"/users/{made['id']}").get_json()
    changed = admin.put(f"/users/{made['id']}", read | {"role": "viewer"})
    assert changed.status_code == 200, changed.text
    assert changed.get_json()["role"] == "viewer"
    with app.app_context():
        assert users.sign_in(made["email"], PASSWORD).actor.role == Role.VIEWER


def test_a_user_who_was_put_away_is_out_at_once_and_stays_in_the_list(
    app: Flask, admin: ApiClient
) -> None:
    made = make(admin)
    with app.app_context():
        signed_in = users.sign_in(made["email"], PASSWORD)
        name = user_sessions.begin(signed_in.user_id)
        assert users.find_signed_in(signed_in.user_id, name) is not None
    assert admin.delete(f"/users/{made['id']}").status_code == 204
    with app.app_context():
        assert users.find_signed_in(signed_in.user_id, name) is None
        with pytest.raises(Unauthenticated):
            users.sign_in(made["email"], PASSWORD)
    kept = {user["id"]: user for user in admin.get("/users").get_json()["items"]}
    assert kept[made["id"]]["isActive"] is False


def test_a_change_without_is_active_leaves_a_user_as_before(admin: ApiClient) -> None:
    made = make(admin)
    path = f"/users/{made['id']}"
    body = {"email": made["email"], "role": "viewer"}
    assert admin.put(path, body).get_json()["isActive"] is True
    admin.delete(path)
    changed = admin.put(path, body)
    assert (changed.status_code, changed.get_json()["isActive"]) == (200, False)
    assert admin.put(path, body | {"isActive": True}).get_json()["isActive"] is True


def test_a_user_whose_erasure_is_pending_is_not_activated(admin: ApiClient) -> None:
    made = make(admin)
    path = f"/users/{made['id']}"
    erasure = admin.post(f"/erasures/user/{made['id']}").get_json()
    refused = admin.put(path, made | {"isActive": True})
    assert (refused.status_code, refused.get_json()["code"]) == (409, "ERASURE_REQUESTED")
    assert erasure["id"] in refused.get_json()["detail"]
    assert admin.put(path, made | {"isActive": False, "name": "B. Vos"}).status_code == 200
    assert admin.delete(f"/erasures/{erasure['id']}").status_code == 204
    assert admin.put(path, made | {"isActive": True}).get_json()["isActive"] is True


def test_no_link_is_issued_for_a_deactivated_user(admin: ApiClient) -> None:
    made = make(admin)
    path = f"/users/{made['id']}"
    admin.delete(path)
    refused = [
        admin.post(f"{path}/reset"),
        admin.put(path, {"email": f"{uuid4().hex}@people.example", "role": "viewer"}),
    ]
    assert [answer.status_code for answer in refused] == [409, 409]
    assert "deactivated" in refused[0].get_json()["detail"]


def test_the_last_admin_stays(admin: ApiClient) -> None:
    first, second = make(admin, role="admin"), make(admin, role="admin")
    assert admin.delete(f"/users/{first['id']}").status_code == 204
    without = [
        admin.delete(f"/users/{second['id']}"),
        admin.put(f"/users/{second['id']}", second | {"role": "planner"}),
        admin.put(f"/users/{second['id']}", second | {"isActive": False}),
    ]
    assert [answer.get_json()["code"] for answer in without] == ["LAST_ADMIN"] * 3
    assert admin.get(f"/users/{second['id']}").get_json()["role"] == "admin"


def test_two_admins_who_put_each_other_away_leave_one(
    app: Flask, admin: ApiClient, organization_id: Any
) -> None:
    made = [make(admin, role="admin")["id"] for _ in range(2)]
    refused: list[str] = []

    def put_away(user_id: str) -> None:
        with app.app_context():
            try:
                with organization_session(organization_id) as session:
                    user = users.get(session, organization_id, user_id)
                    users.change(session, user, {"is_active": False})
            except Conflict as error:
                refused.append(error.problem_code)

    threads = [Thread(target=put_away, args=(user_id,)) for user_id in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["LAST_ADMIN"]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.PLANNER])
def test_only_admins_manage_users(
    app: Flask, admin: ApiClient, organization_id: Any, role: Role
) -> None:
    made = make(admin)
    client = client_of(app, organization_id, role)
    answers = [
        client.get("/users"),
        client.get(f"/users/{made['id']}"),
        client.post("/users", {"email": "r@people.example", "role": "admin", "password": PASSWORD}),
        client.put(f"/users/{made['id']}", made),
        client.delete(f"/users/{made['id']}"),
    ]
    assert [answer.status_code for answer in answers] == [403] * 5


def test_another_organizations_users_are_not_there(admin: ApiClient, stranger: ApiClient) -> None:
    made = make(admin)
    assert made["email"] not in stranger.get("/users").text
    assert stranger.get(f"/users/{made['id']}").status_code == 404
    assert stranger.put(f"/users/{made['id']}", made).status_code == 404
    assert stranger.delete(f"/users/{made['id']}").status_code == 404


def test_a_user_changed_meanwhile_is_not_overwritten(admin: ApiClient) -> None:
    made = make(admin)
    seen = admin.get(f"/users/{made['id']}").headers["ETag"]
    admin.put(f"/users/{made['id']}", made | {"name": "Another"})
    answer = admin.put(f"/users/{made['id']}", made, headers={"If-Match": seen})
    assert answer.status_code == 412
