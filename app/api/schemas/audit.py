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
    before = mapped(
        "Values before; those of a changed record by the names of the database's columns, as in"
        " data exports",
        allow_none=True,
    )
    after = mapped(
        "Values after the action, by the same names; null if it was deleted", allow_none=True
    )
