"""Passwords that users choose with one-time links, unseen by others."""

import socketserver
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from html import unescape
from threading import Event
from typing import Any, ClassVar
from uuid import UUID

import pytest
from flask import Flask

from app import create_app
from app.config import Settings
from app.environment import SettingInvalid
from app.models import Role
from app.services.errors import Unauthenticated
from app.services.identity import links, users
from app.services.platform.actor import Actor
from app.services.platform.sessions import operator_session
from tests.integration.browser import HTML, Browser, make_user, signed_in
from tests.integration.client import ApiClient
from tests.integration.test_admin_pages import shown_once, submit, user_id_of
from tests.integration.test_concurrent_changes import answer_after, await_waiting
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("redis")

PASSWORD = "moored fore and aft with springs"


class Mailbox(socketserver.StreamRequestHandler):
    """A mail server that keeps what it is sent (RFC 5321, as much as smtplib needs)."""

    messages: ClassVar[list[str]] = []

    def handle(self) -> None:
        self._say("220 mail.example")
        while line := self.rfile.readline().decode().strip():
            word = line.upper().split()[0]
            if word == "DATA":
                self._say("354 go on")
                self._read_message()
            self._say("221 bye" if word == "QUIT" else "250 well")
            if word == "QUIT":
                return

    def _read_message(self) -> None:
        lines = iter(lambda: self.rfile.readline().decode(), ".\r\n")
        # a soft line break of quoted-printable joins lines
        self.messages.append("".join(lines).replace("=\r\n", "").replace("=23", "#"))

    def _say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())


@pytest.fixture
def mail_server() -> Iterator[str]:
    Mailbox.messages.clear()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"smtp://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture
def mailing_app(settings: Settings, mail_server: str) -> Iterator[Flask]:
    """The application with a mail server."""
    app = create_app(
        replace(settings, smtp_url=mail_server, public_url="https://chartroom.example/")
    )
    yield app
    app.extensions["chartroom"].close()


def invite(browser: Browser, email: str) -> str:
    status, page = submit(browser, "/admin/users", email=email, name="", role="planner")
    assert status == 201, page
    return page


def choose(app: Flask, link: str, password: str = PASSWORD) -> tuple[int, str]:
    visitor = Browser(app)
    form = {
        "token": link.partition("#")[2],
        "password": password,
        "csrf_token": visitor.token_of("/choose-password"),
    }
    answer = visitor.http.post("/choose-password", data=form, headers=HTML)
    return answer.status_code, unescape(answer.text)


def test_a_link_takes_no_password_that_is_easily_guessed_and_stays_good(
    app: Flask, admin_browser: Browser
) -> None:
    link = shown_once(invite(admin_browser, "guessed@ship.example"))
    for password in ("password1234", "guessed@ship.example"):
        status, page = choose(app, link, password)
        assert status == 422
        assert "easily guessed" in page
    assert choose(app, link)[0] == 302


def test_an_invited_user_chooses_the_password_and_signs_in(
    app: Flask, admin_browser: Browser
) -> None:
    email = "invited@ship.example"
    link = shown_once(invite(admin_browser, email))
    assert link.startswith("http://localhost/choose-password#")
    assert "Invited" in admin_browser.get("/admin/users").text
    with app.app_context(), pytest.raises(Unauthenticated):
        users.sign_in(email, "")
    assert choose(app, link)[0] == 302
    assert Browser(app).sign_in(email, PASSWORD).headers["Location"] == "/"


def test_a_user_of_the_api_is_invited_too(app: Flask, admin: ApiClient) -> None:
    body = {"email": "api@ship.example", "role": "viewer"}
    again = {"Idempotency-Key": "invite"}
    made = admin.post("/users", body, headers=again).get_json()
    assert admin.post("/users", body, headers=again).get_json()["invitationUrl"] is None
    assert choose(app, made["invitationUrl"])[0] == 302
    reset = admin.post(f"/users/{made['id']}/reset").get_json()["url"]
    assert choose(app, reset, PASSWORD + ", doubled")[0] == 302
    assert Browser(app).sign_in(body["email"], PASSWORD + ", doubled").status_code == 302


def test_only_the_newest_link_is_valid_and_only_once(app: Flask, admin_browser: Browser) -> None:
    first = shown_once(invite(admin_browser, "twice@ship.example"))
    organization_id = _organization_of(app, "twice@ship.example")
    address = f"/admin/users/{user_id_of(app, organization_id, 'twice@ship.example')}/password"
    second = shown_once(submit(admin_browser, address)[1])
    assert [choose(app, link)[0] for link in (first, second, second)] == [401, 302, 401]


def test_of_two_links_issued_at_the_same_time_only_the_later_is_valid(
    app: Flask, admin: ApiClient, organization_id: UUID, database_url: str
) -> None:
    email = make_user(app, organization_id)
    with app.app_context(), operator_session(organization_id) as session:
        user = users.get_by_email(session, organization_id, email)
        by = Actor(organization_id, "test", Role.ADMIN)
        first = links.issue(session, user, by, links.RESET_LASTS, "http://localhost")
        path = f"/users/{user.id}/reset"
        second = answer_after(session, database_url, lambda: admin.post(path))
    assert choose(app, first)[0] == 401
    assert choose(app, second.get_json()["url"])[0] == 302


def test_a_refused_password_leaves_the_link_good(app: Flask, admin_browser: Browser) -> None:
    link = shown_once(invite(admin_browser, "short@ship.example"))
    assert choose(app, link, "short")[0] == 422
    assert choose(app, link)[0] == 302


def test_a_link_ends(app: Flask, organization_id: UUID) -> None:
    email = make_user(app, organization_id)
    with app.app_context():
        with operator_session(organization_id) as session:
            user = users.get_by_email(session, organization_id, email)
            by = Actor(organization_id, "test", Role.ADMIN)
            ended = links.issue(session, user, by, -timedelta(seconds=1), "http://localhost")
        with pytest.raises(Unauthenticated):
            links.redeem(ended.partition("#")[2], PASSWORD, None)


def test_a_deactivated_user_chooses_no_password_even_once_active_again(
    app: Flask, admin_browser: Browser
) -> None:
    link = shown_once(invite(admin_browser, "gone@ship.example"))
    organization_id = _organization_of(app, "gone@ship.example")
    address = f"/admin/users/{user_id_of(app, organization_id, 'gone@ship.example')}"
    for active in ("no", "yes"):
        submit(admin_browser, address, active=active)
        assert choose(app, link)[0] == 401


def test_a_new_password_uses_up_earlier_links(app: Flask, admin: ApiClient) -> None:
    made = admin.post("/users", {"email": "mate@ship.example", "role": "planner"}).get_json()
    invitation = made["invitationUrl"]
    body = {name: made[name] for name in ("email", "name", "role")} | {"password": PASSWORD}
    assert admin.put(f"/users/{made['id']}", body).status_code == 200
    assert choose(app, invitation, PASSWORD + ", doubled")[0] == 401


def test_a_link_that_is_replaced_while_it_is_used_deadlocks_with_nothing(
    app: Flask, admin_browser: Browser, database_url: str
) -> None:
    link = shown_once(invite(admin_browser, "busy@ship.example"))
    organization_id = _organization_of(app, "busy@ship.example")
    with app.app_context(), operator_session(organization_id) as session:
        user = users.get_by_email(session, organization_id, "busy@ship.example")
        users.lock(session, user)
        with ThreadPoolExecutor(1) as thread:
            chosen = thread.submit(choose, app, link)
            await_waiting(database_url)
            by = Actor(organization_id, "test", Role.ADMIN)
            links.issue(session, user, by, links.RESET_LASTS, "http://localhost")
            session.commit()
    assert chosen.result()[0] == 401


def test_another_password_ends_what_was_signed_in_with_the_old(
    app: Flask, organization_id: UUID, admin_browser: Browser
) -> None:
    planner = signed_in(app, organization_id)
    email = f"planner-{organization_id}@ship.example"
    address = f"/admin/users/{user_id_of(app, organization_id, email)}/password"
    link = shown_once(submit(admin_browser, address)[1])
    assert planner.get("/voyages").status_code == 200, "nothing ends before the choice"
    assert choose(app, link)[0] == 302
    assert planner.get("/voyages").status_code == 302


def test_links_are_mailed_where_there_is_a_server(
    mailing_app: Flask, organization_id: UUID
) -> None:
    page = invite(signed_in(mailing_app, organization_id, Role.ADMIN), "mailed@ship.example")
    assert "was mailed to mailed@ship.example" in page
    assert "shown-once" not in page
    link = link_in(mailed(1))
    assert link.startswith("https://chartroom.example/choose-password#")
    assert choose(mailing_app, link)[0] == 302


def test_a_password_is_reset_by_mail_without_revealing_addresses(
    mailing_app: Flask, organization_id: UUID
) -> None:
    email = make_user(mailing_app, organization_id)

    unknown, known = (forget(mailing_app, each) for each in ("nobody@ship.example", email))
    assert unknown == known
    message = mailed(1)
    assert f"To: {email}" in message
    assert choose(mailing_app, link_in(message))[0] == 302


def test_users_of_a_provider_without_a_password_get_no_reset_by_themselves(
    mailing_app: Flask, organization_id: UUID
) -> None:
    of_provider, other = (
        make_user(mailing_app, organization_id, role) for role in (Role.VIEWER, Role.PLANNER)
    )
    with mailing_app.app_context(), operator_session(organization_id) as session:
        user = users.get_by_email(session, organization_id, of_provider)
        user.oidc_subject, user.password_hash = f"https://provider.example {user.id}", None
    forget(mailing_app, of_provider)
    forget(mailing_app, other)
    assert f"To: {other}" in mailed(1)


def forget(app: Flask, address: str) -> str:
    """Ask for a reset without signing in; return the main part of the page."""
    visitor = Browser(app)
    form = {"email": address, "csrf_token": visitor.token_of("/forgotten-password")}
    page = visitor.http.post("/forgotten-password", data=form, headers=HTML).text
    return page.partition("<main")[2]


def mailed(count: int) -> str:
    """Wait for so many messages; return the last one."""
    wait_until(lambda: len(Mailbox.messages) == count, "mail")
    return Mailbox.messages[-1]


def link_in(message: str) -> str:
    return message[message.index("https://") :].split()[0]


def test_the_response_does_not_wait_for_the_link_of_a_known_address(
    mailing_app: Flask, organization_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    email, may_go_on, issue = make_user(mailing_app, organization_id), Event(), links.issue

    def issue_late(*arguments: Any, **options: Any) -> str:
        assert may_go_on.wait(30)
        return issue(*arguments, **options)

    monkeypatch.setattr(links, "issue", issue_late)
    forget(mailing_app, email)
    may_go_on.set()
    mailed(1)


def test_a_reset_asked_for_by_anyone_leaves_an_invitation_good(
    mailing_app: Flask, organization_id: UUID
) -> None:
    email = "awaited@ship.example"
    invite(signed_in(mailing_app, organization_id, Role.ADMIN), email)
    invitation = link_in(mailed(1))
    forget(mailing_app, email)
    first = link_in(mailed(2))
    forget(mailing_app, email)
    second = link_in(mailed(3))
    assert choose(mailing_app, first)[0] == 401, "the second reset replaced it"
    assert choose(mailing_app, invitation)[0] == 302
    assert choose(mailing_app, second)[0] == 401, "a password has been chosen"


def test_without_a_server_the_page_leads_to_the_admins(app: Flask) -> None:
    assert "Ask an admin" in Browser(app).get("/forgotten-password").text


def test_mail_needs_the_installations_own_address() -> None:
    servers = {"DATABASE_URL": "postgresql://x", "REDIS_URL": "redis://x"}
    with pytest.raises(SettingInvalid, match="PUBLIC_URL"):
        Settings.from_environment(servers | {"SMTP_URL": "smtp://mail.example"})


@pytest.mark.parametrize("url", ["smtp://mailer:pa/ss@mail.example:587", "smtp://mail.example:x"])
def test_a_mail_server_without_a_valid_port_is_refused_at_the_start(url: str) -> None:
    servers = {"DATABASE_URL": "postgresql://x", "REDIS_URL": "redis://x"}
    with pytest.raises(SettingInvalid, match="SMTP_URL has no valid port"):
        Settings.from_environment(servers | {"SMTP_URL": url, "PUBLIC_URL": "https://x.example"})


@pytest.mark.parametrize(
    "email",
    ["anna,bob@ship.example", '"anna@ship.example', "anna@[ship.example", "anna(@ship.example"],
)
def test_an_address_of_several_or_of_none_is_refused(admin_browser: Browser, email: str) -> None:
    status, page = submit(admin_browser, "/admin/users", email=email, name="", role="planner")
    assert (status, "Enter an address like" in page) == (422, True)


def test_the_link_is_shown_where_its_mail_cannot_be_composed(
    mailing_app: Flask, organization_id: UUID
) -> None:
    admin = signed_in(mailing_app, organization_id, Role.ADMIN)
    email = "anna@[ship.example"  # as an earlier release has stored it
    with mailing_app.app_context(), operator_session(organization_id) as session:
        user_id = users.create(session, organization_id, email=email, role=Role.PLANNER).id
    link = shown_once(submit(admin, f"/admin/users/{user_id}/password")[1])
    assert choose(mailing_app, link)[0] == 302


def _organization_of(app: Flask, email: str) -> UUID:
    with app.app_context():
        (row,) = users.list_by_email(email)
        found: UUID = row.organization_id
        return found
