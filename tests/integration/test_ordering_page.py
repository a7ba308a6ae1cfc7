"""Information and inputs of the planning page."""

import io
import re
from datetime import timedelta
from typing import Any

import pytest

from tests.ais_sentences import MMSI, make_message, with_tag_block
from tests.integration.browser import HTML, ORDER, Browser, read_page_data
from tests.integration.client import ApiClient
from tests.integration.test_telemetry import NOON, at
from tests.integration.voyages import Plan

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

SAILED = {"steamingHours": 24, "speedThroughWater": 12, "fuel": 20}
AREA = {
    "type": "Feature",
    "properties": {"name": "Wind farm"},
    "geometry": {
        "type": "Polygon",
        "coordinates": [[[2.5, 51.7], [2.6, 51.7], [2.6, 51.8], [2.5, 51.7]]],
    },
}
SOUTHWARD = {
    "name": "By hand",
    "waypoints": [{"lat": 51.98, "lng": 4.0}, {"lat": 51.6, "lng": 2.5}, {"lat": 51.5, "lng": 1.2}],
}
TO_SINGAPORE = {
    **{"latFrom": 51.98, "lngFrom": 4.05, "latTo": 1.25, "lngTo": 103.83, "draft": 12},
    **{"startDate": "2026-12-01T06:00:00Z", "avoidPiracyAreas": "true", "avoidWarZones": "true"},
}


def test_the_form_and_an_order_by_names_have_the_same_defaults(
    browser: Browser, planner: ApiClient
) -> None:
    planner.make_vessel(imo="9074729")
    named = {"vessel_imo": "9074729", "from": "NLRTM", "to": "USNYC", "depart": ORDER["startDate"]}
    ordered = planner.post("/routes/optimize", named).get_json()
    (shown,) = read_page_data(browser.get("/").text)["vessels"]
    assert shown["defaults"].items() <= ordered.items()
    assert {"speedRangeMin", "rpm", "dwt"} <= shown["defaults"].keys()


def test_a_form_sent_again_after_its_answer_was_lost_is_processed_once(
    browser: Browser, planner: ApiClient
) -> None:
    order = ORDER | {"vesselId": planner.make_vessel()["id"]}
    area = {"name": "Wind farm", "type": "USER_DEFINED", "level": "ORGANIZATION"}
    area |= {"geometry": AREA["geometry"]}
    headers = {"Accept": "application/json", "X-CSRFToken": browser.token()}
    for path, body in (("/chartings", order), ("/constraints", area)):
        first, again, other = (
            browser.http.post(path, json=body, headers=headers | {"Idempotency-Key": f"{path}{n}"})
            for n in (1, 1, 2)
        )
        assert first.status_code == again.status_code == 200, first.text
        assert again.get_json()["id"] == first.get_json()["id"]
        assert other.get_json()["id"] != first.get_json()["id"]


def test_an_area_and_a_reference_route_go_with_the_order(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    body = ORDER | {"vesselId": planner.make_vessel()["id"]}
    made = browser.post("/chartings", body | {"noGoAreas": [AREA], "importedData": [SOUTHWARD]})
    charting_id = made.get_json()["id"]
    plan(charting_id)
    charting = planner.get(f"/charting/{charting_id}").get_json()
    assert charting["status"] == "COMPLETED"
    assert charting["noGoAreas"] == [AREA]
    assert "By hand" in [alternative["label"] for alternative in charting["alternatives"]]


def test_the_rhumb_lines_of_a_file_go_with_the_order_and_its_copies(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    header, *places = "lat,lng,legGeometry", (51.98, 4.0), (51.6, 2.5), (51.5, 1.2)
    lines = [header, *(f"{lat},{lng},RL" for lat, lng in places)]
    file = {"file": (io.BytesIO("\n".join(lines).encode()), "own.csv")}
    headers = {"Accept": "application/json", "X-CSRFToken": browser.token()}
    read = browser.http.post("/reference-routes", data=file, headers=headers).get_json()
    assert [point["legGeometry"] for point in read["waypoints"]] == ["RHUMB"] * 3
    route = {name: read[name] for name in ("name", "waypoints")}
    body = ORDER | {"vesselId": planner.make_vessel()["id"], "importedData": [route]}
    charting_id = browser.post("/chartings", body).get_json()["id"]
    plan(charting_id)
    charting = planner.get(f"/charting/{charting_id}").get_json()
    assert charting["importedData"] == [route]
    (own,) = (other for other in charting["alternatives"] if other["label"] == "own.csv")
    assert [point["legGeometry"] for point in own["waypoints"]] == [None, "RHUMB", "RHUMB"]
    copied = read_page_data(browser.get(f"/?again={charting_id}").text)["earlier"]
    assert copied["importedData"] == [route]


def test_the_time_and_fuel_of_an_unsafe_reference_route_are_not_compared(
    browser: Browser, planner: ApiClient, plan: Plan
) -> None:
    across = [{"lat": 51.98, "lng": 4.0}, {"lat": 52.5, "lng": -1.5}, {"lat": 51.5, "lng": 1.2}]
    route = {"name": "Across", "waypoints": across}
    body = ORDER | {"vesselId": planner.make_vessel()["id"], "importedData": [route]}
    charting_id = browser.post("/chartings", body).get_json()["id"]
    plan(charting_id)
    page = browser.get(f"/voyages/{charting_id}").text
    assert "Its fuel and time are not compared." in page
    rows = [row for row in re.findall(r"<tr[ >].*?</tr>", page, re.S) if "Across" in row]
    panel, compared = (re.findall(r"<td[^>]*>([^<]*)", row) for row in rows)
    assert panel[2:] == ["–"] * 2
    assert compared[2:5] == ["–"] * 3
    assert "–" not in (panel[1], compared[1])


def test_an_area_that_crosses_itself_is_reported_at_its_field(
    browser: Browser, planner: ApiClient
) -> None:
    bow = [[[0, 50], [1, 51], [1, 50], [0, 51], [0, 50]]]
    crossed = AREA | {"geometry": {"type": "Polygon", "coordinates": bow}}
    body = ORDER | {"vesselId": planner.make_vessel()["id"], "noGoAreas": [crossed]}
    (fault,) = browser.post("/chartings", body).get_json()["errors"]
    assert fault["pointer"].startswith("/noGoAreas/0")


def test_a_trim_that_no_ship_can_have_is_reported_at_its_field(
    browser: Browser, planner: ApiClient
) -> None:
    body = ORDER | {"vesselId": planner.make_vessel()["id"], "draft": 6, "trim": 14}
    (fault,) = browser.post("/chartings", body).get_json()["errors"]
    assert fault["pointer"] == "/trim"
    assert fault["detail"].endswith("Enter -12.00 to 12.00.")


def test_a_file_is_read_as_a_reference_route_or_refused_in_words(browser: Browser) -> None:
    headers = {"Accept": "application/json", "X-CSRFToken": browser.token()}

    def send(content: bytes) -> Any:
        file = {"file": (io.BytesIO(content), "own.csv")}
        return browser.http.post("/reference-routes", data=file, headers=headers)

    read = send(b"lat,lng\n51.98,4\n51.5,1.2\n").get_json()
    assert (read["name"], len(read["waypoints"])) == ("own.csv", 2)
    refused = send(b"nothing")
    assert refused.status_code == 422
    assert refused.get_json()["errors"][0]["pointer"] == "/importedData"


def test_closing_suez_is_reported_before_ordering(browser: Browser, planner: ApiClient) -> None:
    asked = TO_SINGAPORE | {"vesselId": planner.make_vessel()["id"]}
    closed = browser.http.get("/chartings/route-preview", query_string=asked).get_json()["closed"]
    assert (closed["label"], closed["open_label"]) == ("by the Cape of Good Hope", "by Suez")
    assert closed["distance_nm"] > closed["open_distance_nm"] + 3000
    assert "war-risk areas" in closed["closed_by"]


def test_a_voyage_out_of_an_avoided_zone_is_reported_too(
    browser: Browser, planner: ApiClient
) -> None:
    asked = TO_SINGAPORE | {"vesselId": planner.make_vessel()["id"]}
    asked |= {"latFrom": 25.2, "lngFrom": 56.5, "latTo": 29.8, "lngTo": 32.55}
    closed = browser.http.get("/chartings/route-preview", query_string=asked).get_json()["closed"]
    assert closed["distance_nm"] > closed["open_distance_nm"] + 8000


@pytest.mark.parametrize(
    "changes",
    [
        {"avoidPiracyAreas": "false", "avoidWarZones": "false"},
        {"latTo": 40.45, "lngTo": -73.8},
        {"latTo": 47.0, "lngTo": 8.0},
        {"draft": "deep"},
    ],
    ids=["nothing avoided", "not by Suez", "no water there", "no number"],
)
def test_nothing_is_reported_where_nothing_is_closed(
    browser: Browser, planner: ApiClient, changes: dict[str, Any]
) -> None:
    asked = TO_SINGAPORE | {"vesselId": planner.make_vessel()["id"]} | changes
    assert browser.http.get("/chartings/route-preview", query_string=asked).get_json() == {
        "closed": None
    }


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ({"lat": 45, "lng": -30}, {"isLand": False}),
        ({"lat": 48.5, "lng": 2}, {"depthM": None, "isLand": True}),
        ({"lat": 50.9, "lng": 1.4}, {"depthM": None, "isLand": False}),
    ],
    ids=["open sea", "land", "near the coast"],
)
def test_depth_is_reported_where_it_can_be_believed(
    browser: Browser, place: dict[str, float], told: dict[str, Any]
) -> None:
    answer = browser.http.get("/chart/depth", query_string=place).get_json()
    assert told.items() <= answer.items()
    assert (answer["depthM"] or 0) > 2000 or "depthM" in told
    assert browser.http.get("/chart/depth?lat=91&lng=0", headers=HTML).status_code == 422


def test_tiles_of_unproven_water_are_kept_for_an_hour(browser: Browser) -> None:
    answer = browser.http.get("/chart/unproven/2/8/78/95")
    tile = answer.get_json()
    assert all(row < tile["side"] and first + n <= tile["side"] for row, first, n in tile["runs"])
    assert answer.cache_control.max_age == 3600
    assert browser.http.get("/chart/unproven/2/3/0/0", headers=HTML).status_code == 404


def test_vessels_are_shown_where_they_last_were(
    browser: Browser, planner: ApiClient, stranger: ApiClient
) -> None:
    for client in (planner, stranger):
        ship = client.make_vessel()["id"]
        for hour, lng in ((0, -20.0), (2, -19.0), (1, -19.5)):
            client.post(f"/telemetry/{ship}", at(hour, latitude=50.0, longitude=lng))
    planner.make_vessel(name="Silent")
    (position,) = read_page_data(browser.get("/").text)["live"]["positions"]
    assert (position["lat"], position["lng"]) == (50.0, -19.0)


def test_a_vessel_is_shown_where_its_newest_report_of_any_kind_has_it(
    browser: Browser, planner: ApiClient
) -> None:
    def show() -> tuple[float, float | None, float | None]:
        (position,) = read_page_data(browser.get("/").text)["live"]["positions"]
        return position["lat"], position["speedKn"], position["headingDeg"]

    ship = planner.make_vessel(mmsi=MMSI)["id"]
    planner.post(f"/telemetry/{ship}", at(0, latitude=50.0))
    noon = {"timestamp": at(24)["timestamp"], "latitude": 49.0, "longitude": -15.0, **SAILED}
    without_place = {"timestamp": at(48)["timestamp"], **SAILED}
    answer = planner.post(f"/vessel/{ship}/noon-reports", [noon, without_place])
    assert answer.status_code == 200, answer.text
    assert show() == (49.0, None, None)
    heard = with_tag_block(make_message(lat=48.0), NOON + timedelta(hours=30))
    planner.post(f"/telemetry/{ship}/ais", data=heard, headers={"Content-Type": "text/plain"})
    assert show() == (48.0, 13.4, 230.0)
    planner.post(f"/telemetry/{ship}", at(36, latitude=47.0))
    assert show() == (47.0, at(36)["speed"], at(36)["heading"])


def test_constraints_are_layers_of_the_chart_while_they_last(
    browser: Browser, planner: ApiClient
) -> None:
    ring = AREA["geometry"]
    days = (("Now", None, None), ("Over", None, "2020-01-01"), ("Soon", "2090-01-01", None))
    for name, first, last in days:
        window = {"start_date": first, "end_date": last}
        body = {"name": name, "type": "USER_DEFINED", "level": "GLOBAL", "geometry": ring} | {
            key: day for key, day in window.items() if day
        }
        assert planner.post("/constraints", body).status_code == 201
    shown = {
        area["name"]: area["isOff"] for area in read_page_data(browser.get("/").text)["constraints"]
    }
    assert shown == {"Now": False, "Soon": True}
