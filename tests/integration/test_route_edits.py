"""Edited routes are stored as revisions with editor, reason and findings, or not at all."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from lxml import etree
from shapely import Point
from shapely.geometry import mapping
from werkzeug.test import TestResponse

from app.models import Role, utc_now
from app.records.instants import format_instant, parse_instant
from app.services.chartings import route_edits
from tests.integration.browser import Browser, signed_in
from tests.integration.client import CHARTING, ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

Plan = Callable[..., None]
KEPT = ("lat", "lng", "legGeometry", "passage")
#: Well inside the land of France.
ASHORE = {"lat": 47.0, "lng": 1.0}


def waypoints_of(planner: ApiClient, charting_id: str) -> list[dict[str, Any]]:
    """The planned waypoints as the page sends them."""
    plan = planner.get(f"/charting/{charting_id}").get_json()
    return [
        {key: point[key] for key in KEPT} | {"speedKn": point["speedThroughWaterKn"]}
        for point in plan["waypoints"]
    ]


def send(
    browser: Browser, charting_id: str, waypoints: Any, *, check: bool = False, **more: Any
) -> TestResponse:
    headers = {"Accept": "application/json", "X-CSRFToken": browser.token()}
    path = f"/voyages/{charting_id}/revisions/{more.pop('revision', 1)}/edit"
    return browser.http.post(
        path + ("/check" if check else ""), json={"waypoints": waypoints} | more, headers=headers
    )


def opened_in_editor(browser: Browser, charting_id: str, query: str = "") -> list[dict[str, Any]]:
    """The waypoints that the editor opens with."""
    page = browser.get(f"/voyages/{charting_id}/edit{query}").text
    data = re.search(r'id="page-data"[^>]*>(.*?)</script>', page)
    assert data is not None
    waypoints: list[dict[str, Any]] = json.loads(data.group(1))["waypoints"]
    return waypoints


def test_a_plans_own_waypoints_cost_what_was_planned(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    planned = planner.get(f"/charting/{charting_id}").get_json()
    found = send(browser, charting_id, waypoints_of(planner, charting_id), check=True).get_json()
    assert found["summary"]["fuelMt"] == pytest.approx(planned["summary"]["fuelMt"], rel=0.003)
    assert {f["severity"] for f in found["findings"]} <= {"unknown", "note"}
    assert len(found["waypoints"]) == len(planned["waypoints"])


def test_an_edit_of_more_than_a_year_is_refused(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    late = [*waypoints[:-1], waypoints[-1] | {"eta": "2099-01-01T00:00:00Z"}]
    refused = send(browser, charting_id, late, check=True)
    assert refused.status_code == 422
    assert "more than 366 days after the departure" in refused.text


def test_a_saved_edit_is_the_newest_revision_and_its_files_carry_it(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    slower = [w | {"speedKn": 11.0} for w in waypoints]
    answer = send(browser, charting_id, slower, reason="Asked for by the charterer")
    assert answer.get_json() == {"address": f"/voyages/{charting_id}"}
    charting = planner.get(f"/charting/{charting_id}").get_json()
    assert (charting["revision"], charting["latestRevision"]) == (2, 2)
    edit = charting["edit"]
    assert (edit["baseRevision"], edit["reason"]) == (1, "Asked for by the charterer")
    assert planner.get(f"/charting/{charting_id}?revision=1").get_json()["edit"] is None
    rtz = etree.fromstring(planner.get(f"/charting/{charting_id}/rtz").data)
    history = rtz.find("{*}routeInfo").get("routeChangesHistory")
    assert "from revision 1: Asked for by the charterer" in history
    explained = planner.get(f"/charting/{charting_id}/explanation").get_json()["summary"]
    assert "it is not optimised" in explained


def test_no_transaction_is_open_while_an_edit_is_planned(
    app: Flask,
    browser: Browser,
    planner: ApiClient,
    charting_id: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool, write = app.extensions["chartroom"].engine.pool, route_edits.write_given_plan
    in_use: list[int] = []
    monkeypatch.setattr(
        route_edits,
        "write_given_plan",
        lambda *given: in_use.append(pool.checkedout()) or write(*given),  # type: ignore[func-returns-value]
    )
    answer = send(browser, charting_id, waypoints_of(planner, charting_id), reason="None")
    assert answer.status_code == 200, answer.text
    assert in_use == [0]


def test_waters_that_an_edit_does_not_touch_keep_their_corridors_and_critical_points(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    def narrows() -> list[str]:
        points = planner.get(f"/charting/{charting_id}/critical-points").get_json()["items"]
        narrow = {"NARROW_PASSAGE", "CANAL"}
        found = [each["description"] for each in points if narrow & {*each["kinds"]}]
        return [text.partition(" Leave it")[0] for text in found]  # it leaves later, slower

    def corridors() -> list[float]:
        waypoints = planner.get(f"/charting/{charting_id}").get_json()["waypoints"]
        return [waypoint["xtdM"] for waypoint in waypoints[1:]]

    before = narrows(), corridors()
    assert before[0]
    slower = [w | {"speedKn": 11.0} for w in waypoints_of(planner, charting_id)]
    assert send(browser, charting_id, slower).status_code == 200
    after = narrows(), corridors()
    assert after[0] == before[0]
    assert all(new <= old for new, old in zip(after[1], before[1], strict=True))


@pytest.mark.usefixtures("climatology")
def test_an_edited_route_waits_where_the_plan_does(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    ring = [[28.8, 41.25], [29.4, 41.25], [29.4, 41.4], [28.8, 41.4], [28.8, 41.25]]
    closed = {"name": "Off the Bosphorus", "type": "MILITARY", "level": "GLOBAL"}
    closed |= {"geometry": {"type": "Polygon", "coordinates": [ring]}}
    closed |= {"start_date": "2026-03-01", "end_date": "2026-03-02"}
    assert planner.post("/constraints", closed).status_code == 201
    constanta_piraeus = {"latFrom": 44.1, "lngFrom": 28.8, "latTo": 37.85, "lngTo": 23.5}
    charting_id = planner.order(**constanta_piraeus, optimizationType="ETA")["id"]
    plan(charting_id)
    planned = planner.get(f"/charting/{charting_id}").get_json()
    assert any(waypoint["leavesAt"] for waypoint in planned["waypoints"])
    found = send(browser, charting_id, waypoints_of(planner, charting_id), check=True).get_json()
    assert found["summary"]["durationH"] == pytest.approx(planned["summary"]["durationH"], abs=0.2)
    assert "danger" not in {finding["severity"] for finding in found["findings"]}


def test_a_danger_is_refused_without_a_reason_and_nothing_is_kept(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    ashore = [*waypoints[:-1], waypoints[-2] | ASHORE, waypoints[-1]]
    refused = send(browser, charting_id, ashore)
    assert refused.status_code == 422
    (fault,) = refused.get_json()["errors"]
    assert fault["pointer"] == "/reason"
    assert "crosses land" in fault["detail"]
    assert planner.get(f"/charting/{charting_id}").get_json()["latestRevision"] == 1


def test_dangers_of_a_saved_edit_are_its_first_warnings_and_stand_on_the_page_and_in_files(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    ashore = [*waypoints[:-1], waypoints[-2] | ASHORE, waypoints[-1]]
    assert send(browser, charting_id, ashore, reason="A test").status_code == 200
    charting = planner.get(f"/charting/{charting_id}").get_json()
    first, second, *_ = charting["warnings"]
    assert [first["code"], second["code"]] == ["EDIT_DANGER"] * 2
    assert "crosses land" in first["detail"]
    page = browser.get(f"/voyages/{charting_id}").text
    assert page.index("crosses land") < page.index("Arrives (UTC)")
    points = planner.get(f"/charting/{charting_id}/critical-points").get_json()["items"]
    dangers = [point for point in points if "EDIT_DANGER" in point["kinds"]]
    assert any(first["detail"] in point["description"] for point in dangers)
    assert {point["severity"] for point in dangers} == {"danger"}
    last_note = charting["waypoints"][-1]["note"]
    assert last_note.startswith("Danger: The leg crosses land at ")
    rtz = etree.fromstring(planner.get(f"/charting/{charting_id}/rtz").data)
    assert last_note in [leg.get("legNote2") for leg in rtz.iter("{*}leg")]
    assert last_note in planner.get(f"/charting/{charting_id}/csv").text


@pytest.mark.parametrize(
    ("by_deg", "severity"), [(0.005, None), (0.02, "warning"), (0.5, "danger")]
)
def test_an_end_moved_from_the_one_ordered_is_found(
    browser: Browser,
    planner: ApiClient,
    charting_id: str,
    by_deg: float,
    severity: str | None,
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    waypoints[-1]["lng"] -= by_deg
    found = send(browser, charting_id, waypoints, check=True).get_json()["findings"]
    ends = [finding for finding in found if finding["code"] == "OTHER_ENDS"]
    assert [finding["severity"] for finding in ends] == ([severity] if severity else [])
    assert all(f["waypointIndex"] == len(waypoints) - 1 for f in ends)
    assert all("nm from the arrival ordered" in f["message"] for f in ends)


def test_an_edit_that_arrives_too_late_is_a_warning(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    departs_at = parse_instant(CHARTING["startDate"])
    charting_id = planner.order(endDate=format_instant(departs_at + timedelta(hours=12)))["id"]
    plan(charting_id)
    waypoints = waypoints_of(planner, charting_id)
    for speed_kn, severities in ((None, []), (5.0, ["warning"])):
        slow = [point | ({"speedKn": speed_kn} if speed_kn else {}) for point in waypoints]
        found = send(browser, charting_id, slow, check=True).get_json()["findings"]
        late = [finding for finding in found if finding["code"] == "ARRIVAL_LATE"]
        assert [finding["severity"] for finding in late] == severities
        assert all(finding["waypointIndex"] == len(waypoints) - 1 for finding in late)


def test_waypoints_a_few_metres_apart_are_saved_and_have_a_file(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    close = waypoints[3] | {"lat": waypoints[3]["lat"] + 2e-5}
    assert send(browser, charting_id, [*waypoints[:4], close, *waypoints[4:]]).status_code == 200
    assert planner.get(f"/charting/{charting_id}/rtz").status_code == 200


def test_no_route_of_a_deleted_vessel_or_of_a_voyage_to_be_erased_is_edited(
    browser: Browser, planner: ApiClient, admin: ApiClient, charting_id: str
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    asked = admin.post(f"/erasures/charting/{charting_id}").get_json()
    refused = send(browser, charting_id, waypoints)
    assert refused.status_code == 409
    assert "Cancel erasure" in refused.text
    admin.delete(f"/erasures/{asked['id']}")
    vessel_id = planner.get(f"/charting/{charting_id}").get_json()["vesselId"]
    assert planner.delete(f"/vessel/{vessel_id}").status_code == 204
    refused = send(browser, charting_id, waypoints)
    assert refused.status_code == 409
    assert "The vessel is deleted" in refused.text


def test_a_time_ordered_stays_a_time_in_the_saved_edit(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    last = len(waypoints) - 1
    due = parse_instant(planner.get(f"/charting/{charting_id}").get_json()["summary"]["eta"])
    waypoints[last]["eta"] = format_instant(due + timedelta(hours=5))
    assert send(browser, charting_id, waypoints).status_code == 200
    edit = planner.get(f"/charting/{charting_id}").get_json()["edit"]
    assert edit["timesOrdered"] == [{"waypointIndex": last, "eta": waypoints[last]["eta"]}]
    opened = opened_in_editor(browser, charting_id)
    assert [waypoint["eta"] for waypoint in opened] == [None] * last + [waypoints[last]["eta"]]


def test_an_area_on_the_other_line_of_a_leg_is_a_warning_that_needs_no_reason(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    """Along 48.5 N for 20 degrees the great circle leads 26 nm north of the parallel."""
    ring = [[-18.1, 48.85], [-17.9, 48.85], [-17.9, 49.0], [-18.1, 49.0], [-18.1, 48.85]]
    ends = {"latFrom": 48.5, "lngFrom": -8.0, "latTo": 48.5, "lngTo": -28.0}
    charting_id = planner.order(**ends, noGoAreas=[ring])["id"]
    plan(charting_id)
    first, *_, last = waypoints_of(planner, charting_id)
    answer = send(browser, charting_id, [first, last | {"legGeometry": "RHUMB"}])
    assert answer.status_code == 200, answer.text
    found = planner.get(f"/charting/{charting_id}").get_json()["edit"]["findings"]
    (entered,) = (finding for finding in found if finding["code"] == "AREA_ENTERED")
    assert (entered["severity"], entered["legIndex"]) == ("warning", 0)
    assert "if sailed as a great circle" in entered["message"]


def test_an_area_drawn_after_the_planning_is_shown_found_and_kept(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    middle = waypoints[len(waypoints) // 2]
    made = planner.post(
        "/constraints",
        {
            "name": "New firing range",
            "type": "MILITARY",
            "level": "GLOBAL",
            "geometry": mapping(Point(middle["lng"], middle["lat"]).buffer(0.3)),
        },
    )
    assert made.status_code == 201, made.text
    assert "New firing range" in browser.get(f"/voyages/{charting_id}/edit").text
    found = send(browser, charting_id, waypoints, check=True).get_json()["findings"]
    (entered,) = (finding for finding in found if "New firing range" in finding["message"])
    assert (entered["code"], entered["severity"]) == ("AREA_ENTERED", "danger")
    assert send(browser, charting_id, waypoints).status_code == 422
    assert send(browser, charting_id, waypoints, reason="Cleared").status_code == 200
    kept = planner.get(f"/charting/{charting_id}").get_json()["provenance"]["constraints"]
    assert made.get_json()["id"] in kept
    assert "New firing range" in browser.get(f"/voyages/{charting_id}").text


def test_an_area_drawn_while_an_edit_is_checked_is_shown_after_it(
    browser: Browser, planner: ApiClient, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    charting_id = planner.order(startDate=format_instant(utc_now() + timedelta(days=3)))["id"]
    plan(charting_id)
    waypoints = waypoints_of(planner, charting_id)
    middle = waypoints[len(waypoints) // 2]
    outline = mapping(Point(middle["lng"], middle["lat"]).buffer(0.05))
    drawn_area = {"name": "Late", "type": "MILITARY", "level": "GLOBAL", "geometry": outline}
    check = route_edits.check_bounded

    def draw_meanwhile(*given: Any) -> Any:
        drawn = planner.post("/constraints", drawn_area)
        assert drawn.status_code == 201, drawn.text
        return check(*given)

    monkeypatch.setattr(route_edits, "check_bounded", draw_meanwhile)
    saved = send(browser, charting_id, waypoints, reason="As planned.")
    assert saved.status_code == 200, saved.text
    assert "The track crosses “Late”" in browser.get(f"/voyages/{charting_id}").text


def test_a_revision_that_is_not_the_newest_is_not_edited(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    assert send(browser, charting_id, waypoints, reason="").status_code == 200
    late = send(browser, charting_id, waypoints, reason="")
    assert late.status_code == 409
    assert "Revision 2 is newer than revision 1" in late.get_json()["detail"]
    assert late.get_json()["data"] == {"revision": 2}


def test_the_route_of_a_voyage_under_way_is_edited(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    ordered = planner.order(startDate=format_instant(utc_now()))["id"]
    plan(ordered, 1)
    assert planner.post(f"/charting/{ordered}/start", {}).status_code == 200
    slower = [w | {"speedKn": 11.0} for w in waypoints_of(planner, ordered)]
    assert send(browser, ordered, slower, reason="Slower").status_code == 200
    assert planner.get(f"/charting/{ordered}").get_json()["revision"] == 2


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"lat": 91.0}, "/waypoints/1/lat"),
        ({"speedKn": 80.0}, "/waypoints/1/speedKn"),
        ({"legGeometry": "CURVE"}, "/waypoints/1/legGeometry"),
        ({"colour": "red"}, "/waypoints/1/colour"),
    ],
)
def test_a_bad_waypoint_is_named(
    browser: Browser,
    planner: ApiClient,
    charting_id: str,
    change: dict[str, Any],
    pointer: str,
) -> None:
    waypoints = waypoints_of(planner, charting_id)
    waypoints[1] |= change
    refused = send(browser, charting_id, waypoints, check=True)
    assert refused.status_code == 422
    assert [fault["pointer"] for fault in refused.get_json()["errors"]] == [pointer]


def test_earlier_revisions_are_listed_shown_and_downloaded(
    browser: Browser, planner: ApiClient, charting_id: str
) -> None:
    slower = [w | {"speedKn": 11.0} for w in waypoints_of(planner, charting_id)]
    assert send(browser, charting_id, slower, reason="Slow steaming").status_code == 200
    latest = browser.get(f"/voyages/{charting_id}").text
    assert "2 revisions" in latest
    assert ": Slow steaming" in latest
    assert f"/voyages/{charting_id}?revision=1" in latest
    assert "is not the latest plan" not in latest
    first = browser.get(f"/voyages/{charting_id}?revision=1").text
    assert "Revision 1 is not the latest plan" in first
    assert "Edited by" not in first
    assert f"/voyages/{charting_id}/rtz?revision=1" in first
    assert f"/voyages/{charting_id}/edit?revision=1" in first
    speeds = [
        {w["speedKn"] for w in opened_in_editor(browser, charting_id, query)[1:]}
        for query in ("", "?revision=1")
    ]
    assert speeds[0] != speeds[1]
    for kind in ("rtz", "csv"):
        file = browser.get(f"/voyages/{charting_id}/{kind}?revision=1")
        assert f"-r1.{kind}" in file.headers["Content-Disposition"]
        assert file.data == planner.get(f"/charting/{charting_id}/{kind}?revision=1").data
    assert browser.get(f"/voyages/{charting_id}?revision=3").status_code == 404


def test_a_viewer_cannot_edit_routes(
    app: Flask, organization_id: UUID, planner: ApiClient, charting_id: str
) -> None:
    viewer = signed_in(app, organization_id, role=Role.VIEWER)
    waypoints = waypoints_of(planner, charting_id)
    assert send(viewer, charting_id, waypoints).status_code == 403
    assert viewer.get(f"/voyages/{charting_id}/edit").status_code == 403
