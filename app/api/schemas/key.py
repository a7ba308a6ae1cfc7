"""Keys to the API in requests and answers."""

from datetime import datetime
from typing import Any, ClassVar

import marshmallow as ma
from marshmallow import fields, validate

from app.models import Role, Scope, utc_now
from app.records.fields import Choice, Instant, Number, RequestSchema, Text
from app.records.figures import Word, flag, instant, text, texts
from app.records.record import Record
from app.services.identity.keys import KeyState, kind_of, read_networks, state_of

_KINDS = ("live", "test")
#: Longest time that a key and its successor are good side by side [h]: thirty days.
LONGEST_OVERLAP_H = 720


MOST_NETWORKS = 50

_SCOPES_MEAN = (
    "What the key may be used for, besides its role: read reads; plan changes vessels, chartings"
    " and areas; telemetry sends and corrects telemetry; admin manages keys, users, webhooks and"
    " settings"
)
_NETWORKS_MEAN = "CIDR blocks that it may be used from"


class Network(Text):
    """An IP address or CIDR block, kept in its canonical spelling."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            return read_networks([text])[0]
        except ValueError as error:
            raise ma.ValidationError(str(error)) from None


def _check_ahead(instant: datetime | None) -> None:
    if instant is not None and instant <= utc_now():
        raise ma.ValidationError("This time has passed already.")


class KeySchema(RequestSchema):
    """A key to be issued."""

    name = Text(
        is_name=True,
        allow_none=True,
        load_default=None,
        description="What the key is for; audit columns show it",
    )
    role = Choice(
        list(Role),
        required=True,
        description="viewer reads; master also starts, finishes and abandons voyages and"
        " answers advice; planner also plans routes and changes vessels, areas and telemetry;"
        " admin also manages keys and users",
    )
    kind = Choice(
        _KINDS,
        load_default="live",
        description="What it begins with: vk_live_ or vk_test_, which do the same",
    )
    expires_at = Instant(
        data_key="expiresAt",
        allow_none=True,
        validate=_check_ahead,
        description="When it is no good any more, RFC 3339; null: never. Unless given, after"
        " the organization's keyLifetimeDays",
    )
    scopes = fields.List(
        Choice(list(Scope)),
        load_default=lambda: list(Scope),
        validate=validate.Length(1, len(Scope)),
        metadata={"description": f"{_SCOPES_MEAN}; all unless given"},
    )
    networks = fields.List(
        Network(),
        load_default=list,
        validate=validate.Length(max=MOST_NETWORKS),
        metadata={"description": f"{_NETWORKS_MEAN}; from everywhere unless given"},
    )


class RotationSchema(RequestSchema):
    """Rotation of a key."""

    #: The whole body may be left out.
    is_optional = True

    overlap_h = Number(
        data_key="overlapHours",
        load_default=24.0,
        validate=validate.Range(0, LONGEST_OVERLAP_H),
        description="How long the old key stays valid after the new one is issued [h]",
    )


class KeyRecordSchema(Record):
    """A key, without its secret."""

    computed: ClassVar = {"kind": kind_of, "state": state_of}

    id = text("Id")
    prefix = text("Beginning of the key, to distinguish keys")
    name = text("What the key is for", allow_none=True)
    role = Word(Role, "What it may do")
    scopes = fields.List(
        fields.String(metadata={"enum": [str(scope) for scope in Scope]}),
        required=True,
        metadata={"description": _SCOPES_MEAN},
    )
    networks = texts(f"{_NETWORKS_MEAN}; from everywhere when there are none")
    kind = Word(_KINDS, "As in its beginning")
    is_operator = flag(
        "Whether it may touch other organizations; only commands give it", data_key="isOperator"
    )
    state = Word(KeyState, "Whether it is good, and why not")
    created_at = instant("When it was issued", data_key="createdAt")
    expires_at = instant(
        "When it is no good any more; null: never", data_key="expiresAt", allow_none=True
    )
    revoked_at = instant("When it was revoked", data_key="revokedAt", allow_none=True)
    last_used_at = instant(
        "When it was last used, to the minute", data_key="lastUsedAt", allow_none=True
    )
    rotated_from_id = text("Key that this one replaces", allow_none=True, data_key="rotatedFromId")


class IssuedKeySchema(KeyRecordSchema):
    """A new key with its secret."""

    secret = text(
        "The key itself, returned only once; null if an Idempotency-Key repeats the answer",
        allow_none=True,
    )
