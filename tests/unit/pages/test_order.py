"""Planning form, read as a charting request."""

from datetime import UTC, datetime
from typing import Any

import pytest

from app.pages.views.order import OrderSchema, read_order, read_voyage
from app.records.charting import DEFAULTS, ChartingSchema
from app.services.errors import Invalid

ORDER: dict[str, Any] = {
    "portFromName": "Rotterdam",
    "latFrom": 51.98,
    "lngFrom": 4.05,
    "portToName": "New York",
    "latTo": 40.4,
    "lngTo": -73.8,
    "startDate": "2026-01-14T18:00:00.000Z",
    "vesselId": "018f",
    "speedRangeMin": 11,
    "speedRangeMax": 14,
    "draft": 12.2,
    "trim": 0,
    "rpm": 100,
    "dwt": 80_000,
    "lbp": 225.5,
    "pitch": 5.1,
    "optimizationType": "FUEL",
    "routeType": "WX",
    "avoidEca": False,
    "avoidPiracyAreas": True,
    "avoidWarZones": True,
}


def faults_of(body: Any) -> dict[str, str]:
    with pytest.raises(Invalid) as refused:
        read_order(body)
    return {fault.pointer: fault.detail for fault in refused.value.faults}


def test_a_form_is_read_as_a_complete_request() -> None:
    request = read_order(ORDER)
    assert request["startDate"] == datetime(2026, 1, 14, 18, tzinfo=UTC)
    assert request["waveUnit"] == "meters"
    assert request["maxWaveHeight"] is None
    assert request["isAlterFrom"] is False


def test_the_form_takes_every_field_of_a_request_and_the_same_defaults() -> None:
    of_a_request = set(ChartingSchema().fields) - {"organization_id"}
    assert set(OrderSchema().fields) == of_a_request
    assert read_order(ORDER).items() >= (DEFAULTS | {"avoidEca": False}).items()


@pytest.mark.parametrize("name", ["nidFrom", "endDate", "noGoAreas", "importedData", "owner"])
def test_what_an_earlier_request_left_empty_may_be_empty(name: str) -> None:
    assert read_order(ORDER | {name: None})[name] is None


def test_each_missing_field_is_reported() -> None:
    body = {name: value for name, value in ORDER.items() if name not in ("latTo", "draft")}
    assert set(faults_of(body)) == {"/latTo", "/draft"}


def test_a_number_out_of_range_says_the_range() -> None:
    assert faults_of(ORDER | {"draft": 99}) == {"/draft": "Enter 0.5 to 30."}
    assert faults_of(ORDER | {"maxWaveHeight": -1}) == {"/maxWaveHeight": "Enter 0 to 100."}


def test_contradictions_are_reported_beside_an_invalid_field_but_not_with_it() -> None:
    faults = faults_of(
        ORDER
        | {"maxWaveHeight": -1, "speedRangeMin": 19, "speedRangeMax": 12, "maxWindBf": 99}
        | {"windUnit": "bf", "endDate": "2026-01-13T18:00:00Z"}
    )
    assert set(faults) == {"/maxWaveHeight", "/speedRangeMin", "/maxWindBf", "/endDate"}
    faults = faults_of(ORDER | {"speedRangeMin": 19, "speedRangeMax": "fast"})
    assert set(faults) == {"/speedRangeMax"}


def test_the_voyage_is_read_from_a_query_and_not_from_half_of_one() -> None:
    query = {"latFrom": "51.98", "lngFrom": "4.05", "latTo": "40.4", "lngTo": "-73.8"}
    query |= {"startDate": "2026-01-14T18:00:00.000Z", "vesselId": "018f", "draft": "12.2"}
    query |= {"avoidPiracyAreas": "true", "avoidWarZones": "false"}
    voyage = read_voyage(query)
    assert voyage is not None
    assert (voyage["lngTo"], voyage["vesselId"], voyage["avoidWarZones"]) == (-73.8, "018f", False)
    assert voyage["startDate"] == datetime(2026, 1, 14, 18, tzinfo=UTC)
    assert read_voyage({name: text for name, text in query.items() if name != "draft"}) is None
    assert read_voyage(query | {"draft": "[" * 3000}) is None


@pytest.mark.parametrize("body", [None, [], "order"])
def test_an_invalid_body_is_rejected(body: Any) -> None:
    assert "/vesselId" in faults_of(body)


def test_an_unknown_field_is_rejected() -> None:
    assert set(faults_of(ORDER | {"maxWaveHight": 5})) == {"/maxWaveHight"}


def test_not_a_number_is_rejected() -> None:
    assert set(faults_of(ORDER | {"draft": float("nan")})) == {"/draft"}
