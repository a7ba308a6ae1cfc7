"""The weather store: what is in it, what a voyage is planned with, what is retired."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.extensions import chartroom
from app.models import WeatherRunRecord, utc_now
from app.services.errors import Unavailable
from app.services.platform.sessions import after_commit
from app.services.weather import weather_bucket

# What samples weather brings numba with it, which commands and short-lived
# processes need not wait for: it is imported where it is used.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.datasources.weather.store import Member
    from app.engine.weather import WeatherField, WeatherRun

logger = logging.getLogger(__name__)

#: Groups that ensemble members hold; all others are the control's.
MEMBER_GROUPS: Final = frozenset({"wind", "wave"})

#: The folder of the climatology in the store, and that of the runs.
CLIMATOLOGY: Final = "climatology"
RUNS: Final = "runs"

#: The longest voyage that weather is looked for [days].
_LONGEST_VOYAGE: Final = timedelta(days=60)

#: A run is the newest to be had for about this long after its reference time:
#: six hours to the next, and as many until that is published.
FRESH_FOR: Final = timedelta(hours=11)

#: A newer run is taken when it covers at least this share of what the best one does.
_NEARLY_AS_MUCH: Final = 0.8


@dataclass(frozen=True, slots=True)
class MemberField:
    """Weather as one ensemble member forecasts it.

    ``field`` differs from that of the voyage only in the groups that members
    hold; ``number`` is the centre's, 1 and above.
    """

    number: int
    field: WeatherField


def runs_folder() -> Path:
    """Return the folder of this installation's runs."""
    return chartroom().settings.weather_dir.resolve() / RUNS


def downloads_folder() -> Path:
    """Return the folder of fetched forecasts not yet imported."""
    return chartroom().settings.weather_dir.resolve() / "downloads"


def climatology_folder() -> Path:
    """Return the folder of this installation's climatology."""
    return chartroom().settings.weather_dir.resolve() / CLIMATOLOGY


def find_climatology() -> WeatherRun | None:
    """The climatology, or ``None`` where it is not built."""
    from app.datasources.weather.store import RunUnreadable

    try:
        return _open_climatology(climatology_folder())
    except RunUnreadable:
        return None


def find_field(
    session: Session, starts_at: datetime, ends_at: datetime | None = None
) -> WeatherField | None:
    """Weather for a voyage in a span of time; ``None`` where there is no climatology.

    Its files are opened here, so that a run retired from now on stays with it.
    """
    from app.engine.weather import WeatherField

    climatology = find_climatology()
    if climatology is None:
        logger.warning("there is no climatology in %s", climatology_folder())
        return None
    ends_at = ends_at or starts_at + _LONGEST_VOYAGE
    field = WeatherField(climatology, _open_chosen(session, starts_at, ends_at))
    _ = field.kernel_arrays
    return field


def find_members(
    session: Session, starts_at: datetime, ends_at: datetime | None = None
) -> tuple[MemberField, ...]:
    """Weather of a voyage as each ensemble member of the run in force forecasts it.

    Members of one run alone: of the runs that speak for waves or wind, that with
    members for most of these; what it does not speak for is as in
    :func:`find_field`. Empty where no such run has members.
    """
    control = find_field(session, starts_at, ends_at)
    if control is None:
        return ()
    best: tuple[str, list[Member]] = ("", [])
    for record, groups in group_by_run(choose_records(session, starts_at, ends_at)):
        members = _open_members(record, groups & MEMBER_GROUPS)
        if members and (not best[1] or len(members[0].run.layers) > len(best[1][0].run.layers)):
            best = record.name, members
    blocks: dict[Path, NDArray[np.int16]] = {}
    try:
        return tuple(MemberField(m.number, control.overlaid(m.run, blocks)) for m in best[1])
    except (OSError, ValueError) as fault:
        logger.warning("members of weather run %s cannot be used: %s", best[0], fault)
        return ()


def get_field(session: Session, starts_at: datetime, ends_at: datetime) -> WeatherField:
    """Find a field as :func:`find_field`; raise :class:`Unavailable` without a climatology."""
    field = find_field(session, starts_at, ends_at)
    if field is None:
        raise Unavailable("This installation has no weather yet.")
    return field


def list_records(session: Session) -> Sequence[WeatherRunRecord]:
    """All runs whose files are there, the newest first."""
    query = select(WeatherRunRecord).where(WeatherRunRecord.retired_at.is_(None))
    newest_first = (WeatherRunRecord.reference_time.desc(), WeatherRunRecord.imported_at.desc())
    return session.scalars(query.order_by(*newest_first)).all()


def release_members(session: Session, is_due: Callable[[WeatherRunRecord], bool]) -> list[str]:
    """Remove the members of the runs that are due; answers the names of these."""
    released = []
    for record in list_records(session):
        if record.members and is_due(record):
            record.members = []
            after_commit(
                session, partial(weather_bucket.remove_members, runs_folder() / record.name)
            )
            released.append(record.name)
    return released


def may_serve(run: WeatherRunRecord, starts_at: datetime) -> bool:
    """Return whether a run covers any time of a voyage that begins at ``starts_at``."""
    return run.valid_to > starts_at and run.valid_from < starts_at + _LONGEST_VOYAGE


def retire(session: Session, is_due: Callable[[WeatherRunRecord], bool]) -> list[str]:
    """Retire the runs that are due: their names stay, their files go once that is stored."""
    gone = []
    for record in list_records(session):
        if is_due(record):
            record.retired_at = utc_now()
            after_commit(session, partial(weather_bucket.remove, runs_folder() / record.name))
            gone.append(record.name)
    return gone


@cache
def _open_climatology(folder: Path) -> WeatherRun:
    from app.datasources.weather.store import open_run

    return open_run(folder)


def choose_records(
    session: Session, starts_at: datetime, ends_at: datetime | None = None
) -> dict[str, WeatherRunRecord]:
    """For each group the newest of the runs that cover a voyage's span (nearly) best."""
    ends_at = ends_at or starts_at + _LONGEST_VOYAGE
    query = select(WeatherRunRecord).where(
        WeatherRunRecord.retired_at.is_(None),
        WeatherRunRecord.valid_to > starts_at,
        WeatherRunRecord.valid_from < ends_at,
    )
    records = session.scalars(query).all()
    return {
        group: _best(
            [record for record in records if group in record.groups], group, starts_at, ends_at
        )
        for group in sorted({group for record in records for group in record.groups})
    }


def _open_chosen(session: Session, starts_at: datetime, ends_at: datetime) -> list[WeatherRun]:
    chosen = group_by_run(choose_records(session, starts_at, ends_at))
    return [run for record, groups in chosen for run in open_groups(record, groups)]


def group_by_run(chosen: dict[str, WeatherRunRecord]) -> list[tuple[WeatherRunRecord, set[str]]]:
    """Each run that was chosen, with the groups that it is to speak for."""
    groups_of: dict[str, set[str]] = {}
    for group, record in chosen.items():
        groups_of.setdefault(record.name, set()).add(group)
    records = {record.name: record for record in chosen.values()}
    return [(records[name], groups) for name, groups in groups_of.items()]


def _open_members(record: WeatherRunRecord, groups: set[str]) -> list[Member]:
    """The members of a run with some of their groups; none where their files are away."""
    from app.datasources.weather.store import Member, RunUnreadable, open_members
    from app.engine.weather import WeatherRun

    try:
        members = open_members(runs_folder() / record.name)
    except RunUnreadable as fault:
        logger.warning("members of weather run %s cannot be used: %s", record.name, fault)
        return []
    narrowed = []
    for member in members:
        layers = {group: layer for group, layer in member.run.layers.items() if group in groups}
        if layers:
            narrowed.append(Member(member.number, WeatherRun(member.run.name, layers)))
    return narrowed


def _best(
    records: Sequence[WeatherRunRecord], group: str, starts_at: datetime, ends_at: datetime
) -> WeatherRunRecord:
    """The newest of those that cover nearly the most of the time; a global one before all others.

    One run speaks for a group: a regional one leaves the rest of the world to climatology.
    """
    covered = {
        record.name: min(record.valid_to, ends_at) - max(record.valid_from, starts_at)
        for record in records
    }
    most = max(covered.values())
    good = [record for record in records if covered[record.name] >= _NEARLY_AS_MUCH * most]
    if len(good) == 1:
        return good[0]
    return max(
        good,
        key=lambda record: (_is_global(record, group), record.reference_time, record.imported_at),
    )


def _is_global(record: WeatherRunRecord, group: str) -> bool:
    """Return whether a run covers the seas of the world."""
    if record.global_groups is not None:
        return group in record.global_groups
    return _is_stored_global(runs_folder() / record.name, group)


@cache
def _is_stored_global(folder: Path, group: str) -> bool:
    """Return whether a stored run covers the seas of the world; runs never change."""
    from app.datasources.weather.store import RunUnreadable, open_run
    from app.engine.weather import Group

    try:
        layer = open_run(folder).layers.get(Group(group))
    except RunUnreadable:
        return False
    return layer is not None and layer.grid.is_global


def open_groups(record: WeatherRunRecord, groups: set[str]) -> list[WeatherRun]:
    """A run with some of its groups; nothing, and a word in the log, if its files are away."""
    from app.datasources.weather.store import RunUnreadable, open_run
    from app.engine.weather import WeatherRun

    weather_bucket.begin_to_fetch(record, runs_folder())
    try:
        run = open_run(runs_folder() / record.name)
    except RunUnreadable as fault:
        logger.warning("weather run %s cannot be used: %s", record.name, fault)
        return []
    layers = {group: layer for group, layer in run.layers.items() if group in groups}
    return [WeatherRun(run.name, layers, run.reference_time)]
