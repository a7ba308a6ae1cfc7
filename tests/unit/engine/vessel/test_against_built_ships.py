"""Engines inferred from particulars against those that yards installed.

Leading particulars and MCR of well-known designs from builders' and class
descriptions, service speed at design draught with the customary sea margin.
"""

from dataclasses import replace

import pytest

from app.engine.particulars import CiiType, Loading, ShipParticulars, ShipType
from app.engine.units import KNOT_MS
from app.engine.vessel import build_ship, expected_mcr_kw
from app.engine.vessel.calm_water import calm_water_resistance
from app.engine.vessel.hull_form import summer_displacement_t
from tests.unit.engine.vessel.ships import CAPESIZE

BUILT = {
    "Kamsarmax 82,000": (
        ShipParticulars(ShipType.BULK_CARRIER, 82e3, 229, 225.5, 32.26, 20.05, 12.2, 14.43, 14.5),
        9_660.0,
    ),
    "Capesize 180,000": (
        replace(CAPESIZE, loa_m=292.0, draft_design_m=16.5, service_speed_kn=15.3),
        18_660.0,
    ),
    "Dolphin 57": (
        ShipParticulars(ShipType.BULK_CARRIER, 57e3, 190, 185, 32.26, 18.0, 11.3, 12.8, 14.2),
        9_480.0,
    ),
    "VLCC 318,000": (
        ShipParticulars(ShipType.TANKER, 318e3, 333, 320, 60.0, 30.5, 20.8, 22.5, 15.8),
        29_340.0,
    ),
    "MR 50,000": (
        ShipParticulars(ShipType.TANKER, 50e3, 183, 174, 32.2, 19.1, 11.0, 13.0, 14.8),
        9_480.0,
    ),
    "1,100 TEU": (
        ShipParticulars(ShipType.CONTAINER_SHIP, 13e3, 151.7, 142.4, 23.4, 11.7, 7.3, 8.3, 19.0),
        9_960.0,
    ),
    "1,700 TEU": (
        ShipParticulars(ShipType.CONTAINER_SHIP, 23e3, 184.1, 171.9, 25.3, 13.5, 8.5, 9.85, 19.7),
        13_320.0,
    ),
    "2,500 TEU": (
        ShipParticulars(
            ShipType.CONTAINER_SHIP, 33.8e3, 207.4, 195.4, 29.8, 16.4, 10.1, 11.4, 22.0
        ),
        21_770.0,
    ),
    "4,250 TEU": (
        ShipParticulars(ShipType.CONTAINER_SHIP, 50.5e3, 260, 244.8, 32.3, 19.3, 11.0, 12.6, 24.5),
        36_540.0,
    ),
    "8,400 TEU": (
        ShipParticulars(ShipType.CONTAINER_SHIP, 103e3, 335, 319, 42.8, 24.8, 13.0, 14.5, 25.0),
        68_520.0,
    ),
}


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
    ship = build_ship(fast, Loading(fast.draft_design_m, 0.0, 0.0))
    assert 24.0 * ship.performance(29.2).fuel_t_per_h == pytest.approx(260.0, rel=0.06)


#: Cruise ships and ferries with displacement [t] and, of the cruise ships, propulsion power [kW].
PASSENGER_SHIPS = {
    "Oasis of the Seas": (
        ShipParticulars(ShipType.PASSENGER, 15e3, 360, 330, 47.0, 22.5, 9.1, 9.32, 22.6),
        100e3,
        60_000.0,
    ),
    "Freedom of the Seas": (
        ShipParticulars(ShipType.PASSENGER, 10.6e3, 339, 303.2, 38.6, 21.2, 8.5, 8.8, 21.6),
        71e3,
        42_000.0,
    ),
    "MSC Fantasia": (
        ShipParticulars(ShipType.PASSENGER, 10.9e3, 333, 299, 37.9, 20.0, 8.3, 8.45, 22.0),
        65.5e3,
        40_400.0,
    ),
    "Pride of Rotterdam": (
        ShipParticulars(ShipType.PASSENGER, 8.85e3, 215, 203.7, 31.5, 9.4, 6.05, 6.31, 22.0),
        25e3,
        None,
    ),
    "Finnstar": (
        ShipParticulars(ShipType.PASSENGER, 9.65e3, 218.8, 206, 30.5, 9.5, 7.0, 7.1, 25.0),
        26.5e3,
        None,
    ),
}


def test_a_ro_ro_passenger_ship_registered_as_ro_ro_has_the_hull_of_a_passenger_ship() -> None:
    ferry, displacement_t, _ = PASSENGER_SHIPS["Finnstar"]
    registered = replace(
        ferry, ship_type=ShipType.RO_RO, cii_type=CiiType.RO_RO_PASSENGER, gross_tonnage=42_923.0
    )
    ship = build_ship(registered, Loading(registered.draft_design_m, 0.0, 0.0))
    assert ship.hull.displacement_t == pytest.approx(displacement_t, rel=0.08)
    assert ship.hull.screws == 2


def test_a_twin_screw_ship_has_the_appendage_resistance_of_two_shafts() -> None:
    # 8 to 14 % of the bare hull's: large ships of medium speed with two screws, Mandel (1953) in
    # Lewis (1988), chapter V, table 21; recalled
    for particulars, _, _ in PASSENGER_SHIPS.values():
        ship = build_ship(particulars, Loading(particulars.draft_design_m, 0.0, 0.0))
        calm = calm_water_resistance(ship.hull, particulars.service_speed_kn * KNOT_MS)
        assert 0.08 < calm.appendage_n / (calm.total_n - calm.appendage_n) < 0.14


#: Ro-ro cargo ships and vehicle carriers with installed propulsion power [kW].
RO_RO_SHIPS = {
    "6,500 cars": (
        ShipParticulars(ShipType.RO_RO, 20.6e3, 199.9, 192, 32.26, 14.0, 9.0, 10.0, 20.0),
        14_280.0,
    ),
    "8,500 cars": (
        ShipParticulars(ShipType.RO_RO, 20.7e3, 199.9, 190, 36.5, 13.2, 9.0, 10.5, 19.0),
        13_500.0,
    ),
    "4,300 cars": (
        ShipParticulars(ShipType.RO_RO, 14.4e3, 180, 170, 31.1, 13.6, 8.4, 9.2, 19.6),
        11_060.0,
    ),
    "Mark V": (
        ShipParticulars(ShipType.RO_RO, 41.8e3, 265, 250, 32.26, 15.2, 11.0, 12.3, 20.25),
        20_100.0,
    ),
    "3,700 lane metres": (
        ShipParticulars(ShipType.RO_RO, 9_865, 193, 182.4, 26.0, 8.6, 5.7, 6.45, 21.6),
        16_200.0,
    ),
    "6,700 lane metres": (
        ShipParticulars(ShipType.RO_RO, 17e3, 238, 225, 33.0, 9.0, 6.6, 7.3, 20.0),
        19_600.0,
    ),
}


@pytest.mark.parametrize("name", RO_RO_SHIPS)
def test_a_ro_ro_ship_is_no_heavier_than_its_engine_can_drive(name: str) -> None:
    particulars, mcr_kw = RO_RO_SHIPS[name]
    assert expected_mcr_kw(particulars) == pytest.approx(mcr_kw, rel=0.22)


@pytest.mark.parametrize("name", PASSENGER_SHIPS)
def test_a_passenger_ship_displaces_what_its_speed_allows_whatever_its_deadweight(
    name: str,
) -> None:
    particulars, displacement_t, mcr_kw = PASSENGER_SHIPS[name]
    ship = build_ship(particulars, Loading(particulars.draft_design_m, 0.0, 0.0))
    assert ship.hull.displacement_t == pytest.approx(displacement_t, rel=0.08)
    if mcr_kw is not None:
        assert ship.engine.mcr_kw == pytest.approx(mcr_kw, rel=0.15)


@pytest.mark.parametrize("name", BUILT)
def test_the_inferred_engine_is_near_the_one_installed(name: str) -> None:
    particulars, mcr_kw = BUILT[name]
    ship = build_ship(particulars, Loading(particulars.draft_design_m, 0.0, 0.0))
    assert ship.engine.mcr_kw == pytest.approx(mcr_kw, rel=0.15)


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
