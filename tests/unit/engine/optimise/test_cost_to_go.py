"""The estimated cost from the nodes of a lattice to its end."""

from dataclasses import replace
from datetime import timedelta
from unittest.mock import patch

import numpy as np
import pytest

from app.engine.optimise.cost_to_go import Departures, estimate_cost_to_go
from app.engine.optimise.labels import SearchedLattice
from app.engine.optimise.refinement import Problem
from app.engine.planner import plan_voyage
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import make_crossing, make_even

pytestmark = pytest.mark.atlas


def test_in_steady_weather_it_is_the_cost_of_the_best_label_at_the_end(sea: SeaAtlas) -> None:
    searches: list[tuple[Problem, SearchedLattice]] = []

    def remember(problem: Problem, searched: SearchedLattice, _apart: object) -> list[object]:
        searches.append((problem, searched))
        return []

    weather = make_even(2.0)  # kernels read its arrays by their addresses
    with patch("app.engine.optimise.track_search.find_runners_up", remember):
        request = replace(make_crossing(), arrive_by=DEPARTS_AT + timedelta(hours=240))
        plan_voyage(request, sea, weather)
    for problem, searched in searches:
        objective = problem.objective
        fuel_price, hour_price = objective.prices.fuel, objective.label_hour_price
        middle = searched.lattice.lats.shape[1] // 2
        to_go = estimate_cost_to_go(
            problem.medium,
            problem.radius_nm,
            searched.lattice,
            searched.search,
            Departures(
                np.full(searched.lattice.lats.shape, objective.departs_h), fuel_price, hour_price
            ),
        )
        fuel, time_h = searched.labels.fuel[-1, middle], searched.labels.time_h[-1, middle]
        reached = fuel < np.inf
        hours = time_h[reached] - objective.departs_h
        least = (fuel_price * fuel[reached] + hour_price * hours).min()
        # labels of one bin of time replace each other, so that theirs is rather too high
        assert 0.99 * least < to_go.cost[0, middle] <= 1.0001 * least
    assert searches
