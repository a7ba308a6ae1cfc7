"""Quotas of organizations and their errors."""

import re
from uuid import UUID

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.models import Role, new_id
from tests.integration.browser import HTML, make_user, signed_in
from tests.integration.client import CHARTING, ApiClient
from tests.integration.test_admin_pages import submit
from tests.integration.test_who_may_what import _AREA, _TELEMETRY

pytestmark = pytest.mark.usefixtures("redis")


def limit(app: Flask, admin: ApiClient, *options: str) -> None:
    name = admin.get("/organization").get_json()["name"]
    result = app.test_cli_runner().invoke(args=["orgs", "limit", name, *options])
    assert result.exit_code == 0, result.output


def used_up(answer: TestResponse, status: int = 409) -> dict[str, int]:
    assert answer.status_code == status, answer.text
    problem = answer.get_json()
    assert problem["code"] == "QUOTA_USED_UP"
    figures: dict[str, int] = problem["data"]
    return figures


def test_usage_is_counted_and_has_no_limit_unless_the_operator_sets_one(
    app: Flask, admin: ApiClient, viewer: ApiClient
) -> None:
    vessel = admin.make_vessel()["id"]
    admin.post("/constraints", _AREA)
    admin.post(f"/telemetry/{vessel}", _TELEMETRY | {"timestamp": "2026-03-01T11:00:00Z"})
    admin.order(vesselId=vessel)
    limit(app, admin, "--areas", "7")
    assert viewer.get("/organization/usage").get_json() == {
        "activeOrders": {"used": 1, "limit": 200},
        "storedAreas": {"used": 1, "limit": 7},
        "telemetryRecords": {"used": 1, "limit": None},
    }


def test_one_more_than_the_limit_is_refused_with_the_figures(app: Flask, admin: ApiClient) -> None:
    vessel = admin.make_vessel()["id"]
    limit(app, admin, "--areas", "1", "--active-orders", "1", "--telemetry", "2")
    assert admin.post("/constraints", _AREA).status_code == 201
    assert used_up(admin.post("/client-data", _AREA)) == {"used": 1, "limit": 1}
    ordered = admin.order(vesselId=vessel)
    again = CHARTING | {"vesselId": vessel}
    refused = admin.post("/charting", again)
    assert used_up(refused, status=429) == {"used": 1, "limit": 1}
    assert int(refused.headers["Retry-After"]) > 0
    # a new revision of what is queued takes its place
    assert admin.put(f"/charting/{ordered['id']}", again).status_code == 200
    records = [_TELEMETRY | {"timestamp": f"2026-03-01T11:0{minute}:00Z"} for minute in range(3)]
    assert used_up(admin.post(f"/telemetry/{vessel}/batch", records)) == {"used": 0, "limit": 2}
    assert admin.post(f"/telemetry/{vessel}/batch", records[:2]).status_code == 200
    assert used_up(admin.post(f"/telemetry/{vessel}", records[2])) == {"used": 2, "limit": 2}
    # what is stored already is no more, and a vessel that is not there has no quota
    assert admin.post(f"/telemetry/{vessel}", records[0]).status_code == 200
    differs = admin.post(f"/telemetry/{vessel}", records[0] | {"speed": 1.5})
    assert differs.get_json()["code"] == "TELEMETRY_DIFFERS"
    assert admin.post(f"/telemetry/{new_id()}", records[2]).status_code == 404


def test_a_batch_beyond_the_quota_is_stored_as_far_as_that_reaches(
    app: Flask, admin: ApiClient
) -> None:
    vessel = admin.make_vessel()["id"]
    limit(app, admin, "--active-orders", "2")
    batch = {"common": CHARTING | {"vesselId": vessel}, "items": [{}, {"draft": 99}, {}, {}]}
    report = admin.post("/charting/batch", batch)
    assert report.status_code == 200, report.text
    found = report.get_json()
    assert (found["created"], found["rejected"]) == (2, 2)
    statuses = [item["status"] for item in found["items"]]
    assert statuses == ["CREATED", "INVALID", "CREATED", "REFUSED"]
    assert found["items"][3]["code"] == "QUOTA_USED_UP"
    assert used_up(admin.post("/charting/batch", batch), status=429) == {"used": 2, "limit": 2}


def test_a_batch_sent_again_is_answered_when_the_quota_is_used_up(
    app: Flask, admin: ApiClient
) -> None:
    vessel = admin.make_vessel()["id"]
    limit(app, admin, "--telemetry", "2")
    path = f"/telemetry/{vessel}/batch"
    records = [_TELEMETRY | {"timestamp": f"2026-03-01T11:0{minute}:00Z"} for minute in range(3)]
    first, again = (admin.post(path, records[:2]) for _ in range(2))
    assert first.get_json()["stored"] == 2
    assert (again.status_code, again.get_json()["stored"]) == (200, 0)
    assert used_up(admin.post(path, records)) == {"used": 2, "limit": 2}
    assert admin.get(f"/telemetry/{vessel}").get_json()["total"] == 2
    limit(app, admin, "--telemetry", "1")
    assert admin.post(path, records[:2]).status_code == 200


def test_admins_see_usage_retention_and_erasures_on_their_page(
    app: Flask, admin: ApiClient, organization_id: UUID
) -> None:
    vessel = admin.make_vessel(name="Zephyrine Star")["id"]
    limit(app, admin, "--areas", "1500")
    browser = signed_in(app, organization_id, Role.ADMIN)
    assert "of 1\u202f500" in browser.get("/admin/data").text
    days = {"keep_charting_days": "", "keep_telemetry_days": "400", "keep_audit_days": ""}
    assert submit(browser, "/admin/data", **days, erase_after_days="0")[0] == 422
    submit(browser, "/admin/data", **days, erase_after_days="7")
    organization = admin.get("/organization").get_json()
    assert (organization["keepTelemetryDays"], organization["eraseAfterDays"]) == (400, 7)
    with browser.get(f"/admin/data/export?subject=vessel+{vessel}") as archive:
        assert archive.mimetype == "application/zip"
        assert archive.data.startswith(b"PK")
    submit(browser, "/admin/data/erase", subject=f"vessel {vessel}", charting="")
    (asked,) = admin.get("/erasures").get_json()["items"]
    assert asked["subjectId"] in browser.get("/admin/data").text
    submit(browser, f"/admin/data/erasures/{asked['id']}/keep")
    assert admin.get(f"/vessel/{vessel}").status_code == 200
    assert (
        "no voyage with this id"
        in submit(browser, "/admin/data/erase", subject="", charting="none")[1]
    )


def test_the_data_page_says_what_a_form_has_done_and_keeps_what_was_refused(
    app: Flask, admin: ApiClient, organization_id: UUID
) -> None:
    browser = signed_in(app, organization_id, Role.ADMIN)
    days = dict.fromkeys(("keep_charting_days", "keep_telemetry_days", "keep_audit_days"), "")
    form = {**days, "erase_after_days": "7", "csrf_token": browser.token()}
    saved = browser.http.post("/admin/data", data=form, headers=HTML, follow_redirects=True)
    assert "Retention saved." in saved.text
    mate = make_user(app, organization_id, Role.VIEWER)
    (user,) = [u for u in admin.get("/users").get_json()["items"] if u["email"] == mate]
    chosen = f"user {user['id']}"
    both, page = submit(browser, "/admin/data/erase", subject=chosen, charting="typed")
    assert both == 409
    assert "not both." in page
    assert 'name="charting" value="typed"' in page
    assert re.search(f'value="{chosen}"[^>]* selected', page)
    submit(browser, "/admin/data/erase", subject=chosen, charting="")
    (asked,) = admin.get("/erasures").get_json()["items"]
    form = {"csrf_token": browser.token()}
    kept = browser.http.post(
        f"/admin/data/erasures/{asked['id']}/keep", data=form, headers=HTML, follow_redirects=True
    )
    assert "The user is still inactive." in kept.text
