"""Form ratios of hulls."""

from dataclasses import replace

import pytest

from app.engine.particulars import ShipType
from app.engine.vessel import find_rating_boundaries
from app.engine.vessel.hull_form import find_form_figures
from tests.unit.engine.vessel.ships import CAPESIZE


def test_a_bulk_carrier_is_full_and_slow() -> None:
    figures = find_form_figures(CAPESIZE)
    assert 0.8 < figures.block_coefficient < 0.9
    assert figures.length_to_breadth == pytest.approx(CAPESIZE.lbp_m / CAPESIZE.breadth_m)
    assert 0.13 < figures.froude_number < 0.18


def test_a_wider_hull_of_the_same_deadweight_has_a_lower_block_coefficient() -> None:
    wider = replace(CAPESIZE, breadth_m=CAPESIZE.breadth_m * 1.1)
    narrow, wide = find_form_figures(CAPESIZE), find_form_figures(wider)
    assert wide.block_coefficient < narrow.block_coefficient


def test_rating_boundaries_are_those_of_the_guidelines_by_type() -> None:
    bulk = find_rating_boundaries(CAPESIZE)
    assert bulk == (0.86, 0.94, 1.06, 1.18)
    assert find_rating_boundaries(replace(CAPESIZE, ship_type=ShipType.PASSENGER)) is None
