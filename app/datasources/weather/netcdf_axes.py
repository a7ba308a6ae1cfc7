"""Axes of NetCDF variables: their valid and reference times, heights and depths."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import netCDF4
import numpy as np

from app.datasources.weather.fields import Quantity
from app.engine.arrays import Floats

#: Calendars of dates; those of climate models have days that no clock shows.
_CALENDARS: Final = ("standard", "gregorian", "proleptic_gregorian")
#: CF's standard names of reference time and forecast period, and names of axes without one.
_REFERENCES: Final = ("forecast_reference_time",)
_PERIODS: Final = ("forecast_period", "step", "leadtime", "lead_time")
#: Height of the wind that is taken, and greatest depth that counts as the surface [m].
_WIND_HEIGHT_M: Final = 10.0
_SURFACE_DEPTH_M: Final = 15.0
#: Height [m] in the name of a wind.
_HEIGHT: Final = re.compile(r"(?<!\d)(\d+)_?(?:m|$)")
#: Units of heights and depths, and of levels of the air that are not the surface.
_METRES: Final = ("m", "meter", "meters", "metre", "metres")
_PRESSURES: Final = ("pa", "hpa", "mb", "mbar", "millibar", "millibars", "dbar", "decibar")


class LeftOut(Exception):
    """Reason why a variable cannot be used."""


def read_text(variable: Any, attribute: str, default: str = "") -> str:
    """Return an attribute as text; files hold numbers in some that should be text."""
    return str(getattr(variable, attribute, default))


def read_axis(variable: Any) -> Floats:
    """Return the values of a coordinate; NaN is missing."""
    return np.ma.filled(variable[:], np.nan).astype(np.float64)


def find_time_kind(name: str, variable: Any) -> str | None:
    """Return ``time``, ``reference`` or ``period`` for an axis of such times."""
    standard = read_text(variable, "standard_name", name).lower()
    if standard in _REFERENCES:
        return "reference"
    if standard in _PERIODS:
        return "period"
    return "time" if " since " in read_text(variable, "units").lower() else None


def find_times(data: Any, variable: Any, axes: Mapping[str, int]) -> tuple[int, str]:
    """Return the axis along which a variable's times lie, and the name of their coordinate.

    ``axes`` holds the variable's axes by kind. Along reference times or forecast periods the
    valid times are those of an auxiliary coordinate. Raise :class:`LeftOut` if there is none, or
    if a time has several forecasts.
    """
    if "time" in axes and "period" in axes:
        raise LeftOut("it lies along times and forecast periods, which do not say when it is valid")
    of_time = [axes[kind] for kind in ("time", "period", "reference") if kind in axes]
    if not of_time:
        raise LeftOut("no time axis")
    longest = max(of_time, key=lambda axis: variable.shape[axis])
    time = axes.get("time", longest)
    if any(variable.shape[axis] > 1 for axis in of_time if axis != time):
        raise LeftOut("it holds forecasts of several reference times; one is read")
    name = variable.dimensions[time]
    if "time" in axes:
        return time, name
    dimensions = {variable.dimensions[axis] for axis in of_time}
    for other, coordinate in data.variables.items():
        is_time = read_text(coordinate, "standard_name") == "time"
        is_along = set(coordinate.dimensions) <= dimensions
        if is_time and is_along and coordinate.size == variable.shape[time]:
            return time, other
    raise LeftOut(f"no coordinate says when it is valid along {name}")


def read_times(variable: Any) -> list[datetime]:
    """Read a coordinate of times, to the second; raise :class:`LeftOut` if it is none."""
    calendar = read_text(variable, "calendar", "standard").lower()
    if calendar not in _CALENDARS:
        raise LeftOut(
            f"the time axis cannot be read: the calendar {calendar!r} is not that of dates"
        )
    try:
        if not np.isfinite(np.ma.filled(variable[:].astype(np.float64), np.nan)).all():
            raise LeftOut("the time axis cannot be read: times are missing")
        # Python's dates cannot be asked for: some axes count from a year before their calendar
        dates = netCDF4.num2date(variable[:], read_text(variable, "units"), calendar)
        return [_to_second(date) for date in np.asarray(dates).ravel()]
    except (TypeError, ValueError, OverflowError) as fault:
        raise LeftOut(f"the time axis cannot be read: {fault}") from fault


def _to_second(date: Any) -> datetime:
    """Round a date of cftime; an hour is no whole fraction of the days that an axis counts in."""
    clock = (date.hour, date.minute, date.second, date.microsecond)
    moment = datetime(date.year, date.month, date.day, *clock, tzinfo=UTC)
    return (moment + timedelta(milliseconds=500)).replace(microsecond=0)


def find_reference_time(data: Any) -> datetime | None:
    """Return CF's forecast reference time where a file has one, the first of several."""
    for variable in data.variables.values():
        if read_text(variable, "standard_name") in _REFERENCES:
            return read_times(variable)[0]
    return None


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
