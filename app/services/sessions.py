"""The only doors to the database: every transaction is somebody's.

A session begins each transaction by naming the organization it works for and
the database role it works as, in one statement; PostgreSQL's row-level security
does the rest. A session made in any other way sees no rows at all.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

from sqlalchemy import Connection, event, text
from sqlalchemy.orm import Session, SessionTransaction

from app.extensions import chartroom

_BEGIN = text(
    "SELECT set_config('role', :role, true), set_config('app.organization', :organization, true)"
)

#: The database role that owns the tables, for commands of the operator.
OWNER = "none"
GATE = "chartroom_gate"


@contextmanager
def organization_session(organization_id: UUID) -> Iterator[Session]:
    """Work for one organization: committed at the end, rolled back on any error."""
    with _session(_working_role(), str(organization_id)) as session:
        yield session


@contextmanager
def gate_session() -> Iterator[Session]:
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


def enter_organization(session: Session, organization_id: UUID) -> None:
    """Go on from the gate into one organization, for the rest of the session."""
    session.info.update(role=_working_role(), organization=str(organization_id))
    _name(session, session.connection())


@contextmanager
def operator_session(organization_id: UUID) -> Iterator[Session]:
    """Do what only the operator may, for one organization; commands use it."""
    with _session(OWNER, str(organization_id)) as session:
        yield session


@contextmanager
def installation_session() -> Iterator[Session]:
    """Do what only the operator may, on what belongs to no organization; commands use it."""
    with _session(OWNER, "") as session:
        yield session


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Do something once the session's work is safely stored, and only then."""
    session.info.setdefault("after_commit", []).append(action)


@contextmanager
def _session(role: str, organization: str) -> Iterator[Session]:
    with chartroom().new_session(info={"role": role, "organization": organization}) as session:
        yield session
        session.commit()
    for action in session.info.get("after_commit", ()):
        action()


@event.listens_for(Session, "after_begin")
def _name_the_transaction(
    session: Session, _transaction: SessionTransaction, connection: Connection
) -> None:
    """Name every transaction of every session; one that is nobody's fails right here."""
    _name(session, connection)


def _name(session: Session, connection: Connection) -> None:
    connection.execute(
        _BEGIN, {"role": session.info["role"], "organization": session.info["organization"]}
    )


def _working_role() -> str:
    return f"chartroom_{chartroom().settings.process_role}"
