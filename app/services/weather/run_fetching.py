"""What a worker's machine lacks of the runs that it is to plan in, and holds of those let go."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.extensions import chartroom
from app.models import WeatherRunRecord, utc_now
from app.services.platform.sessions import common_session
from app.services.weather import weather, weather_bucket

#: How long what is to be planned is left to a machine that has the runs for it.
_LEFT_TO_OTHERS_FOR: Final = timedelta(minutes=5)


class RunsAway(Exception):
    """Runs that a voyage is to be planned in are not on this machine."""


def bring_in(starts_at: datetime, asked_at: datetime | None = None) -> None:
    """Fetch the runs of a voyage that this machine lacks, before anything is locked.

    Raises
    ------
    RunsAway
        When some cannot be had, and what was asked for at ``asked_at`` may be left to another.
    """
    if weather_bucket.find_bucket() is None:
        return
    with common_session() as session:
        _drop_what_was_let_go(session)
        chosen = weather.group_by_run(weather.choose_records(session, starts_at))
        session.expunge_all()
    folder = weather.runs_folder()
    away = [each.name for each, _ in chosen if not weather_bucket.bring_in(each, folder)]
    if away and asked_at is not None and utc_now() - asked_at < _LEFT_TO_OTHERS_FOR:
        raise RunsAway(f"left to another machine: {', '.join(away)} cannot be had here")


def _drop_what_was_let_go(session: Session) -> None:
    """Remove runs from this machine that another let go of, and members as old as they may be."""
    from app.datasources.weather.store import remove_members, remove_run

    kept_for = timedelta(days=chartroom().settings.weather_members_keep_days)
    folders = {folder.name: folder for folder in weather.runs_folder().glob("[!.]*")}
    query = select(WeatherRunRecord).where(WeatherRunRecord.name.in_(folders))
    for record in session.scalars(query):
        if record.retired_at is not None:
            remove_run(folders[record.name])
        elif not record.members and utc_now() - record.imported_at > kept_for:
            remove_members(folders[record.name])
