"""Passkeys: registration, second step of sign-in, re-authentication, removal, sign-in alone."""

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from redis import Redis
from sqlalchemy import select

from app import create_app
from app.config import Settings
from app.models import Passkey, User
from app.pages.web import access
from app.services.errors import Unauthenticated
from app.services.identity import passkeys
from app.services.platform.sessions import operator_session, organization_session
from tests.integration.browser import HTML, PASSWORD, Browser, signed_in
from tests.integration.client import ApiClient
from tests.integration.test_admin_pages import submit
from tests.integration.test_second_factor import (
    PAGE,
    Authenticator,
    browser,
    email,
    recovery_codes,
    set_up,
)
from tests.software_authenticator import SoftwareAuthenticator

pytestmark = pytest.mark.usefixtures("redis")

__all__ = ["browser", "email"]

JSON = {"Accept": "application/json"}
STEP = "/sign-in/code"


def ask(browser: Browser, path: str, page: str = PAGE, **form: str) -> dict[str, Any]:
    headers = JSON | {"X-CSRFToken": browser.token_of(page)}
    answer = browser.http.post(path, data=form, headers=headers)
    assert answer.status_code == 200, answer.text
    options: dict[str, Any] = answer.get_json()
    return options


def send(browser: Browser, path: str, page: str = PAGE, **form: str) -> tuple[int, str]:
    form["csrf_token"] = browser.token_of(page)
    answer = browser.http.post(path, data=form, headers=HTML)
    return answer.status_code, unescape(answer.text)


def register(
    browser: Browser, key: SoftwareAuthenticator, name: str = "Bridge laptop"
) -> tuple[int, str]:
    options = ask(browser, "/account/passkeys/options", name=name)
    return send(browser, "/account/passkeys", name=name, credential=key.create(options))


def use(browser: Browser, key: SoftwareAuthenticator, path: str, page: str = PAGE) -> int:
    answer = key.get(ask(browser, "/passkey/options", page))
    return send(browser, path, page, credential=answer)[0]


def use_alone(browser: Browser, key: SoftwareAuthenticator, path: str = "/sign-in/passkey") -> int:
    answer = key.get(ask(browser, "/sign-in/passkey/options", "/sign-in"))
    return send(browser, path, "/sign-in", credential=answer)[0]


def removal_of(browser: Browser, name: str = "Bridge laptop") -> str:
    found = re.search(rf'href="([^"]+/remove)" aria-label="Remove {name}"', browser.get(PAGE).text)
    assert found
    return found.group(1)


def actions(admin: ApiClient) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = admin.get("/audit?pageSize=100").get_json()["items"]
    return items


@pytest.fixture
def key(browser: Browser) -> SoftwareAuthenticator:
    """The admin's registered passkey."""
    key = SoftwareAuthenticator()
    assert register(browser, key)[0] == 201
    return key


@pytest.fixture
def step(app: Flask, email: str, key: SoftwareAuthenticator) -> Browser:
    """A visitor who has given the admin's password."""
    visitor = Browser(app)
    assert visitor.sign_in(email).headers["Location"] == STEP
    return visitor


def test_the_first_passkey_comes_with_recovery_codes_and_the_second_with_none(
    browser: Browser,
) -> None:
    status, page = register(browser, SoftwareAuthenticator())
    assert (status, len(recovery_codes(page))) == (201, 10)
    status, page = register(browser, SoftwareAuthenticator(), "Security key")
    assert (status, recovery_codes(page)) == (201, [])
    assert "Bridge laptop" in page
    assert "10 recovery codes are left" in page


def test_signing_in_needs_the_passkey_after_the_password(
    step: Browser, key: SoftwareAuthenticator
) -> None:
    assert step.get("/fleet").status_code == 302, "the password alone lets nobody in"
    assert "Use passkey" in step.get(STEP).text
    assert use(step, key, f"{STEP}?next=/fleet", STEP) == 302
    assert step.get("/fleet").status_code == 200
    assert "Last used" in step.get(PAGE).text


def test_an_answer_is_accepted_once(
    app: Flask, step: Browser, email: str, key: SoftwareAuthenticator
) -> None:
    answer = key.get(ask(step, "/passkey/options", STEP))
    cookie = step.http.get_cookie("chartroom")
    assert cookie
    assert send(step, STEP, STEP, credential=answer)[0] == 302
    thief = Browser(app)
    thief.http.set_cookie("chartroom", cookie.value)
    status, page = send(thief, STEP, STEP, credential=answer)
    assert (status, "asked for more than 5 minutes ago" in page) == (401, True)


def test_an_answer_to_another_session_is_refused(
    app: Flask, step: Browser, email: str, key: SoftwareAuthenticator
) -> None:
    other = Browser(app)
    other.sign_in(email)
    answer = key.get(ask(other, "/passkey/options", STEP))
    ask(step, "/passkey/options", STEP)
    assert send(step, STEP, STEP, credential=answer)[0] == 401


@pytest.mark.parametrize(
    "change",
    [
        {"origin": "https://chartroom.example.evil.example"},
        {"rp_id": "evil.example"},
        {"private_key": SoftwareAuthenticator().private_key},
        {"credential_id": bytes(16)},
    ],
    ids=("origin", "host", "key", "id"),
)
def test_a_passkey_of_another_address_or_key_is_refused(
    step: Browser, key: SoftwareAuthenticator, change: dict[str, Any]
) -> None:
    answer = replace(key, **change).get(ask(step, "/passkey/options", STEP))
    status, page = send(step, STEP, STEP, credential=answer)
    assert status == 401
    assert "Use one that is registered for your account, or a code." in page


def test_another_users_passkey_is_refused(app: Flask, organization_id: UUID, step: Browser) -> None:
    theirs = SoftwareAuthenticator()
    assert register(signed_in(app, organization_id), theirs)[0] == 201
    assert use(step, theirs, STEP, STEP) == 401
    assert use(step, theirs, STEP, STEP) == 401


@pytest.mark.parametrize("answer", ["x", "[]", "{}", "[" * 9000, '{"id": "\\ud800"}', "x" * 40000])
def test_what_no_browser_answers_is_refused(browser: Browser, step: Browser, answer: str) -> None:
    ask(step, "/passkey/options", STEP)
    assert send(step, STEP, STEP, credential=answer)[0] in (401, 422)
    ask(step, "/sign-in/passkey/options", "/sign-in")
    assert send(step, "/sign-in/passkey", "/sign-in", credential=answer)[0] in (401, 422)
    ask(browser, "/account/passkeys/options", name="Key")
    assert send(browser, "/account/passkeys", name="Key", credential=answer)[0] == 401


@pytest.mark.parametrize(
    "forged",
    [
        {"key_members": {-2: 5}},
        {"key_members": {-2: bytes(32)}},
        {"key_members": {1: 9}},
        {"format": "packed", "statement": {"alg": -7, "sig": 1}},
        {"format": "tpm", "statement": {"ver": "2.0", "certInfo": 1, "pubArea": [], "x5c": [1]}},
        {"format": "android-safetynet", "statement": {"ver": "1", "response": 3}},
    ],
    ids=("coordinate", "point", "kind", "packed", "tpm", "safetynet"),
)
def test_what_no_authenticator_makes_is_not_registered(
    browser: Browser, forged: dict[str, Any]
) -> None:
    status, page = register(browser, SoftwareAuthenticator(**forged))
    assert (status, "This passkey cannot be registered." in page) == (401, True)


def test_each_recovery_code_replaces_the_passkey_once(
    app: Flask, browser: Browser, email: str
) -> None:
    codes = recovery_codes(register(browser, SoftwareAuthenticator())[1])
    statuses = []
    for code in (codes[0], codes[0], codes[1]):
        visitor = Browser(app)
        visitor.sign_in(email)
        statuses.append(send(visitor, STEP, STEP, code=code)[0])
    assert statuses == [302, 401, 302]


def test_a_count_that_falls_back_is_refused_and_recorded(
    step: Browser, key: SoftwareAuthenticator, admin: ApiClient
) -> None:
    copy = replace(key)
    assert use(step, key, STEP, STEP) == 302
    token = step.token()
    asked = step.http.post("/passkey/options", headers=JSON | {"X-CSRFToken": token}).get_json()
    form = {"credential": copy.get(asked), "csrf_token": token}
    refused = step.http.post("/confirm", data=form, headers=HTML)
    assert refused.status_code == 401
    assert "may have been copied" in refused.text
    entry = actions(admin)[0]
    assert entry["action"] == "user.passkey_refused"
    assert entry["after"] == {"name": "Bridge laptop", "was": 1, "now": 1}
    assert use(step, key, "/confirm") == 302, "the other one goes on working"


def test_authenticators_that_do_not_count_are_accepted(
    step: Browser, key: SoftwareAuthenticator
) -> None:
    for path, page in ((STEP, STEP), ("/confirm", PAGE)):
        assert use(step, replace(key, sign_count=-1), path, page) == 302


def test_a_passkey_confirms_an_admins_identity(
    browser: Browser, key: SoftwareAuthenticator
) -> None:
    with browser.http.session_transaction() as session:
        session["proved_at"] = 0
    assert browser.get("/admin/keys").headers["Location"] == "/confirm?next=/admin/keys"
    assert send(browser, "/confirm", code=PASSWORD)[0] == 401
    assert use(browser, key, "/confirm?next=/admin/keys") == 302
    assert browser.get("/admin/keys").status_code == 200


def test_a_second_factor_is_added_only_after_a_recent_proof(
    browser: Browser, key: SoftwareAuthenticator, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ask(browser, "/account/passkeys/options", name="Second")
    token = browser.token()
    monkeypatch.setattr(access, "PROOF_LASTS_S", 0)
    assert "data-factor-secret" not in browser.get(PAGE).text
    answer = SoftwareAuthenticator().create(options)
    for path, form in (
        ("/account/passkeys/options", {"name": "Second"}),
        ("/account/passkeys", {"name": "Second", "credential": answer}),
        (PAGE, {"code": "000000"}),
    ):
        sent = browser.http.post(path, data=form | {"csrf_token": token}, headers=HTML)
        assert sent.status_code == 403, path


def test_a_passkey_is_removed_against_a_second_factor_only(
    browser: Browser, key: SoftwareAuthenticator, admin: ApiClient
) -> None:
    path = removal_of(browser)
    assert "Bridge laptop no longer signs you in." in browser.get(path).text
    assert send(browser, path, code="000000")[0] == 401
    assert send(browser, path)[0] == 422
    assert use(browser, key, path) == 302
    page = browser.get(PAGE).text
    assert "Remove Bridge laptop" not in page
    assert "recovery codes are left" not in page
    entries = [
        (each["action"], each["before"] or each["after"])
        for each in actions(admin)
        if each["action"].startswith("user.second_factor")
    ]
    factor = {"factor": "passkey", "name": "Bridge laptop"}
    assert entries == [
        ("user.second_factor_removed", factor),
        ("user.second_factor_added", factor),
    ]


def test_the_password_alone_signs_in_once_the_last_passkey_is_removed(
    app: Flask, browser: Browser, email: str, key: SoftwareAuthenticator
) -> None:
    assert use(browser, key, removal_of(browser)) == 302
    assert Browser(app).sign_in(email).headers["Location"] == "/"


def test_the_authenticator_goes_and_the_passkey_stays(
    app: Flask, browser: Browser, email: str, key: SoftwareAuthenticator
) -> None:
    authenticator = Authenticator(browser.get(PAGE).text)
    status, page = send(browser, PAGE, code=authenticator.code())
    assert (status, recovery_codes(page)) == (201, [])
    assert send(browser, f"{PAGE}/remove", code=authenticator.code())[0] == 302
    assert "10 recovery codes are left" in browser.get(PAGE).text
    visitor = Browser(app)
    assert visitor.sign_in(email).headers["Location"] == STEP
    assert use(visitor, key, STEP, STEP) == 302


def test_who_has_an_authenticator_adds_a_passkey_and_keeps_the_recovery_codes(
    app: Flask, browser: Browser, email: str
) -> None:
    _, codes = set_up(browser)
    assert recovery_codes(register(browser, SoftwareAuthenticator())[1]) == []
    visitor = Browser(app)
    visitor.sign_in(email)
    assert send(visitor, STEP, STEP, code=codes[0])[0] == 302


def test_an_organization_that_requires_a_second_factor_is_content_with_a_passkey(
    app: Flask, organization_id: UUID, admin: ApiClient
) -> None:
    planner, key = signed_in(app, organization_id), SoftwareAuthenticator()
    assert admin.patch("/organization", {"requiresSecondFactor": True}).status_code == 200
    assert planner.get("/voyages").headers["Location"] == PAGE
    assert register(planner, key)[0] == 201
    assert planner.get("/voyages").status_code == 200
    assert "Remove Bridge laptop" not in planner.get(PAGE).text, "the last one stays"
    assert register(planner, SoftwareAuthenticator(), "Security key")[0] == 201
    assert use(planner, key, removal_of(planner)) == 302


def test_an_admin_lets_a_user_in_who_lost_the_passkey(
    app: Flask, browser: Browser, organization_id: UUID, admin: ApiClient
) -> None:
    register(signed_in(app, organization_id), SoftwareAuthenticator())
    users = {user["role"]: user for user in admin.get("/users").get_json()["items"]}
    path = f"/admin/users/{users['planner']['id']}/second-factor"
    assert submit(browser, path)[0] == 302
    assert Browser(app).sign_in(users["planner"]["email"]).headers["Location"] == "/"
    assert actions(admin)[1]["before"] == {"factor": "all"}


def test_a_passkey_that_verified_its_user_signs_in_alone(
    app: Flask, key: SoftwareAuthenticator, organization_id: UUID, email: str
) -> None:
    visitor = Browser(app)
    assert use_alone(visitor, key, "/sign-in/passkey?next=/fleet") == 302
    assert visitor.get("/fleet").status_code == 200
    unverified = replace(key, verifies_user=False)
    assert use_alone(Browser(app), unverified) == 401
    assert use_alone(Browser(app), SoftwareAuthenticator()) == 401
    with app.app_context(), operator_session(organization_id) as session:
        user = session.scalars(select(User).where(User.email == email)).one()
        assert user.last_signed_in_at is not None
        user.is_active = False
    assert use_alone(Browser(app), replace(key, sign_count=9)) == 401


def test_passkeys_sign_nobody_in_where_only_the_provider_may(
    settings: Settings, key: SoftwareAuthenticator
) -> None:
    app = create_app(replace(settings, has_local_sign_in=False))
    visitor = Browser(app)
    assert "Use passkey" not in visitor.get("/sign-in").text
    for path in ("/sign-in/passkey", "/sign-in/passkey/options"):
        assert visitor.http.post(path, headers=JSON).status_code == 403
    app.extensions["chartroom"].close()


def test_options_are_for_the_user_and_exclude_the_passkeys_there_are(
    browser: Browser, key: SoftwareAuthenticator, email: str
) -> None:
    options = ask(browser, "/account/passkeys/options", name="Second")
    assert options["rp"] == {"id": "localhost", "name": "Chartroom"}
    assert options["user"]["name"] == email
    (excluded,) = options["excludeCredentials"]
    (allowed,) = ask(browser, "/passkey/options")["allowCredentials"]
    assert excluded["id"] == allowed["id"] == json.loads(key.create(options))["id"]
    assert excluded["transports"] == ["usb"]


def test_a_passkey_is_registered_once(browser: Browser, key: SoftwareAuthenticator) -> None:
    status, page = register(browser, key, "Again")
    assert status == 409
    assert "registered already" in page


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        (" ", "Enter a name, such as Bridge laptop."),
        ("x" * 61, "Enter up to 60 characters; these are 61."),
        ("a\x07b", "Must not hold the control character U+0007."),
    ],
)
def test_a_wrong_name_is_refused_before_the_device_is_asked(
    browser: Browser, name: str, fault: str
) -> None:
    headers = JSON | {"X-CSRFToken": browser.token()}
    answer = browser.http.post("/account/passkeys/options", data={"name": name}, headers=headers)
    assert answer.status_code == 422
    assert answer.get_json()["errors"] == [{"pointer": "/name", "detail": fault}]


def test_a_user_has_at_most_twenty_passkeys(
    browser: Browser, key: SoftwareAuthenticator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passkeys, "MOST_OF_USER", 1)
    headers = JSON | {"X-CSRFToken": browser.token()}
    form = {"name": "Second"}
    answer = browser.http.post("/account/passkeys/options", data=form, headers=headers)
    assert answer.status_code == 409
    assert "Remove one before you add another." in answer.get_json()["detail"]


def test_options_that_anybody_may_ask_for_take_no_memory(app: Flask, redis: Redis) -> None:
    visitor = Browser(app)
    before = redis.dbsize()
    for _ in range(3):
        ask(visitor, "/sign-in/passkey/options", "/sign-in")
    assert redis.dbsize() == before


def test_a_challenge_ends_after_some_time(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passkeys, "CHALLENGE_S", 0)
    with app.app_context(), pytest.raises(Unauthenticated, match="more than 5 minutes"):
        passkeys.resume(passkeys.begin("http://localhost/").challenge, "http://localhost/")


def test_options_are_given_to_nobody_without_the_password(app: Flask) -> None:
    assert Browser(app).http.post("/passkey/options", headers=JSON).status_code == 401


@pytest.mark.parametrize(
    ("public_url", "root_url", "origin", "rp_id"),
    [
        (None, "http://localhost:8000/", "http://localhost:8000", "localhost"),
        ("https://Chartroom.example/", "http://10.0.0.7:8000/", "https://chartroom.example",
         "chartroom.example"),
        ("https://chartroom.example:443", "http://web/", "https://chartroom.example",
         "chartroom.example"),
        ("https://ship.example:8443/app", "http://web/", "https://ship.example:8443",
         "ship.example"),
    ],
)  # fmt: skip
def test_passkeys_belong_to_the_public_address(
    settings: Settings, public_url: str | None, root_url: str, origin: str, rp_id: str
) -> None:
    app = create_app(replace(settings, public_url=public_url))
    with app.app_context():
        begun = passkeys.begin(root_url)
        assert (begun.origin, begun.rp_id) == (origin, rp_id)
        assert passkeys.resume(begun.challenge, root_url) == begun
    app.extensions["chartroom"].close()


def test_behind_a_proxy_the_origin_is_the_one_that_the_browser_sees(
    settings: Settings, email: str
) -> None:
    app = create_app(replace(settings, trusted_proxies=("127.0.0.0/8",)))
    browser = Browser(app)
    browser.http.environ_base |= {
        "HTTP_X_FORWARDED_PROTO": "https",
        "HTTP_REFERER": "https://localhost/",
    }
    assert browser.sign_in(email).status_code == 302
    key = SoftwareAuthenticator("https://localhost")
    assert register(browser, key)[0] == 201
    app.extensions["chartroom"].close()


def test_a_passkey_of_another_organization_cannot_be_seen(
    app: Flask, organization_id: UUID, other_organization_id: UUID, key: SoftwareAuthenticator
) -> None:
    with app.app_context(), organization_session(other_organization_id) as session:
        assert session.scalars(select(Passkey)).all() == []
    with app.app_context(), organization_session(organization_id) as session:
        (id_,) = session.scalars(select(Passkey.id)).all()
    for other in (signed_in(app, other_organization_id), signed_in(app, organization_id)):
        assert other.get(f"/account/passkeys/{id_}/remove").status_code == 404


def test_a_page_that_was_open_for_long_uses_the_passkey(
    app: Flask, key: SoftwareAuthenticator, email: str
) -> None:
    script = Browser(app)
    form = {"email": email, "password": PASSWORD, "csrf_token": script.token()}
    answer = script.http.post("/sign-in", data=form, headers=JSON)
    assert answer.get_json() == {"codeNeeded": True, "hasPasskey": True}
    form = {"credential": key.get(ask(script, "/passkey/options", STEP))}
    form["csrf_token"] = script.token_of(STEP)
    assert script.http.post(STEP, data=form, headers=JSON).status_code == 200
    assert script.session()["email"] == email
