"""Pages in a browser: permissions, and response headers."""

import hashlib
import io
import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from sqlalchemy import select

from app import create_app
from app.config import Settings
from app.models import ChartingRevision, ChartingStatus, Role
from app.pages.views import home
from app.services.identity import users
from app.services.identity.sign_in_attempts import FIRST_WAIT_S, FREE_TRIES
from app.services.platform.sessions import operator_session
from app.services.sea import basemap
from tests.integration.browser import (
    HTML,
    ORDER,
    PASSWORD,
    Browser,
    make_user,
    read_page_data,
    signed_in,
)
from tests.integration.client import CHARTING, ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

Plan = Callable[..., None]

UNKNOWN_WAVES = {
    **{"waveHeightM": 0.0, "wavePeriodS": 0.0, "waveDirDeg": 0.0},
    **{"windSpeedMs": 5.0, "windDirDeg": 45.0, "currentSpeedKn": None, "currentDirDeg": None},
    "sources": {"wave": None, "wind": "CLIMATOLOGY", "current": None},
}


def test_too_many_page_requests_are_refused_with_a_retry_time(
    settings: Settings, organization_id: UUID
) -> None:
    app = create_app(replace(settings, requests_per_minute=5))
    one = signed_in(app, organization_id)
    other = signed_in(app, organization_id, Role.VIEWER)
    answers = [one.get("/fleet") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
    assert "You may make 5 requests a minute" in answers[-1].text
    assert other.get("/fleet").status_code == 200
    app.extensions["chartroom"].close()


@pytest.mark.parametrize("path", ["/", "/voyages", "/fleet", "/voyages/018f"])
def test_pages_ask_to_sign_in_and_lead_back(app: Flask, organization_id: UUID, path: str) -> None:
    visitor = Browser(app)
    asked = visitor.get(path)
    assert asked.status_code == 302
    assert asked.headers["Location"].startswith("/sign-in?next=")
    back = visitor.sign_in(make_user(app, organization_id), path=asked.headers["Location"])
    assert back.headers["Location"] == path


#: Addresses that some browsers take for those of another host.
BAITS = (
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "////evil.example/x",
    "///evil.example",
    "/%09/evil.example",
    "/%0a/evil.example",
    "\\\\evil.example",
)


def test_sign_in_never_leads_to_another_host(app: Flask, organization_id: UUID) -> None:
    email = make_user(app, organization_id)
    for bait in BAITS:
        answer = Browser(app).sign_in(email, path=f"/sign-in?next={bait}")
        assert answer.headers["Location"] == "/", bait


def test_a_wrong_password_and_an_unknown_address_read_the_same(
    app: Flask, organization_id: UUID
) -> None:
    email = make_user(app, organization_id)
    answers = [
        Browser(app).sign_in(email, "wrong"),
        Browser(app).sign_in("nobody@ship.example", "wrong"),
    ]
    assert [answer.status_code for answer in answers] == [401, 401]
    words = re.compile('role="alert">[^<]*Wrong e-mail address or password.')
    assert all(words.search(answer.text) for answer in answers)


def test_guessing_is_stopped_even_with_the_right_password(
    app: Flask, organization_id: UUID, redis: Redis
) -> None:
    email = make_user(app, organization_id)
    guesser = Browser(app)
    for _ in range(FREE_TRIES):
        guesser.sign_in(email, "wrong")
    refused = guesser.sign_in(email)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= FIRST_WAIT_S
    assert "Too many failed tries" in refused.text
    redis.flushdb()
    assert guesser.sign_in(email).status_code == 302


def test_a_form_without_its_token_is_refused(browser: Browser) -> None:
    assert browser.http.post("/sign-out", headers=HTML).status_code == 400
    assert browser.http.post("/chartings", json=ORDER, headers=HTML).status_code == 400
    assert browser.get("/").status_code == 200


def test_signing_out_by_a_page_s_form_ends_the_session(browser: Browser) -> None:
    form = {"csrf_token": browser.token_of("/")}
    assert browser.http.post("/sign-out", data=form, headers=HTML).status_code == 302
    assert browser.get("/").status_code == 302


@pytest.mark.parametrize("change", [{"password": f"{PASSWORD} anew"}, {"is_active": False}])
def test_a_session_ends_when_an_admin_changes_the_password_or_puts_the_user_away(
    app: Flask, browser: Browser, organization_id: UUID, change: dict[str, Any]
) -> None:
    assert browser.get("/").status_code == 200
    with app.app_context(), operator_session(organization_id) as session:
        user = users.list_users(session, organization_id)[0]
        users.change(session, user, change)
    assert browser.get("/").status_code == 302


def test_the_session_cookie_is_kept_from_scripts_and_other_sites(
    app: Flask, organization_id: UUID
) -> None:
    answer = Browser(app).sign_in(make_user(app, organization_id))
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie
    secure = app.test_client().get("/sign-in", headers=HTML, base_url="https://ship.example")
    assert "Secure" in secure.headers["Set-Cookie"]


def test_a_session_opens_no_operation_of_the_api(browser: Browser) -> None:
    assert browser.http.get("/v1/vessel").status_code == 401


def pages_of(browser: Browser, planner: ApiClient, plan: Plan) -> dict[str, str]:
    vessel = planner.make_vessel()
    charting_id = planner.post("/charting", CHARTING | {"vesselId": vessel["id"]}).get_json()["id"]
    plan(charting_id)
    paths = ("/", "/voyages", "/voyages?search=nothing", f"/voyages/{charting_id}", "/fleet/none")
    return {path: browser.get(path).text for path in (*paths, f"/fleet/{vessel['id']}")}


def test_no_page_names_another_host_or_holds_inline_style_or_handlers(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    for path, text in pages_of(browser, planner, plan).items():
        assert "</html>" in text, path
        assert not re.search(r"""(src|href|action)=["'](https?:)?//""", text), path
        assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", text), path
        for script in re.findall(r"<script[^>]*>", text):
            assert "nonce=" in script or "src=" in script, (path, script)


def test_a_browser_without_scripts_is_told_what_is_missing(browser: Browser) -> None:
    page = browser.get("/").text
    assert re.search(r"<noscript><p [^>]*>Charts and most forms need JavaScript\.", page)


def test_the_policy_lets_only_this_answers_scripts_run(browser: Browser) -> None:
    nonces = set()
    for _ in range(2):
        answer = browser.get("/")
        policy = answer.headers["Content-Security-Policy"]
        assert "'unsafe-inline'" not in policy
        assert "default-src 'none'" in policy
        (nonce,) = set(re.findall(r"'nonce-([^']+)'", policy))
        assert f'nonce="{nonce}"' in answer.text
        nonces.add(nonce)
    assert len(nonces) == 2


def test_an_order_from_the_page_is_planned_and_read(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    vessel = planner.make_vessel()
    ordered = browser.post("/chartings", ORDER | {"vesselId": vessel["id"]})
    assert ordered.status_code == 200, ordered.text
    charting_id = ordered.get_json()["id"]
    (waiting,) = browser.get("/chartings/live").get_json()["active"]
    assert (waiting["id"], waiting["status"], waiting["isOwn"]) == (charting_id, "QUEUED", True)
    assert "Waiting to be planned" in browser.get(f"/voyages/{charting_id}").text
    plan(charting_id)
    assert browser.get("/chartings/live").get_json()["active"] == []
    page = browser.get(f"/voyages/{charting_id}").text
    assert "Rotterdam to London" in page
    waypoints = planner.get(f"/charting/{charting_id}").get_json()["waypoints"]
    assert page.count("data-waypoint=") == len(waypoints)


@pytest.mark.parametrize(
    ("baseline_t", "saved_pct", "told"),
    [
        (10.0, 20.0, "Saves <b>2.0 mt (20.0 %)</b> against the shortest route"),
        (8.0, 0.0, "No saving against the shortest route at constant speed."),
        (6.4, -25.0, "Burns <b>1.6 mt (25.0 %)</b> more than the shortest route"),
    ],
)
def test_what_a_route_saves_or_costs_is_shown_with_its_figures(
    app: Flask,
    browser: Browser,
    planner: ApiClient,
    plan: Plan,
    organization_id: UUID,
    baseline_t: float,
    saved_pct: float,
    told: str,
) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    with app.app_context(), operator_session(organization_id) as session:
        row = session.scalars(
            select(ChartingRevision).where(ChartingRevision.charting_id == UUID(charting_id))
        ).one()
        figures = {"fuelMt": 8.0, "baselineFuelMt": baseline_t, "savedPct": saved_pct}
        row.summary = (row.summary or {}) | figures
    assert told in browser.get(f"/voyages/{charting_id}").text


def test_times_after_new_year_show_their_year_on_the_route_page(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    charting_id = planner.order(startDate="2026-12-31T18:00:00Z")["id"]
    plan(charting_id)
    page = browser.get(f"/voyages/{charting_id}").text
    assert "Departs Thu 31 Dec 2026 18:00 UTC" in page
    assert re.search(r'Arrives \(UTC\)</dt><dd class="figure__value">Fri 1 Jan 2027 \d', page)
    body = page[page.index('id="waypoints"') :]
    assert re.search(r"<td>1 Jan 2027 \d\d:\d\d", body)
    assert "<td>31 Dec 18:00" in body
    assert not re.search(r">(Fri )?1 Jan \d\d:", page)


def test_waves_that_are_not_known_are_no_calm_in_the_table(
    app: Flask, browser: Browser, planner: ApiClient, plan: Plan, organization_id: UUID
) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    with app.app_context(), operator_session(organization_id) as session:
        row = session.get_one(ChartingRevision, (UUID(charting_id), 1))
        plan_of_it = deepcopy(row.plan)
        for waypoint in plan_of_it["waypoints"]:
            waypoint["weather"] = UNKNOWN_WAVES
        row.plan = plan_of_it
        row.profile = [point | {"weather": UNKNOWN_WAVES} for point in row.profile or []]
    page = browser.get(f"/voyages/{charting_id}").text
    data = re.search(r'id="page-data"[^>]*>(.*?)</script>', page)
    assert data is not None
    track = json.loads(data.group(1))["track"]
    assert set(track["waveHeightM"]) == {None}
    assert set(track["source"]) == {"CLIMATOLOGY"}, "of the wind"
    table = page.partition("table--waypoints")[2]
    cells = re.findall(r'<td class="number">([^<]*)</td>\s*<td class="number">045° 10', table)
    assert set(cells) == {"–"}


def test_a_failed_revision_leads_to_the_latest_plan_and_files_are_of_the_plan_shown(
    app: Flask, browser: Browser, planner: ApiClient, plan: Plan, organization_id: UUID
) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    read = planner.get(f"/charting/{charting_id}").get_json()
    again = planner.put(f"/charting/{charting_id}", read | {"speedRangeMax": 13})
    assert again.status_code == 200, again.text
    shown = browser.get(f"/voyages/{charting_id}").text
    assert f"/voyages/{charting_id}/rtz?revision=1" in shown
    with app.app_context(), operator_session(organization_id) as session:
        row = session.get_one(ChartingRevision, (UUID(charting_id), 2))
        row.end(ChartingStatus.FAILED, {"code": "NO_ROUTE", "detail": "No route.", "data": {}})
    failed = browser.get(f"/voyages/{charting_id}?revision=2").text
    assert "Revision 2 has no route." in failed
    assert f'href="/voyages/{charting_id}?revision=1">Show the latest plan' in failed
    assert "2 revisions" in failed


def test_a_failure_shows_where_the_limit_is_exceeded(
    app: Flask, browser: Browser, planner: ApiClient, organization_id: UUID
) -> None:
    charting_id = planner.order()["id"]
    data = {"limit": "wave height", "lat": 48.5, "lng": -6.8}
    with app.app_context(), operator_session(organization_id) as session:
        row = session.get_one(ChartingRevision, (UUID(charting_id), 1))
        row.end(
            ChartingStatus.FAILED, {"code": "LIMITS_TOO_TIGHT", "detail": "Waves.", "data": data}
        )
    shown = read_page_data(browser.get(f"/voyages/{charting_id}").text)
    assert shown["exceededAt"] == [48.5, -6.8]


def test_a_clearance_is_cut_where_voyages_are_compared(
    app: Flask, browser: Browser, planner: ApiClient, plan: Plan, organization_id: UUID
) -> None:
    ids = [planner.order()["id"] for _ in range(2)]
    for charting_id, clearance_m in zip(ids, (0.97, 1.02), strict=True):
        plan(charting_id)
        with app.app_context(), operator_session(organization_id) as session:
            row = session.get_one(ChartingRevision, (UUID(charting_id), 1))
            row.summary = (row.summary or {}) | {"minUkcM": clearance_m}
    page = browser.get(f"/voyages/compare?id={ids[0]}&id={ids[1]}").text
    row = page.partition("Min UKC where known")[2].partition("</tr>")[0]
    assert re.findall(r'class="number">([^<]*)', row) == ["0.9", "1.0 "]
    assert "+0.1" in row


def test_faults_of_an_order_are_shown_at_their_fields(browser: Browser, planner: ApiClient) -> None:
    order = ORDER | {"vesselId": planner.make_vessel()["id"], "draft": 99, "latFrom": "north"}
    refused = browser.post("/chartings", order)
    assert refused.status_code == 422
    assert {fault["pointer"] for fault in refused.get_json()["errors"]} == {"/draft", "/latFrom"}
    assert browser.get("/chartings/live").get_json()["active"] == []


def test_a_planning_of_a_key_is_announced_to_the_user_that_its_request_names(
    app: Flask, organization_id: UUID, planner: ApiClient, plan: Plan
) -> None:
    named, other = (signed_in(app, organization_id, role) for role in (Role.PLANNER, Role.ADMIN))
    email = f"{Role.PLANNER}-{organization_id}@ship.example"
    ordered = planner.order(triggeredBy=email.upper())
    assert (_is_own(named), _is_own(other)) == (True, False)
    plan(ordered["id"])
    order = ORDER | {"vesselId": ordered["vesselId"], "triggeredBy": email}
    assert other.post(f"/chartings/{ordered['id']}/replan", order).status_code == 200
    assert (_is_own(named), _is_own(other)) == (False, True)


def test_a_planning_of_a_key_with_the_name_of_an_address_is_announced_as_of_any_key(
    app: Flask, organization_id: UUID, admin: ApiClient
) -> None:
    named, other = (signed_in(app, organization_id, role) for role in (Role.PLANNER, Role.ADMIN))
    emails = {role: f"{role}-{organization_id}@ship.example" for role in (Role.PLANNER, Role.ADMIN)}
    wanted = {"name": emails[Role.ADMIN], "role": "planner"}
    key = ApiClient(app.test_client(), admin.post("/keys", wanted).get_json()["secret"])
    key.order(triggeredBy=emails[Role.PLANNER])
    assert (_is_own(named), _is_own(other)) == (True, False)


def test_plannings_in_progress_do_not_push_ended_voyages_off_the_chart_page(
    browser: Browser, planner: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "_RECENT", 1)
    vessel_id = planner.make_vessel()["id"]
    older, newer, archived = (planner.order(vesselId=vessel_id)["id"] for _ in range(3))
    for ended in (older, newer, archived):
        browser.post(f"/voyages/{ended}/cancel", None)
    assert planner.post(f"/charting/{archived}/archive", {}).status_code == 200
    active = planner.order(vesselId=vessel_id)["id"]
    live = browser.get("/chartings/live").get_json()
    assert [row["id"] for row in live["active"]] == [active]
    assert [row["id"] for row in live["recent"]] == [newer]


def _is_own(browser: Browser) -> bool:
    """Return whether the chart page announces the one active planning to its user."""
    (waiting,) = browser.get("/chartings/live").get_json()["active"]
    return bool(waiting["isOwn"])


def test_a_viewer_sees_but_cannot_order(
    app: Flask, organization_id: UUID, planner: ApiClient
) -> None:
    viewer, master = (signed_in(app, organization_id, role) for role in (Role.VIEWER, Role.MASTER))
    assert "You may read plans" in viewer.get("/").text
    assert "You may review critical points" in master.get("/").text
    assert "Optimise for" not in master.get("/").text
    refused = viewer.post("/chartings", ORDER | {"vesselId": planner.make_vessel()["id"]})
    assert refused.status_code == 403


def test_only_who_may_plan_is_offered_to_plan_a_route_again(
    app: Flask, browser: Browser, organization_id: UUID, planner: ApiClient, plan: Plan
) -> None:
    viewer = signed_in(app, organization_id, Role.VIEWER)
    planned, cancelled = (planner.order()["id"] for _ in range(2))
    browser.post(f"/voyages/{cancelled}/cancel", None)
    plan(planned)
    rows = browser.get("/chartings/live").get_json()["recent"]
    assert not any(row["isOwn"] for row in rows), "plannings of a key are announced"
    for charting_id in (planned, cancelled):
        again = f"again={charting_id}"
        assert again in browser.get(f"/voyages/{charting_id}").text
        assert again not in viewer.get(f"/voyages/{charting_id}").text


def test_only_who_may_plan_is_offered_to_plan_a_route(
    app: Flask, browser: Browser, organization_id: UUID, planner: ApiClient
) -> None:
    viewer = signed_in(app, organization_id, Role.VIEWER)
    for address in ("/voyages", f"/fleet/{planner.make_vessel()['id']}"):
        assert "Plan route" in browser.get(address).text
        assert "Plan route" not in viewer.get(address).text


def test_another_organizations_charting_is_not_there(
    browser: Browser, stranger: ApiClient, plan: Plan
) -> None:
    charting_id = stranger.order()["id"]
    plan(charting_id)
    for path in ("", "/state", "/rtz"):
        answer = browser.get(f"/voyages/{charting_id}{path}")
        assert answer.status_code == 404
        assert "London" not in answer.text
    assert charting_id not in browser.get("/voyages").text


def test_an_error_reads_as_a_page_to_people_and_as_a_problem_to_programs(
    browser: Browser,
) -> None:
    page = browser.get("/no-such-page")
    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert "Page not found" in page.text
    assert "There is no page at this address" in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    problem = browser.http.get("/v1/no-such-operation", headers=HTML)
    assert problem.mimetype == "application/problem+json"


def test_files_from_the_page_are_those_of_the_api(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    for kind in ("csv", "rtz"):
        file = browser.get(f"/voyages/{charting_id}/{kind}")
        served = planner.get(f"/charting/{charting_id}/{kind}")
        assert file.data == served.data
        assert file.headers["Content-Disposition"] == served.headers["Content-Disposition"]
    csv = browser.get(f"/voyages/{charting_id}/csv")
    assert csv.headers["X-Content-Hash"] == f"sha256:{hashlib.sha256(csv.data).hexdigest()}"


def test_ports_are_found_by_their_first_letters(browser: Browser) -> None:
    found = browser.get("/ports?search=rotterd").get_json()["items"]
    assert found[0]["name"] == "Rotterdam"
    assert found[0]["lat"] == pytest.approx(51.9, abs=0.2)
    assert browser.get("/ports?search=r").get_json()["items"] == []


@pytest.mark.parametrize(
    "path",
    ["/voyages?page=9223372036854775807", "/voyages?search=%00", "/voyages.csv?search=a%00"],
)  # fmt: skip
def test_lists_answer_whatever_their_address_asks_for(browser: Browser, path: str) -> None:
    assert browser.get(path).status_code < 500


def test_chart_tiles_keep_for_long_and_need_a_sign_in(browser: Browser, http: FlaskClient) -> None:
    tiles = f"/basemap/{basemap.VERSION}"
    tile = browser.http.get(f"{tiles}/3/4/2")
    assert tile.headers["Content-Encoding"] == "gzip"
    assert "immutable" in tile.headers["Cache-Control"]
    assert "private" in tile.headers["Cache-Control"]
    assert "Cookie" not in tile.headers.get("Vary", "")
    assert "Set-Cookie" not in tile.headers
    etag = {"If-None-Match": tile.headers["ETag"]}
    assert browser.http.get(f"{tiles}/3/4/2", headers=etag).status_code == 304
    assert http.get(f"{tiles}/3/4/2").status_code == 401
    for wrong in (f"{tiles}/3/8/2", f"{tiles}/13/0/0", "/basemap/0/3/4/2"):
        assert browser.http.get(wrong).status_code == 404


AREA: dict[str, Any] = {
    "name": "Wind farm site",
    "type": "USER_DEFINED",
    "level": "ORGANIZATION",
    "geometry": {
        "type": "Polygon",
        "coordinates": [[[2.5, 51.7], [2.6, 51.7], [2.6, 51.8], [2.5, 51.7]]],
    },
}


def test_a_constraint_from_the_page_is_one_of_the_api(
    browser: Browser, planner: ApiClient, stranger: ApiClient
) -> None:
    saved = browser.post("/constraints", AREA).get_json()
    (listed,) = planner.get("/constraints").get_json()["items"]
    assert (listed["id"], listed["name"], listed["geometry"]) == (
        saved["id"],
        AREA["name"],
        AREA["geometry"],
    )
    assert saved["id"] in browser.get("/constraints").text
    assert stranger.get("/constraints").get_json()["items"] == []


def test_exported_constraints_are_imported_with_the_names_of_what_is_left_out(
    browser: Browser,
) -> None:
    browser.post("/constraints", AREA | {"is_active": False, "type": "MILITARY"})
    exported = json.loads(browser.get("/constraints.geojson").data)
    buoy = {"type": "Point", "coordinates": [0, 0]}
    exported["features"].append(
        {"type": "Feature", "properties": {"name": "Buoy"}, "geometry": buoy}
    )
    file = {"file": (io.BytesIO(json.dumps(exported).encode()), "areas.geojson")}
    headers = {"Accept": "application/json", "X-CSRFToken": browser.token()}
    read = browser.http.post("/constraints/file", data=file, headers=headers).get_json()
    assert read["leftOut"] == ["Buoy (Point)"]
    (area,) = read["areas"]
    assert area == {
        "name": AREA["name"],
        "geometry": AREA["geometry"],
        "type": "MILITARY",
        "level": AREA["level"],
        "is_active": False,
    }


def test_a_constraint_changed_meanwhile_is_not_overwritten(browser: Browser) -> None:
    saved = browser.post("/constraints", AREA).get_json()
    headers = {"Accept": "application/json", "X-CSRFToken": browser.token()}
    first = AREA | {"name": "First", "version": saved["version"]}
    second = AREA | {"name": "Second", "version": saved["version"]}
    answers = [
        browser.http.put(saved["address"], json=body, headers=headers) for body in (first, second)
    ]
    assert [answer.status_code for answer in answers] == [200, 412]
    assert "Nothing is saved yet" in answers[1].get_json()["detail"]
    assert "First" in browser.get("/constraints").text


def test_a_session_that_has_ended_asks_to_sign_in_and_not_for_a_token(browser: Browser) -> None:
    stale = browser.token()
    browser.http.delete_cookie("chartroom")
    answer = browser.post("/chartings", ORDER, token=stale)
    assert answer.status_code == 401
    assert "session has ended" in answer.get_json()["detail"]


def test_a_page_signs_in_again_and_its_form_goes_on(
    app: Flask, browser: Browser, organization_id: UUID
) -> None:
    stale = browser.token()
    email = browser.session()["email"]
    browser.http.delete_cookie("chartroom")
    asked = browser.session()
    assert asked["email"] is None
    form = {"email": email, "password": "not this one", "csrf_token": asked["csrfToken"]}
    headers = {"Accept": "application/json"}
    refused = browser.http.post("/sign-in", data=form, headers=headers)
    assert refused.status_code == 401
    assert refused.get_json()["detail"]
    form["password"] = PASSWORD
    assert browser.http.post("/sign-in", data=form, headers=headers).status_code == 200
    fresh = browser.session()
    assert fresh["email"] == email
    old = browser.post("/constraints", AREA, token=stale)
    assert (old.status_code, old.headers["X-Form-Expired"]) == (400, "1")
    assert browser.post("/constraints", AREA, token=fresh["csrfToken"]).status_code == 200


def test_a_sign_in_page_whose_token_has_expired_is_shown_again(
    app: Flask, organization_id: UUID
) -> None:
    visitor = Browser(app)
    email = make_user(app, organization_id)
    form = {"email": email, "password": PASSWORD, "csrf_token": visitor.token()}
    visitor.http.delete_cookie("chartroom")
    shown = visitor.http.post("/sign-in", data=form, headers=HTML)
    assert shown.status_code == 422
    assert "open for too long" in shown.text
    token = re.search(r'name="csrf_token"[^>]* value="([^"]+)"', shown.text)
    assert token
    form["csrf_token"] = token.group(1)
    again = visitor.http.post("/sign-in", data=form, headers=HTML)
    assert (again.status_code, again.headers["Location"]) == (302, "/")


def test_a_crossed_outline_is_refused_with_its_place(browser: Browser) -> None:
    crossed = [[[0, 50], [1, 51], [1, 50], [0, 51], [0, 50]]]
    area = AREA | {"geometry": {"type": "Polygon", "coordinates": crossed}}
    refused = browser.post("/constraints", area)
    assert refused.status_code == 422
    (fault,) = refused.get_json()["errors"]
    assert fault["pointer"].startswith("/geometry")
    assert "50°30.000'N 000°30.000'E" in fault["detail"]


def test_a_form_s_faults_are_sentences_at_their_fields(browser: Browser) -> None:
    refused = browser.post("/constraints", AREA | {"name": "", "vessel_type_codes": ["x"]})
    assert refused.status_code == 422
    assert {fault["pointer"]: fault["detail"] for fault in refused.get_json()["errors"]} == {
        "/name": "Enter a name.",
        "/vessel_type_codes/0": "Not a valid integer.",
    }


def test_a_form_nested_without_end_is_refused_like_an_empty_one(browser: Browser) -> None:
    headers = {"Content-Type": "application/json", "X-CSRFToken": browser.token()}
    refused = browser.http.post("/constraints", data=b"[" * 100_000, headers=headers)
    assert refused.status_code == 422


def test_a_viewer_draws_nothing_and_another_organization_deletes_nothing(
    app: Flask, browser: Browser, organization_id: UUID, other_organization_id: UUID
) -> None:
    viewer = signed_in(app, organization_id, Role.VIEWER)
    assert viewer.post("/constraints", AREA).status_code == 403
    hidden_tools = 'aria-label="Draw" hidden>'
    assert hidden_tools in viewer.get("/constraints").text
    assert hidden_tools not in browser.get("/constraints").text
    saved = browser.post("/constraints", AREA).get_json()
    stranger = signed_in(app, other_organization_id, Role.ADMIN)
    headers = {"Accept": "application/json", "X-CSRFToken": stranger.token()}
    assert stranger.http.delete(saved["address"], headers=headers).status_code == 404
    headers["X-CSRFToken"] = browser.token()
    assert browser.http.delete(saved["address"], headers=headers).status_code == 204
    assert saved["id"] not in browser.get("/constraints").text
