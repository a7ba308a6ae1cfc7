"""Entries of the audit log in responses."""

from app.records.figures import Word, instant, mapped, text
from app.records.record import Record
from app.services.platform.audit import ACTIONS


class AuditEntrySchema(Record):
    """One change, sign-in or export."""

    id = text("Id")
    createdAt = instant("Time of the action")
    actor = text("Key or user that did it")
    origin = text("IP address; null for operator commands", allow_none=True)
    action = Word(ACTIONS, "Action")
    subjectId = text("Id of the charting, vessel, key, user, area, webhook or organization")
    before = mapped("State before, as in the API", allow_none=True)
    after = mapped("State after the action; null if it was deleted", allow_none=True)
