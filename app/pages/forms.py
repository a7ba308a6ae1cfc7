"""Parsing of forms and of the pages' JSON by a schema."""

from datetime import UTC, date, datetime
from typing import Any, Final

from marshmallow import RAISE, Schema, ValidationError
from werkzeug.datastructures import MultiDict

from app.records.texts import LINE_CONTROLS, find_text_fault
from app.services.errors import FieldError, Invalid

#: No list has more pages; the database cannot count on without end.
MOST_PAGES: Final = 1_000_000


def read_page(asked: MultiDict[str, str]) -> int:
    """Read the number of a list's page, kept from 1 to ``MOST_PAGES``."""
    return min(max(asked.get("page", 1, type=int), 1), MOST_PAGES)


def read_day(text: str) -> date:
    """A day as it is typed: 14 Jan 2026, or 2026-01-14. Raises ValueError where it is none."""
    try:
        return datetime.strptime(text, "%d %b %Y").replace(tzinfo=UTC).date()
    except ValueError:
        return date.fromisoformat(text)


def check_line(text: str) -> None:
    """Refuse what no text of one line may hold. Raises ValidationError."""
    _refuse(find_text_fault(text))


def check_lines(text: str) -> None:
    """Refuse what no text of several lines may hold. Raises ValidationError."""
    _refuse(find_text_fault(text, LINE_CONTROLS))


def _refuse(fault: str | None) -> None:
    if fault:
        raise ValidationError(fault)


def read_form(schema: Schema, sent: Any) -> dict[str, Any]:
    """Read what was sent.

    Raises :class:`Invalid`, which names each field that is wrong.
    """
    try:
        form: dict[str, Any] = schema.load(sent if isinstance(sent, dict) else {}, unknown=RAISE)
    except ValidationError as error:
        messages = error.normalized_messages()
        faults = [FieldError(f"/{name}", " ".join(words)) for name, words in messages.items()]
        raise Invalid(faults) from None
    return form
