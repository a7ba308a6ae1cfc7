"""Implausible particulars and loadings."""

from dataclasses import replace

import pytest

from app.engine.particulars import Loading
from app.engine.vessel import find_implausible, find_loading_disagreement
from tests.unit.engine.vessel.ships import CAPESIZE, CONTAINER_SHIP


@pytest.mark.parametrize("ship", [CAPESIZE, CONTAINER_SHIP], ids=["capesize", "container ship"])
def test_a_real_ship_is_plausible(ship) -> None:
    assert find_implausible(ship) == ()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"lbp_m": 20.0}, "lbp"),
        ({"lbp_m": 295.0}, "lbp"),
        ({"pitch_m": 40.0}, "pitch"),
        ({"pitch_m": 1.0}, "pitch"),
        ({"dwt_t": 280_000.0}, "dwt"),
        ({"dwt_t": 1_000.0}, "dwt"),
        ({"dwt_t": -5.0}, "dwt"),
        ({"breadth_m": 15.0}, "breadth"),
        ({"draft_design_m": 1.2}, "draftDesign"),
        ({"draft_scantling_m": 17.0}, "draftScant"),
        ({"depth_m": 18.0}, "depth"),
        ({"service_speed_kn": 44.0}, "serviceSpeed"),
        ({"service_speed_kn": float("nan")}, "serviceSpeed"),
        ({"propeller_diameter_m": 20.0}, "propellerDiameter"),
        ({"installed_power_kw": 5.0}, "installedPowerKw"),
    ],
    ids=str,
)
def test_an_implausible_particular_is_named(change: dict[str, float], field: str) -> None:
    found = find_implausible(replace(CAPESIZE, **change))
    assert field in [fault.field for fault in found]
    assert all(fault.detail for fault in found)


def test_twenty_metres_do_not_carry_a_hundred_thousand_tonnes() -> None:
    found = find_implausible(replace(CAPESIZE, lbp_m=20.0, dwt_t=100_000.0))
    assert found


def test_a_loading_consistent_with_the_draught_has_no_disagreement() -> None:
    assert find_loading_disagreement(CAPESIZE, Loading(18.2, 0.0, 180_000.0)) is None
    assert find_loading_disagreement(CAPESIZE, Loading(9.0, 2.0, 60_000.0)) is None


def test_a_deadweight_inconsistent_with_the_draught_is_a_disagreement() -> None:
    found = find_loading_disagreement(CAPESIZE, Loading(9.0, 0.0, 180_000.0))
    assert found is not None
    assert found.by_deadweight_t > 1.2 * found.by_draft_t
    light = find_loading_disagreement(CAPESIZE, Loading(18.2, 0.0, 20_000.0))
    assert light is not None
    assert light.by_deadweight_t < 0.8 * light.by_draft_t
