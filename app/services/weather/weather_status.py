"""Status of the weather store: runs, their age and use, and downloads."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from stat import S_ISREG

from sqlalchemy.orm import Session

from app.datasources.weather.store import RunUnreadable, open_run
from app.models import WeatherRunRecord
from app.services.weather import in_force, weather
from app.services.weather.weather_area import ALL_OCEANS, describe_run

#: Time since the last change after which a download counts as interrupted.
_FETCH_TAKES = timedelta(hours=2)


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A run, its age at the given time, and the groups that a voyage from then uses of it.

    ``covers`` describes the covered area; ``None`` if the run cannot be read.
    """

    record: WeatherRunRecord
    age: timedelta
    used_for: tuple[str, ...]
    covers: str | None


@dataclass(frozen=True, slots=True)
class FetchStatus:
    """A download that is not yet imported."""

    name: str
    touched_at: datetime
    size_bytes: int
    is_under_way: bool


@dataclass(frozen=True, slots=True)
class WeatherStatus:
    """The store at a time; ``is_fresh`` while no newer run is expected."""

    runs: Sequence[RunStatus]
    fetches: Sequence[FetchStatus]
    is_fresh: bool

    @property
    def newest(self) -> WeatherRunRecord | None:
        """The run with the newest reference time."""
        return self.runs[0].record if self.runs else None

    @property
    def is_regional(self) -> bool:
        """Return whether the newest run covers only part of the oceans."""
        return bool(self.runs) and self.runs[0].covers not in (ALL_OCEANS, None)

    @property
    def covered_until(self) -> datetime | None:
        """Latest end of a forecast."""
        return max((run.record.valid_to for run in self.runs), default=None)


def describe(session: Session, now: datetime) -> WeatherStatus:
    """Describe the store for voyages that begin at ``now``."""
    used = in_force.find_in_force(session, now)
    runs = [
        RunStatus(
            record,
            now - record.reference_time,
            tuple(sorted(used.get(record.name, ()))),
            _describe_area(record.name),
        )
        for record in weather.list_records(session)
    ]
    return WeatherStatus(runs, _list_fetches(now), bool(runs) and runs[0].age < weather.FRESH_FOR)


def _describe_area(name: str) -> str | None:
    try:
        return describe_run(open_run(weather.runs_folder() / name))
    except RunUnreadable:
        return None


def _list_fetches(now: datetime) -> list[FetchStatus]:
    folder = weather.downloads_folder()
    found = sorted(folder.iterdir(), reverse=True) if folder.is_dir() else []
    states = ((run.name, _list_states(run)) for run in found)
    return [_fetch_status(name, of_run, now) for name, of_run in states if of_run]


def _list_states(folder: Path) -> list[os.stat_result]:
    """List the states of a folder and its entries; none if it is no folder, or gone.

    A fetch renames its files, and removes them once they are imported.
    """
    states = []
    for entry in (folder, *folder.rglob("*")) if folder.is_dir() else ():
        with suppress(FileNotFoundError):
            states.append(entry.stat())
    return states


def _fetch_status(name: str, states: Sequence[os.stat_result], now: datetime) -> FetchStatus:
    touched_at = datetime.fromtimestamp(max(state.st_mtime for state in states), UTC)
    size = sum(state.st_size for state in states if S_ISREG(state.st_mode))
    return FetchStatus(name, touched_at, size, now - touched_at < _FETCH_TAKES)
