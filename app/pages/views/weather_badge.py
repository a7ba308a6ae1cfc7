"""Weather badge in the header of every page."""

from datetime import timedelta
from typing import Any, Final, NamedTuple

from app.models import WeatherRunRecord, utc_now
from app.pages.blueprint import pages
from app.pages.web.own import own_session
from app.services.weather import weather
from app.services.weather.weather_age import is_stale


class WeatherBadge(NamedTuple):
    """Newest forecast, its age, and whether any stored forecast has swell."""

    record: WeatherRunRecord | None
    age: timedelta
    has_swell: bool

    @property
    def source(self) -> str:
        """Return the name of the forecast's provider."""
        source = self.record.source if self.record else "climatology"
        return _SOURCES.get(source, source)

    @property
    def state(self) -> str:
        """Return the age as a word; plans warn of a stale forecast too."""
        if self.record is None or is_stale(self.record.reference_time, utc_now()):
            return "stale"
        return "current" if self.age < weather.FRESH_FOR else "ageing"


#: Names of providers.
_SOURCES: Final = {"ecmwf": "ECMWF", "gfs": "GFS"}


@pages.app_context_processor
def badge_context() -> dict[str, Any]:
    """Return a function, so that only pages with the badge query the database."""
    return {"find_weather_badge": _find_badge}


def _find_badge() -> WeatherBadge:
    with own_session() as session:
        records = weather.list_records(session)
        session.expunge_all()
    newest = next(iter(records), None)
    age = utc_now() - newest.reference_time if newest else timedelta()
    return WeatherBadge(newest, age, any("swell" in record.groups for record in records))
