"""Server-side end of sessions, and client addresses behind proxies."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import EnvironBuilder

from app.forwarded import TrustedProxies
from app.models import Role
from app.services.errors import TooManyRequests
from app.services.identity import sign_in_attempts, user_sessions
from tests.integration.browser import HTML, Browser, make_user, signed_in
from tests.integration.client import ApiClient

pytestmark = pytest.mark.usefixtures("redis")
VICTIM = "anna@vos.example"


def cookie_of(browser: Browser, name: str = "chartroom") -> str:
    cookie = browser.http.get_cookie(name)
    assert cookie is not None
    return cookie.value


def is_let_in(app: Flask, cookie: str) -> bool:
    thief = app.test_client()
    thief.set_cookie("chartroom", cookie)
    return thief.get("/account", headers=HTML).status_code == 200


def test_a_copied_cookie_opens_nothing_once_its_owner_has_signed_out(
    app: Flask, organization_id: UUID
) -> None:
    browser = signed_in(app, organization_id)
    copied = cookie_of(browser)
    assert is_let_in(app, copied)
    browser.http.post("/sign-out", data={"csrf_token": browser.token()}, headers=HTML)
    assert not is_let_in(app, copied)


def test_a_copied_cookie_opens_nothing_once_its_owner_has_signed_in_again(
    app: Flask, organization_id: UUID
) -> None:
    email = make_user(app, organization_id)
    browser = Browser(app)
    browser.sign_in(email)
    copied = cookie_of(browser)
    browser.sign_in(email)
    assert browser.get("/account").status_code == 200
    assert not is_let_in(app, copied)


def test_signing_out_everywhere_ends_every_session_of_the_user(
    app: Flask, organization_id: UUID
) -> None:
    email = make_user(app, organization_id)
    here, elsewhere = Browser(app), Browser(app)
    here.sign_in(email)
    elsewhere.sign_in(email)
    form = {"csrf_token": here.token()}
    assert here.http.post("/sign-out-everywhere", data=form, headers=HTML).status_code == 302
    for browser in (here, elsewhere):
        assert browser.get("/account").status_code == 302


def test_signing_out_here_leaves_the_other_session_alone(app: Flask, organization_id: UUID) -> None:
    email = make_user(app, organization_id)
    here, elsewhere = Browser(app), Browser(app)
    here.sign_in(email)
    elsewhere.sign_in(email)
    here.http.post("/sign-out", data={"csrf_token": here.token()}, headers=HTML)
    assert elsewhere.get("/account").status_code == 200


def test_deactivation_ends_sessions_for_good(
    app: Flask, organization_id: UUID, admin: ApiClient
) -> None:
    browser = signed_in(app, organization_id)
    (user,) = (each for each in admin.get("/users").get_json()["items"])
    path = f"/users/{user['id']}"
    assert admin.delete(path).status_code == 204
    assert admin.put(path, user | {"isActive": True}).status_code == 200
    assert browser.get("/account").status_code == 302
    changes = [each["after"] for each in admin.get("/audit").get_json()["items"][:2]]
    assert changes == [{"is_active": True}, {"is_active": False}]


def test_a_session_ends_a_day_after_it_began_however_much_it_is_used(
    app: Flask, organization_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = signed_in(app, organization_id)
    assert browser.get("/account").status_code == 200
    now = user_sessions.utc_now
    monkeypatch.setattr(user_sessions, "utc_now", lambda: now() + timedelta(hours=25))
    assert browser.get("/account").status_code == 302


def fail(times: int, origin: str, email: str = VICTIM) -> None:
    for _ in range(times):
        with suppress(TooManyRequests):
            sign_in_attempts.count(email, origin)


@pytest.mark.usefixtures("context")
def test_failures_from_a_foreign_address_delay_only_that_address() -> None:
    fail(40, "203.0.113.7")
    with pytest.raises(TooManyRequests):
        sign_in_attempts.count(VICTIM, "203.0.113.7")
    sign_in_attempts.count(VICTIM, "198.51.100.2")


@pytest.mark.usefixtures("context")
def test_each_failure_more_doubles_the_wait(redis: Redis) -> None:
    waits = []
    fail(sign_in_attempts.FREE_TRIES - 1, "203.0.113.7")
    for _ in range(7):
        sign_in_attempts.count(VICTIM, "203.0.113.7")
        with pytest.raises(TooManyRequests) as refused:
            sign_in_attempts.count(VICTIM, "203.0.113.7")
        waits.append(refused.value.retry_after_s)
        redis.delete(f"chartroom:sign-in:wait:{VICTIM}:203.0.113.7")
    assert [round(wait / 30) for wait in waits] == [1, 2, 4, 8, 16, 30, 30]


@pytest.mark.usefixtures("context")
def test_who_signed_in_from_an_address_before_is_let_in_though_others_there_fail() -> None:
    sign_in_attempts.count(VICTIM, "203.0.113.7")
    sign_in_attempts.take_back(VICTIM, "203.0.113.7")
    sign_in_attempts.remember(VICTIM, "203.0.113.7")
    for number in range(60):
        fail(1, "203.0.113.7", f"guess{number}@vos.example")
    sign_in_attempts.count(VICTIM, "203.0.113.7")
    with pytest.raises(TooManyRequests):
        sign_in_attempts.count("new@vos.example", "203.0.113.7")


@pytest.mark.usefixtures("context")
def test_a_success_takes_only_its_own_count_back() -> None:
    for _ in range(2 * sign_in_attempts.FREE_TRIES):
        sign_in_attempts.count(VICTIM, "203.0.113.7")
        sign_in_attempts.take_back(VICTIM, "203.0.113.7")
    fail(sign_in_attempts.FREE_TRIES, "203.0.113.7")
    with pytest.raises(TooManyRequests):
        sign_in_attempts.count(VICTIM, "203.0.113.7")


def test_guesses_at_the_same_time_are_all_counted(app: Flask, organization_id: UUID) -> None:
    email = make_user(app, organization_id)
    guessers = [Browser(app) for _ in range(12)]
    tokens = [guesser.token() for guesser in guessers]

    def guess(guesser: Browser, token: str) -> int:
        form = {"email": email, "password": "wrong", "csrf_token": token}
        return guesser.http.post("/sign-in", data=form, headers=HTML).status_code

    with ThreadPoolExecutor(len(guessers)) as pool:
        statuses = list(pool.map(guess, guessers, tokens))
    assert statuses.count(401) == sign_in_attempts.FREE_TRIES
    assert statuses.count(429) == len(guessers) - sign_in_attempts.FREE_TRIES


@pytest.mark.usefixtures("context")
def test_the_addresses_of_one_household_count_as_one() -> None:
    for number in range(6):
        fail(1, f"2001:db8::{number}")
    with pytest.raises(TooManyRequests):
        sign_in_attempts.count(VICTIM, "2001:db8::ffff")


def test_clients_of_a_dual_stack_socket_do_not_delay_each_other(
    app: Flask, organization_id: UUID
) -> None:
    email = make_user(app, organization_id)
    attacker, captain = Browser(app), Browser(app)
    attacker.http.environ_base["REMOTE_ADDR"] = "::ffff:198.51.100.7"
    captain.http.environ_base["REMOTE_ADDR"] = "::ffff:203.0.113.9"
    for _ in range(sign_in_attempts.FREE_TRIES):
        attacker.sign_in(email, "wrong")
    assert attacker.sign_in(email).status_code == 429
    assert captain.sign_in(email).status_code == 302


def seen(peer: str, **headers: str) -> tuple[str, str]:
    """Address and scheme that the application receives."""
    found = []

    def application(environ: dict[str, str], _start_response: object) -> list[bytes]:
        found.append((environ["REMOTE_ADDR"], environ["wsgi.url_scheme"]))
        return []

    environ = EnvironBuilder(headers=headers).get_environ() | {"REMOTE_ADDR": peer}
    TrustedProxies(application, ("10.0.0.0/8", "unix"))(environ, None)
    return found[0]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "1.1.1.1, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "203.0.113.7, 10.0.0.9", "203.0.113.7"),
        ("10.0.0.1", "junk, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "junk", "10.0.0.1"),
        ("203.0.113.9", "1.1.1.1", "203.0.113.9"),
        ("::ffff:203.0.113.9", "1.1.1.1", "203.0.113.9"),
        ("::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "::ffff:203.0.113.7, ::ffff:10.0.0.9", "203.0.113.7"),
        ("2001:DB8::1", "1.1.1.1", "2001:db8::1"),
    ],
)
def test_the_address_is_the_last_that_no_trusted_proxy_has(
    peer: str, forwarded: str, client: str
) -> None:
    assert seen(peer, **{"X-Forwarded-For": forwarded})[0] == client


def test_only_a_trusted_proxy_sets_the_scheme() -> None:
    https = {"X-Forwarded-Proto": "https"}
    assert seen("10.0.0.1", **https)[1] == "https"
    assert seen("203.0.113.9", **https)[1] == "http"


def test_by_https_cookies_are_this_hosts_alone_and_browsers_are_asked_to_stay(
    app: Flask, organization_id: UUID
) -> None:
    page = app.test_client().get("/sign-in", headers=HTML, base_url="https://sea.example")
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000"
    cookie = page.headers["Set-Cookie"]
    assert cookie.startswith("__Host-chartroom=")
    assert "Secure" in cookie
    assert "Path=/" in cookie
    assert "Domain" not in cookie
    plain = app.test_client().get("/sign-in", headers=HTML)
    assert "Strict-Transport-Security" not in plain.headers


def test_what_the_api_answers_is_kept_only_where_it_is_tagged(
    admin: ApiClient, http: FlaskClient
) -> None:
    tagged = admin.get("/vessel")
    assert tagged.headers["Cache-Control"] == "private, no-cache"
    for answer in (admin.post("/keys", {"role": "viewer"}), http.get("/v1/vessel")):
        assert answer.headers["Cache-Control"] == "private, no-store"
    assert {"X-API-Key", "Authorization"} <= set(tagged.vary)
    assert "Cookie" not in tagged.vary


def test_a_packed_answer_of_the_api_varies_by_its_coding_too(http: FlaskClient) -> None:
    packed = http.get("/v1/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert set(packed.vary) == {"Accept-Encoding", "X-API-Key", "Authorization"}


def test_a_page_is_not_kept(app: Flask, organization_id: UUID) -> None:
    browser = signed_in(app, organization_id, Role.ADMIN)
    assert "no-store" in browser.get("/account").headers["Cache-Control"]
