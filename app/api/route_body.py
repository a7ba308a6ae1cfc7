"""Bodies with a route: JSON, or a form with a route file."""

from typing import Any, Final

import marshmallow as ma
from flask import request
from werkzeug.exceptions import UnsupportedMediaType

from app.api.form_body import FORM, describe_form, load, read_fields, read_form
from app.api.parsing import read_json

_FORM_BODY: Final = describe_form(
    "The route in RTZ 1.0, 1.1 or 1.2, GPX, KML, GeoJSON, CSV or XLSX",
    "The other fields as a JSON object, without waypoints; or send each as a form field of its own",
)


def describe_route_body(schema: type[ma.Schema]) -> dict[str, Any]:
    """Return the OpenAPI description of both forms of the body."""
    content = {"application/json": {"schema": schema}, FORM: _FORM_BODY}
    return {"required": True, "content": content}


def read_route_body(schema: type[ma.Schema]) -> tuple[dict[str, Any], bytes | None]:
    """Read the fields of a body, and the content of the file if there is one.

    Raises :class:`Invalid` with all invalid fields.
    """
    if request.mimetype != FORM and not request.is_json:
        raise UnsupportedMediaType(f"Send application/json, or {FORM} with a file.")
    if request.mimetype != FORM:
        return load(schema, read_json(request)), None
    content, form = read_form()
    return load(schema, read_fields(form)), content
