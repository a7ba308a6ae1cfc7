"""Weights of the fuel burnt in shallow water."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np
import pytest

from app.engine.arrays import Bools, Floats
from app.engine.optimise.shallow_water import price_shallow_water
from app.engine.vessel.kernels import attainable_speed_kn, fuel_rate
from app.engine.vessel.relative_sea import RelativeSea
from tests.unit.engine.sailing_builders import make_ship

SHIP = make_ship().kernel_parameters
DRAFT_M = 12.2
CALM = (0.0, 8.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Chart:
    """Depths by place; every stage may be shallow."""

    depth_m: Callable[[Floats, Floats], Floats]

    def mark_deep_stages(self, lats: Floats, lngs: Floats, depth_m: float) -> Bools:
        return np.zeros(lats.shape[0] - 1, dtype=np.bool_)


def weigh(depths_m: list[float], speed_kn: float = 12.0, price: float = 1.0) -> Floats:
    """The weights of edges along the columns, which have these depths at both ends."""
    columns = np.arange(float(len(depths_m)))
    lats, lngs = np.tile(columns, (2, 1)), np.array([[0.0], [0.5]]) + 0.0 * columns
    weights = price_shallow_water(
        lambda lats, lngs, has_edge: np.full(has_edge.shape, price),
        Chart(lambda lats, lngs: np.array(depths_m)[np.round(lats).astype(int)]),
        SHIP,
        speed_kn,
    )(lats, lngs, np.eye(columns.size, dtype=np.bool_)[None])
    return np.diagonal(weights[0])


def test_fuel_in_deep_water_has_a_weight_of_one() -> None:
    assert weigh([12.0 * DRAFT_M, 4000.0]) == pytest.approx([1.0, 1.0])


def test_the_weight_increases_as_the_depth_decreases() -> None:
    weights = weigh([140.0, 60.0, 40.0, 25.0, 18.0, 14.0])
    assert (np.diff(weights) > 0.0).all()
    assert weights[0] >= 1.0


def test_the_weight_multiplies_other_prices() -> None:
    assert weigh([20.0, 4000.0], price=3.0) == pytest.approx(3.0 * weigh([20.0, 4000.0]))


@pytest.mark.parametrize("depth_m", [15.0, 18.0, 30.0])
@pytest.mark.parametrize("ordered_kn", [9.0, 14.0])
def test_the_weight_is_what_a_mile_burns_at_the_speed_that_the_engine_keeps(
    depth_m: float, ordered_kn: float
) -> None:
    kept_kn = attainable_speed_kn(SHIP, ordered_kn, RelativeSea(*CALM, depth_m))
    shallow = fuel_rate(SHIP, kept_kn, RelativeSea(*CALM, depth_m))[2] / kept_kn
    deep = fuel_rate(SHIP, ordered_kn, RelativeSea(*CALM, inf))[2] / ordered_kn
    assert weigh([depth_m], ordered_kn)[0] == pytest.approx(shallow / deep, rel=0.01)


def test_an_unknown_depth_is_the_nearest_known_of_the_stage() -> None:
    unknown = np.nan
    weights = weigh([unknown, unknown, 18.0, unknown, unknown, unknown, 4000.0, unknown])
    known = weigh([18.0])[0]
    assert weights == pytest.approx([known, known, known, known, known, 1.0, 1.0, 1.0])


def test_a_stage_without_known_depths_counts_as_deep() -> None:
    assert weigh([np.nan, np.nan]) == pytest.approx([1.0, 1.0])


def test_a_bank_counts_for_its_share_of_an_edge() -> None:
    def depth_at(lats: Floats, lngs: Floats) -> Floats:
        return np.where(abs(lngs - 0.375) < 0.125, 18.0, 4000.0)

    price = price_shallow_water(
        lambda lats, lngs, has_edge: np.ones(has_edge.shape), Chart(depth_at), SHIP, 12.0
    )
    edge = np.zeros((2, 1)), np.array([[0.0], [1.0]])
    (weight,) = price(*edge, np.ones((1, 1, 1), dtype=np.bool_)).ravel()
    assert weight == pytest.approx(0.75 + 0.25 * weigh([18.0])[0])
