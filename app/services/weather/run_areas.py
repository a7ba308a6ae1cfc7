"""Areas of regional weather runs, and the voyages that they may serve."""

from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from app.datasources.weather.store import RunUnreadable, open_run
from app.engine.arrays import Bools, Floats
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.units import wrap_longitude
from app.engine.weather import Group
from app.engine.weather.grid import RegularGrid

#: Departure and arrival of a voyage.
Ends: TypeAlias = tuple[Position, Position]

#: Degrees of latitude and longitude beyond its ends to which a voyage may lead: by Panama from one
#: coast of the United States to the other.
_BEYOND_DEG: Final = 15.0
#: Distance between the samples of the great circle from end to end [nm].
_SAMPLE_NM: Final = 60.0


def may_touch(folder: Path, group: str, ends: Ends) -> bool:
    """Return whether a voyage may lead through the area of a stored run.

    The route is not known yet. A run that is not on this machine may be touched.
    """
    grid = find_grid(folder, group)
    if grid is None or grid.is_global:
        return True
    (lat, lng), (other_lat, other_lng) = ends
    south, north = sorted((lat, other_lat))
    if grid.lat_first > north + _BEYOND_DEG or grid.lat_last < south - _BEYOND_DEG:
        return False
    span = float(wrap_longitude(other_lng - lng))
    apart = abs(float(wrap_longitude(_middle_lng(grid) - (lng + 0.5 * span))))
    return grid.wraps or apart <= 0.5 * abs(span) + _BEYOND_DEG + _half_width(grid)


def measure_share(folder: Path, group: str, ends: Ends) -> float:
    """Measure the share of the great circle between two ends in the area of a stored run.

    It is 1 for a run that is not on this machine.
    """
    grid = find_grid(folder, group)
    if grid is None or grid.is_global:
        return 1.0
    lats, lngs = sample_leg(*ends, LegGeometry.GREAT_CIRCLE, _SAMPLE_NM)
    return float(_mark_inside(grid, lats, lngs).mean())


def find_middle(folder: Path, group: str) -> Position | None:
    """Find the middle of the area of a stored run; ``None`` for one of the world."""
    grid = find_grid(folder, group)
    if grid is None or grid.is_global:
        return None
    lat = 0.5 * (grid.lat_first + grid.lat_last)
    return Position(lat, float(wrap_longitude(_middle_lng(grid))))


def _mark_inside(grid: RegularGrid, lats: Floats, lngs: Floats) -> Bools:
    apart_deg = np.abs(wrap_longitude(lngs - _middle_lng(grid)))
    is_beside = (lats >= grid.lat_first) & (lats <= grid.lat_last)
    return is_beside & np.asarray(grid.wraps | (apart_deg <= _half_width(grid)))


def _middle_lng(grid: RegularGrid) -> float:
    return 0.5 * (grid.lng_first + grid.lng_last)


def _half_width(grid: RegularGrid) -> float:
    return 0.5 * (grid.lng_last - grid.lng_first)


def find_grid(folder: Path, group: str) -> RegularGrid | None:
    """Find the grid of a stored run's group; ``None`` if it is not on this machine."""
    try:
        return _read_grids(folder).get(Group(group))
    except RunUnreadable:
        return None


@cache
def _read_grids(folder: Path) -> dict[Group, RegularGrid]:
    """Read the grids of a stored run, which never changes."""
    return {group: layer.grid for group, layer in open_run(folder).layers.items()}
