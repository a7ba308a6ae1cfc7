"""NetCDF with CF names, and the usual short names of wave and ocean models."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import netCDF4
import numpy as np

from app.datasources.netcdf_classic import HeaderInvalid, find_missing_bytes
from app.datasources.weather.fields import FileField, Quantity, Survey, Values
from app.datasources.weather.netcdf_axes import (
    LeftOut,
    check_wind_height,
    find_level,
    find_reference_time,
    find_time_kind,
    find_times,
    read_axis,
    read_text,
    read_times,
)
from app.datasources.weather.regridding import UnsupportedGrid, check_size
from app.datasources.weather.units import UnitRefused, find_conversion
from app.engine.arrays import Floats
from app.engine.weather import RegularGrid

#: CF standard names -> quantity, preference.
_STANDARD_NAMES: Final[dict[str, tuple[Quantity, int]]] = {
    "eastward_wind": (Quantity.WIND_U, 0),
    "northward_wind": (Quantity.WIND_V, 0),
    "sea_surface_wave_significant_height": (Quantity.WAVE_HEIGHT, 0),
    "sea_surface_wave_period_at_variance_spectral_density_maximum": (Quantity.PEAK_PERIOD, 0),
    "sea_surface_wave_mean_period_from_variance_spectral_density_inverse_frequency_moment": (
        Quantity.ENERGY_PERIOD,
        0,
    ),
    "sea_surface_wave_mean_period_from_variance_spectral_density_second_frequency_moment": (
        Quantity.ZERO_CROSSING_PERIOD,
        0,
    ),
    "sea_surface_wave_from_direction": (Quantity.WAVE_FROM, 0),
    "sea_surface_wave_from_direction_at_variance_spectral_density_maximum": (Quantity.WAVE_FROM, 1),
    "eastward_sea_water_velocity": (Quantity.CURRENT_U, 0),
    "northward_sea_water_velocity": (Quantity.CURRENT_V, 0),
    "surface_eastward_sea_water_velocity": (Quantity.CURRENT_U, 0),
    "surface_northward_sea_water_velocity": (Quantity.CURRENT_V, 0),
    "sea_ice_area_fraction": (Quantity.ICE, 0),
    "air_pressure_at_mean_sea_level": (Quantity.PRESSURE, 0),
    "air_pressure_at_sea_level": (Quantity.PRESSURE, 0),
    "sea_surface_temperature": (Quantity.SEA_TEMPERATURE, 0),
    "sea_surface_swell_wave_significant_height": (Quantity.SWELL_HEIGHT, 0),
    "sea_surface_primary_swell_wave_significant_height": (Quantity.SWELL_HEIGHT, 1),
    "sea_surface_swell_wave_from_direction": (Quantity.SWELL_FROM, 0),
    "sea_surface_primary_swell_wave_from_direction": (Quantity.SWELL_FROM, 1),
}

#: Standard names of variables that have none; cfgrib writes the second.
_NO_NAMES: Final = ("", "unknown")

#: Variable names of ERA5, WAVEWATCH III and Copernicus Marine files, which often
#: carry no standard name.
_SHORT_NAMES: Final[dict[str, tuple[Quantity, int]]] = {
    "u10": (Quantity.WIND_U, 0),
    "v10": (Quantity.WIND_V, 0),
    "uwnd": (Quantity.WIND_U, 0),
    "vwnd": (Quantity.WIND_V, 0),
    "swh": (Quantity.WAVE_HEIGHT, 0),
    "hs": (Quantity.WAVE_HEIGHT, 0),
    "VHM0": (Quantity.WAVE_HEIGHT, 0),
    "pp1d": (Quantity.PEAK_PERIOD, 0),
    "tp": (Quantity.PEAK_PERIOD, 0),
    "VTPK": (Quantity.PEAK_PERIOD, 0),
    "mwp": (Quantity.ENERGY_PERIOD, 0),
    "VTM10": (Quantity.ENERGY_PERIOD, 0),
    "t02": (Quantity.ZERO_CROSSING_PERIOD, 0),
    "VTM02": (Quantity.ZERO_CROSSING_PERIOD, 0),
    "mwd": (Quantity.WAVE_FROM, 0),
    "dir": (Quantity.WAVE_FROM, 0),
    "VMDR": (Quantity.WAVE_FROM, 0),
    "uo": (Quantity.CURRENT_U, 0),
    "vo": (Quantity.CURRENT_V, 0),
    "ucur": (Quantity.CURRENT_U, 0),
    "vcur": (Quantity.CURRENT_V, 0),
    "siconc": (Quantity.ICE, 0),
    "msl": (Quantity.PRESSURE, 0),
    "sst": (Quantity.SEA_TEMPERATURE, 0),
    "shts": (Quantity.SWELL_HEIGHT, 0),
    "VHM0_SW1": (Quantity.SWELL_HEIGHT, 1),
    "mdts": (Quantity.SWELL_FROM, 0),
    "VMDR_SW1": (Quantity.SWELL_FROM, 1),
}

#: Largest departure of an axis from even spacing, of one step [1].
_UNEVEN: Final = 0.02

#: Names of the axis that ensemble members lie along, besides CF's standard name.
_MEMBER_NAMES: Final = ("number", "member", "realization", "ensemble", "ensemble_member", "ens")

#: The most members of a file.
_MOST_MEMBERS: Final = 1000
#: The most times of a file: two years by the hour.
_MOST_TIMES: Final = 20_000
#: The most points of a compressed chunk, which is unpacked whole for any of its values.
_MOST_IN_CHUNK: Final = 200_000_000


class _Meaning(NamedTuple):
    """The quantity of a variable and its rank; directions to which waves run are reversed."""

    quantity: Quantity
    preference: int
    is_reversed: bool = False


@dataclass(frozen=True)
class _Axes:
    """Positions of a variable's axes.

    ``clock`` names the coordinate of its valid times. ``fixed`` are the other axes, each with the
    index at which it is read.
    """

    time: int
    clock: str
    lat: int
    lng: int
    member: int | None
    fixed: tuple[tuple[int, int], ...]


def survey_netcdf(path: Path) -> Survey:
    """List the fields of a NetCDF file that can be taken, and why others cannot."""
    try:
        missing = find_missing_bytes(path)
        if missing:
            return Survey(
                left_out=[f"{path.name}: the file is cut short and lacks {missing} bytes"]
            )
        with netCDF4.Dataset(path) as data:
            return _survey(path, data)
    except (OSError, RuntimeError, UnicodeDecodeError, HeaderInvalid) as fault:
        reason = f"cannot be read as NetCDF, it may be cut short or damaged: {fault}"
        return Survey(left_out=[f"{path.name}: {reason}"])


def _survey(path: Path, data: Any) -> Survey:
    survey = Survey()
    others = []
    for index, (name, variable) in enumerate(data.variables.items()):
        found = _quantity(name, variable)
        if found is None:
            standard = read_text(variable, "standard_name")
            others.append((name, f"{name} is {standard}" if name in _SHORT_NAMES else name))
            continue
        try:
            survey.fields += _fields(path, data, index, variable, found)
        except LeftOut as reason:
            survey.left_out.append(f"{path.name}: {name}: {reason}")
    _drop_ambiguous(path, survey)
    unknown = [label for name, label in others if data.variables[name].ndim >= 2]
    if unknown:
        survey.left_out.append(f"{path.name}: variables of other kinds ({', '.join(unknown)})")
    return survey


def decode_netcdf(path: Path, wanted: Iterable[FileField]) -> Iterator[tuple[FileField, Values]]:
    """Values of some fields of one file, in the order of its variables and times."""
    with netCDF4.Dataset(path) as data:
        names = list(data.variables)
        for field in sorted(wanted, key=lambda item: item.ordinal):
            rest, step = divmod(field.ordinal, _MOST_TIMES)
            variable_index, place = divmod(rest, _MOST_MEMBERS)
            variable = data.variables[names[variable_index]]
            axes = _axes(data, variable, field.quantity)
            yield field, _values(data, variable, axes, step, place)


def _drop_ambiguous(path: Path, survey: Survey) -> None:
    """Leave out all but one of the variables that hold the same quantity in the same fields.

    The one with a usual name of the quantity counts; without it they are ambiguous, and all
    are left out: one may be of swell alone, or of another member.
    """
    alike: dict[tuple[Any, ...], set[str]] = defaultdict(set)
    for f in survey.fields:
        alike[(f.quantity, f.preference, f.grid, f.time_h, f.member)].add(f.name)
    for quantity, *names in sorted({(key[0], *sorted(found)) for key, found in alike.items()}):
        usual = [name for name in names if _SHORT_NAMES.get(name, ("",))[0] == quantity]
        if len(names) == 1:
            continue
        kept = usual if len(usual) == 1 else []
        reason = f"{quantity} is read from {kept[0]}" if kept else "give the one that is meant"
        survey.left_out.append(f"{path.name}: {' and '.join(names)} hold {quantity}; {reason}")
        survey.fields = [f for f in survey.fields if f.name not in set(names) - set(kept)]


def _ordinal(variable_index: int, place: int, step: int) -> int:
    """Find a field again: its variable, place along the members and time step."""
    return (variable_index * _MOST_MEMBERS + place) * _MOST_TIMES + step


def _quantity(name: str, variable: Any) -> _Meaning | None:
    """Return what a variable holds, by its standard name, or by its short one where it has none."""
    standard = read_text(variable, "standard_name")
    if standard in _NO_NAMES:
        found = _SHORT_NAMES.get(name)
        return found and _Meaning(*found)
    found = _STANDARD_NAMES.get(standard.replace("_to_direction", "_from_direction"))
    return found and _Meaning(*found, is_reversed="_to_direction" in standard)


def _fields(path: Path, data: Any, index: int, variable: Any, found: _Meaning) -> list[FileField]:
    check_wind_height(variable.name, found.quantity)
    axes = _axes(data, variable, found.quantity)
    _check_claims(variable, axes)
    times = read_times(data.variables[axes.clock])
    try:
        grid, _, _ = _grid(data, variable, axes)
    except ValueError as fault:
        raise LeftOut(f"invalid grid: {fault}") from fault
    stated = find_reference_time(data)
    try:
        scale, offset = find_conversion(found.quantity, read_text(variable, "units"))
    except UnitRefused as reason:
        raise LeftOut(str(reason)) from reason
    return [
        FileField(
            path,
            _ordinal(index, place, step),
            found.quantity,
            stated or min(times),
            moment.timestamp() / 3600.0,
            grid,
            variable.name,
            found.preference,
            scale,
            offset + 180.0 * found.is_reversed,
            member,
            is_reference_stated=stated is not None,
        )
        for place, member in enumerate(_members(data, variable, axes))
        for step, moment in enumerate(times)
    ]


def _members(data: Any, variable: Any, axes: _Axes) -> list[int]:
    """Numbers of the members that a variable holds; 0 is the control, or no member."""
    if axes.member is not None:
        name = variable.dimensions[axes.member]
        count = variable.shape[axes.member]
        if name not in data.variables:
            return list(range(1, count + 1))
        return _member_numbers(data.variables[name], name)
    scalars = (name for name in data.variables if _is_of_members(name, data.variables[name]))
    name = next((name for name in scalars if data.variables[name].size == 1), None)
    return [0] if name is None else _member_numbers(data.variables[name], name)


def _member_numbers(variable: Any, name: str) -> list[int]:
    """Raise :class:`LeftOut` where members are not numbered by whole numbers."""
    try:
        values = np.ma.filled(variable[:].astype(np.float64), np.nan).ravel()
    except (TypeError, ValueError):
        values = np.array([np.nan])
    if not (np.isfinite(values) & (values == np.rint(values)) & (values >= 0.0)).all():
        raise LeftOut(f"{name} does not number members by whole numbers from 0")
    numbers = [int(value) for value in values]
    if len(set(numbers)) < len(numbers):
        raise LeftOut(f"{name} has a number more than once")
    return numbers


def _is_of_members(name: str, variable: Any) -> bool:
    is_numbered = read_text(variable, "standard_name") == "realization"
    return is_numbered or name.lower() in _MEMBER_NAMES


def _check_claims(variable: Any, axes: _Axes) -> None:
    """Raise :class:`LeftOut` where reading would take more memory than any file is worth."""
    shape = variable.shape
    try:
        check_size(shape[axes.lat], shape[axes.lng])
    except UnsupportedGrid as reason:
        raise LeftOut(str(reason)) from reason
    if shape[axes.time] >= _MOST_TIMES:
        raise LeftOut(f"{shape[axes.time]} times; fewer than {_MOST_TIMES:,} are read")
    if axes.member is not None and shape[axes.member] >= _MOST_MEMBERS:
        raise LeftOut(f"{shape[axes.member]} members; fewer than {_MOST_MEMBERS:,} are read")
    chunks = variable.chunking()
    if isinstance(chunks, list) and math.prod(chunks) > _MOST_IN_CHUNK:
        raise LeftOut(f"chunks of {math.prod(chunks)} points are too large")


def _axes(data: Any, variable: Any, quantity: Quantity) -> _Axes:
    """Find the axes of a variable; raise :class:`LeftOut` if it is not on the surface meant."""
    found: dict[str, int] = {}
    fixed: list[tuple[int, int]] = []
    for index, name in enumerate(variable.dimensions):
        if name not in data.variables or data.variables[name].ndim != 1:
            kind = "member" if name.lower() in _MEMBER_NAMES else "other"
        else:
            kind = _axis_kind(name, data.variables[name])
        if kind in found or kind == "other":
            fixed.append((index, find_level(data, name, variable.shape[index], quantity)))
        else:
            found[kind] = index
    if "lat" not in found or "lng" not in found:
        raise LeftOut("a grid that is not regular in latitude and longitude is not supported")
    time, clock = find_times(data, variable, found)
    fixed += [(found[kind], 0) for kind in ("reference", "period") if found.get(kind, time) != time]
    for name in read_text(variable, "coordinates").split():
        if name in data.variables and data.variables[name].ndim == 0:
            find_level(data, name, 1, quantity)
    return _Axes(time, clock, found["lat"], found["lng"], found.get("member"), tuple(fixed))


def _axis_kind(name: str, variable: Any) -> str:
    units = read_text(variable, "units").lower()
    standard = read_text(variable, "standard_name", name).lower()
    if units.startswith("degree") and (
        standard.startswith("lat") or units.endswith(("north", "n"))
    ):
        return "lat"
    if units.startswith("degree") and (standard.startswith("lon") or units.endswith(("east", "e"))):
        return "lng"
    if _is_of_members(name, variable):
        return "member"
    return find_time_kind(name, variable) or "other"


def _grid(data: Any, variable: Any, axes: _Axes) -> tuple[RegularGrid, bool, bool]:
    """The grid, and whether the file's rows and columns run in reverse."""
    lats = read_axis(data.variables[variable.dimensions[axes.lat]])
    lngs = np.unwrap(read_axis(data.variables[variable.dimensions[axes.lng]]), period=360.0)
    lat_step, lng_step = _even_step(lats, "latitude"), _even_step(lngs, "longitude")
    grid = RegularGrid(
        float(lats.min()), abs(lat_step), lats.size, float(lngs.min()), abs(lng_step), lngs.size
    )
    return grid, lat_step < 0.0, lng_step < 0.0


def _even_step(axis: Floats, name: str) -> float:
    if axis.size < 2:
        return 1.0
    steps = np.diff(axis)
    mean = float(axis[-1] - axis[0]) / (axis.size - 1)
    if not np.isfinite(steps).all() or np.abs(steps - mean).max() > _UNEVEN * abs(mean):
        raise LeftOut(f"a grid uneven in {name} is not supported")
    return mean


def _values(data: Any, variable: Any, axes: _Axes, step: int, place: int) -> Values:
    index: list[Any] = [0] * variable.ndim
    for axis, at in axes.fixed:
        index[axis] = at
    index[axes.time], index[axes.lat], index[axes.lng] = step, slice(None), slice(None)
    if axes.member is not None:
        index[axes.member] = place
    values = np.ma.filled(variable[tuple(index)].astype(np.float64), np.nan)
    if axes.lng < axes.lat:
        values = values.T
    _, north_first, east_first = _grid(data, variable, axes)
    values = values[::-1] if north_first else values
    return values[:, ::-1] if east_first else values
