"""Authenticators: set-up, sign-in and re-authentication."""

import re
import time
from dataclasses import replace
from datetime import datetime
from html import unescape
from uuid import UUID

import pyotp
import pytest
from flask import Flask
from redis import Redis
from sqlalchemy import delete, select

from app import create_app
from app.config import Settings
from app.models import Role, SecondFactor, User
from app.pages.web import access
from app.services.identity import second_factors, users
from app.services.identity.second_factors import MOST_WRONG
from app.services.platform.sessions import operator_session
from tests.integration.browser import HTML, PASSWORD, Browser, make_user, signed_in
from tests.integration.client import ApiClient
from tests.integration.test_admin_pages import submit
from tests.integration.test_concurrent_changes import answer_after
from tests.integration.test_fleet_summaries import statements
from tests.integration.test_sessions_and_proxies import cookie_of, is_let_in

pytestmark = pytest.mark.usefixtures("redis")

PAGE = "/account/second-factor"


class Authenticator:
    """Shows the code of now and then the next one, which the allowed drift takes already."""

    def __init__(self, page: str) -> None:
        found = re.search(r"data-factor-secret>([A-Z2-7]+)<", page)
        assert found, page
        self.totp, self.steps = pyotp.TOTP(found.group(1)), iter((0, 1))

    def code(self) -> str:
        return self.totp.generate_otp(int(time.time()) // 30 + next(self.steps))


def send(browser: Browser, path: str, **form: str) -> tuple[int, str]:
    form["csrf_token"] = browser.token_of(path if path.startswith("/sign-in") else PAGE)
    answer = browser.http.post(path, data=form, headers=HTML)
    return answer.status_code, unescape(answer.text)


def set_up(browser: Browser) -> tuple[Authenticator, list[str]]:
    authenticator = Authenticator(browser.get(PAGE).text)
    status, page = send(browser, PAGE, code=authenticator.code())
    assert status == 201, page
    return authenticator, recovery_codes(page)


def recovery_codes(page: str) -> list[str]:
    return re.findall(r"<li><code>([a-z0-9-]+)</code>", page)


@pytest.fixture
def email(app: Flask, organization_id: UUID) -> str:
    return make_user(app, organization_id, Role.ADMIN)


@pytest.fixture
def browser(app: Flask, email: str) -> Browser:
    """An admin who has signed in."""
    browser = Browser(app)
    assert browser.sign_in(email).status_code == 302
    return browser


def test_signing_in_asks_for_the_code_once_there_is_an_authenticator(
    app: Flask, browser: Browser, email: str
) -> None:
    authenticator, _ = set_up(browser)
    other = Browser(app)
    asked = other.sign_in(email, path="/sign-in?next=/fleet")
    assert asked.headers["Location"] == "/sign-in/code?next=/fleet"
    assert other.get("/fleet").status_code == 302, "the password alone lets nobody in"
    assert send(other, "/sign-in/code", code="000000")[0] == 401
    assert send(other, "/sign-in/code?next=/fleet", code=authenticator.code())[0] == 302
    assert other.get("/fleet").status_code == 200


def test_the_password_alone_is_no_sign_in(
    app: Flask, browser: Browser, email: str, organization_id: UUID
) -> None:
    def signed_in_at() -> datetime | None:
        with app.app_context(), operator_session(organization_id) as session:
            return session.scalars(select(User).where(User.email == email)).one().last_signed_in_at

    authenticator, _ = set_up(browser)
    before, other = signed_in_at(), Browser(app)
    other.sign_in(email)
    assert send(other, "/sign-in/code", code="000000")[0] == 401
    assert signed_in_at() == before
    assert send(other, "/sign-in/code", code=authenticator.code())[0] == 302
    assert signed_in_at() > before


def test_the_password_ends_the_session_of_the_user_before(
    app: Flask, browser: Browser, email: str, organization_id: UUID
) -> None:
    set_up(browser)
    shared = signed_in(app, organization_id)
    copied = cookie_of(shared)
    shared.sign_in(email)
    assert shared.session()["user"] is None
    assert not is_let_in(app, copied)


def test_a_code_is_taken_once(app: Flask, browser: Browser, email: str) -> None:
    authenticator, _ = set_up(browser)
    code = authenticator.code()
    first, second = Browser(app), Browser(app)
    first.sign_in(email)
    assert send(first, "/sign-in/code", code=code)[0] == 302
    second.sign_in(email)
    assert send(second, "/sign-in/code", code=code)[0] == 401


def test_each_recovery_code_stands_for_the_authenticator_once(
    app: Flask, browser: Browser, email: str
) -> None:
    _, codes = set_up(browser)
    assert len(set(codes)) == second_factors.RECOVERY_CODES
    statuses = []
    for code in (codes[0].upper().replace("-", " "), codes[0], codes[1]):
        visitor = Browser(app)
        visitor.sign_in(email)
        statuses.append(send(visitor, "/sign-in/code", code=code)[0])
    assert statuses == [302, 401, 302]


def test_guessing_codes_is_stopped_even_with_the_right_one(
    app: Flask, browser: Browser, email: str
) -> None:
    authenticator, _ = set_up(browser)
    visitor = Browser(app)
    visitor.sign_in(email)
    for _ in range(MOST_WRONG):
        assert send(visitor, "/sign-in/code", code="000000")[0] == 401
    status, page = send(visitor, "/sign-in/code", code=authenticator.code())
    assert status == 429
    assert "Wait 15 min" in page


def test_who_gave_no_password_is_asked_for_no_code(app: Flask) -> None:
    answer = Browser(app).get("/sign-in/code")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/sign-in"


def test_the_authenticators_secret_is_enciphered_and_not_shown_again(
    app: Flask, browser: Browser, organization_id: UUID
) -> None:
    page = browser.get(PAGE).text
    assert browser.get(PAGE).text.count("data-factor-secret") == 1
    secret = Authenticator(page).totp.secret
    set_up(browser)
    assert secret not in browser.get(PAGE).text
    with app.app_context(), operator_session(organization_id) as session:
        own = select(SecondFactor).where(SecondFactor.organization_id == organization_id)
        kept = session.scalars(own).one().secret_enciphered
    assert secret.encode() not in kept


def test_an_organization_that_requires_a_second_factor_shows_nothing_before(
    app: Flask, organization_id: UUID, admin: ApiClient
) -> None:
    planner = signed_in(app, organization_id)
    assert admin.patch("/organization", {"requiresSecondFactor": True}).status_code == 200
    asked = planner.get("/voyages")
    assert (asked.status_code, asked.headers["Location"]) == (302, PAGE)
    script = planner.http.get("/fleet", headers={"Accept": "application/json"})
    assert script.status_code == 403
    assert "Your organization requires a second factor" in planner.get(PAGE).text
    authenticator, _ = set_up(planner)
    assert planner.get("/voyages").status_code == 200
    assert "Remove authenticator" not in planner.get(PAGE).text
    assert authenticator.totp.secret not in planner.get(PAGE).text


def test_a_second_factor_is_removed_against_its_code_only(browser: Browser) -> None:
    authenticator, codes = set_up(browser)
    assert send(browser, f"{PAGE}/remove", code="000000")[0] == 401
    new = recovery_codes(send(browser, f"{PAGE}/recovery-codes", code=authenticator.code())[1])
    assert send(browser, f"{PAGE}/remove", code=codes[0])[0] == 401, "renewed codes end the old"
    assert send(browser, f"{PAGE}/remove", code=new[0])[0] == 302
    assert "data-factor-secret" in browser.get(PAGE).text


def test_an_admin_lets_a_user_in_who_lost_the_authenticator(
    app: Flask, browser: Browser, organization_id: UUID, admin: ApiClient
) -> None:
    planner = signed_in(app, organization_id)
    set_up(planner)
    users = {user["role"]: user for user in admin.get("/users").get_json()["items"]}
    path = f"/admin/users/{users['planner']['id']}/second-factor"
    assert submit(browser, path)[0] == 302
    assert Browser(app).sign_in(users["planner"]["email"]).headers["Location"] == "/"


def test_admins_remove_no_second_factor_of_their_own_without_its_code(
    app: Flask, browser: Browser, email: str, admin: ApiClient
) -> None:
    set_up(browser)
    (own,) = admin.get("/users").get_json()["items"]
    status, page = submit(browser, f"/admin/users/{own['id']}/second-factor")
    assert (status, "Remove your own second factor on the page Second factor." in page) == (
        409,
        True,
    )
    assert "Remove the second factor of" not in page
    assert Browser(app).sign_in(email).headers["Location"] == "/sign-in/code"


def test_new_recovery_codes_are_recorded(browser: Browser, admin: ApiClient) -> None:
    _, codes = set_up(browser)
    assert send(browser, f"{PAGE}/recovery-codes", code=codes[0])[0] == 200
    entry = admin.get("/audit").get_json()["items"][0]
    assert entry["action"] == "user.second_factor_added"
    assert entry["after"] == {"factor": "recovery codes"}


def test_admins_show_again_who_they_are_before_they_act(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert browser.get("/admin/keys").status_code == 200
    token = browser.token_of("/admin/keys")
    monkeypatch.setattr(access, "PROOF_LASTS_S", 0)
    asked = browser.get("/admin/keys")
    assert asked.headers["Location"] == "/confirm?next=/admin/keys"
    form = {"name": "", "role": "viewer", "kind": "live", "scopes": "read", "csrf_token": token}
    refused = browser.http.post(
        "/admin/keys", data=form, headers=HTML | {"Referer": "http://localhost/admin/keys"}
    )
    assert refused.headers["Location"] == "/confirm?next=/admin/keys&unsaved=1"
    assert "What you sent was not saved" in browser.get(refused.headers["Location"]).text
    strange = browser.http.post(
        "/admin/keys", data=form, headers=HTML | {"Referer": "http://elsewhere/admin/keys"}
    )
    assert strange.headers["Location"] == "/confirm?next=/admin&unsaved=1"
    wrong = browser.http.post("/confirm", data={"proof": "no", "csrf_token": token}, headers=HTML)
    assert wrong.status_code == 401
    monkeypatch.setattr(access, "PROOF_LASTS_S", 1800)
    with browser.http.session_transaction() as session:
        session["proved_at"] = 0
    assert browser.get("/admin/keys").status_code == 302
    right = {"proof": PASSWORD, "csrf_token": token}
    path = "/confirm?next=/admin/users"
    asked_again = browser.get(path).text
    assert 'method="post"' in asked_again
    assert 'name="proof"' in asked_again
    assert browser.http.post(path, data=right, headers=HTML).headers["Location"] == "/admin/users"
    assert browser.get("/admin/keys").status_code == 200


def test_who_has_an_authenticator_confirms_by_its_code(browser: Browser, redis: Redis) -> None:
    authenticator, _ = set_up(browser)
    token = browser.token()

    def confirm(proof: str) -> int:
        form = {"code": proof, "csrf_token": token}
        return browser.http.post("/confirm", data=form, headers=HTML).status_code

    assert confirm(PASSWORD) == 401
    assert confirm(authenticator.code()) == 302


def test_a_change_of_password_renews_no_proof_of_identity(browser: Browser) -> None:
    set_up(browser)
    with browser.http.session_transaction() as session:
        session["proved_at"] = 0
    form = {"current": PASSWORD, "new": "tide-tables-of-1911", "csrf_token": browser.token()}
    assert browser.http.post("/account", data=form, headers=HTML).status_code == 302
    assert browser.get("/account").status_code == 200
    assert browser.get("/admin/users").headers["Location"] == "/confirm?next=/admin/users"


def test_a_page_that_was_open_for_long_learns_that_a_code_is_needed(
    app: Flask, browser: Browser, email: str
) -> None:
    authenticator, _ = set_up(browser)
    script, json = Browser(app), {"Accept": "application/json"}
    form = {"email": email, "password": PASSWORD, "csrf_token": script.token()}
    answer = script.http.post("/sign-in", data=form, headers=json)
    assert answer.get_json() == {"codeNeeded": True, "hasPasskey": False}
    form = {"code": authenticator.code(), "csrf_token": script.token_of("/sign-in/code")}
    assert script.http.post("/sign-in/code", data=form, headers=json).status_code == 200
    assert script.session()["email"] == email


def test_a_code_for_an_authenticator_that_was_removed_meanwhile_is_refused(
    app: Flask, browser: Browser, organization_id: UUID
) -> None:
    authenticator = Authenticator(browser.get(PAGE).text)
    token = browser.token()
    with app.app_context(), operator_session(organization_id) as session:
        session.execute(delete(SecondFactor))
    form = {"csrf_token": token, "code": authenticator.code()}
    answer = browser.http.post(PAGE, data=form, headers=HTML)
    assert answer.status_code == 401
    assert "no longer offered" in answer.text


def test_an_authenticator_not_yet_confirmed_is_replaced_once_the_secret_key_has_changed(
    browser: Browser, email: str, settings: Settings
) -> None:
    before = Authenticator(browser.get(PAGE).text)
    app = create_app(replace(settings, secret_key="another key of an installation, long enough"))
    later = Browser(app)
    later.sign_in(email)
    authenticator, codes = set_up(later)
    assert authenticator.totp.secret != before.totp.secret
    assert len(codes) == 10
    app.extensions["chartroom"].close()


def test_the_page_stores_an_authenticator_only_when_it_first_offers_one(
    app: Flask, browser: Browser
) -> None:
    first = Authenticator(browser.get(PAGE).text)
    with statements(app) as noted:
        second = Authenticator(browser.get(PAGE).text)
    assert second.totp.secret == first.totp.secret
    assert not [sent for sent in noted if sent.startswith(("INSERT", "UPDATE", "DELETE"))]


def test_two_first_requests_for_the_page_at_once_show_the_same_authenticator(
    browser: Browser, organization_id: UUID, email: str, app: Flask, database_url: str
) -> None:
    with app.app_context(), operator_session(organization_id) as session:
        user = users.get_by_email(session, organization_id, email)
        offered = second_factors.offer(session, user)
        answer = answer_after(session, database_url, lambda: browser.get(PAGE))
    assert answer.status_code == 200
    assert Authenticator(answer.text).totp.secret == offered.secret
