"""The blueprint that all pages belong to."""

from typing import Any

from flask import Blueprint, Response, jsonify

from app.pages.charts.route_map import ChartLinks
from app.services.sea import basemap

pages = Blueprint("pages", __name__)


@pages.context_processor
def chart_context() -> dict[str, Any]:
    """Return what every page with a chart needs."""
    return {"chart_links": ChartLinks(), "basemap_version": basemap.VERSION}


def answer_json(**body: Any) -> Response:
    """Answer the page's own script; the next look must see the present state."""
    response = jsonify(body)
    response.headers["Cache-Control"] = "no-store"
    return response
