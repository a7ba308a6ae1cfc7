"""From weather files to a run in the store: what is taken, thinned, derived, left out."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.datasources.weather.fields import FileField, Quantity, Survey, Values
from app.datasources.weather.grib import decode_grib, survey_grib
from app.datasources.weather.layer_plans import NEEDED, PEAK_FROM, LayerPlan, plan_layers
from app.datasources.weather.netcdf import decode_netcdf, survey_netcdf
from app.datasources.weather.run_writer import LayerAxes, RunWriter
from app.datasources.weather.store import RunSummary, summarise_run
from app.engine.weather import Group, Layer, WeatherField, WeatherRun
from app.engine.weather.groups import MISSING, WAVE_SCALE, pack_channel
from app.engine.weather.layer import nearest_known
from app.engine.weather.times import moment_at

Progress = Callable[[int, int], None]

#: A bulletin header may stand before the first message of a GRIB file.
_HEAD_BYTES: Final = 512

#: A reference time further ahead than this is a wrong clock or a wrong file.
_CLOCK_TOLERANCE: Final = timedelta(hours=1)

#: Channels of a direction's unit vector, east and north, in its group.
_DIRECTION_CHANNELS: Final = {Quantity.WAVE_FROM: (2, 3), Quantity.SWELL_FROM: (1, 2)}

#: Peak period of a fully developed sea of height H: Tp = 5 sqrt(H) [s, m]
#: (DNV-RP-C205 2021, 3.5.5.5, the limit of Pierson-Moskowitz).
_PERIOD_OF_HEIGHT: Final = 5.0
_LONGEST_PERIOD_S: Final = 25.0


class WeatherRefused(Exception):
    """Files that nothing can be taken from; ``left_out`` says why, piece by piece."""

    def __init__(self, detail: str, left_out: Sequence[str] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.left_out = tuple(left_out)


@dataclass(frozen=True)
class ImportReport:
    """A run that was stored, and what was left out of it and why."""

    run: RunSummary
    left_out: tuple[str, ...]


def import_files(
    paths: Sequence[Path],
    runs_folder: Path,
    climatology: WeatherField | None,
    *,
    source: str,
    now: datetime,
    progress: Progress = lambda _done, _total: None,
) -> ImportReport:
    """Store the weather of some files as one run.

    ``climatology`` gives the waves' direction where files have neither that nor
    wind. ``source`` names the run. The store is unchanged unless this returns.

    Raises
    ------
    WeatherRefused
        When nothing can be taken, a reference time lies after ``now``, or a
        value is beyond belief.
    """
    survey = _survey_all(paths)
    if not survey.fields:
        raise WeatherRefused("no weather that can be used", survey.left_out)
    reference_time = max(field.reference_time for field in survey.fields)
    if reference_time > now + _CLOCK_TOLERANCE:
        raise WeatherRefused(
            f"the reference time {reference_time:%Y-%m-%d %H:%MZ} lies in the future",
            survey.left_out,
        )
    plans = list(plan_layers(survey))
    if not plans:
        raise WeatherRefused("no complete group of quantities", survey.left_out)
    with RunWriter(runs_folder) as writer:
        notes = _write_layers(writer, plans, climatology, survey.left_out, progress)
        origins = {path.name: _sha256(path) for path in paths}
        run = writer.finish(source, reference_time, tuple(notes), origins)
    return ImportReport(summarise_run(runs_folder / run.name), tuple(survey.left_out))


def _survey_all(paths: Sequence[Path]) -> Survey:
    whole = Survey()
    for path in paths:
        survey = _survey(path)
        whole.fields += survey.fields
        whole.left_out += survey.left_out
    return whole


def _survey(path: Path) -> Survey:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as fault:
        return Survey(left_out=[f"{path.name}: cannot be opened: {fault.strerror}"])
    if not head:
        return Survey(left_out=[f"{path.name}: the file is empty"])
    if b"GRIB" in head:
        return survey_grib(path)
    if head.startswith((b"CDF", b"\x89HDF")):
        return survey_netcdf(path)
    return Survey(left_out=[f"{path.name}: neither GRIB nor NetCDF"])


def _write_layers(
    writer: RunWriter,
    plans: list[LayerPlan],
    climatology: WeatherField | None,
    left_out: list[str],
    progress: Progress,
) -> list[str]:
    arrays = writer.add_layers(
        {plan.group: LayerAxes(plan.stored_grid, plan.times_h) for plan in plans}
    )
    by_plan = {plan.group: plan for plan in plans}
    owner = {id(field): plan for plan in plans for field in plan.fields}
    files: dict[Path, list[FileField]] = defaultdict(list)
    for plan in plans:
        for field in plan.fields:
            files[field.path].append(field)
    done = 0
    for path, fields in files.items():
        for field, values in _decode(path, fields):
            plan = owner[id(field)]
            _store(plan, arrays[plan.group], field, values[:: plan.stride, :: plan.stride])
            done += 1
            progress(done, len(owner))
    notes = [note for plan in plans for note in _thinning_notes(plan)]
    if Group.WAVE in by_plan:
        notes += _derive_waves(by_plan[Group.WAVE], arrays, by_plan.get(Group.WIND), climatology)
    for plan in plans:
        left_out += _finish_layer(plan, arrays[plan.group])
    return notes


def _decode(path: Path, fields: list[FileField]) -> Iterator[tuple[FileField, Values]]:
    with path.open("rb") as file:
        is_grib = b"GRIB" in file.read(_HEAD_BYTES)
    yield from (decode_grib if is_grib else decode_netcdf)(path, fields)


def _store(plan: LayerPlan, array: NDArray[np.int16], field: FileField, values: Values) -> None:
    """Pack one field into its channel, or the two of a direction."""
    step = plan.times_h.index(field.time_h)
    values = field.offset + field.scale * values
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
            raise WeatherRefused(f"{field.path.name}: {field.name}: {fault}") from fault


def _thinning_notes(plan: LayerPlan) -> Iterator[str]:
    if plan.stride > 1:
        yield (f"{plan.group}: every {plan.stride}. point of a {plan.grid.lng_step:g} degree grid")
    steps = [after - before for before, after in pairwise(plan.times_h)]
    if steps and max(steps) > 6.0:
        yield f"{plan.group}: a gap of {max(steps):g} h between steps"
    if plan.period in (Quantity.ENERGY_PERIOD, Quantity.ZERO_CROSSING_PERIOD):
        yield f"wave: peak period derived from the {plan.period}"


def _derive_waves(
    plan: LayerPlan,
    arrays: dict[Group, NDArray[np.int16]],
    wind: LayerPlan | None,
    climatology: WeatherField | None,
) -> list[str]:
    """Fill in the period and direction that the files do not have."""
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
    arrays: dict[Group, NDArray[np.int16]],
    wind: LayerPlan | None,
    climatology: WeatherField | None,
) -> str:
    """Waves from where the run's wind comes, or else from where they come in that month."""
    if wind is None and climatology is None:
        raise WeatherRefused("waves without direction, and no wind or climatology to give it")
    if wind is not None:
        field = _field_of(wind, arrays[Group.WIND])
        note = "wave: direction taken from the wind"
    else:
        assert climatology is not None  # noqa: S101  refused above
        field, note = climatology, "wave: direction taken from the climatology"
    lats, lngs = plan.stored_grid.cells()
    shape = (plan.stored_grid.n_lat, plan.stored_grid.n_lng)
    for step, time_h in enumerate(plan.times_h):
        samples = field.sample(lats, lngs, time_h)
        degrees = samples.wave_from_deg if wind is None else samples.wind_from_deg
        from_rad = np.radians(degrees).reshape(shape)
        for channel, column in ((2, np.sin(from_rad)), (3, np.cos(from_rad))):
            arrays[Group.WAVE][step, :, :, channel] = pack_channel(Group.WAVE, channel, column)
    return note


def _field_of(plan: LayerPlan, array: NDArray[np.int16]) -> WeatherField:
    """A field of one packed layer alone, as it is being imported."""
    grid = plan.stored_grid
    packed = array.reshape(len(plan.times_h), grid.n_cell, -1)
    known = (packed[..., 0] != MISSING).any(axis=0)
    layer = Layer(plan.group, grid, plan.times_h, packed, nearest_known(grid, known, np.inf))
    return WeatherField(WeatherRun("none", {}), (WeatherRun("wind", {plan.group: layer}),))


def _finish_layer(plan: LayerPlan, array: NDArray[np.int16]) -> Iterator[str]:
    """Make a cell that lacks one channel missing in all; report steps without any value.

    Raises :class:`WeatherRefused` when no step has any.
    """
    empty = 0
    for time_h, step in zip(plan.times_h, array, strict=True):
        missing = (step == MISSING).any(axis=-1)
        step[missing] = MISSING
        if missing.all():
            empty += 1
            yield f"{plan.group}: the step of {moment_at(time_h):%Y-%m-%d %H:%MZ} holds no value"
    if empty == len(plan.times_h):
        raise WeatherRefused(f"{plan.group}: no step holds any value")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
