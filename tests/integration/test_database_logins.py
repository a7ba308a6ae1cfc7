"""The logins of web, workers and backup allow their work, and no more to foreign SQL.

Each login of a process that stays is tried with the means of escalation that PostgreSQL has.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from psycopg import sql
from redis import Redis
from sqlalchemy import update
from sqlalchemy.engine import make_url

from app import create_app
from app.config import Settings
from app.models import Erasure, Role, utc_now
from app.services.platform.sessions import operator_session
from migrations.logins import LOGINS, provide_logins
from tests.integration.client import ApiClient
from tests.integration.conftest import client_of, make_organization, one_at_a_time
from tests.integration.test_who_may_what import _TELEMETRY

#: Ways up that no login may have; each is tried as the login and as every role it may take on.
ESCALATIONS = {
    "run programs": "RESET ROLE; GRANT pg_execute_server_program TO CURRENT_USER",
    "run a program": "COPY (SELECT 1) TO PROGRAM 'true'",
    "read files": "SELECT pg_read_file('/etc/passwd')",
    "write files": "COPY (SELECT 1) TO '/tmp/escalated'",
    "become the owner": "SET ROLE {owner}",
    "sign in as the owner": "SET SESSION AUTHORIZATION {owner}",
    "become a superuser": "ALTER ROLE CURRENT_USER SUPERUSER",
    "pass by row-level security": "ALTER ROLE SESSION_USER BYPASSRLS",
    "make a role": "CREATE ROLE escalated LOGIN SUPERUSER",
    "make a role that may make roles": "CREATE ROLE escalated CREATEROLE",
    "turn row-level security off": "ALTER TABLE charting DISABLE ROW LEVEL SECURITY",
    "allow everything": "CREATE POLICY escalated ON charting USING (true)",
    "drop the wall": "DROP POLICY charting_own ON charting",
    "take the table": "ALTER TABLE charting OWNER TO CURRENT_USER",
    "replace what acts for others": (
        "CREATE OR REPLACE FUNCTION public.find_key(text, bytea) RETURNS int"
        " LANGUAGE sql AS 'SELECT 1'"
    ),
    "make a function for others to call": (
        "CREATE FUNCTION public.escalated() RETURNS int LANGUAGE sql AS 'SELECT 1'"
    ),
    "make an extension": "CREATE EXTENSION dblink",
    "rewrite history": "UPDATE audit_entry SET created_at = now()",
    "erase history": "DELETE FROM audit_entry",
    "erase an organization": "DELETE FROM organization",
    "erase a vessel": "DELETE FROM vessel",
    "erase a user": "DELETE FROM app_user",
    "erase by the function's own hand": (
        "SELECT public.erase_rows_of('vessel', '{}', ARRAY['audit_entry', 'vessel'])"
    ),
    "rename authors": "SELECT public.forget_author('a@b.example', 'nobody', ARRAY['audit_entry'])",
    "replace the eraser": (
        "CREATE OR REPLACE FUNCTION public.erase_due(asked uuid, tables text[]) RETURNS text"
        " LANGUAGE sql AS 'SELECT NULL::text'"
    ),
    "take over the eraser": (
        "ALTER FUNCTION public.erase_due(uuid, text[]) SET search_path = pg_temp, public"
    ),
    "end others' connections": "GRANT pg_signal_backend TO CURRENT_USER",
    "take the owner's password": "ALTER ROLE {owner} PASSWORD 'known'",
}
#: The roles that each login must not be able to take on.
NOT_THEIRS = {
    "WEB_DATABASE_URL": ("chartroom_worker", "chartroom_backup", "chartroom_eraser"),
    "WORKER_DATABASE_URL": ("chartroom_web", "chartroom_backup", "chartroom_eraser"),
    "BACKUP_DATABASE_URL": (
        *("chartroom_web", "chartroom_worker", "chartroom_gate", "chartroom_eraser"),
    ),
}


@pytest.fixture(scope="module")
def addresses(database_url: str) -> Iterator[dict[str, str]]:
    """The logins of web, worker and backup, made as migrating makes them."""
    owner = make_url(database_url)
    made = {
        variable: owner.set(
            username=f"{owner.database}_{variable.split('_')[0].lower()}", password="for-tests"
        ).render_as_string(hide_password=False)
        for variable in LOGINS
    }
    with psycopg.connect(database_url, autocommit=True) as connection, one_at_a_time(connection):
        provide_logins(connection, made)
        yield made
        for address in made.values():
            name = sql.Identifier(str(make_url(address).username))
            connection.execute(sql.SQL("DROP ROLE {}").format(name))


@pytest.mark.parametrize("variable", LOGINS)
def test_no_login_finds_a_way_up(
    addresses: dict[str, str], database_url: str, variable: str
) -> None:
    owner = str(make_url(database_url).username)
    with psycopg.connect(addresses[variable]) as connection:
        for role, attempt in product(("none", *LOGINS[variable]), ESCALATIONS):
            print(f"{role}: {attempt}")  # noqa: T201
            statement = ESCALATIONS[attempt].replace("{owner}", owner)
            connection.execute(f"SET ROLE {role}")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
            connection.rollback()


@pytest.mark.parametrize("variable", LOGINS)
def test_a_login_takes_on_no_role_but_its_own(addresses: dict[str, str], variable: str) -> None:
    for role in NOT_THEIRS[variable]:
        with (
            psycopg.connect(addresses[variable]) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(f"SET ROLE {role}")


def test_a_role_that_a_login_may_no_longer_take_on_is_taken_away(
    addresses: dict[str, str], database_url: str
) -> None:
    variable = "WORKER_DATABASE_URL"
    name = sql.Identifier(str(make_url(addresses[variable]).username))
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(sql.SQL("GRANT chartroom_eraser TO {}").format(name))
        provide_logins(owner, addresses)
    test_a_login_takes_on_no_role_but_its_own(addresses, variable)


def test_a_worker_erases_nothing_that_is_not_due(
    app: Flask, addresses: dict[str, str], database_url: str, redis: Redis
) -> None:
    organization_id = make_organization(app, "kept")
    client = client_of(app, organization_id, Role.ADMIN)
    vessel = client.make_vessel()["id"]
    asked = client.post(f"/erasures/vessel/{vessel}").get_json()["id"]
    stranger = str(make_organization(app, "other"))
    with psycopg.connect(addresses["WORKER_DATABASE_URL"], autocommit=True) as worker:
        worker.execute("SET ROLE chartroom_worker")
        # names of its own for the tables that the functions mean
        worker.execute("SET search_path = pg_temp, public")
        for organization in (str(organization_id), stranger):
            worker.execute("SELECT set_config('app.organization', %s, false)", [organization])
            for erasure in (asked, vessel):
                answer = worker.execute(
                    "SELECT public.erase_due(%s, ARRAY['audit_entry', 'vessel'])", [erasure]
                ).fetchone()
                assert answer == (None,)
            worker.execute("SELECT public.retire_expired(200, ARRAY['charting', 'vessel'])")
    assert client.delete(f"/erasures/{asked}").status_code == 204
    assert client.get(f"/vessel/{vessel}").status_code == 200
    assert client.get("/audit").get_json()["total"] > 0


@contextmanager
def working(address: str, role: str, organization_id: UUID) -> Iterator[psycopg.Connection[Any]]:
    """A connection that works for an organization, as a process that was broken into may."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
        connection.execute(
            "SELECT set_config('app.organization', %s, false)", [f"{organization_id}"]
        )
        yield connection


ASK_AT_ONCE = (
    "INSERT INTO erasure (id, organization_id, kind, subject_id, created_at, created_by, due_at)"
    " VALUES (gen_random_uuid(), %(id)s, 'organization', %(id)s, '2020-01-01', 'me', '2020-01-02')"
)


@pytest.mark.parametrize("variable", ["WORKER_DATABASE_URL", "BACKUP_DATABASE_URL"])
def test_only_the_web_may_ask_for_an_erasure(
    app: Flask, addresses: dict[str, str], variable: str
) -> None:
    organization_id = make_organization(app, "kept from others")
    for role in LOGINS[variable]:
        with (
            working(addresses[variable], role, organization_id) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(ASK_AT_ONCE, {"id": organization_id})


@pytest.mark.parametrize("before", ["SELECT 1", "UPDATE organization SET erase_after_days = 1"])
def test_the_web_cannot_have_anything_erased_before_its_days(
    app: Flask, addresses: dict[str, str], before: str
) -> None:
    organization_id = make_organization(app, "kept for its days")
    with working(addresses["WEB_DATABASE_URL"], "chartroom_web", organization_id) as web:
        web.execute(before)
        web.execute(ASK_AT_ONCE, {"id": organization_id})
        row = web.execute(
            "SELECT id, due_at > now() + interval '29 days', created_at > now() - interval '1 hour'"
            " FROM erasure"
        ).fetchone()
        assert row is not None
        assert row[1:] == (True, True)
        for change in (
            "UPDATE erasure SET due_at = now()",
            "UPDATE erasure SET done_at = now()",
            "UPDATE organization SET shortened_until = NULL",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                web.execute(change)
    with working(addresses["WORKER_DATABASE_URL"], "chartroom_worker", organization_id) as worker:
        erased = worker.execute("SELECT erase_due(%s, ARRAY['organization'])", [row[0]]).fetchone()
        assert erased == (None,)


def test_shorter_days_by_the_web_retire_nothing_at_once(
    app: Flask, addresses: dict[str, str], redis: Redis
) -> None:
    organization_id = make_organization(app, "kept for longer")
    client = client_of(app, organization_id, Role.ADMIN)
    vessel = client.make_vessel()["id"]
    record = _TELEMETRY | {"timestamp": "2026-01-01T00:00:00Z"}
    assert client.post(f"/telemetry/{vessel}", record).status_code == 201
    with working(addresses["WEB_DATABASE_URL"], "chartroom_web", organization_id) as web:
        # twice: the second change would be none if the first were forgotten
        for days in (2, 1):
            web.execute("UPDATE organization SET keep_telemetry_days = %s", [days])
    with working(addresses["WORKER_DATABASE_URL"], "chartroom_worker", organization_id) as worker:
        worker.execute("SELECT retire_expired(200, ARRAY['charting'])")
    assert client.get(f"/telemetry/{vessel}").get_json()["total"] == 1


def test_the_web_cannot_take_away_the_proof_of_an_erasure(
    app: Flask, addresses: dict[str, str]
) -> None:
    organization_id = make_organization(app, "proved")
    with working(addresses["WEB_DATABASE_URL"], "chartroom_web", organization_id) as web:
        web.execute(ASK_AT_ONCE, {"id": organization_id})
        with app.app_context(), operator_session(organization_id) as session:
            session.execute(update(Erasure).values(done_at=utc_now()))
        assert web.execute("DELETE FROM erasure").rowcount == 0


@pytest.mark.parametrize("variable", ["WEB_DATABASE_URL", "BACKUP_DATABASE_URL"])
def test_only_workers_may_have_something_erased(addresses: dict[str, str], variable: str) -> None:
    for role in ("none", *LOGINS[variable]):
        for call in ("erase_due(gen_random_uuid(), '{}')", "retire_expired(1, '{}')"):
            with psycopg.connect(addresses[variable]) as connection:
                connection.execute(f"SET ROLE {role}")
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(f"SELECT public.{call}")


@pytest.mark.parametrize("variable", LOGINS)
def test_what_a_connection_resets_to_may_read_nothing(
    addresses: dict[str, str], variable: str
) -> None:
    with psycopg.connect(addresses[variable]) as connection:
        connection.execute("RESET ROLE")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT count(*) FROM vessel")


def test_the_service_does_its_work_by_these_logins(
    app: Flask, settings: Settings, addresses: dict[str, str], redis: Redis
) -> None:
    key = client_of(app, make_organization(app, "narrow"), Role.PLANNER).key
    web = create_app(replace(settings, database_url=addresses["WEB_DATABASE_URL"]))
    client = ApiClient(web.test_client(), key)
    vessel = client.make_vessel()
    assert client.get(f"/vessel/{vessel['id']}").status_code == 200
    web.extensions["chartroom"].close()
