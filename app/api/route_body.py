"""Bodies with a route: JSON, or a form with a route file."""

from typing import Any, Final

import marshmallow as ma
from flask import request
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from app.api.parsing import faults_of, parse_json, read_json
from app.records.texts import is_storable
from app.services.errors import FieldError, Invalid

_FORM: Final = "multipart/form-data"

_FORM_BODY: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {
            "type": "string",
            "format": "binary",
            "description": "The route in RTZ 1.0, 1.1 or 1.2, GPX, KML, GeoJSON or CSV",
        },
        "request": {
            "type": "string",
            "description": "The other fields as a JSON object, without waypoints; or send each as a"
            " form field of its own",
        },
    },
}


def describe_route_body(schema: type[ma.Schema]) -> dict[str, Any]:
    """Return the OpenAPI description of both forms of the body."""
    content = {"application/json": {"schema": schema}, _FORM: {"schema": _FORM_BODY}}
    return {"required": True, "content": content}


def read_route_body(schema: type[ma.Schema]) -> tuple[dict[str, Any], bytes | None]:
    """Read the fields of a body, and the content of the file if there is one.

    Raises :class:`Invalid` with all invalid fields.
    """
    if request.mimetype != _FORM:
        return _load(schema, read_json(request)), None
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send a form without Content-Encoding.")
    file = request.files.get("file")
    if file is None:
        raise Invalid([FieldError("/file", "No file was sent; send it as the field file.")])
    return _load(schema, _read_fields()), file.read()


def _load(schema: type[ma.Schema], body: Any) -> dict[str, Any]:
    try:
        fields: dict[str, Any] = schema().load(body)
    except ma.ValidationError as error:
        raise Invalid(faults_of(error)) from error
    return fields


def _read_fields() -> Any:
    """Read the form fields sent with the file: one JSON object, or single values."""
    form = request.form.to_dict()
    if not all(map(is_storable, form.values())):
        raise BadRequest("A field has a character that cannot be stored.")
    packed = form.pop("request", None)
    if packed is None:
        return {name: _read_value(text) for name, text in form.items()}
    if form:
        raise Invalid([FieldError(f"/{name}", "Send it within request.") for name in form])
    try:
        return parse_json(packed.encode())
    except (ValueError, RecursionError) as error:
        raise Invalid([FieldError("/request", f"The field is not valid JSON: {error}")]) from error


def _read_value(text: str) -> Any:
    """Read a JSON value; return anything else as text."""
    try:
        return parse_json(text.encode())
    except (ValueError, RecursionError):
        return text
