"""Database logins of web, workers and backup, with least privileges.

A process signs in with a login of its own that inherits nothing, owns nothing and may only take
on the working roles named in ``LOGINS``: whoever runs SQL of their own in it finds nothing to go
back to by ``RESET ROLE``. The login of ``DATABASE_URL`` that migrates makes the others anew at
each migration from the addresses that it is given, so that a changed password takes effect.
"""

from collections.abc import Mapping
from typing import Any, Final

from psycopg import Connection, sql
from psycopg.conninfo import conninfo_to_dict

#: The roles that a login may take on, by the variable that holds its address.
LOGINS: Final[dict[str, tuple[str, ...]]] = {
    "WEB_DATABASE_URL": ("chartroom_web", "chartroom_gate"),
    "WORKER_DATABASE_URL": ("chartroom_worker", "chartroom_gate"),
    "BACKUP_DATABASE_URL": ("chartroom_backup",),
}
READER: Final = "chartroom_backup"

_ROLES_OF = """
    SELECT r.rolname FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid
    WHERE m.member = (SELECT oid FROM pg_roles WHERE rolname = %s)
"""

_TABLES = """
    SELECT c.relname FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'S')
        AND pg_get_userbyid(c.relowner) = current_user
"""
_UNREADABLE = """
    SELECT c.relname FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND c.relrowsecurity AND NOT EXISTS (
            SELECT FROM pg_policies p WHERE p.schemaname = 'public'
                AND p.tablename = c.relname AND p.policyname = %s)
"""


def provide_logins(connection: Connection[Any], environment: Mapping[str, str]) -> None:
    """Make the logins that the environment names, and let the backup's role read every row."""
    admit_reader(connection)
    for variable, roles in LOGINS.items():
        if address := environment.get(variable):
            _make_login(connection, conninfo_to_dict(address), roles)


def admit_reader(connection: Connection[Any]) -> None:
    """Let the backup's role read every row of every table, also of those added since."""
    reader = sql.Identifier(READER)
    _make_role(connection, reader)
    connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(reader))
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(reader))
    for (table,) in connection.execute(_TABLES).fetchall():
        grant = sql.SQL("GRANT SELECT ON {} TO {}").format(sql.Identifier(table), reader)
        connection.execute(grant)
    for (table,) in connection.execute(_UNREADABLE, [READER]).fetchall():
        policy = sql.SQL("CREATE POLICY {0} ON {1} FOR SELECT TO {0} USING (true)")
        connection.execute(policy.format(reader, sql.Identifier(table)))


def _make_login(
    connection: Connection[Any], address: Mapping[str, Any], roles: tuple[str, ...]
) -> None:
    name, password = str(address["user"]), str(address["password"])
    login = sql.Identifier(name)
    _make_role(connection, login)
    # hashed here: a server that logs its statements never sees the password
    hashed = connection.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256")
    connection.execute(
        sql.SQL("ALTER ROLE {} LOGIN NOINHERIT NOCREATEROLE NOCREATEDB PASSWORD {}").format(
            login, sql.Literal(hashed.decode())
        )
    )
    for (role,) in connection.execute(_ROLES_OF, [name]).fetchall():
        if role not in roles:
            connection.execute(sql.SQL("REVOKE {} FROM {}").format(sql.Identifier(role), login))
    for role in roles:
        connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(role), login))


def _make_role(connection: Connection[Any], role: sql.Identifier) -> None:
    making = sql.SQL(
        "DO $$ BEGIN CREATE ROLE {} NOLOGIN;"
        " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    )
    connection.execute(making.format(role))
