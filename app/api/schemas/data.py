"""Erasures in responses."""

from marshmallow import fields

from app.models import SubjectKind
from app.records.figures import instant, text
from app.records.record import Record

_KINDS = [str(kind) for kind in SubjectKind]


class ErasureSchema(Record):
    """A requested erasure."""

    id = text("Id")
    kind = fields.String(required=True, metadata={"description": "What is erased", "enum": _KINDS})
    subjectId = text("Id of the organization, vessel, charting or user")
    createdAt = instant("Time of the request")
    createdBy = text("Key or user that requested it")
    dueAt = instant("Time when the data is erased; until then DELETE cancels it")
    doneAt = instant("Time when the data was erased", allow_none=True)
