"""Erasures in answers."""

from marshmallow import fields

from app.models import SubjectKind
from app.records.record import Record

_KINDS = [str(kind) for kind in SubjectKind]


class ErasureSchema(Record):
    """An erasure that was asked for, and what became of it."""

    id = fields.String(required=True, metadata={"description": "Id"})
    kind = fields.String(required=True, metadata={"description": "Of what", "enum": _KINDS})
    subjectId = fields.String(required=True, metadata={"description": "Id of what is erased"})
    createdAt = fields.DateTime(required=True, metadata={"description": "When it was asked for"})
    createdBy = fields.String(required=True, metadata={"description": "Key or user that asked"})
    dueAt = fields.DateTime(
        required=True,
        metadata={"description": "When it is erased; until then DELETE takes it back"},
    )
    doneAt = fields.DateTime(
        required=True, allow_none=True, metadata={"description": "When it was erased"}
    )
