"""Erasures in answers."""

from marshmallow import fields

from app.models import SubjectKind
from app.records.figures import instant, text
from app.records.record import Record

_KINDS = [str(kind) for kind in SubjectKind]


class ErasureSchema(Record):
    """An erasure that was asked for, and what became of it."""

    id = text("Id")
    kind = fields.String(required=True, metadata={"description": "Of what", "enum": _KINDS})
    subjectId = text("Id of what is erased")
    createdAt = instant("When it was asked for")
    createdBy = text("Key or user that asked")
    dueAt = instant("When it is erased; until then DELETE takes it back")
    doneAt = instant("When it was erased", allow_none=True)
