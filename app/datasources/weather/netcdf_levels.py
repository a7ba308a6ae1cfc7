"""Heights and depths of NetCDF variables: those that count as the surface."""

import re
from typing import Any, Final

import numpy as np

from app.datasources.weather.fields import Quantity
from app.datasources.weather.netcdf_times import LeftOut, read_axis, read_text

#: Height of the wind that is taken, and greatest depth that counts as the surface [m].
_WIND_HEIGHT_M: Final = 10.0
_SURFACE_DEPTH_M: Final = 15.0
#: Height [m] in the name of a wind.
_HEIGHT: Final = re.compile(r"(?<!\d)(\d+)_?(?:m|$)")
#: Units of heights and depths, and of levels of the air that are not the surface.
_METRES: Final = ("m", "meter", "meters", "metre", "metres")
_PRESSURES: Final = ("pa", "hpa", "mb", "mbar", "millibar", "millibars", "dbar", "decibar")


def check_wind_height(name: str, quantity: Quantity) -> None:
    """Raise :class:`LeftOut` for wind whose name gives another height: u100, ugrd_80m."""
    height = _HEIGHT.search(name.lower())
    is_wind = quantity in (Quantity.WIND_U, Quantity.WIND_V)
    if is_wind and height and float(height[1]) != _WIND_HEIGHT_M:
        raise LeftOut(f"its name gives a height of {height[1]} m; wind at 10 m is read")


def find_level(data: Any, name: str, count: int, quantity: Quantity) -> int:
    """Return the index along another axis at which a quantity is read.

    That of 10 m for wind, and of the shallowest depth for currents and temperature. Raise
    :class:`LeftOut` if the axis has no such level, or several values of another kind.
    """
    coordinate = data.variables.get(name)
    unit = "" if coordinate is None else read_text(coordinate, "units").lower()
    kind = "" if coordinate is None else read_text(coordinate, "standard_name", name).lower()
    if (
        coordinate is not None
        and unit in _METRES
        and any(word in kind for word in ("height", "depth", "elevation"))
    ):
        levels_m = np.abs(np.atleast_1d(read_axis(coordinate)))
        is_meant = levels_m <= _SURFACE_DEPTH_M
        if quantity in (Quantity.WIND_U, Quantity.WIND_V):
            is_meant = np.abs(levels_m - _WIND_HEIGHT_M) < 0.5
        if not is_meant.any():
            raise LeftOut(f"{name} has no level that counts: 10 m for wind, up to 15 m of depth")
        return int(np.where(is_meant, levels_m, np.inf).argmin())
    if unit in _PRESSURES:
        raise LeftOut(f"it is given at pressures ({name}), not at the surface")
    if count > 1 and coordinate is not None and not unit:
        raise LeftOut(f"the units attribute of its axis {name} is missing")
    if count > 1:
        raise LeftOut(f"it has {count} values along {name}, which is not known")
    return 0
