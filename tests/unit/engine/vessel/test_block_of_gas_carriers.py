"""Block coefficients of gas carriers, estimated from the deadweight."""

import math

import pytest

from app.engine.particulars import ShipParticulars, ShipType
from app.engine.units import KNOT_MS
from app.engine.vessel.hull_form import find_form_figures
from app.engine.vessel.ship_types import TYPE_STATISTICS

#: Usual dimensions of the classes: deadweight, length overall and between perpendiculars,
#: breadth, depth, summer draught, service speed.
CLASSES = {
    "5,000 m3": (5_200.0, 99.9, 94.0, 17.2, 8.3, 6.4, 14.0),
    "38,000 m3": (29_500.0, 180.0, 172.0, 29.6, 18.0, 10.9, 16.5),
    "60,000 m3": (43_500.0, 205.0, 197.0, 32.2, 20.8, 11.9, 16.8),
    "84,000 m3": (54_000.0, 225.0, 219.0, 36.6, 22.0, 12.0, 16.8),
}


@pytest.mark.parametrize("name", ["38,000 m3", "60,000 m3", "84,000 m3"])
def test_the_block_coefficient_is_that_of_the_service_speed(name: str) -> None:
    dwt_t, loa_m, lbp_m, breadth_m, depth_m, draft_m, speed_kn = CLASSES[name]
    ship = ShipParticulars(
        ShipType.GAS_CARRIER, dwt_t, loa_m, lbp_m, breadth_m, depth_m, draft_m, draft_m, speed_kn
    )
    froude = speed_kn * KNOT_MS / math.sqrt(9.81 * lbp_m)
    # Watson & Gilfillan (1977), with the spread of their figure
    usual = 0.70 + 0.125 * math.atan((23.0 - 100.0 * froude) / 4.0)
    assert find_form_figures(ship).block_coefficient == pytest.approx(usual, abs=0.05)


@pytest.mark.parametrize("name", CLASSES)
def test_no_usual_gas_carrier_is_limited_to_the_greatest_block_coefficient(name: str) -> None:
    dwt_t, loa_m, lbp_m, breadth_m, depth_m, draft_m, speed_kn = CLASSES[name]
    ship = ShipParticulars(
        ShipType.GAS_CARRIER, dwt_t, loa_m, lbp_m, breadth_m, depth_m, draft_m, draft_m, speed_kn
    )
    on_waterline = find_form_figures(ship).block_coefficient / 1.02
    assert on_waterline < TYPE_STATISTICS[ShipType.GAS_CARRIER].block_max - 0.01
