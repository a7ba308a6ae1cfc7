"""Description of the area that a forecast run covers."""

from collections.abc import Iterable
from typing import Final

from app.engine.units import wrap_longitude
from app.engine.weather import WeatherRun
from app.engine.weather.grid import RegularGrid

ALL_OCEANS: Final = "all oceans"


def describe_area(grids: Iterable[RegularGrid]) -> str:
    """Area that all of the grids cover: ``all oceans`` or its bounds."""
    regional = [grid for grid in grids if not grid.is_global]
    if not regional:
        return ALL_OCEANS
    south = max(grid.lat_first for grid in regional)
    north = min(grid.lat_last for grid in regional)
    parallels = f"{_latitude(south)} to {_latitude(north)}"
    open_ended = [grid for grid in regional if not grid.wraps]
    if not open_ended:
        return parallels
    west = max(grid.lng_first for grid in open_ended)
    east = min(grid.lng_last for grid in open_ended)
    return f"{parallels}, {_longitude(west)} to {_longitude(east)}"


def describe_run(run: WeatherRun) -> str:
    """Area that a run covers with all its groups."""
    return describe_area(layer.grid for layer in run.layers.values())


def _latitude(value_deg: float) -> str:
    return f"{abs(value_deg):.0f}°{'S' if value_deg < 0 else 'N'}"


def _longitude(value_deg: float) -> str:
    wrapped = wrap_longitude(value_deg)
    return f"{abs(wrapped):.0f}°{'W' if wrapped < 0 else 'E'}"
