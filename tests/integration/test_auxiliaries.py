"""Fuel and CO2 of a vessel's auxiliaries, in addition to those of the main engine."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.client import VESSEL, ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("redis", "climatology")]

Plan = Callable[[str, int], None]

#: MGO instead of VLSFO inside an ECA, by calorific value; see app/engine/vessel/fuels.py.
ECA_FACTOR = 41.2 / 42.7


def planned(planner: ApiClient, plan: Plan, **vessel: Any) -> dict[str, Any]:
    ship = planner.make_vessel(gt=43_000, **vessel)
    assert ship["auxiliaryMtPerDay"] == vessel.get("auxiliaryMtPerDay")
    charting_id = planner.order(vesselId=ship["id"])["id"]
    plan(charting_id, 1)
    record: dict[str, Any] = planner.get(f"/charting/{charting_id}").get_json()
    assert record["status"] == "COMPLETED", record["failure"]
    return record


def test_auxiliaries_stand_with_the_main_engine_and_in_totals(
    planner: ApiClient, plan: Plan
) -> None:
    without = planned(planner, plan)["summary"]
    record = planned(planner, plan, auxiliaryMtPerDay=3)
    summary = record["summary"]
    for name in ("fuelMt", "co2Mt", "distanceNm", "durationH", "baselineFuelMt"):
        assert summary[name] == without[name]
    burnt = 3.0 * summary["durationH"] / 24.0
    assert ECA_FACTOR * burnt - 0.001 <= summary["auxiliaryFuelMt"] <= burnt + 0.001
    for kind in ("Fuel", "Co2"):
        parts = summary[f"{kind.lower()}Mt"] + summary[f"auxiliary{kind}Mt"]
        assert summary[f"total{kind}Mt"] == pytest.approx(parts, abs=0.002)
    assert 3.15 < summary["auxiliaryCo2Mt"] / summary["auxiliaryFuelMt"] < 3.21
    more = summary["totalCo2Mt"] / summary["co2Mt"]
    assert summary["cii"]["attained"] == pytest.approx(without["cii"]["attained"] * more, rel=0.01)
    told = planner.get(f"/charting/{record['id']}/explanation").get_json()["summary"]
    assert f"The auxiliaries burn {summary['auxiliaryFuelMt']:.1f} mt more" in told
    assert "The main engine burns" in told


def test_without_a_figure_nothing_is_claimed_of_auxiliaries(planner: ApiClient, plan: Plan) -> None:
    record = planned(planner, plan)
    for name in ("auxiliaryFuelMt", "auxiliaryCo2Mt", "totalFuelMt", "totalCo2Mt"):
        assert record["summary"][name] is None
    told = planner.get(f"/charting/{record['id']}/explanation").get_json()["summary"]
    assert "auxiliaries" not in told


def test_a_quote_counts_auxiliaries_too(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel(auxiliaryMtPerDay=2.4)["id"]
    ends = {"latFrom": 51.98, "lngFrom": 4.0, "latTo": 51.5, "lngTo": 1.2}
    asked = ends | {"vesselId": vessel_id, "speed": 12, "draft": 10}
    quote = planner.post("/routes/quote", asked).get_json()
    both = quote["fuelMt"] + quote["auxiliaryFuelMt"]
    assert quote["totalFuelMt"] == pytest.approx(both, abs=0.002)
    assert 0 < quote["auxiliaryFuelMt"] <= 0.1 * quote["durationH"] + 0.001


@pytest.mark.parametrize("value", [-1, 500, "3"])
def test_what_no_ships_auxiliaries_burn_is_refused(planner: ApiClient, value: Any) -> None:
    refused = planner.post("/vessel", VESSEL | {"auxiliaryMtPerDay": value})
    assert refused.status_code == 422
    (error,) = refused.get_json()["errors"]
    assert error["pointer"] == "/auxiliaryMtPerDay"
    # by its value, not as a field that there is not
    assert str(value) in error["detail"]
    assert "nknown" not in error["detail"]
