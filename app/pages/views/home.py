"""Chart page: planning form, active and recent chartings."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from flask import Response, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.datasources.port_search import find_other_name, find_similar_ports, search_ports
from app.engine.formatting import format_position, format_time
from app.engine.request import Position
from app.models import AreaCollection, Charting, Role, Vessel, utc_now
from app.pages.blueprint import answer_json, pages
from app.pages.charts.chart_areas import list_constraints, list_zones_in_force
from app.pages.charts.route_map import lay_out_chart, render, trace_legs
from app.pages.presenters import presenters
from app.pages.views.chart_data import describe_unproven
from app.pages.views.order import read_order, read_voyage
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import read_body
from app.pages.web.own import answer_once, own_charting, own_plan, own_session
from app.pages.web.visitor import current_user
from app.records.instants import write_instant
from app.services.areas import areas
from app.services.charting_request import name_departure
from app.services.chartings import charting_search, chartings, reference_routes, route_preview
from app.services.chartings.charting_search import ChartingView
from app.services.errors import Invalid
from app.services.monitoring import executions, position_reports
from app.services.vessels import latest_positions, vessels

_RECENT = 12
#: Ports listed, and characters typed before any are.
_MOST_PORTS = 8
_SHORTEST_NAME = 2


@pages.get("/")
def home() -> ResponseReturnValue:
    """Show the chart with the planning form: empty, copied, or of the rest of a voyage."""
    replanned = request.args.get("replan")
    with own_session() as session:
        found = vessels.list_fleet(session, organization_id())
        fleet = [presenters.vessel(vessel) for vessel in found]
        data = {
            "vessels": fleet if current_user.may_plan else [],
            "live": _live(session, found),
            "addresses": _addresses(replanned),
            "zones": list_zones_in_force(utc_now()),
            "constraints": list_constraints(
                areas.list_areas(session, organization_id(), AreaCollection.CONSTRAINT),
                utc_now().date(),
            ),
            "weather": {"address": url_for("pages.chart_weather")},
            "unproven": describe_unproven(),
            **_earlier(session),
        }
    return render_template(
        "home/home.html",
        chart_parts=render(lay_out_chart()),
        vessels=fleet,
        may_plan=current_user.may_plan,
        is_replan=replanned is not None,
        page_data=data,
    )


@pages.get("/chartings/live")
def live() -> ResponseReturnValue:
    """Return active and recent chartings, and the vessels' last positions."""
    with own_session() as session:
        return answer_json(**_live(session, vessels.list_fleet(session, organization_id())))


@pages.post("/chartings")
def order() -> ResponseReturnValue:
    """Request a route."""
    actor().require(Role.PLANNER)
    asked = read_order(read_body())
    with own_session() as session:
        return answer_once(session, lambda: _answer_id(chartings.submit(session, actor(), asked)))


@pages.post("/chartings/<charting_id>/replan")
def replan(charting_id: str) -> ResponseReturnValue:
    """Re-plan a voyage as its next revision."""
    actor().require(Role.PLANNER)
    asked = read_order(read_body())
    with own_charting(charting_id) as (session, charting):
        return answer_once(
            session, lambda: _answer_id(chartings.resubmit(session, actor(), charting, asked))
        )


def _answer_id(view: ChartingView) -> Response:
    return answer_json(id=str(view.charting.id))


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
    return answer_json(
        **reference_routes.read_route(file.read(), file.filename or "Reference route")
    )


@pages.get("/chartings/<charting_id>/line")
def line(charting_id: str) -> ResponseReturnValue:
    """Return the planned route of a charting as a line."""
    with own_plan(charting_id) as (_, view):
        plan = view.planned.plan or {}
        return answer_json(
            **{"from": name_departure(view.planned.request), "to": view.charting.port_to_name},
            line=trace_legs(plan["waypoints"]),
        )


def _live(session: Session, fleet: Sequence[Vessel]) -> dict[str, Any]:
    active = charting_search.list_active(session, organization_id())
    recent = charting_search.list_ended(session, organization_id(), _RECENT)
    ended = [view.charting.id for view in recent]
    # a planning may end between the two queries
    active = [view for view in active if view.charting.id not in ended]
    return {
        "active": presenters.chartings(session, active),
        "recent": presenters.chartings(session, recent),
        "positions": presenters.positions(
            latest_positions.list_latest(session, organization_id()),
            {vessel.id: vessel.name for vessel in fleet},
        ),
    }


def _earlier(session: Session) -> dict[str, Any]:
    """Return an earlier charting's request to begin with, or that of the rest of a voyage."""
    if (replanned := request.args.get("replan")) is not None:
        return _read_rest(session, chartings.get(session, organization_id(), replanned))
    if (charting_id := request.args.get("again")) is not None:
        view = chartings.get_view(session, organization_id(), charting_id, with_plan=False)
        return _copy_request(view)
    return {}


def _copy_request(view: ChartingView) -> dict[str, Any]:
    """Return a charting's request, with texts for a start at sea instead of its port."""
    earlier = view.state.request | {"vesselName": view.charting.current_vessel_name}
    if not earlier["isAlterFrom"]:
        return {"earlier": earlier}
    place = format_position(earlier["latFrom"], earlier["lngFrom"])
    return {"earlier": earlier, "start": {"from": name_departure(earlier), "position": place}}


def _read_rest(session: Session, charting: Charting) -> dict[str, Any]:
    """Return the request of the rest of a voyage, and texts and address for its form.

    Raises :class:`Conflict` if the voyage is not under way.
    """
    row = executions.get_under_way(session, charting)
    followed = position_reports.load_followed(session, row)
    reports = position_reports.load_reports(session, row, utc_now())
    progress = position_reports.find_progress(row, reports, followed)
    rest = {
        "note": "It becomes the next revision of this voyage.",
        "address": url_for("pages.route", charting_id=charting.id),
    }
    if progress is None:
        earlier = followed.request
        rest["note"] += " No position was reported: enter the ship's position and time."
    else:
        earlier = position_reports.request_rest(followed, progress)
        earlier |= {name: write_instant(earlier[name]) for name in ("startDate", "endDate")}
        rest["note"] = f"From the last position. {rest['note']}"
        rest["from"] = f"Position at {format_time(progress.time)}"
        rest["position"] = format_position(*progress.position)
    return {"earlier": earlier, "rest": rest}


def _addresses(replanned: str | None) -> dict[str, str]:
    return {
        "ports": url_for("pages.ports"),
        "order": url_for("pages.replan", charting_id=replanned)
        if replanned
        else url_for("pages.order"),
        "live": url_for("pages.live"),
        "routePreview": url_for("pages.preview_route"),
        "areaCheck": url_for("pages.check_constraint"),
        "referenceRoute": url_for("pages.reference_route"),
        "line": url_for("pages.line", charting_id="ID"),
    }


@pages.get("/ports")
def ports() -> ResponseReturnValue:
    """Return ports whose names begin with the typed text, best match first; else similar ones."""
    typed = request.args.get("search", "").strip()
    found = search_ports(typed, _MOST_PORTS) if len(typed) >= _SHORTEST_NAME else []
    similar = [] if found else find_similar_ports(typed, _MOST_PORTS)
    return answer_json(
        isSimilar=bool(similar),
        items=[
            {
                "name": port.name,
                "otherName": find_other_name(port, typed),
                "locode": port.locode,
                "country": port.country,
                "lat": port.position.lat,
                "lng": port.position.lng,
            }
            for port in found or similar
        ],
    )
