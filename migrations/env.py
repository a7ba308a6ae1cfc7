"""Run migrations as the login role of ``DATABASE_URL``, which owns the tables."""

import os
from typing import Any

from alembic import context
from geoalchemy2 import alembic_helpers
from psycopg.errors import DeadlockDetected
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from app.config import with_driver
from app.models import Base
from migrations.logins import provide_logins

#: Any number that no other user of the database takes as an advisory lock.
MIGRATION_LOCK = 7_238_401
#: Most runs of migrations that deadlocks stop.
_MOST_TRIES = 5


def include_object(thing: Any, name: str, kind: str, reflected: bool, compare_to: Any) -> bool:
    """Leave out PostGIS's own tables and telemetry's partitions."""
    if kind == "table" and reflected and name not in Base.metadata.tables:
        return False
    return alembic_helpers.include_object(thing, name, kind, reflected, compare_to)


def run_migrations() -> None:
    """Bring the database up to date; two at once wait for each other."""
    engine = create_engine(with_driver(os.environ["DATABASE_URL"]), poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": MIGRATION_LOCK})
        connection.commit()
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            include_object=include_object,
            process_revision_directives=alembic_helpers.writer,
            render_item=alembic_helpers.render_item,
        )
        _repeat_after_deadlocks(connection)
        driver = connection.connection.driver_connection
        provide_logins(driver, os.environ)
        driver.commit()
    engine.dispose()


def _repeat_after_deadlocks(connection: Connection) -> None:
    """Run all migrations in one transaction, again if a request of the old program stops it.

    Migrations lock tables that requests may hold in another order.
    """
    for tries_left in reversed(range(_MOST_TRIES)):
        try:
            with context.begin_transaction():
                context.run_migrations()
            return
        except OperationalError as error:
            if not tries_left or not isinstance(error.orig, DeadlockDetected):
                raise
            connection.rollback()


run_migrations()
