"""Carbon intensity of a vessel's records."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from app.engine.telemetry.records import RecordedVoyage
from app.services.vessels.vessel_statistics import carbon_intensity_of
from tests.unit.engine.sailing_builders import KAMSARMAX


def test_a_period_that_ends_as_the_year_begins_is_rated_by_the_year_before() -> None:
    ship = replace(KAMSARMAX, gross_tonnage=43_000.0)
    recorded = RecordedVoyage(50_000.0, 8_000.0, 6_000.0, 5_200.0, 5_000.0)
    new_year = datetime(2026, 1, 1, tzinfo=UTC)
    required = [
        found.required
        for ends in (new_year - timedelta(days=1), new_year, new_year + timedelta(days=1))
        if (found := carbon_intensity_of(ship, recorded, ends)) is not None
    ]
    assert required[0] == required[1] > required[2]
