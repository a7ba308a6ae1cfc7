"""Changes of users' e-mail addresses, confirmed by a link."""

from html import unescape
from uuid import UUID, uuid4

import pytest
from flask import Flask
from sqlalchemy import func, select

from app.models import OneTimeLink, Role, User
from app.services.errors import Unauthenticated
from app.services.identity import mail, users
from app.services.platform.sessions import operator_session
from tests.integration.browser import HTML, Browser, make_user, signed_in
from tests.integration.browser import PASSWORD as PAGES_PASSWORD
from tests.integration.client import ApiClient
from tests.integration.conftest import client_of
from tests.integration.test_admin_pages import shown_once, submit, user_id_of
from tests.integration.test_invitations import (
    PASSWORD,
    Mailbox,
    choose,
    mail_server,
    mailing_app,
)
from tests.waiting import wait_until

__all__ = ["mail_server", "mailing_app"]

pytestmark = pytest.mark.usefixtures("redis")


def new_address() -> str:
    return f"{uuid4().hex}@ship.example"


def make(admin: ApiClient) -> dict[str, str]:
    """A user with a password of their own, as it is read."""
    body = {"email": new_address(), "role": "planner", "password": PASSWORD}
    made = admin.post("/users", body).get_json()
    read: dict[str, str] = admin.get(f"/users/{made['id']}").get_json()
    return read


def move(admin: ApiClient, user: dict[str, str], email: str) -> str:
    """Ask for another address; the link that confirms it."""
    answer = admin.put(f"/users/{user['id']}", user | {"email": email})
    assert answer.status_code == 200, answer.text
    assert answer.get_json()["email"] == user["email"], "not before it is confirmed"
    link: str = answer.get_json()["confirmationUrl"]
    return link


def confirm(app: Flask, link: str) -> int:
    visitor = Browser(app)
    token = visitor.token_of("/confirm-address")
    form = {"token": link.partition("#")[2], "csrf_token": token}
    return visitor.http.post("/confirm-address", data=form, headers=HTML).status_code


def signs_in(app: Flask, email: str) -> bool:
    with app.app_context():
        try:
            users.sign_in(email, PASSWORD)
        except Unauthenticated:
            return False
        return True


def test_a_changed_address_is_valid_once_confirmed_and_its_link_only_once(
    app: Flask, admin: ApiClient
) -> None:
    user, email = make(admin), new_address()
    link = move(admin, user, email)
    assert link.startswith("http://localhost/confirm-address#")
    assert [signs_in(app, name) for name in (user["email"], email)] == [True, False]
    assert [confirm(app, link), confirm(app, link)] == [302, 401]
    assert [signs_in(app, name) for name in (user["email"], email)] == [False, True]
    assert admin.get(f"/users/{user['id']}").get_json()["email"] == email


def test_a_record_that_is_sent_back_as_it_was_read_asks_for_no_link(admin: ApiClient) -> None:
    user = make(admin)
    for email in (user["email"], user["email"].upper()):
        answer = admin.put(f"/users/{user['id']}", user | {"email": email})
        assert (answer.status_code, answer.get_json()["confirmationUrl"]) == (200, None)


def test_each_link_does_its_own_work_alone(app: Flask, admin: ApiClient) -> None:
    user, email = make(admin), new_address()
    assert choose(app, move(admin, user, email), PASSWORD + ", doubled")[0] == 401
    reset = admin.post(f"/users/{user['id']}/reset").get_json()["url"]
    assert confirm(app, reset) == 401
    assert signs_in(app, user["email"])


def test_an_address_that_another_took_meanwhile_is_refused_in_the_same_words(
    app: Flask, admin: ApiClient
) -> None:
    user, email = make(admin), new_address()
    link = move(admin, user, email)
    admin.post("/users", {"email": email, "role": "viewer"})
    assert confirm(app, link) == 401
    assert signs_in(app, user["email"])


def test_addresses_of_other_organizations_are_neither_revealed_nor_taken(
    app: Flask, admin: ApiClient, stranger: ApiClient
) -> None:
    theirs, own = make(stranger), make(admin)
    assert admin.put(f"/users/{own['id']}", own | {"email": make(admin)["email"]}).get_json()[
        "code"
    ] == ("EMAIL_TAKEN")
    for email in (theirs["email"], new_address()):
        assert move(admin, own, email)
    link = move(admin, own, theirs["email"])
    assert confirm(app, link) == 302
    assert stranger.get(f"/users/{theirs['id']}").get_json()["email"] == theirs["email"]
    with app.app_context():
        signed_in_as = users.sign_in(theirs["email"], PASSWORD)
    assert str(signed_in_as.user_id) == theirs["id"]


def test_the_link_is_mailed_to_the_new_address_and_the_former_one_is_informed(
    mailing_app: Flask, organization_id: UUID
) -> None:
    admin = signed_in(mailing_app, organization_id, Role.ADMIN)
    former, email = make_user(mailing_app, organization_id), new_address()
    address = f"/admin/users/{user_id_of(mailing_app, organization_id, former)}/address"
    status, page = submit(admin, address, email=email)
    assert status == 201
    assert f"was mailed to {email}" in page
    (message,) = Mailbox.messages
    assert f"To: {email}" in message
    assert confirm(mailing_app, message[message.index("https://") :].split()[0]) == 302
    assert f"To: {former}" in Mailbox.messages[1]


def test_no_user_is_locked_while_a_server_takes_mail(
    mailing_app: Flask, organization_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, links_issued = mail.send, []

    def lock_users_and_send(*letter: str) -> bool:
        with operator_session(organization_id) as session:
            theirs = select(User).where(User.organization_id == organization_id)
            session.scalars(theirs.with_for_update(nowait=True)).all()
            own = OneTimeLink.organization_id == organization_id
            links_issued.append(session.scalar(select(func.count()).where(own)))
        return send(*letter)

    monkeypatch.setattr(mail, "send", lock_users_and_send)
    admin = client_of(mailing_app, organization_id, Role.ADMIN)
    invited = admin.post("/users", {"email": new_address(), "role": "viewer"}).get_json()
    path = f"/users/{invited['id']}"
    reset = admin.post(f"{path}/reset").get_json()
    moved = admin.put(path, {"email": new_address(), "role": "viewer"}).get_json()
    assert (invited["invitationUrl"], reset["url"], moved["confirmationUrl"]) == (None, None, None)
    browser = signed_in(mailing_app, organization_id, Role.ADMIN)
    submit(browser, "/admin/users", email=new_address(), name="", role="planner")
    submit(browser, f"/admin{path}/password")
    submit(browser, f"/admin{path}/address", email=new_address())
    assert links_issued == [1, 2, 3, 4, 5, 6]
    assert len(Mailbox.messages) == 6


def test_an_admin_hands_the_link_over_where_no_mail_is_sent(
    app: Flask, organization_id: UUID
) -> None:
    admin = signed_in(app, organization_id, Role.ADMIN)
    former, email = make_user(app, organization_id), new_address()
    address = f"/admin/users/{user_id_of(app, organization_id, former)}/address"
    assert submit(admin, address, email="nowhere")[0] == 422
    assert submit(admin, address, email=former)[0] == 409
    assert confirm(app, shown_once(submit(admin, address, email=email)[1])) == 302
    assert email in admin.get("/admin/users").text


def test_a_planner_cannot_change_addresses(app: Flask, organization_id: UUID) -> None:
    planner = signed_in(app, organization_id)
    email = make_user(app, organization_id, Role.VIEWER)
    address = f"/admin/users/{user_id_of(app, organization_id, email)}/address"
    form = {"email": new_address(), "csrf_token": planner.token()}
    assert planner.http.post(address, data=form, headers=HTML).status_code == 403


def test_who_follows_a_link_is_recorded_as_who_did_it(app: Flask, admin: ApiClient) -> None:
    user = make(admin)
    assert confirm(app, move(admin, user, new_address())) == 302
    reset = admin.post(f"/users/{user['id']}/reset").get_json()["url"]
    moved = admin.get(f"/users/{user['id']}").get_json()["email"]
    assert choose(app, reset, PASSWORD + ", doubled")[0] == 302
    entries = admin.get("/audit").get_json()["items"]
    changes = [entry for entry in entries if entry["action"] == "user.changed"]
    assert [(entry["actor"], entry["origin"]) for entry in changes] == [
        (moved, "127.0.0.1"),
        (user["email"], "127.0.0.1"),
    ]


def ask_for(browser: Browser, email: str, password: str = PAGES_PASSWORD) -> tuple[int, str]:
    """The answer's status and what the page says, without the address that was asked for."""
    form = {"email": email, "own_password": password, "csrf_token": browser.token()}
    answer = browser.http.post("/account/address", data=form, headers=HTML)
    said = unescape(answer.text).partition("address-title")[2].partition("</form>")[0]
    return answer.status_code, said.replace(email, "")


def test_a_user_changes_the_own_address_and_learns_of_no_other(
    mailing_app: Flask, organization_id: UUID
) -> None:
    planner, email = signed_in(mailing_app, organization_id), new_address()
    taken = make_user(mailing_app, organization_id, Role.VIEWER)
    assert ask_for(planner, email, "a wrong word for it")[0] == 401
    assert ask_for(planner, "nowhere")[0] == 422
    assert ask_for(planner, taken) == ask_for(planner, email)
    wait_until(lambda: Mailbox.messages, "mail")
    (message,) = Mailbox.messages
    assert f"To: {email}" in message
    assert confirm(mailing_app, message[message.index("https://") :].split()[0]) == 302
    assert Browser(mailing_app).sign_in(email, PAGES_PASSWORD).status_code == 302


def test_without_a_mail_server_the_account_leads_to_the_admins(
    app: Flask, organization_id: UUID
) -> None:
    planner = signed_in(app, organization_id)
    assert "Ask an admin" in planner.get("/account").text
    assert ask_for(planner, new_address())[0] == 422
