"""Common base of all tables."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from sqlalchemy import (
    JSON,
    CheckConstraint,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    MetaData,
    text,
)
from sqlalchemy.orm import DeclarativeBase, mapped_column
from uuid6 import uuid7


def new_id() -> UUID:
    """Create an id that sorts by its time of creation (RFC 9562, version 7)."""
    return UUID(int=uuid7().int)


def utc_now() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)


Id = Annotated[UUID, mapped_column(primary_key=True, default=new_id)]
OrganizationId = Annotated[UUID, mapped_column(ForeignKey("organization.id"))]
Instant = Annotated[datetime, mapped_column(DateTime(timezone=True))]
CreatedAt = Annotated[
    datetime, mapped_column(DateTime(timezone=True), default=utc_now, server_default=text("now()"))
]


#: Marks a column that no export shows.
SECRET: dict[Any, Any] = {"secret": True}
#: Marks a column that is derived from others, and left out of exports too.
DERIVED: dict[Any, Any] = {"derived": True}


class Base(DeclarativeBase):
    """Declarative base; constraints have fixed names, so that migrations can refer to them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    #: Plain JSON preserves the stored text, including the order of fields.
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        dict[str, Any]: JSON(none_as_null=True),
        list[dict[str, Any]]: JSON(none_as_null=True),
        list[list[dict[str, Any]]]: JSON(none_as_null=True),
    }


def refer_to(
    table: str, column: str | None = None, *, cascade: bool = False
) -> ForeignKeyConstraint:
    """Refer to a row of the same organization; with ``cascade`` rows are deleted with it."""
    return ForeignKeyConstraint(
        ["organization_id", column or f"{table}_id"],
        [f"{table}.organization_id", f"{table}.id"],
        ondelete="CASCADE" if cascade else None,
    )


def one_of(column: str, words: type[StrEnum]) -> CheckConstraint:
    """Allow only the words of an enumeration in a column."""
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)
