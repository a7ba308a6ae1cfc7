"""Keys to the API in requests and answers."""

from datetime import datetime
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.fields import Choice, Instant, Number, RequestSchema, Text
from app.models import Role, utc_now
from app.services.keys import KeyState

_KINDS = ("live", "test")
#: Longest time that a key and its successor are good side by side [h]: thirty days.
LONGEST_OVERLAP_H = 720


def _check_ahead(instant: datetime | None) -> None:
    if instant is not None and instant <= utc_now():
        raise ma.ValidationError("This time has passed already.")


class KeySchema(RequestSchema):
    """A key to be issued."""

    name = Text(
        is_name=True,
        allow_none=True,
        load_default=None,
        metadata={"description": "What the key is for; audit columns show it"},
    )
    role = Choice(
        list(Role),
        required=True,
        metadata={
            "description": "viewer reads; master also ticks critical points, on the pages; planner"
            " also orders routes and changes vessels, areas and telemetry; admin also manages keys"
            " and users"
        },
    )
    kind = Choice(
        _KINDS,
        load_default="live",
        metadata={"description": "What it begins with: vk_live_ or vk_test_, which do the same"},
    )
    expires_at = Instant(
        data_key="expiresAt",
        allow_none=True,
        load_default=None,
        validate=_check_ahead,
        metadata={"description": "When it is no good any more, RFC 3339; never unless given"},
    )


class RotationSchema(RequestSchema):
    """How a key is to be replaced."""

    #: The whole body may be left out.
    is_optional = True

    overlap_h = Number(
        data_key="overlapHours",
        load_default=24.0,
        validate=validate.Range(0, LONGEST_OVERLAP_H),
        metadata={"description": "How long the old key stays good beside the new one [h]"},
    )


def _time(key: str, description: str, **options: Any) -> fields.DateTime:
    return fields.DateTime(
        required=True, data_key=key, metadata={"description": description}, **options
    )


class KeyRecordSchema(ma.Schema):
    """A key, without its secret."""

    id = fields.String(required=True, metadata={"description": "Id"})
    prefix = fields.String(
        required=True, metadata={"description": "How the key begins, to tell keys apart"}
    )
    name = fields.String(
        required=True, allow_none=True, metadata={"description": "What the key is for"}
    )
    role = fields.String(
        required=True,
        metadata={"description": "What it may do", "enum": [str(role) for role in Role]},
    )
    kind = fields.String(
        required=True, metadata={"description": "As in its beginning", "enum": list(_KINDS)}
    )
    is_operator = fields.Boolean(
        required=True,
        data_key="isOperator",
        metadata={"description": "Whether it may touch other organizations; only commands give it"},
    )
    state = fields.String(
        required=True,
        metadata={
            "description": "Whether it is good, and why not",
            "enum": [str(state) for state in KeyState],
        },
    )
    created_at = _time("createdAt", "When it was issued")
    expires_at = _time("expiresAt", "When it is no good any more; null: never", allow_none=True)
    revoked_at = _time("revokedAt", "When it was revoked", allow_none=True)
    last_used_at = _time("lastUsedAt", "When it was last used, to the minute", allow_none=True)
    rotated_from_id = fields.String(
        required=True,
        allow_none=True,
        data_key="rotatedFromId",
        metadata={"description": "Key that this one replaces"},
    )


class IssuedKeySchema(KeyRecordSchema):
    """A new key with its secret."""

    secret = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The key itself, told this once; null where an Idempotency-Key brings"
            " the answer again"
        },
    )
