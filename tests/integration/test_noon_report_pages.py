"""Page of a vessel's noon reports: newest import, stored reports, deletion."""

import io
import re
from html import unescape
from uuid import UUID

import pytest
from flask import Flask

from app.models import Role
from tests.integration.browser import HTML, Browser, signed_in
from tests.integration.client import ApiClient
from tests.integration.test_noon_imports import FILE, Office, office
from tests.integration.test_noon_reports import a_file, good, send

__all__ = ["office"]

pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture
def path(office: Office) -> str:
    return office.path.replace("/vessel/", "/fleet/")


def read(browser: Browser, path: str) -> str:
    """Return the page's text, with white space as it is shown."""
    answer = browser.get(path)
    assert answer.status_code == 200, answer.text
    return " ".join(unescape(answer.text).split())


def post(browser: Browser, path: str, **form: str) -> int:
    sent = form | {"csrf_token": browser.token()}
    return browser.http.post(path, data=sent, headers=HTML).status_code


def times_in(page: str) -> list[str]:
    return re.findall(r'<tr role="row"> <td role="cell">([^<]+)</td>', page)


def test_a_running_import_is_shown_until_it_has_ended(
    browser: Browser, office: Office, path: str
) -> None:
    assert 'id="run" role="status" tabindex="-1" data-live></div>' in read(browser, path)
    import_id = office.order()
    page = read(browser, path)
    assert 'role="progressbar" aria-label="Importing" aria-valuenow="0"' in page
    assert "waiting for a worker" in page
    assert f"{path}/imports/{import_id}/cancel" in page
    office.change(status="RUNNING", progress=0.314, stage="Reading rows")
    page = read(browser, path)
    assert "<b>31 %</b>" in page
    assert "UTC: reading rows" in page


def test_a_completed_import_is_shown_with_its_counts(
    browser: Browser, office: Office, path: str
) -> None:
    office.carry_out(office.order())
    assert "UTC: 28 reports stored.</p>" in read(browser, path)
    again = a_file(good(1), good(29), good(30, fuel=-3))
    office.carry_out(office.order(again, keep=True))
    page = read(browser, path)
    assert "UTC: 1 report stored, 1 already stored, 1 left out.</p>" in page
    assert '<span id="stored" data-live>29</span> stored' in page


def test_a_failed_import_is_shown_with_what_is_wrong(
    browser: Browser, office: Office, path: str
) -> None:
    office.carry_out(office.order(a_file(good(1), good(2, fuel=-3))))
    page = read(browser, path)
    assert "failed. Nothing is stored. Row 3, ME FO Cons (mt) “-3”: is negative" in page
    office.carry_out(office.order(a_file(good(1, fuel=-1), good(2, fuel=-3))))
    page = read(browser, path)
    assert "failed. Nothing is stored. 2 errors:" in page
    assert page.count("<li>Row ") == 2


def test_a_cancelled_import_is_shown_as_cancelled(
    browser: Browser, office: Office, path: str
) -> None:
    assert post(browser, f"{path}/imports/{office.order()}/cancel") == 200
    assert "was cancelled. Nothing is stored." in read(browser, path)


def test_an_import_of_the_page_is_the_vessel_s_only_one(
    browser: Browser, office: Office, path: str
) -> None:
    def start() -> int:
        sent = {"file": (io.BytesIO(FILE), "noon.csv"), "csrf_token": browser.token()}
        return browser.http.post(path, data=sent).status_code

    assert start() == 200
    assert "waiting for a worker" in read(browser, path)
    assert start() == 409


def test_masters_import_files_but_viewers_do_not(
    app: Flask, organization_id: UUID, office: Office, path: str
) -> None:
    def upload(browser: Browser, to: str) -> int:
        sent = {"file": (io.BytesIO(FILE), "noon.csv"), "csrf_token": browser.token()}
        return browser.http.post(f"{path}{to}", data=sent, headers=HTML).status_code

    master, viewer = (signed_in(app, organization_id, each) for each in (Role.MASTER, Role.VIEWER))
    assert upload(master, "/preview") == upload(master, "") == 200
    cancel = re.search(r'[^"]+/cancel', read(master, path))
    assert cancel is not None
    assert post(master, cancel[0]) == 200
    assert [upload(viewer, "/preview"), upload(viewer, "")] == [403, 403]
    assert viewer.http.get(path, headers=HTML).status_code == 403


def test_the_newest_reports_are_listed_first(
    browser: Browser, planner: ApiClient, office: Office, path: str
) -> None:
    send(planner, office.path, a_file(*(good(day) for day in range(1, 26))))
    assert times_in(read(browser, path))[0] == "25 Mar 2026 12:00"
    assert times_in(read(browser, f"{path}?page=2"))[-1] == "1 Mar 2026 12:00"
    assert "51°30.000'N 004°15.000'W" in read(browser, path)


def test_only_admins_delete_reports(
    app: Flask,
    organization_id: UUID,
    browser: Browser,
    planner: ApiClient,
    office: Office,
    path: str,
) -> None:
    send(planner, office.path, a_file(good(1), good(2), good(3)))
    one = {"timestamp": "2026-03-02T12:00:00+00:00"}
    assert "Delete" not in read(browser, path)
    assert post(browser, f"{path}/delete") == post(browser, f"{path}/delete", **one) == 403
    manager = signed_in(app, organization_id, Role.ADMIN)
    assert f'value="{one["timestamp"]}"' in read(manager, path)
    assert post(manager, f"{path}/delete", **one) == 302
    assert times_in(read(manager, path)) == ["3 Mar 2026 12:00", "1 Mar 2026 12:00"]
    assert post(manager, f"{path}/delete", **one) == 404
    assert post(manager, f"{path}/delete", timestamp="all") == 404
    assert manager.http.post(f"{path}/delete", headers=HTML).status_code == 400
    assert office.count_stored() == 2
    assert post(manager, f"{path}/delete") == 302
    assert office.count_stored() == 0
    assert "Delete" not in read(manager, path)


def test_reports_of_another_organization_are_out_of_reach(
    app: Flask, other_organization_id: UUID, planner: ApiClient, office: Office, path: str
) -> None:
    send(planner, office.path, a_file(good(1)))
    outsider = signed_in(app, other_organization_id, Role.ADMIN)
    assert outsider.get(path).status_code == 404
    assert post(outsider, f"{path}/delete") == 404
    assert office.count_stored() == 1
