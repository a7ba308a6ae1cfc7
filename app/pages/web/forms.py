"""Parsing of forms and of JSON from pages."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any, ClassVar, Final

from flask import after_this_request, request
from flask.wrappers import Response
from flask_wtf import FlaskForm
from marshmallow import RAISE, Schema, ValidationError, fields, validate
from wtforms import Field, Form, StringField
from wtforms.validators import InputRequired, Length, StopValidation

from app.records.texts import LINE_CONTROLS, find_text_fault
from app.services.errors import FieldError, Invalid, TooManyRequests, Unauthenticated
from app.services.platform.paging import Page

#: Limit of page numbers, because the database cannot skip without limit.
MOST_PAGES: Final = 1_000_000


def fetch_asked_page(fetch: Callable[[int], Page[Any]]) -> Page[Any]:
    """Fetch the page of a list that the address asks for, or the last if it is past the end."""
    found = fetch(min(max(request.args.get("page", 1, type=int), 1), MOST_PAGES))
    return found if found.items or not found.total else fetch(found.total_pages)


class _InstantField(fields.AwareDateTime):
    """A time that is brought to UTC; one that the calendar then does not hold is invalid."""

    def _deserialize(self, *given: Any, **named: Any) -> datetime:
        time: datetime = super()._deserialize(*given, **named)
        try:
            return time.astimezone(UTC)
        except OverflowError as error:
            raise self.make_error("invalid", input=given[0], obj_type=self.OBJ_TYPE) from error


def time_field() -> fields.AwareDateTime:
    """Return a field of a time in ISO 8601, in UTC if it has no offset."""
    return _InstantField(required=True, format="iso", default_timezone=UTC)


class FormMessages(Schema):
    """Base of API schemas reused for forms, with error messages for users; limits stay the same.

    ``messages`` are the messages for missing or invalid fields, by name or type.
    """

    messages: ClassVar[Mapping[str | type, str]] = {}

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Replace a field's error messages."""
        words = self.messages.get(field_name) or self.messages.get(type(field_obj))
        if words:
            field_obj.error_messages = dict.fromkeys(field_obj.error_messages, words)
        field_obj.validators = [*map(_with_message, field_obj.validators)]


def _with_message(limit: Any) -> Any:
    """Replace the message of a range or length, e.g. by "Enter 0.5 to 30."."""
    if isinstance(limit, validate.Length):
        reach = "up" if limit.min is None else str(limit.min)
        error = f"Enter {reach} to {limit.max} characters."
        return validate.Length(limit.min, limit.max, error=error)
    if not isinstance(limit, validate.Range):
        return limit
    least = f"{'' if limit.min_inclusive else 'more than '}{limit.min:g}"
    if limit.max is None:
        words = f"Enter {least} or more." if limit.min_inclusive else f"Enter {least}."
    else:
        words = f"Enter {least}{' to' if limit.min_inclusive else ', at most'} {limit.max:g}."
    return validate.Range(limit.min, limit.max, min_inclusive=limit.min_inclusive, error=words)


def read_day(text: str) -> date:
    """Read a typed day: 14 Jan 2026 or 2026-01-14. Raises ``ValueError`` if it is not valid."""
    try:
        return datetime.strptime(text, "%d %b %Y").replace(tzinfo=UTC).date()
    except ValueError:
        return date.fromisoformat(text)


def read_time(text: str) -> datetime:
    """Read a typed time in UTC: 14 Jan 2026 18:00 or ISO 8601. Raises ``ValueError``."""
    try:
        time = datetime.strptime(text, "%d %b %Y %H:%M").replace(tzinfo=UTC)
    except ValueError:
        time = datetime.fromisoformat(text)
    try:
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError(f"{text} is not within the calendar in UTC") from error


def read_fields(form: FlaskForm) -> dict[str, Any]:
    """Return the values of a form by name, without its token."""
    return {name: value for name, value in form.data.items() if name != "csrf_token"}


def check_line(text: str) -> None:
    """Raise ``ValidationError`` for characters not allowed in a line of text."""
    _refuse(find_text_fault(text))


def check_lines(text: str) -> None:
    """Raise ``ValidationError`` for characters not allowed in a text of several lines."""
    _refuse(find_text_fault(text, LINE_CONTROLS))


def _refuse(fault: str | None) -> None:
    if fault:
        raise ValidationError(fault)


def require_line(_form: Form, field: Field) -> None:
    """Stop the validation of a form's field with characters not allowed in a line of text."""
    fault = find_text_fault((field.data or "").strip())
    if fault:
        raise StopValidation(fault)


def own_email_field() -> StringField:
    """Return a form's field of the user's own e-mail address."""
    needed = InputRequired("Enter your e-mail address.")
    return StringField(validators=[needed, Length(max=254), require_line])


def optional_line() -> StringField:
    """Return a form's field of a line of text that may be empty."""
    longest = Length(max=200, message="Enter up to 200 characters.")
    return StringField(validators=[longest, require_line])


def read_body() -> Any:
    """Read the request's body; ``None`` if it is not JSON, or nested too deeply for a form."""
    try:
        return request.get_json(silent=True)
    except RecursionError:
        return None


def read_form(schema: Schema, sent: Any) -> dict[str, Any]:
    """Load a form by its schema.

    Raises :class:`Invalid` with the errors of all fields.
    """
    try:
        form: dict[str, Any] = schema.load(sent if isinstance(sent, dict) else {}, unknown=RAISE)
    except ValidationError as error:
        raise Invalid(_list_faults(error.normalized_messages())) from None
    return form


def read_sent(schema: Schema) -> dict[str, Any]:
    """Load the JSON of the request by a schema; raises as :func:`read_form` does."""
    return read_form(schema, read_body())


def _list_faults(messages: Any, pointer: str = "") -> list[FieldError]:
    """List a schema's errors with the JSON pointers of their fields."""
    if not isinstance(messages, Mapping):
        return [FieldError(pointer, " ".join(messages))]
    return [
        fault
        for name, inner in messages.items()
        for fault in _list_faults(inner, f"{pointer}/{name}")
    ]


def prepare_refusal(error: Unauthenticated | TooManyRequests) -> int:
    """Return a refusal's status, and have the answer state a delay [s] in ``Retry-After``."""
    if isinstance(error, Unauthenticated):
        return 401

    @after_this_request
    def add_header(response: Response) -> Response:
        response.headers["Retry-After"] = str(error.retry_after_s)
        return response

    return 429
