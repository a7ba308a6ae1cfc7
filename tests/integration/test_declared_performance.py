"""Declared speed and consumption of a vessel change its fuel estimates."""

from typing import Any, Final

import pytest

from app.engine.vessel import estimate_foc
from app.models import Vessel
from app.records.vessel import VesselSchema
from app.services.engine_mapping import build_ship_particulars, snapshot_vessel
from tests.integration.client import VESSEL, ApiClient

pytestmark = pytest.mark.usefixtures("redis")

POINT: Final[dict[str, Any]] = {"speed": 12.0, "focMtPerDay": 20.0, "beaufort": 5}
FILLED: Final = {
    "loading": "LADEN",
    "draft": None,
    "withAuxiliaries": False,
    "source": "OWNER",
    "basis": None,
}


def make_vessel(**particulars: Any) -> Vessel:
    """A vessel that is not stored."""
    return Vessel(**VesselSchema().load(VESSEL | particulars))


def estimate(vessel: Vessel) -> float:
    return estimate_foc(build_ship_particulars(snapshot_vessel(vessel))).foc_mt_per_day


def test_a_vessel_keeps_its_table_until_it_is_removed(planner: ApiClient) -> None:
    vessel = planner.make_vessel(performance=[POINT])
    assert vessel["performance"] == [POINT | FILLED]
    address = f"/vessel/{vessel['id']}"
    changed = planner.patch(address, {"captain": "A. Brown"})
    assert changed.get_json()["performance"] == [POINT | FILLED]
    assert planner.put(address, VESSEL).get_json()["performance"] is None


def test_a_table_that_says_less_fuel_lowers_the_estimate_and_more_raises_it() -> None:
    speed = VESSEL["serviceSpeed"]
    plain = estimate(make_vessel())
    for share in (0.85, 1.15):
        rows = [
            POINT | {"speed": factor * speed, "focMtPerDay": share * factor**3 * plain}
            for factor in (0.9, 1.0)
        ]
        assert estimate(make_vessel(performance=rows)) / plain == pytest.approx(share, abs=0.06)


def test_snapshots_from_before_tables_were_kept_are_read() -> None:
    kept = snapshot_vessel(make_vessel())
    older = {name: value for name, value in kept.items() if name != "performance"}
    assert build_ship_particulars(older) == build_ship_particulars(kept)


@pytest.mark.parametrize(
    ("row", "pointer"),
    [
        ({"focMtPerDay": 20.0}, "/performance/0/speed"),
        (POINT | {"focMtPerDay": -1}, "/performance/0/focMtPerDay"),
        (POINT | {"beaufort": 12}, "/performance/0/beaufort"),
        (POINT | {"source": "HEARSAY"}, "/performance/0/source"),
        (POINT | {"rpm": 80}, "/performance/0/rpm"),
    ],
)
def test_a_row_that_says_nothing_is_refused_at_its_field(
    planner: ApiClient, row: dict[str, Any], pointer: str
) -> None:
    refused = planner.post("/vessel", VESSEL | {"performance": [row]})
    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.get_json()["errors"]] == [pointer]


@pytest.mark.parametrize(
    ("row", "pointer", "words"),
    [
        ({"speed": 40.0}, "speed", "40 kn is implausible: expected "),
        ({"speed": 1e-300}, "speed", "is implausible: expected "),
        ({"draft": 1e12}, "draft", "is implausible: expected "),
        ({"focMtPerDay": 1e-200}, "focMtPerDay", "mt/day is implausible: this ship burns about"),
        ({"focMtPerDay": 599}, "focMtPerDay", "599 mt/day is implausible: this ship burns about"),
    ],
)
def test_a_row_of_another_ship_is_refused_in_words(
    planner: ApiClient, row: dict[str, Any], pointer: str, words: str
) -> None:
    refused = planner.post("/vessel", VESSEL | {"performance": [POINT | row]})
    assert refused.status_code == 422
    (error,) = refused.get_json()["errors"]
    assert error["pointer"] == f"/performance/0/{pointer}"
    assert words in error["detail"]


def test_nothing_is_fitted_to_a_ship_that_cannot_be(planner: ApiClient) -> None:
    tiny = VESSEL | {"pitch": 1e-300, "depth": 4e16, "performance": [POINT]}
    refused = planner.post("/vessel", tiny)
    assert refused.status_code == 422
    assert {error["pointer"] for error in refused.get_json()["errors"]} >= {"/pitch", "/depth"}


def test_a_shop_test_is_kept_and_moves_the_estimate(planner: ApiClient) -> None:
    usual = estimate(make_vessel())
    tested = [{"loadPct": 50, "sfoc": 190}, {"loadPct": 75, "sfoc": 187}]
    vessel = planner.make_vessel(shopTest=tested)
    assert vessel["shopTest"] == tested
    thirsty = estimate(make_vessel(shopTest=tested))
    assert 1.05 < thirsty / usual < 1.20
    a_share = {"shopTest": [{"loadPct": 0.75, "sfoc": 168}]}
    refused = planner.patch(f"/vessel/{vessel['id']}", a_share)
    assert refused.get_json()["errors"][0]["pointer"] == "/shopTest/0/loadPct"
