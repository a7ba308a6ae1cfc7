"""Areas of ice in a forecast."""

from typing import Final

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon

from app.engine.area import Area, AreaKind, IceHazard, IceWater
from app.engine.particulars import IceClass
from app.engine.planning.ice import ICE_EDGE_FRACTION, find_ice_price, find_ice_rule
from app.engine.times import moment_at
from app.engine.weather import Group, WeatherField
from app.engine.weather.records import WeatherSource

#: Size of the cells in whose middles the concentration is sampled [deg].
_CELL_DEG: Final = 1.0
#: Step between the times of samples [h].
_STEP_H: Final = 24.0
#: Hazard and ice class needed in forecast ice; the class is that for first-year ice.
_FORECAST: Final = IceWater(IceHazard.PACK, IceClass.IA)


def list_forecast_ice(weather: WeatherField | None, ship: IceClass) -> list[Area]:
    """List the area of forecast ice, in force during the forecast; empty if there is none.

    A cell that reaches the concentration of the ice edge at any time counts for the whole
    forecast: a forecast covers days, but ice edges move over weeks.
    """
    run = None if weather is None else weather.forecast_run(Group.ICE)
    if weather is None or run is None:
        return []
    times_h = run.layers[Group.ICE].times_h
    lats = np.arange(-90.0 + _CELL_DEG / 2.0, 90.0, _CELL_DEG)
    lngs = np.arange(-180.0 + _CELL_DEG / 2.0, 180.0, _CELL_DEG)
    covered = np.zeros((lats.size, lngs.size), dtype=np.bool_)
    for time_h in np.arange(times_h[0], times_h[-1] + 0.1, _STEP_H):
        fraction, sources = weather.sample_scalar(Group.ICE, lats[:, None], lngs, time_h)
        known = np.array([source is WeatherSource.FORECAST for source in sources])
        covered |= known.reshape(covered.shape) & (fraction >= ICE_EDGE_FRACTION)
    rows, cols = np.nonzero(covered)
    if rows.size == 0:
        return []
    half = _CELL_DEG / 2.0
    cells = shapely.box(lngs[cols] - half, lats[rows] - half, lngs[cols] + half, lats[rows] + half)
    union = shapely.union_all(cells)
    outline = MultiPolygon([union]) if isinstance(union, Polygon) else union
    return [
        Area(
            id="forecast-ice",
            name=f"forecast ice of {100.0 * ICE_EDGE_FRACTION:.0f} % and more",
            kind=AreaKind.ICE,
            rule=find_ice_rule(_FORECAST, ship, port_calls=True),
            geometry=outline,
            starts_at=moment_at(times_h[0]),
            ends_at=moment_at(times_h[-1]),
            price=find_ice_price(_FORECAST),
            ice=_FORECAST,
        )
    ]
