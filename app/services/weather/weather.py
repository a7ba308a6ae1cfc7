"""The weather store: list, choose, open and retire runs."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, func, select, text
from sqlalchemy.orm import Session

from app.datasources.weather.store import (
    MEMBERS,
    UNREADABLE,
    Member,
    RunUnreadable,
    check_arrays,
    open_members,
    open_run,
)
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, WeatherField, WeatherRun, measure_coverage_h
from app.engine.weather.stencil import RELAXATION_H
from app.extensions import chartroom
from app.models import WeatherRunRecord, utc_now
from app.services.errors import Unavailable
from app.services.platform.sessions import after_commit, common_session, installation_session
from app.services.weather import run_areas, weather_bucket
from app.services.weather.run_areas import Ends

logger = logging.getLogger(__name__)

#: Groups of ensemble members; all others come from the control run.
MEMBER_GROUPS: Final = frozenset({"wind", "wave"})

_open_climatology: Final = cache(open_run)

#: No forecast reaches further.
WEATHER_AHEAD: Final = timedelta(days=60)

#: Time beyond its first and last step in which a forecast relaxes to climatology.
_FADES_FOR: Final = timedelta(hours=RELAXATION_H)

#: Time after its reference time in which a run is the newest one: the next run
#: starts after six hours and is published about as many hours later.
FRESH_FOR: Final = timedelta(hours=11)

#: Order of runs.
_NEWEST_FIRST: Final = (WeatherRunRecord.reference_time.desc(), WeatherRunRecord.imported_at.desc())

#: Share of the longest coverage that a newer run must reach to be chosen.
_NEARLY_AS_MUCH: Final = 0.8


def runs_folder() -> Path:
    """Return the folder of this installation's runs."""
    return chartroom().settings.weather_dir.resolve() / "runs"


def downloads_folder() -> Path:
    """Return the folder of fetched forecasts not yet imported."""
    return chartroom().settings.weather_dir.resolve() / "downloads"


def climatology_folder() -> Path:
    """Return the folder of this installation's climatology."""
    return chartroom().settings.weather_dir.resolve() / "climatology"


def find_climatology() -> WeatherRun | None:
    """Open the climatology; ``None`` if it is not built or cannot be read."""
    try:
        climatology = _open_climatology(climatology_folder())
        check_arrays(climatology)
    except RunUnreadable:
        return None
    return climatology


def find_field(
    session: Session,
    starts_at: datetime,
    ends_at: datetime,
    ends: Ends | None = None,
) -> WeatherField | None:
    """Weather for a voyage in a span of time; ``None`` if there is no climatology.

    Its files are opened here, so that they stay readable if a run is retired. ``ends`` are those of
    :func:`choose_records`.
    """
    climatology = find_climatology()
    if climatology is None:
        logger.warning("there is no climatology to read in %s", climatology_folder())
        return None
    records = choose_records(session, starts_at, ends_at, ends)
    chosen = group_by_run(records)
    runs = [run for record, groups in chosen for run in open_groups(record, groups)]
    field = WeatherField(climatology, runs)
    _ = field.kernel_arrays
    return field


def find_members(
    session: Session,
    control: WeatherField,
    starts_at: datetime,
    ends_at: datetime,
    ends: Ends | None = None,
) -> tuple[tuple[int, WeatherField], ...]:
    """Weather of a voyage by each ensemble member of one run.

    Of the chosen runs for waves or wind, it is the one with members for most of these
    groups; other groups are those of ``control``, which :func:`find_field` returned
    for the same span. Empty if no run has members.
    """
    best: tuple[str, list[Member]] = ("", [])
    for record, groups in group_by_run(choose_records(session, starts_at, ends_at, ends)):
        members = _open_members(record, groups & MEMBER_GROUPS)
        if members and (not best[1] or len(members[0].run.layers) > len(best[1][0].run.layers)):
            best = record.name, members
    blocks: dict[Path, NDArray[np.int16]] = {}
    try:
        return tuple((m.number, control.with_forecast(m.run, blocks)) for m in best[1])
    except UNREADABLE as fault:
        logger.warning("members of weather run %s cannot be used: %s", best[0], fault)
        return ()


def get_field(
    session: Session, starts_at: datetime, ends_at: datetime, ends: Ends | None = None
) -> WeatherField:
    """Find a field as :func:`find_field`; raise :class:`Unavailable` without a climatology."""
    field = find_field(session, starts_at, ends_at, ends)
    if field is None:
        raise Unavailable("This installation has no weather yet.")
    return field


def list_records(session: Session) -> Sequence[WeatherRunRecord]:
    """All runs that are not retired, the newest first."""
    query = select(WeatherRunRecord).where(WeatherRunRecord.retired_at.is_(None))
    return session.scalars(query.order_by(*_NEWEST_FIRST)).all()


def list_covering(
    session: Session, starts_at: datetime, ends_at: datetime
) -> Sequence[WeatherRunRecord]:
    """Runs that are not retired and cover a part of a span or fade into it, the newest first."""
    query = select(WeatherRunRecord).where(
        WeatherRunRecord.retired_at.is_(None),
        # the span may begin or end at the limits of the calendar
        WeatherRunRecord.valid_to + _FADES_FOR > starts_at,
        WeatherRunRecord.valid_from - _FADES_FOR < ends_at,
    )
    return session.scalars(query.order_by(*_NEWEST_FIRST)).all()


def find_newest_forecast() -> datetime | None:
    """Find the reference time of the newest forecast of the world's winds that is not over.

    A regional run, or one that is retired, leaves other voyages to an older one.
    """
    record = WeatherRunRecord
    # old runs do not say what is global
    groups = func.coalesce(record.global_groups, record.groups)
    query = select(func.max(record.reference_time)).where(
        record.retired_at.is_(None), record.valid_to > utc_now(), groups.any_() == Group.WIND
    )
    with common_session() as session:
        return session.scalar(query)


def release_members(session: Session, is_due: Callable[[WeatherRunRecord], bool]) -> None:
    """Remove the members of the runs that are due."""
    for record in list_records(session):
        if record.members and is_due(record):
            record.members = []
            left = WeatherRunRecord.members == []
            after_commit(session, partial(_remove_files, record.name, left, MEMBERS))


def may_serve(run: WeatherRunRecord, starts_at: datetime) -> bool:
    """Return whether a run covers any time of a voyage that begins at ``starts_at``."""
    ends_at = starts_at + WEATHER_AHEAD
    return run.valid_to + _FADES_FOR > starts_at and run.valid_from - _FADES_FOR < ends_at


def retire(session: Session, is_due: Callable[[WeatherRunRecord], bool]) -> list[str]:
    """Retire due runs: their rows stay, their files are removed after the commit."""
    gone = []
    for record in list_records(session):
        if is_due(record):
            record.retired_at = utc_now()
            left = WeatherRunRecord.retired_at.is_not(None)
            after_commit(session, partial(_remove_files, record.name, left))
            gone.append(record.name)
    return gone


def _remove_files(name: str, left: ColumnElement[bool], part: str = "") -> None:
    """Remove files of a run, or a part of it, that the catalogue has ``left``.

    The row is locked meanwhile: an import that restores it waits, and finds the files missing.
    """
    query = select(WeatherRunRecord.name).where(WeatherRunRecord.name == name, left)
    with installation_session() as session:
        # removing gigabytes, or asking a bucket that is away, may take longer
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        if session.scalar(query.with_for_update()) is not None:
            weather_bucket.remove(runs_folder() / name, part)


def choose_records(
    session: Session,
    starts_at: datetime,
    ends_at: datetime,
    ends: Ends | None = None,
    *,
    as_known_since: bool = False,
) -> dict[str, WeatherRunRecord]:
    """Choose for each group the newest of the runs that cover most of a voyage's span.

    ``ends`` are the voyage's departure and arrival: regional runs that it cannot touch are left
    out, and those that cover most of the great circle between them come first. Where none covers
    any of the span, the nearest counts, which relaxes to climatology. For a voyage that is over it
    is the newest of those that begin with it, as a plan of its day would have been made in, unless
    the weather ``as_known_since`` is asked for.
    """
    records = list_covering(session, starts_at, ends_at)
    is_hindcast = not as_known_since and starts_at < ends_at <= utc_now()
    choose = partial(
        _best, starts_at=starts_at, ends_at=ends_at, ends=ends, is_hindcast=is_hindcast
    )
    serving = {
        group: [record for record in records if _may_serve_group(record, group, ends)]
        for group in sorted({group for record in records for group in record.groups})
    }
    return {group: choose(found, group) for group, found in serving.items() if found}


def _may_serve_group(record: WeatherRunRecord, group: str, ends: Ends | None) -> bool:
    """Return whether a run has a group, in an area that a voyage between two ends may touch."""
    folder = runs_folder() / record.name
    return group in record.groups and (ends is None or run_areas.may_touch(folder, group, ends))


def name_runs(
    session: Session, starts_at: datetime, ends_at: datetime, ends: Ends | None = None
) -> str:
    """Names of the forecast runs in use for a voyage."""
    chosen = choose_records(session, starts_at, ends_at, ends)
    return ", ".join(sorted({record.name for record in chosen.values()}))


def group_by_run(chosen: dict[str, WeatherRunRecord]) -> list[tuple[WeatherRunRecord, set[str]]]:
    """Group a choice by run: each run with the groups for which it was chosen."""
    groups_of: dict[str, set[str]] = {}
    for group, record in chosen.items():
        groups_of.setdefault(record.name, set()).add(group)
    records = {record.name: record for record in chosen.values()}
    return [(records[name], groups) for name, groups in groups_of.items()]


def _open_members(record: WeatherRunRecord, groups: set[str]) -> list[Member]:
    """Open the members of a run with some of their groups; none if files are unreadable."""
    try:
        members = open_members(runs_folder() / record.name)
    except (RunUnreadable, OSError) as fault:
        logger.warning("members of weather run %s cannot be used: %s", record.name, fault)
        return []
    narrowed = []
    for member in members:
        layers = {group: layer for group, layer in member.run.layers.items() if group in groups}
        if layers:
            narrowed.append(Member(member.number, WeatherRun(member.run.name, layers)))
    return narrowed


def _best(
    records: Sequence[WeatherRunRecord],
    group: str,
    *,
    starts_at: datetime,
    ends_at: datetime,
    ends: Ends | None,
    is_hindcast: bool,
) -> WeatherRunRecord:
    """Choose the newest of the runs with nearly the longest coverage; global runs come first.

    Of regional ones, those with nearly the largest part of the great circle between the ends do.

    In a hindcast those that lack least of the beginning come before newer ones. A group comes from
    one run: a regional run leaves the rest of the world to climatology.
    """
    good = _keep_most(records, lambda each: _covered_h(each, group, starts_at, ends_at))
    if len(good) > 1 and ends is not None:
        good = _keep_most(
            good, lambda each: run_areas.measure_share(runs_folder() / each.name, group, ends)
        )
    if len(good) == 1:
        return good[0]

    def merit(record: WeatherRunRecord) -> tuple[float, bool, timedelta, datetime, datetime]:
        beyond_h = _beyond_h(record, group, starts_at, ends_at)
        lacking = max(record.valid_from - starts_at, timedelta(0)) if is_hindcast else timedelta(0)
        is_global = _is_global(record, group)
        return -beyond_h, is_global, -lacking, record.reference_time, record.imported_at

    return max(good, key=merit)


def _keep_most(
    records: Sequence[WeatherRunRecord], measure: Callable[[WeatherRunRecord], float]
) -> list[WeatherRunRecord]:
    """Keep the runs that have nearly as much of something as the one that has most."""
    measured = [measure(record) for record in records]
    least = _NEARLY_AS_MUCH * max(measured)
    return [record for record, has in zip(records, measured, strict=True) if has >= least]


def _beyond_h(
    record: WeatherRunRecord, group: str, starts_at: datetime, ends_at: datetime
) -> float:
    """Return the hours between a span and the steps of a run, 0 if they overlap."""
    first_h, last_h = hours_since_epoch(record.valid_from), hours_since_epoch(record.valid_to)
    with suppress(RunUnreadable):
        steps_h = _list_steps(runs_folder() / record.name, Group(group))
        first_h, last_h = steps_h[0], steps_h[-1]
    return max(first_h - hours_since_epoch(ends_at), hours_since_epoch(starts_at) - last_h, 0.0)


def _covered_h(
    record: WeatherRunRecord, group: str, starts_at: datetime, ends_at: datetime
) -> float:
    """Return the hours of a span that a run covers, without gaps between its steps.

    The gaps of a run that is not on this machine are unknown, and counted.
    """
    try:
        steps_h = _list_steps(runs_folder() / record.name, Group(group))
    except RunUnreadable:
        covered = min(record.valid_to, ends_at) - max(record.valid_from, starts_at)
        return max(covered / timedelta(hours=1), 0.0)
    return measure_coverage_h(
        Group(group), steps_h, hours_since_epoch(starts_at), hours_since_epoch(ends_at)
    )


@cache
def _list_steps(folder: Path, group: Group) -> tuple[float, ...]:
    """List the steps of a stored run [h since 1970]; runs never change."""
    return open_run(folder).layers[group].times_h


def _is_global(record: WeatherRunRecord, group: str) -> bool:
    """Return whether a run covers the seas of the world."""
    if record.global_groups is not None:
        return group in record.global_groups
    grid = run_areas.find_grid(runs_folder() / record.name, group)
    return grid is not None and grid.is_global


def open_groups(record: WeatherRunRecord, groups: set[str]) -> list[WeatherRun]:
    """Open a run with some of its groups; none, and a warning, if its files are unreadable."""
    weather_bucket.start_fetch(record, runs_folder())
    try:
        stored = open_run(runs_folder() / record.name)
        layers = {group: layer for group, layer in stored.layers.items() if group in groups}
        run = WeatherRun(stored.name, layers, stored.reference_time)
        check_arrays(run)
    except RunUnreadable as fault:
        logger.warning("weather run %s cannot be used: %s", record.name, fault)
        return []
    return [run]


def find_unreadable(session: Session) -> Iterator[str]:
    """Describe the runs of the catalogue whose files, or whose members' files, are unreadable.

    With a bucket, a run that this machine has not fetched is none of them.
    """
    for record in list_records(session):
        folder = runs_folder() / record.name
        try:
            if weather_bucket.find_bucket() is None or folder.is_dir():
                check_arrays(open_run(folder))
                for member in open_members(folder):
                    check_arrays(member.run)
        except (RunUnreadable, OSError) as fault:
            yield f"run {record.name} cannot be used: {fault}"
