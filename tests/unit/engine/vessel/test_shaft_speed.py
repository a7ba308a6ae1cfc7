"""The speed at given revolutions of the shaft."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.engine.particulars import Loading, ShipParticulars
from app.engine.vessel import build_ship
from app.engine.vessel.kernels import fuel_rate
from app.engine.vessel.shaft_speed import speed_at_rpm_kn
from tests.unit.engine.vessel.ships import relative_sea, ships, weather

SEAS = st.builds(weather, st.floats(0.0, 5.0), st.floats(0.0, 360.0))


@given(ships(), st.floats(0.7, 1.1), SEAS, SEAS)
@settings(max_examples=60, deadline=None)
def test_the_shaft_turns_as_fast_in_another_sea_at_the_speed_found(
    particulars: ShipParticulars, share: float, planned, met
) -> None:
    loading = Loading(particulars.draft_design_m, 0.0, particulars.dwt_t)
    ship = build_ship(particulars, loading).kernel_parameters
    planned_kn = share * particulars.service_speed_kn
    sea = relative_sea(met, 10.0 * particulars.draft_design_m, 90.0)
    rpm = fuel_rate(ship, planned_kn, relative_sea(planned, 200.0, 90.0))[1]

    found_kn = speed_at_rpm_kn(ship, rpm, planned_kn, sea)
    assert 0.25 * planned_kn <= found_kn <= 1.5 * planned_kn
    assume(0.25 * planned_kn < found_kn < 1.5 * planned_kn)
    assert fuel_rate(ship, found_kn, sea)[1] == pytest.approx(rpm, rel=1e-3)


@given(ships(), st.floats(0.7, 1.1), SEAS)
@settings(max_examples=20, deadline=None)
def test_the_speed_in_the_same_sea_is_exactly_that_planned(
    particulars: ShipParticulars, share: float, met
) -> None:
    loading = Loading(particulars.draft_design_m, 0.0, particulars.dwt_t)
    ship = build_ship(particulars, loading).kernel_parameters
    planned_kn = share * particulars.service_speed_kn
    sea = relative_sea(met, 200.0, 90.0)
    assert speed_at_rpm_kn(ship, fuel_rate(ship, planned_kn, sea)[1], planned_kn, sea) == planned_kn
