"""Weather of a voyage that was sailed, as it is known since."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from app.engine.arrays import Floats
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, WeatherField, WeatherRun
from app.engine.weather.splicing import splice
from app.models import WeatherRunRecord
from app.services.weather import run_areas, weather, weather_bucket
from app.services.weather.run_areas import Ends

#: Groups in which a voyage is simulated.
_GROUPS: Final = (Group.WIND, Group.WAVE, Group.CURRENT)
#: Time before and after a voyage in which a ship at other speeds would sail [h].
_AROUND_H: Final = 72.0


def find_field(
    session: Session, starts_at: datetime, ends_at: datetime, ends: Ends, lats: Floats, lngs: Floats
) -> WeatherField | None:
    """Weather around n places [deg] in a span of time; ``None`` if there is no climatology.

    ``ends`` are the voyage's, and the places are in an order in which each is near the one before,
    as a ship passes them. The weather of each time is that of the newest run that covers it, of
    those on the grid of the run that would be chosen alone. Runs that are not on this machine are
    left out.
    """
    climatology = weather.find_climatology()
    if climatology is None:
        return None
    chosen = weather.choose_records(session, starts_at, ends_at, ends, as_known_since=True)
    stored = [
        record
        for record in weather.list_covering(session, starts_at, ends_at)
        if record.valid_from < ends_at
    ]
    span_h = hours_since_epoch(starts_at) - _AROUND_H, hours_since_epoch(ends_at) + _AROUND_H
    spliced = []
    for group in _GROUPS:
        runs = [*_open_alike(chosen[group], stored, group)] if group in chosen else []
        spliced += splice(runs, group, span_h, lats, lngs)
    return WeatherField(climatology, spliced)


def _open_alike(
    chosen: WeatherRunRecord, stored: Sequence[WeatherRunRecord], group: Group
) -> Iterator[WeatherRun]:
    """Open a group of the stored runs that have it on the same grid as the chosen one."""
    grid = run_areas.find_grid(weather.runs_folder() / chosen.name, group)
    if grid is None:
        weather_bucket.start_fetch(chosen, weather.runs_folder())
        return
    for record in stored:
        if run_areas.find_grid(weather.runs_folder() / record.name, group) == grid:
            yield from weather.open_groups(record, {group})
