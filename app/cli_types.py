"""Types of the arguments of the operator's commands, and the organization of most."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import click
import marshmallow as ma
from sqlalchemy.orm import Session

from app.models import Role
from app.records.fields import Text
from app.services.identity import organizations
from app.services.platform.sessions import operator_session


class FieldType(click.ParamType[Any]):
    """A text that a field of the API accepts, without white space around it."""

    name = "text"

    def __init__(self, field: ma.fields.Field[Any]) -> None:
        self.field = field

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the field's value; the command ends with the field's message if it is wrong."""
        try:
            return self.field.deserialize(value.strip())
        except ma.ValidationError as error:
            self.fail(" ".join(map(str, error.messages)), param, ctx)


ROLE = click.Choice([str(role) for role in Role])
NAME = FieldType(Text(is_name=True))
in_organization = click.option("--org", required=True, help="Name of the organization")


@contextmanager
def open_organization(name: str) -> Iterator[tuple[Session, UUID]]:
    """Open an operator's session of the organization of a name; raises :class:`NotFound`."""
    organization_id = organizations.get_by_name(name)
    with operator_session(organization_id) as session:
        yield session, organization_id
