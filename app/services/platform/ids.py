"""Look-up of rows, and of what makes them unique.

Ids are opaque to clients: malformed ones match no row.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.exc import IntegrityError, InvalidRequestError
from sqlalchemy.orm import Session

from app.services.errors import Conflict, NotFound

Row = TypeVar("Row")


def find_id(text: str) -> UUID | None:
    """Parse an id in canonical spelling; ``None`` for any other text."""
    try:
        parsed = UUID(text)
    except ValueError:
        return None
    return parsed if str(parsed) == text else None


def find_row(
    session: Session, table: type[Row], organization_id: UUID, *, lock: bool = False, **key: Any
) -> Row | None:
    """Find the row of an organization with the values of a key.

    ``lock`` locks it, and reads it again if the session already holds it.
    """
    query = select(table).filter_by(organization_id=organization_id, **key)
    if lock:
        query = query.with_for_update().execution_options(populate_existing=True)
    return session.scalar(query)


def get_row(session: Session, query: Select[Row], row_id: str | UUID, noun: str) -> Row:
    """Return the row of an id among those of a query; raises :class:`NotFound`."""
    row = session.scalar(query.filter_by(id=find_id(str(row_id))))
    if row is None:
        raise NotFound(f"There is no {noun} with this id.")
    return row


def lock_row(
    session: Session,
    row: object,
    noun: str,
    *,
    only: Sequence[str] | None = None,
    lets_refer: bool = False,
) -> None:
    """Lock a row that the session holds, and read it again, or ``only`` some attributes.

    ``lets_refer`` lets others store rows that refer to it meanwhile. Raises :class:`NotFound` if
    the row was deleted since it was read.
    """
    try:
        session.refresh(row, only, with_for_update={"key_share": lets_refer})
    except InvalidRequestError as error:
        raise NotFound(f"There is no {noun} with this id.") from error


def flush(session: Session, conflicts: Mapping[str, Conflict]) -> None:
    """Flush a session; raises the conflict of a unique index, by its name, that has the values."""
    try:
        session.flush()
    except IntegrityError as error:
        for index, conflict in conflicts.items():
            if index in str(error.orig):
                raise conflict from error
        raise
