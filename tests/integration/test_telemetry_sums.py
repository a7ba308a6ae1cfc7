"""Sums of telemetry by day are correct after any change and at any time."""

import itertools
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import text

from app.engine.telemetry import records as voyage_records
from app.engine.times import hours_since_epoch
from app.models import Organization, utc_now
from app.records.instants import format_instant
from app.services.platform.sessions import operator_session, organization_session
from app.services.upkeep import erasing
from app.services.vessels import telemetry, telemetry_sums, vessels
from tests.integration.client import ApiClient
from tests.integration.test_telemetry import at

pytestmark = pytest.mark.services

#: All days of the records below have ended by then.
LATER = datetime(2026, 6, 1, tzinfo=UTC)

Sweep = Callable[[], int]


@pytest.fixture
def sweep(worker_app: Flask) -> Sweep:
    """Sums days up as a worker does."""

    def run() -> int:
        with worker_app.app_context():
            return telemetry_sums.sum_unsummed_days(LATER, for_s=60.0)

    return run


def summed(app: Flask, organization_id: UUID, vessel_id: str) -> list[bool]:
    """List ``is_summed`` of each of a vessel's days."""
    query = text("SELECT is_summed FROM telemetry_day WHERE vessel_id = :vessel ORDER BY day")
    with app.app_context(), organization_session(organization_id) as session:
        return list(session.scalars(query, {"vessel": vessel_id}))


def figures(
    app: Flask, organization_id: UUID, vessel_id: str, first: datetime, last: datetime
) -> dict[str, Any] | None:
    """Figures of a period, from every record in it and the last one before."""
    with app.app_context(), organization_session(organization_id) as session:
        vessel = vessels.get(session, organization_id, vessel_id)
        since = first - timedelta(hours=voyage_records.LONGEST_GAP_H)
        records = telemetry_sums.load_records(session, vessel.id, since, last)
    lead = records.times_h.searchsorted(hours_since_epoch(first) + 1e-9, side="right") - 1
    records = records.take(slice(max(int(lead), 0), None))
    found = voyage_records.sum_records(records)
    if found is None:
        return None
    return {
        "distanceNm": found.distance_nm,
        "hoursUnderway": found.hours_under_way,
        "fuelMt": found.fuel_t,
        "hours": [point.hours for point in found.speed_curve],
    }


def check_periods(
    app: Flask, planner: ApiClient, organization_id: UUID, vessel_id: str, chance: random.Random
) -> None:
    """Compare statistics of some periods with the sums of their records."""
    start = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for _ in range(3):
        first, last = sorted(start + timedelta(hours=chance.randrange(-24, 260)) for _ in range(2))
        expected = figures(app, organization_id, vessel_id, first, last)
        span = f"from={first:%Y-%m-%dT%H:%M:%SZ}&to={last:%Y-%m-%dT%H:%M:%SZ}"
        stats = planner.get(f"/vessel/{vessel_id}/stats?{span}").get_json()
        found = stats | {"hours": [point["hours"] for point in stats["speedCurve"]]}
        if expected is None:
            assert found["fuelMt"] is None
            continue
        for name, value in expected.items():
            assert found[name] == pytest.approx(value, abs=0.006), (name, first, last)


@pytest.mark.parametrize("seed", range(4))
def test_statistics_are_those_of_the_records_whatever_was_changed_when(
    app: Flask, admin: ApiClient, organization_id: UUID, sweep: Sweep, seed: int
) -> None:
    chance = random.Random(seed)
    vessel_id = admin.make_vessel()["id"]
    path, stored = f"/telemetry/{vessel_id}", []

    def make(hour: float) -> dict[str, Any]:
        return at(
            hour,
            latitude=chance.uniform(-60, 60),
            longitude=chance.uniform(-180, 179),
            speed=chance.choice([0.0, 0.4, 8.0, 14.5]),
            fuelConsumption=chance.uniform(0, 40),
        )

    def add_batch() -> None:
        hours = {chance.choice([0.25, 1, 24, 30]) * chance.randrange(240) % 240 for _ in range(25)}
        records = [make(hour) for hour in hours]
        chance.shuffle(records)
        admin.post(f"{path}/batch", records)
        stored.extend(record["timestamp"] for record in records)

    def add_one() -> None:
        record = make(chance.randrange(240) + 0.5)
        admin.post(path, record)
        stored.append(record["timestamp"])

    def correct() -> None:
        instant = chance.choice(stored)
        admin.put(f"{path}/{instant}", make(0) | {"timestamp": instant})

    def delete() -> None:
        admin.delete(f"{path}/{chance.choice(stored)}")

    add_batch()
    for _ in range(8):
        chance.choice([add_batch, add_one, correct, delete, sweep])()
        check_periods(app, admin, organization_id, vessel_id, chance)
    sweep()
    assert all(summed(app, organization_id, vessel_id))
    check_periods(app, admin, organization_id, vessel_id, chance)


def test_a_late_record_a_correction_and_a_deletion_each_undo_their_day_alone(
    app: Flask, admin: ApiClient, organization_id: UUID, sweep: Sweep
) -> None:
    vessel_id = admin.make_vessel()["id"]
    path = f"/telemetry/{vessel_id}"
    admin.post(f"{path}/batch", [at(hour) for hour in range(0, 48, 6)])
    changes: list[Callable[[], Any]] = [
        lambda: admin.post(path, at(13)),
        lambda: admin.put(f"{path}/2026-03-02T01:00:00Z", at(13, speed=3)),
        lambda: admin.delete(f"{path}/2026-03-02T01:00:00Z"),
    ]
    for change in changes:
        sweep()
        assert summed(app, organization_id, vessel_id) == [True, True, True]
        assert change().status_code in (200, 201, 204)
        assert summed(app, organization_id, vessel_id) == [True, False, True]


def test_a_day_that_changes_while_it_is_summed_up_stays_to_be_summed(
    app: Flask,
    admin: ApiClient,
    organization_id: UUID,
    sweep: Sweep,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vessel_id = admin.make_vessel()["id"]
    path = f"/telemetry/{vessel_id}"
    admin.post(f"{path}/batch", [at(hour) for hour in range(0, 48, 6)])
    pack, minutes = telemetry_sums.pack, itertools.count()

    def pack_late(found: Any) -> Any:
        """A record comes between the reading of the records and the storing of their sums."""
        admin.post(path, at(13 + next(minutes) / 60))
        return pack(found)

    monkeypatch.setattr(telemetry_sums, "pack", pack_late)
    sweep()
    assert summed(app, organization_id, vessel_id) == [True, False, True]
    monkeypatch.undo()
    sweep()
    assert summed(app, organization_id, vessel_id) == [True, True, True]


def test_a_day_that_is_retired_in_part_keeps_the_count_and_the_sums_of_what_is_left(
    admin: ApiClient, organization_id: UUID, sweep: Sweep, worker_app: Flask
) -> None:
    vessel_id = admin.make_vessel()["id"]
    first = utc_now().replace(minute=0, second=0, microsecond=0) - timedelta(days=41)
    times = [first + timedelta(hours=hour) for hour in range(48)]
    records = [at(0) | {"timestamp": format_instant(time)} for time in times]
    admin.post(f"/telemetry/{vessel_id}/batch", records)
    sweep()
    assert admin.patch("/organization", {"keepTelemetryDays": 40}).status_code == 200
    with worker_app.app_context():
        with operator_session(organization_id) as session:
            session.get_one(Organization, organization_id).shortened_until = utc_now()
        before = utc_now() - timedelta(days=40)
        erasing.erase_expired()
        after = utc_now() - timedelta(days=40)
    left = {sum(time >= cut for time in times) for cut in (before, after)}
    stats = admin.get(f"/vessel/{vessel_id}/stats").get_json()
    assert stats["telemetryCount"] in left
    assert stats["hoursUnderway"] == pytest.approx(stats["telemetryCount"] - 1.0)


def test_more_vessels_than_are_listed_at_once_are_all_summed_up(
    app: Flask,
    admin: ApiClient,
    organization_id: UUID,
    sweep: Sweep,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(telemetry_sums, "_VESSELS_AT_ONCE", 1)
    fleet = [admin.make_vessel()["id"] for _ in range(3)]
    for vessel_id in fleet:
        admin.post(f"/telemetry/{vessel_id}/batch", [at(hour) for hour in range(0, 48, 6)])
    sweep()
    assert all(all(summed(app, organization_id, vessel_id)) for vessel_id in fleet)


def test_a_day_under_way_is_left_for_later(
    app: Flask, admin: ApiClient, organization_id: UUID, worker_app: Flask
) -> None:
    vessel_id = admin.make_vessel()["id"]
    admin.post(f"/telemetry/{vessel_id}/batch", [at(hour) for hour in range(0, 48, 6)])
    with worker_app.app_context():
        telemetry_sums.sum_unsummed_days(datetime(2026, 3, 2, 12, tzinfo=UTC), for_s=60.0)
    assert summed(app, organization_id, vessel_id) == [True, False, False]


def test_a_vessel_whose_records_are_gone_holds_no_other_up(
    app: Flask, admin: ApiClient, organization_id: UUID, sweep: Sweep
) -> None:
    fleet = [admin.make_vessel()["id"] for _ in range(2)]
    for vessel_id in fleet:
        admin.post(f"/telemetry/{vessel_id}/batch", [at(hour) for hour in range(0, 48, 6)])
    with app.app_context(), organization_session(organization_id) as session:
        # past the service, so that nothing notes the change
        session.execute(text("DELETE FROM telemetry WHERE vessel_id = :v"), {"v": fleet[0]})
    sweep()
    assert all(all(summed(app, organization_id, vessel_id)) for vessel_id in fleet)


def test_summed_days_are_not_read_again(
    app: Flask,
    admin: ApiClient,
    organization_id: UUID,
    sweep: Sweep,
) -> None:
    vessel_id = admin.make_vessel()["id"]
    admin.post(f"/telemetry/{vessel_id}/batch", [at(hour) for hour in range(0, 48, 6)])
    sweep()
    before = admin.get(f"/vessel/{vessel_id}/stats").get_json()
    with app.app_context(), organization_session(organization_id) as session:
        vessel = vessels.get(session, organization_id, vessel_id)
        # past the service, so that nothing notes the change
        session.execute(text("DELETE FROM telemetry WHERE vessel_id = :v"), {"v": vessel.id})
        assert telemetry.count(session, vessel, None, None) == 8
    assert admin.get(f"/vessel/{vessel_id}/stats").get_json() == before
