"""Quotes: immediate estimates of a voyage."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from openapi_schema_validator import OAS30Validator

from tests.integration.client import CHARTING, VESSEL, ApiClient, list_pointers

pytestmark = pytest.mark.atlas

ENDS = {name: CHARTING[name] for name in ("latFrom", "lngFrom", "latTo", "lngTo")}
VOYAGE: dict[str, Any] = ENDS | {"speed": 12, "draft": 10, "startDate": "2026-03-01T06:00:00Z"}
SINGAPORE = {"latTo": 1.2, "lngTo": 103.8}


@pytest.fixture
def quoted(planner: ApiClient) -> Callable[..., dict[str, Any]]:
    vessel_id = planner.make_vessel()["id"]

    def ask(**changes: Any) -> dict[str, Any]:
        answer = planner.post("/routes/quote", VOYAGE | {"vesselId": vessel_id} | changes)
        assert answer.status_code == 200, answer.text
        quote: dict[str, Any] = answer.get_json()
        return quote

    return ask


def test_a_quote_is_as_described_and_stores_nothing(
    app: Flask, planner: ApiClient, quoted: Callable[..., dict[str, Any]]
) -> None:
    quote = quoted()
    components = app.test_client().get("/v1/openapi.json").get_json()["components"]
    schema = {"$ref": "#/components/schemas/Quote", "components": components}
    OAS30Validator(schema).validate(quote)
    assert 95 < quote["distanceNm"] < 130
    assert quote["durationH"] == pytest.approx(quote["distanceNm"] / quote["avgSpeedKn"], rel=0.01)
    assert quote["eta"].startswith("2026-03-01T1")
    assert quote["warnings"][0]["code"] == "DEPARTURE_PAST"
    assert planner.get("/charting").get_json()["total"] == 0
    assert planner.get("/vessel").get_json()["total"] == 1


def test_a_quote_is_what_a_charting_at_that_speed_plans_in_a_calm_sea(
    planner: ApiClient, quoted: Callable[..., dict[str, Any]], plan: Callable[[str, int], None]
) -> None:
    quote = quoted()
    charting_id = planner.order(speedRangeMin=12, speedRangeMax=12)["id"]
    plan(charting_id, 1)
    summary = planner.get(f"/charting/{charting_id}").get_json()["summary"]
    assert quote["distanceNm"] == pytest.approx(summary["distanceNm"], rel=0.01)
    assert quote["fuelMt"] == pytest.approx(summary["fuelMt"], rel=0.05)


def test_a_faster_ship_burns_more_and_arrives_sooner(
    quoted: Callable[..., dict[str, Any]],
) -> None:
    slow, fast = quoted(speed=10), quoted(speed=14)
    assert fast["durationH"] < slow["durationH"]
    assert fast["fuelMt"] > slow["fuelMt"]


def test_other_routes_stand_with_the_best_and_zones_close_them_as_in_a_charting(
    quoted: Callable[..., dict[str, Any]],
) -> None:
    around = quoted(**SINGAPORE)
    through = quoted(**SINGAPORE, avoidWarZones=False, avoidPiracyAreas=False)
    assert "Cape of Good Hope" in around["label"]
    assert "Suez" in through["label"]
    assert through["distanceNm"] < 0.8 * around["distanceNm"]
    assert "by the Cape of Good Hope" in {other["label"] for other in through["alternatives"]}


def test_a_constraint_is_kept_out_of(
    planner: ApiClient, quoted: Callable[..., dict[str, Any]]
) -> None:
    direct = quoted()
    ring = [[2.2, 51.2], [2.6, 51.2], [2.6, 52.4], [2.2, 52.4], [2.2, 51.2]]
    planner.post(
        "/constraints",
        {
            "name": "Barrier",
            "type": "MILITARY",
            "level": "GLOBAL",
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        },
    )
    assert quoted()["distanceNm"] > direct["distanceNm"] + 2


def test_a_ship_need_not_be_registered(
    planner: ApiClient, quoted: Callable[..., dict[str, Any]]
) -> None:
    registered = quoted()
    described = planner.post("/routes/quote", VOYAGE | {"particulars": VESSEL})
    assert described.status_code == 200, described.text
    assert described.get_json() == registered


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({}, "/vesselId"),
        ({"vesselId": "none"}, "/vesselId"),
        ({"particulars": VESSEL, "vesselId": "none"}, "/vesselId"),
        ({"particulars": VESSEL | {"loa": 20}}, "/particulars/lbp"),
        ({"particulars": VESSEL | {"speed": 20}}, "/particulars/speed"),
        ({"particulars": VESSEL | {"orgId": "another"}}, "/particulars/orgId"),
        ({"particulars": VESSEL, "draft": 20}, "/draft"),
        ({"particulars": VESSEL, "latTo": 23.0, "lngTo": 5.0}, "/latTo"),
        ({"particulars": VESSEL, "latTo": 51.98, "lngTo": 4.0}, "/latTo"),
        ({"particulars": VESSEL, "speed": 0}, "/speed"),
        ({"particulars": VESSEL, "rpm": 90}, "/rpm"),
    ],
)
def test_what_cannot_be_priced_is_refused_at_its_place(
    planner: ApiClient, change: dict[str, Any], place: str
) -> None:
    assert place in list_pointers(planner.post("/routes/quote", VOYAGE | change))


def test_another_organizations_vessel_is_not_priced(
    planner: ApiClient, stranger: ApiClient
) -> None:
    vessel_id = planner.make_vessel()["id"]
    assert list_pointers(stranger.post("/routes/quote", VOYAGE | {"vesselId": vessel_id})) == [
        "/vesselId"
    ]
