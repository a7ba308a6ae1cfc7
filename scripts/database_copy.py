"""Dump and restore the database, with a fingerprint of rows and rights to compare both.

Row-level security binds the owner of every table too, so the owner's dump would silently lack rows.
The role `chartroom_backup` therefore reads every row of every table and may do nothing else. Each
migration grants it the new tables.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from local_processes import ServiceError
from psycopg import Connection, sql
from psycopg.conninfo import conninfo_to_dict

READER = "chartroom_backup"

Fingerprint = dict[str, Any]

OWN_TABLES = """
    SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind = ANY (%s)
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
    ORDER BY c.relname
"""
UNREADABLE = """
    SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND c.relrowsecurity
        AND NOT EXISTS (
            SELECT FROM pg_policies p WHERE p.schemaname = 'public'
                AND p.tablename = c.relname AND p.policyname = %s)
"""
# a sum, because it does not depend on the order of rows and needs no memory
HASH_OF_ROWS = """
    SELECT count(*), coalesce(sum(('x' || left(md5(t::text), 16))::bit(64)::bigint), 0)::text
    FROM {} AS t
"""
RIGHTS = """
    SELECT 'policy', tablename::text, policyname::text, concat_ws(' ', roles::text, cmd, qual,
        with_check) FROM pg_policies WHERE schemaname = 'public'
    UNION ALL
    SELECT 'security', relname::text, '', concat_ws(' ', relrowsecurity, relforcerowsecurity)
        FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    UNION ALL
    SELECT 'grant', c.relname::text, '', concat_ws(' ', g.grantee::regrole, g.privilege_type)
        FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) g
        WHERE c.relnamespace = 'public'::regnamespace
            AND g.grantee::regrole::text LIKE 'chartroom\\_%%'
    UNION ALL
    SELECT 'grant', c.relname::text, a.attname::text,
        concat_ws(' ', g.grantee::regrole, g.privilege_type)
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        CROSS JOIN LATERAL aclexplode(a.attacl) g
        WHERE c.relnamespace = 'public'::regnamespace
            AND g.grantee::regrole::text LIKE 'chartroom\\_%%'
    UNION ALL
    SELECT 'function', p.proname::text, '', concat_ws(' ', g.grantee::regrole, g.privilege_type)
        FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) g
        WHERE p.pronamespace = 'public'::regnamespace
            AND g.grantee::regrole::text LIKE 'chartroom\\_%%'
"""
FUNCTION_OWNERS = """
    SELECT p.oid::regprocedure::text, pg_get_userbyid(p.proowner) FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace
        AND pg_get_userbyid(p.proowner) LIKE 'chartroom\\_%' ORDER BY 1
"""


def save(url: str, path: Path) -> Fingerprint:
    """Dump the database to `path` and return the fingerprint of the dumped state.

    The service may continue; its changes meanwhile are not in the dump. Raises ServiceError.
    """
    with as_reader(url) as connection:
        check_readable(connection)
        snapshot = connection.execute("SELECT pg_export_snapshot()").fetchone()
        flags = ["--format=custom", "--no-owner", "--no-comments", f"--file={path}"]
        flags += ["--exclude-table-data=spatial_ref_sys"]  # PostGIS brings its own
        flags += [f"--role={READER}", "--enable-row-security", f"--snapshot={_only(snapshot)}"]
        run_client("pg_dump", flags, url)
        return take_fingerprint(connection)


def restore(url: str, path: Path, roles: Sequence[str], owners: Mapping[str, str]) -> Fingerprint:
    """Fill an empty database from `path` and return the fingerprint of what was restored.

    The login of `url` owns the contents, except the functions in `owners`, which act with the
    rights of their owner.

    Raises ServiceError when the database isn't empty or the dump can't be read; then nothing has
    changed.
    """
    check_empty(url)
    with psycopg.connect(url) as connection:
        for role in roles:
            make_role(connection, role)
    flags = ["--no-owner", "--exit-on-error", "--single-transaction", "--dbname", _name(url)]
    run_client("pg_restore", [*flags, str(path)], url)
    with psycopg.connect(url) as connection:
        for function, role in owners.items():
            hand_over(connection, function, role)
    with as_reader(url) as connection:
        fingerprint = take_fingerprint(connection)
    begin_event_epoch(url)
    return fingerprint


def begin_event_epoch(url: str) -> None:
    """Order future events after the restored ones: this cluster counts transactions by itself.

    A dump of before there were epochs gets its first one from the migrations.
    """
    with psycopg.connect(url) as connection:
        connection.execute("SELECT nextval(to_regclass('event_epoch'))")


def make_role(connection: Connection[Any], role: str) -> None:
    """Create a role that only the login may switch to, unless the cluster has it."""
    known = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    if known is None:
        connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(role)))
    connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(role)))


def hand_over(connection: Connection[Any], function: str, role: str) -> None:
    """Make a role the owner of a function, which is named with its argument types."""
    owner = sql.Identifier(role)
    connection.execute(sql.SQL("GRANT CREATE ON SCHEMA public TO {}").format(owner))
    # as PostgreSQL itself wrote the name and the types
    handing = sql.SQL("ALTER FUNCTION {} OWNER TO {}").format(sql.SQL(function), owner)
    connection.execute(handing)
    connection.execute(sql.SQL("REVOKE CREATE ON SCHEMA public FROM {}").format(owner))


@contextmanager
def as_reader(url: str) -> Iterator[Connection[Any]]:
    """Open a read-only snapshot of the database for the backup role."""
    with psycopg.connect(url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.execute(f"SET LOCAL ROLE {READER}")
        connection.execute("SET LOCAL timezone = 'UTC'")
        yield connection


def check_readable(connection: Connection[Any]) -> None:
    """Raise ServiceError if a table would be dumped without its rows."""
    unreadable = _names(connection.execute(UNREADABLE, [READER]))
    if unreadable:
        remedy = "run `flask --app wsgi migrate` first"
        raise ServiceError(f"{', '.join(unreadable)} can't be read by the backup; {remedy}")


def check_empty(url: str) -> None:
    """Raise ServiceError when the database holds tables of ours or of anybody else."""
    with psycopg.connect(url) as connection:
        found = _names(connection.execute(OWN_TABLES, [["r", "p"]]))
    if found:
        raise ServiceError(f"the database is not empty: it has {', '.join(found[:5])} …")


def take_fingerprint(connection: Connection[Any]) -> Fingerprint:
    """Count and hash every table's rows, and list sequences and rights."""
    tables = {}
    for table in _names(connection.execute(OWN_TABLES, [["r"]])):
        query = sql.SQL(HASH_OF_ROWS).format(sql.Identifier(table))
        rows, digest = _row(connection.execute(query).fetchone())
        tables[table] = {"rows": rows, "hash": digest}
    sequences = connection.execute(
        "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1"
    ).fetchall()
    rights = sorted(" ".join(row) for row in connection.execute(RIGHTS).fetchall())
    owners = dict(connection.execute(FUNCTION_OWNERS).fetchall())
    return {"tables": tables, "sequences": dict(sequences), "rights": rights, "owners": owners}


def differences(one: Fingerprint, other: Fingerprint) -> list[str]:
    """Name what two fingerprints don't share."""
    found = []
    for kind in ("tables", "sequences", "owners"):
        names = sorted({*one[kind], *other[kind]})
        found += [f"{kind}: {n}" for n in names if one[kind].get(n) != other[kind].get(n)]
    found += [f"right: {right}" for right in sorted({*one["rights"]} ^ {*other["rights"]})]
    return found


def roles_of(fingerprint: Fingerprint, url: str) -> list[str]:
    """List the roles that have rights."""
    with psycopg.connect(url) as connection:
        known = _names(
            connection.execute(
                "SELECT rolname FROM pg_roles WHERE rolname LIKE 'chartroom\\_%' ORDER BY 1"
            )
        )
    text = "\n".join([*fingerprint["rights"], *fingerprint["owners"].values()])
    return [role for role in known if role in text]


def run_client(program: str, flags: Sequence[str], url: str) -> None:
    """Run a PostgreSQL client; the password is passed in the environment."""
    found = shutil.which(program)
    if found is None:
        raise ServiceError(f"{program} is not installed (apt: postgresql-client)")
    result = subprocess.run(
        [found, *flags], env=os.environ | _libpq_environment(url), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if result.returncode:
        raise ServiceError(f"{program} failed: {result.stderr.strip()}")


def _libpq_environment(url: str) -> Mapping[str, str]:
    names = {"dbname": "PGDATABASE"}
    return {
        names.get(key, f"PG{key.upper()}"): str(value)
        for key, value in conninfo_to_dict(url).items()
        if value is not None
    }


def _name(url: str) -> str:
    return str(conninfo_to_dict(url)["dbname"])


def _names(cursor: psycopg.Cursor[Any]) -> list[str]:
    return [str(row[0]) for row in cursor.fetchall()]


def _row(row: Any) -> tuple[int, str]:
    return int(row[0]), str(row[1])


def _only(row: Any) -> str:
    return str(row[0])
