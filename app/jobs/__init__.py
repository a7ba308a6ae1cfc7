"""Jobs of the workers, which call services."""

import os
from typing import Final
from uuid import UUID

from app import logs
from app.services.chartings import charting_runs, departure_runs
from app.services.monitoring import advice_mail, monitor, watching
from app.services.vessels import calibration_runs, noon_imports
from app.services.webhooks import webhook_deliveries, webhook_dispatch

#: Niceness of long background jobs (nice(2)).
_NICENESS: Final = 10


def optimise_charting(charting_id: str, revision: int) -> None:
    """Plan one revision of a charting."""
    with logs.bound(charting_id=charting_id, revision=revision):
        charting_runs.run(UUID(charting_id), revision)


def fetch_weather(source: str) -> None:
    """Fetch the newest forecast, if there is a newer one."""
    from app.services.weather import weather_intake  # imports ecCodes, which planning does not need

    weather_intake.fetch_if_due(source)


def monitor_voyage(organization_id: str, charting_id: str) -> None:
    """Evaluate the position reports of one voyage that is expected or under way."""
    with logs.bound(charting_id=charting_id):
        monitor.check_position_reports(UUID(organization_id), UUID(charting_id))


def watch_voyage(organization_id: str, charting_id: str) -> None:
    """Check the rest of one voyage under way, and advise if a better plan exists."""
    with logs.bound(charting_id=charting_id):
        watching.watch(UUID(organization_id), UUID(charting_id))


def compare_departures(organization_id: str, charting_id: str) -> None:
    """Compare the departures of one charting's window, with low process priority."""
    os.nice(_NICENESS)
    with logs.bound(charting_id=charting_id):
        departure_runs.run(UUID(organization_id), UUID(charting_id))


def calibrate_vessel(organization_id: str, calibration_id: str) -> None:
    """Fit one calibration of a vessel, with low process priority."""
    os.nice(_NICENESS)
    with logs.bound(calibration_id=calibration_id):
        calibration_runs.run(UUID(organization_id), UUID(calibration_id))


def import_noon_reports(organization_id: str, import_id: str) -> None:
    """Import one file of noon reports, with low process priority."""
    os.nice(_NICENESS)
    with logs.bound(import_id=import_id):
        noon_imports.run(UUID(organization_id), UUID(import_id))


def dispatch_events(organization_id: str) -> None:
    """Create the deliveries of an organization's new events."""
    webhook_dispatch.dispatch(UUID(organization_id))


def mail_advice(organization_id: str, advice_id: str) -> None:
    """Mail an advice."""
    advice_mail.send(UUID(organization_id), UUID(advice_id))


def deliver_webhook(organization_id: str, delivery_id: str) -> None:
    """Attempt the delivery of a webhook."""
    webhook_deliveries.deliver(UUID(organization_id), UUID(delivery_id))
