"""Check that the database has the tables and functions that this program needs."""

from functools import cache
from pathlib import Path
from typing import Final

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.models import Base
from app.services.platform.sessions import cross_tenant_session

#: Every role may read the catalogue, whatever it may read of the tables.
_COLUMNS = text(
    """
    SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND a.attnum > 0 AND NOT a.attisdropped
    """
)

#: Without the right to read the revision, the database is of a version that did not grant it.
_MAY_READ_REVISION: Final = text("SELECT has_table_privilege('alembic_version', 'SELECT')")
_REVISION: Final = text("SELECT version_num FROM alembic_version")

_MIGRATIONS: Final = Path(__file__).parents[3] / "migrations" / "versions"


class NotMigrated(Exception):
    """The database has no tables, or those of an older version."""


def check_tables() -> None:
    """Raise :class:`NotMigrated` if a column of the models or a migration is missing.

    A database of a newer version passes: older programs keep serving during an update.
    """
    with cross_tenant_session() as session:
        found = {(table, column) for table, column in session.execute(_COLUMNS)}
        needed = {
            (table.name, column.name)
            for table in Base.metadata.sorted_tables
            for column in table.columns
        }
        if missing := needed - found:
            table, column = min(missing)
            raise NotMigrated(f"{len(missing)} columns are missing, as {table}.{column}")
        _check_revision(session)


def _check_revision(session: Session) -> None:
    *earlier, newest = list_revisions()
    if not session.scalar(_MAY_READ_REVISION):
        raise NotMigrated(f"the revision cannot be read; this program needs {newest}")
    found = session.scalar(_REVISION)
    if found is None or found in earlier:
        raise NotMigrated(f"tables are at migration {found}, this program needs {newest}")


@cache
def list_revisions() -> tuple[str, ...]:
    """List the revisions of this program by the names of their files, the newest last."""
    return tuple(sorted(path.name.split("_")[0] for path in _MIGRATIONS.glob("[0-9]*.py")))
