"""Routes requested by names are submitted as chartings."""

from typing import Any

import pytest

from tests.integration.client import VESSEL, ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

IMO = "9074729"
ORDER: dict[str, Any] = {
    "vessel_imo": IMO,
    "from": "NLRTM",
    "to": "New York",
    "depart": "2026-03-01T06:00:00Z",
    "mode": "balanced",
    "constraints": {"max_wave_m": 6.5, "northern_position": 60},
}


@pytest.fixture
def owner(planner: ApiClient) -> ApiClient:
    """A planner with a vessel that has an IMO number."""
    planner.make_vessel(imo=IMO)
    return planner


def fault(response: Any) -> tuple[str, str]:
    assert response.status_code == 422, response.text
    (only,) = response.get_json()["errors"]
    return only["pointer"], only["detail"]


def test_an_order_by_names_becomes_a_charting(owner: ApiClient) -> None:
    response = owner.post("/routes/optimize", ORDER)
    charting = response.get_json()
    assert response.status_code == 201, response.text
    assert response.headers["Location"] == f"/v1/charting/{charting['id']}"
    assert charting["status"] == "QUEUED"
    assert (charting["portFromName"], charting["nidFrom"]) == ("Rotterdam", "NLRTM")
    assert (charting["portToName"], charting["nidTo"]) == ("New York City", "USNYC")
    assert charting["latTo"] == pytest.approx(40.7, abs=0.2)
    assert charting["optimizationType"] == "BAL"
    assert (charting["maxWaveHeight"], charting["waveUnit"]) == (6.5, "meters")
    assert charting["maxNorthLat"] == 60
    assert charting["speedRangeMax"] == VESSEL["serviceSpeed"]
    assert charting["draft"] == VESSEL["draftDesign"]
    assert 0.7 * VESSEL["dwt"] < charting["dwt"] < VESSEL["dwt"]
    assert 60 < charting["rpm"] < 130
    again = owner.get(f"/charting/{charting['id']}").get_json()
    assert again["vesselId"] == charting["vesselId"]
    # a charting as any other: it can be sent back
    assert owner.put(f"/charting/{charting['id']}", again).status_code == 200


def test_only_ship_ports_and_day_are_needed(owner: ApiClient) -> None:
    needed = {name: ORDER[name] for name in ("vessel_imo", "from", "to", "depart")}
    charting = owner.post("/routes/optimize", needed | {"vessel_imo": int(IMO)}).get_json()
    assert charting["optimizationType"] == "FUEL"
    assert charting["maxWaveHeight"] is None


@pytest.mark.parametrize(
    ("changes", "pointer", "words"),
    [
        ({"to": "Portland"}, "/to", "Portland, Australia (AUPTJ)"),
        ({"from": "Saint Petersburg"}, "/from", "St Petersburg, United States (USSPG)"),
        ({"from": "Utopia"}, "/from", "No port is called 'Utopia'. Give a UN/LOCODE"),
        ({"from": "Rotterdamm"}, "/from", "Similar: Rotterdam, Netherlands (NLRTM)"),
        ({"vessel_imo": "9319466"}, "/vessel_imo", "no vessel with this IMO number"),
        ({"vessel_imo": "12"}, "/vessel_imo", "seven digits"),
        ({"mode": "cheap"}, "/mode", "Must be one of"),
        ({"to": "Rotterdam"}, "/to", "less than a mile apart"),
        ({"depart": "2026-03-01"}, "/depart", "RFC 3339"),
        ({"constraints": {"cii_target": "F"}}, "/constraints/cii_target", "Must be one of"),
        ({"constraints": {"max_wave": 3}}, "/constraints/max_wave", "Unknown field"),
    ],
)
def test_what_is_unclear_is_refused_with_suggestions(
    owner: ApiClient, changes: dict[str, Any], pointer: str, words: str
) -> None:
    place, detail = fault(owner.post("/routes/optimize", ORDER | changes))
    assert place == pointer
    assert words in detail
    assert owner.get("/charting").get_json()["total"] == 0


def test_a_rating_asked_for_brings_the_speed_down(owner: ApiClient) -> None:
    def highest(rating: str) -> float:
        sent = ORDER | {"constraints": {"cii_target": rating}}
        charting = owner.post("/routes/optimize", sent).get_json()
        speed: float = charting["speedRangeMax"]
        assert charting["speedRangeMin"] <= speed
        return speed

    strict, mild = highest("A"), highest("C")
    assert strict < mild <= VESSEL["serviceSpeed"]


def test_auxiliaries_count_for_a_rating_and_the_rating_stays_in_the_request(
    owner: ApiClient,
) -> None:
    sent = ORDER | {"constraints": {"cii_target": "B"}}
    before = owner.post("/routes/optimize", sent).get_json()
    vessel = owner.get(f"/vessel/{before['vesselId']}").get_json()
    changed = owner.put(f"/vessel/{vessel['id']}", vessel | {"auxiliaryMtPerDay": 4.0})
    assert changed.status_code == 200, changed.text
    after = owner.post("/routes/optimize", sent).get_json()
    assert after["speedRangeMax"] < before["speedRangeMax"]
    assert after["ciiTarget"] == "B"


def test_a_rating_that_no_year_knows_is_refused(owner: ApiClient) -> None:
    sent = ORDER | {"depart": "2045-03-01T06:00:00Z", "constraints": {"cii_target": "B"}}
    assert fault(owner.post("/routes/optimize", sent))[0] == "/constraints/cii_target"


def test_a_viewer_orders_nothing_and_strangers_have_no_such_ship(
    owner: ApiClient, viewer: ApiClient, stranger: ApiClient
) -> None:
    assert viewer.post("/routes/optimize", ORDER).status_code == 403
    assert fault(stranger.post("/routes/optimize", ORDER))[0] == "/vessel_imo"
