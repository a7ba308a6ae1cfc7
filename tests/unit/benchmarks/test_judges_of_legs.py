"""The judges that count legs on land and on shoal, on a coast of one island."""

import numpy as np
import pytest

from app.datasources.gshhg import Coastline
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import Leg
from benchmarks.land_check import LandCheck
from benchmarks.shoal_check import ShoalCheck

#: A square island of two degrees, its middle on the equator and the prime meridian.
ISLAND = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)], dtype=np.float32)
COAST = Coastline(ISLAND, np.array([0, len(ISLAND)]), np.array([1], dtype=np.uint8))
CUT = Passage("cut", "the Cut", PassageKind.CANAL, (Position(0.5, -1.1), Position(0.5, 1.1)), 200.0)


def leg(a: tuple[float, float], b: tuple[float, float], passage: str | None = None) -> Leg:
    return Leg(Position(*a), Position(*b), LegGeometry.RHUMB, 1852.0, passage, None, 0.0)


def charted(bank_m: int) -> ShoalCheck:
    """A judge of an ocean of 4,000 m with a bank five degrees east of the island."""
    depths = np.full((2161, 4320), 4000, dtype=np.int16)
    depths[90 * 12 - 6 : 90 * 12 + 7, 185 * 12 : 186 * 12] = bank_m
    return ShoalCheck(LandCheck([CUT], COAST), [CUT], depths)


@pytest.mark.parametrize(
    ("a", "b", "on_land"),
    [
        ((0.0, -3.0), (0.0, 3.0), True),
        ((0.2, -0.2), (0.3, 0.4), True),
        ((0.5, -1.05), (0.5, 1.05), False),
        ((0.5, -1.05), (0.52, 1.05), True),
        ((1.1, -3.0), (1.1, 3.0), False),
        ((-20.0, 170.0), (-25.0, -170.0), False),
    ],
    ids=["through", "inside", "by the canal", "beside the canal", "round", "antimeridian"],
)
def test_a_leg_is_on_land_when_any_part_of_it_is_outside_a_passage(
    a: tuple[float, float], b: tuple[float, float], on_land: bool
) -> None:
    legs = [leg((30.0, 30.0), (31.0, 33.0)), leg(a, b)]
    assert LandCheck([CUT], COAST).find_legs_on_land(legs).tolist() == [False, on_land]


def test_a_leg_of_which_only_the_great_circle_meets_land_is_on_land() -> None:
    high = Coastline(ISLAND + np.float32([0, 50]), COAST.starts, COAST.levels)
    along = leg((48.0, -20.0), (48.0, 20.0))
    assert LandCheck([], high).find_legs_on_land([along]).tolist() == [True]


@pytest.mark.parametrize(("bank_m", "on_shoal"), [(11, True), (12, False), (13, False)])
def test_a_bank_is_a_shoal_to_who_needs_more_than_its_charted_depth(
    bank_m: int, on_shoal: bool
) -> None:
    over = leg((0.1037, 3.0), (0.2941, 8.0))
    assert charted(bank_m).find_legs_on_shoal([over], 12.0).tolist() == [on_shoal]


def test_shallows_next_to_the_coast_and_those_a_passage_vouches_for_are_not_counted() -> None:
    depths = np.full((2161, 4320), 2, dtype=np.int16)
    judge = ShoalCheck(LandCheck([CUT], COAST), [CUT], depths)
    inshore, vouched, offshore = (
        leg((1.1, -0.5), (1.1, 0.5)),
        leg((0.5, 1.05), (0.5, 3.0), "the Cut"),
        leg((0.5, 2.0), (0.5, 3.0)),
    )
    found = judge.find_legs_on_shoal([inshore, vouched, offshore], 12.0)
    assert found.tolist() == [False, False, True]


def test_a_lakes_depth_is_not_read_from_heights_above_the_sea() -> None:
    lake = Coastline(
        np.concatenate([20 * ISLAND, 10 * ISLAND]),
        np.array([0, len(ISLAND), 2 * len(ISLAND)]),
        np.array([1, 2], dtype=np.uint8),
    )
    depths = np.full((2161, 4320), -183, dtype=np.int16)
    judge = ShoalCheck(LandCheck([], lake), [], depths)
    assert judge.find_legs_on_shoal([leg((0.5, 2.0), (0.5, 3.0))], 12.0).tolist() == [False]


def test_there_is_nothing_to_judge_in_no_legs() -> None:
    assert charted(4).find_legs_on_shoal([], 12.0).size == 0
    assert LandCheck([CUT], COAST).find_legs_on_land([]).size == 0
