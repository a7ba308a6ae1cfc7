"""Filling the layers of a run: fields of files packed, waves completed, gaps reported."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.datasources.weather.decoder_process import DecoderStopped, read_in_process
from app.datasources.weather.fields import FileField, Quantity, Values
from app.datasources.weather.grib import MessageUnreadable, decode_grib
from app.datasources.weather.grib_sections import MessageDamaged
from app.datasources.weather.layer_plans import NEEDED, PEAK_FROM, LayerPlan
from app.datasources.weather.netcdf import decode_netcdf
from app.engine.times import moment_at
from app.engine.weather import Group, Layer, WeatherField, WeatherRun, step_reach_h
from app.engine.weather.field import WeatherSamples
from app.engine.weather.groups import MISSING, WAVE_SCALE, pack_channel
from app.engine.weather.layer import nearest_known

#: A bulletin header may stand before the first message of a GRIB file.
_HEAD_BYTES: Final = 512

#: Channels of a direction's unit vector, east and north, in its group.
_DIRECTION_CHANNELS: Final = {Quantity.WAVE_FROM: (2, 3), Quantity.SWELL_FROM: (1, 2)}

#: Peak period of a fully developed sea of height H: Tp = 5 sqrt(H) [s, m]
#: (DNV-RP-C205 2021, 3.5.5.5, the limit of Pierson-Moskowitz).
_PERIOD_OF_HEIGHT: Final = 5.0
_LONGEST_PERIOD_S: Final = 25.0

#: What reading the values of a damaged file raises.
_UNREADABLE: Final = (
    *(DecoderStopped, MessageUnreadable, MessageDamaged),
    *(OSError, RuntimeError, ValueError),
)


class WeatherRefused(Exception):
    """Nothing can be imported from the files; ``left_out`` lists the reasons."""

    def __init__(self, detail: str, left_out: Sequence[str] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.left_out = tuple(left_out)


class FileDamaged(WeatherRefused):
    """A file holds values that cannot be read, or that are implausible."""

    def __init__(self, path: Path, detail: str) -> None:
        super().__init__(f"{path.name}: {detail}")
        self.path = path


class FileKind(StrEnum):
    """Kinds of weather files that are read."""

    GRIB = "GRIB"
    NETCDF = "NetCDF"


def find_kind(path: Path) -> FileKind | None:
    """Return the kind of a file; ``None`` for other files. Raise :class:`OSError`."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    # before GRIB, which names attributes of NetCDF files that were made from it
    if head.startswith((b"CDF", b"\x89HDF")):
        return FileKind.NETCDF
    return FileKind.GRIB if b"GRIB" in head else None


def fill_layers(
    plans: Sequence[LayerPlan],
    array_of: Callable[[LayerPlan, FileField], NDArray[np.int16]],
    step: Callable[[], None],
) -> int:
    """Pack the fields of layers into their arrays, file by file; return the number of fields.

    ``step`` is called after each.
    """
    owner = {id(field): plan for plan in plans for field in plan.fields}
    files: dict[Path, list[FileField]] = defaultdict(list)
    for plan in plans:
        for field in plan.fields:
            files[field.path].append(field)
    filled = 0
    for path, fields in files.items():
        for field, values in decode(path, fields):
            plan = owner[id(field)]
            _store_field(plan, array_of(plan, field), field, values)
            filled += 1
            step()
    return filled


def decode(path: Path, fields: list[FileField]) -> Iterator[tuple[FileField, Values]]:
    """Read the values of some fields of a file, in the file's order.

    Raises :class:`FileDamaged` when one that was surveyed cannot be read.
    """
    by_ordinal = {field.ordinal: field for field in fields}
    try:
        read = decode_grib if find_kind(path) is FileKind.GRIB else decode_netcdf
        size = path.stat().st_size
        for field, values in read_in_process(partial(read, path, fields), file_bytes=size):
            yield by_ordinal[field.ordinal], values
    except _UNREADABLE as fault:
        raise FileDamaged(path, f"a field cannot be read: {fault}") from fault


def _store_field(
    plan: LayerPlan, array: NDArray[np.int16], field: FileField, values: Values
) -> None:
    """Pack one field, thinned, into its channel, or the two of a direction."""
    step = plan.times_h.index(field.time_h)
    values = field.offset + field.scale * plan.kept(values)
    if field.quantity in _DIRECTION_CHANNELS:
        angle, (east, north) = np.radians(values), _DIRECTION_CHANNELS[field.quantity]
        columns = {east: np.sin(angle), north: np.cos(angle)}
    elif field.quantity in PEAK_FROM:
        columns = {1: values * PEAK_FROM[field.quantity]}
    else:
        columns = {NEEDED[plan.group].index(field.quantity): values}
    for channel, column in columns.items():
        try:
            array[step, :, :, channel] = pack_channel(plan.group, channel, column)
        except ValueError as fault:
            raise FileDamaged(field.path, f"{field.name}: {fault}") from fault


def thinning_notes(plan: LayerPlan) -> Iterator[str]:
    """Describe how a layer is thinned and derived."""
    if plan.stride > 1:
        yield (f"{plan.group}: every {plan.stride}. point of a {plan.grid.lng_step:g} degree grid")
    steps = [after - before for before, after in pairwise(plan.times_h)]
    if steps and max(steps) > 2.0 * step_reach_h(plan.group):
        yield f"{plan.group}: no forecast inside a gap of {max(steps):g} h between steps"
    if plan.period in (Quantity.ENERGY_PERIOD, Quantity.ZERO_CROSSING_PERIOD):
        yield f"wave: peak period derived from the {plan.period}"


def derive_waves(
    plan: LayerPlan,
    arrays: Mapping[Group, NDArray[np.int16]],
    wind: LayerPlan | None,
    climatology: WeatherField | None,
) -> list[str]:
    """Fill in periods and directions that the files lack; return notes about it."""
    array, notes = arrays[Group.WAVE], []
    if plan.period is None:
        for step in array:
            height_m = np.where(step[..., 0] == MISSING, np.nan, step[..., 0] * WAVE_SCALE)
            period_s = np.minimum(_PERIOD_OF_HEIGHT * np.sqrt(height_m), _LONGEST_PERIOD_S)
            step[..., 1] = pack_channel(Group.WAVE, 1, period_s)
        notes.append("wave: peak period derived from the height")
    if not plan.has_direction:
        notes.append(_derive_directions(plan, arrays, wind, climatology))
    return notes


def _derive_directions(
    plan: LayerPlan,
    arrays: Mapping[Group, NDArray[np.int16]],
    wind: LayerPlan | None,
    climatology: WeatherField | None,
) -> str:
    """Derive wave directions from the run's wind, and beyond it from the climatology."""
    if wind is None and climatology is None:
        raise WeatherRefused("waves without direction, and no wind or climatology to give it")
    usual = WeatherRun("none", {}) if climatology is None else climatology.climatology
    forecast = () if wind is None else (_run_of(wind, arrays[Group.WIND]),)
    field = WeatherField(usual, forecast)
    lats, lngs = plan.stored_grid.cells()
    is_beyond = [
        _store_directions(plan, step, field.sample(lats, lngs, time_h))
        for step, time_h in zip(arrays[Group.WAVE], plan.times_h, strict=True)
    ]
    names = [] if wind is None else ["wind"]
    names += ["climatology"] if any(is_beyond) and climatology is not None else []
    return f"wave: direction taken from the {', beyond its reach from the '.join(names)}"


def _store_directions(plan: LayerPlan, array: NDArray[np.int16], samples: WeatherSamples) -> bool:
    """Pack wave directions of one step: those of the forecast wind, else of the usual waves.

    Return whether some place has no forecast wind.
    """
    is_windy = samples.wind_weight > 0.0
    degrees = np.where(is_windy, samples.wind_from_deg, samples.wave_from_deg)
    from_rad = np.radians(degrees).reshape(plan.stored_grid.n_lat, plan.stored_grid.n_lng)
    for channel, column in ((2, np.sin(from_rad)), (3, np.cos(from_rad))):
        array[:, :, channel] = pack_channel(Group.WAVE, channel, column)
    return not is_windy.all()


def _run_of(plan: LayerPlan, array: NDArray[np.int16]) -> WeatherRun:
    """Return a run of one packed layer alone, as it is being imported."""
    grid = plan.stored_grid
    packed = array.reshape(len(plan.times_h), grid.n_cell, -1)
    known = (packed[..., 0] != MISSING).any(axis=0)
    layer = Layer(plan.group, grid, plan.times_h, packed, nearest_known(grid, known, np.inf))
    return WeatherRun("wind", {plan.group: layer})


def finish_layer(plan: LayerPlan, array: NDArray[np.int16]) -> tuple[float, ...]:
    """Make a cell that lacks one channel missing in all; return the steps without any value [h].

    Raises :class:`WeatherRefused` when no step has any.
    """
    empty = []
    for time_h, step in zip(plan.times_h, array, strict=True):
        missing = (step == MISSING).any(axis=-1)
        step[missing] = MISSING
        if missing.all():
            empty.append(time_h)
    if len(empty) == len(plan.times_h):
        raise WeatherRefused(f"{plan.group}: no step holds any value")
    return tuple(empty)


def describe_empty(group: Group, time_h: float) -> str:
    """Describe a step without any value."""
    return f"{group}: the step of {moment_at(time_h):%Y-%m-%d %H:%MZ} holds no value"
