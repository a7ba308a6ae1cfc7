"""Weather badge in the header of every page."""

from datetime import timedelta
from typing import Any, Final, NamedTuple

from app.models import WeatherRunRecord, utc_now
from app.pages.blueprint import pages
from app.pages.web.access import organization_id
from app.services.platform.sessions import organization_session
from app.services.weather import weather
from app.services.weather.weather_age import is_stale


class WeatherBadge(NamedTuple):
    """The newest forecast, how old it is, and whether any forecast holds swell."""

    record: WeatherRunRecord | None
    age: timedelta
    has_swell: bool

    @property
    def source(self) -> str:
        """Whose forecast it is."""
        source = self.record.source if self.record else "climatology"
        return _SOURCES.get(source, source)

    @property
    def state(self) -> str:
        """The forecast's age in a word; a stale one is said so on plans as well."""
        if self.record is None or is_stale(self.record.reference_time, utc_now()):
            return "stale"
        return "current" if self.age < weather.FRESH_FOR else "ageing"


#: Sources as people call them.
_SOURCES: Final = {"ecmwf": "ECMWF", "gfs": "GFS"}


@pages.app_context_processor
def badge_context() -> dict[str, Any]:
    """The newest weather, looked up only by pages that show it."""
    return {"find_weather_badge": _find_bar_weather}


def _find_bar_weather() -> WeatherBadge:
    with organization_session(organization_id()) as session:
        records = weather.list_records(session)
        session.expunge_all()
    newest = next(iter(records), None)
    age = utc_now() - newest.reference_time if newest else timedelta()
    return WeatherBadge(newest, age, any("swell" in record.groups for record in records))
