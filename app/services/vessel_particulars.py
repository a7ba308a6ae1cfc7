"""Whether a set of particulars can be a ship at all.

Unusual ships pass; only what no ship can be is refused, with what is
implausible about it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.services.errors import Fault

#: Vessel type codes and what they stand for.
VESSEL_TYPES: Final[Mapping[int, str]] = {
    1: "bulk carrier",
    2: "crude or product tanker",
    3: "chemical tanker",
    4: "gas carrier",
    5: "container ship",
    6: "general cargo",
    7: "ro-ro",
    8: "passenger or cruise ship",
    9: "other",
    10: "LNG carrier",
}

#: Beyond these no ship has been built: (attribute, name in requests, unit, upper limit).
#: Largest afloat: Seawise Giant 458 m and 564,650 dwt; Pioneering Spirit 124 m broad.
_LIMITS: Final = (
    ("dwt_t", "dwt", "t", 600_000.0),
    ("loa_m", "loa", "m", 500.0),
    ("lbp_m", "lbp", "m", 480.0),
    ("breadth_m", "breadth", "m", 130.0),
    ("depth_m", "depth", "m", 45.0),
    ("draft_design_m", "draftDesign", "m", 30.0),
    ("draft_scantling_m", "draftScant", "m", 30.0),
    ("service_speed_kn", "serviceSpeed", "kn", 60.0),
    ("pitch_m", "pitch", "m", 15.0),
    ("gross_tonnage", "gt", "", 450_000.0),
    ("installed_power_kw", "installedPowerKw", "kW", 200_000.0),
    ("propeller_diameter_m", "propellerDiameter", "m", 14.0),
)

#: Density of sea water [t/m3] for the crude bound on deadweight.
_SEA_WATER_TM3: Final = 1.026


def find_faults(particulars: Mapping[str, Any]) -> list[Fault]:
    """Everything about the particulars that cannot be, in the order of the fields."""
    faults = list(_beyond_limits(particulars))
    return faults or list(_at_odds(particulars))


def _beyond_limits(particulars: Mapping[str, Any]) -> Iterator[Fault]:
    for attribute, name, unit, largest in _LIMITS:
        value = particulars.get(attribute)
        if value is not None and value > largest:
            yield Fault(
                f"/{name}", f"{value:g} {unit} is more than any ship has ({largest:g} {unit})."
            )


def _at_odds(ship: Mapping[str, Any]) -> Iterator[Fault]:
    """Relations between particulars that hold for every hull."""
    if ship["lbp_m"] > ship["loa_m"]:
        yield Fault("/lbp", "The length between perpendiculars exceeds the length overall.")
    if ship["lbp_m"] < 0.6 * ship["loa_m"]:
        yield Fault("/lbp", "The length between perpendiculars is under 0.6 of the length overall.")
    if ship["breadth_m"] > 0.6 * ship["lbp_m"]:
        yield Fault("/breadth", "The ship is broader than 0.6 of her length.")
    if ship["breadth_m"] < 0.04 * ship["lbp_m"]:
        yield Fault("/breadth", "The ship is narrower than 0.04 of her length.")
    if ship["draft_design_m"] > ship["draft_scantling_m"]:
        yield Fault("/draftDesign", "The design draught exceeds the scantling draught.")
    if ship["draft_scantling_m"] >= ship["depth_m"]:
        yield Fault("/draftScant", "The scantling draught reaches or exceeds the moulded depth.")
    yield from _heavier_than_her_box(ship)


def _heavier_than_her_box(ship: Mapping[str, Any]) -> Iterator[Fault]:
    box_t = _SEA_WATER_TM3 * ship["lbp_m"] * ship["breadth_m"] * ship["draft_scantling_m"]
    if ship["dwt_t"] > box_t:
        yield Fault(
            "/dwt",
            f"{ship['dwt_t']:g} t of deadweight is more than a box of these dimensions"
            f" displaces ({box_t:,.0f} t).",
        )


def imo_check_digit_holds(imo: str) -> bool:
    """Whether a seven-digit IMO number ends in its check digit.

    The digits weighted 7 to 2 sum to a number that ends in the seventh; IMO
    resolution A.1117(30).
    """
    if len(imo) != 7 or not (imo.isascii() and imo.isdigit()):
        return False
    weighted = sum(int(digit) * weight for digit, weight in zip(imo, range(7, 1, -1), strict=False))
    return weighted % 10 == int(imo[6])
