"""Entries of the audit record in answers."""

from marshmallow import fields

from app.records.record import Record
from app.services.platform.audit import ACTIONS


class AuditEntrySchema(Record):
    """One change, sign-in or export."""

    id = fields.String(required=True, metadata={"description": "Id"})
    createdAt = fields.DateTime(required=True, metadata={"description": "When it was done"})
    actor = fields.String(required=True, metadata={"description": "Key or user that did it"})
    origin = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Network address it came from; null for the operator's commands"},
    )
    action = fields.String(
        required=True, metadata={"description": "What was done", "enum": list(ACTIONS)}
    )
    subjectId = fields.String(
        required=True,
        metadata={"description": "Id of the charting, vessel, key, user, area or webhook"},
    )
    before = fields.Dict(
        required=True, allow_none=True, metadata={"description": "What it was, as the API shows it"}
    )
    after = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "What it became; null where it was deleted"},
    )
