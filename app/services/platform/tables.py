"""Check that the database has the tables that this program needs."""

from sqlalchemy import text

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


class NotMigrated(Exception):
    """The database has no tables, or those of an older version."""


def check_tables() -> None:
    """Raise :class:`NotMigrated` if a column of the models is missing."""
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
