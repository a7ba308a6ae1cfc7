"""Weather of past hours, from all stored runs."""

from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from app.engine.arrays import Bools, Floats
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, WeatherField
from app.engine.weather.field import WeatherSamples
from app.models import WeatherRunRecord
from app.services.weather import weather

_GROUPS: Final = frozenset({Group.WIND.value, Group.WAVE.value})
_WIND: Final = ("wind_weight", "wind_speed_ms", "wind_from_deg")
_WAVES: Final = ("wave_weight", "wave_height_m", "wave_period_s", "wave_from_deg")


def sample_past(
    session: Session, lats: Floats, lngs: Floats, times_h: Floats
) -> WeatherSamples | None:
    """Sample wind and waves at places [deg] and times [h since 1970], arrays of one shape.

    Each is from the newest run that knows it whole, or else from the run that knows the greatest
    share, the rest being climatology. ``None`` if there is no climatology.
    """
    climatology = weather.find_climatology()
    if climatology is None:
        return None
    found = WeatherField(climatology).sample(lats, lngs, times_h)
    for record in weather.list_records(session):
        lacking = _is_covered(record, times_h) & (
            np.minimum(found.wind_weight, found.wave_weight) < 1.0
        )
        groups = _GROUPS.intersection(record.groups)
        if groups and lacking.any():
            field = WeatherField(climatology, weather.open_groups(record, {*groups}))
            fresh = field.sample(lats[lacking], lngs[lacking], times_h[lacking])
            _take_better(found, fresh, lacking)
    return found


def _is_covered(record: WeatherRunRecord, times_h: Floats) -> Bools:
    since, until = hours_since_epoch(record.valid_from), hours_since_epoch(record.valid_to)
    return np.asarray((times_h >= since) & (times_h <= until))


def _take_better(found: WeatherSamples, fresh: WeatherSamples, where: Bools) -> None:
    """Replace the samples ``where`` a run knows more of them, its own being ``fresh``."""
    for names in (_WIND, _WAVES):
        is_better = getattr(fresh, names[0]) > getattr(found, names[0])[where]
        at = where.copy()
        at[where] = is_better
        for name in names:
            getattr(found, name)[at] = getattr(fresh, name)[is_better]
