"""Weather runs in force: those that voyages departing now use."""

from datetime import datetime, timedelta
from itertools import product
from typing import Final

from sqlalchemy.orm import Session

from app.services.weather import run_areas, weather

#: Length of a voyage for which the newest run is used, though another lasts longer.
_SHORT_VOYAGE: Final = timedelta(days=1)


def find_in_force(session: Session, now: datetime) -> dict[str, set[str]]:
    """Find the groups, by run, that voyages departing now use: short ones and the longest.

    They are those anywhere, and those in the middle of each regional run.
    """
    stored = {
        (weather.runs_folder() / run.name, group)
        for run in weather.list_records(session)
        for group in run.groups
    }
    middles = {run_areas.find_middle(*each) for each in stored} - {None}
    used: dict[str, set[str]] = {}
    # the longest run may not be the newest
    for middle, lasts in product((None, *middles), (_SHORT_VOYAGE, weather.WEATHER_AHEAD)):
        ends = None if middle is None else (middle, middle)
        for group, record in weather.choose_records(session, now, now + lasts, ends).items():
            used.setdefault(record.name, set()).add(group)
    return used
