"""Checks for implausible particulars and loadings.

The bounds are those of built ships with a margin, so that unusual ships pass, but impossible ones
and errors of the decimal point do not.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from app.engine.constants import GRAVITY_MS2, SEA_WATER_DENSITY_KGM3
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.units import KNOT_MS
from app.engine.vessel.building import expected_mcr_kw
from app.engine.vessel.hull_form import (
    displacement_at_draft_t,
    greatest_deadweight_t,
    lightship_t,
)
from app.engine.vessel.propulsion import propeller_diameter_m

#: Difference of the displacements by draught and by deadweight, over the former, from which they
#: disagree.
_LOADING_DISAGREEMENT: Final = 0.20

#: Greatest trim of a ship over its length, twice the 0.015 that MARPOL Annex I, reg. 18.3, allows a
#: tanker in ballast.
TRIM_OF_LENGTH: Final = 0.03
#: Share of the scantling draught by which an end may be deeper, as the tropical fresh-water mark
#: lies deeper than the summer mark amidships (Load Lines 1966, reg. 40).
_DEEPER_END: Final = 1.0 / 24.0

#: Range of installed over expected power outside which they disagree. Below 0.5 the engine gives
#: less than 0.64 of the calm-water power at service speed (sea margin 15 %, service at 90 % MCR:
#: MAN Energy Solutions, Basic Principles of Ship Propulsion, section 3), four standard errors of
#: that power. Ships that serve at 60 % of the speed they were built for, as some fast container
#: ships do, have 1 / 0.6^3 = 4.6, or 5 with their wave-making. Built ships have 0.8 to 1.2, so that
#: an error of the decimal point lies outside; horsepower taken as kW does not.
_POWER_OVER_EXPECTED: Final = (0.5, 6.0)
#: Froude number on LBP for which container ships were built at most: 26 kn at 300 m. Many serve so
#: much slower now that only an engine beyond that speed is an error.
_FROUDE_OF_CONTAINER_SHIPS: Final = 0.25


@dataclass(frozen=True, slots=True)
class Implausible:
    """An implausible particular: its field in requests, its value, and the plausible range."""

    field: str
    value: float
    detail: str


@dataclass(frozen=True, slots=True)
class LoadingDisagreement:
    """Displacements by draught and by deadweight [t]."""

    by_draft_t: float
    by_deadweight_t: float


@dataclass(frozen=True, slots=True)
class PowerDisagreement:
    """Installed power, and the power expected for hull and service speed [kW]."""

    installed_kw: float
    expected_kw: float


#: Field, particular, unit, least and greatest value of any ship.
_BOUNDS: Final = (
    ("dwt", "dwt_t", "t", 50.0, 600_000.0),
    ("loa", "loa_m", "m", 20.0, 500.0),
    ("lbp", "lbp_m", "m", 18.0, 480.0),
    ("breadth", "breadth_m", "m", 4.0, 130.0),
    ("depth", "depth_m", "m", 1.5, 50.0),
    ("keelToMast", "keel_to_mast_m", "m", 3.0, 110.0),
    ("draftDesign", "draft_design_m", "m", 1.0, 30.0),
    ("draftScant", "draft_scantling_m", "m", 1.0, 30.0),
    ("serviceSpeed", "service_speed_kn", "kn", 4.0, 45.0),
    ("pitch", "pitch_m", "m", 0.5, 15.0),
    ("propellerDiameter", "propeller_diameter_m", "m", 0.8, 13.0),
    ("installedPowerKw", "installed_power_kw", "kW", 100.0, 150_000.0),
    ("gt", "gross_tonnage", "GT", 50.0, 420_000.0),
)

#: Least deadweight over the mass of water in the box LBP x B x T, that of cruise ships.
_DEADWEIGHT_OF_BOX: Final = 0.02

#: Greatest Froude number on LBP of displacement ships in service.
_FROUDE_MAX: Final = 0.42


def find_implausible(particulars: ShipParticulars) -> tuple[Implausible, ...]:
    """List the implausible particulars of a ship.

    Relations between particulars are checked only if each of them is within its bounds.
    """
    found = tuple(_out_of_bounds(particulars))
    return found or tuple(_contradictions(particulars))


def find_loading_disagreement(
    particulars: ShipParticulars, loading: Loading
) -> LoadingDisagreement | None:
    """Return the disagreement of draught and deadweight, if over 20 % of displacement."""
    by_draft_t = displacement_at_draft_t(particulars, loading.draft_m)
    by_deadweight_t = lightship_t(particulars) + loading.deadweight_t
    if abs(by_deadweight_t - by_draft_t) <= _LOADING_DISAGREEMENT * by_draft_t:
        return None
    return LoadingDisagreement(by_draft_t, by_deadweight_t)


def is_trim_unusual(particulars: ShipParticulars, loading: Loading) -> bool:
    """Return whether a trim is over 3 % of the length, or immerses an end too deep."""
    deepest_m = max(loading.draft_aft_m, loading.draft_fore_m)
    is_deep = deepest_m > (1.0 + _DEEPER_END) * particulars.draft_scantling_m
    return is_deep or abs(loading.trim_m) > TRIM_OF_LENGTH * particulars.lbp_m


def find_power_disagreement(particulars: ShipParticulars) -> PowerDisagreement | None:
    """Return the disagreement of the installed power with the hull and its service speed.

    ``None`` if the power is unknown, or from half to six times the expected one, or that of a
    container ship built for a greater speed.
    """
    installed_kw = particulars.installed_power_kw
    if installed_kw is None:
        return None
    expected_kw = expected_mcr_kw(particulars)
    least, greatest = _POWER_OVER_EXPECTED
    if least * expected_kw <= installed_kw <= greatest * expected_kw:
        return None
    if expected_kw < installed_kw <= _find_fastest_kw(particulars):
        return None
    return PowerDisagreement(installed_kw, expected_kw)


def _find_fastest_kw(ship: ShipParticulars) -> float:
    """Return the MCR [kW] of a container ship built for the greatest speed; 0 for other types."""
    if ship.hull_type is not ShipType.CONTAINER_SHIP:
        return 0.0
    fastest_kn = _speed_at_froude(ship, _FROUDE_OF_CONTAINER_SHIPS)
    return expected_mcr_kw(replace(ship, service_speed_kn=fastest_kn))


def _out_of_bounds(particulars: ShipParticulars) -> Iterator[Implausible]:
    for name, attribute, unit, least, greatest in _BOUNDS:
        value = getattr(particulars, attribute)
        if value is None or least <= value <= greatest:
            continue
        yield Implausible(
            name,
            value,
            f"{value:g} {unit} is implausible: expected {least:g} to {greatest:.0f} {unit}.",
        )


def _contradictions(ship: ShipParticulars) -> Iterator[Implausible]:
    yield from _lengths(ship)
    length = f"length of {ship.lbp_m:g} m"
    yield from _ratio("breadth", ship.breadth_m, ship.lbp_m, 1 / 12.0, 1 / 2.5, "breadth", length)
    yield from _ratio(
        "draftDesign",
        ship.draft_design_m,
        ship.breadth_m,
        1 / 9.0,
        1 / 1.3,
        "design draught",
        f"breadth of {ship.breadth_m:g} m",
    )
    yield from _heights(ship)
    yield from _displacement(ship)
    yield from _speed(ship)
    yield from _propeller(ship)


def _lengths(ship: ShipParticulars) -> Iterator[Implausible]:
    if not 0.85 * ship.loa_m <= ship.lbp_m <= ship.loa_m:
        yield Implausible(
            "lbp",
            ship.lbp_m,
            f"With a length overall of {ship.loa_m:g} m the length between perpendiculars "
            f"must be {0.85 * ship.loa_m:.0f} to {ship.loa_m:g} m.",
        )


def _ratio(
    field: str, value: float, base: float, least: float, greatest: float, name: str, of: str
) -> Iterator[Implausible]:
    if not least * base <= value <= greatest * base:
        yield Implausible(
            field,
            value,
            f"With a {of} the {name} is {least * base:.1f} to {greatest * base:.1f} m, not"
            f" {value:g} m.",
        )


def _heights(ship: ShipParticulars) -> Iterator[Implausible]:
    if ship.draft_scantling_m < ship.draft_design_m:
        yield Implausible(
            "draftScant",
            ship.draft_scantling_m,
            f"The scantling draught must be at least the design draught"
            f" ({ship.draft_design_m:g} m).",
        )
    if ship.draft_scantling_m >= ship.depth_m:
        yield Implausible(
            "depth",
            ship.depth_m,
            f"The depth must be more than the scantling draught ({ship.draft_scantling_m:g} m).",
        )
    if ship.keel_to_mast_m is not None and ship.keel_to_mast_m <= ship.depth_m:
        yield Implausible(
            "keelToMast",
            ship.keel_to_mast_m,
            f"The highest point must be above the deck, {ship.depth_m:g} m above the keel.",
        )


def _displacement(ship: ShipParticulars) -> Iterator[Implausible]:
    """Check the deadweight against the water displaced at the scantling draught."""
    box_t = ship.lbp_m * ship.breadth_m * ship.draft_scantling_m * SEA_WATER_DENSITY_KGM3 / 1000.0
    least_t, greatest_t = _DEADWEIGHT_OF_BOX * box_t, greatest_deadweight_t(ship)
    if not least_t <= ship.dwt_t <= greatest_t:
        yield Implausible(
            "dwt",
            ship.dwt_t,
            f"A hull of its type of {ship.lbp_m:g} x {ship.breadth_m:g} m on"
            f" {ship.draft_scantling_m:g} m "
            f"of water carries {least_t:.0f} to {greatest_t:.0f} t deadweight.",
        )


def _speed(ship: ShipParticulars) -> Iterator[Implausible]:
    greatest_kn = _speed_at_froude(ship, _FROUDE_MAX)
    if ship.service_speed_kn > greatest_kn:
        yield Implausible(
            "serviceSpeed",
            ship.service_speed_kn,
            f"A displacement hull of {ship.lbp_m:g} m has a service speed of at most"
            f" {greatest_kn:.1f} kn.",
        )


def _speed_at_froude(ship: ShipParticulars, froude: float) -> float:
    return froude * math.sqrt(GRAVITY_MS2 * ship.lbp_m) / KNOT_MS


def _propeller(ship: ShipParticulars) -> Iterator[Implausible]:
    diameter_m = ship.propeller_diameter_m
    if diameter_m is not None and diameter_m > ship.draft_scantling_m:
        yield Implausible(
            "propellerDiameter",
            diameter_m,
            f"The propeller must fit in the scantling draught of {ship.draft_scantling_m:g} m.",
        )
    if ship.pitch_m is None:
        return
    # pitch ratios of merchant propellers are 0.5 to 1.4, unknown diameters from 0.7 of the type's
    # to 0.8 of the draught
    narrowest_m = diameter_m or 0.7 * propeller_diameter_m(ship)
    widest_m = diameter_m or 0.8 * ship.draft_scantling_m
    least_m, greatest_m = 0.4 * narrowest_m, 1.5 * widest_m
    if not least_m <= ship.pitch_m <= greatest_m:
        yield Implausible(
            "pitch",
            ship.pitch_m,
            f"For this ship's propeller the pitch must be {least_m:.1f} to {greatest_m:.1f} m.",
        )
