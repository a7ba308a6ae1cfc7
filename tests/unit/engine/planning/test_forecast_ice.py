"""Areas of ice from the concentration in a forecast."""

from datetime import UTC, datetime, timedelta

import numpy as np
import shapely

from app.engine.area import AreaKind, AreaRule
from app.engine.particulars import IceClass
from app.engine.planning.ice import list_forecast_ice
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, WeatherField, WeatherRun
from app.engine.weather.grid import RegularGrid
from app.engine.weather.layer import layer_from_values
from tests.unit.engine.weather.seas import uniform_climatology

STARTS = datetime(2026, 4, 10, tzinfo=UTC)
STEPS = 5


def make_field(fraction: float) -> WeatherField:
    """A forecast of four days with ice of a concentration between 44 and 47 N, 50 and 45 W."""
    grid = RegularGrid(40.0, 0.5, 41, -60.0, 0.5, 61)
    lats, lngs = np.meshgrid(grid.lats(), grid.lngs(), indexing="ij")
    iced = (lats >= 44.0) & (lats <= 47.0) & (lngs >= -50.0) & (lngs <= -45.0)
    values = np.repeat(np.where(iced, fraction, 0.0)[None, :, :, None], STEPS, axis=0)
    times_h = [hours_since_epoch(STARTS) + 24.0 * step for step in range(STEPS)]
    layer = layer_from_values(Group.ICE, grid, times_h, values)
    return WeatherField(uniform_climatology(), (WeatherRun("forecast", {Group.ICE: layer}),))


def test_forecast_ice_closes_water_while_the_forecast_lasts() -> None:
    (area,) = list_forecast_ice(make_field(0.4), IceClass.NONE)
    assert (area.kind, area.rule) == (AreaKind.ICE, AreaRule.AVOID_UNLESS_ENDPOINT)
    assert (area.starts_at, area.ends_at) == (STARTS, STARTS + timedelta(days=STEPS - 1))
    assert shapely.contains_xy(area.geometry, -47.0, 45.5)
    assert not shapely.contains_xy(area.geometry, -55.0, 45.5)
    assert not shapely.contains_xy(area.geometry, -10.0, 45.5)


def test_forecast_ice_has_a_price_for_a_ship_of_the_class() -> None:
    (area,) = list_forecast_ice(make_field(0.4), IceClass.IA_SUPER)
    assert (area.rule, area.price) == (AreaRule.PRICED, 1.75)


def test_low_concentrations_and_runs_without_ice_give_no_area() -> None:
    assert list_forecast_ice(make_field(0.1), IceClass.NONE) == []
    assert list_forecast_ice(WeatherField(uniform_climatology(), ()), IceClass.NONE) == []
    assert list_forecast_ice(None, IceClass.NONE) == []
