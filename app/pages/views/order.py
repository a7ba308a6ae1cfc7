"""The order form: a request's own schema, which says what is wrong in the form's words."""

import json
from collections.abc import Mapping
from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from app.pages.web.forms import InWords
from app.records.charting import ChartingSchema
from app.records.fields import Instant, Number
from app.services.errors import FieldError, Invalid

_PLACE: Final = "Choose a port or pick a position on the chart."
#: What the form says where a field is missing or cannot be read: by name, else by type.
_WORDS: Final[Mapping[str | type, str]] = {
    **dict.fromkeys(("latFrom", "lngFrom", "portFromName", "latTo", "lngTo", "portToName"), _PLACE),
    Number: "Enter a number.",
    Instant: "Enter a time in UTC, like 14 Jan 2026 18:00.",
}
_LENGTHS: Final[Mapping[str, str]] = {
    "noGoAreas": "Draw up to {max} areas.",
    "importedData": "Add up to {max} reference routes.",
}


class OrderSchema(InWords, ChartingSchema):
    """What the form sends: every field of a request, so that a copied order is copied whole."""

    words = _WORDS

    class Meta(ChartingSchema.Meta):
        """All but the organization, which the session names."""

        exclude = ("organization_id",)

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Give a field the form's words, and lists theirs."""
        super().on_bind_field(field_name, field_obj)
        if field_name in _LENGTHS:
            field_obj.validators = [
                validate.Length(max=limit.max, error=_LENGTHS[field_name])
                for limit in field_obj.validators
                if isinstance(limit, validate.Length)
            ]


#: The part of the form that decides a voyage's route.
_OF_VOYAGE: Final = (
    *("latFrom", "lngFrom", "latTo", "lngTo", "startDate", "vesselId", "draft"),
    *("avoidPiracyAreas", "avoidWarZones"),
)


def read_voyage(query: Mapping[str, str]) -> dict[str, Any] | None:
    """Read the part of the form that decides a voyage's route, if it is filled in."""
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
    except ValueError:
        return text


def read_order(body: Any) -> dict[str, Any]:
    """Read the form's body as a charting request.

    Raises :class:`Invalid`, which names each field that is wrong.
    """
    try:
        order: dict[str, Any] = OrderSchema().load(body if isinstance(body, dict) else {})
    except ValidationError as error:
        messages = error.normalized_messages()
        raise Invalid(
            [FieldError(f"/{name}", _in_words(found)) for name, found in messages.items()]
        ) from None
    return order


def _in_words(found: Any) -> str:
    """What was wrong with a field; of a list, with its first item that is wrong."""
    while isinstance(found, dict):
        found = next(iter(found.values()))
    return " ".join(found)
