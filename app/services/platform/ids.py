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


def get_row(session: Session, query: Select[Row], row_id: str | UUID, noun: str) -> Row:
    """Return the row of an id among those of a query; raises :class:`NotFound`."""
    row = session.scalar(query.filter_by(id=find_id(str(row_id))))
    if row is None:
        raise NotFound(f"There is no {noun} with this id.")
    return row
