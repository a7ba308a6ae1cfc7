"""Plans made once: the same request in the same weather has the same plan.

That it has is the subject of tests/unit/engine/test_planning_through_a_storm.py.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from cachetools import LRUCache

from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.progress import Progress, no_progress
from app.engine.request import VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from app.services.chartings import charting_runs

_PLANS: LRUCache[Hashable, RoutePlan] = LRUCache(64)


@contextmanager
def each_plan_made_once() -> Iterator[None]:
    """Let plannings take plans that were made before, unless a test has replaced the planner."""
    with pytest.MonkeyPatch.context() as patch:
        if charting_runs.plan_voyage is plan_voyage:
            patch.setattr(charting_runs, "plan_voyage", _plan_once)
        yield


def _plan_once(
    request: VoyageRequest,
    sea: SeaAtlas,
    weather: WeatherField | None = None,
    on_progress: Progress = no_progress,
    members: Sequence[tuple[int, WeatherField]] = (),
) -> RoutePlan:
    numbered = tuple((number, _name(field)) for number, field in members)
    key = request, sea.identity, weather and _name(weather), numbered
    if key in _PLANS:
        on_progress(1.0, "Taking a plan made before")
    else:
        _PLANS[key] = plan_voyage(request, sea, weather, on_progress, members)
    return _PLANS[key]


def _name(field: WeatherField) -> Hashable:
    """Return the names of a field's runs, which stand for their content, and the layers of each."""
    runs = field.climatology, *field.forecasts
    return tuple((run.name, *sorted(run.layers)) for run in runs)
