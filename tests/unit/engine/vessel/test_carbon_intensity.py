"""Carbon intensity against the lines and boundaries of the IMO's resolutions."""

import itertools
from dataclasses import replace

import pytest

from app.engine.particulars import CiiType, ShipType
from app.engine.vessel import find_carbon_intensity, find_rating_boundaries
from app.engine.vessel.cii import REFERENCE_LINES, find_capacity, rating, reference_line
from tests.unit.engine.vessel.ships import CAPESIZE


def test_a_bulk_carriers_indicator_is_that_calculated_by_hand() -> None:
    # 180,000 t: 4745 x 180000^-0.622 = 2.556 g/t nm in 2019, less 11 % in 2026.
    found = find_carbon_intensity(CAPESIZE, co2_t=30_000.0, distance_nm=70_000.0, year=2026)
    assert found is not None
    assert found.attained == pytest.approx(2.381, abs=0.001)
    assert found.required == pytest.approx(4745.0 * 180_000.0**-0.622 * 0.89)
    assert found.rating == "C"


#: Type, capacity, a, capacity of the line, c, and exp(d1) to exp(d4), with both edges of each size
#: band: MEPC.353(78), table 1, and MEPC.354(78), table 1.
_BULK, _GENERAL = (0.86, 0.94, 1.06, 1.18), (0.83, 0.94, 1.06, 1.19)
_TANKER, _CRUISE = (0.82, 0.93, 1.08, 1.28), (0.87, 0.95, 1.06, 1.16)
_GAS_SMALL, _GAS_LARGE = (0.85, 0.95, 1.06, 1.25), (0.81, 0.91, 1.12, 1.44)
_LNG_SMALL, _LNG_LARGE = (0.78, 0.92, 1.10, 1.37), (0.89, 0.98, 1.06, 1.13)
_VEHICLES = (0.86, 0.94, 1.06, 1.16)
PUBLISHED = [
    (ShipType.BULK_CARRIER, 278_999, 4745, 278_999, 0.622, _BULK),
    (ShipType.BULK_CARRIER, 279_000, 4745, 279_000, 0.622, _BULK),
    (ShipType.BULK_CARRIER, 400_000, 4745, 279_000, 0.622, _BULK),
    (ShipType.GAS_CARRIER, 64_999, 8104, 64_999, 0.639, _GAS_SMALL),
    (ShipType.GAS_CARRIER, 65_000, 14405e7, 65_000, 2.071, _GAS_LARGE),
    (ShipType.TANKER, 300_000, 5247, 300_000, 0.610, _TANKER),
    (ShipType.CHEMICAL_TANKER, 20_000, 5247, 20_000, 0.610, _TANKER),
    (ShipType.CONTAINER_SHIP, 150_000, 1984, 150_000, 0.489, (0.83, 0.94, 1.07, 1.19)),
    (ShipType.GENERAL_CARGO, 19_999, 588, 19_999, 0.3885, _GENERAL),
    (ShipType.GENERAL_CARGO, 20_000, 31948, 20_000, 0.792, _GENERAL),
    (CiiType.REFRIGERATED_CARGO, 12_000, 4600, 12_000, 0.557, (0.78, 0.91, 1.07, 1.20)),
    (CiiType.COMBINATION_CARRIER, 80_000, 5119, 80_000, 0.622, (0.87, 0.96, 1.06, 1.14)),
    (ShipType.LNG_CARRIER, 30_000, 14779e10, 65_000, 2.673, _LNG_SMALL),
    (ShipType.LNG_CARRIER, 64_999, 14779e10, 65_000, 2.673, _LNG_SMALL),
    (ShipType.LNG_CARRIER, 65_000, 14479e10, 65_000, 2.673, _LNG_SMALL),
    (ShipType.LNG_CARRIER, 99_999, 14479e10, 99_999, 2.673, _LNG_SMALL),
    (ShipType.LNG_CARRIER, 100_000, 9.827, 100_000, 0.0, _LNG_LARGE),
    (CiiType.VEHICLE_CARRIER, 29_999, 330, 29_999, 0.329, _VEHICLES),
    (CiiType.VEHICLE_CARRIER, 30_000, 3627, 30_000, 0.590, _VEHICLES),
    (CiiType.VEHICLE_CARRIER, 57_699, 3627, 57_699, 0.590, _VEHICLES),
    (CiiType.VEHICLE_CARRIER, 57_700, 3627, 57_700, 0.590, _VEHICLES),
    (CiiType.VEHICLE_CARRIER, 75_000, 3627, 57_700, 0.590, _VEHICLES),
    (ShipType.RO_RO, 40_000, 1967, 40_000, 0.485, (0.76, 0.89, 1.08, 1.27)),
    (CiiType.RO_RO_PASSENGER, 40_000, 2023, 40_000, 0.460, (0.76, 0.92, 1.14, 1.30)),
    (ShipType.PASSENGER, 120_000, 930, 120_000, 0.383, _CRUISE),
]


@pytest.mark.parametrize(("kind", "capacity", "a", "of_line", "c", "boundaries"), PUBLISHED)
def test_a_ship_is_rated_by_the_published_line_of_its_type_and_size(
    kind: ShipType | CiiType,
    capacity: float,
    a: float,
    of_line: float,
    c: float,
    boundaries: tuple[float, float, float, float],
) -> None:
    line = reference_line(kind, capacity)
    assert line.value(capacity) == pytest.approx(a * of_line**-c, rel=1e-12)
    assert line.boundaries == boundaries


def test_every_type_of_the_guidelines_is_among_the_published_lines() -> None:
    assert {kind for kind, *_ in PUBLISHED} == set(REFERENCE_LINES)
    assert set(REFERENCE_LINES) == {*ShipType, *CiiType} - {ShipType.OTHER}


#: A coaster of 2,500 GT, which is not stated.
COASTER = replace(
    CAPESIZE,
    ship_type=ShipType.GENERAL_CARGO,
    dwt_t=3_700.0,
    loa_m=90.0,
    lbp_m=84.9,
    breadth_m=13.6,
    depth_m=7.1,
    draft_design_m=5.6,
    draft_scantling_m=5.7,
    service_speed_kn=12.0,
)


def test_a_ship_too_small_for_the_regulation_is_not_rated_even_if_its_tonnage_is_unknown() -> None:
    assert find_capacity(COASTER) is None
    assert find_capacity(replace(COASTER, gross_tonnage=5_000.0)) == 3_700.0
    # 5,600 GT in reality
    larger = replace(COASTER, dwt_t=7_600.0, lbp_m=108.0, breadth_m=18.2, depth_m=9.0)
    assert find_capacity(larger) == 7_600.0


#: A vehicle carrier of 6,500 cars.
CAR_CARRIER = replace(CAPESIZE, ship_type=ShipType.RO_RO, dwt_t=18_000.0, gross_tonnage=60_000.0)


def test_a_vehicle_carrier_is_rated_by_its_own_line_and_not_as_a_ro_ro_cargo_ship() -> None:
    # 57700 instead of 60000: 3627 x 57700^-0.590 = 5.629; 1967 x 60000^-0.485 = 9.47; less 11 %.
    sailed = {"co2_t": 30_000.0, "distance_nm": 95_000.0, "year": 2026}
    named = find_carbon_intensity(replace(CAR_CARRIER, cii_type=CiiType.VEHICLE_CARRIER), **sailed)
    unnamed = find_carbon_intensity(CAR_CARRIER, **sailed)
    assert named
    assert unnamed
    assert named.attained == unnamed.attained == pytest.approx(5.263, abs=0.001)
    assert (named.required, named.rating) == (pytest.approx(5.010, abs=0.001), "C")
    assert (unnamed.required, unnamed.rating) == (pytest.approx(8.43, abs=0.01), "A")


def test_a_type_named_for_the_indicator_decides_what_capacity_is() -> None:
    ferry = replace(CAR_CARRIER, ship_type=ShipType.OTHER, cii_type=CiiType.RO_RO_PASSENGER)
    assert find_capacity(ferry) == 60_000.0
    assert find_capacity(replace(ferry, cii_type=CiiType.COMBINATION_CARRIER)) == 18_000.0
    assert find_rating_boundaries(ferry) == (0.76, 0.92, 1.14, 1.30)


@pytest.mark.parametrize(
    ("share", "letter"),
    [(0.80, "A"), (0.90, "B"), (1.00, "C"), (1.10, "D"), (1.20, "E")],
)
def test_the_rating_follows_the_boundaries(share: float, letter: str) -> None:
    assert rating(share, 1.0, (0.86, 0.94, 1.06, 1.18)) == letter


@pytest.mark.parametrize("ship_type", sorted(REFERENCE_LINES))
def test_every_line_covers_every_capacity_and_its_boundaries_ascend(
    ship_type: ShipType | CiiType,
) -> None:
    lines = REFERENCE_LINES[ship_type]
    assert lines[0].capacity_from == 0.0
    assert lines[-1].capacity_to == float("inf")
    for lower, upper in itertools.pairwise(lines):
        assert lower.capacity_to == upper.capacity_from
    assert all(list(row.boundaries) == sorted(row.boundaries) for row in lines)


def test_passenger_and_ro_ro_ships_are_measured_by_gross_tonnage() -> None:
    known = replace(CAPESIZE, dwt_t=8_000.0, gross_tonnage=120_000.0)
    assert find_capacity(replace(known, ship_type=ShipType.PASSENGER)) == 120_000.0
    assert find_capacity(replace(CAPESIZE, ship_type=ShipType.RO_RO)) is None
    assert find_capacity(replace(known, ship_type=ShipType.TANKER)) == 8_000.0
    assert find_capacity(replace(known, ship_type=ShipType.OTHER)) is None


@pytest.mark.parametrize("missing", [{"co2_t": 0.0}, {"distance_nm": 0.0}, {"year": 2031}])
def test_the_indicator_is_none_if_data_are_missing(missing: dict) -> None:
    known = {"co2_t": 10_000.0, "distance_nm": 50_000.0, "year": 2026}
    assert find_carbon_intensity(CAPESIZE, **known) is not None
    assert find_carbon_intensity(CAPESIZE, **(known | missing)) is None


def test_ships_below_5000_gross_tonnage_have_no_indicator() -> None:
    small = replace(CAPESIZE, ship_type=ShipType.GENERAL_CARGO, dwt_t=3_000.0)
    assert find_capacity(replace(small, gross_tonnage=4_999.0)) is None
    assert find_capacity(replace(small, gross_tonnage=5_000.0)) == 3_000.0
    assert find_capacity(small) == 3_000.0, "the gross tonnage is unknown"
