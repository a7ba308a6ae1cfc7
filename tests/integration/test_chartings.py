"""Chartings through the API: submit, plan, read, export."""

import csv
import hashlib
import io
from collections.abc import Callable
from typing import Any

import pytest
from redis import Redis

from tests.integration.client import CHARTING, ApiClient, pointers

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

Plan = Callable[..., None]


def test_an_order_is_queued_at_once_and_echoed(planner: ApiClient, redis: Redis) -> None:
    vessel = planner.make_vessel()
    asked = CHARTING | {"vesselId": vessel["id"], "optimizationType": "fuel", "owner": "Vos"}
    response = planner.post("/charting", asked)
    charting = response.get_json()
    assert response.status_code == 201
    assert response.headers["Location"] == f"/v1/charting/{charting['id']}"
    assert {name: charting[name] for name in asked} == asked | {"optimizationType": "FUEL"}
    assert (charting["status"], charting["revision"], charting["progress"]) == ("QUEUED", 1, 0)
    assert charting["avoidWarZones"] is charting["avoidPiracyAreas"] is True
    assert charting["avoidEca"] is False
    assert redis.exists(f"rq:job:{charting['id']}_1")


def test_a_planned_charting_has_a_route(planner: ApiClient, plan: Plan) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    done = planner.get(f"/charting/{charting_id}").get_json()
    assert (done["status"], done["progress"], done["failure"]) == ("COMPLETED", 1, None)
    waypoints = done["waypoints"]
    times = [waypoint["eta"] for waypoint in waypoints]
    assert times == sorted(set(times))
    assert times[0] == CHARTING["startDate"]
    assert done["summary"]["distanceNm"] == pytest.approx(waypoints[-1]["cumulativeNm"], abs=0.01)
    assert done["summary"]["greatCircleNm"] <= done["summary"]["distanceNm"] < 250
    assert done["provenance"]["engineVersion"]


def test_the_light_form_leaves_out_waypoints_and_alternatives(
    planner: ApiClient, plan: Plan
) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    light = planner.get(f"/charting/{charting_id}?addCharting=false").get_json()
    assert light["summary"] is not None
    assert not {"waypoints", "alternatives"} & set(light)
    listed = planner.get("/charting").get_json()["items"][0]
    bulk = ("noGoAreas", "importedData")
    assert listed == {name: value for name, value in light.items() if name not in bulk}


def test_the_csv_is_what_its_hash_says(planner: ApiClient, plan: Plan) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    file = planner.get(f"/charting/{charting_id}/csv")
    assert file.headers["X-Content-Hash"] == f"sha256:{hashlib.sha256(file.data).hexdigest()}"
    assert 'filename="Rotterdam-London-2026-03-01-r1.csv"' in file.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(file.text)))
    waypoints = planner.get(f"/charting/{charting_id}").get_json()["waypoints"]
    assert [float(row["lat"]) for row in rows] == pytest.approx(
        [waypoint["lat"] for waypoint in waypoints], abs=1e-5
    )
    assert planner.get(f"/charting/{charting_id}/csv").data == file.data


def test_the_rtz_names_itself_as_its_file(planner: ApiClient, plan: Plan) -> None:
    charting_id = planner.order()["id"]
    plan(charting_id)
    file = planner.get(f"/charting/{charting_id}/rtz")
    assert file.content_type == "application/xml"
    assert 'routeName="Rotterdam-London-2026-03-01-r1"' in file.text
    assert (
        planner.get(f"/charting/{charting_id}/rtz", headers={"Accept": "text/csv"}).status_code
        == 406
    )


@pytest.mark.parametrize("file", ["csv", "rtz"])
def test_there_is_no_file_before_there_is_a_route(planner: ApiClient, file: str) -> None:
    charting_id = planner.order()["id"]
    refused = planner.get(f"/charting/{charting_id}/{file}")
    assert (refused.status_code, refused.get_json()["code"]) == (409, "CHARTING_NOT_COMPLETED")


def test_a_new_order_is_the_next_revision_and_hides_no_plan(planner: ApiClient, plan: Plan) -> None:
    charting = planner.order()
    path = f"/charting/{charting['id']}"
    plan(charting["id"])
    read = planner.get(path).get_json()
    changed = planner.put(path, read | {"speedRangeMax": 13})
    assert changed.status_code == 200
    ordered = changed.get_json()
    assert (ordered["status"], ordered["revision"], ordered["latestRevision"]) == ("QUEUED", 2, 2)
    assert (ordered["speedRangeMax"], ordered["waypoints"]) == (13, [])
    later = planner.get(f"{path}?revision=2").get_json()
    # its place is known once it is queued, which is after the answer
    assert later.pop("queuePosition") > 0
    assert ordered.pop("queuePosition") is None
    assert later == ordered
    queued = planner.get(path).get_json()
    assert (queued["status"], queued["revision"], queued["latestRevision"]) == ("QUEUED", 1, 2)
    assert (queued["speedRangeMax"], queued["waypoints"]) == (14, read["waypoints"])
    assert "PLAN_OF_EARLIER_REVISION" in {warning["code"] for warning in queued["warnings"]}
    plan(charting["id"], 2)
    done = planner.get(path).get_json()
    assert (done["status"], done["revision"]) == ("COMPLETED", 2)
    first = planner.get(f"{path}?revision=1").get_json()
    assert first["speedRangeMax"] == 14
    assert first["waypoints"] == read["waypoints"]
    assert planner.get(f"{path}?revision=3").status_code == 404
    assert planner.get(f"{path}?revision=99999999999").status_code in (404, 422)


def test_a_failed_new_order_keeps_the_plan_and_says_why(planner: ApiClient, plan: Plan) -> None:
    charting = planner.order()
    path = f"/charting/{charting['id']}"
    plan(charting["id"])
    around_london = [[0.8, 51.2], [1.6, 51.2], [1.6, 51.8], [0.8, 51.8]]
    planner.put(path, planner.get(path).get_json() | {"noGoAreas": [around_london]})
    plan(charting["id"], 2)
    failed = planner.get(path).get_json()
    assert failed["status"] == "FAILED"
    assert failed["failure"]["code"] == "END_INSIDE_AREA"
    assert (failed["revision"], failed["latestRevision"]) == (1, 2)
    assert "Revision 2 has no route (planning failed)" in failed["warnings"][-1]["detail"]
    assert failed["waypoints"]
    assert planner.get(f"{path}/rtz").status_code == 200


def test_after_a_failed_new_order_the_request_shown_is_that_of_the_route_shown(
    planner: ApiClient, plan: Plan
) -> None:
    charting = planner.order()
    path = f"/charting/{charting['id']}"
    plan(charting["id"])
    first = planner.get(path).get_json()
    other = planner.make_vessel(name="Zuiderster")
    around_london = [[0.8, 51.2], [1.6, 51.2], [1.6, 51.8], [0.8, 51.8]]
    changes = {"noGoAreas": [around_london], "vesselId": other["id"], "portToName": "Tilbury"}
    assert planner.put(path, first | changes).status_code == 200
    plan(charting["id"], 2)
    listed = planner.get("/charting").get_json()["items"][0]
    for shown in (planner.get(path).get_json(), listed):
        assert (shown["status"], shown["revision"]) == ("FAILED", 1)
        for name in ("vesselId", "vesselName", "portToName", "summary"):
            assert shown[name] == first[name]
    assert planner.get(path).get_json()["noGoAreas"] == first["noGoAreas"]
    second = planner.get(f"{path}?revision=2").get_json()
    assert (second["portToName"], second["vesselName"]) == ("Tilbury", "Zuiderster")


def test_a_cancelled_plan_for_another_vessel_leaves_the_voyage_to_its_own(
    planner: ApiClient, plan: Plan
) -> None:
    charting = planner.order(portToName="London")
    path, own = f"/charting/{charting['id']}", charting["vesselId"]
    plan(charting["id"])
    other = planner.make_vessel(name="Zuiderster")["id"]
    planner.put(path, charting | {"vesselId": other, "portToName": "Tilbury"})
    assert planner.delete(f"/vessel/{other}").get_json()["code"] == "VESSEL_HAS_ACTIVE_CHARTING"
    assert planner.post(f"{path}/cancel").status_code == 200

    def count(**query: str) -> int:
        total: int = planner.get("/charting", query_string=query).get_json()["total"]
        return total

    assert (count(vesselId=own), count(vesselId=other)) == (1, 0)
    assert (count(search="London"), count(search="Tilbury")) == (1, 0)
    assert planner.delete(f"/vessel/{other}").status_code == 204
    assert planner.post(f"{path}/start", {}).status_code == 200
    assert planner.delete(f"/vessel/{own}").get_json()["code"] == "VOYAGE_UNDER_WAY"


def test_a_plan_for_another_vessel_takes_the_charting_with_it_once_it_is_there(
    planner: ApiClient, plan: Plan
) -> None:
    charting = planner.order()
    plan(charting["id"])
    other = planner.make_vessel(name="Zuiderster")["id"]
    asked = charting | {"vesselId": other, "portToName": "Tilbury"}
    assert planner.put(f"/charting/{charting['id']}", asked).get_json()["vesselId"] == other
    plan(charting["id"], 2)
    for query in ({"vesselId": other}, {"search": "Tilbury"}):
        assert planner.get("/charting", query_string=query).get_json()["total"] == 1


def test_the_tag_of_a_new_order_allows_the_next(planner: ApiClient, plan: Plan) -> None:
    charting = planner.order()
    path = f"/charting/{charting['id']}"
    plan(charting["id"])
    ordered = planner.put(path, charting | {"speedRangeMax": 13})
    again = planner.put(path, charting, headers={"If-Match": ordered.headers["ETag"]})
    assert again.status_code == 200
    stale = planner.put(path, charting, headers={"If-Match": ordered.headers["ETag"]})
    assert stale.status_code == 412


def test_a_queued_charting_is_cancelled_at_once(planner: ApiClient, plan: Plan) -> None:
    charting_id = planner.order()["id"]
    cancelled = planner.post(f"/charting/{charting_id}/cancel")
    assert (cancelled.status_code, cancelled.get_json()["status"]) == (200, "CANCELLED")
    plan(charting_id)
    assert planner.get(f"/charting/{charting_id}").get_json()["status"] == "CANCELLED"
    assert planner.post(f"/charting/{charting_id}/cancel").status_code == 409


def test_active_chartings_are_those_not_ended(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    first, second = (planner.order(vesselId=vessel_id)["id"] for _ in range(2))
    planner.post(f"/charting/{first}/cancel")
    active = planner.get("/charting/active").get_json()
    assert ([item["id"] for item in active["items"]], active["total"]) == ([second], 1)
    assert planner.delete(f"/vessel/{vessel_id}").get_json()["code"] == "VESSEL_HAS_ACTIVE_CHARTING"
    planner.post(f"/charting/{second}/cancel")
    assert planner.delete(f"/vessel/{vessel_id}").status_code == 204
    assert planner.get(f"/charting/{second}").get_json()["vesselName"] == "Noordster"


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("rotterdam", 2),
        ("LONDON noordster", 1),
        ("zuiderster", 1),
        ("london hamburg", 0),
        ("9074729", 1),
        ("%", 0),
        ("_", 0),
    ],
)
def test_every_word_of_a_search_must_occur(planner: ApiClient, search: str, found: int) -> None:
    planner.order()
    southern = planner.make_vessel(name="Zuiderster", imo="9074729")
    planner.order(vesselId=southern["id"])
    assert planner.get("/charting", query_string={"search": search}).get_json()["total"] == found


@pytest.mark.parametrize("name", ["Málaga", "Ma\u0301laga", "MALAGA"])
@pytest.mark.parametrize("search", ["málaga", "ma\u0301laga", "malaga", "MÁLAGA lodz"])
def test_accents_do_not_count_in_a_search(planner: ApiClient, name: str, search: str) -> None:
    planner.order(portFromName=name, vesselId=planner.make_vessel(name="Łódź")["id"])
    assert planner.get("/charting", query_string={"search": search}).get_json()["total"] == 1


def test_chartings_are_found_by_their_ids_beginning_by_status_and_by_vessel(
    planner: ApiClient,
) -> None:
    charting = planner.order()
    other = planner.order()
    planner.post(f"/charting/{other['id']}/cancel")

    def found(**query: str) -> list[str]:
        items = planner.get("/charting", query_string=query).get_json()["items"]
        return [item["id"] for item in items]

    assert found(search=charting["id"][:24]) in ([charting["id"]], [other["id"], charting["id"]])
    assert found(search=charting["id"]) == [charting["id"]]
    assert found(status="cancelled") == [other["id"]]
    assert found(vesselId=charting["vesselId"]) == [charting["id"]]
    assert found(vesselId="none") == []


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"latFrom": 91}, "/latFrom"),
        ({"lngFrom": 361}, "/lngFrom"),
        ({"latTo": float("nan")}, "/latTo"),
        ({"speed": 12}, "/speed"),
        ({"startDate": "2026-03-01T06:00:00"}, "/startDate"),
        ({"startDate": "2026-03-01"}, "/startDate"),
        ({"startDate": "9999-12-31T00:00:00Z"}, "/startDate"),
        ({"endDate": "2026-03-01T06:00:00Z"}, "/endDate"),
        ({"speedRangeMin": 15}, "/speedRangeMin"),
        ({"speedRangeMin": "10"}, "/speedRangeMin"),
        ({"latFrom": 25.0, "lngFrom": 10.0}, "/latFrom"),
        ({"latTo": 51.98, "lngTo": 4.001}, "/latTo"),
        ({"vesselId": "019a0000-0000-7000-8000-000000000000"}, "/vesselId"),
        ({"vesselId": "none"}, "/vesselId"),
        ({"optimizationType": "CHEAP"}, "/optimizationType"),
        ({"avoidEca": "yes"}, "/avoidEca"),
        ({"maxWindBf": 6.5}, "/maxWindBf"),
        ({"maxWindBf": 13}, "/maxWindBf"),
        ({"maxWaveHeight": 10, "waveUnit": "douglas"}, "/maxWaveHeight"),
        ({"portFromName": ""}, "/portFromName"),
        ({"portFromName": None}, "/portFromName"),
        ({"importedData": [{"name": "a", "waypoints": []}]}, "/importedData/0/waypoints"),
        (
            {"importedData": [{"name": "a", "waypoints": [{"lat": 50, "lng": -5}] * 3}]},
            "/importedData/0/waypoints",
        ),
        ({"noGoAreas": [{"type": "Point"}]}, "/noGoAreas/0/type"),
        (
            {"noGoAreas": [{"type": "Feature", "geometry": None, "id": float("nan")}]},
            "/noGoAreas/0/id",
        ),
        ({"noGoAreas": [{"type": "Polygon", "bbox": [0.0, float("inf")]}]}, "/noGoAreas/0/bbox/1"),
        (
            {"noGoAreas": [{"type": "Feature", "geometry": None, "properties": {"startDate": 1}}]},
            "/noGoAreas/0/properties/startDate",
        ),
        ({"nidFrom": "somewhere"}, "/nidFrom"),
        ({"nidTo": "99999"}, "/nidTo"),
        ({"nidFrom": "XXXXX"}, "/nidFrom"),
        ({"dwt": 120_000}, "/dwt"),
        ({"noGoAreas": [[[0, 0], [1, 1], [1, 0], [0, 1]]]}, "/noGoAreas/0"),
    ],
)
def test_a_bad_field_is_named_and_nothing_is_stored(
    planner: ApiClient, change: dict[str, Any], pointer: str
) -> None:
    vessel_id = planner.make_vessel()["id"]
    refused = planner.post("/charting", CHARTING | {"vesselId": vessel_id} | change)
    assert refused.status_code == 422, refused.text
    assert pointer in pointers(refused)
    assert planner.get("/charting").get_json()["total"] == 0


def test_a_port_in_the_sahara_is_said_to_be_on_land(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    sahara = {"latTo": 23.0, "lngTo": 5.0, "portToName": "Tamanrasset"}
    refused = planner.post("/charting", CHARTING | {"vesselId": vessel_id} | sahara)
    assert (refused.status_code, refused.get_json()["code"]) == (422, "PORT_ON_LAND")


def test_ends_whose_nearest_water_is_one_place_are_refused(planner: ApiClient) -> None:
    ends = {"latFrom": 52.088, "lngFrom": 5.042, "latTo": 52.148, "lngTo": 5.169}
    body = CHARTING | {"vesselId": planner.make_vessel()["id"], **ends}
    refused = planner.post("/charting", body)
    assert refused.status_code == 422
    (fault,) = refused.get_json()["errors"]
    assert fault["pointer"] == "/latTo"
    assert "is one place, 52°23" in fault["detail"]


def test_another_organizations_charting_is_not_found(
    planner: ApiClient, stranger: ApiClient
) -> None:
    charting = planner.order()
    for suffix in ("", "/csv", "/rtz"):
        foreign = stranger.get(f"/charting/{charting['id']}{suffix}")
        missing = stranger.get(f"/charting/none{suffix}")
        assert foreign.status_code == missing.status_code == 404
        assert foreign.get_json()["detail"] == missing.get_json()["detail"]
    assert stranger.post(f"/charting/{charting['id']}/cancel").status_code == 404
    assert stranger.get("/charting").get_json()["total"] == 0
    refused = stranger.post("/charting", CHARTING | {"vesselId": charting["vesselId"]})
    assert pointers(refused) == {"/vesselId"}


def test_a_change_on_top_of_an_unseen_change_is_refused(planner: ApiClient) -> None:
    charting = planner.order()
    path = f"/charting/{charting['id']}"
    seen = planner.get(f"{path}?addCharting=false").headers["ETag"]
    assert (
        planner.get(f"{path}?addCharting=false", headers={"If-None-Match": seen}).status_code == 304
    )
    assert planner.put(path, charting, headers={"If-Match": seen}).status_code == 200
    assert planner.put(path, charting, headers={"If-Match": seen}).status_code == 412


def test_an_order_sent_again_is_one_charting(planner: ApiClient) -> None:
    asked = CHARTING | {"vesselId": planner.make_vessel()["id"]}
    answers = [
        planner.post("/charting", asked, headers={"Idempotency-Key": "o-1"}) for _ in range(3)
    ]
    assert len({answer.data for answer in answers}) == 1
    assert planner.get("/charting").get_json()["total"] == 1


def test_every_field_of_an_order_is_kept_and_given_back(planner: ApiClient) -> None:
    given = {
        "nidFrom": "NLRTM",
        "nidTo": "GBLON",
        "endDate": "2026-03-03T06:00:00+02:00",
        "maxWaveHeight": 5,
        "waveUnit": "DOUGLAS",
        "maxWindBf": 12.5,
        "windUnit": "M/S",
        "maxNorthLat": 60,
        "maxSouthLat": -55.5,
        "noGoAreas": [{"type": "Feature", "properties": {"name": "Wreck"}, "geometry": {
            "type": "Polygon", "coordinates": [[[2, 52], [2.1, 52], [2.1, 52.1], [2, 52]]]}}],
        "importedData": [{"name": "Old way", "waypoints": [
            {"lat": 51.98, "lng": 4.0}, {"lat": 51.5, "lng": 1.2}]}],
        "owner": "Vos", "triggeredBy": "master", "onboardingUploadedFileKey": "k/1",
        "isAlterFrom": True, "avoidEca": True, "avoidPiracyAreas": False, "avoidWarZones": False,
    }  # fmt: skip
    charting = planner.order(**given)
    canonical = {"endDate": "2026-03-03T04:00:00Z", "waveUnit": "douglas", "windUnit": "m/s"}
    assert {name: charting[name] for name in given} == given | canonical


def test_latitude_limits_that_leave_nothing_between_are_refused(planner: ApiClient) -> None:
    vessel = planner.make_vessel()
    limits = {"vesselId": vessel["id"], "maxNorthLat": 40, "maxSouthLat": 45}
    refused = planner.post("/charting", CHARTING | limits)
    assert refused.status_code == 422
    assert [fault["pointer"] for fault in refused.get_json()["errors"]] == ["/maxSouthLat"]


def test_a_draught_over_the_scantling_draught_is_refused_in_words(planner: ApiClient) -> None:
    vessel = planner.make_vessel()
    refused = planner.post("/charting", CHARTING | {"vesselId": vessel["id"], "draft": 14.8})
    assert refused.status_code == 422
    (error,) = refused.get_json()["errors"]
    assert error["pointer"] == "/draft"
    assert "scantling draught of 14.45 m" in error["detail"]


@pytest.mark.parametrize(
    ("loading", "detail"),
    [
        (
            {"draft": 14.4, "trim": -12},
            "-12.00 m makes the draught 8.40 m aft and 20.40 m forward, but the hull of Noordster"
            " is 20.05 m deep. Enter -11.30 to 11.30.",
        ),
        (
            {"draft": 6, "trim": 14},
            "14.00 m makes the draught 13.00 m aft and -1.00 m forward, but the hull of Noordster"
            " is 20.05 m deep. Enter -12.00 to 12.00.",
        ),
    ],
)
def test_a_trim_that_puts_an_end_under_or_above_the_water_is_refused_in_words(
    planner: ApiClient, loading: dict[str, float], detail: str
) -> None:
    vessel = planner.make_vessel()
    refused = planner.post("/charting", CHARTING | {"vesselId": vessel["id"]} | loading)
    assert refused.status_code == 422
    assert refused.get_json()["errors"] == [{"pointer": "/trim", "detail": detail}]


def test_a_pitch_that_no_propeller_of_hers_has_is_refused(planner: ApiClient) -> None:
    vessel = planner.make_vessel()
    refused = planner.post("/charting", CHARTING | {"vesselId": vessel["id"], "pitch": 40})
    assert {error["pointer"] for error in refused.get_json()["errors"]} == {"/pitch"}


def test_a_plan_warns_of_a_past_departure_and_a_port_code_that_does_not_fit_the_position(
    planner: ApiClient, plan: Callable[[str], None]
) -> None:
    charting_id = planner.order(nidTo="JPTYO")["id"]
    plan(charting_id)
    warnings = planner.get(f"/charting/{charting_id}").get_json()["warnings"]
    (past,) = [each for each in warnings if each["code"] == "DEPARTURE_PAST"]
    assert "which is past" in past["detail"]
    (mismatch,) = [each for each in warnings if each["code"] == "PORT_MISMATCH"]
    assert mismatch["detail"].startswith("nidTo JPTYO is Tokyo Ko, Japan")
