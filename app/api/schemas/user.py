"""Users in requests and responses."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.models import Role
from app.records.fields import Choice, Described, Flag, RequestSchema, Text
from app.records.figures import flag, instant, text
from app.records.record import Record
from app.services.identity.passwords import LONGEST_PASSWORD, SHORTEST_PASSWORD


class EmailAddress(Described, fields.Email):
    """An e-mail address of valid length (RFC 5321, 4.5.3.1.3)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(validate=validate.Length(max=254), **options)


def _password(description: str) -> fields.String:
    return fields.String(
        load_only=True,
        validate=validate.Length(SHORTEST_PASSWORD, LONGEST_PASSWORD),
        metadata={"description": description, "format": "password"},
    )


class UserSchema(RequestSchema):
    """A user of the pages."""

    email = EmailAddress(
        required=True, description="E-mail address to sign in with; unique in the organization"
    )
    name = Text(is_name=True, allow_none=True, load_default=None, description="The person's name")
    role = Choice(
        list(Role),
        required=True,
        description="viewer may read; master may also start, finish and abandon voyages,"
        " answer advice, and review critical points on the pages; planner may also plan routes"
        " and change vessels and areas; admin may do everything",
    )


class NewUserSchema(UserSchema):
    """A new user."""

    password = _password(
        "Stored as an Argon2id hash, never shown. Preferably left out: the user then chooses it by"
        " invitationUrl"
    )


class UserUpdateSchema(UserSchema):
    """New values of a user."""

    is_active = Flag(
        data_key="isActive", description="Whether the user may sign in; if left out, as before"
    )
    password = _password("A new password; if left out, the old one stays")


class UserRecordSchema(UserSchema, Record):
    """A user."""

    id = text("Id")
    isActive = flag("Whether the user may sign in")
    createdAt = instant("Creation time")
    lastSignedInAt = instant("Time of the last sign-in", allow_none=True)


class InvitedUserSchema(UserRecordSchema):
    """A new user, with the link to choose a password."""

    invitationUrl = text(
        "Link for the user, valid once within seven days; null if it was"
        " mailed, a password was given or is not used, or an Idempotency-Key repeats the response",
        allow_none=True,
    )


class ChangedUserSchema(UserRecordSchema):
    """A changed user, with the link to confirm a new address."""

    confirmationUrl = text(
        "Link for the user, valid once within a day; the new email takes effect when"
        " it is confirmed. Null if the link was mailed or the email is unchanged",
        allow_none=True,
    )


class SentUserSchema(InvitedUserSchema, ChangedUserSchema):
    """A user as any response has sent it."""


class ResetLinkSchema(ma.Schema):
    """A link to choose a new password."""

    url = text(
        "Link for the user, valid once within an hour; null if it was mailed", allow_none=True
    )
