"""Downloads of a route: RTZ for the ECDIS, CSV for a spreadsheet."""

from collections.abc import Callable

from flask import Response, abort, request

from app.exports.csv import content_hash, render_csv
from app.models import ChartingRevision, SubjectKind
from app.pages.blueprint import answer_file, pages
from app.pages.web.access import actor
from app.pages.web.own import asked_revision, own_plan
from app.services.chartings.plan_reading import name_route, write_rtz
from app.services.engine_mapping import load_plan
from app.services.platform import audit


@pages.get("/voyages/<charting_id>/<kind>")
def route_file(charting_id: str, kind: str) -> Response:
    """Download the latest plan, or that of the revision asked for, as a file."""
    if kind not in _WRITERS:
        abort(404)
    write, mimetype = _WRITERS[kind]
    with own_plan(charting_id, asked_revision()) as (session, view):
        planned = view.planned
        response = answer_file(write(planned), mimetype, f"{name_route(planned)}.{kind}")
        if request.method == "GET":
            audit.record_export(
                session, actor(), SubjectKind.CHARTING, planned.charting_id, mimetype
            )
    response.headers["X-Content-Hash"] = content_hash(response.get_data())
    return response


_WRITERS: dict[str, tuple[Callable[[ChartingRevision], bytes], str]] = {
    "rtz": (write_rtz, "application/xml"),
    "csv": (lambda planned: render_csv(load_plan(planned)), "text/csv"),
}
