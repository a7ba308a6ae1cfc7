"""Rounding of numbers to their accuracy."""

from collections.abc import Callable
from decimal import ROUND_FLOOR, Decimal
from typing import Final

#: Degrees to 1e-6 are 0.11 m at the equator: finer than any position fix.
POSITION_DECIMALS: Final = 6


def cut(value: float, decimals: int) -> float:
    """Cut a number instead of rounding it, for margins, which must not grow."""
    # Nine decimals first: 3704 m / 1852, and the like, must not lose their last digit.
    exact = Decimal(str(round(value, 9)))
    return float(exact.quantize(Decimal(1).scaleb(-decimals), ROUND_FLOOR))


def round_to(decimals: int | None, *, is_cut: bool = False) -> Callable[[float], float]:
    """Return a function that rounds or cuts a number; without decimals it returns it unchanged."""
    if decimals is None:
        return float
    if is_cut:
        return lambda value: cut(float(value), decimals) + 0.0
    # adding zero turns -0.0 into 0.0
    return lambda value: round(float(value), decimals) + 0.0


def round_longitude(lng: float) -> float:
    """Round a longitude [deg] to the accuracy of a position fix; it stays below 180."""
    rounded = round(float(lng), POSITION_DECIMALS) + 0.0
    return -180.0 if rounded >= 180.0 else rounded
