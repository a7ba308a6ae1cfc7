"""Look-up of rows by ids, which are opaque to clients: malformed ids match no row."""

from typing import TypeVar
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.orm import Session

from app.services.errors import NotFound

Row = TypeVar("Row")


def find_id(text: str) -> UUID | None:
    """Parse an id in canonical spelling; ``None`` for any other text."""
    try:
        parsed = UUID(text)
    except ValueError:
        return None
    return parsed if str(parsed) == text else None


def get_row(session: Session, query: Select[Row], missing: str) -> Row:
    """Return the row that a query finds; raises :class:`NotFound` with a text without one."""
    row = session.scalar(query)
    if row is None:
        raise NotFound(missing)
    return row
