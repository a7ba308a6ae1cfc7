"""Schema of the planning form: that of a route request, with messages for users."""

import json
from collections.abc import Mapping
from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from app.pages.web.forms import FormMessages
from app.records.charting import ChartingSchema
from app.records.fields import Instant, Number
from app.services.charting_request import find_contradictions
from app.services.errors import FieldError, Invalid

_PLACE: Final = "Choose a port or pick a position on the chart."
#: Messages for missing or invalid fields, by name or type.
_MESSAGES: Final[Mapping[str | type, str]] = {
    **dict.fromkeys(("latFrom", "lngFrom", "portFromName", "latTo", "lngTo", "portToName"), _PLACE),
    Number: "Enter a number.",
    Instant: "Enter a time in UTC, like 14 Jan 2026 18:00.",
}
_LENGTHS: Final[Mapping[str, str]] = {
    "noGoAreas": "Draw up to {max} areas.",
    "importedData": "Add up to {max} reference routes.",
}


class OrderSchema(FormMessages, ChartingSchema):
    """The form has every field of a request, so that copies are complete."""

    messages = _MESSAGES

    class Meta(ChartingSchema.Meta):
        """All fields except the organization, which is that of the session."""

        exclude = ("organization_id",)

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Replace a field's error messages, and those of list lengths."""
        super().on_bind_field(field_name, field_obj)
        if field_name in _LENGTHS:
            field_obj.validators = [
                validate.Length(max=limit.max, error=_LENGTHS[field_name])
                for limit in field_obj.validators
                if isinstance(limit, validate.Length)
            ]


#: Fields that determine the closed route.
_OF_VOYAGE: Final = (
    *("latFrom", "lngFrom", "latTo", "lngTo", "startDate", "vesselId", "draft"),
    *("avoidPiracyAreas", "avoidWarZones"),
)


def read_voyage(query: Mapping[str, str]) -> dict[str, Any] | None:
    """Read the fields that determine the closed route; ``None`` if some are missing."""
    try:
        asked: dict[str, Any] = OrderSchema(only=_OF_VOYAGE).load(
            {name: _read_json(text) for name, text in query.items()}
        )
    except ValidationError:
        return None
    return asked


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def read_order(body: Any) -> dict[str, Any]:
    """Read the form's body as a charting request.

    Raises :class:`Invalid` with the errors of all fields.
    """
    try:
        order: dict[str, Any] = OrderSchema().load(body if isinstance(body, dict) else {})
    except ValidationError as error:
        messages = error.normalized_messages()
        invalid = [FieldError(f"/{name}", _join_messages(each)) for name, each in messages.items()]
        contradictions = find_contradictions(error.valid_data, messages)
        raise Invalid([*invalid, *contradictions]) from None
    return order


def _join_messages(found: Any) -> str:
    """Join a field's messages; of a list, those of its first invalid item."""
    while isinstance(found, dict):
        found = next(iter(found.values()))
    return " ".join(found)
