"""Entries of the audit log in responses."""

from marshmallow import fields

from app.records.figures import Word, instant, text
from app.records.record import Record
from app.services.platform.audit import ACTIONS


class AuditEntrySchema(Record):
    """One change, sign-in or export."""

    id = text("Id")
    createdAt = instant("Time of the action")
    actor = text("Key or user that did it")
    origin = text("IP address; null for operator commands", allow_none=True)
    action = Word(ACTIONS, "Action")
    subjectId = text("Id of the charting, vessel, key, user, area or webhook")
    before = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "State before, as in the API"},
    )
    after = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "State after the action; null if it was deleted"},
    )
