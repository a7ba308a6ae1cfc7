"""Import of ensemble members: select complete ones, and fill their layers."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from app.datasources.weather.fields import FileField, Quantity, Survey
from app.datasources.weather.layer_filling import (
    WeatherRefused,
    derive_waves,
    describe_empty,
    fill_layers,
    finish_layer,
    thinning_notes,
)
from app.datasources.weather.layer_plans import LayerPlan, plan_layers
from app.datasources.weather.regions import Region
from app.datasources.weather.run_writer import LayerAxes, MemberWriter, members_size
from app.engine.weather import Group, RegularGrid, WeatherField

#: Groups that members are kept of; currents, ice and the rest are the control's.
GROUPS: Final = (Group.WIND, Group.WAVE)

#: Steps of members are no closer than this over more than half the globe [h].
STEP_H: Final = 6.0

#: The most members: ECMWF's extended range has 100.
MOST_MEMBERS: Final = 101

#: Largest size of the members of one run in the store [bytes]: fifty global ones of
#: ten days take 6.4 GB.
MOST_BYTES: Final = 32_000_000_000


class _LayerShape(NamedTuple):
    """Properties of a layer that all members share."""

    group: Group
    grid: RegularGrid
    times_h: tuple[float, ...]
    period: Quantity | None
    has_direction: bool


class MemberImport:
    """Members found in a survey, of which the whole ones are stored.

    A member is whole when it has the groups, the grid and the steps that most members have; adds to
    ``left_out`` which are not and why. With a ``region`` that part of the seas alone is stored.
    Raise :class:`WeatherRefused` for members of another reference time than ``reference_time``, and
    for more than can be stored.
    """

    def __init__(
        self,
        fields: Sequence[FileField],
        reference_time: datetime,
        left_out: list[str],
        region: Region | None = None,
    ) -> None:
        _check_reference_times(fields, reference_time)
        self._left_out = left_out
        found = _group_by_member(fields)
        if len(found) > MOST_MEMBERS:
            raise WeatherRefused(f"{len(found)} members; up to {MOST_MEMBERS} are read")
        self._plans = _keep_whole(
            {number: _plan(number, found[number], left_out, region) for number in sorted(found)},
            left_out,
        )
        if found and not self._plans:
            raise WeatherRefused("no member has a complete group of quantities", left_out)
        self._found = len(found)

    @property
    def n_field(self) -> int:
        """Number of fields to read."""
        return sum(len(plan.fields) for plans in self._plans.values() for plan in plans)

    @property
    def notes(self) -> tuple[str, ...]:
        """Description of the members."""
        plans = next(iter(self._plans.values()), ())
        kept = f"{len(self._plans)} of {self._found} members"
        return (kept, *(note for plan in plans for note in thinning_notes(plan)))

    @contextmanager
    def written(
        self, runs_folder: Path, climatology: WeatherField | None, step: Callable[[], None]
    ) -> Iterator[MemberWriter | None]:
        """Fill the members' layers; return what adds them to a run, if there are any."""
        if not self._plans:
            yield None
            return
        axes = {
            plan.group: LayerAxes(plan.stored_grid, plan.times_h)
            for plan in next(iter(self._plans.values()))
        }
        _check_room(members_size(axes, len(self._plans)), runs_folder)
        with MemberWriter(runs_folder, axes) as writer:
            for number in self._plans:
                writer.add_member(number)
            self._fill(writer, step)
            for number in tuple(self._plans):
                self._finish(writer, number, climatology)
            if not self._plans:
                raise WeatherRefused("no member holds any value", self._left_out)
            yield writer

    def _fill(self, writer: MemberWriter, step: Callable[[], None]) -> None:
        """Pack the fields of all members together: a file may hold all members of a step."""
        done = fill_layers(
            [plan for plans in self._plans.values() for plan in plans],
            lambda plan, field: writer.open_layer(field.member, plan.group),
            step,
        )
        if done < self.n_field:
            raise WeatherRefused(f"{done} of {self.n_field} fields of members came from the files")

    def _finish(self, writer: MemberWriter, number: int, climatology: WeatherField | None) -> None:
        """Complete a member; leave it out where it holds nothing."""
        arrays = writer.open_member(number)
        plans = {plan.group: plan for plan in self._plans[number]}
        if Group.WAVE in plans:
            derive_waves(plans[Group.WAVE], arrays, plans.get(Group.WIND), climatology)
        try:
            for plan in plans.values():
                self._left_out += [
                    f"member {number}: {describe_empty(plan.group, time_h)}"
                    for time_h in finish_layer(plan, arrays[plan.group])
                ]
        except WeatherRefused as refused:
            self._left_out.append(f"member {number}: {refused}")
            del self._plans[number]
            writer.drop_member(number)
        else:
            writer.end_member(number)


def _check_reference_times(fields: Sequence[FileField], reference_time: datetime) -> None:
    for field in fields:
        if field.reference_time != reference_time:
            raise WeatherRefused(
                f"{field.path.name}: member {field.member} is of the run of "
                f"{field.reference_time:%Y-%m-%d %H:%MZ}, not of {reference_time:%Y-%m-%d %H:%MZ}"
            )


def _check_room(size: int, runs_folder: Path) -> None:
    """Raise :class:`WeatherRefused` for more than is stored, before any of it is."""
    if size > MOST_BYTES:
        raise WeatherRefused(
            f"the members would take {size / 1e9:.1f} GB; up to {MOST_BYTES / 1e9:.0f} GB are "
            "stored: take fewer, a part of the seas, or fewer steps"
        )
    runs_folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(runs_folder).free
    if size > free:
        raise WeatherRefused(
            f"the members take {size / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free in the store"
        )


def _group_by_member(fields: Sequence[FileField]) -> dict[int, list[FileField]]:
    found: dict[int, list[FileField]] = {}
    for field in fields:
        found.setdefault(field.member, []).append(field)
    return found


def _plan(
    number: int, fields: list[FileField], left_out: list[str], region: Region | None
) -> tuple[LayerPlan, ...]:
    survey = Survey(fields)
    try:
        plans = tuple(plan.within(region) for plan in plan_layers(survey, GROUPS, STEP_H))
    except ValueError as fault:
        raise WeatherRefused(f"member {number}: {fault}") from None
    left_out += [f"member {number}: {what}" for what in survey.left_out]
    return plans


def _keep_whole(
    plans: dict[int, tuple[LayerPlan, ...]], left_out: list[str]
) -> dict[int, tuple[LayerPlan, ...]]:
    """The members with the layers that most of them have, and of several such the fullest."""
    counts = Counter(_shape(each) for each in plans.values() if each)
    if not counts:
        return {}
    common = max(
        counts, key=lambda shape: (counts[shape], sum(len(each.times_h) for each in shape))
    )
    for number, each in plans.items():
        if _shape(each) != common:
            left_out.append(f"member {number}: {_difference(each, common)}")
    return {number: each for number, each in plans.items() if _shape(each) == common}


def _shape(plans: tuple[LayerPlan, ...]) -> tuple[_LayerShape, ...]:
    return tuple(
        _LayerShape(plan.group, plan.stored_grid, plan.times_h, plan.period, plan.has_direction)
        for plan in plans
    )


def _difference(plans: tuple[LayerPlan, ...], common: tuple[_LayerShape, ...]) -> str:
    """The first thing in which a member's layers differ from those of most members."""
    own = {shape.group: shape for shape in _shape(plans)}
    for shape in common:
        mine = own.get(shape.group)
        if mine is None:
            return f"{shape.group} is missing"
        if mine.times_h != shape.times_h:
            return f"{shape.group}: {len(mine.times_h)} steps, others have {len(shape.times_h)}"
        if mine != shape:
            return f"{shape.group}: another grid or other quantities than most members"
    return "other groups than most members"
