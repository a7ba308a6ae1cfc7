"""Chart page: planning form, active and recent chartings."""

from dataclasses import asdict
from typing import Any

from flask import Response, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.engine.request import Position
from app.models import AreaCollection, Role, utc_now
from app.pages.blueprint import answer_json, pages
from app.pages.charts.chart_areas import list_constraints, list_zones_in_force
from app.pages.charts.route_map import lay_out_chart, render, trace_legs
from app.pages.presenters import presenters
from app.pages.views.chart_place import describe_unproven
from app.pages.views.order import read_order, read_voyage
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import read_body
from app.pages.web.own import own_plan, own_session
from app.pages.web.repeats import answer_once
from app.pages.web.visitor import current_user
from app.services.areas import areas
from app.services.chartings import charting_search, chartings, reference_routes, route_preview
from app.services.errors import Invalid
from app.services.vessels import telemetry, vessels

_RECENT = 12


@pages.get("/")
def home() -> ResponseReturnValue:
    """Show the chart with the planning form."""
    with own_session() as session:
        found = vessels.list_fleet(session, organization_id())
        fleet = [presenters.vessel(vessel) for vessel in found]
        names = {vessel.id: vessel.name for vessel in found}
        data = {
            "vessels": fleet,
            "live": _live(session),
            "addresses": _addresses(),
            "zones": list_zones_in_force(utc_now()),
            "constraints": list_constraints(
                areas.list_areas(session, organization_id(), AreaCollection.CONSTRAINT),
                utc_now().date(),
            ),
            "positions": presenters.positions(
                telemetry.list_latest(session, organization_id()), names
            ),
            "weather": {"address": url_for("pages.chart_weather")},
            "unproven": describe_unproven(),
            "earlier": _earlier(session, request.args.get("again")),
        }
    return render_template(
        "home/home.html",
        chart_parts=render(lay_out_chart()),
        vessels=fleet,
        may_plan=current_user.may_plan,
        page_data=data,
    )


@pages.get("/chartings/live")
def live() -> ResponseReturnValue:
    """Return active and recent chartings."""
    with own_session() as session:
        return answer_json(**_live(session))


@pages.post("/chartings")
def order() -> ResponseReturnValue:
    """Request a route."""
    actor().require(Role.PLANNER)
    asked = read_order(read_body())
    with own_session() as session:

        def submit() -> Response:
            return answer_json(id=str(chartings.submit(session, actor(), asked).charting.id))

        return answer_once(session, submit)


@pages.get("/chartings/route-preview")
def preview_route() -> ResponseReturnValue:
    """Return the shorter route that the avoided zones close, if any."""
    asked = read_voyage(request.args)
    if asked is None:
        return answer_json(closed=None)
    with own_session() as session:
        ship = vessels.get(session, organization_id(), asked["vesselId"])
    closed = route_preview.find_closed_route(
        ship,
        Position(asked["latFrom"], asked["lngFrom"]),
        Position(asked["latTo"], asked["lngTo"]),
        asked["startDate"],
        asked["draft"],
        {name: asked[name] for name in route_preview.SWITCHES},
    )
    return answer_json(closed=asdict(closed) if closed else None)


@pages.post("/reference-routes")
def reference_route() -> ResponseReturnValue:
    """Read a reference route from a file; nothing is stored."""
    file = request.files.get("file")
    if file is None:
        raise Invalid.at("/importedData", "Choose a file.")
    route = reference_routes.read_route(file.read(), file.filename or "Reference route")
    waypoints = [{"lat": lat, "lng": lng} for lat, lng in route.places]
    return answer_json(name=route.name, waypoints=waypoints)


@pages.get("/chartings/<charting_id>/line")
def line(charting_id: str) -> ResponseReturnValue:
    """Return the planned route of a charting as a line."""
    with own_plan(charting_id) as (_, view):
        plan = view.planned.plan or {}
        return answer_json(
            **{"from": view.charting.port_from_name, "to": view.charting.port_to_name},
            line=trace_legs(plan["waypoints"]),
        )


def _live(session: Session) -> dict[str, Any]:
    active = charting_search.list_active(session, organization_id())
    newest = charting_search.list_page(session, organization_id(), 1, _RECENT).items
    planned = {view.charting.id for view in active}
    recent = [view for view in newest if view.charting.id not in planned]
    return {"active": presenters.chartings(active), "recent": presenters.chartings(recent)}


def _earlier(session: Session, charting_id: str | None) -> dict[str, Any] | None:
    """Return an earlier charting's request, to start a new one from."""
    if charting_id is None:
        return None
    view = chartings.get_view(session, organization_id(), charting_id, with_plan=False)
    return view.state.request


def _addresses() -> dict[str, str]:
    return {
        "ports": url_for("pages.ports"),
        "order": url_for("pages.order"),
        "live": url_for("pages.live"),
        "routePreview": url_for("pages.preview_route"),
        "referenceRoute": url_for("pages.reference_route"),
        "line": url_for("pages.line", charting_id="ID"),
    }
