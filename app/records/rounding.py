"""Rounding of numbers to their accuracy."""

from collections.abc import Callable
from typing import Final

from app.engine.formatting import cut

#: Degrees to 1e-6 are 0.11 m at the equator: finer than any position fix.
POSITION_DECIMALS: Final = 6


def round_to(decimals: int | None, *, is_cut: bool = False) -> Callable[[float], float]:
    """Return a function that rounds or cuts a number; without decimals it returns it unchanged."""
    if decimals is None:
        return float
    if is_cut:
        return lambda value: cut(float(value), decimals) + 0.0
    # adding zero turns -0.0 into 0.0
    return lambda value: round(float(value), decimals) + 0.0


def round_bearing(decimals: int | None) -> Callable[[float], float]:
    """Return a function that rounds a direction [deg]; it stays below 360."""
    rounded = round_to(decimals)
    return lambda value: rounded(rounded(value) % 360.0)


def round_longitude(lng: float) -> float:
    """Round a longitude [deg] to the accuracy of a position fix; it stays below 180."""
    rounded = round(float(lng), POSITION_DECIMALS) + 0.0
    return -180.0 if rounded >= 180.0 else rounded
