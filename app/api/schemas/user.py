"""People who sign in, in requests and answers."""

from typing import Any

from marshmallow import fields, validate

from app.api.schemas.fields import Choice, Flag, RequestSchema, Text
from app.models import Role
from app.services.users import LONGEST_PASSWORD, SHORTEST_PASSWORD


class EmailAddress(fields.Email):
    """An e-mail address of a length that mail can carry (RFC 5321, 4.5.3.1.3)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(validate=validate.Length(max=254), **options)


class UserSchema(RequestSchema):
    """A person who signs in."""

    read_only = frozenset({"id", "createdAt", "lastSignedInAt"})

    email = EmailAddress(
        required=True,
        metadata={"description": "Address to sign in with; one user each in the installation"},
    )
    name = Text(
        is_name=True,
        allow_none=True,
        load_default=None,
        metadata={"description": "The person's name"},
    )
    role = Choice(
        list(Role),
        required=True,
        metadata={
            "description": "viewer reads; master also ticks critical points, on the pages; planner"
            " also orders routes and changes vessels and areas; admin may do all"
        },
    )


class _PasswordSchema(UserSchema):
    password = fields.String(
        required=True,
        load_only=True,
        validate=validate.Length(SHORTEST_PASSWORD, LONGEST_PASSWORD),
        metadata={"description": "Kept as an Argon2id hash and never told", "format": "password"},
    )


class NewUserSchema(_PasswordSchema):
    """A user to be made."""


class UserUpdateSchema(UserSchema):
    """What a user is to be from now on."""

    is_active = Flag(
        data_key="isActive",
        load_default=True,
        metadata={"description": "Whether the user may sign in"},
    )
    password = fields.String(
        load_only=True,
        validate=validate.Length(SHORTEST_PASSWORD, LONGEST_PASSWORD),
        metadata={
            "description": "A new password; the old one stays unless given",
            "format": "password",
        },
    )


class UserRecordSchema(UserSchema):
    """A user."""

    id = fields.String(required=True, metadata={"description": "Id"})
    is_active = fields.Boolean(
        required=True,
        data_key="isActive",
        metadata={"description": "Whether the user may sign in"},
    )
    created_at = fields.DateTime(
        required=True, data_key="createdAt", metadata={"description": "When the user was made"}
    )
    last_signed_in_at = fields.DateTime(
        required=True,
        allow_none=True,
        data_key="lastSignedInAt",
        metadata={"description": "When the user last signed in"},
    )
