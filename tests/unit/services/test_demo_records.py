"""Telemetry of the demo vessel."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from app.engine.geodesy import great_circle_distance_nm
from app.records.instants import parse_instant
from app.services.upkeep.demo_records import DAYS, list_records

NOW = datetime(2026, 3, 31, 9, 42, tzinfo=UTC)
RECORDS = list(list_records(NOW))
TIMES = [parse_instant(record["timestamp"]) for record in RECORDS]


def test_the_records_are_hourly_for_a_month_up_to_the_present_hour() -> None:
    assert TIMES[-1] == NOW.replace(minute=0)
    assert TIMES[0] == TIMES[-1] - timedelta(days=DAYS)
    assert {later - earlier for earlier, later in pairwise(TIMES)} == {timedelta(hours=1)}


def test_the_ship_covers_the_distance_of_its_speed() -> None:
    for earlier, later in pairwise(RECORDS):
        places = [record[name] for record in (earlier, later) for name in ("latitude", "longitude")]
        moved_nm = float(great_circle_distance_nm(*places))
        assert moved_nm <= 1.1 * max(earlier["speed"], later["speed"]) + 0.1
    under_way = [record for record in RECORDS if record["speed"] > 0.0]
    assert 0.8 * len(RECORDS) < len(under_way) < len(RECORDS)


def test_fuel_power_and_speed_belong_together() -> None:
    for record in RECORDS:
        if record["speed"] == 0.0:
            assert record["fuelConsumption"] == record["mePower"] == 0.0
            continue
        assert 10.5 < record["speed"] < 13.5
        assert record["fuelConsumption"] / 24.0 / record["mePower"] * 1e6 == pytest.approx(
            179.5, rel=0.1
        )
        assert 12.0 < record["fuelConsumption"] < 28.0
