"""Erasures in responses."""

from app.models import SubjectKind
from app.records.figures import Word, instant, text
from app.records.record import Record


class ErasureSchema(Record):
    """A requested erasure."""

    id = text("Id")
    kind = Word(SubjectKind, "Kind of object that is erased")
    subjectId = text("Id of the organization, vessel, charting or user")
    createdAt = instant("Time of the request")
    createdBy = text("Key or user that requested it")
    dueAt = instant("Time when the data is erased; until then DELETE cancels it")
    doneAt = instant("Time when the data was erased", allow_none=True)
