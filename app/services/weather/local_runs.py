"""Weather runs on this machine: those it needs from the bucket, and removal of retired ones."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import select

from app.datasources.weather.bucket import list_local
from app.datasources.weather.store import MEMBERS
from app.extensions import chartroom
from app.models import WeatherRunRecord, utc_now
from app.services.platform.sessions import common_session
from app.services.weather import weather, weather_bucket
from app.services.weather.run_areas import Ends

#: Time for which a charting is left to another machine that may have its runs.
_LEFT_TO_OTHER_MACHINES_FOR: Final = timedelta(minutes=5)


class WeatherUnavailable(Exception):
    """Weather runs of a voyage are not available on this machine."""


def fetch_runs(
    starts_at: datetime, ends_at: datetime, ends: Ends, asked_at: datetime | None = None
) -> None:
    """Fetch the runs of a voyage that this machine lacks, before any row is locked.

    ``ends`` are its departure and arrival.

    Raise :class:`WeatherUnavailable` if some are unavailable, and the request of ``asked_at`` may
    be left to another machine.
    """
    if weather_bucket.find_bucket() is None:
        return
    remove_retired()
    folder = weather.runs_folder()
    is_here: dict[str, bool] = {}
    # chosen again after each fetch: a newer run may have been catalogued meanwhile
    while untried := [
        each for each in _choose(starts_at, ends_at, ends) if each.name not in is_here
    ]:
        for record in untried:
            is_here[record.name] = weather_bucket.fetch(record, folder, record.members)
    missing = [name for name, found in is_here.items() if not found]
    if missing and asked_at is not None and utc_now() - asked_at < _LEFT_TO_OTHER_MACHINES_FOR:
        raise WeatherUnavailable(f"left to another machine: {', '.join(missing)} unavailable here")


def _choose(starts_at: datetime, ends_at: datetime, ends: Ends) -> list[WeatherRunRecord]:
    """Return the runs for the planning of a voyage, detached from their session."""
    with common_session() as session:
        chosen = weather.group_by_run(weather.choose_records(session, starts_at, ends_at, ends))
        session.expunge_all()
    return [record for record, _ in chosen]


def remove_retired() -> None:
    """Remove from this machine runs that another has retired, and members that are too old.

    Do nothing without a bucket: machines then share one store, from which retiring removes runs.
    """
    if weather_bucket.find_bucket() is None:
        return
    folder = weather.runs_folder()
    kept_for = timedelta(days=chartroom().settings.weather_members_keep_days)
    query = select(WeatherRunRecord).where(WeatherRunRecord.name.in_(list_local(folder)))
    with common_session() as session:
        for record in session.scalars(query):
            if record.retired_at is not None:
                weather_bucket.remove_local(folder / record.name)
            elif not record.members and utc_now() - record.imported_at > kept_for:
                weather_bucket.remove_local(folder / record.name, MEMBERS)
