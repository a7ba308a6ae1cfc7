"""Detours without a forecast: planned only if they pay in a month's changing weather."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from shapely.geometry import MultiPolygon, box

from app.engine.area import Area, AreaKind, AreaRule, IceHazard, IceWater
from app.engine.codes import WarningCode
from app.engine.departures.sweep import search_departure
from app.engine.ensemble.detour import _find_probability
from app.engine.particulars import IceClass, Loading
from app.engine.planner import plan_voyage
from app.engine.planning.candidates import Thoroughness
from app.engine.planning.context import PlanningContext
from app.engine.request import Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values
from app.engine.weather.layer import YEAR_H, Layer
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX
from tests.unit.engine.weather.seas import uniform_climatology

#: Westward along a parallel of the Atlantic, at one speed.
REQUEST = VoyageRequest(
    departure=Position(45.0, -15.0),
    arrival=Position(45.0, -48.0),
    departs_at=DEPARTS_AT,
    ship=KAMSARMAX,
    loading=Loading(12.2, 0.0, 68_000.0),
    speed_min_kn=12.0,
    speed_max_kn=12.0,
)
_GRID = RegularGrid(-89.0, 2.0, 90, -179.0, 2.0, 180)
_MONTHS_H = [(month + 0.5) * YEAR_H / 12.0 for month in range(12)]
WAVE_M = 4.0
#: South of the parallel, where the detours of these tests lead.
POLAR_WATERS = Area(
    "polar",
    "polar waters",
    AreaKind.ICE,
    AreaRule.REPORTED,
    MultiPolygon([box(-40.0, 40.0, -25.0, 44.0)]),
    ice=IceWater(IceHazard.POLAR_WATERS),
)


def _fill_waves(steadiness: float, times_h: list[float], *, cyclic: bool) -> Layer:
    """Return waves of one height, from ahead north of 45 N and from astern south of 43 N."""
    lats = np.linspace(-89.0, 89.0, 90)
    values = np.zeros((len(times_h), 90, 180, 4))
    values[..., :2] = WAVE_M, 5.0 * WAVE_M**0.5
    values[..., 2] = steadiness * np.interp(lats, [43.0, 45.0], [1.0, -1.0])[:, None]
    return layer_from_values(Group.WAVE, _GRID, times_h, values, cyclic=cyclic)


@cache
def make_climate(steadiness: float) -> WeatherField:
    calm = uniform_climatology(current=(0.0, 0.0))
    waves = _fill_waves(steadiness, _MONTHS_H, cyclic=True)
    return WeatherField(replace(calm, layers={**calm.layers, Group.WAVE: waves}))


def make_forecast() -> WeatherField:
    """Return the seas of the steady climate as a forecast of the whole voyage."""
    hours = list(hours_since_epoch(DEPARTS_AT) + np.arange(0.0, 481.0, 12.0))
    run = WeatherRun("steady", {Group.WAVE: _fill_waves(1.0, hours, cyclic=False)}, DEPARTS_AT)
    return replace(make_climate(0.4), forecasts=(run,))


@pytest.mark.parametrize(
    ("ratios", "least", "most"),
    [
        ([1.2] * 10, 1.0, 1.0),
        ([0.8] * 10, 0.0, 0.0),
        ([1.0] * 10, 0.5, 0.5),
        ([1.25, 0.8] * 5, 0.49, 0.51),
        ([1.3, 1.1, 0.95] * 5, 0.75, 0.9),
        ([1.3, 1.2, 1.1] * 5, 0.98, 1.0),
    ],
)
def test_the_probability_is_that_of_a_saving(
    ratios: list[float], least: float, most: float
) -> None:
    assert least <= _find_probability(ratios) <= most


@pytest.mark.atlas
@pytest.mark.parametrize(("steadiness", "is_planned"), [(0.3, False), (0.7, True), (0.95, True)])
def test_a_detour_is_planned_where_directions_are_steady(
    sea: SeaAtlas, steadiness: float, is_planned: bool
) -> None:
    plan = plan_voyage(REQUEST, sea, make_climate(steadiness))
    detour_nm = plan.summary.distance_nm - plan.summary.great_circle_nm
    assert (detour_nm > 50.0) is is_planned
    assert (detour_nm < 1.0) is not is_planned
    codes = [warning.code for warning in plan.warnings]
    assert (WarningCode.DETOUR_IN_DOUBT in codes) is not is_planned


@pytest.mark.atlas
@pytest.mark.parametrize("ice_class", [IceClass.NONE, IceClass.IA])
def test_only_a_ship_with_an_ice_class_makes_a_detour_into_polar_waters(
    sea: SeaAtlas, ice_class: IceClass
) -> None:
    ship = replace(KAMSARMAX, ice_class=ice_class)
    request = replace(REQUEST, ship=ship, areas=(POLAR_WATERS,))
    plan = plan_voyage(request, sea, make_climate(0.95))
    codes = {warning.code for warning in plan.warnings}
    reported = {WarningCode.DETOUR_IN_DOUBT, WarningCode.ICE} & codes
    if ice_class is IceClass.NONE:
        assert reported == {WarningCode.DETOUR_IN_DOUBT}
        assert plan.summary.distance_nm < plan.summary.great_circle_nm + 1.0
    else:
        assert reported == {WarningCode.ICE}
        assert plan.summary.distance_nm > plan.summary.great_circle_nm + 50.0


@pytest.mark.atlas
def test_a_forecast_decides_by_itself(sea: SeaAtlas) -> None:
    plan = plan_voyage(REQUEST, sea, make_forecast())
    assert plan.summary.distance_nm > plan.summary.great_circle_nm + 50.0
    assert WarningCode.DETOUR_IN_DOUBT not in [warning.code for warning in plan.warnings]


@pytest.mark.atlas
def test_departures_are_compared_on_the_track_that_a_plan_takes(sea: SeaAtlas) -> None:
    weather = make_climate(0.3)
    plan = plan_voyage(REQUEST, sea, weather)
    context = PlanningContext.of(REQUEST, sea, weather)
    searched = search_departure(context, DEPARTS_AT, None, Thoroughness.BEST_ROUTE)
    assert searched.outcome.figures is not None
    assert searched.outcome.figures.distance_nm == pytest.approx(plan.summary.distance_nm)
    assert searched.outcome.figures.fuel_t == pytest.approx(plan.summary.fuel_t, rel=1e-3)
