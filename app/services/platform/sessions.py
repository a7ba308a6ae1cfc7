"""Database sessions: every transaction has an organization and a role.

A session begins each transaction with one statement that sets the organization
and the database role; PostgreSQL's row-level security uses both. A session that
is made in any other way sees no rows.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from psycopg import Error as DriverError
from sqlalchemy import Connection, event, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, SessionTransaction

from app.extensions import chartroom

_BEGIN = "SELECT set_config('role', %s, true), set_config('app.organization', %s, true)"
#: The same for the organization of an API key; an unknown key sees no rows.
_BEGIN_BY_KEY = (
    "SELECT key.*, set_config('role', %s, true),"
    " set_config('app.organization', key.organization_id::text, true)"
    " FROM find_key(%s, %s) AS key"
)

#: Longest computation of a request, which the lock of an ``Idempotency-Key`` outlives.
_LONGEST_COMPUTATION: Final = timedelta(minutes=10)
_LET_IDLE: Final = text(
    f"SET LOCAL idle_in_transaction_session_timeout = '{_LONGEST_COMPUTATION.total_seconds():.0f}s'"
)

#: The database role that owns the tables, for commands of the operator.
OWNER = "none"
GATE = "chartroom_gate"
WORKER = "chartroom_worker"


class FoundKey(NamedTuple):
    """Data of an API key, found by its secret."""

    id: UUID
    organization_id: UUID
    prefix: str
    role: str
    is_operator: bool
    name: str | None
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    scopes: list[str]
    networks: list[str]


def organization_session(organization_id: UUID) -> AbstractContextManager[Session]:
    """Open a session of one organization; it commits at the end and rolls back on any error."""
    return _session(_working_role(), str(organization_id))


def cross_tenant_session() -> AbstractContextManager[Session]:
    """Open a session across organizations, with a narrow database role.

    It serves to find the organization of a key, an e-mail address or a stale
    charting; all other columns are not readable.
    """
    return _session(GATE, "")


def common_session() -> AbstractContextManager[Session]:
    """Open a session for data shared by all organizations, with the process's usual role."""
    return _session(_working_role(), "")


@contextmanager
def key_session(prefix: str, secret_sha256: bytes) -> Iterator[tuple[Session, FoundKey | None]]:
    """Find an API key and open a session of its organization, by one statement.

    The key is ``None`` if it is unknown; expired and revoked ones are found too: the caller must
    check.
    """
    with _session(_working_role(), "", key=(prefix, secret_sha256)) as session:
        session.connection()
        yield session, session.info["found_key"]


def worker_session(organization_id: UUID) -> AbstractContextManager[Session]:
    """Open a session of one organization with the worker's role, which may erase expired data."""
    return _session(WORKER, str(organization_id))


def operator_session(organization_id: UUID) -> AbstractContextManager[Session]:
    """Open a session of one organization with the owner's role, for the operator's commands."""
    return _session(OWNER, str(organization_id))


def installation_session() -> AbstractContextManager[Session]:
    """Open a session that may change data of no organization: the weather catalogue."""
    return _session(WORKER, "")


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Call ``action`` after the session's commit; never after a rollback."""
    session.info.setdefault("after_commit", []).append(action)


def read_clock(session: Session) -> datetime:
    """Return the database's time, by which rows of several machines are compared."""
    now: datetime = session.scalars(select(func.clock_timestamp())).one()
    return now


def end_reading(session: Session) -> None:
    """End a transaction that has only read, so that none is open during a computation.

    One that holds the lock of an ``Idempotency-Key`` stays open, and may be idle for longer. The
    next use of the session begins another transaction.
    """
    if session.info.get("holds_lock"):
        session.execute(_LET_IDLE)
    else:
        session.commit()


@contextmanager
def _session(role: str, organization: str, **more: Any) -> Iterator[Session]:
    info = {"role": role, "organization": organization} | more
    with chartroom().new_session(info=info) as session:
        yield session
        session.commit()
    for action in session.info.get("after_commit", ()):
        action()


def fetch_first(
    session: Session, statement: str, values: Mapping[str, Any]
) -> tuple[Any, ...] | None:
    """Run a statement directly with the driver; return its first row, or ``None``.

    For the few statements that most requests run, where SQLAlchemy takes longer than the
    database. Nothing is flushed before.
    """
    return _execute(session.connection(), statement, values)


@event.listens_for(Session, "after_begin")
def _name_the_transaction(
    session: Session, _transaction: SessionTransaction, connection: Connection
) -> None:
    """Set role and organization in every transaction; a session without them fails here."""
    role, key = session.info["role"], session.info.pop("key", None)
    if key is None:
        _execute(connection, _BEGIN, (role, session.info["organization"]))
        return
    row = _execute(connection, _BEGIN_BY_KEY, (role, *key))
    found = FoundKey(*row[: len(FoundKey._fields)]) if row else None
    organization = str(found.organization_id) if found else ""
    session.info.update(found_key=found, organization=organization)


def _execute(
    connection: Connection, statement: str, values: Sequence[Any] | Mapping[str, Any]
) -> tuple[Any, ...] | None:
    """Run a statement with the driver; return its first row, raise errors as SQLAlchemy's.

    Results are binary, which the driver reads faster than text.
    """
    driver: Any = connection.connection.driver_connection
    try:
        return driver.execute(statement, values, binary=True).fetchone()  # type: ignore[no-any-return]
    except DriverError as error:
        failed: Any = error
        if connection.dialect.is_disconnect(failed, driver, None):
            connection.invalidate(error)
        raise DBAPIError.instance(
            statement, None, error, DriverError, hide_parameters=True, dialect=connection.dialect
        ) from error


def _working_role() -> str:
    return f"chartroom_{chartroom().settings.process_role}"
