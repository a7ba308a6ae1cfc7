"""API keys in requests and responses."""

from datetime import datetime
from typing import Any, ClassVar

import marshmallow as ma
from marshmallow import fields, validate

from app.models import Role, Scope, utc_now
from app.records.fields import Choice, Instant, Number, RequestSchema, Text
from app.records.figures import Word, flag, instant, listed, text, texts
from app.records.record import Record
from app.services.identity.keys import (
    MOST_NETWORKS,
    KeyState,
    find_scope_fault,
    kind_of,
    read_networks,
    state_of,
)

_KINDS = ("live", "test")
#: Longest overlap of a key and its replacement [h]: thirty days.
LONGEST_OVERLAP_H = 720

_SCOPES_TEXT = (
    "Scopes, in addition to the role: read allows reading; plan changing vessels, chartings and"
    " areas; telemetry sending and correcting telemetry; admin managing keys, users, webhooks and"
    " settings"
)
_NETWORKS_TEXT = "CIDR blocks from which the key may be used"


class Network(Text):
    """An IP address or CIDR block in canonical notation."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            return read_networks([text])[0]
        except ValueError as error:
            raise ma.ValidationError(str(error)) from None


def _check_ahead(instant: datetime | None) -> None:
    if instant is not None and instant <= utc_now():
        raise ma.ValidationError("The time is in the past; send a later one.")


class KeySchema(RequestSchema):
    """A key to be issued."""

    name = Text(
        is_name=True,
        allow_none=True,
        load_default=None,
        description="Name, shown in the audit log",
    )
    role = Choice(
        list(Role),
        required=True,
        description="viewer may read; master may also start, finish and abandon voyages and"
        " answer advice; planner may also plan routes and change vessels, areas and telemetry;"
        " admin may also manage keys and users",
    )
    kind = Choice(
        _KINDS,
        load_default="live",
        description="Prefix of the key, vk_live_ or vk_test_; both work alike",
    )
    expires_at = Instant(
        data_key="expiresAt",
        allow_none=True,
        validate=_check_ahead,
        description="Expiry time, RFC 3339; null: never. If left out, after the"
        " organization's keyLifetimeDays",
    )
    scopes = listed(
        Choice(list(Scope)),
        f"{_SCOPES_TEXT}; default: all",
        load_default=lambda: list(Scope),
        validate=validate.Length(min=1),
    )
    networks = listed(
        Network(),
        f"{_NETWORKS_TEXT}; default: everywhere",
        load_default=list,
        validate=validate.Length(max=MOST_NETWORKS),
    )

    @ma.validates_schema
    def check_scopes(self, data: dict[str, Any], **_ignored: Any) -> None:
        """Refuse a key that could do nothing."""
        fault = find_scope_fault(Role(data["role"]), map(Scope, data["scopes"]))
        if fault:
            raise ma.ValidationError(fault, "scopes")


class RotationSchema(RequestSchema):
    """Rotation of a key."""

    #: The whole body may be left out.
    is_optional = True

    overlap_h = Number(
        data_key="overlapHours",
        load_default=24.0,
        validate=validate.Range(0, LONGEST_OVERLAP_H),
        description="Time that the old key stays valid [h]",
    )


class KeyRecordSchema(Record):
    """A key, without its secret."""

    computed: ClassVar = {"kind": kind_of, "state": state_of}

    id = text("Id")
    prefix = text("First characters of the key")
    name = text("Name", allow_none=True)
    role = Word(Role, "Role")
    scopes = listed(fields.String(metadata={"enum": [str(scope) for scope in Scope]}), _SCOPES_TEXT)
    networks = texts(f"{_NETWORKS_TEXT}; empty: everywhere")
    kind = Word(_KINDS, "Prefix of the key: live or test")
    isOperator = flag("Whether it may access other organizations; set by command only")
    state = Word(KeyState, "Whether the key is valid")
    createdAt = instant("Time of issue")
    expiresAt = instant("Expiry time; null: never", allow_none=True)
    revokedAt = instant("Time of revocation", allow_none=True)
    lastUsedAt = instant("Time of the last use, to the minute", allow_none=True)
    rotatedFromId = text("Id of the key that it replaces", allow_none=True)


class IssuedKeySchema(KeyRecordSchema):
    """A new key with its secret."""

    secret = text(
        "The key, returned only once; null if an Idempotency-Key repeats the response",
        allow_none=True,
    )
