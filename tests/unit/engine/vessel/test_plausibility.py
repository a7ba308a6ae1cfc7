"""Implausible particulars and loadings."""

from dataclasses import replace

import pytest

from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.vessel import (
    expected_mcr_kw,
    find_implausible,
    find_loading_disagreement,
    find_power_disagreement,
    is_trim_unusual,
)
from app.engine.vessel.hull_form import summer_displacement_t
from tests.unit.engine.vessel.ships import CAPESIZE, CONTAINER_SHIP
from tests.unit.engine.vessel.test_against_built_ships import BUILT, Row, built, particulars_of


@pytest.mark.parametrize("ship", [CAPESIZE, CONTAINER_SHIP], ids=["capesize", "container ship"])
def test_a_real_ship_is_plausible(ship) -> None:
    assert find_implausible(ship) == ()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"lbp_m": 20.0}, "lbp"),
        ({"lbp_m": 295.0}, "lbp"),
        ({"pitch_m": 40.0}, "pitch"),
        ({"keel_to_mast_m": 120.0}, "keelToMast"),
        ({"keel_to_mast_m": 15.0}, "keelToMast"),
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


def test_an_implausible_ratio_names_both_dimensions() -> None:
    # a request for a route may give the length alone, at which all faults are then shown
    (found,) = find_implausible(replace(CAPESIZE, breadth_m=15.0))[:1]
    assert found.detail == (
        f"With a length of {CAPESIZE.lbp_m:g} m the breadth is {CAPESIZE.lbp_m / 12.0:.1f} to"
        f" {CAPESIZE.lbp_m / 2.5:.1f} m, not 15 m."
    )


@pytest.mark.parametrize(
    "ship_type",
    [ShipType.CONTAINER_SHIP, ShipType.PASSENGER, ShipType.RO_RO, ShipType.LNG_CARRIER],
)
def test_no_ship_carries_more_than_the_fullest_hull_of_its_type_displaces(
    ship_type: ShipType,
) -> None:
    ship = ShipParticulars(ship_type, 325_000.0, 400.0, 385.0, 61.5, 33.2, 14.5, 16.5, 22.0)
    (found,) = find_implausible(ship)
    assert found.field == "dwt"
    assert not find_implausible(replace(ship, dwt_t=0.6 * summer_displacement_t(ship)))


def test_a_pitch_is_compared_with_the_usual_propeller_of_the_type() -> None:
    ship = replace(CAPESIZE, propeller_diameter_m=None)
    assert [fault.field for fault in find_implausible(replace(ship, pitch_m=2.2))] == ["pitch"]
    assert not find_implausible(replace(ship, pitch_m=5.0))


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


@pytest.mark.parametrize(
    ("draft_m", "trim_m", "is_unusual"),
    [
        (18.2, 0.0, False),
        (18.2, 1.0, False),
        (18.2, -2.0, True),
        (9.0, 4.0, False),
        (12.0, 14.0, True),
    ],
)
def test_a_trim_over_the_length_or_an_end_too_deep_is_unusual(
    draft_m: float, trim_m: float, is_unusual: bool
) -> None:
    assert is_trim_unusual(CAPESIZE, Loading(draft_m, trim_m, 60_000.0)) is is_unusual


@built
def test_only_an_error_of_the_unit_disagrees_with_the_hull_of_a_built_ship(row: Row) -> None:
    ship, mcr_kw = particulars_of(row), float(row["power_kw"])
    for usual in (0.75 * mcr_kw, mcr_kw, 4.0 * mcr_kw):
        assert find_power_disagreement(replace(ship, installed_power_kw=usual)) is None
    for slip in (0.1, 10.0):
        found = find_power_disagreement(replace(ship, installed_power_kw=slip * mcr_kw))
        assert found is not None
        assert found.installed_kw == slip * mcr_kw


def test_an_unknown_power_disagrees_with_nothing() -> None:
    assert CAPESIZE.installed_power_kw is None
    assert find_power_disagreement(CAPESIZE) is None


@pytest.mark.parametrize("service_speed_kn", [10.0, 12.0, 15.0])
def test_a_container_ship_that_serves_far_below_its_design_speed_keeps_its_engine(
    service_speed_kn: float,
) -> None:
    (row,) = [row for row in BUILT if row["name"] == "8,400 TEU"]
    fast, mcr_kw = particulars_of(row), float(row["power_kw"])
    slow = replace(fast, service_speed_kn=service_speed_kn, installed_power_kw=mcr_kw)
    assert find_power_disagreement(slow) is None
    slip = find_power_disagreement(replace(slow, installed_power_kw=10.0 * mcr_kw))
    assert slip is not None
    assert slip.expected_kw < mcr_kw


@pytest.mark.parametrize(("share", "disagrees"), [(0.49, True), (0.51, False), (6.1, True)])
def test_power_disagrees_below_half_and_above_six_times_the_usual(
    share: float, disagrees: bool
) -> None:
    ship = replace(CAPESIZE, installed_power_kw=share * expected_mcr_kw(CAPESIZE))
    assert (find_power_disagreement(ship) is not None) == disagrees
