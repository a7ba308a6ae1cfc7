"""Entries of the audit record in answers."""

from marshmallow import fields

from app.records.figures import Word, instant, text
from app.records.record import Record
from app.services.platform.audit import ACTIONS


class AuditEntrySchema(Record):
    """One change, sign-in or export."""

    id = text("Id")
    createdAt = instant("When it was done")
    actor = text("Key or user that did it")
    origin = text("Network address it came from; null for the operator's commands", allow_none=True)
    action = Word(ACTIONS, "What was done")
    subjectId = text("Id of the charting, vessel, key, user, area or webhook")
    before = fields.Dict(
        required=True, allow_none=True, metadata={"description": "What it was, as the API shows it"}
    )
    after = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "What it became; null where it was deleted"},
    )
