"""Audit record: actor and origin of every action; admins read and export it."""

import csv
import io
import logging
from html import unescape
from uuid import UUID

import pytest
from flask import Flask

from app.logs import TextLines
from app.models import Role
from app.services.platform import audit
from tests.integration.browser import HTML, Browser, make_user, signed_in
from tests.integration.client import ApiClient
from tests.integration.test_admin_pages import submit
from tests.integration.test_who_may_what import _AREA

pytestmark = pytest.mark.usefixtures("redis")


def actions(admin: ApiClient) -> list[tuple[str, str]]:
    items = admin.get("/audit?pageSize=100").get_json()["items"]
    return [(item["action"], item["origin"]) for item in reversed(items)]


def test_each_kind_of_change_by_the_api_leaves_an_entry(admin: ApiClient) -> None:
    before = len(actions(admin))
    vessel = admin.make_vessel()
    admin.patch(f"/vessel/{vessel['id']}", {"name": "Renamed"})
    key = admin.post("/keys", {"role": "viewer"}).get_json()
    admin.delete(f"/keys/{key['id']}")
    admin.post("/constraints", _AREA)
    user = {"email": "new@ship.example", "role": "viewer", "password": "a heavy swell at dawn"}
    admin.post("/users", user)
    found = actions(admin)[before:]
    assert [name for name, _ in found] == [
        "vessel.created", "vessel.changed", "key.created", "key.changed", "area.created",
        "user.created",
    ]  # fmt: skip
    assert {origin for _, origin in found} == {"127.0.0.1"}


def test_what_it_was_and_became_is_kept_and_no_secret(admin: ApiClient) -> None:
    vessel = admin.make_vessel()
    admin.patch(f"/vessel/{vessel['id']}", {"name": "Renamed"})
    admin.post("/keys", {"role": "viewer"})
    key, change, *_ = admin.get("/audit").get_json()["items"]
    assert change["after"] == {"name": "Renamed"}
    assert change["before"] == {"name": vessel["name"]}
    assert key["after"]["secretChanged"] is True


@pytest.mark.parametrize("path", ["/constraints", "/client-data"])
def test_a_moved_outline_is_kept_by_its_description(admin: ApiClient, path: str) -> None:
    made = admin.post(path, _AREA).get_json()
    (ring,) = _AREA["geometry"]["coordinates"]
    moved = {"type": "Polygon", "coordinates": [[[lng + 1.0, lat] for lng, lat in ring]]}
    answer = admin.put(f"{path}/{made['id']}", _AREA | {"geometry": moved})
    assert answer.status_code == 200, answer.text
    change, creation, *_ = admin.get("/audit").get_json()["items"]
    assert (change["action"], change["subjectId"]) == ("area.changed", made["id"])
    before, after = change["before"].pop("drawn"), change["after"].pop("drawn")
    assert before == creation["after"]["drawn"]
    assert after["bbox"][0] == before["bbox"][0] + 1.0
    assert (after["type"], after["vertices"]) == ("Polygon", len(ring))
    assert after["sha256"] != before["sha256"]
    assert (change["before"], change["after"]) == ({}, {})
    assert admin.put(f"{path}/{made['id']}", _AREA | {"geometry": moved}).status_code == 200
    assert admin.get("/audit").get_json()["items"][0]["id"] == change["id"], "nothing changed"


@pytest.mark.parametrize("path", ["/constraints", "/client-data"])
def test_only_some_positions_of_an_outline_may_have_a_height(admin: ApiClient, path: str) -> None:
    made = admin.post(path, _AREA).get_json()
    (ring,) = _AREA["geometry"]["coordinates"]
    raised = {"type": "Polygon", "coordinates": [[[*ring[0], 5.0], *ring[1:]]]}
    assert admin.post(path, _AREA | {"geometry": raised}).status_code == 201
    answer = admin.put(f"{path}/{made['id']}", _AREA | {"geometry": raised})
    assert answer.status_code == 200, answer.text
    change, *_ = admin.get("/audit").get_json()["items"]
    before, after = change["before"]["drawn"], change["after"]["drawn"]
    assert (before["bbox"], before["vertices"]) == (after["bbox"], after["vertices"])


DATA = ("exported", "erasure_requested", "erasure_cancelled")


def of_data(admin: ApiClient) -> list[tuple[str, str, str]]:
    """Action, subject and actor of the entries about exports and erasures, the oldest first."""
    items = admin.get("/audit?pageSize=100").get_json()["items"]
    return [
        (item["action"], item["subjectId"], item["actor"])
        for item in reversed(items)
        if item["action"].endswith(DATA)
    ]


def test_exports_and_erasures_are_kept_also_when_taken_back(admin: ApiClient) -> None:
    subjects = {
        "organization": admin.get("/organization").get_json()["id"],
        "vessel": admin.make_vessel()["id"],
    }
    for kind, id_ in subjects.items():
        admin.http.head(f"/v1/exports/{kind}/{id_}", headers={"X-API-Key": admin.key}).close()
        admin.get(f"/exports/{kind}/{id_}").close()
        erasure = admin.post(f"/erasures/{kind}/{id_}").get_json()
        assert admin.delete(f"/erasures/{erasure['id']}").status_code == 204
    found = of_data(admin)
    assert [(action, id_) for action, id_, _ in found] == [
        (f"{kind}.{action}", id_) for kind, id_ in subjects.items() for action in DATA
    ]
    (last, *_) = admin.get("/audit").get_json()["items"]
    assert (last["action"], last["after"]["erasureId"]) == (
        "vessel.erasure_cancelled", erasure["id"],
    )  # fmt: skip


def test_exports_and_erasures_on_the_page_are_kept(
    app: Flask, admin: ApiClient, organization_id: UUID
) -> None:
    vessel = admin.make_vessel()["id"]
    browser = signed_in(app, organization_id, Role.ADMIN)
    browser.get(f"/admin/data/export?subject=vessel+{vessel}").close()
    submit(browser, "/admin/data/erase", subject=f"vessel {vessel}", charting="")
    (asked,) = admin.get("/erasures").get_json()["items"]
    submit(browser, f"/admin/data/erasures/{asked['id']}/keep")
    email = f"{Role.ADMIN}-{organization_id}@ship.example"
    assert of_data(admin) == [(f"vessel.{action}", vessel, email) for action in DATA]


def test_a_reset_link_names_who_issued_it(admin: ApiClient) -> None:
    user = {"email": "reset@ship.example", "role": "viewer", "password": "a heavy swell at dawn"}
    made = admin.post("/users", user).get_json()
    link = admin.post(f"/users/{made['id']}/reset").get_json()["url"]
    answer = admin.get("/audit")
    (issued, created, *_) = answer.get_json()["items"]
    assert (issued["action"], issued["subjectId"]) == ("user.link_issued", made["id"])
    assert (issued["actor"], issued["after"]) == (created["actor"], {"password": True})
    assert link.partition("#")[2] not in answer.text


def test_signing_in_failing_and_signing_out_are_kept(
    app: Flask, admin: ApiClient, organization_id: UUID
) -> None:
    email = make_user(app, organization_id)
    browser = Browser(app)
    browser.sign_in(email, "wrong")
    browser.sign_in(email)
    browser.http.post("/sign-out", data={"csrf_token": browser.token()}, headers=HTML)
    assert [name for name, _ in actions(admin)][-3:] == [
        "user.sign_in_failed", "user.signed_in", "user.signed_out",
    ]  # fmt: skip


def test_admins_read_and_export_their_own_record(
    app: Flask, admin: ApiClient, stranger: ApiClient, organization_id: UUID
) -> None:
    admin.make_vessel()
    browser = signed_in(app, organization_id, Role.ADMIN)
    assert "vessel.created" in browser.get("/admin/audit").text
    rows = list(csv.DictReader(io.StringIO(browser.get("/admin/audit.csv").text)))
    assert "vessel.created" in {row["action"] for row in rows}
    assert "vessel.created" not in {name for name, _ in actions(stranger)}


def test_an_export_in_batches_has_each_entry_once_newest_first(
    app: Flask, admin: ApiClient, organization_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [admin.make_vessel()["id"] for _ in range(5)]
    browser = signed_in(app, organization_id, Role.ADMIN)
    monkeypatch.setattr(audit, "_BATCH", 2)
    rows = csv.DictReader(io.StringIO(browser.get("/admin/audit.csv?action=vessel.created").text))
    assert [row["subject"] for row in rows] == ids[::-1]


def test_entries_are_shown_in_full_and_as_they_were_typed(
    app: Flask, admin: ApiClient, organization_id: UUID
) -> None:
    vessel = admin.make_vessel(name="A's ship")
    admin.patch(f"/vessel/{vessel['id']}", {"name": "Zoë's ship", "captain": None})
    page = unescape(signed_in(app, organization_id, Role.ADMIN).get("/admin/audit").text)
    assert 'data-label="After">name: Zoë\'s ship</td>' in page
    made = page[page.index('data-label="After"><details') :]
    assert "name: A's ship" in made
    assert "service_speed_kn: " in made


def test_the_record_is_filtered_on_the_page_and_in_the_export(
    app: Flask, admin: ApiClient, organization_id: UUID
) -> None:
    admin.make_vessel()
    browser = signed_in(app, organization_id, Role.ADMIN)
    filters = ("action=vessel.created", f"who={admin.key[:10].upper()}")
    for query in filters:
        rows = list(csv.DictReader(io.StringIO(browser.get(f"/admin/audit.csv?{query}").text)))
        assert {row["action"] for row in rows} == {"vessel.created"}
        page = browser.get(f"/admin/audit?{query}").text
        assert 'data-label="Action">user.signed_in' not in page
        assert f'href="/admin/audit.csv?{query}"' in page
        assert '<a class="button button--plain" href="/admin/audit">Clear the filters</a>' in page
    assert "No entry matches." in browser.get("/admin/audit?who=nobody%00").text


def test_the_page_names_what_an_entry_is_about_and_lists_all_about_it(
    app: Flask, admin: ApiClient, organization_id: UUID
) -> None:
    vessel = admin.make_vessel(name="Zoë")
    browser = signed_in(app, organization_id, Role.ADMIN)
    page = browser.get("/admin/audit").text
    assert f'about={vessel["id"]}" title="All entries about it">Zoë</a>' in page
    assert f"{admin.key[:10]}" in page
    about = browser.get(f"/admin/audit?about={vessel['id']}").text
    assert "vessel.created" in about
    assert 'data-label="Action">user.signed_in' not in about
    assert "No entry matches." in browser.get("/admin/audit?about=nonsense").text


def test_a_page_number_below_one_is_the_first_page(app: Flask, organization_id: UUID) -> None:
    browser = signed_in(app, organization_id, Role.ADMIN)
    page = browser.get("/admin/audit?page=-3").text
    assert 'data-label="Action">user.signed_in' in page
    assert "Older" not in page


def test_only_admins_see_the_page(app: Flask, organization_id: UUID) -> None:
    browser = signed_in(app, organization_id, Role.PLANNER)
    for path in ("/admin/audit", "/admin/audit.csv"):
        assert browser.get(path).status_code == 403


def test_a_line_of_the_log_stays_a_line() -> None:
    record = logging.makeLogRecord({"msg": "asked for %s", "args": ("a\nFORGED\x1b[2J",)})
    assert TextLines().format(record).count("\n") == 0
