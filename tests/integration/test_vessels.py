"""Vessels through the API, on a real database."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.integration.client import VESSEL, ApiClient, pointers


def test_a_made_vessel_is_found_where_its_location_says(planner: ApiClient) -> None:
    made = planner.post("/vessel", VESSEL)
    assert made.status_code == 201
    vessel = made.get_json()
    assert made.headers["Location"] == f"/v1/vessel/{vessel['id']}"
    assert VESSEL.items() <= vessel.items()
    assert planner.get(f"/vessel/{vessel['id']}").get_json() == vessel


def test_an_ice_class_is_kept_and_none_is_given_unless_named(planner: ApiClient) -> None:
    assert planner.make_vessel()["iceClass"] is None
    strong = planner.make_vessel(imo=None, iceClass="IA_SUPER")
    assert planner.get(f"/vessel/{strong['id']}").get_json()["iceClass"] == "IA_SUPER"


def test_a_type_for_the_cii_is_kept_and_none_is_given_unless_named(planner: ApiClient) -> None:
    assert planner.make_vessel()["ciiType"] is None
    carrier = planner.make_vessel(
        imo=None, type=7, gt=60_000, dwt=20_000, ciiType="VEHICLE_CARRIER"
    )
    assert planner.get(f"/vessel/{carrier['id']}").get_json()["ciiType"] == "VEHICLE_CARRIER"


def test_a_vessel_sent_back_as_it_was_read_is_taken(planner: ApiClient) -> None:
    vessel = planner.make_vessel()
    changed = planner.put(f"/vessel/{vessel['id']}", vessel | {"captain": "Anna Vos"})
    assert changed.status_code == 200
    assert changed.get_json()["captain"] == "Anna Vos"
    assert planner.get(f"/vessel/{vessel['id']}").get_json()["captain"] == "Anna Vos"


def test_a_put_clears_what_it_leaves_out_and_a_patch_does_not(planner: ApiClient) -> None:
    vessel = planner.make_vessel(captain="Anna Vos")
    path = f"/vessel/{vessel['id']}"
    assert planner.patch(path, {"owner": "Vos & Co"}).get_json()["captain"] == "Anna Vos"
    assert planner.put(path, VESSEL).get_json()["captain"] is None


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"maintenance": [{}]}, {"/maintenance/0/date", "/maintenance/0/kind"}),
        ({"performance": [{"speed": 12}]}, {"/performance/0/focMtPerDay"}),
        ({"shopTest": [{"loadPct": 50}]}, {"/shopTest/0/sfoc"}),
    ],
)
def test_a_patch_refuses_entries_of_lists_that_are_not_whole(
    planner: ApiClient, changes: dict[str, Any], missing: set[str]
) -> None:
    path = f"/vessel/{planner.make_vessel()['id']}"
    before = planner.get(path).get_json()
    refused = planner.patch(path, changes)
    assert refused.status_code == 422
    assert pointers(refused) == missing
    assert planner.get(path).get_json() == before


def test_a_patch_that_makes_the_ship_impossible_is_refused(planner: ApiClient) -> None:
    vessel = planner.make_vessel()
    refused = planner.patch(f"/vessel/{vessel['id']}", {"depth": 14})
    assert refused.status_code == 422
    assert pointers(refused) == {"/depth"}
    assert planner.get(f"/vessel/{vessel['id']}").get_json()["depth"] == 20.05


def test_a_deleted_vessel_is_gone(planner: ApiClient) -> None:
    vessel = planner.make_vessel()
    assert planner.delete(f"/vessel/{vessel['id']}").status_code == 204
    assert planner.get(f"/vessel/{vessel['id']}").status_code == 404
    assert planner.get("/vessel").get_json()["total"] == 0


def test_vessels_are_listed_newest_first_in_pages(planner: ApiClient) -> None:
    names = [planner.make_vessel(name=f"Ship {number}")["name"] for number in range(5)]
    page = planner.get("/vessel?page=2&pageSize=2").get_json()
    assert [vessel["name"] for vessel in page["items"]] == [names[2], names[1]]
    assert {**page, "items": None} == {
        "items": None,
        "page": 2,
        "pageSize": 2,
        "total": 5,
        "totalPages": 3,
    }


def test_a_page_past_the_end_is_empty_and_still_counts(planner: ApiClient) -> None:
    planner.make_vessel()
    page = planner.get("/vessel?page=9").get_json()
    assert page["items"] == []
    assert page["total"] == 1


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("-1", "Must be greater than or equal to 1"),
        ("x", "Not a whole number of up to 9 digits."),
        ("9223372036854775807", "Not a whole number of up to 9 digits."),
    ],
)
def test_a_page_out_of_range_is_refused_for_what_it_is(
    viewer: ApiClient, page: str, said: str
) -> None:
    (fault,) = viewer.get(f"/vessel?page={page}").get_json()["errors"]
    assert said in fault["detail"]


@pytest.mark.parametrize("query", ["page=0", "pageSize=201", "page=x", "page=1.0", "sort=name"])
def test_a_query_that_is_not_known_or_out_of_range_is_refused(
    planner: ApiClient, query: str
) -> None:
    assert planner.get(f"/vessel?{query}").status_code == 422


def test_an_imo_number_is_unique_among_the_vessels_of_an_organization(
    planner: ApiClient, stranger: ApiClient
) -> None:
    vessel = planner.make_vessel(imo="9074729")
    taken = planner.post("/vessel", VESSEL | {"imo": "9074729"})
    assert (taken.status_code, taken.get_json()["code"]) == (409, "IMO_TAKEN")
    stranger.make_vessel(imo="9074729")
    planner.delete(f"/vessel/{vessel['id']}")
    planner.make_vessel(imo="9074729")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"dwt": "82000"}, "/dwt"),
        ({"dwt": True}, "/dwt"),
        ({"dwt": float("nan")}, "/dwt"),
        ({"dwt": float("inf")}, "/dwt"),
        ({"dwt": -1}, "/dwt"),
        ({"dwt": None}, "/dwt"),
        ({"dwt": 300000}, "/dwt"),
        ({"lbp": 240}, "/lbp"),
        ({"type": 11}, "/type"),
        ({"type": 1.5}, "/type"),
        ({"dateConstructed": "2015-06-31"}, "/dateConstructed"),
        ({"dateConstructed": "20150601"}, "/dateConstructed"),
        ({"dateConstructed": "2090-06-01"}, "/dateConstructed"),
        ({"imo": "9074728"}, "/imo"),
        ({"name": 5}, "/name"),
        ({"name": "a\0b"}, "/name"),
        ({"colour": "red"}, "/colour"),
        ({"orgId": "019a0000-0000-7000-8000-000000000000"}, "/orgId"),
        ({"fuelType": "COAL"}, "/fuelType"),
        ({"iceClass": "PC8"}, "/iceClass"),
        ({"ciiType": "ro-ro"}, "/ciiType"),
    ],
)
def test_a_bad_field_is_named_and_nothing_is_stored(
    planner: ApiClient, change: dict[str, Any], pointer: str
) -> None:
    refused = planner.post("/vessel", VESSEL | change)
    assert refused.status_code == 422
    assert refused.content_type == "application/problem+json"
    assert pointer in pointers(refused)
    assert planner.get("/vessel").get_json()["total"] == 0


def test_every_missing_field_is_named(planner: ApiClient) -> None:
    refused = planner.post("/vessel", {})
    required = set(VESSEL) - {"name", "type"}
    assert pointers(refused) == {f"/{name}" for name in required}


def test_another_organizations_vessel_is_not_found(planner: ApiClient, stranger: ApiClient) -> None:
    vessel = planner.make_vessel()

    def answers(vessel_id: str) -> list[Any]:
        path = f"/vessel/{vessel_id}"
        responses = [
            stranger.get(path),
            stranger.put(path, VESSEL),
            stranger.patch(path, {}),
            stranger.delete(path),
        ]
        return [
            {**response.get_json(), "instance": None, "requestId": None} for response in responses
        ]

    foreign = answers(vessel["id"])
    assert {answer["status"] for answer in foreign} == {404}
    assert foreign == answers("019a0000-0000-7000-8000-000000000000") == answers("no-id")
    assert planner.get(f"/vessel/{vessel['id']}").status_code == 200


def test_a_viewer_reads_and_does_not_write(planner: ApiClient, viewer: ApiClient) -> None:
    vessel = planner.make_vessel()
    assert viewer.get(f"/vessel/{vessel['id']}").status_code == 200
    for refused in (
        viewer.post("/vessel", VESSEL),
        viewer.put(f"/vessel/{vessel['id']}", VESSEL),
        viewer.delete(f"/vessel/{vessel['id']}"),
    ):
        assert refused.status_code == 403


def test_a_tag_that_is_not_quoted_or_is_weak_matches_nothing(planner: ApiClient) -> None:
    path = f"/vessel/{planner.make_vessel()['id']}"
    tag = planner.get(path).headers["ETag"]
    for sent, status in {
        tag.strip('"'): 400,
        f'"other", {tag.strip(chr(34))}': 400,
        f"W/{tag}": 412,
        f'"other", {tag}': 200,
        "*": 200,
    }.items():
        answer = planner.patch(path, {"captain": sent[:5]}, headers={"If-Match": sent})
        assert answer.status_code == status, sent
        tag = planner.get(path).headers["ETag"] if status == 200 else tag


def test_a_change_on_top_of_an_unseen_change_is_refused(planner: ApiClient) -> None:
    vessel = planner.make_vessel()
    path = f"/vessel/{vessel['id']}"
    seen = planner.get(path).headers["ETag"]
    assert planner.get(path, headers={"If-Match": seen}).get_json()["id"] == path.split("/")[-1]
    stale = planner.get(path, headers={"If-Match": '"stale"'})
    assert (stale.status_code, stale.mimetype) == (412, "application/problem+json")
    assert stale.get_json()["code"] == "PRECONDITION_FAILED"
    assert planner.get(path, headers={"If-None-Match": seen}).status_code == 304
    assert planner.patch(path, {"captain": "A"}, headers={"If-Match": seen}).status_code == 200
    empty = planner.patch(path, {"captain": "B"}, headers={"If-Match": '""'})
    assert empty.status_code == 412
    late = planner.patch(path, {"captain": "B"}, headers={"If-Match": seen})
    assert late.status_code == 412
    assert planner.get(path, headers={"If-None-Match": seen}).status_code == 200


def test_the_same_request_sent_again_is_answered_as_before(planner: ApiClient) -> None:
    headers = {"Idempotency-Key": "order-1"}
    first = planner.post("/vessel", VESSEL, headers=headers)
    again = planner.post("/vessel", VESSEL, headers=headers)
    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Location"] == first.headers["Location"]
    assert planner.get("/vessel").get_json()["total"] == 1
    other = planner.post("/vessel", VESSEL | {"name": "Other"}, headers=headers)
    assert other.status_code == 422


def test_a_key_is_needed_and_named_in_either_header(http: FlaskClient, planner: ApiClient) -> None:
    bare = http.get("/v1/vessel")
    assert bare.status_code == 401
    assert bare.headers["WWW-Authenticate"].startswith("Bearer")
    wrong = http.get("/v1/vessel", headers={"X-API-Key": planner.key[:-1] + "!"})
    assert wrong.status_code == 401
    bearer = http.get("/v1/vessel", headers={"Authorization": f"Bearer {planner.key}"})
    assert bearer.status_code == 200
