"""Year and installed power as evidence of a ship's power, and the error of the estimate."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from app.engine.particulars import FuelType, Loading, ShipParticulars, ShipType
from app.engine.vessel import build_ship, estimate_foc, fuel_standard_error
from app.engine.vessel.machinery import build_main_engine, minimum_power_kw
from tests.unit.engine.vessel.ships import CAPESIZE, CONTAINER_SHIP


def fuel(ship: ShipParticulars) -> float:
    return estimate_foc(ship).foc_mt_per_day


@pytest.mark.parametrize(
    ("year", "slow", "medium"),
    [(1980, 205, 215), (1984, 185, 195), (2000, 185, 195), (2001, 175, 185), (None, 175, 185)],
)
def test_older_engines_have_the_consumption_of_the_imo_study_for_their_years(
    year: int | None, slow: float, medium: float
) -> None:
    ship = replace(CAPESIZE, fuel_type=FuelType.HFO, year_built=year)
    assert build_main_engine(ship, 15_000.0).base_sfoc_g_kwh == slow
    assert build_main_engine(ship, 3_000.0).base_sfoc_g_kwh == medium


def test_a_ship_of_2016_burns_a_seventh_less_than_a_similar_one_of_2005() -> None:
    ratio = fuel(replace(CAPESIZE, year_built=2016)) / fuel(replace(CAPESIZE, year_built=2005))
    assert ratio == pytest.approx(0.85, abs=0.02)


def test_a_later_ship_never_burns_more() -> None:
    found = [fuel(replace(CAPESIZE, year_built=year)) for year in range(1975, 2027)]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(found))


def test_a_ship_of_unknown_year_is_estimated_as_built_before_the_design_index() -> None:
    assert fuel(CAPESIZE) == pytest.approx(fuel(replace(CAPESIZE, year_built=2008)))


def test_a_container_ship_larger_than_any_built_before_is_new_though_its_year_is_unknown() -> None:
    grown = replace(CONTAINER_SHIP, dwt_t=200e3, loa_m=400, lbp_m=383, breadth_m=58.8, depth_m=32.9)
    largest = replace(grown, draft_design_m=14.5, draft_scantling_m=16.0)
    assert fuel(largest) == pytest.approx(fuel(replace(largest, year_built=2015)))
    assert fuel(CONTAINER_SHIP) == pytest.approx(fuel(replace(CONTAINER_SHIP, year_built=2008)))


def test_the_least_power_for_manoeuvring_is_no_evidence_of_resistance() -> None:
    # an economical 50,000 t tanker with 7,240 kW, for which the least power is 9,220 kW
    tanker = ShipParticulars(ShipType.TANKER, 50e3, 183, 174, 32.2, 19.1, 11, 13, 14.5)
    economical = replace(tanker, year_built=2014)
    assert as_built_kw(economical) == minimum_power_kw(ShipType.TANKER, 50e3)
    given = replace(economical, installed_power_kw=7_240.0)
    assert fuel(given) == pytest.approx(fuel(economical), rel=0.03)


def as_built_kw(ship: ShipParticulars) -> float:
    return build_ship(ship, Loading(ship.draft_design_m, 0.0, ship.dwt_t)).engine.mcr_kw


def with_power(ship: ShipParticulars, factor: float) -> ShipParticulars:
    return replace(ship, installed_power_kw=factor * as_built_kw(ship))


def power_kw(ship: ShipParticulars) -> float:
    """Return the power in calm water at the service speed [kW]."""
    loading = Loading(ship.draft_design_m, 0.0, ship.dwt_t)
    return build_ship(ship, loading).performance(ship.service_speed_kn).power_kw


def test_a_smaller_engine_for_the_same_speed_is_evidence_of_less_resistance() -> None:
    expected = power_kw(CONTAINER_SHIP)
    assert power_kw(with_power(CONTAINER_SHIP, 1.0)) == pytest.approx(expected)
    small, large = (power_kw(with_power(CONTAINER_SHIP, f)) for f in (0.8, 1.25))
    # only in part, because margins and declared speeds vary too
    assert 0.80 * expected < small < 0.95 * expected
    assert 1.05 * expected < large < 1.25 * expected
    assert small * large == pytest.approx(expected**2)


@pytest.mark.parametrize("factor", [1.5, 2.0, 5.0])
def test_the_engine_of_a_ship_built_for_a_greater_speed_is_no_evidence(factor: float) -> None:
    slow = with_power(CONTAINER_SHIP, factor)
    assert power_kw(slow) == pytest.approx(power_kw(CONTAINER_SHIP))
    assert fuel_standard_error(slow) == fuel_standard_error(CONTAINER_SHIP)


def test_a_slightly_larger_engine_never_changes_the_estimate_by_much() -> None:
    powers = [power_kw(with_power(CONTAINER_SHIP, 0.9 + 0.01 * n)) for n in range(70)]
    assert max(abs(later / sooner - 1.0) for sooner, later in pairwise(powers)) < 0.02


def test_the_effect_of_an_implausibly_small_engine_is_limited() -> None:
    absurd, small = (power_kw(with_power(CONTAINER_SHIP, f)) for f in (0.2, math.exp(-0.36)))
    assert absurd == pytest.approx(small)


def test_the_installed_power_of_a_passenger_ship_is_no_evidence_on_the_hull() -> None:
    ship = replace(CONTAINER_SHIP, ship_type=ShipType.PASSENGER)
    assert power_kw(with_power(ship, 1.3)) == pytest.approx(power_kw(ship))


def test_the_error_decreases_with_the_evidence() -> None:
    dated = replace(CAPESIZE, year_built=2005)
    errors = [fuel_standard_error(ship) for ship in (CAPESIZE, dated, with_power(dated, 1.0))]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] == pytest.approx(0.13, abs=0.01)
    assert errors[2] == pytest.approx(0.095, abs=0.01)


def test_the_error_of_types_with_varied_hulls_is_greater() -> None:
    ferry = replace(CAPESIZE, ship_type=ShipType.PASSENGER)
    assert fuel_standard_error(ferry) > fuel_standard_error(CAPESIZE) + 0.02


def test_an_estimate_states_its_error_by_the_evidence() -> None:
    plain, dated = estimate_foc(CAPESIZE), estimate_foc(replace(CAPESIZE, year_built=2005))
    assert plain.standard_error_mt_per_day == pytest.approx(
        fuel_standard_error(CAPESIZE) * plain.foc_mt_per_day
    )
    assert dated.standard_error_mt_per_day < plain.standard_error_mt_per_day


LNG_CARRIER = ShipParticulars(
    *(ShipType.LNG_CARRIER, 72_000.0, 280.0, 266.0, 43.4, 26.0, 11.3, 12.2, 19.5),
    fuel_type=FuelType.HFO,
)


def test_an_older_lng_carrier_has_the_consumption_of_steam_turbines() -> None:
    steam = fuel(replace(LNG_CARRIER, year_built=2003))
    diesel = fuel(LNG_CARRIER)
    assert steam / diesel == pytest.approx(305.0 / 175.0, abs=0.02)
    # carriers of 138,000 m3 with turbines burn some 170 to 180 t/day at 19.5 kn
    assert 150.0 < steam < 210.0


def test_power_below_the_expected_one_is_evidence_for_any_ship() -> None:
    usual = fuel(LNG_CARRIER)
    short = fuel(replace(LNG_CARRIER, installed_power_kw=22_000.0))
    ample = fuel(replace(LNG_CARRIER, installed_power_kw=38_000.0))
    assert short < 0.95 * usual
    assert ample == pytest.approx(usual, rel=0.04)
    assert fuel_standard_error(replace(LNG_CARRIER, installed_power_kw=22_000.0)) == (
        fuel_standard_error(LNG_CARRIER)
    )
