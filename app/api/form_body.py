"""Bodies sent as a form: a file, and other fields as a JSON object in the field request."""

import json
from collections import Counter
from typing import Any, Final

import marshmallow as ma
from flask import request
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from app.api.parsing import REPEATED, invalid_by, parse_json
from app.records.texts import is_storable
from app.services.errors import FieldError, Invalid, escape_member, refuse

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
    """Read the content of the form's file, and its other parts as text, whatever their file names.

    Raises :class:`Invalid` for parts that are given more than once, and without a file.
    """
    if request.mimetype != FORM:
        raise UnsupportedMediaType(f"Send the file as {FORM}.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send a form without Content-Encoding.")
    parts = _read_parts()
    if "file" not in request.files:  # as text it may have lost bytes that are not UTF-8
        raise Invalid.at("/file", "No file was sent; send it as the field file, with a file name.")
    content = parts.pop("file")
    form = {name: text.decode(errors="surrogateescape") for name, text in parts.items()}
    if not all(map(is_storable, form.values())):
        raise BadRequest("A field has a character that cannot be stored.")
    return content, form


def _read_parts() -> dict[str, bytes]:
    """Read the parts by name; a program may send any of them with a file name or without."""
    parts = [(name, text.encode()) for name, text in request.form.items(multi=True)]
    parts += [(name, part.read()) for name, part in request.files.items(multi=True)]
    counts = Counter(name for name, _ in parts)
    refuse(
        FieldError(f"/{escape_member(name)}", REPEATED)
        for name, count in counts.items()
        if count > 1
    )
    return dict(parts)


def read_fields(form: dict[str, str]) -> Any:
    """Parse the form's fields, as one JSON object in the field request or one by one.

    Raises :class:`Invalid` for a request that is not JSON, and for other fields besides it.
    """
    return read_request_field(form) if "request" in form else _parse_each(form)


def read_request_field(form: dict[str, str]) -> Any:
    """Parse the field request; raises :class:`Invalid` if there are other fields besides it."""
    others = [name for name in form if name != "request"]
    if others:
        detail = "Send it within request."
        raise Invalid([FieldError(f"/{escape_member(n)}", detail) for n in others], detail=detail)
    try:
        return parse_json(form.get("request", "{}").encode())
    except (ValueError, RecursionError) as error:
        raise Invalid.at("/request", f"The field is not valid JSON: {error}") from error


def _parse_each(form: dict[str, str]) -> Any:
    """Parse fields that are JSON values or else text."""
    members = (f"{json.dumps(name)}: {_write_value(text)}" for name, text in form.items())
    return parse_json(f"{{{', '.join(members)}}}".encode())


def _write_value(text: str) -> str:
    """Return a JSON value as it is, and any other text as a JSON string."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return json.dumps(text)
    return text


def load(schema: type[ma.Schema], body: Any) -> dict[str, Any]:
    """Load fields by a schema; raises :class:`Invalid` with all invalid fields."""
    try:
        fields: dict[str, Any] = schema().load(body)
    except ma.ValidationError as error:
        raise invalid_by(error) from error
    return fields
