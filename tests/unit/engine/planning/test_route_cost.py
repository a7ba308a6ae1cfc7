"""The cost of routes, and their order if one of them waits for an area to open."""

from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import pytest

from app.engine.optimise.search_objective import Prices
from app.engine.planning.route_cost import CostBasis
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.sailing.track import Track
from app.engine.times import hours_since_epoch
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_area, make_ship, make_track

#: An area across a track of 42 hours at 12 kn, closed for a day after the ship reaches it.
AREA = make_area(-44.1, 43.0, -43.9, 47.0, ends_at=DEPARTS_AT + timedelta(hours=45))
DIRECT = make_track((45.0, -50.0), (45.0, -38.0))
LOITERING = make_track((45.0, -50.0), (41.2, -47.5), (45.0, -45.0), (45.0, -38.0))
AROUND = make_track((45.0, -50.0), (42.5, -44.0), (45.0, -38.0))
PRICES = Prices(1.0, 0.0, wait=1.0)


@dataclass
class Route:
    simulation: Simulation
    total_fuel_t: float
    surcharge_nm: float = 0.0


def sail(track: Track, fuel_t: float, *, waits: bool = False, speed_kn: float = 12.0) -> Route:
    not_before_h = np.full(track.distance_nm.size, -np.inf)
    if waits:
        before = int(np.flatnonzero(track.lngs < -44.2)[-1])
        not_before_h[before] = hours_since_epoch(AREA.ends_at) + 1.0 / 60.0
    ship = make_ship()
    simulation = simulate_track(
        track, speed_kn, ship=ship, departs_at=DEPARTS_AT, not_before_h=not_before_h
    )
    return Route(simulation, fuel_t)


def best_of(*routes: Route) -> Route:
    return CostBasis(PRICES, None, (AREA,)).sort(routes)[0]


@pytest.mark.parametrize("extra_t", [0.1, 10.0])
def test_a_wait_is_better_than_a_detour_that_passes_the_time(extra_t: float) -> None:
    waiting, loitering = sail(DIRECT, 40.0, waits=True), sail(LOITERING, 40.0 + extra_t)
    assert best_of(loitering, waiting) is waiting


def test_a_way_around_is_better_if_it_burns_less_than_the_hours_saved_are_worth() -> None:
    waiting, around = sail(DIRECT, 40.0, waits=True), sail(AROUND, 40.0)
    saved_h = waiting.simulation.total_h - around.simulation.total_h
    assert saved_h > 3.0
    for extra_t, best in ((saved_h - 0.1, around), (saved_h + 0.1, waiting)):
        around.total_fuel_t = 40.0 + PRICES.wait * extra_t
        assert best_of(waiting, around) is best


def test_only_waits_for_weather_are_priced_in_full() -> None:
    waiting = sail(DIRECT, 40.0, waits=True)
    assert CostBasis(PRICES, None, (AREA,)).cost(waiting)[1] == pytest.approx(40.0, abs=1e-3)
    assert CostBasis(PRICES, None).cost(waiting)[1] > 60.0


@pytest.mark.parametrize("hour", [0.0, 0.5])
def test_cheap_miles_elsewhere_do_not_pay_for_a_detour_of_a_voyage_from_an_avoided_area(
    hour: float,
) -> None:
    short, long = sail(DIRECT, 40.0), sail(LOITERING, 41.0)
    short.surcharge_nm = long.surcharge_nm = 20_000.0
    prices = Prices(1.0, hour, mile=0.08)
    assert CostBasis(prices, None).sort([long, short])[0] is short


def test_a_detour_around_an_area_pays_if_it_costs_less_than_the_miles_that_the_price_adds() -> None:
    inside, around = sail(DIRECT, 40.0), sail(AROUND, 43.0)
    prices = Prices(1.0, 0.0, mile=0.08)
    for surcharge_nm, best in ((37.0, inside), (38.0, around)):
        inside.surcharge_nm = surcharge_nm
        assert CostBasis(prices, None).sort([inside, around])[0] is best


def test_a_later_entry_on_the_same_track_gains_the_hours_it_arrives_earlier() -> None:
    waiting, slow = sail(DIRECT, 40.0, waits=True), sail(DIRECT, 40.01, speed_kn=10.5)
    assert slow.simulation.total_h < waiting.simulation.total_h
    assert best_of(waiting, slow) is slow
