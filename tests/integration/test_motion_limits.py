"""Motion limits of a vessel, beyond which it slows down."""

from typing import Any

import pytest

from app.engine.particulars import MotionLimits
from app.models import Vessel
from app.services.engine_mapping import build_ship_particulars, snapshot_vessel
from tests.integration.browser import Browser
from tests.integration.client import VESSEL, ApiClient
from tests.integration.test_vessel_pages import FORM

pytestmark = pytest.mark.usefixtures("redis")

LIMITS = {"slammingLimit": 0.02, "deckWetnessLimit": 0.07, "bowAccelerationLimit": 0.2}


def test_a_vessel_keeps_its_motion_limits_until_they_are_removed(planner: ApiClient) -> None:
    vessel = planner.make_vessel(**LIMITS)
    assert {name: vessel[name] for name in LIMITS} == LIMITS
    address = f"/vessel/{vessel['id']}"
    changed = planner.put(address, VESSEL | {"deckWetnessLimit": None})
    assert changed.status_code == 200
    assert planner.get(address).get_json()["deckWetnessLimit"] is None


def test_a_voyage_is_planned_within_the_limits_that_its_vessel_had() -> None:
    vessel = Vessel(
        **dict.fromkeys(("dwt_t", "loa_m", "lbp_m", "breadth_m", "depth_m"), 100.0),
        **dict.fromkeys(("draft_design_m", "draft_scantling_m", "service_speed_kn"), 10.0),
        type_code=1,
        slamming_limit=0.02,
        bow_acceleration_limit_g=0.2,
    )
    kept = snapshot_vessel(vessel)
    asked = MotionLimits(slamming=0.02, deck_wetness=None, bow_acceleration_g=0.2)
    assert build_ship_particulars(kept).motion_limits == asked
    # snapshots from before the limits were kept have the usual ones
    older = {name: value for name, value in kept.items() if "_limit" not in name}
    assert build_ship_particulars(older).motion_limits == MotionLimits()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("slammingLimit", 0),
        ("deckWetnessLimit", 1.2),
        ("bowAccelerationLimit", -0.1),
        ("bowAccelerationLimit", "0.2"),
    ],
)
def test_what_can_be_no_limit_is_refused_at_its_field(
    planner: ApiClient, name: str, value: Any
) -> None:
    refused = planner.post("/vessel", VESSEL | {name: value})
    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.get_json()["errors"]] == [f"/{name}"]


def test_the_form_of_a_vessel_takes_and_shows_the_limits(
    browser: Browser, planner: ApiClient
) -> None:
    made = browser.post("/fleet/new", FORM | {"deckWetnessLimit": 0.07})
    address = made.get_json()["address"]
    (vessel,) = planner.get("/vessel").get_json()["items"]
    assert (vessel["deckWetnessLimit"], vessel["slammingLimit"]) == (0.07, None)
    assert 'value="0.07"' in browser.get(f"{address}/edit").text
    assert "Water on deck per wave, limit" in browser.get(address).text
    refused = browser.post("/fleet/new", FORM | {"deckWetnessLimit": 2}).get_json()["errors"]
    assert refused[0]["pointer"] == "/deckWetnessLimit"
    assert refused[0]["detail"] == "Enter more than 0, at most 1."
