"""Admin pages: keys, users, zones, weather, and the own password."""

import re
from datetime import datetime, timedelta
from html import unescape
from pathlib import Path
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.datasources.weather.store import RunSummary
from app.engine.weather import Group
from app.models import Role, utc_now
from app.pages.presenters import filters
from app.services.identity import keys, users
from app.services.platform.sessions import (
    installation_session,
    operator_session,
    organization_session,
)
from app.services.weather import weather_intake
from tests.integration.browser import HTML, PASSWORD, Browser, make_user, signed_in
from tests.integration.client import ApiClient

pytestmark = pytest.mark.usefixtures("redis")

PAGES = (
    "/admin/keys", "/admin/users", "/admin/webhooks", "/admin/organization", "/admin/data",
    "/admin/zones", "/admin/weather",
)  # fmt: skip

#: Fields of forms that a browser always sends.
DEFAULTS = {
    "/admin/keys": {"scopes": "read"},
    "/admin/organization": {
        "ukc_margin_m": "1",
        "advice_fuel_pct": "1.5",
        "advice_fuel_t": "2",
        "advice_eta_h": "3",
    },
}


def submit(browser: Browser, path: str, **form: str) -> tuple[int, str]:
    """Send a form with its token; the answer's status and text."""
    form = DEFAULTS.get(path, {}) | form
    form["csrf_token"] = browser.token()
    answer = browser.http.post(path, data=form, headers=HTML)
    return answer.status_code, unescape(answer.text)


def shown_once(page: str) -> str:
    found = re.search(r'readonly value="([^"]+)"', page)
    assert found, page
    return found.group(1)


def user_id_of(app: Flask, organization_id: UUID, email: str) -> str:
    with app.app_context(), organization_session(organization_id) as session:
        return str(users.get_by_email(session, organization_id, email).id)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.PLANNER])
def test_only_admins_see_the_pages_for_admins(
    app: Flask, organization_id: UUID, role: Role
) -> None:
    browser = signed_in(app, organization_id, role)
    for path in ("/admin", *PAGES):
        assert browser.get(path).status_code == 403, path
    assert 'href="/admin' not in browser.get("/voyages").text


def test_a_key_of_the_form_has_its_scopes_and_networks_only(
    admin_browser: Browser,
) -> None:
    page = submit(
        admin_browser, "/admin/keys", name="", role="admin", kind="live", networks="127.0.0.1 ::1"
    )[1]
    key = ApiClient(admin_browser.http, shown_once(page))
    assert key.get("/vessel").status_code == 200
    refused = key.get("/users").get_json()
    assert refused["data"] == {"scope": "admin"}
    assert "127.0.0.1/32, ::1/128" in admin_browser.get("/admin/keys").text


@pytest.mark.parametrize(
    ("field", "wrong"), [("scopes", "write"), ("networks", "10.0.0.1/8"), ("networks", "ship")]
)
def test_a_wrong_scope_or_network_is_reported_at_its_field(
    admin_browser: Browser, field: str, wrong: str
) -> None:
    form = {"name": "", "role": "admin", "kind": "live", field: wrong}
    status, page = submit(admin_browser, "/admin/keys", **form)
    assert status == 422
    assert "field--wrong" in page
    assert "shown-once" not in page


def test_a_key_that_could_do_nothing_is_not_issued(admin_browser: Browser) -> None:
    form = {"name": "", "kind": "live", "networks": "", "scopes": "telemetry"}
    status, page = submit(admin_browser, "/admin/keys", role="master", **form)
    assert status == 422
    assert "telemetry needs the role planner" in page
    assert submit(admin_browser, "/admin/keys", role="captain", **form)[0] == 422


def test_a_key_has_no_more_networks_than_by_the_api(admin_browser: Browser) -> None:
    form = {"name": "", "kind": "live", "scopes": "read", "role": "viewer"}
    networks = [f"10.0.{n}.0/24" for n in range(51)]
    status, page = submit(admin_browser, "/admin/keys", networks=" ".join(networks), **form)
    assert (status, "up to 50 networks; these are 51" in page) == (422, True)
    assert submit(admin_browser, "/admin/keys", networks=" ".join(networks[1:]), **form)[0] == 201


def test_the_form_offers_the_organizations_lifetime_for_keys(admin_browser: Browser) -> None:
    ends = utc_now() + timedelta(days=30)
    submit(admin_browser, "/admin/organization", key_lifetime_days="30")
    assert ends.strftime("%d %b %Y") in admin_browser.get("/admin/keys").text
    assert submit(admin_browser, "/admin/organization", key_lifetime_days="0")[0] == 422


def test_the_bar_leads_admins_to_every_page_for_them(admin_browser: Browser) -> None:
    assert 'href="/admin"' in admin_browser.get("/voyages").text
    text = admin_browser.get("/admin/zones").text
    assert all(f'href="{path}"' in text for path in (*PAGES, "/docs"))


def test_admins_let_planners_manage_webhooks_and_no_longer(
    admin_browser: Browser, planner: ApiClient
) -> None:
    assert planner.get("/webhooks").status_code == 403
    submit(admin_browser, "/admin/organization", planners_manage_webhooks="1")
    assert planner.get("/webhooks").status_code == 200
    assert "checked" in admin_browser.get("/admin/organization").text
    submit(admin_browser, "/admin/organization")
    assert planner.get("/webhooks").status_code == 403


def test_a_new_key_works_and_is_shown_this_once(
    admin_browser: Browser, http: FlaskClient, organization_id: UUID
) -> None:
    status, page = submit(
        admin_browser, "/admin/keys", name="Noon reports", role="planner", kind="test"
    )
    secret = shown_once(page)
    assert status == 201
    assert secret.startswith("vk_test_")
    found = ApiClient(http, secret).get("/organization").get_json()
    assert found["id"] == str(organization_id)
    again = admin_browser.get("/admin/keys").text
    assert "Noon reports" in again
    assert secret not in again


def test_a_revoked_key_is_refused_from_then_on(admin_browser: Browser, http: FlaskClient) -> None:
    page = submit(admin_browser, "/admin/keys", name="", role="viewer", kind="live")[1]
    secret = shown_once(page)
    address = re.search(r"/admin/keys/[0-9a-f-]+/revoke", page)
    assert address
    assert submit(admin_browser, address.group(0))[0] == 302
    assert ApiClient(http, secret).get("/organization").status_code == 401
    assert "Revoked" in admin_browser.get("/admin/keys").text


def test_a_rotated_key_and_its_successor_both_work_for_now(
    admin_browser: Browser, http: FlaskClient
) -> None:
    page = submit(admin_browser, "/admin/keys", name="Feed", role="viewer", kind="live")[1]
    address = re.search(r"/admin/keys/[0-9a-f-]+/rotate", page)
    assert address
    status, answer = submit(admin_browser, address.group(0))
    assert status == 201
    for secret in (shown_once(page), shown_once(answer)):
        assert ApiClient(http, secret).get("/organization").status_code == 200
    status, answer = submit(admin_browser, address.group(0))
    assert status == 409
    assert "has been rotated already" in answer


def test_a_rotated_key_that_ends_sooner_is_not_said_to_work_for_a_day(
    app: Flask, admin_browser: Browser, organization_id: UUID
) -> None:
    ends = utc_now() + timedelta(minutes=30)
    with app.app_context(), operator_session(organization_id) as session:
        key = keys.issue(session, organization_id, Role.VIEWER, expires_at=ends).key
    page = submit(admin_browser, f"/admin/keys/{key.id}/rotate")[1]
    assert f"The previous key works until {filters.dated_time(ends)} UTC." in page


def test_a_key_is_not_issued_for_a_day_that_has_passed(admin_browser: Browser) -> None:
    status, page = submit(
        admin_browser, "/admin/keys", name="", role="viewer", kind="live", last_day="2020-01-01"
    )
    assert status == 422
    assert "This day has passed." in page


def test_a_user_is_invited_once_and_the_link_is_shown_once(
    admin_browser: Browser, organization_id: UUID
) -> None:
    email = f"mate-{organization_id}@ship.example"
    status, page = submit(
        admin_browser, "/admin/users", email=f" {email} ", name="B. Mate", role="viewer"
    )
    assert status == 201
    assert shown_once(page) not in admin_browser.get("/admin/users").text
    status, page = submit(admin_browser, "/admin/users", email=email, name="", role="viewer")
    assert status == 409
    assert "already a user with this e-mail" in page


def test_an_address_that_is_none_is_reported_at_its_field(admin_browser: Browser) -> None:
    status, page = submit(admin_browser, "/admin/users", email="mate", name="", role="viewer")
    assert status == 422
    assert "Enter an address like mate@ship.example." in page


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/admin/users", {"email": "mate@ship.example", "name": "mate\0", "role": "viewer"}),
        ("/admin/users", {"email": "mate\0@ship.example", "name": "", "role": "viewer"}),
        ("/admin/users", {"email": "mate@ship.example", "name": "m\u202ee", "role": "viewer"}),
        ("/admin/keys", {"name": "mate\0", "role": "admin", "kind": "live"}),
        ("/admin/keys", {"name": "m\u202ee", "role": "admin", "kind": "live"}),
        ("/sign-in", {"email": "mate\0@ship.example", "password": "seven seas"}),
    ],
)
def test_texts_that_cannot_be_stored_or_hide_what_they_say_are_refused(
    admin_browser: Browser, path: str, form: dict[str, str]
) -> None:
    status, page = submit(admin_browser, path, **form)
    assert status == 422
    assert "character" in page


def test_a_user_gets_another_role_and_is_let_in_no_more(
    app: Flask, admin_browser: Browser, organization_id: UUID
) -> None:
    email = make_user(app, organization_id, Role.VIEWER)
    address = f"/admin/users/{user_id_of(app, organization_id, email)}"
    assert submit(admin_browser, address, role="planner")[0] == 302
    planner = Browser(app)
    assert planner.sign_in(email).status_code == 302
    assert "Planner" in planner.get("/voyages").text
    assert submit(admin_browser, address, active="no")[0] == 302
    assert planner.get("/voyages").status_code == 302
    assert Browser(app).sign_in(email).status_code == 401
    assert submit(admin_browser, address, active="yes")[0] == 302
    assert Browser(app).sign_in(email).status_code == 302


def test_a_user_about_to_be_erased_is_not_activated_and_gets_no_link(
    app: Flask, admin: ApiClient, admin_browser: Browser, organization_id: UUID
) -> None:
    user_id = user_id_of(app, organization_id, make_user(app, organization_id))
    assert admin.post(f"/erasures/user/{user_id}").status_code == 201
    status, page = submit(admin_browser, f"/admin/users/{user_id}", active="yes")
    assert status == 409
    assert "Cancel erasure" in page
    status, page = submit(admin_browser, f"/admin/users/{user_id}/password")
    assert status == 409
    assert "The user is deactivated." in page


def test_a_changed_role_is_confirmed_on_the_page(
    app: Flask, admin_browser: Browser, organization_id: UUID
) -> None:
    email = make_user(app, organization_id, Role.VIEWER)
    address = f"/admin/users/{user_id_of(app, organization_id, email)}"
    form = {"role": "planner", "csrf_token": admin_browser.token()}
    answer = admin_browser.http.post(address, data=form, headers=HTML)
    page = admin_browser.get(answer.headers["Location"]).text
    assert "Role of A. Vos changed to planner." in page
    assert page.count('aria-label="Role of A. Vos" autofocus') == 1


def test_the_last_admin_stays_one(
    app: Flask, admin_browser: Browser, organization_id: UUID
) -> None:
    email = f"{Role.ADMIN}-{organization_id}@ship.example"
    address = f"/admin/users/{user_id_of(app, organization_id, email)}"
    for change in ({"role": "viewer"}, {"active": "no"}):
        status, page = submit(admin_browser, address, **change)
        assert status == 409
        assert "An organization keeps at least one admin." in page
    assert submit(admin_browser, address, role="captain")[0] == 422


def test_users_and_keys_of_another_organization_are_out_of_reach(
    app: Flask, admin_browser: Browser, other_organization_id: UUID
) -> None:
    email = make_user(app, other_organization_id)
    address = f"/admin/users/{user_id_of(app, other_organization_id, email)}"
    assert submit(admin_browser, address, active="no")[0] == 404
    assert submit(admin_browser, f"{address}/password")[0] == 404
    assert email not in admin_browser.get("/admin/users").text


def test_changes_without_the_page_s_token_are_refused(admin_browser: Browser) -> None:
    form = {"name": "", "role": "admin", "kind": "live"}
    assert admin_browser.http.post("/admin/keys", data=form, headers=HTML).status_code == 400


def test_zones_are_shown_with_source_quality_and_version(admin_browser: Browser) -> None:
    text = unescape(admin_browser.get("/admin/zones").text)
    assert "Mediterranean Sea ECA" in text
    assert "1 May 2025" in text
    assert "MEPC" in text
    assert 'data-label="Season">31 Dec until 22 Mar</td>' in text
    assert re.search(r"Version <code>\w{8,}</code>", text)


@pytest.mark.usefixtures("climatology")
def test_weather_says_what_to_do_while_there_is_none_and_then_what_is_used(
    admin_browser: Browser, app: Flask
) -> None:
    assert "flask weather fetch" in admin_browser.get("/admin/weather").text
    now = utc_now()
    with app.app_context(), installation_session() as session:
        for name, age_h, hours in (("older", 18, 240), ("newer", 12, 240), ("short", 6, 144)):
            weather_intake.catalogue(session, run_summary(name, now, age_h, hours))
    page = admin_browser.get("/admin/weather").text
    rows = re.findall(r'<tr role="row">.*?</tr>', page, re.S)
    # the short run is used for short voyages, the newer of the long ones for others
    assert ["chip--active" in row for row in rows[1:]] == [True, True, False]
    assert ["short" in row for row in rows[1:]] == [True, False, False]
    assert "newer" in rows[2]
    assert "current" in page


def run_summary(name: str, now: datetime, age_h: float, hours: float) -> RunSummary:
    begun = now - timedelta(hours=age_h)
    return RunSummary(
        name=name,
        source="test",
        folder=Path(name),
        reference_time=begun,
        valid_from=begun,
        valid_to=begun + timedelta(hours=hours),
        groups=(Group.WIND,),
        global_groups=(Group.WIND,),
        size_bytes=1_000_000,
        notes=(),
        origins={},
        members=(),
    )


def test_an_easily_guessed_password_is_refused(app: Flask, organization_id: UUID) -> None:
    here = signed_in(app, organization_id)
    form = {"current": PASSWORD, "new": "password1234", "csrf_token": here.token()}
    answer = here.http.post("/account", data=form, headers=HTML)
    assert answer.status_code == 422
    assert "easily guessed" in answer.text


def test_a_changed_password_ends_the_other_sessions(app: Flask, organization_id: UUID) -> None:
    here = signed_in(app, organization_id)
    email = f"{Role.PLANNER}-{organization_id}@ship.example"
    there = Browser(app)
    there.sign_in(email)
    form = {"current": "not this one", "new": "another sea and a star"}
    form["csrf_token"] = here.token()
    assert here.http.post("/account", data=form, headers=HTML).status_code == 401
    changed = here.http.post("/account", data=form | {"current": PASSWORD}, headers=HTML)
    assert changed.status_code == 302
    assert here.get("/voyages").status_code == 200
    assert there.get("/voyages").status_code == 302
    assert Browser(app).sign_in(email, "another sea and a star").status_code == 302


def test_the_organization_page_says_what_its_settings_do(admin_browser: Browser) -> None:
    page = admin_browser.get("/admin/organization").text
    assert "Proposed for new keys." in page
    assert "a passkey or an authenticator" in page


def test_the_thresholds_of_advice_are_those_of_the_api(
    admin_browser: Browser, admin: ApiClient
) -> None:
    admin.patch("/organization", {"adviceFuelPct": 2.5})
    assert 'name="advice_fuel_pct" type="text" autocomplete="off" value="2.5"' in (
        admin_browser.get("/admin/organization").text
    )
    form = {"advice_fuel_pct": "0", "advice_fuel_t": "4,25", "advice_eta_h": "1000"}
    assert submit(admin_browser, "/admin/organization", **form)[0] == 302
    found = admin.get("/organization").get_json()
    names = ("adviceFuelPct", "adviceFuelMt", "adviceEtaH")
    assert [found[name] for name in names] == [0.0, 4.25, 1000.0]


def test_the_required_clearance_is_that_of_the_api(
    admin_browser: Browser, admin: ApiClient
) -> None:
    assert submit(admin_browser, "/admin/organization", ukc_margin_m="2,5")[0] == 302
    assert admin.get("/organization").get_json()["ukcMarginM"] == 2.5
    for wrong in ("", "-1", "20.5"):
        assert submit(admin_browser, "/admin/organization", ukc_margin_m=wrong)[0] == 422


@pytest.mark.parametrize("wrong", ["1000.5", "-1", "three", "nan", ""])
def test_a_threshold_that_is_refused_stays_in_the_form(
    admin_browser: Browser, admin: ApiClient, wrong: str
) -> None:
    before = admin.get("/organization").get_json()
    status, page = submit(
        admin_browser, "/admin/organization", advice_eta_h=wrong, requires_second_factor="y"
    )
    assert status == 422
    assert re.search(r'name="requires_second_factor"[^>]* checked', page)
    assert not re.search(r'name="planners_manage_webhooks"[^>]* checked', page)
    assert f'value="{wrong}" placeholder="" inputmode="decimal" aria-invalid="true"' in page
    assert 'id="advice_eta_h-error">Enter 0 to 1000.' in page
    assert admin.get("/organization").get_json() == before
