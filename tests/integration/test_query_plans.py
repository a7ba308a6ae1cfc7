"""Queries over growing tables use an index, whatever other data exist."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from sqlalchemy import event, select, text

from app.models import AuditEntry, Base, ChartingRevision, Role, utc_now
from app.services.chartings import charting_search
from app.services.platform import audit, quotas
from app.services.platform.audit import AuditFilter
from app.services.platform.sessions import (
    cross_tenant_session,
    operator_session,
    organization_session,
)
from app.services.upkeep import data_subjects, sweeper
from app.services.vessels import (
    fleet_summary,
    telemetry,
    telemetry_sums,
    vessel_statistics,
    vessels,
)
from tests.integration.conftest import client_of, make_organization
from tests.integration.test_fleet_summaries import statements

pytestmark = pytest.mark.services

#: Days of records, and hours between two.
RECORD_DAYS, RECORD_H = 330, 2
CHARTINGS = 5_000
ENTRIES = 50_000
VESSELS = 25

#: Tables that grow.
FILLED = "telemetry, telemetry_day, charting, charting_revision, audit_entry"
#: A sequential scan of any, but of a month to come: that has no rows to read in any way.
SCAN = re.compile(
    r"Seq Scan on (telemetry(_\d{4}_\d\d|_day)?|charting|charting_revision|audit_entry)\b"
    r"(?!.*cost=0\.00\.\.0\.00)"
)

_TELEMETRY = text(
    "INSERT INTO telemetry (organization_id, vessel_id, timestamp, latitude, longitude, speed_kn,"
    " heading_deg, rpm, fuel_consumption_t_day, draft_m, engine_load_pct)"
    " SELECT :organization, :vessel, CAST(:now AS timestamptz) - n * interval '2 hours', 50,"
    " n * 0.001, 12, 90, 80, 25, 12, 60 FROM generate_series(1, :count) AS n"
)
_DAYS = text(
    "INSERT INTO telemetry_day (organization_id, vessel_id, day, records) SELECT organization_id,"
    " vessel_id, CAST(timestamp AT TIME ZONE 'UTC' AS date), count(*) FROM telemetry"
    " WHERE vessel_id = :vessel GROUP BY 1, 2, 3"
)
_CHARTINGS = text(
    "WITH made AS (INSERT INTO charting (id, organization_id, vessel_id, port_from_name,"
    " port_to_name, latest_revision, completed_revision, created_by) SELECT gen_random_uuid(),"
    " :organization, :vessel, 'Rotterdam', 'London', 1, 1, 'test' FROM generate_series(1, :count)"
    " RETURNING organization_id, id) INSERT INTO charting_revision (organization_id, charting_id,"
    " revision, request, vessel, status, queued_by, summary) SELECT organization_id, id, 1,"
    " json_build_object('startDate', to_char(now() - random() * interval '5 years',"
    " 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')), '{}', 'COMPLETED', 'test', json_build_object('eta',"
    " '2026-03-03T00:00:00Z', 'fuelMt', 20, 'distanceNm', 400) FROM made"
)


_ENTRIES = text(
    "INSERT INTO audit_entry (id, organization_id, created_at, actor, action, subject_id)"
    " SELECT gen_random_uuid(), :organization, now(), 'test', 'charting.edited',"
    " CASE WHEN n % 100 = 0 THEN CAST(:vessel AS uuid) ELSE gen_random_uuid() END"
    " FROM generate_series(1, :count) AS n"
)


@pytest.fixture(scope="module")
def crowd(app: Flask, worker_app: Flask, database_url: str) -> Iterator[tuple[UUID, str]]:
    """An organization with a vessel and years of data, next to a far larger organization."""
    # of a month with a few records, left by others, it is cheaper to read all
    _empty(database_url)
    fill(app, VESSELS - 1)
    made = fill(app, 1)
    with worker_app.app_context():
        while telemetry_sums.sum_unsummed_days(utc_now(), for_s=60.0):
            pass
    with psycopg.connect(database_url, autocommit=True) as database:
        database.execute(f"VACUUM ANALYZE {FILLED}")
    yield made
    _empty(database_url)


def _empty(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as database:
        database.execute(f"TRUNCATE {FILLED} CASCADE")


def choose_span(now: datetime) -> tuple[datetime, datetime]:
    """Choose the span of the records so that no month has but a few, on any day of the year."""
    of_month = {"day": 1, "hour": 0, "minute": 0, "second": 0, "microsecond": 0}
    newest = now if now.day > 4 else now.replace(**of_month)
    return (newest - timedelta(days=RECORD_DAYS)).replace(**of_month), newest


def fill(app: Flask, count: int) -> tuple[UUID, str]:
    """Make an organization whose vessels report and sail; gives it and its last vessel."""
    organization_id = make_organization(app, "crowd")
    planner = client_of(app, organization_id, Role.PLANNER)
    oldest, newest = choose_span(utc_now())
    records = int((newest - oldest) / timedelta(hours=RECORD_H))
    for _ in range(count):
        vessel_id = planner.make_vessel()["id"]
        whose: dict[str, Any] = {"organization": organization_id, "vessel": vessel_id}
        with app.app_context(), operator_session(organization_id) as session:
            days = [newest - timedelta(days=day) for day in range(0, RECORD_DAYS + 40, 27)]
            telemetry.add_partitions(session, days)
            session.execute(_TELEMETRY, whose | {"count": records, "now": newest})
            session.execute(_DAYS, whose)
            session.execute(_CHARTINGS, whose | {"count": CHARTINGS // VESSELS})
            session.execute(_ENTRIES, whose | {"count": ENTRIES // VESSELS})
    return organization_id, vessel_id


@pytest.fixture
def plans(app: Flask, worker_app: Flask) -> Iterator[list[str]]:
    """Statements of this test, each followed by its plan."""
    found: list[str] = []

    def explain(
        connection: Any, cursor: Any, statement: str, parameters: Any, *_ignored: Any
    ) -> None:
        if not re.match(r"\s*(SELECT|UPDATE|WITH)\b", statement):
            return
        driver = connection.connection.driver_connection
        with driver.cursor() as asked:
            plan = asked.execute(f"EXPLAIN {statement}", parameters).fetchall()
        found.append("\n".join([statement, *(row[0] for row in plan)]))

    engines = [each.extensions["chartroom"].engine for each in (app, worker_app)]
    for engine in engines:
        event.listen(engine, "before_cursor_execute", explain)
    yield found
    for engine in engines:
        event.remove(engine, "before_cursor_execute", explain)


def test_no_list_sweep_or_statistic_reads_a_growing_table_from_end_to_end(
    app: Flask, worker_app: Flask, crowd: tuple[UUID, str], plans: list[str]
) -> None:
    organization_id, vessel_id = crowd
    now = utc_now()
    with worker_app.app_context(), cross_tenant_session() as session:
        row = ChartingRevision
        sweeper._find_lost(session, row, row.queued_at, row.charting_id, row.revision)
        telemetry_sums.sum_unsummed_days(now, for_s=60.0)
    with app.app_context(), organization_session(organization_id) as session:
        quotas.describe(session, organization_id)
        charting_search.list_active(session, organization_id)
        charting_search.list_ended(session, organization_id, 12)
        charting_search.list_page(session, organization_id, 1, 20)
        vessel = vessels.get(session, organization_id, vessel_id)
        vessel_statistics.describe(session, vessel, None, None)
        list(fleet_summary.summarise(session, organization_id, [vessel], now))
    scanned = [plan for plan in plans if SCAN.search(plan)]
    assert not scanned, "\n\n".join(scanned)


def test_the_audit_entries_of_one_subject_are_read_alone(
    app: Flask, crowd: tuple[UUID, str], plans: list[str]
) -> None:
    organization_id, vessel_id = crowd
    with app.app_context(), organization_session(organization_id) as session:
        audit.list_page(session, organization_id, 1, 20, AuditFilter(about=vessel_id))
        vessel = data_subjects.find(session, organization_id, "vessel", vessel_id)
        condition = dict(data_subjects.rows_of(vessel))[Base.metadata.tables["audit_entry"]]
        session.execute(select(AuditEntry).where(condition))
    read = [plan for plan in plans if "FROM audit_entry" in plan]
    assert len(read) == 2
    for plan in read:
        assert re.search(r"Index Cond: .*subject_id", plan), plan


def test_a_year_of_records_is_read_as_its_days(app: Flask, crowd: tuple[UUID, str]) -> None:
    organization_id, vessel_id = crowd
    with app.app_context(), organization_session(organization_id) as session:
        vessel = vessels.get(session, organization_id, vessel_id)
        with statements(app) as noted:
            days = telemetry_sums.load_days(
                session, [vessel.id], telemetry_sums.EPOCH, vessel_statistics.LAST_DAY
            )
            to_read, records = days[0].to_read()
    assert len(noted) == 1
    assert days[0].summed.sums.totals[:, 0].sum() > 0.9 * RECORD_DAYS * 24 / RECORD_H
    assert len(to_read) <= 1
    assert records <= 12
