"""Types of the arguments of the operator's commands, and an option that many have."""

from typing import Any

import click
import marshmallow as ma

from app.models import Role
from app.records.fields import Text


class FieldType(click.ParamType[Any]):
    """A text that a field of the API accepts."""

    name = "text"

    def __init__(self, field: ma.fields.Field[Any]) -> None:
        self.field = field

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the field's value; the command ends with the field's message if it is wrong."""
        try:
            return self.field.deserialize(value)
        except ma.ValidationError as error:
            self.fail(" ".join(map(str, error.messages)), param, ctx)


ROLE = click.Choice([str(role) for role in Role])
NAME = FieldType(Text(is_name=True))
in_organization = click.option("--org", required=True, help="Name of the organization")
