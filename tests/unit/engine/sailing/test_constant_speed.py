"""The best constant speed of a voyage by its objective."""

from functools import partial

import pytest
from scipy.optimize import minimize_scalar

from app.engine.errors import LimitsTooTight
from app.engine.request import Objective
from app.engine.sailing.constant_speed import choose_speed, find_slowest_with_headway
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_ship, make_track
from tests.unit.engine.weather.seas import uniform_climatology

TRACK = make_track((49.0, -6.0), (41.0, -70.0))
SHIP = make_ship()
simulate = partial(simulate_track, TRACK, ship=SHIP, departs_at=DEPARTS_AT)
#: The sea runs east at 3.9 kn, nearly against the track.
against_current = partial(simulate, weather=WeatherField(uniform_climatology(current=(2.0, 0.0))))


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


def test_the_slowest_speed_against_a_current_is_above_it() -> None:
    slowest_kn = find_slowest_with_headway(against_current, 3.0, 15.0)
    assert slowest_kn == pytest.approx(3.9, abs=0.7)
    assert against_current(slowest_kn).over_ground_kn.min() >= 0.5


def test_a_speed_above_the_current_stays_the_slowest() -> None:
    assert find_slowest_with_headway(against_current, 5.0, 15.0) == 5.0


def test_a_current_above_the_fastest_speed_is_an_error() -> None:
    with pytest.raises(LimitsTooTight, match=r"At 3\.5 kn the ship cannot make headway"):
        find_slowest_with_headway(against_current, 3.0, 3.5)


@pytest.mark.parametrize("objective", Objective)
def test_a_speed_is_chosen_although_a_current_stops_lower_ones(objective: Objective) -> None:
    chosen = choose_speed(against_current, 3.0, 15.0, objective, 0.5, None)
    speeds = [4.6, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0]
    price = {Objective.FUEL: 0.0, Objective.BALANCED: 0.5}.get(objective)

    def cost(simulation: Simulation) -> float:
        if price is None:
            return simulation.total_h
        return simulation.total_fuel_t + price * simulation.total_h

    assert cost(chosen) <= min(cost(against_current(speed_kn)) for speed_kn in speeds) + 1e-6
