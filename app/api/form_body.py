"""Bodies sent as a form: a file, and other fields as a JSON object in the field request."""

from typing import Any, Final

import marshmallow as ma
from flask import request
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from app.api.parsing import invalid_by, parse_json
from app.records.texts import is_storable
from app.services.errors import FieldError, Invalid

FORM: Final = "multipart/form-data"


def describe_form(file: str, request: str) -> dict[str, Any]:
    """Return the OpenAPI description of a form, by descriptions of its fields file and request."""
    return {
        "schema": {
            "type": "object",
            "required": ["file"],
            "properties": {
                "file": {"type": "string", "format": "binary", "description": file},
                "request": {"type": "string", "description": request},
            },
        }
    }


def read_form() -> tuple[bytes, dict[str, str]]:
    """Read the content of the form's file, and its other fields as text."""
    if request.mimetype != FORM:
        raise UnsupportedMediaType(f"Send the file as {FORM}.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send a form without Content-Encoding.")
    file = request.files.get("file")
    if file is None:
        raise Invalid.at("/file", "No file was sent; send it as the field file.")
    form = request.form.to_dict()
    if not all(map(is_storable, form.values())):
        raise BadRequest("A field has a character that cannot be stored.")
    return file.read(), form


def read_request_field(form: dict[str, str]) -> Any:
    """Parse the field request; raises :class:`Invalid` if there are other fields besides it."""
    others = form.keys() - {"request"}
    if others:
        raise Invalid([FieldError(f"/{name}", "Send it within request.") for name in others])
    try:
        return parse_json(form.get("request", "{}").encode())
    except (ValueError, RecursionError) as error:
        raise Invalid.at("/request", f"The field is not valid JSON: {error}") from error


def load(schema: type[ma.Schema], body: Any) -> dict[str, Any]:
    """Load fields by a schema; raises :class:`Invalid` with all invalid fields."""
    try:
        fields: dict[str, Any] = schema().load(body)
    except ma.ValidationError as error:
        raise invalid_by(error) from error
    return fields
