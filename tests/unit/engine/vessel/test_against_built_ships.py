"""Ships estimated from their particulars against those that yards built.

``tests/data/built_ships.csv`` has leading particulars, service speed and propulsion power (of
electric drives that of the motors) from builders' and class descriptions, recalled.
"""

import csv
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from app.engine.particulars import CiiType, Loading, ShipParticulars, ShipType
from app.engine.units import KNOT_MS
from app.engine.vessel import build_ship, expected_mcr_kw
from app.engine.vessel.calm_water import calm_water_resistance
from app.engine.vessel.foc import service_point
from app.engine.vessel.hull_form import summer_displacement_t
from app.engine.vessel.machinery import SHAFT_EFFICIENCY, transmission_efficiency
from app.engine.vessel.ship import Ship
from app.engine.vessel.wind import (
    enclosed_volume_m3,
    estimate_superstructure,
    wind_coefficient,
    wind_coefficients,
)

Row = dict[str, str]

_FIGURES = (
    "dwt_t",
    "loa_m",
    "lbp_m",
    "breadth_m",
    "depth_m",
    "draft_design_m",
    "draft_scantling_m",
    "service_speed_kn",
)


def particulars_of(row: Row) -> ShipParticulars:
    return ShipParticulars(
        ShipType(row["type"]),
        **{name: float(row[name]) for name in _FIGURES},
        year_built=int(row["year_built"]),
        cii_type=CiiType(row["cii_type"]) if row["cii_type"] else None,
    )


BUILT: list[Row] = list(csv.DictReader(Path("tests/data/built_ships.csv").read_text().splitlines()))
built = pytest.mark.parametrize("row", BUILT, ids=lambda row: row["name"])


def power_error_pct(row: Row) -> float:
    """Return the error of the propulsion power, of the motors where these are electric [%]."""
    ship = particulars_of(row)
    power_kw = expected_mcr_kw(ship)
    if row["electric"]:
        power_kw *= transmission_efficiency(ship, power_kw) / SHAFT_EFFICIENCY
    return 100.0 * (power_kw / float(row["power_kw"]) - 1.0)


def as_laden(particulars: ShipParticulars) -> Ship:
    return build_ship(particulars, Loading(particulars.draft_design_m, 0.0, particulars.dwt_t))


@built
def test_the_expected_engine_is_near_the_one_installed(row: Row) -> None:
    assert power_error_pct(row) == pytest.approx(0.0, abs=float(row["tolerance_pct"]))


def test_engines_of_no_type_are_expected_much_too_large_or_small() -> None:
    errors: dict[str, list[float]] = {}
    for row in BUILT:
        errors.setdefault(row["type"], []).append(power_error_pct(row))
    assert len(BUILT) >= 60
    assert {kind: median(each) for kind, each in errors.items() if abs(median(each)) > 15.0} == {}
    assert abs(median(error for each in errors.values() for error in each)) < 9.0


@built
def test_in_the_sea_of_service_a_ship_needs_about_the_power_that_it_has(row: Row) -> None:
    ship = as_laden(particulars_of(row))
    power_kw = service_point(ship, ship.particulars.service_speed_kn).power_kw
    if row["electric"]:
        power_kw *= ship.engine.transmission_efficiency / SHAFT_EFFICIENCY
    assert 0.65 < power_kw / float(row["power_kw"]) < 1.2


@pytest.mark.parametrize(
    "row",
    [row for row in BUILT if row["reason"] != "second screw by choice"],
    ids=lambda row: row["name"],
)
def test_a_ship_has_a_second_screw_where_one_would_cavitate(row: Row) -> None:
    assert as_laden(particulars_of(row)).hull.screws == min(int(row["screws"]), 2)


def test_a_container_ship_faster_than_those_in_the_towing_tank_burns_what_is_reported() -> None:
    # 4,170 TEU, 51,000 t, 68,640 kW: 260 t/day at 29.2 kn (JCTrans 2008); length between
    # perpendiculars and draughts estimated
    fast = ShipParticulars(
        ShipType.CONTAINER_SHIP,
        51e3,
        294,
        278,
        32.2,
        21.8,
        11.5,
        13.3,
        29.2,
        installed_power_kw=68_640.0,
    )
    ship = as_laden(fast)
    assert 24.0 * ship.performance(29.2).fuel_t_per_h == pytest.approx(260.0, rel=0.06)


#: Displacements of cruise ships and ferries at the design draught [t].
PASSENGER_DISPLACEMENT_T = {
    "Oasis of the Seas": 100e3,
    "Freedom of the Seas": 71e3,
    "MSC Fantasia": 65.5e3,
    "Pride of Rotterdam": 25e3,
    "Finnstar": 26.5e3,
}
PASSENGER_SHIPS = {
    row["name"]: particulars_of(row) for row in BUILT if row["name"] in PASSENGER_DISPLACEMENT_T
}


def test_a_ro_ro_passenger_ship_registered_as_ro_ro_has_the_hull_of_a_passenger_ship() -> None:
    registered = replace(PASSENGER_SHIPS["Finnstar"], ship_type=ShipType.RO_RO)
    assert registered.cii_type is CiiType.RO_RO_PASSENGER
    hull = as_laden(registered).hull
    assert hull.displacement_t == pytest.approx(PASSENGER_DISPLACEMENT_T["Finnstar"], rel=0.08)
    assert hull.screws == 2


def test_a_twin_screw_ship_has_the_appendage_resistance_of_two_shafts() -> None:
    # 8 to 14 % of the bare hull's: large ships of medium speed with two screws, Mandel (1953) in
    # Lewis (1988), chapter V, table 21; recalled
    for particulars in PASSENGER_SHIPS.values():
        calm = calm_water_resistance(
            as_laden(particulars).hull, particulars.service_speed_kn * KNOT_MS
        )
        assert 0.08 < calm.appendage_n / (calm.total_n - calm.appendage_n) < 0.14


@pytest.mark.parametrize("name", PASSENGER_DISPLACEMENT_T)
def test_a_passenger_ship_displaces_what_its_speed_allows_whatever_its_deadweight(
    name: str,
) -> None:
    hull = as_laden(PASSENGER_SHIPS[name]).hull
    assert hull.displacement_t == pytest.approx(PASSENGER_DISPLACEMENT_T[name], rel=0.08)


@pytest.mark.parametrize(
    ("particulars", "displacement_t"),
    [
        (
            ShipParticulars(ShipType.CONTAINER_SHIP, 13.7e3, 148, 138, 23.3, 11.5, 7.3, 8.5, 19.6),
            19e3,
        ),
        (
            ShipParticulars(
                ShipType.CONTAINER_SHIP, 50.5e3, 260, 244.8, 32.3, 19.3, 11, 12.6, 24.5
            ),
            67e3,
        ),
        (
            ShipParticulars(ShipType.CONTAINER_SHIP, 199.6e3, 400, 383, 58.8, 32.9, 14.5, 16, 22.8),
            265.9e3,
        ),
    ],
    ids=["1,000 TEU", "4,250 TEU", "Ever Given"],
)
def test_a_container_ship_displaces_as_much_as_a_built_one_of_its_deadweight(
    particulars: ShipParticulars, displacement_t: float
) -> None:
    assert summer_displacement_t(particulars) == pytest.approx(displacement_t, rel=0.03)


#: Gross tonnage of ships of enclosed decks, and the height of their upper decks over the keel [m].
UPPER_DECK_M = {"6,500 cars": (60_000.0, 34.5), "3,700 lane metres": (26_000.0, 20.0)}


@pytest.mark.parametrize("name", UPPER_DECK_M)
def test_the_gross_tonnage_of_a_ship_of_enclosed_decks_tells_their_height(name: str) -> None:
    (row,) = [row for row in BUILT if row["name"] == name]
    gross_tonnage, upper_deck_m = UPPER_DECK_M[name]
    ship = replace(particulars_of(row), gross_tonnage=gross_tonnage)
    draft_m = ship.draft_design_m
    area_m2 = estimate_superstructure(ship, draft_m).side_area_m2
    assert area_m2 == pytest.approx(ship.loa_m * (upper_deck_m - draft_m), rel=0.10)
    # a depth to the upper deck counts nothing twice
    to_upper_deck = replace(ship, depth_m=upper_deck_m)
    same_m2 = estimate_superstructure(to_upper_deck, draft_m).side_area_m2
    assert same_m2 == pytest.approx(area_m2, rel=0.10)


def test_no_error_of_the_gross_tonnage_makes_a_head_wind_drive_the_ship() -> None:
    for ship in PASSENGER_SHIPS.values():
        wrong = replace(ship, gross_tonnage=400_000.0, lbp_m=0.9 * ship.loa_m)
        house = estimate_superstructure(wrong, wrong.draft_design_m)
        assert wind_coefficient(wind_coefficients(house), 0.0) > 0.0


def test_gross_tonnage_is_that_of_the_convention() -> None:
    # 100,000 m3: K1 = 0.2 + 0.02 log10 V = 0.3
    assert enclosed_volume_m3(30_000.0) == pytest.approx(100_000.0)
