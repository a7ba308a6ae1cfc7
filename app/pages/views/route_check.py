"""Check of a route file; nothing is stored."""

from typing import Any, Final

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue

from app.models import utc_now
from app.pages.blueprint import answer_json, pages
from app.pages.charts.chart_areas import list_kept_areas, list_zones_in_force
from app.pages.charts.route_map import lay_out_chart, render
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import read_form
from app.pages.web.own import own_session
from app.records.route_check import RouteCheckRequestSchema, RouteCheckSchema
from app.services.chartings import route_checks
from app.services.engine_mapping import snapshot_area
from app.services.errors import Invalid
from app.services.vessels import vessels

#: Fields of the form besides the file; empty ones are left out.
_ASKED: Final = ("vesselId", "draft", "startDate", "speed")
_SHOWN: Final = ("lat", "lng", "eta", "legGeometry", "courseDeg", "legDistanceNm", "speedKn")


@pages.get("/check")
def check_page() -> ResponseReturnValue:
    """Show the form to check a route file."""
    with own_session() as session:
        fleet = vessels.list_fleet(session, organization_id())
    return render_template(
        "route/check.html",
        vessels=fleet,
        chart_parts=render(lay_out_chart()),
        page_data={
            "checkAddress": url_for("pages.check_route_file"),
            "areas": list_zones_in_force(utc_now()),
            "drafts": {str(vessel.id): vessel.draft_design_m for vessel in fleet},
        },
    )


@pages.post("/check")
def check_route_file() -> ResponseReturnValue:
    """Return the findings, totals and areas in force of a route file."""
    file = request.files.get("file")
    if file is None or not file.filename:
        raise Invalid.at("/file", "Choose a route file.")
    asked = read_form(RouteCheckRequestSchema(), _read_fields())
    with own_session() as session:
        found = route_checks.check(session, actor(), asked, file.read())
    answer = RouteCheckSchema.write(found)
    answer["waypoints"] = [{key: point[key] for key in _SHOWN} for point in answer["waypoints"]]
    areas = list_kept_areas(map(snapshot_area, found.areas))
    return answer_json(**answer, areas=areas)


def _read_fields() -> dict[str, Any]:
    given = {name: request.form.get(name, "").strip() for name in _ASKED}
    fields: dict[str, Any] = {name: text for name, text in given.items() if text}
    for name in ("draft", "speed"):
        if name in fields:
            fields[name] = _read_number(name, fields[name])
    return fields | {"price": True}


def _read_number(name: str, text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise Invalid.at(f"/{name}", f"“{text[:40]}” is not a number.") from None
