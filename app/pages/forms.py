"""What forms and the pages' scripts send, read by a schema."""

from typing import Any

from marshmallow import RAISE, Schema, ValidationError

from app.services.errors import Fault, Invalid


def read_form(schema: Schema, sent: Any) -> dict[str, Any]:
    """Read what was sent.

    Raises :class:`Invalid`, which names each field that is wrong.
    """
    try:
        form: dict[str, Any] = schema.load(sent if isinstance(sent, dict) else {}, unknown=RAISE)
    except ValidationError as error:
        messages = error.normalized_messages()
        faults = [Fault(f"/{name}", " ".join(words)) for name, words in messages.items()]
        raise Invalid(faults) from None
    return form
