"""Plausibility of a vessel's particulars."""

from collections.abc import Mapping
from typing import Any

from app.engine.calibration.declared import find_implausible_points
from app.engine.vessel import find_implausible
from app.services.engine_mapping import build_uncalibrated_ship, read_declared_points
from app.services.errors import FieldError


def find_faults(
    particulars: Mapping[str, Any], voyage: Mapping[str, Any] | None = None
) -> list[FieldError]:
    """Find implausible particulars, by their names in requests.

    ``voyage`` may give a length and a pitch that replace those of the vessel.
    """
    # implausible particulars must be found before a model is fitted to them
    ship = build_uncalibrated_ship(particulars, voyage)
    faults = [FieldError(f"/{found.field}", found.detail) for found in find_implausible(ship)]
    if not faults:
        points = tuple(read_declared_points(particulars))
        faults = [
            FieldError(f"/performance/{index}/{found.field}", found.detail)
            for index, found in find_implausible_points(ship, points)
        ]
    return faults + find_imo_faults(particulars.get("imo"))


def find_imo_faults(imo: str | None) -> list[FieldError]:
    """Find errors of an IMO number; none for ``None``."""
    if imo is None or imo_check_digit_holds(imo):
        return []
    given = imo or "An empty text"
    words = f"{given} is not an IMO number. Enter seven digits, the last of which is a check digit."
    return [FieldError("/imo", words)]


def imo_check_digit_holds(imo: str) -> bool:
    """Return whether a seven-digit IMO number ends in its check digit.

    The digits weighted 7 to 2 sum to a number that ends in the seventh; IMO
    resolution A.1117(30).
    """
    if len(imo) != 7 or not (imo.isascii() and imo.isdigit()):
        return False
    weighted = sum(int(digit) * weight for digit, weight in zip(imo, range(7, 1, -1), strict=False))
    return weighted % 10 == int(imo[6])
