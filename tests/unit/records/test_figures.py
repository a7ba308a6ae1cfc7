"""Rounding of figures."""

import pytest

from app.records.rounding import round_bearing


@pytest.mark.parametrize(
    ("decimals", "given", "kept"),
    [(1, 359.97, 0.0), (1, 359.94, 359.9), (2, 359.997, 0.0), (None, 12.3456, 12.3456)],
)
def test_a_direction_stays_below_360(decimals: int | None, given: float, kept: float) -> None:
    assert round_bearing(decimals)(given) == kept
