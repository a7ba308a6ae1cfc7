"""Import of weather files as a run of the store: select, thin, derive, report."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from app.datasources.checksums import hash_file
from app.datasources.weather.decoder_process import DecoderStopped, read_in_process
from app.datasources.weather.fields import FileField, Survey
from app.datasources.weather.grib import load_definitions, survey_grib
from app.datasources.weather.layer_filling import (
    FileKind,
    WeatherRefused,
    derive_waves,
    describe_empty,
    fill_layers,
    find_kind,
    finish_layer,
    thinning_notes,
)
from app.datasources.weather.layer_plans import LayerPlan, plan_layers
from app.datasources.weather.member_importing import MemberImport
from app.datasources.weather.netcdf import survey_netcdf
from app.datasources.weather.regions import Region
from app.datasources.weather.run_writer import LayerAxes, RunWriter
from app.datasources.weather.store import RunSummary, list_runs, summarise_run
from app.engine.weather import Group, WeatherField

Progress = Callable[[int, int], None]

#: A reference time further ahead than this is a wrong clock or a wrong file.
_CLOCK_TOLERANCE: Final = timedelta(hours=1)


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
    is_member_each: bool = False,
    region: Region | None = None,
) -> ImportReport:
    """Store the weather of some files as one run, with its ensemble members.

    ``climatology`` gives the waves' direction where files have neither that nor wind. ``source``
    names the run. Files that hold members alone add them to the stored run of the same source and
    reference time; with ``is_member_each`` every file is a member, numbered in their order. Of
    members, a ``region`` alone is stored where one is given. The store is unchanged unless this
    returns. Raise :class:`WeatherRefused` if nothing can be taken, a reference time lies after
    ``now``, members are of another run than their control, or a value is implausible.
    """
    survey = _survey_all(paths, is_member_each=is_member_each)
    survey.fields = _date_fields(survey.fields, now)
    if not survey.fields:
        raise WeatherRefused("no weather that can be used", survey.left_out)
    control = Survey([field for field in survey.fields if not field.member], survey.left_out)
    of_members = [field for field in survey.fields if field.member]
    reference_time = max(field.reference_time for field in control.fields or of_members)
    if reference_time > now + _CLOCK_TOLERANCE:
        raise WeatherRefused(
            f"the reference time {reference_time:%Y-%m-%d %H:%MZ} lies in the future",
            survey.left_out,
        )
    origins = {path.name: hash_file(path) for path in paths}
    members = MemberImport(of_members, reference_time, survey.left_out, region)
    count = _Count(members.n_field, progress)
    with members.written(runs_folder, climatology, count.step) as writer:
        if control.fields:
            name = _store_control(control, runs_folder, climatology, source, origins, count)
        else:
            name = _find_control(runs_folder, source, reference_time)
        if writer is not None:
            writer.finish(runs_folder / name, members.notes, origins)
    return ImportReport(summarise_run(runs_folder / name), tuple(survey.left_out))


class _Count:
    """Count of imported fields, for progress reports."""

    def __init__(self, total: int, progress: Progress) -> None:
        self.total, self._done, self._progress = total, 0, progress

    def step(self) -> None:
        self._done += 1
        self._progress(self._done, self.total)


def _store_control(
    survey: Survey,
    runs_folder: Path,
    climatology: WeatherField | None,
    source: str,
    origins: dict[str, str],
    count: _Count,
) -> str:
    """Store the fields of the control run; return the name of the run."""
    plans = list(plan_layers(survey))
    if not plans:
        raise WeatherRefused("no complete group of quantities", survey.left_out)
    while True:
        count.total += sum(len(plan.fields) for plan in plans)
        with RunWriter(runs_folder) as writer:
            notes, empty = _write_layers(writer, plans, climatology, count)
            if not any(empty.values()):
                reference_time, about_it = _date(plans)
                return writer.finish(source, reference_time, (*notes, *about_it), origins).name
        # written again without them: a run must not seem to reach where it has no values
        survey.left_out += [describe_empty(group, h) for group, hs in empty.items() for h in hs]
        plans = [plan.without(empty[plan.group]) for plan in plans]


def _date(plans: list[LayerPlan]) -> tuple[datetime, list[str]]:
    """Find the reference time of a run: that of wind and waves, the older if they differ.

    Age and staleness of a forecast are counted from it. Returns notes where times differ.
    """
    notes = [note for plan in plans for note in _mixture_notes(plan)]
    of_groups = {plan.group: _date_layer(plan) for plan in plans}
    dates = {group: of_groups[group] for group in (Group.WIND, Group.WAVE) if group in of_groups}
    reference_time = min(dates.values(), default=max(of_groups.values()))
    if len(set(dates.values())) > 1:
        each = ", ".join(f"{group} of {date:%Y-%m-%d %H:%MZ}" for group, date in dates.items())
        notes.append(f"{each}: the age of the run is that of the older")
    return reference_time, notes


def _date_layer(plan: LayerPlan) -> datetime:
    """Find the reference time of a layer: the oldest of its last step, if it mixes several."""
    return min(field.reference_time for field in plan.fields if field.time_h == plan.times_h[-1])


def _mixture_notes(plan: LayerPlan) -> Iterator[str]:
    times = [field.reference_time for field in plan.fields]
    if min(times) < max(times):
        yield (
            f"{plan.group}: forecasts of {min(times):%Y-%m-%d %H:%MZ} to"
            f" {max(times):%Y-%m-%d %H:%MZ}; its age is that of the one that reaches furthest"
        )


def _find_control(runs_folder: Path, source: str, reference_time: datetime) -> str:
    for run in list_runs(runs_folder):
        if (run.source, run.reference_time) == (source, reference_time):
            return run.name
    raise WeatherRefused(
        f"members without their control: there is no run {source} of "
        f"{reference_time:%Y-%m-%d %H:%MZ} in the store; hand over its files as well"
    )


def _survey_all(paths: Sequence[Path], *, is_member_each: bool) -> Survey:
    whole = Survey()
    for number, path in enumerate(paths, start=1):
        survey = _survey(path)
        if is_member_each:
            survey.fields = [replace(field, member=number) for field in survey.fields]
        whole.fields += survey.fields
        whole.left_out += survey.left_out
    return whole


def _date_fields(fields: Sequence[FileField], now: datetime) -> list[FileField]:
    """Return the fields; those of files without a reference time get one.

    That is the first time of all these files, or the present hour if they begin later: a forecast
    may come as one file for each day, or from tomorrow on.
    """
    first = min((f.reference_time for f in fields if not f.is_reference_stated), default=now)
    assumed = min(first, now.replace(minute=0, second=0, microsecond=0))
    return [f if f.is_reference_stated else replace(f, reference_time=assumed) for f in fields]


def _survey(path: Path) -> Survey:
    try:
        size = path.stat().st_size
        if not size:
            return Survey(left_out=[f"{path.name}: the file is empty"])
        kind = find_kind(path)
    except OSError as fault:
        return Survey(left_out=[f"{path.name}: cannot be opened: {fault.strerror}"])
    if kind is None:
        return Survey(left_out=[f"{path.name}: neither GRIB nor NetCDF"])
    survey = survey_netcdf
    if kind is FileKind.GRIB:
        load_definitions()
        survey = survey_grib
    try:
        (found,) = read_in_process(lambda: [survey(path)], file_bytes=size)
    except DecoderStopped as fault:
        return Survey(left_out=[f"{path.name}: {fault}"])
    return found


def _write_layers(
    writer: RunWriter,
    plans: list[LayerPlan],
    climatology: WeatherField | None,
    count: _Count,
) -> tuple[list[str], dict[Group, tuple[float, ...]]]:
    """Fill the layers; return notes, and the steps of each that hold no value [h]."""
    arrays = writer.add_layers(
        {plan.group: LayerAxes(plan.stored_grid, plan.times_h) for plan in plans}
    )
    by_plan = {plan.group: plan for plan in plans}
    fill_layers(plans, lambda plan, _field: arrays[plan.group], count.step)
    notes = [note for plan in plans for note in thinning_notes(plan)]
    if Group.WAVE in by_plan:
        notes += derive_waves(by_plan[Group.WAVE], arrays, by_plan.get(Group.WIND), climatology)
    return notes, {plan.group: finish_layer(plan, arrays[plan.group]) for plan in plans}
