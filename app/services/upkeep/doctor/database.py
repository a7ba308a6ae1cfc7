"""Checks of the database: version, PostGIS, migrations, isolation of organizations."""

from pathlib import Path
from typing import Any, Final

import psycopg
from alembic.config import Config
from alembic.script import ScriptDirectory

from app.extensions import CONNECT_TIMEOUT_S, chartroom
from app.models import Base
from app.services.upkeep.doctor.finding import Finding, Findings, Level, fault, good

OLDEST_POSTGRES: Final = 15
ROLES: Final = ("chartroom_web", "chartroom_worker", "chartroom_gate")
MIGRATE: Final = "Run `flask --app wsgi migrate`."


def check_database() -> Findings:
    """Check version, PostGIS, migrations and isolation of organizations."""
    url = chartroom().settings.database_url.replace("postgresql+psycopg:", "postgresql:", 1)
    try:
        connection = psycopg.connect(url, connect_timeout=CONNECT_TIMEOUT_S)
    except psycopg.OperationalError as error:
        words = f"does not answer: {error}".strip()
        yield fault(words, "Start it, or correct DATABASE_URL.")
        return
    with connection:
        yield _postgres_version(connection)
        yield _postgis(connection)
        migrations = _migrations(connection)
        yield migrations
        if migrations.level == Level.GOOD:
            yield from _check_isolation(connection)


def _postgres_version(connection: psycopg.Connection[Any]) -> Finding:
    version = connection.info.server_version // 10_000
    if version < OLDEST_POSTGRES:
        needed = f"{OLDEST_POSTGRES} or newer is needed."
        return fault(f"PostgreSQL {version} is too old", needed)
    return good(f"PostgreSQL {version} answers")


def _postgis(connection: psycopg.Connection[Any]) -> Finding:
    found = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'postgis'")
    row = found.fetchone()
    if row is None:
        remedy = "Let the database's administrator run CREATE EXTENSION postgis."
        return fault("PostGIS is not installed", remedy)
    return good(f"PostGIS {row[0]}")


def _migrations(connection: psycopg.Connection[Any]) -> Finding:
    root = Path(__file__).parents[4]
    head = ScriptDirectory.from_config(Config(root / "alembic.ini")).get_current_head()
    table = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
    row = None
    if table is not None and table[0] is not None:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if row is None:
        return fault("there are no tables yet", MIGRATE)
    if row[0] != head:
        return fault(f"tables are at migration {row[0]}, this program needs {head}", MIGRATE)
    return good(f"migrated to {head}")


def _check_isolation(connection: psycopg.Connection[Any]) -> Findings:
    for role in ROLES:
        known = connection.execute(
            "SELECT rolsuper OR rolbypassrls, pg_has_role(session_user, oid, 'MEMBER')"
            " FROM pg_roles WHERE rolname = %s",
            [role],
        ).fetchone()
        if known is None or not known[1]:
            words = f"the login may not use the role {role}"
            remedy = f"As administrator: CREATE ROLE {role} NOLOGIN (if missing) and GRANT it."
            yield fault(words, remedy)
        elif known[0]:
            words = f"{role} bypasses row-level security: organizations are not isolated"
            remedy = f"As administrator: ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS."
            yield fault(words, remedy)
    bare = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relname = ANY (%s) AND NOT (relrowsecurity AND relforcerowsecurity)",
        [[table.name for table in Base.metadata.sorted_tables]],
    ).fetchall()
    if bare:
        names = ", ".join(name for (name,) in bare)
        words = f"row-level security is off on {names}"
        remedy = "ALTER TABLE … ENABLE and FORCE ROW LEVEL SECURITY, and find out what changed it."
        yield fault(words, remedy)
    else:
        yield good("row-level security is forced on every table")
