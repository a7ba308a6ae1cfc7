"""Weather badge in the header of every page."""

from typing import Any, NamedTuple

from app.models import WeatherRunRecord, utc_now
from app.pages.blueprint import pages
from app.pages.web.access import organization_id
from app.services.platform.sessions import organization_session
from app.services.weather import weather


class WeatherBadge(NamedTuple):
    """The newest forecast, whether it is up to date, and whether any forecast holds swell."""

    record: WeatherRunRecord | None
    is_fresh: bool
    has_swell: bool


@pages.app_context_processor
def badge_context() -> dict[str, Any]:
    """The newest weather, looked up only by pages that show it."""
    return {"find_weather_badge": _find_bar_weather}


def _find_bar_weather() -> WeatherBadge:
    with organization_session(organization_id()) as session:
        records = weather.list_records(session)
        session.expunge_all()
    newest = next(iter(records), None)
    is_fresh = newest is not None and utc_now() - newest.reference_time < weather.FRESH_FOR
    return WeatherBadge(newest, is_fresh, any("swell" in record.groups for record in records))
