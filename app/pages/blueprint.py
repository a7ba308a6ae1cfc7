"""Blueprint of all pages."""

from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response, jsonify

from app.pages.charts.route_map import ChartLinks
from app.services.sea import basemap

pages = Blueprint("pages", __name__)


@pages.context_processor
def chart_context() -> dict[str, Any]:
    """Return the template variables of pages with a chart."""
    return {"chart_links": ChartLinks(), "basemap_version": basemap.VERSION}


def answer_json(**body: Any) -> Response:
    """Return a JSON response to a page's script, not to be cached."""
    response = jsonify(body)
    response.headers["Cache-Control"] = "no-store"
    return response


def answer_file(content: str | bytes | Iterator[str], mimetype: str, name: str) -> Response:
    """Return a file to download."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, mimetype=mimetype, headers=headers)
