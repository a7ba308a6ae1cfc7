"""Carbon intensity indicator (CII): attained, required, and rating.

Sources: IMO MEPC.352(78) (attained, G1), MEPC.353(78) (reference lines, G2),
MEPC.338(76) as amended by MEPC.400(83) (reduction factors, G3), MEPC.354(78)
(rating boundaries, G4). The indicator is meant for a calendar year of one ship;
for a voyage or a part of a year it is an indication.
"""

from dataclasses import dataclass
from typing import Final, Literal

from app.engine.particulars import CiiType, ShipParticulars, ShipType
from app.engine.plan import CarbonIntensity

Rating = Literal["A", "B", "C", "D", "E"]

#: Reduction against 2019 [%]: MEPC.338(76) to 2026, MEPC.400(83) from 2027.
_REDUCTION_PCT: Final[dict[int, float]] = {
    2019: 0.0,
    2020: 1.0,
    2021: 2.0,
    2022: 3.0,
    2023: 5.0,
    2024: 7.0,
    2025: 9.0,
    2026: 11.0,
    2027: 13.625,
    2028: 16.250,
    2029: 18.875,
    2030: 21.500,
}


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A row of MEPC.353(78), table 1, with its boundaries from MEPC.354(78), table 1.

    The row applies from ``capacity_from`` up to, and not including, ``capacity_to``. The line is
    ``a capacity^-c``, with ``capacity_as`` instead of the ship's capacity if given.
    ``boundaries`` are exp(d1) to exp(d4).
    """

    capacity_from: float
    capacity_to: float
    a: float
    c: float
    boundaries: tuple[float, float, float, float]
    capacity_as: float | None = None

    def value(self, capacity: float) -> float:
        """Return the reference carbon intensity of 2019 [g CO2 per capacity mile]."""
        return float(self.a * (self.capacity_as or capacity) ** -self.c)


_NO_END: Final = float("inf")
_BULK = (0.86, 0.94, 1.06, 1.18)
_GAS_LARGE, _GAS_SMALL = (0.81, 0.91, 1.12, 1.44), (0.85, 0.95, 1.06, 1.25)
_TANKER = (0.82, 0.93, 1.08, 1.28)
_CONTAINER = (0.83, 0.94, 1.07, 1.19)
_GENERAL_CARGO = (0.83, 0.94, 1.06, 1.19)
_LNG_LARGE, _LNG_SMALL = (0.89, 0.98, 1.06, 1.13), (0.78, 0.92, 1.10, 1.37)
_REFRIGERATED_CARGO = (0.78, 0.91, 1.07, 1.20)
_COMBINATION_CARRIER = (0.87, 0.96, 1.06, 1.14)
_VEHICLE_CARRIER = (0.86, 0.94, 1.06, 1.16)
_RO_RO = (0.76, 0.89, 1.08, 1.27)
_RO_RO_PASSENGER = (0.76, 0.92, 1.14, 1.30)
_CRUISE = (0.87, 0.95, 1.06, 1.16)

#: Reference lines by ship type. Chemical tankers are tankers. Ro-ro ships are ro-ro cargo ships and
#: passenger ships cruise ships, unless their owner names another type of the guidelines.
REFERENCE_LINES: Final[dict[ShipType | CiiType, tuple[ReferenceLine, ...]]] = {
    ShipType.BULK_CARRIER: (
        ReferenceLine(0.0, 279_000.0, 4745.0, 0.622, _BULK),
        ReferenceLine(279_000.0, _NO_END, 4745.0, 0.622, _BULK, capacity_as=279_000.0),
    ),
    ShipType.GAS_CARRIER: (
        ReferenceLine(0.0, 65_000.0, 8104.0, 0.639, _GAS_SMALL),
        ReferenceLine(65_000.0, _NO_END, 14405e7, 2.071, _GAS_LARGE),
    ),
    ShipType.TANKER: (ReferenceLine(0.0, _NO_END, 5247.0, 0.610, _TANKER),),
    ShipType.CHEMICAL_TANKER: (ReferenceLine(0.0, _NO_END, 5247.0, 0.610, _TANKER),),
    ShipType.CONTAINER_SHIP: (ReferenceLine(0.0, _NO_END, 1984.0, 0.489, _CONTAINER),),
    ShipType.GENERAL_CARGO: (
        ReferenceLine(0.0, 20_000.0, 588.0, 0.3885, _GENERAL_CARGO),
        ReferenceLine(20_000.0, _NO_END, 31948.0, 0.792, _GENERAL_CARGO),
    ),
    ShipType.LNG_CARRIER: (
        ReferenceLine(0.0, 65_000.0, 14779e10, 2.673, _LNG_SMALL, capacity_as=65_000.0),
        ReferenceLine(65_000.0, 100_000.0, 14479e10, 2.673, _LNG_SMALL),
        ReferenceLine(100_000.0, _NO_END, 9.827, 0.0, _LNG_LARGE),
    ),
    CiiType.REFRIGERATED_CARGO: (ReferenceLine(0.0, _NO_END, 4600.0, 0.557, _REFRIGERATED_CARGO),),
    CiiType.COMBINATION_CARRIER: (
        ReferenceLine(0.0, _NO_END, 5119.0, 0.622, _COMBINATION_CARRIER),
    ),
    CiiType.VEHICLE_CARRIER: (
        ReferenceLine(0.0, 30_000.0, 330.0, 0.329, _VEHICLE_CARRIER),
        ReferenceLine(30_000.0, 57_700.0, 3627.0, 0.590, _VEHICLE_CARRIER),
        ReferenceLine(57_700.0, _NO_END, 3627.0, 0.590, _VEHICLE_CARRIER, capacity_as=57_700.0),
    ),
    ShipType.RO_RO: (ReferenceLine(0.0, _NO_END, 1967.0, 0.485, _RO_RO),),
    CiiType.RO_RO_PASSENGER: (ReferenceLine(0.0, _NO_END, 2023.0, 0.460, _RO_RO_PASSENGER),),
    ShipType.PASSENGER: (ReferenceLine(0.0, _NO_END, 930.0, 0.383, _CRUISE),),
}

#: Types measured by gross tonnage; MEPC.352(78), 4.2.
_BY_GROSS_TONNAGE: Final[frozenset[ShipType | CiiType]] = frozenset(
    {ShipType.RO_RO, ShipType.PASSENGER, CiiType.VEHICLE_CARRIER, CiiType.RO_RO_PASSENGER}
)
#: Least gross tonnage of ships with an indicator; MARPOL annex VI, regulation 28.1.
_LEAST_GROSS_TONNAGE: Final = 5_000.0
#: Greatest gross tonnage over length, breadth and depth [1/m3] of ships rated by deadweight. It is
#: at most 0.29 of the enclosed volume up to this size (International Convention on Tonnage
#: Measurement of Ships 1969, annex I, regulation 3), which is at most 1.4 of that of the box.
_GROSS_TONNAGE_OF_BOX: Final = 0.4


def rated_type(ship: ShipParticulars) -> ShipType | CiiType:
    """Return the type by whose line a ship is rated."""
    return ship.cii_type or ship.ship_type


def find_capacity(ship: ShipParticulars) -> float | None:
    """Find the capacity of a ship: deadweight [t] or gross tonnage.

    ``None`` if it is unknown, or if the regulation does not apply to the ship.
    """
    if rated_type(ship) not in REFERENCE_LINES:
        return None
    if _find_greatest_tonnage(ship) < _LEAST_GROSS_TONNAGE:
        return None
    by_volume = rated_type(ship) in _BY_GROSS_TONNAGE
    capacity = ship.gross_tonnage if by_volume else ship.dwt_t
    return capacity if capacity is not None and capacity > 0.0 else None


def _find_greatest_tonnage(ship: ShipParticulars) -> float:
    """Return the gross tonnage, or without one the greatest that a hull of its size may have."""
    if ship.gross_tonnage is not None:
        return ship.gross_tonnage
    return _GROSS_TONNAGE_OF_BOX * ship.lbp_m * ship.breadth_m * ship.depth_m


def reference_line(ship_type: ShipType | CiiType, capacity: float) -> ReferenceLine:
    """Return the row of a type and capacity; raises :class:`KeyError` for a type without one."""
    lines = REFERENCE_LINES[ship_type]
    return next(row for row in lines if row.capacity_from <= capacity < row.capacity_to)


def rating(attained: float, required: float, boundaries: tuple[float, ...]) -> Rating:
    """Return the rating A to E by attained over required; MEPC.354(78), 4.

    On a boundary the better rating applies.
    """
    share = attained / required
    letters: tuple[Rating, ...] = ("A", "B", "C", "D")
    for letter, boundary in zip(letters, boundaries, strict=True):
        if share <= boundary:
            return letter
    return "E"


def find_rating_boundaries(ship: ShipParticulars) -> tuple[float, float, float, float] | None:
    """Find the upper bounds of attained over required for A, B, C and D; MEPC.354(78), table 1.

    ``None`` if the type has no reference line or its capacity is unknown.
    """
    capacity = find_capacity(ship)
    return None if capacity is None else reference_line(rated_type(ship), capacity).boundaries


def find_carbon_intensity(
    ship: ShipParticulars, *, co2_t: float, distance_nm: float, year: int
) -> CarbonIntensity | None:
    """Compute the attained and required indicator and the rating of a voyage or period.

    ``None`` if the type has no reference line, its capacity is unknown, the distance or CO2 is
    zero, or the year has no reduction factor.
    """
    capacity, reduction = find_capacity(ship), _REDUCTION_PCT.get(year)
    if capacity is None or reduction is None or distance_nm <= 0.0 or co2_t <= 0.0:
        return None
    line = reference_line(rated_type(ship), capacity)
    required = line.value(capacity) * (1.0 - reduction / 100.0)
    # grams of CO2 over capacity and distance; MEPC.352(78), 4
    attained = 1e6 * co2_t / (capacity * distance_nm)
    return CarbonIntensity(attained, required, rating(attained, required, line.boundaries))
