"""Users of two organizations with one e-mail address: neither is a key to the other."""

from uuid import UUID

import pytest
from flask import Flask

from app.models import Role
from app.services.identity import organizations, sign_in_attempts, users
from app.services.identity.sign_in_attempts import FREE_TRIES, MOST_PER_ORIGIN
from app.services.platform.sessions import operator_session, organization_session
from tests.integration.browser import HTML, PASSWORD, Browser, make_user, signed_in
from tests.integration.conftest import make_organization

pytestmark = pytest.mark.usefixtures("redis")

OTHER_PASSWORD = "another sea and a star"


@pytest.fixture
def own_email(app: Flask, organization_id: UUID) -> str:
    """The address of an admin, which has a younger user in another organization too."""
    email = make_user(app, organization_id, Role.ADMIN)
    with app.app_context():
        other_id = organizations.create(f"Other of {organization_id}")
        with operator_session(other_id) as session:
            users.create(session, other_id, email=email, password=OTHER_PASSWORD, role=Role.VIEWER)
    return email


def change_password(browser: Browser, current: str, new: str) -> int:
    form = {"current": current, "new": new, "csrf_token": browser.token()}
    return browser.http.post("/account", data=form, headers=HTML).status_code


def test_a_password_changed_to_that_of_another_organization_stays_in_its_own(
    app: Flask, own_email: str
) -> None:
    browser = Browser(app)
    browser.sign_in(own_email, OTHER_PASSWORD)
    assert change_password(browser, OTHER_PASSWORD, PASSWORD) == 302
    assert browser.get("/voyages").status_code == 200
    assert browser.get("/admin/organization").status_code == 403


def test_the_password_of_another_organization_proves_nothing(app: Flask, own_email: str) -> None:
    browser = Browser(app)
    browser.sign_in(own_email)
    assert change_password(browser, OTHER_PASSWORD, "a third sea and a moon") == 401
    form = {"proof": OTHER_PASSWORD}
    form["csrf_token"] = browser.token()
    assert browser.http.post("/confirm", data=form, headers=HTML).status_code == 401
    assert Browser(app).sign_in(own_email).status_code == 302


@pytest.mark.usefixtures("context")
def test_an_address_may_have_a_user_in_every_organization(app: Flask) -> None:
    email = "support@operator.example"
    passwords = {make_organization(app, f"line {n}"): f"{n} seas and a star" for n in range(12)}
    for organization_id, password in passwords.items():
        with organization_session(organization_id) as session:
            users.create(session, organization_id, email=email, password=password, role=Role.ADMIN)
    for organization_id, password in passwords.items():
        assert users.sign_in(email, password).actor.organization_id == organization_id


@pytest.mark.usefixtures("context")
def test_of_two_users_with_one_password_a_deactivated_one_does_not_count(app: Flask) -> None:
    email = "crew@operator.example"
    first, second = make_organization(app, "first"), make_organization(app, "second")
    for organization_id in (first, second):
        with organization_session(organization_id) as session:
            users.create(session, organization_id, email=email, password=PASSWORD, role=Role.VIEWER)
    with organization_session(first) as session:
        users.change(session, users.get_by_email(session, first, email), {"is_active": False})
    assert users.sign_in(email, PASSWORD).actor.organization_id == second


def test_a_user_of_two_organizations_is_let_in_where_others_fail(
    app: Flask, own_email: str
) -> None:
    assert Browser(app).sign_in(own_email).status_code == 302
    with app.app_context():
        for number in range(MOST_PER_ORIGIN):
            sign_in_attempts.count(f"crew{number}@ship.example", "127.0.0.1")
    assert Browser(app).sign_in(own_email).status_code == 302


def test_signing_in_to_another_organization_does_not_reset_the_delay(
    app: Flask, own_email: str
) -> None:
    guesser = Browser(app)
    for _ in range(FREE_TRIES):
        assert guesser.sign_in(own_email, "wrong").status_code == 401
        answer = Browser(app).sign_in(own_email, OTHER_PASSWORD)
    assert answer.status_code == 429


def test_signing_in_resets_the_delay_of_an_address_of_one_user(
    app: Flask, organization_id: UUID
) -> None:
    email = f"{Role.PLANNER}-{organization_id}@ship.example"
    signed_in(app, organization_id)
    for _ in range(FREE_TRIES):
        assert Browser(app).sign_in(email, "wrong").status_code == 401
        assert Browser(app).sign_in(email).status_code == 302
