"""The migrations create the schema of the models."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
import pytest
from alembic import command
from alembic.config import Config

from app.models import new_id
from tests.integration.conftest import migrate, new_database
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]

PLAN_OF_BEFORE = (
    "INSERT INTO organization (id, name) VALUES (%(org)s, gen_random_uuid()::text)",
    """INSERT INTO vessel (id, organization_id, date_constructed, dwt_t, loa_m, lbp_m, breadth_m,
        depth_m, draft_design_m, draft_scantling_m, service_speed_kn, pitch_m)
    VALUES (%(vessel)s, %(org)s, '2015-06-01', 82000, 229, 225, 32, 20, 12, 14, 14, 5)""",
    """INSERT INTO charting (id, organization_id, vessel_id, port_from_name, port_to_name,
        latest_revision, created_by)
    VALUES (%(charting)s, %(org)s, %(vessel)s, 'Rotterdam', 'London', 1, 'a planner')""",
    r"""INSERT INTO charting_revision (organization_id, charting_id, revision, request, vessel,
        status, queued_by, summary, warnings)
    VALUES (%(org)s, %(charting)s, 1, '{}', '{}', 'COMPLETED', 'a planner',
        '{"fuelMt": 12.5, "optimalityGapPct": null, "forecastCoveragePct": 70.0}', '[
        {"code": "NO_WEATHER", "detail": "calm"},
        {"code": "LITTLE_WATER", "detail": "called \"LITTLE_WATER\" once"},
        {"code": "SPEED_NOT_KEPT", "detail": "slow"}]')""",
)

VOYAGE_OF_BEFORE = (
    *PLAN_OF_BEFORE[:3],
    """INSERT INTO charting_revision (organization_id, charting_id, revision, request, vessel,
        status, queued_by, finished_at)
    SELECT %(org)s, %(charting)s, number, json_build_object('isAlterFrom', number = 4), '{}',
        'COMPLETED', (ARRAY['a planner', 'mate@ship.example'])[1 + number / 4],
        timestamptz '2026-11-20 00:00Z' + number * interval '1 day'
    FROM generate_series(1, 4) AS number""",
    """INSERT INTO voyage_execution (organization_id, charting_id, vessel_id, revision, state,
        departed_at, due_at)
    VALUES (%(org)s, %(charting)s, %(vessel)s, 4, 'FINISHED', '2026-11-22 06:00Z', now())""",
)

#: Its first revision, for another vessel, is the one shown.
REPLANNING_OF_BEFORE = (
    *PLAN_OF_BEFORE[:2],
    PLAN_OF_BEFORE[1].replace("%(vessel)s", "%(other)s"),
    PLAN_OF_BEFORE[2],
    """INSERT INTO charting_revision (organization_id, charting_id, revision, request, vessel,
        status, queued_by)
    VALUES (%(org)s, %(charting)s, 1, json_build_object('vesselId', %(other)s::uuid,
        'portFromName', 'Bergen', 'portToName', 'Oslo'), '{}', 'COMPLETED', 'a planner')""",
    "UPDATE charting SET completed_revision = 1",
)

DAY_OF_BEFORE = """INSERT INTO telemetry_day (organization_id, vessel_id, day, records, is_summed)
    VALUES (%(org)s, %(vessel)s, '2026-01-01', 24, true)"""

OF_ORGANIZATION = "SELECT set_config('app.organization', %s, false)"

SCHEMA = (
    "SELECT version_num FROM alembic_version",
    """SELECT table_name, column_name, data_type, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2""",
    "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
    """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
    FROM pg_constraint ORDER BY 1, 2, 3""",
    "SELECT tablename, policyname, cmd, qual, with_check FROM pg_policies ORDER BY 1, 2",
)


def read_schema(url: str) -> list[tuple[Any, ...]]:
    """Read the revision, the tables' columns and all definitions."""
    with psycopg.connect(url) as database:
        return [row for query in SCHEMA for row in database.execute(query)]


def test_the_migrated_database_is_what_the_models_describe(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    command.check(Config(ROOT / "alembic.ini"))


def test_migrating_twice_changes_nothing(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    before = read_schema(database_url)
    command.upgrade(Config(ROOT / "alembic.ini"), "head")
    assert read_schema(database_url) == before


def store(url: str, statements: tuple[str, ...]) -> UUID:
    """Store rows of a new organization; return its id."""
    ids = {name: new_id() for name in ("org", "vessel", "other", "charting")}
    with psycopg.connect(url) as database:
        database.execute(OF_ORGANIZATION, [str(ids["org"])])
        for statement in statements:
            database.execute(statement, ids)
    return ids["org"]


def read(url: str, organization_id: UUID, query: str) -> tuple[Any, ...]:
    """Read the one row that an organization has."""
    with psycopg.connect(url) as database:
        database.execute(OF_ORGANIZATION, [str(organization_id)])
        own = f"{query} WHERE organization_id = %s"
        (row,) = database.execute(own, [organization_id]).fetchall()
    return row


class Migrated(NamedTuple):
    """A database whose rows were stored at older revisions, and the organizations of each."""

    url: str
    of_0007: UUID
    of_0048: UUID
    of_0050: UUID
    of_0061: UUID


@pytest.fixture(scope="module")
def migrated(services: tuple[str, str]) -> Iterator[Migrated]:
    with new_database(services[0], f"chartroom_old_{os.getpid()}", "0007") as url:
        of_0007 = store(url, PLAN_OF_BEFORE)
        migrate(url, "0048")
        of_0048 = store(url, (*PLAN_OF_BEFORE[:2], DAY_OF_BEFORE))
        migrate(url, "0050")
        of_0050 = store(url, VOYAGE_OF_BEFORE)
        migrate(url, "0061")
        of_0061 = store(url, REPLANNING_OF_BEFORE)
        migrate(url)
        yield Migrated(url, of_0007, of_0048, of_0050, of_0061)


def test_stored_plans_get_the_codes_and_the_figures_of_today(migrated: Migrated) -> None:
    query = "SELECT warnings, summary FROM charting_revision"
    warnings, summary = read(migrated.url, migrated.of_0007, query)
    assert summary == {"fuelMt": 12.5, "forecastCoveragePct": 70.0}
    assert warnings == [
        {"code": "NO_WEATHER", "detail": "calm"},
        {"code": "LOW_UKC", "detail": 'called "LITTLE_WATER" once'},
        {"code": "SPEED_LOSS", "detail": "slow"},
    ]


def test_days_of_telemetry_are_summed_again_by_todays_rules(migrated: Migrated) -> None:
    query = "SELECT is_summed FROM telemetry_day"
    assert read(migrated.url, migrated.of_0048, query) == (False,)


def test_voyages_of_before_departed_with_the_newest_whole_plan_there_was(
    migrated: Migrated,
) -> None:
    query = "SELECT departed_revision FROM voyage_execution"
    assert read(migrated.url, migrated.of_0050, query) == (2,)


def test_plannings_of_before_whose_orderer_is_an_address_are_those_of_users(
    migrated: Migrated,
) -> None:
    query = "SELECT array_agg(is_queued_by_user ORDER BY revision) FROM charting_revision"
    assert read(migrated.url, migrated.of_0050, query) == ([False, False, False, True],)


def test_chartings_of_before_have_the_vessel_and_ports_of_the_plan_shown(
    migrated: Migrated,
) -> None:
    of = migrated.of_0061
    shown = read(migrated.url, of, "SELECT request->>'vesselId' FROM charting_revision")
    query = "SELECT vessel_id::text, port_from_name, port_to_name FROM charting"
    assert read(migrated.url, of, query) == (*shown, "Bergen", "Oslo")


def test_the_owner_is_held_to_all_policies_after_the_migrations(migrated: Migrated) -> None:
    query = "SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity"
    with psycopg.connect(migrated.url) as database:
        assert database.execute(query).fetchall() == []


def test_a_migration_that_a_request_stops_is_run_again(services: tuple[str, str]) -> None:
    name = f"chartroom_deadlock_{os.getpid()}"
    waits = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'vessel'::regclass"
    with new_database(services[0], name, "0061") as url, ThreadPoolExecutor(1) as pool:
        with psycopg.connect(url) as request, psycopg.connect(url, autocommit=True) as server:
            request.execute("SELECT count(*) FROM vessel")
            migrated = pool.submit(migrate, url)
            wait_until(lambda: server.execute(waits).fetchone() is not None, "migration")
            request.execute("SELECT count(*) FROM charting")
        migrated.result()
        with psycopg.connect(url) as database:
            forced = database.execute(
                "SELECT relforcerowsecurity FROM pg_class WHERE oid = 'vessel'::regclass"
            )
            assert forced.fetchone() == (True,)
