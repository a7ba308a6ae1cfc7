"""Turning circles against published ones and the standards for manoeuvrability."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.vessel.hull_form import estimate_hull_form
from app.engine.vessel.turning import (
    FULL_RUDDER_DEG,
    MODERATE_RUDDER_DEG,
    estimate_turning_ability,
    tactical_diameter_m,
)
from tests.unit.engine.vessel.ships import typical_ship

KVLCC2 = ShipParticulars(
    ship_type=ShipType.TANKER,
    dwt_t=300_000.0,
    loa_m=333.0,
    lbp_m=320.0,
    breadth_m=58.0,
    depth_m=30.0,
    draft_design_m=20.8,
    draft_scantling_m=20.8,
    service_speed_kn=15.5,
)


def diameter_in_lengths(ship: ShipParticulars, rudder_deg: float) -> float:
    hull = estimate_hull_form(ship, Loading(ship.draft_design_m, 0.0, ship.dwt_t))
    return tactical_diameter_m(hull, ship.service_speed_kn, rudder_deg) / ship.lbp_m


def test_a_very_large_tanker_turns_as_its_model_did() -> None:
    # SIMMAN 2008, free-running models of KVLCC2, rudder 35 deg: 3.0 to 3.4 lengths
    assert diameter_in_lengths(KVLCC2, FULL_RUDDER_DEG) == pytest.approx(3.2, abs=0.3)


@given(st.sampled_from(ShipType), st.floats(4_000.0, 250_000.0))
def test_every_ship_meets_the_standard_and_turns_wider_at_moderate_rudder(
    ship_type: ShipType, dwt_t: float
) -> None:
    ship = typical_ship(ship_type, dwt_t)
    full, moderate = (
        diameter_in_lengths(ship, angle) for angle in (FULL_RUDDER_DEG, MODERATE_RUDDER_DEG)
    )
    # IMO MSC.137(76), 5.3.1: a tactical diameter of at most 5 lengths
    assert 2.0 < full <= 5.0
    assert 1.3 * full < moderate < 2.5 * full


@given(st.sampled_from(ShipType), st.floats(4_000.0, 250_000.0), st.floats(8.0, 20.0))
def test_a_faster_ship_never_turns_tighter(
    ship_type: ShipType, dwt_t: float, speed_kn: float
) -> None:
    ship = typical_ship(ship_type, dwt_t)
    hull = estimate_hull_form(ship, Loading(ship.draft_design_m, 0.0, dwt_t))
    slow = estimate_turning_ability(hull, speed_kn)
    fast = estimate_turning_ability(hull, speed_kn + 2.0)
    assert slow.usual_radius_nm < fast.usual_radius_nm
    assert slow.least_radius_nm < fast.least_radius_nm


def test_a_tug_trimmed_by_the_head_has_a_turn_radius() -> None:
    tug = ShipParticulars(ShipType.OTHER, 300.0, 31.0, 28.5, 11.2, 5.6, 4.6, 4.8, 12.0)
    hull = estimate_hull_form(tug, Loading(4.6, -1.9, 300.0))
    found = estimate_turning_ability(hull, 12.0)
    assert found.length_nm <= found.least_radius_nm <= found.usual_radius_nm
