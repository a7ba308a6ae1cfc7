"""Search of tracks from and to places that no straight course leaves."""

import pytest

from app.engine.particulars import Loading
from app.engine.planning.candidate_paths import PathCase, find_candidate_paths
from app.engine.planning.context import PlanningContext
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.request import Limits, Objective, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX
from tests.unit.engine.weather.seas import uniform_climatology

OFF_VALPARAISO, PAPEETE = Position(-33.0, -71.7), Position(-17.5, -149.6)
LES_SABLES, OFF_LISBON = Position(46.5, -1.8), Position(38.6, -9.5)


@pytest.mark.atlas
@pytest.mark.parametrize(
    ("departure", "arrival"),
    [(OFF_VALPARAISO, PAPEETE), (PAPEETE, OFF_VALPARAISO), (LES_SABLES, OFF_LISBON)],
)
def test_tracks_are_found_from_and_to_a_bay(
    sea: SeaAtlas, departure: Position, arrival: Position
) -> None:
    loading = Loading(12.2, 0.0, 68_000.0)
    request = VoyageRequest(departure, arrival, DEPARTS_AT, KAMSARMAX, loading, 10.0, 14.0)
    weather = WeatherField(uniform_climatology(current=(0.0, 0.0)))
    context = PlanningContext.of(request, sea, weather)
    path = find_candidate_paths(context, [], 1)[0]
    legs = PathCase.of(context, path).geometry
    problem = RoutingProblem(context, weather, path, legs, Limits(), ())
    assert problem.track_search is not None
    objective = problem.search_objective(Objective.FUEL, None)
    assert problem.track_search.find_coarse_track(objective) is not None
