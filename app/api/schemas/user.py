"""People who sign in, in requests and answers."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.models import Role
from app.records.fields import Choice, Described, Flag, RequestSchema, Text
from app.records.figures import flag, instant, text
from app.records.record import Record
from app.services.identity.passwords import LONGEST_PASSWORD, SHORTEST_PASSWORD


class EmailAddress(Described, fields.Email):
    """An e-mail address of a length that mail can carry (RFC 5321, 4.5.3.1.3)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(validate=validate.Length(max=254), **options)


class UserSchema(RequestSchema):
    """A person who signs in."""

    read_only = frozenset({"id", "createdAt", "lastSignedInAt", "invitationUrl", "confirmationUrl"})

    email = EmailAddress(
        required=True, description="Address to sign in with; one user each in the organization"
    )
    name = Text(is_name=True, allow_none=True, load_default=None, description="The person's name")
    role = Choice(
        list(Role),
        required=True,
        description="viewer reads; master also starts, finishes and abandons voyages,"
        " answers advice, and reviews critical points on the pages; planner also plans routes"
        " and changes vessels and areas; admin may do all",
    )


class NewUserSchema(UserSchema):
    """A user to be made."""

    password = fields.String(
        load_only=True,
        validate=validate.Length(SHORTEST_PASSWORD, LONGEST_PASSWORD),
        metadata={
            "description": "Stored as an Argon2id hash, never shown. Better left out: then the user"
            " chooses it by invitationUrl and nobody else knows it",
            "format": "password",
        },
    )


class UserUpdateSchema(UserSchema):
    """New values of a user."""

    is_active = Flag(
        data_key="isActive", load_default=True, description="Whether the user may sign in"
    )
    password = fields.String(
        load_only=True,
        validate=validate.Length(SHORTEST_PASSWORD, LONGEST_PASSWORD),
        metadata={
            "description": "A new password; the old one stays unless given",
            "format": "password",
        },
    )


class UserRecordSchema(UserSchema, Record):
    """A user."""

    id = text("Id")
    is_active = flag("Whether the user may sign in", data_key="isActive")
    created_at = instant("When the user was made", data_key="createdAt")
    last_signed_in_at = instant(
        "When the user last signed in", allow_none=True, data_key="lastSignedInAt"
    )


class InvitedUserSchema(UserRecordSchema):
    """A new user, and the link by which they choose their password."""

    invitation_url = text(
        "Link to hand over, good once within seven days; null where it was"
        " mailed, a password was given, or an Idempotency-Key brings the answer again",
        allow_none=True,
        data_key="invitationUrl",
    )


class ChangedUserSchema(UserRecordSchema):
    """A changed user, and the link by which they confirm another address."""

    confirmation_url = text(
        "Link to hand over, good once within a day: email is the new address"
        " once it is opened and confirmed; null where it was mailed or the address stays",
        allow_none=True,
        data_key="confirmationUrl",
    )


class ResetLinkSchema(ma.Schema):
    """A link by which a user chooses another password."""

    url = text(
        "Link to hand over, good once within the hour; null where it was mailed", allow_none=True
    )
