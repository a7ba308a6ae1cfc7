"""Errors by their places, in all responses that list some."""

from app.records.figures import text
from app.records.record import Record


class FaultSchema(Record):
    """One error in a request, a line or a file."""

    pointer = text("JSON pointer to the field; empty for the whole body")
    detail = text("Fault and what would be right")
