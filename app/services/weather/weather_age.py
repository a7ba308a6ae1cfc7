"""Age of the forecasts of a plan."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from app.engine.codes import WarningCode
from app.engine.plan import PlanWarning, RoutePlan
from app.engine.weather import Group, WeatherField

#: Age at which newer runs have been published for certain: centres publish two to four a day.
STALE_AFTER: Final = timedelta(hours=24)


def is_stale(reference_time: datetime, as_of: datetime) -> bool:
    """Return whether a run was stale at a time."""
    return as_of - reference_time > STALE_AFTER


def warn_of_stale_forecast(
    plan: RoutePlan, field: WeatherField | None, departs_at: datetime, now: datetime
) -> RoutePlan:
    """Add a warning to a plan if its wind or waves come from a stale forecast.

    For a voyage in the past, the age at departure counts.
    """
    if field is None:
        return plan
    as_of = min(now, departs_at)
    runs = (field.forecast_run(group) for group in (Group.WAVE, Group.WIND))
    issued = [run.reference_time for run in runs if run and run.reference_time]
    if not issued or not is_stale(min(issued), as_of):
        return plan
    oldest = min(issued)
    age_h = (as_of - oldest).total_seconds() / 3600.0
    when = "at the departure" if departs_at < now else "when the voyage was planned"
    warning = PlanWarning(
        WarningCode.STALE_FORECAST,
        f"The forecast of {oldest.day} {oldest:%B %Y %H:%M} UTC was {age_h:.0f} h old {when}."
        " Newer ones have been published since. Plan again when a newer forecast is in the store.",
    )
    return replace(plan, warnings=(*plan.warnings, warning))
