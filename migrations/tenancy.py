"""Helpers with which migrations set up row-level security.

Three roles that own nothing work on the tables: ``chartroom_web`` and
``chartroom_worker`` see the rows of the organization that their transaction
names, ``chartroom_gate`` sees a few columns of a few tables of everyone. The
login role that runs the migrations owns the tables and is held to the same
policies.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import op

#: True for rows of the organization that this transaction works for.
OWN_ROW = "{column} = nullif(current_setting('app.organization', true), '')::uuid"


def make_role(role: str) -> None:
    """Make a role that nobody signs in as, unless another database of the cluster has."""
    op.execute(
        f"DO $$ BEGIN CREATE ROLE chartroom_{role} NOLOGIN;"
        " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    )


def make_own_role(role: str) -> None:
    """Make a role that the login of the migrations may take on."""
    make_role(role)
    op.execute(f"GRANT chartroom_{role} TO CURRENT_USER")
    op.execute(f"GRANT USAGE ON SCHEMA public TO chartroom_{role}")


def protect(table: str, column: str = "organization_id") -> None:
    """Show and take only rows of the transaction's own organization."""
    own = OWN_ROW.format(column=column)
    enable_row_security(table)
    op.execute(f"CREATE POLICY {table}_own ON {table} USING ({own}) WITH CHECK ({own})")


def enable_row_security(table: str) -> None:
    """Show nobody anything, the owner included, but what a policy allows."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


@contextmanager
def rows_of_all(*tables: str) -> Iterator[None]:
    """Let the owner see and change the rows of all organizations, which policies hide from it."""
    for table in tables:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    yield
    for table in tables:
        enable_row_security(table)


def grant(role: str, rights: str, table: str) -> None:
    """Give ``chartroom_<role>`` rights such as ``SELECT, UPDATE (name)`` on a table."""
    op.execute(f"GRANT {rights} ON {table} TO chartroom_{role}")


def open_gate(table: str, rights: str) -> None:
    """Let the gate use columns of all organizations' rows: ``SELECT (id, name)``."""
    grant("gate", rights, table)
    op.execute(f"CREATE POLICY {table}_gate ON {table} TO chartroom_gate USING (true)")


def replace_in_retirement(old: str, new: str) -> None:
    """Replace words of ``retire_expired``, the function that erases expired records."""
    op.execute(
        "DO $do$ BEGIN EXECUTE replace("
        "pg_get_functiondef('retire_expired(int, text[])'::regprocedure),"
        f" $old${old}$old$, $new${new}$new$); END $do$"
    )
