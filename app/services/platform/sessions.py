"""Database sessions: every transaction has an owner and a role.

A session begins each transaction by naming the organization it works for and
the database role it works as, in one statement; PostgreSQL's row-level security
does the rest. A session made otherwise sees no rows at all.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Error as DriverError
from psycopg.rows import namedtuple_row, tuple_row
from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, SessionTransaction

from app.extensions import chartroom

_BEGIN = "SELECT set_config('role', %s, true), set_config('app.organization', %s, true)"
#: The same for whoever's key it is; nobody's rows are seen when there is no such key.
_BEGIN_BY_KEY = (
    "SELECT key.*, set_config('role', %s, true),"
    " set_config('app.organization', key.organization_id::text, true)"
    " FROM find_key(%s, %s) AS key"
)

#: The database role that owns the tables, for commands of the operator.
OWNER = "none"
GATE = "chartroom_gate"
WORKER = "chartroom_worker"


class FoundKey(NamedTuple):
    """Data of a key, found by its secret."""

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


@dataclass(frozen=True, slots=True)
class KeySession:
    """A session of the organization whose key was shown, and the key, if there is such a one."""

    session: Session
    key: FoundKey | None


@contextmanager
def organization_session(organization_id: UUID) -> Iterator[Session]:
    """Work for one organization: committed at the end, rolled back on any error."""
    with _session(_working_role(), str(organization_id)) as session:
        yield session


@contextmanager
def cross_tenant_session() -> Iterator[Session]:
    """Look across organizations with the narrow right to do just that.

    For finding out whose a key, an e-mail address or a forgotten charting is;
    the columns that say more cannot be read.
    """
    with _session(GATE, "") as session:
        yield session


@contextmanager
def common_session() -> Iterator[Session]:
    """Read what belongs to everyone alike, with no more than the process's own right."""
    with _session(_working_role(), "") as session:
        yield session


@contextmanager
def key_session(prefix: str, secret_sha256: bytes) -> Iterator[KeySession]:
    """Find out whose a key is and work for that organization, by one statement.

    A key that is no good any more is found too: who asks has to look.
    """
    with _session(_working_role(), "", key=(prefix, secret_sha256)) as session:
        session.connection()
        yield KeySession(session, session.info["found_key"])


@contextmanager
def worker_session(organization_id: UUID) -> Iterator[Session]:
    """Do a worker's work for one organization; the sweep and commands erase what is due by it."""
    with _session(WORKER, str(organization_id)) as session:
        yield session


@contextmanager
def operator_session(organization_id: UUID) -> Iterator[Session]:
    """Do what only the operator may, for one organization; commands use it."""
    with _session(OWNER, str(organization_id)) as session:
        yield session


@contextmanager
def installation_session() -> Iterator[Session]:
    """Change what belongs to no organization: the catalogue of weather."""
    with _session(WORKER, "") as session:
        yield session


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Do something once the session's work is safely stored, and only then."""
    session.info.setdefault("after_commit", []).append(action)


@contextmanager
def _session(role: str, organization: str, **more: Any) -> Iterator[Session]:
    info = {"role": role, "organization": organization} | more
    with chartroom().new_session(info=info) as session:
        yield session
        session.commit()
    for action in session.info.get("after_commit", ()):
        action()


def fetch_first(session: Session, statement: str, values: Mapping[str, Any]) -> Any:
    """Run a statement by the driver itself; return its first row, with names, or ``None``.

    For the few statements that most requests run: SQLAlchemy takes longer over them than the
    database. Nothing is flushed before.
    """
    return _execute(session.connection(), statement, values, namedtuple_row)


@event.listens_for(Session, "after_begin")
def _name_the_transaction(
    session: Session, _transaction: SessionTransaction, connection: Connection
) -> None:
    """Name every transaction of every session; one that is nobody's fails right here."""
    role, key = session.info["role"], session.info.pop("key", None)
    if key is None:
        _execute(connection, _BEGIN, (role, session.info["organization"]), tuple_row)
        return
    row = _execute(connection, _BEGIN_BY_KEY, (role, *key), tuple_row)
    found = FoundKey(*row[: len(FoundKey._fields)]) if row else None
    organization = str(found.organization_id) if found else ""
    session.info.update(found_key=found, organization=organization)


def _execute(
    connection: Connection,
    statement: str,
    values: Sequence[Any] | Mapping[str, Any],
    row_factory: Callable[..., Any],
) -> Any:
    """Run a statement by the driver and return its first row; errors are raised as SQLAlchemy's."""
    driver: Any = connection.connection.driver_connection
    try:
        return driver.cursor(row_factory=row_factory).execute(statement, values).fetchone()
    except DriverError as error:
        failed: Any = error
        if connection.dialect.is_disconnect(failed, driver, None):
            connection.invalidate(error)
        raise DBAPIError.instance(
            statement, None, error, DriverError, hide_parameters=True, dialect=connection.dialect
        ) from error


def _working_role() -> str:
    return f"chartroom_{chartroom().settings.process_role}"
