"""GRIB 1 and 2 by ecCodes: what is in a file, and the values of what is wanted.

ecCodes shows the PROJ library it brings to all who load a library later. The
project's own pyproj is bound to its own (:mod:`app.engine.geodesy.proj`); it is
loaded first here all the same, for modules that import pyproj after this one.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

import app.engine.geodesy.proj  # noqa: F401  before ecCodes; see above

# isort: split
import eccodes  # type: ignore[import-untyped]

from app.datasources.weather.fields import FileField, Quantity, Survey, Values
from app.datasources.weather.grib_sections import MessageDamaged, list_field_counts
from app.datasources.weather.regridding import (
    MOST_IN_A_ROW,
    MOST_POINTS,
    RowLayout,
    UnsupportedGrid,
    check_size,
    rows_to_regular,
)
from app.engine.weather import RegularGrid

#: GRIB 2 code table 4.2: (discipline, category, number) -> quantity, preference.
#: NOAA writes the inverse peak frequency as "primary wave mean period" (10, 0, 11).
#: Swell is that of all partitions where a file has it, else of the first, which is the highest.
_GRIB2: Final[dict[tuple[int, int, int], tuple[Quantity, int]]] = {
    (0, 2, 2): (Quantity.WIND_U, 0),
    (0, 2, 3): (Quantity.WIND_V, 0),
    (10, 0, 3): (Quantity.WAVE_HEIGHT, 0),
    (10, 0, 34): (Quantity.PEAK_PERIOD, 0),
    (10, 0, 11): (Quantity.PEAK_PERIOD, 1),
    (10, 0, 15): (Quantity.ENERGY_PERIOD, 0),
    (10, 0, 28): (Quantity.ZERO_CROSSING_PERIOD, 0),
    (10, 0, 14): (Quantity.WAVE_FROM, 0),
    (10, 0, 10): (Quantity.WAVE_FROM, 1),
    (10, 1, 2): (Quantity.CURRENT_U, 0),
    (10, 1, 3): (Quantity.CURRENT_V, 0),
    (10, 2, 0): (Quantity.ICE, 0),
    (0, 3, 0): (Quantity.PRESSURE, 1),
    (0, 3, 1): (Quantity.PRESSURE, 0),
    (10, 3, 0): (Quantity.SEA_TEMPERATURE, 0),
    (10, 0, 8): (Quantity.SWELL_HEIGHT, 0),
    (10, 0, 47): (Quantity.SWELL_HEIGHT, 1),
    (10, 0, 74): (Quantity.SWELL_FROM, 0),
    (10, 0, 7): (Quantity.SWELL_FROM, 1),
    (10, 0, 53): (Quantity.SWELL_FROM, 1),
}

#: GRIB 1 has tables by centre; ecCodes resolves them to these short names.
_GRIB1: Final[dict[str, tuple[Quantity, int]]] = {
    "10u": (Quantity.WIND_U, 0),
    "10v": (Quantity.WIND_V, 0),
    "swh": (Quantity.WAVE_HEIGHT, 0),
    "pp1d": (Quantity.PEAK_PERIOD, 0),
    "perpw": (Quantity.PEAK_PERIOD, 1),
    "mwp": (Quantity.ENERGY_PERIOD, 0),
    "mp2": (Quantity.ZERO_CROSSING_PERIOD, 0),
    "mwd": (Quantity.WAVE_FROM, 0),
    "dirpw": (Quantity.WAVE_FROM, 1),
    "ucurr": (Quantity.CURRENT_U, 0),
    "vcurr": (Quantity.CURRENT_V, 0),
    "ci": (Quantity.ICE, 0),
    "icec": (Quantity.ICE, 0),
    "msl": (Quantity.PRESSURE, 0),
    "prmsl": (Quantity.PRESSURE, 0),
    "sst": (Quantity.SEA_TEMPERATURE, 0),
    "shts": (Quantity.SWELL_HEIGHT, 0),
    "mdts": (Quantity.SWELL_FROM, 0),
}

#: GRIB 2 code table 4.5: fixed surfaces on which a quantity is the one meant.
_HEIGHT_ABOVE_GROUND: Final = 103
_MEAN_SEA_LEVEL: Final = 101
_DEPTH_BELOW_SEA: Final = 160
_ORDERED_SEQUENCE: Final = 241
#: Deepest current that counts as the surface's [m].
_SURFACE_DEPTH_M: Final = 15.0

#: GRIB 2 code table 4.0: product templates of one analysis, forecast or ensemble member at a point
#: in time. Others hold means, spreads, probabilities and percentiles of the same parameter.
_SINGLE_FORECASTS: Final = (0, 1)
#: ECMWF's types of GRIB 1 fields, in its local sections, that are one analysis or forecast.
_SINGLE_TYPES: Final = ("an", "ia", "oi", "3v", "4v", "fg", "fc", "cf", "pf")

#: Stands for missing while decoding: no quantity reaches it.
_MISSING_VALUE: Final = 1e30

#: NOAA puts both components of a vector into one message.
eccodes.codes_grib_multi_support_on()


class MessageUnreadable(Exception):
    """A message whose values cannot be unpacked."""


@cache
def load_definitions() -> None:
    """Load the tables of ecCodes, which takes longer than to read most files.

    A process that reads a file inherits them.
    """
    for sample in ("GRIB1", "GRIB2"):
        message = eccodes.codes_grib_new_from_samples(sample)
        for key in ("shortName", "units"):
            _get(message, key, None)
        eccodes.codes_release(message)


def survey_grib(path: Path) -> Survey:
    """List the fields of a GRIB file that can be taken, and why others cannot."""
    survey = Survey()
    skipped: Counter[str] = Counter()
    others: Counter[str] = Counter()
    whole = 0
    try:
        for ordinal, message in _messages(path):
            whole = ordinal + 1
            try:
                survey.fields.append(_describe(path, ordinal, message))
            except _AnotherQuantity as other:
                others[str(other)] += 1
            except (UnsupportedGrid, _NotWanted) as reason:
                skipped[str(reason)] += 1
            except ValueError as fault:
                skipped[f"invalid message: {fault}"] += 1
    except MessageDamaged as fault:
        survey.left_out.append(f"{path.name}: {fault} after {whole} whole messages")
    except eccodes.CodesInternalError as fault:
        survey.left_out.append(f"{path.name}: message {whole + 1} cannot be read: {fault}")
    survey.left_out += [f"{path.name}: {count} × {what}" for what, count in skipped.items()]
    if others:
        names = ", ".join(name for name, _ in others.most_common(6))
        survey.left_out.append(f"{path.name}: {others.total()} messages of other kinds ({names})")
    return survey


def decode_grib(path: Path, wanted: Iterable[FileField]) -> Iterator[tuple[FileField, Values]]:
    """Values of some fields of one file, in the file's order."""
    by_ordinal = {field.ordinal: field for field in wanted}
    last = max(by_ordinal, default=-1)
    for ordinal, message in _messages(path):
        if ordinal in by_ordinal:
            try:
                values = _values(message)
            except eccodes.CodesInternalError as fault:
                raise MessageUnreadable(f"message {ordinal + 1}: {fault}") from fault
            yield by_ordinal[ordinal], values
        if ordinal >= last:
            return


class _AnotherQuantity(Exception):
    """A message of an unused quantity or surface."""


class _NotWanted(Exception):
    """A message of a used quantity in an unsupported form."""


def _messages(path: Path) -> Iterator[tuple[int, int]]:
    """Give the handle of each field; raise :class:`MessageDamaged` at the first damaged message."""
    with path.open("rb") as file:
        try:
            ordinals = count()
            for n_field in list_field_counts(path):
                with closing(_each_message(file, n_field)) as messages:
                    for message in messages:
                        yield next(ordinals), message
        finally:
            # the rest of a message of several fields would count as the next file's
            eccodes.codes_grib_multi_support_reset_file(file)


def _each_message(file: BinaryIO, n_field: int) -> Generator[int]:
    for _ in range(n_field):
        message = eccodes.codes_grib_new_from_file(file)
        if message is None:
            return
        try:
            yield message
        finally:
            eccodes.codes_release(message)


def _describe(path: Path, ordinal: int, message: int) -> FileField:
    name = str(_get(message, "shortName", "unknown"))
    quantity, preference = _quantity(message, name)
    if not _is_single_forecast(message):
        raise _NotWanted(f"{quantity} derived from an ensemble")
    grid, _ = _layout(message)
    scale, offset = _to_engine_unit(quantity, str(_get(message, "units", "")))
    return FileField(
        path,
        ordinal,
        quantity,
        _time(message, "dataDate", "dataTime"),
        _time(message, "validityDate", "validityTime").timestamp() / 3600.0,
        grid,
        name,
        preference,
        scale,
        offset,
        int(_get(message, "perturbationNumber", 0)),
    )


def _quantity(message: int, name: str) -> tuple[Quantity, int]:
    if int(_get(message, "edition", 0)) == 1:
        found = _GRIB1.get(name)
    else:
        keys = ("discipline", "parameterCategory", "parameterNumber")
        found = _GRIB2.get(tuple(int(_get(message, key, -1)) for key in keys))  # type: ignore[arg-type]
        if found and not _on_the_surface_meant(message, found[0]):
            found = None
        elif found and _is_of_a_sequence(message):
            found = found[0], found[1] + 1
    if found is None:
        raise _AnotherQuantity(f"{name} on {_get(message, 'typeOfLevel', 'an unknown level')}")
    if str(_get(message, "stepType", "instant")) != "instant":
        raise _NotWanted(f"{name} that is not instantaneous")
    return found


def _is_single_forecast(message: int) -> bool:
    if int(_get(message, "edition", 0)) == 1:
        return str(_get(message, "dataType", "fc")) in _SINGLE_TYPES
    return int(_get(message, "productDefinitionTemplateNumber", 0)) in _SINGLE_FORECASTS


def _is_of_a_sequence(message: int) -> bool:
    """Return whether a field is one of several swells, the highest first."""
    return int(_get(message, "typeOfFirstFixedSurface", 255, int)) == _ORDERED_SEQUENCE


def _on_the_surface_meant(message: int, quantity: Quantity) -> bool:
    surface = int(_get(message, "typeOfFirstFixedSurface", 255, int))
    level = float(_get(message, "level", 0.0, float))
    if quantity in (Quantity.WIND_U, Quantity.WIND_V):
        return surface == _HEIGHT_ABOVE_GROUND and level == 10.0
    if quantity is Quantity.PRESSURE:
        return surface == _MEAN_SEA_LEVEL
    if _is_of_a_sequence(message):
        return level == 1.0
    return surface != _DEPTH_BELOW_SEA or level <= _SURFACE_DEPTH_M


def _to_engine_unit(quantity: Quantity, unit: str) -> tuple[float, float]:
    if quantity is Quantity.PRESSURE:
        return 0.01, 0.0
    if quantity is Quantity.SEA_TEMPERATURE and unit == "K":
        return 1.0, -273.15
    if quantity is Quantity.ICE and unit == "%":
        return 0.01, 0.0
    return 1.0, 0.0


def _layout(message: int) -> tuple[RegularGrid, RowLayout]:
    """The regular grid a field is brought to, and how its values lie in the message."""
    kind = str(_get(message, "gridType", "unknown"))
    _check_claims(message)
    if kind == "regular_ll":
        return _regular(message)
    if kind in ("reduced_gg", "regular_gg", "reduced_ll"):
        return _rows(message, kind)
    raise UnsupportedGrid(f"grid {kind} is not supported")


def _check_claims(message: int) -> None:
    """Raise :class:`UnsupportedGrid` where a message claims more values than are read."""
    for key, most in (
        ("numberOfDataPoints", MOST_POINTS),
        ("numberOfValues", MOST_POINTS),
        ("Nj", MOST_IN_A_ROW),
        ("N", MOST_IN_A_ROW),
    ):
        count = int(_get(message, key, 0))
        if count > most:
            raise UnsupportedGrid(f"grid with {key} {count} is too large; up to {most:,} is read")


def _regular(message: int) -> tuple[RegularGrid, RowLayout]:
    if int(_get(message, "alternativeRowScanning", 0)):
        raise UnsupportedGrid("grid regular_ll with alternating rows is not supported")
    n_lat, n_lng = int(_get(message, "Nj", 0)), int(_get(message, "Ni", 0))
    check_size(n_lat, n_lng)
    first, last = _degrees(message, "latitude")
    west, east = _degrees(message, "longitude")
    if int(_get(message, "iScansNegatively", 0)):
        west, east = east, west
    lat_step = abs(last - first) / max(n_lat - 1, 1) or 1.0
    # the last column may repeat the first
    width = (east - west) % 360.0 or 360.0
    lng_step = width / (n_lng - 1) if n_lng > 1 else 1.0
    grid = RegularGrid(min(first, last), lat_step, n_lat, west, lng_step, n_lng)
    return grid, RowLayout(
        from_north=first > last,
        from_east=bool(_get(message, "iScansNegatively", 0)),
        by_column=bool(_get(message, "jPointsAreConsecutive", 0)),
    )


def _rows(message: int, kind: str) -> tuple[RegularGrid, RowLayout]:
    first, last = _degrees(message, "latitude")
    if kind == "reduced_ll":
        lats = np.linspace(first, last, int(_get(message, "Nj", 0)))
    else:
        lats = np.asarray(eccodes.codes_get_array(message, "distinctLatitudes"), dtype=float)
    if kind == "regular_gg":
        counts = np.full(lats.size, int(_get(message, "Ni", 0)))
    else:
        counts = np.asarray(eccodes.codes_get_array(message, "pl"), dtype=int)
    check_size(lats.size, int(counts.max(initial=0)))
    west, east = _degrees(message, "longitude")
    is_of_rows = counts.size == lats.size > 1 and counts.max() > 0
    if not is_of_rows or (east - west) % 360.0 < 360.0 - 720.0 / counts.max():
        raise UnsupportedGrid(f"grid {kind} of a part of the globe is not supported")
    layout = RowLayout(from_north=first > last, row_lats=lats, row_counts=counts)
    return layout.regular_grid(), layout


def _degrees(message: int, axis: str) -> tuple[float, float]:
    first = float(_get(message, f"{axis}OfFirstGridPointInDegrees", 0.0, float))
    last = float(_get(message, f"{axis}OfLastGridPointInDegrees", 0.0, float))
    return first, last


def _values(message: int) -> Values:
    eccodes.codes_set(message, "missingValue", _MISSING_VALUE)
    values = np.asarray(eccodes.codes_get_values(message), dtype=np.float64)
    values[values >= 0.99 * _MISSING_VALUE] = np.nan
    grid, layout = _layout(message)
    return rows_to_regular(values, grid, layout)


def _time(message: int, date_key: str, time_key: str) -> datetime:
    date, clock = int(_get(message, date_key, 0)), int(_get(message, time_key, 0))
    return datetime.strptime(f"{date:08d}{clock:04d}", "%Y%m%d%H%M").replace(tzinfo=UTC)


def _get(message: int, key: str, default: Any, kind: Any = None) -> Any:
    """A key's value, or the default where the message has none."""
    try:
        value = eccodes.codes_get(message, key, kind)
    except eccodes.KeyValueNotFoundError:
        return default
    return default if value is None else value
