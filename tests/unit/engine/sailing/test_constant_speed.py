"""The best constant speed of a voyage by its objective."""

from functools import partial

import pytest
from scipy.optimize import minimize_scalar

from app.engine.request import Objective
from app.engine.sailing.constant_speed import choose_speed
from app.engine.sailing.simulation import Simulation, simulate_track
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_ship, make_track

TRACK = make_track((49.0, -6.0), (41.0, -70.0))
SHIP = make_ship()
simulate = partial(simulate_track, TRACK, ship=SHIP, departs_at=DEPARTS_AT)


def choose(objective: Objective, price: float = 0.0, longest_h: float | None = None) -> Simulation:
    return choose_speed(simulate, 10.0, 15.0, objective, price, longest_h)


def test_the_earliest_arrival_takes_the_highest_speed() -> None:
    assert choose(Objective.TIME).ordered_kn == 15.0


def test_the_least_fuel_in_a_calm_sea_takes_the_lowest_speed() -> None:
    assert choose(Objective.FUEL).ordered_kn == pytest.approx(10.0, abs=0.02)


def test_least_fuel_takes_the_slowest_speed_that_arrives_in_time() -> None:
    longest_h = TRACK.length_nm / 12.5
    simulation = choose(Objective.FUEL, longest_h=longest_h)
    assert simulation.total_h <= longest_h
    assert simulation.ordered_kn == pytest.approx(12.5, abs=0.02)


def test_an_arrival_out_of_reach_takes_the_highest_speed() -> None:
    assert choose(Objective.FUEL, longest_h=TRACK.length_nm / 16.0).ordered_kn == 15.0


def test_a_balanced_voyage_minimises_fuel_and_priced_time() -> None:
    price = SHIP.performance(13.0).fuel_t_per_h

    def cost(speed_kn: float) -> float:
        simulation = simulate(speed_kn)
        return simulation.total_fuel_t + price * simulation.total_h

    best = minimize_scalar(cost, bounds=(10.0, 15.0), method="bounded")
    assert cost(choose(Objective.BALANCED, price).ordered_kn) == pytest.approx(best.fun, rel=1e-4)
