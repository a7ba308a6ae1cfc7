"""Carbon factors, fuel inside emission control areas, engine consumption."""

from dataclasses import replace

import numpy as np
import pytest

from app.engine.particulars import CiiType, FuelType, SfocPoint, ShipType
from app.engine.units import KNOT_MS
from app.engine.vessel import co2_factor, eca_fuel_factor, equivalent_mass_t, fuel_in_eca
from app.engine.vessel.machinery import build_main_engine, minimum_power_kw, sfoc_g_per_kwh
from app.engine.vessel.shallow_water import deep_water_speed_ms, lackenby_speed_loss
from tests.unit.engine.vessel.ships import CAPESIZE

HFO_BURNER = replace(CAPESIZE, fuel_type=FuelType.HFO)


@pytest.mark.parametrize(
    ("fuel", "factor"),
    [
        (FuelType.HFO, 3.114),
        (FuelType.VLSFO, 3.151),
        (FuelType.MGO, 3.206),
        (FuelType.LNG, 2.750),
        (FuelType.METHANOL, 1.375),
    ],
)
def test_carbon_factors_are_those_of_the_resolution(fuel: FuelType, factor: float) -> None:
    assert co2_factor(fuel) == factor


def test_gas_oil_replaces_residual_fuels_inside_an_eca() -> None:
    assert fuel_in_eca(FuelType.HFO) is FuelType.MGO
    assert fuel_in_eca(FuelType.VLSFO) is FuelType.MGO
    for clean in (FuelType.MGO, FuelType.LNG, FuelType.METHANOL):
        assert fuel_in_eca(clean) is clean
        assert eca_fuel_factor(clean) == 1.0


def test_equivalent_masses_of_fuels_have_equal_heat() -> None:
    assert equivalent_mass_t(100.0, FuelType.HFO, FuelType.MGO) == pytest.approx(94.15, abs=0.01)
    assert eca_fuel_factor(FuelType.VLSFO) == pytest.approx(41.2 / 42.7)


def test_consumption_is_lowest_near_four_fifths_of_full_load() -> None:
    engine = build_main_engine(HFO_BURNER, 15_000.0)
    loads = [0.2, 0.5, 0.78, 1.0]
    rates = [sfoc_g_per_kwh(engine, load) for load in loads]
    assert min(rates) == rates[2] == pytest.approx(175.0, rel=0.005)
    assert sfoc_g_per_kwh(engine, 0.01) == sfoc_g_per_kwh(engine, 0.10)


def test_a_passenger_ship_of_any_power_has_medium_speed_engines() -> None:
    cruise, tanker = (
        build_main_engine(replace(HFO_BURNER, ship_type=ship_type), 48_000.0).base_sfoc_g_kwh
        for ship_type in (ShipType.PASSENGER, ShipType.TANKER)
    )
    assert (cruise, tanker) == (185.0, 175.0)


def test_between_medium_speed_and_slow_speed_engines_the_consumption_has_no_step() -> None:
    powers_kw = np.linspace(2_900.0, 5_100.0, 23)
    engines = [build_main_engine(HFO_BURNER, power_kw) for power_kw in powers_kw]
    burnt = np.array([each.base_sfoc_g_kwh / each.transmission_efficiency for each in engines])
    assert burnt[[0, -1]] == pytest.approx([185.0 / (0.985 * 0.98), 175.0 / 0.985])
    assert np.all(np.abs(np.diff(burnt)) < 0.01 * burnt[-1])


@pytest.mark.parametrize(
    ("ship_type", "cii_type", "year", "efficiency"),
    [
        pytest.param(ShipType.TANKER, None, 2010, 0.985, id="slow-speed engine"),
        pytest.param(ShipType.PASSENGER, None, 1975, 0.985 * 0.98, id="old liner"),
        pytest.param(ShipType.PASSENGER, None, None, 0.985 * 0.913, id="cruise ship"),
        pytest.param(ShipType.RO_RO, CiiType.RO_RO_PASSENGER, 2010, 0.985 * 0.98, id="ferry"),
        pytest.param(ShipType.LNG_CARRIER, None, 2003, 0.985, id="steam turbines"),
        pytest.param(ShipType.LNG_CARRIER, None, 2012, 0.985 * 0.913, id="dual-fuel electric"),
        pytest.param(ShipType.LNG_CARRIER, None, 2018, 0.985, id="two-stroke dual-fuel"),
        pytest.param(ShipType.LNG_CARRIER, None, None, 0.985, id="LNG carrier of unknown year"),
    ],
)
def test_gears_and_electric_drives_lose_power(
    ship_type: ShipType, cii_type: CiiType | None, year: int | None, efficiency: float
) -> None:
    ship = replace(
        CAPESIZE, ship_type=ship_type, cii_type=cii_type, year_built=year, dwt_t=90_000.0
    )
    engine = build_main_engine(ship, 25_000.0)
    assert engine.transmission_efficiency == pytest.approx(efficiency)


def test_a_shop_test_sets_the_level_of_consumption_and_keeps_its_shape() -> None:
    gas_oil = replace(CAPESIZE, fuel_type=FuelType.MGO)
    usual = build_main_engine(gas_oil, 15_000.0)
    loads = (0.25, 0.5, 0.75, 1.0)
    tested = tuple(SfocPoint(load, 0.96 * sfoc_g_per_kwh(usual, load)) for load in loads)
    engine = build_main_engine(replace(gas_oil, shop_test=tested), 15_000.0)
    for load in (0.3, 0.6, 0.9):
        expected = 0.96 * sfoc_g_per_kwh(usual, load)
        assert sfoc_g_per_kwh(engine, load) == pytest.approx(expected)
    # a maker's 168.0 g/kWh at 75 % is of 42.7 MJ/kg: 174.1 of very low sulphur fuel oil's 41.2
    old = replace(CAPESIZE, year_built=1980, shop_test=(SfocPoint(0.75, 168.0),))
    one = build_main_engine(old, 15_000.0)
    assert sfoc_g_per_kwh(one, 0.75) == pytest.approx(168.0 * 42.7 / 41.2)


def test_the_least_power_of_bulk_carriers_and_tankers_is_the_imos() -> None:
    assert minimum_power_kw(ShipType.BULK_CARRIER, 80_000.0) == pytest.approx(9_478.3)
    assert minimum_power_kw(ShipType.BULK_CARRIER, 180_000.0) == pytest.approx(16_149.0)
    assert minimum_power_kw(ShipType.TANKER, 300_000.0) == pytest.approx(25_520.2)
    assert minimum_power_kw(ShipType.CONTAINER_SHIP, 80_000.0) == 0.0


def test_the_speed_loss_is_zero_in_deep_water_and_large_in_shallow_water() -> None:
    assert lackenby_speed_loss(7.0, 500.0, 800.0) == pytest.approx(0.0, abs=1e-6)
    # AM/H^2 = 0.5, gH/V^2 = 8: 0.1242 x 0.45 only.
    assert lackenby_speed_loss(7.0, 40.0, 800.0) == pytest.approx(0.0559, abs=0.0002)


@pytest.mark.parametrize(("depth_m", "deep_kn"), [(15.0, 8.0), (15.0, 14.0), (20.0, 16.0)])
def test_the_deep_water_speed_is_the_one_that_loses_the_difference(
    depth_m: float, deep_kn: float
) -> None:
    deep_ms, area_m2 = deep_kn * KNOT_MS, 390.0
    loss = lackenby_speed_loss(deep_ms, depth_m, area_m2)
    assert loss > 0.01
    found = deep_water_speed_ms(deep_ms * (1.0 - loss), depth_m, area_m2)
    assert found == pytest.approx(deep_ms, rel=1e-3)
