"""Constraints and client data through the API: create, read, change, delete, permissions."""

from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from app.models import Role
from app.services.identity import keys
from app.services.platform.sessions import operator_session
from tests.integration.client import ApiClient, pointers

COLLECTIONS = pytest.mark.parametrize("path", ["/constraints", "/client-data"])

SQUARE = [[1.2, 50.9], [1.6, 50.9], [1.6, 51.1], [1.2, 51.1], [1.2, 50.9]]
AREA: dict[str, Any] = {
    "name": "Varne",
    "geometry": {"type": "Polygon", "coordinates": [SQUARE]},
    "type": "MILITARY",
    "level": "GLOBAL",
}


@pytest.fixture
def operator(app: Flask, other_organization_id: UUID) -> ApiClient:
    """A client of another organization with the operator's right."""
    with app.app_context(), operator_session(other_organization_id) as session:
        issued = keys.issue(session, other_organization_id, Role.ADMIN, is_operator=True)
    return ApiClient(app.test_client(), issued.secret)


def make(client: ApiClient, path: str = "/constraints", **changes: Any) -> dict[str, Any]:
    response = client.post(path, AREA | changes)
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.get_json()
    return made


def listed(client: ApiClient, path: str = "/constraints") -> list[str]:
    found = client.get(path).get_json()
    assert found["total"] == len(found["items"])
    return [item["id"] for item in found["items"]]


@COLLECTIONS
def test_what_is_made_is_read_back_as_it_was_drawn(planner: ApiClient, path: str) -> None:
    across = [[179, 10], [-179, 10], [-179, 12], [179, 12], [179, 10]]
    drawn = {"type": "Polygon", "coordinates": [across]}
    response = planner.post(path, AREA | {"geometry": drawn, "start_date": "2026-03-01"})
    made = response.get_json()
    assert response.status_code == 201
    assert response.headers["Location"] == f"/v1{path}/{made['id']}"
    assert made["geometry"] == drawn
    assert (made["start_date"], made["end_date"], made["is_active"]) == ("2026-03-01", None, True)
    assert made["createdBy"] == made["updatedBy"] == planner.key[:16]
    assert made["createdAt"] == made["updatedAt"]
    read = planner.get(f"{path}/{made['id']}")
    assert read.get_json() == made
    assert read.headers["ETag"] == response.headers["ETag"]
    assert listed(planner, path) == [made["id"]]


@COLLECTIONS
def test_what_is_read_and_changed_can_be_put_back(planner: ApiClient, path: str) -> None:
    made = make(planner, path, end_date="2026-04-01", description="gunnery")
    address = f"{path}/{made['id']}"
    changed = planner.put(address, made | {"name": "Varne South", "is_active": False})
    assert changed.status_code == 200
    now = changed.get_json()
    assert (now["name"], now["is_active"], now["end_date"]) == ("Varne South", False, "2026-04-01")
    assert now["updatedAt"] > made["updatedAt"]
    assert now["createdAt"] == made["createdAt"]
    assert planner.get(address).get_json() == now
    cleared = planner.put(address, AREA).get_json()
    assert (cleared["end_date"], cleared["description"], cleared["is_active"]) == (None, None, True)


@COLLECTIONS
def test_what_was_changed_meanwhile_is_not_overwritten(planner: ApiClient, path: str) -> None:
    made = planner.post(path, AREA)
    address, seen = f"{path}/{made.get_json()['id']}", {"If-Match": made.headers["ETag"]}
    assert planner.put(address, AREA | {"name": "A"}, headers=seen).status_code == 200
    assert planner.put(address, AREA | {"name": "B"}, headers=seen).status_code == 412
    assert planner.delete(address, headers=seen).status_code == 412
    assert planner.get(address).get_json()["name"] == "A"
    unchanged = {"If-None-Match": planner.get(address).headers["ETag"]}
    assert planner.get(address, headers=unchanged).status_code == 304


@COLLECTIONS
def test_what_is_deleted_is_gone(planner: ApiClient, path: str) -> None:
    address = f"{path}/{make(planner, path)['id']}"
    assert planner.delete(address).status_code == 204
    assert planner.get(address).status_code == planner.delete(address).status_code == 404
    assert listed(planner, path) == []


@COLLECTIONS
def test_a_list_has_pages_where_they_are_asked_for(planner: ApiClient, path: str) -> None:
    newest_first = [make(planner, path)["id"] for _ in range(3)][::-1]
    page = planner.get(f"{path}?page=2&pageSize=2").get_json()
    assert [item["id"] for item in page.pop("items")] == newest_first[2:]
    assert page == {"page": 2, "pageSize": 2, "total": 3, "totalPages": 2}
    assert planner.get(f"{path}?page=1").get_json()["pageSize"] == 20
    assert planner.get(f"{path}?pageSize=201").status_code == 422
    assert listed(planner, path) == newest_first
    assert "page" not in planner.get(path).get_json()


@COLLECTIONS
def test_a_viewer_reads_only(planner: ApiClient, viewer: ApiClient, path: str) -> None:
    address = f"{path}/{make(planner, path)['id']}"
    assert viewer.get(address).status_code == 200
    refused = (viewer.post(path, AREA), viewer.put(address, AREA), viewer.delete(address))
    assert [response.status_code for response in refused] == [403, 403, 403]


@COLLECTIONS
def test_another_organization_never_sees_it(
    planner: ApiClient, stranger: ApiClient, path: str
) -> None:
    address = f"{path}/{make(planner, path)['id']}"
    assert listed(stranger, path) == []
    answers = (stranger.get(address), stranger.put(address, AREA), stranger.delete(address))
    assert [response.status_code for response in answers] == [404, 404, 404]
    assert planner.get(address).status_code == 200


def test_the_two_lists_are_apart(planner: ApiClient) -> None:
    constraint, entry = make(planner)["id"], make(planner, "/client-data")["id"]
    assert planner.get(f"/client-data/{constraint}").status_code == 404
    assert planner.get(f"/constraints/{entry}").status_code == 404
    assert (listed(planner), listed(planner, "/client-data")) == ([constraint], [entry])


def test_filters_choose_by_level_and_vessel_type(planner: ApiClient, organization_id: UUID) -> None:
    everywhere = make(planner)["id"]
    own = make(planner, level="ORGANIZATION", orgIds=[str(organization_id)])["id"]
    tankers = make(planner, level="VESSEL_TYPE", vesselTypeIds=[2, "3"])
    assert tankers["vesselTypeIds"] == ["2", "3"]
    assert listed(planner) == [tankers["id"], own, everywhere]
    assert listed(planner, "/constraints?level=global") == [everywhere]
    assert listed(planner, "/constraints?level=ORGANIZATION") == [own]
    assert listed(planner, "/constraints?vesselTypeId=3") == [tankers["id"]]
    assert listed(planner, "/constraints?vesselTypeId=1") == []
    assert listed(planner, "/constraints?vesselTypeId=2&level=GLOBAL") == []
    assert planner.get("/constraints?vesselTypeId=77").status_code == 422
    assert planner.get("/constraints?levels=GLOBAL").status_code == 422


@COLLECTIONS
@pytest.mark.parametrize(
    ("changes", "places"),
    [
        ({"level": "ORGANIZATION"}, {"/orgIds"}),
        ({"level": "ORGANIZATION", "orgIds": []}, {"/orgIds"}),
        ({"level": "VESSEL_TYPE"}, {"/vesselTypeIds"}),
        ({"vesselTypeIds": ["2", "77"]}, {"/vesselTypeIds/1"}),
        ({"vesselTypeIds": [True]}, {"/vesselTypeIds/0"}),
        ({"orgIds": ["00000000-0000-7000-8000-000000000000"]}, {"/orgIds/0"}),
        ({"start_date": "2026-03-02", "end_date": "2026-03-01"}, {"/end_date"}),
        ({"start_date": "2026-02-30"}, {"/start_date"}),
        ({"type": "SECRET"}, {"/type"}),
        ({"is_active": "yes"}, {"/is_active"}),
        ({"isActive": True}, {"/isActive"}),
        ({"geometry": None}, {"/geometry"}),
        ({"geometry": {"type": "Point", "coordinates": [1, 2]}}, {"/geometry/type"}),
        (
            {"geometry": {"type": "Polygon", "coordinates": [SQUARE[:-1]]}, "level": "VESSEL_TYPE"},
            {"/geometry/coordinates/0", "/vesselTypeIds"},
        ),
        (
            {"geometry": AREA["geometry"] | {"crs": {"type": "name"}}},
            {"/geometry/crs"},
        ),
    ],
)
def test_a_fault_is_named_by_its_place(
    planner: ApiClient, path: str, changes: dict[str, Any], places: set[str]
) -> None:
    assert pointers(planner.post(path, AREA | changes)) == places
    assert listed(planner, path) == []


def test_a_crossing_is_reported_with_its_position(planner: ApiClient) -> None:
    bow_tie = [[0, 50], [2, 52], [2, 50], [0, 52], [0, 50]]
    refused = planner.post(
        "/constraints", AREA | {"geometry": {"type": "Polygon", "coordinates": [bow_tie]}}
    )
    (fault,) = refused.get_json()["errors"]
    assert fault["detail"] == (
        "Self-intersection at 51°00.000'N 001°00.000'E. Change the outline so that no edges cross."
    )


def test_ten_thousand_vertices_are_stored_and_one_more_is_refused(planner: ApiClient) -> None:
    def ring(vertices: int) -> list[list[float]]:
        top = [[step / vertices, 51.0] for step in range(vertices - 2)]
        return [*top, [0.5, 40.0], top[0]]

    def sent(vertices: int) -> Any:
        drawn = {"type": "Polygon", "coordinates": [ring(vertices)]}
        return planner.post("/constraints", AREA | {"geometry": drawn})

    assert sent(10_000).status_code == 201
    assert pointers(sent(10_001)) == {"/geometry/coordinates"}


@COLLECTIONS
def test_an_area_drawn_beyond_180_comes_back_within_it_and_can_be_sent_again(
    planner: ApiClient, path: str
) -> None:
    ring = [[100, -18], [190.1, -18], [190.1, -12], [100, -12], [100, -18]]
    made = make(planner, path, geometry={"type": "Polygon", "coordinates": [ring]})
    east, west = sorted(made["geometry"]["coordinates"], reverse=True)
    assert {lng for lng, _ in east[0]} == {100.0, 180.0}
    assert {lng for lng, _ in west[0]} == {-180.0, -169.9}
    assert planner.get(path).get_json()["items"][0]["geometry"] == made["geometry"]
    again = planner.put(f"{path}/{made['id']}", made)
    assert (again.status_code, again.get_json()["geometry"]) == (200, made["geometry"])


def test_an_operators_constraint_is_read_by_all_and_changed_by_none_of_them(
    planner: ApiClient, operator: ApiClient, stranger: ApiClient
) -> None:
    made = make(operator)
    address = f"/constraints/{made['id']}"
    assert made["readOnly"] is False
    try:
        seen = planner.get(address).get_json()
        assert listed(planner) == [made["id"]]
        assert (seen["readOnly"], seen["createdBy"], seen["updatedBy"]) == (
            True,
            "operator",
            "operator",
        )
        # a colleague of the operator without that right may not change it either
        for client in (planner, stranger):
            refused = (client.put(address, AREA), client.delete(address))
            assert [response.status_code for response in refused] == [403, 403]
        assert operator.put(address, made | {"name": "For all"}).status_code == 200
        assert planner.get(address).get_json()["name"] == "For all"
    finally:
        assert operator.delete(address).status_code == 204
    assert listed(planner) == []


def test_an_operator_binds_the_organizations_that_he_lists(
    planner: ApiClient, viewer: ApiClient, operator: ApiClient, app: Flask, organization_id: UUID
) -> None:
    from tests.integration.conftest import client_of, make_organization

    third = client_of(app, make_organization(app, "third"), Role.VIEWER)
    made = make(operator, level="ORGANIZATION", orgIds=[str(organization_id)])
    try:
        assert listed(planner) == listed(viewer) == [made["id"]]
        assert listed(third) == []
        nowhere = "00000000-0000-7000-8000-000000000000"
        refused = operator.post("/constraints", AREA | {"orgIds": [nowhere]})
        assert pointers(refused) == {"/orgIds/0"}
    finally:
        operator.delete(f"/constraints/{made['id']}")


def test_an_operators_client_data_stay_his_own(planner: ApiClient, operator: ApiClient) -> None:
    make(operator, "/client-data")
    assert listed(planner, "/client-data") == []
