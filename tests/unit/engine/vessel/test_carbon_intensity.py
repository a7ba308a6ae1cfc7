"""Carbon intensity against the lines and boundaries of the IMO's resolutions."""

import itertools
from dataclasses import replace

import pytest

from app.engine.particulars import ShipType
from app.engine.vessel import find_carbon_intensity
from app.engine.vessel.cii import REFERENCE_LINES, find_capacity, rating, reference_line
from tests.unit.engine.vessel.ships import CAPESIZE


def test_a_bulk_carriers_indicator_is_that_calculated_by_hand() -> None:
    # 180,000 t: 4745 x 180000^-0.622 = 2.556 g/t nm in 2019, less 11 % in 2026.
    found = find_carbon_intensity(CAPESIZE, co2_t=30_000.0, distance_nm=70_000.0, year=2026)
    assert found is not None
    assert found.attained == pytest.approx(2.381, abs=0.001)
    assert found.required == pytest.approx(4745.0 * 180_000.0**-0.622 * 0.89)
    assert found.rating == "C"


def test_bulk_carriers_over_279000_t_share_one_line() -> None:
    line = reference_line(ShipType.BULK_CARRIER, 400_000.0)
    assert line.value(400_000.0) == pytest.approx(4745.0 * 279_000.0**-0.622)


def test_small_lng_carriers_are_measured_as_if_of_65000_t() -> None:
    line = reference_line(ShipType.LNG_CARRIER, 30_000.0)
    assert line.value(30_000.0) == pytest.approx(14779e10 * 65_000.0**-2.673)


def test_large_lng_carriers_have_one_value() -> None:
    assert reference_line(ShipType.LNG_CARRIER, 100_000.0).value(120_000.0) == 9.827


@pytest.mark.parametrize(
    ("share", "letter"),
    [(0.80, "A"), (0.90, "B"), (1.00, "C"), (1.10, "D"), (1.20, "E")],
)
def test_the_rating_follows_the_boundaries(share: float, letter: str) -> None:
    assert rating(share, 1.0, (0.86, 0.94, 1.06, 1.18)) == letter


@pytest.mark.parametrize("ship_type", sorted(REFERENCE_LINES))
def test_every_line_covers_every_capacity_and_its_boundaries_ascend(ship_type: ShipType) -> None:
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
