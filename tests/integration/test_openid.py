"""Sign-in with a real OpenID provider: accepted and refused users."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
import requests
from flask import Flask
from joserfc.jwk import RSAKey
from werkzeug.test import TestResponse

from app import create_app
from app.config import OpenIdSettings, Settings
from app.environment import SettingInvalid
from app.models import Role
from app.pages.web import access
from app.services.identity import organizations, passkeys, users
from app.services.platform.sessions import operator_session, organization_session
from tests.integration.browser import HTML, PASSWORD, Browser, make_user
from tests.integration.client import ApiClient
from tests.integration.test_concurrent_changes import answer_after
from tests.integration.test_passkeys import register, use_alone
from tests.integration.test_second_factor import PAGE as FACTORS
from tests.openid_provider import CLIENT_ID, CLIENT_SECRET, Provider, running_provider
from tests.software_authenticator import SoftwareAuthenticator

pytestmark = pytest.mark.usefixtures("redis")

ROLES = {"crew": "viewer", "office": "planner", "chief": "admin"}
#: Size that browsers keep of a cookie with its name and attributes (RFC 6265, 6.1), less these.
LONGEST_COOKIE = 4096 - 200
MakeApp = Callable[..., Flask]


@pytest.fixture
def provider(organization_id: UUID) -> Iterator[Provider]:
    with running_provider() as running:
        running.person = {
            "sub": f"anna-{organization_id}",
            "email": f"anna-{organization_id}@elsewhere.example",
            "email_verified": True,
            "name": "Anna Vos",
            "roles": ["crew", "office"],
        }
        yield running


@pytest.fixture
def make_app(settings: Settings, app: Flask, provider: Provider) -> Iterator[MakeApp]:
    """Makes applications that know the provider."""
    made: list[Flask] = []

    def make(*, has_local_sign_in: bool = True, **options: Any) -> Flask:
        openid = OpenIdSettings(provider.issuer, CLIENT_ID, CLIENT_SECRET, **options)
        made.append(
            create_app(replace(settings, openid=openid, has_local_sign_in=has_local_sign_in))
        )
        return made[-1]

    yield make
    for each in made:
        each.extensions["chartroom"].close()


@pytest.fixture
def name(app: Flask, organization_id: UUID) -> str:
    with app.app_context(), operator_session(organization_id) as session:
        return organizations.get(session, organization_id).name


def start(browser: Browser, path: str = "/sign-in/openid") -> str:
    """Ask to sign in; the provider's address that the browser is sent to."""
    answer = browser.get(path)
    assert answer.status_code == 302, answer.text
    return answer.headers["Location"]


def follow(address: str) -> str:
    """Let the provider answer; the path that it sends the browser back to."""
    answer = requests.get(address, allow_redirects=False, timeout=30)
    assert answer.status_code == 302, answer.text
    parts = urlsplit(answer.headers["Location"])
    return f"{parts.path}?{parts.query}"


def sign_in(browser: Browser, path: str = "/sign-in/openid") -> TestResponse:
    return browser.get(follow(start(browser, path)))


def colleague_of(person: dict[str, Any]) -> dict[str, Any]:
    """Claims of another person with the same roles."""
    return person | {"sub": f"{person['sub']}-ben", "email": f"ben-{person['email']}"}


def test_a_person_signs_in_and_is_made_a_user_with_the_highest_role(
    make_app: MakeApp, provider: Provider, admin: ApiClient, name: str
) -> None:
    browser = Browser(make_app(organization=name, roles=ROLES))
    answer = sign_in(browser, "/sign-in/openid?next=/fleet")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/fleet")
    assert browser.session()["email"] == provider.person["email"]
    (made,) = admin.get("/users").get_json()["items"]
    assert (made["role"], made["name"]) == ("planner", "Anna Vos")
    assert made["lastSignedInAt"] is not None


def test_the_request_carries_a_challenge_a_state_and_a_nonce(make_app: MakeApp, name: str) -> None:
    asked = parse_qs(urlsplit(start(Browser(make_app(organization=name)))).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert {"code_challenge", "state", "nonce"} <= set(asked)
    assert asked["response_type"] == ["code"]


def test_a_role_follows_the_provider_and_the_person_is_known_by_subject(
    make_app: MakeApp, provider: Provider, admin: ApiClient, name: str
) -> None:
    app = make_app(organization=name, roles=ROLES)
    sign_in(Browser(app))
    provider.person |= {"roles": ["crew"], "email": "another@elsewhere.example"}
    sign_in(Browser(app))
    (user,) = admin.get("/users").get_json()["items"]
    assert (user["role"], user["email"].partition("-")[0]) == ("viewer", "anna")


def test_a_person_with_a_new_account_signs_in_once_the_operator_has_unlinked_the_old_one(
    make_app: MakeApp, provider: Provider, admin: ApiClient, name: str
) -> None:
    app = make_app(organization=name)
    assert sign_in(Browser(app)).status_code == 302
    provider.person["sub"] += "-anew"
    assert sign_in(Browser(app)).status_code == 403
    asked = ["users", "unlink", "--org", name, provider.person["email"]]
    assert app.test_cli_runner().invoke(args=asked).exit_code == 0
    assert sign_in(Browser(app)).status_code == 302
    assert admin.get("/users").get_json()["total"] == 1


def test_who_has_none_of_the_roles_is_not_let_in(
    make_app: MakeApp, provider: Provider, admin: ApiClient, name: str
) -> None:
    provider.person["roles"] = ["cook"]
    answer = sign_in(Browser(make_app(organization=name, roles=ROLES)))
    assert answer.status_code == 403
    assert "no access here" in answer.text
    assert admin.get("/users").get_json()["total"] == 0


@pytest.mark.parametrize("roles", [None, 7, [], [{"name": "crew"}], {"crew": True}], ids=str)
def test_a_claim_that_names_no_role_lets_nobody_in(
    make_app: MakeApp, provider: Provider, name: str, roles: object
) -> None:
    provider.person["roles"] = roles
    assert sign_in(Browser(make_app(organization=name, roles=ROLES))).status_code == 403


@pytest.mark.parametrize(
    "sent",
    [{"email": ""}, {"email": " "}, {"email": "anna\0@x.example"}, {"email_verified": "false"}],
    ids=str,
)
def test_a_person_without_a_verified_address_gets_no_user(
    make_app: MakeApp, provider: Provider, admin: ApiClient, name: str, sent: dict[str, Any]
) -> None:
    provider.person |= sent
    answer = sign_in(Browser(make_app(organization=name)))
    assert answer.status_code == 403
    assert "no verified e-mail address" in answer.text
    assert admin.get("/users").get_json()["total"] == 0


def test_a_name_that_cannot_be_stored_is_left_out(
    make_app: MakeApp, provider: Provider, admin: ApiClient, name: str
) -> None:
    provider.person |= {"name": "Anna\0Vos", "email_verified": "true"}
    assert sign_in(Browser(make_app(organization=name))).status_code == 302
    (made,) = admin.get("/users").get_json()["items"]
    assert made["name"] is None


def test_an_issuer_that_ends_with_a_slash_is_accepted(
    make_app: MakeApp, provider: Provider, name: str
) -> None:
    provider.claims = {"iss": f"{provider.issuer}/"}
    assert sign_in(Browser(make_app(organization=name))).status_code == 302


def test_a_sign_in_works_after_many_that_were_left(make_app: MakeApp, name: str) -> None:
    browser = Browser(make_app(organization=name))
    for _ in range(24):
        start(browser)
    first, _ = start(browser), start(browser)
    cookie = browser.http.get_cookie("chartroom")
    assert cookie is not None
    assert len(cookie.value) < LONGEST_COOKIE
    assert browser.get(follow(first)).status_code == 302, "of another tab"


def test_the_organization_is_that_of_the_claim_and_never_of_the_address(
    make_app: MakeApp, provider: Provider, admin: ApiClient, name: str
) -> None:
    app = make_app(organization_claim="company")
    for company in ({}, {"company": "Nobody Lines"}, {"company": ["x"]}):
        provider.person |= company
        assert sign_in(Browser(app)).status_code == 403
    provider.person["company"] = name
    assert sign_in(Browser(app)).status_code == 302
    assert admin.get("/users").get_json()["total"] == 1


def test_a_known_person_does_not_move_to_another_organization(
    make_app: MakeApp, provider: Provider, stranger: ApiClient, name: str
) -> None:
    app = make_app(organization_claim="company")
    provider.person["company"] = name
    assert sign_in(Browser(app)).status_code == 302
    provider.person["company"] = stranger.get("/organization").get_json()["name"]
    assert sign_in(Browser(app)).status_code == 403


@pytest.mark.parametrize(("is_verified", "status"), [(True, 302), (False, 403), (None, 403)])
def test_a_user_who_is_there_is_taken_over_only_with_a_verified_address(
    make_app: MakeApp,
    provider: Provider,
    organization_id: UUID,
    name: str,
    is_verified: bool | None,
    status: int,
) -> None:
    app = make_app(organization=name)
    provider.person |= {"email": make_user(app, organization_id), "email_verified": is_verified}
    assert sign_in(Browser(app)).status_code == status


def test_an_invitation_ends_when_the_invited_person_first_signs_in_at_the_provider(
    make_app: MakeApp, provider: Provider, admin: ApiClient, name: str
) -> None:
    app = make_app(organization=name)
    body = {"email": provider.person["email"], "role": "planner"}
    token = admin.post("/users", body).get_json()["invitationUrl"].partition("#")[2]
    assert sign_in(Browser(app)).status_code == 302
    visitor = Browser(app)
    form = {"token": token, "password": "a long walk by the sea", "csrf_token": ""}
    form["csrf_token"] = visitor.token_of("/choose-password")
    assert visitor.http.post("/choose-password", data=form).status_code == 401


def test_a_user_of_another_organization_is_not_taken_over(
    make_app: MakeApp, provider: Provider, other_organization_id: UUID, name: str
) -> None:
    app = make_app(organization=name)
    email = provider.person["email"] = make_user(app, other_organization_id)
    assert sign_in(Browser(app)).status_code == 302
    with app.app_context(), operator_session(other_organization_id) as session:
        assert users.get_by_email(session, other_organization_id, email).oidc_subject is None
        owners = {row.organization_id for row in users.list_by_email(email)}
    assert other_organization_id in owners
    assert len(owners) == 2


@pytest.mark.parametrize("is_same", [True, False])
def test_of_two_first_sign_ins_at_once_the_second_is_to_the_account_of_the_first(
    make_app: MakeApp,
    provider: Provider,
    admin: ApiClient,
    organization_id: UUID,
    database_url: str,
    name: str,
    is_same: bool,
) -> None:
    app = make_app(organization=name)
    browser, email = Browser(app), provider.person["email"]
    back = follow(start(browser))
    with app.app_context(), organization_session(organization_id) as session:
        first = users.create(session, organization_id, email=email, role=Role.VIEWER)
        subject = provider.person["sub"] if is_same else "another account of the same address"
        first.oidc_subject = f"{provider.issuer} {subject}"
        session.flush()
        answer = answer_after(session, database_url, lambda: browser.get(back))
    assert answer.status_code == (302 if is_same else 403), answer.text
    assert browser.session()["email"] == (email if is_same else None)
    assert admin.get("/users").get_json()["total"] == 1


@pytest.mark.parametrize("is_same", [True, False])
def test_of_two_accounts_linked_to_a_user_at_once_the_second_is_refused_unless_it_is_the_first(
    make_app: MakeApp,
    provider: Provider,
    organization_id: UUID,
    database_url: str,
    name: str,
    is_same: bool,
) -> None:
    app = make_app(organization=name)
    browser = Browser(app)
    provider.person["email"] = email = make_user(app, organization_id)
    back = follow(start(browser))
    with app.app_context(), organization_session(organization_id) as session:
        user = users.get_by_email(session, organization_id, email)
        subject = provider.person["sub"] if is_same else "another account of the same address"
        user.oidc_subject = linked = f"{provider.issuer} {subject}"
        session.flush()
        answer = answer_after(session, database_url, lambda: browser.get(back))
        session.refresh(user)
        assert user.oidc_subject == linked
    assert answer.status_code == (302 if is_same else 403)


def test_a_deactivated_person_is_not_let_in(make_app: MakeApp, admin: ApiClient, name: str) -> None:
    app = make_app(organization=name)
    admin.post("/users", {"email": "boss@ship.example", "role": "admin"})
    sign_in(Browser(app))
    users_ = admin.get("/users").get_json()["items"]
    anna = next(user for user in users_ if user["email"].startswith("anna"))
    assert admin.delete(f"/users/{anna['id']}").status_code == 204
    browser = Browser(app)
    assert sign_in(browser).status_code == 403
    assert browser.session()["email"] is None
    refused = admin.get(f"/users/{anna['id']}").get_json()
    assert refused["lastSignedInAt"] == anna["lastSignedInAt"]


@pytest.mark.parametrize(
    "forged",
    [
        {"nonce": "another"},
        {"aud": "another client"},
        {"iss": "https://evil.example"},
        {"exp": 1_700_000_000},
        {"at_hash": "another"},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_this_request_is_refused(
    make_app: MakeApp, provider: Provider, name: str, forged: dict[str, Any]
) -> None:
    provider.claims = forged
    browser = Browser(make_app(organization=name))
    assert sign_in(browser).status_code == 401
    assert browser.session()["email"] is None


def test_a_token_that_another_key_signed_is_refused(
    make_app: MakeApp, provider: Provider, name: str
) -> None:
    provider.signing_key = RSAKey.generate_key(2048, {"kid": "one"})
    assert sign_in(Browser(make_app(organization=name))).status_code == 401


def test_an_answer_to_another_browser_or_a_second_time_is_refused(
    make_app: MakeApp, name: str
) -> None:
    app = make_app(organization=name)
    browser, victim = Browser(app), Browser(app)
    back = follow(start(browser))
    assert victim.get(back).status_code == 401, "its session knows no such state"
    forged = back.replace("state=", "state=x")
    assert browser.get(forged).status_code == 401
    assert browser.get(back).status_code == 302
    assert browser.get(back).status_code == 401


def test_a_provider_that_is_away_is_explained_in_words(
    settings: Settings, app: Flask, name: str
) -> None:
    openid = OpenIdSettings("http://127.0.0.1:1", CLIENT_ID, CLIENT_SECRET, name)
    away = create_app(replace(settings, openid=openid))
    answer = Browser(away).get("/sign-in/openid")
    assert answer.status_code == 503
    assert "The sign-in provider does not respond." in answer.text
    away.extensions["chartroom"].redis.close()


def test_admins_are_asked_by_the_provider_once_more(
    make_app: MakeApp, provider: Provider, name: str
) -> None:
    app = make_app(organization=name, roles=ROLES)
    provider.person["roles"] = "chief"
    browser = Browser(app)
    sign_in(browser)
    with browser.http.session_transaction() as session:
        session["proved_at"] = 0
    asked = browser.get("/admin/keys").headers["Location"]
    there = browser.get(asked).headers["Location"]
    assert there.startswith("/sign-in/openid?next=/admin/keys")
    address = start(browser, there)
    assert parse_qs(urlsplit(address).query)["prompt"] == ["login"]
    person = provider.person
    provider.person = colleague_of(person)
    assert browser.get(follow(address)).status_code == 403
    assert browser.session()["email"] == person["email"]
    provider.person = person
    assert browser.get(follow(start(browser, there))).headers["Location"] == "/admin/keys"
    assert browser.get("/admin/keys").status_code == 200
    assert access.PROOF_LASTS_S == 1800


def test_a_password_after_a_sign_in_at_the_provider_needs_the_second_factor_required_here(
    make_app: MakeApp, organization_id: UUID, admin: ApiClient, name: str
) -> None:
    app = make_app(organization=name)
    email = make_user(app, organization_id)
    assert admin.patch("/organization", {"requiresSecondFactor": True}).status_code == 200
    browser = Browser(app)
    sign_in(browser)
    assert browser.get("/fleet").status_code == 200
    browser.sign_in(email)
    assert browser.get("/fleet").headers["Location"] == FACTORS


def test_local_sign_in_can_be_off(make_app: MakeApp, organization_id: UUID, name: str) -> None:
    app = make_app(has_local_sign_in=False, organization=name, label="Sign in with Vos")
    page = Browser(app).get("/sign-in").text
    assert "Sign in with Vos" in page
    assert 'name="password"' not in page.partition("<main")[2]
    email = make_user(app, organization_id, Role.VIEWER)
    browser = Browser(app)
    assert browser.sign_in(email).status_code == 403
    assert browser.get("/choose-password").status_code == 404
    assert browser.get("/forgotten-password").status_code == 404
    assert sign_in(browser).status_code == 302
    with app.app_context():
        assert users.sign_in(email, PASSWORD)


def test_without_passwords_users_are_added_without_a_link_to_choose_one(
    make_app: MakeApp, provider: Provider, organization_id: UUID, admin: ApiClient, name: str
) -> None:
    app = make_app(has_local_sign_in=False, organization=name, roles=ROLES)
    provider.person["roles"] = "chief"
    browser = Browser(app)
    assert sign_in(browser).status_code == 302
    here = ApiClient(app.test_client(), admin.key)
    made = here.post("/users", {"email": "mate@ship.example", "role": "viewer"})
    assert (made.status_code, made.get_json()["invitationUrl"]) == (201, None)
    assert here.post(f"/users/{made.get_json()['id']}/reset").status_code == 409
    added = browser.post("/admin/users", {"email": "cook@ship.example", "role": "viewer"})
    assert added.status_code == 201
    assert "cook@ship.example was added" in added.text
    assert "/choose-password#" not in added.text
    assert "New password" not in added.text
    assert added.text.count(">Invited<") == 2, "not the admin, who has signed in"


def test_without_a_provider_there_is_no_such_way_in(app: Flask) -> None:
    assert Browser(app).get("/sign-in/openid").status_code == 404
    assert app.test_client().get("/sign-in/openid/callback", headers=HTML).status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"LOCAL_SIGN_IN": "0"},
        {"OIDC_ISSUER": "https://id.example"},
        {"OIDC_ISSUER": "https://id.example", "OIDC_CLIENT_ID": "c", "OIDC_CLIENT_SECRET": "s"},
        {"OIDC_ROLES": "crew=captain"},
    ],
    ids=str,
)
def test_settings_that_admit_no_user_or_every_user_are_refused(wrong: dict[str, str]) -> None:
    servers = {"DATABASE_URL": "postgresql://x", "REDIS_URL": "redis://x"}
    with pytest.raises(SettingInvalid):
        Settings.from_environment(servers | wrong)


@pytest.fixture
def shut_out(
    make_app: MakeApp, provider: Provider, name: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[Flask, SoftwareAuthenticator]:
    """A person whom the provider lets in no longer, with the passkey of an earlier release."""
    app, key = make_app(organization=name, roles=ROLES), SoftwareAuthenticator()
    browser = Browser(app)
    sign_in(browser)
    with monkeypatch.context() as before:
        before.setattr(passkeys, "find_registration_fault", lambda _user: "")
        assert register(browser, key)[0] == 201
    provider.person["roles"] = []
    return app, key


def test_who_the_provider_shuts_out_does_not_sign_in_with_a_passkey(
    shut_out: tuple[Flask, SoftwareAuthenticator],
) -> None:
    app, key = shut_out
    browser = Browser(app)
    assert sign_in(browser).status_code == 403
    assert use_alone(browser, key) == 401
    assert browser.session()["email"] is None


def test_who_was_shut_out_and_unlinked_does_not_sign_in_with_a_passkey(
    shut_out: tuple[Flask, SoftwareAuthenticator], provider: Provider, organization_id: UUID
) -> None:
    app, key = shut_out
    with app.app_context(), operator_session(organization_id) as session:
        user = users.get_by_email(session, organization_id, provider.person["email"])
        user.oidc_subject = None
    assert use_alone(Browser(app), key) == 401


def test_passkeys_let_in_where_there_is_no_provider_any_more(
    shut_out: tuple[Flask, SoftwareAuthenticator], app: Flask
) -> None:
    _, key = shut_out
    assert use_alone(Browser(app), key) == 302


def test_a_user_of_the_provider_alone_gets_no_link_for_a_password(
    make_app: MakeApp, admin: ApiClient, name: str
) -> None:
    assert sign_in(Browser(make_app(organization=name))).status_code == 302
    (made,) = admin.get("/users").get_json()["items"]
    assert admin.post(f"/users/{made['id']}/reset").status_code == 409


def test_a_user_with_a_password_of_their_own_signs_in_with_a_passkey(
    shut_out: tuple[Flask, SoftwareAuthenticator], provider: Provider, organization_id: UUID
) -> None:
    app, key = shut_out
    with app.app_context(), operator_session(organization_id) as session:
        user = users.get_by_email(session, organization_id, provider.person["email"])
        users.change(session, user, {"password": PASSWORD})
    assert use_alone(Browser(app), key) == 302


def test_a_user_of_the_provider_alone_registers_no_passkey(make_app: MakeApp, name: str) -> None:
    browser = Browser(make_app(organization=name))
    sign_in(browser)
    page = browser.get(FACTORS).text
    assert "Add passkey" not in page
    assert "sign in with your organization" in unescape(page)
    form = {"name": "Bridge laptop", "credential": "{}", "csrf_token": browser.token()}
    for path in ("/account/passkeys/options", "/account/passkeys"):
        answer = browser.http.post(path, data=form, headers=HTML)
        assert answer.status_code == 409
        assert "sign in with your organization" in unescape(answer.text)


def test_without_local_sign_in_nobody_changes_a_password_or_registers_a_passkey(
    make_app: MakeApp, provider: Provider, name: str, app: Flask, organization_id: UUID
) -> None:
    with app.app_context(), operator_session(organization_id) as session:
        users.create(
            session,
            organization_id,
            email=provider.person["email"],
            password=PASSWORD,
            role=Role.PLANNER,
        )
    browser = Browser(make_app(organization=name, has_local_sign_in=False))
    sign_in(browser)
    page = browser.get("/account").text
    assert "password</a>" not in page
    assert 'type="password"' not in page
    form = {"current": PASSWORD, "new": "another ocean with whales", "csrf_token": browser.token()}
    assert browser.http.post("/account", data=form, headers=HTML).status_code == 403
    form = {"email": "b@elsewhere.example", "own_password": PASSWORD, "csrf_token": browser.token()}
    assert browser.http.post("/account/address", data=form, headers=HTML).status_code == 403
    assert "Add passkey" not in browser.get(FACTORS).text
    form = {"name": "Bridge laptop", "csrf_token": browser.token()}
    assert browser.http.post("/account/passkeys/options", data=form).status_code == 409


def test_a_user_of_the_provider_alone_is_not_asked_for_a_password_they_do_not_have(
    make_app: MakeApp, name: str
) -> None:
    browser = Browser(make_app(organization=name))
    sign_in(browser)
    assert 'type="password"' not in browser.get("/account").text
    form = {"current": PASSWORD, "new": "another ocean with whales", "csrf_token": browser.token()}
    assert browser.http.post("/account", data=form, headers=HTML).status_code == 403
