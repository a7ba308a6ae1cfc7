"""Lists of chartings: filters, sorting, cursors, archived and deleted chartings."""

import base64
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from redis import Redis

from app.services.chartings import charting_search, chartings
from app.services.platform.sessions import organization_session
from tests.integration.client import ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("redis")]

Plan = Callable[[str, int], None]


@pytest.fixture
def fleet(planner: ApiClient, redis: Redis) -> dict[str, str]:
    """Four chartings by name, in the order they were made."""
    ship = planner.make_vessel()["id"]
    other = planner.make_vessel(name="Zuiderster", imo="9074729")["id"]
    orders: dict[str, dict[str, Any]] = {
        "first": {"startDate": "2026-05-02T00:00:00Z", "owner": "Vos"},
        "second": {"startDate": "2026-05-01T23:59:59.5Z", "owner": "vos", "triggeredBy": "noon"},
        "third": {"startDate": "2026-05-03T12:00:00Z", "vesselId": other},
        "fourth": {"startDate": "2026-05-02T00:00:00Z", "triggeredBy": "noon"},
    }
    return {name: planner.order(**{"vesselId": ship} | o)["id"] for name, o in orders.items()}


def listed(client: ApiClient, fleet: dict[str, str], **query: Any) -> list[str]:
    answer = client.get("/charting", query_string=query)
    assert answer.status_code == 200, answer.text
    names = {id_: name for name, id_ in fleet.items()}
    return [names[item["id"]] for item in answer.get_json()["items"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"owner": "Vos"}, ["first"]),
        ({"triggeredBy": "noon"}, ["fourth", "second"]),
        ({"imo": "9074729"}, ["third"]),
        ({"imo": "9074730"}, []),
        ({"startDateFrom": "2026-05-02", "startDateTo": "2026-05-02"}, ["fourth", "first"]),
        ({"startDateTo": "2026-05-01T23:59:59.500Z"}, ["second"]),
        ({"startDateFrom": "2026-05-03T14:00:00+02:00"}, ["third"]),
        ({"createdTo": "2020-01-01"}, []),
        ({"createdFrom": "2020-01-01", "triggeredBy": "noon", "owner": "vos"}, ["second"]),
    ],
)
def test_a_list_is_filtered(
    planner: ApiClient, fleet: dict[str, str], query: dict[str, str], found: list[str]
) -> None:
    assert listed(planner, fleet, **query) == found


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("createdAt", ["first", "second", "third", "fourth"]),
        ("-createdAt", ["fourth", "third", "second", "first"]),
        ("startDate", ["second", "first", "fourth", "third"]),
        ("-startDate", ["third", "fourth", "first", "second"]),
    ],
)
def test_a_list_is_sorted_and_continued_by_its_cursor(
    planner: ApiClient, fleet: dict[str, str], sort: str, order: list[str]
) -> None:
    assert listed(planner, fleet, sort=sort) == order
    for size in (1, 2, 3, 4):
        items, cursor = [], None
        for _ in range(-(-4 // size)):
            query = {"sort": sort, "pageSize": size} | ({"cursor": cursor} if cursor else {})
            answer = planner.get("/charting", query_string=query).get_json()
            assert answer["total"] == 4
            items += [item["id"] for item in answer["items"]]
            cursor = answer["nextCursor"]
        assert (items, cursor) == ([fleet[name] for name in order], None)


def test_a_cursor_is_not_shifted_by_new_orders(planner: ApiClient, fleet: dict[str, str]) -> None:
    first = planner.get("/charting?pageSize=2").get_json()
    planner.order()
    assert listed(planner, fleet, pageSize=2, cursor=first["nextCursor"]) == ["second", "first"]


@pytest.mark.parametrize("name", ["startDate", "created"])
def test_a_range_that_ends_before_it_begins_is_refused(planner: ApiClient, name: str) -> None:
    same = planner.get(f"/charting?{name}From=2026-05-02&{name}To=2026-05-02")
    assert same.status_code == 200
    refused = planner.get(f"/charting?{name}From=2026-05-03&{name}To=2026-05-02")
    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.get_json()["errors"]] == [f"/{name}From"]


@pytest.mark.parametrize(
    "query",
    [
        "cursor=x",
        "cursor=WzEsMl0=",
        f"cursor={base64.urlsafe_b64encode(b'[' * 3000).decode()}",
        "sort=startDate&cursor={c}",
        "page=2&cursor={c}",
    ],
)
def test_a_cursor_that_does_not_fit_is_refused(
    planner: ApiClient, fleet: dict[str, str], query: str
) -> None:
    cursor = planner.get("/charting?pageSize=1").get_json()["nextCursor"]
    refused = planner.get("/charting?" + query.format(c=cursor))
    assert refused.status_code == 422, refused.text
    assert [error["pointer"] for error in refused.get_json()["errors"]] == ["/cursor"]


def test_an_archived_charting_leaves_the_lists_and_stays_readable(
    planner: ApiClient, viewer: ApiClient, fleet: dict[str, str]
) -> None:
    path = f"/charting/{fleet['third']}"
    assert viewer.post(f"{path}/archive").status_code == 403
    archived = planner.post(f"{path}/archive")
    assert archived.status_code == 200
    assert archived.get_json()["archivedAt"]
    assert archived.headers["ETag"] == planner.get(path).headers["ETag"]
    assert listed(planner, fleet) == ["fourth", "second", "first"]
    assert listed(planner, fleet, archived="true") == ["third"]
    assert planner.post(f"{path}/restore").get_json()["archivedAt"] is None
    assert listed(planner, fleet, archived="true") == []


def test_an_admin_deletes_a_charting_and_the_audit_record_keeps_what_was_asked(
    planner: ApiClient, admin: ApiClient, stranger: ApiClient, plan: Plan
) -> None:
    charting = planner.order()
    path = f"/charting/{charting['id']}"
    active = admin.delete(path)
    assert (active.status_code, active.get_json()["code"]) == (409, "CHARTING_ACTIVE")
    plan(charting["id"], 1)
    assert planner.delete(path).status_code == 403
    assert stranger.delete(path).status_code in (403, 404)
    stale = admin.delete(path, headers={"If-Match": '"stale"'})
    assert stale.status_code == 412
    assert admin.delete(path).status_code == 204
    assert planner.get(path).status_code == 404
    assert planner.get("/charting").get_json()["total"] == 0
    entry = admin.get("/audit").get_json()["items"][0]
    assert (entry["action"], entry["subjectId"]) == ("charting.deleted", charting["id"])
    assert entry["before"]["request"]["portFromName"] == "Rotterdam"


def test_lists_leave_out_what_may_be_large_in_an_order(planner: ApiClient, redis: Redis) -> None:
    area = {"type": "Polygon", "coordinates": [[[2, 51], [3, 51], [3, 52], [2, 51]]]}
    route = {"name": "Ours", "waypoints": [{"lat": 52.0, "lng": 4.0}, {"lat": 51.4, "lng": 0.7}]}
    bulk = {"noGoAreas": [area], "importedData": [route]}
    charting_id = planner.order(owner="Vos", **bulk)["id"]
    for path in ("/charting", "/charting/active"):
        (item,) = planner.get(path).get_json()["items"]
        assert (item["id"], item["owner"], item["status"]) == (charting_id, "Vos", "QUEUED")
        assert not bulk.keys() & item.keys()
    light = planner.get(f"/charting/{charting_id}?addCharting=false").get_json()
    assert {name: light[name] for name in bulk} == bulk


def test_a_list_is_consistent_while_chartings_are_replanned(
    app: Flask, planner: ApiClient, organization_id: UUID, plan: Plan
) -> None:
    charting = planner.order()
    plan(charting["id"], 1)
    with app.app_context(), organization_session(organization_id) as session:
        (read,) = charting_search.list_page(session, organization_id, 1, 20).items
        path = f"/charting/{charting['id']}"
        assert planner.put(path, planner.get(path).get_json()).status_code == 200
        assert (read.state.revision, read.planned.revision) == (1, 1)


def test_a_charting_held_while_its_new_plan_was_completed_is_shown_with_that_plan(
    app: Flask, planner: ApiClient, organization_id: UUID, plan: Plan, charting_id: str
) -> None:
    path = f"/charting/{charting_id}"
    with app.app_context(), organization_session(organization_id) as session:
        held = chartings.get(session, organization_id, charting_id)
        assert planner.put(path, planner.get(path).get_json()).status_code == 200
        plan(charting_id, 2)
        # as a voyage names the revision that it follows since
        assert chartings.get_revision(session, held, 2).revision == 2
        shown = chartings.get_planned(session, organization_id, charting_id)
        assert shown.charting is held
        assert (shown.state.revision, shown.planned.revision) == (2, 2)


def test_an_item_of_a_list_sent_back_does_not_lose_the_areas_to_avoid(planner: ApiClient) -> None:
    area = [[0.8, 51.2], [1.6, 51.2], [1.6, 51.8], [0.8, 51.8]]
    charting = planner.order(noGoAreas=[area])
    path = f"/charting/{charting['id']}"
    (item,) = (i for i in planner.get("/charting").get_json()["items"] if i["id"] == charting["id"])
    refused = planner.put(path, item)
    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.get_json()["errors"]] == ["/noGoAreas"]
    assert planner.put(path, item | {"noGoAreas": None}).status_code == 200
    assert planner.get(f"{path}?revision=2").get_json()["noGoAreas"] in (None, [])
