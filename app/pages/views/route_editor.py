"""Route editor: page, check of each change, and saving."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import render_template, url_for
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from app.engine.geodesy.leg import LegGeometry
from app.engine.planning.given_route import GivenWaypoint
from app.engine.request import Position
from app.models import ChartingRevision, Role
from app.pages.blueprint import answer_json, pages
from app.pages.charts.chart_areas import keep_in_force, list_kept_areas
from app.pages.charts.route_map import lay_out_chart, render, show_all, trace_legs
from app.pages.presenters import presenters
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import check_lines, read_sent
from app.pages.web.own import asked_revision, own_plan
from app.records.charting import MOST_WAYPOINTS
from app.records.plan import SummarySchema, WaypointSchema
from app.records.route_check import FindingSchema, GivenWaypointSchema
from app.services.areas.areas_in_force import list_areas
from app.services.chartings import chartings, route_edits
from app.services.engine_mapping import snapshot_area

_SHOWN = ("eta", "courseDeg", "legDistanceNm", "speedThroughWaterKn", "turnRadiusNm")
_OF_LEG = ("lat", "lng", "legGeometry", "passage")


class _EditedWaypointSchema(GivenWaypointSchema):
    """An edited waypoint, with the passage of its leg."""

    passage = fields.String(load_default=None, allow_none=True, validate=validate.Length(max=200))


_WAYPOINTS = fields.List(
    fields.Nested(_EditedWaypointSchema), required=True, validate=validate.Length(2, MOST_WAYPOINTS)
)
_EDITED = Schema.from_dict({"waypoints": _WAYPOINTS}, name="EditedRoute")
_SAVED = Schema.from_dict(
    {
        "waypoints": _WAYPOINTS,
        "reason": fields.String(
            load_default="", validate=(validate.Length(max=route_edits.LONGEST_REASON), check_lines)
        ),
    },
    name="SavedRoute",
)


@pages.get("/voyages/<charting_id>/edit")
def edit_route(charting_id: str) -> ResponseReturnValue:
    """Show the latest plan of a charting in the editor, or another revision to restore it."""
    actor().require(Role.PLANNER)
    with own_plan(charting_id) as (session, view):
        planned = view.planned
        shown = chartings.get_planned(
            session, organization_id(), charting_id, asked_revision()
        ).planned
        plan = shown.plan or {}
        areas = keep_in_force(map(snapshot_area, list_areas(session, planned)), planned)
        chart = lay_out_chart()
        show_all(chart, trace_legs(plan["waypoints"]))
        return render_template(
            "route/edit.html",
            charting=presenters.charting(view.charting, view.state, planned),
            restored=None if shown is planned else shown.revision,
            next_revision=view.charting.latest_revision + 1,
            chart_parts=render(chart),
            page_data=_page_data(charting_id, planned, shown) | {"areas": list_kept_areas(areas)},
        )


@pages.post("/voyages/<charting_id>/revisions/<int:revision>/edit/check")
def check_edited_route(charting_id: str, revision: int) -> ResponseReturnValue:
    """Return the findings and totals of an edited route."""
    actor().require(Role.PLANNER)
    form = read_sent(_EDITED())
    with own_plan(charting_id, revision) as (session, view):
        base = view.planned
        edit = route_edits.check_edit(session, base, _read(form["waypoints"]))
    summary, points = edit.summary, map(WaypointSchema.write, edit.waypoints)
    return answer_json(
        findings=[*map(FindingSchema.write, edit.checked.findings)],
        summary=None if summary is None else SummarySchema.write(summary),
        waypoints=[{key: point.get(key) for key in _SHOWN} for point in points],
    )


@pages.post("/voyages/<charting_id>/revisions/<int:revision>/edit")
def save_edited_route(charting_id: str, revision: int) -> ResponseReturnValue:
    """Save an edited route as the next revision."""
    form = read_sent(_SAVED())
    with own_plan(charting_id, revision) as (session, view):
        route_edits.save_edit(
            session, actor(), view.charting, view.planned, _read(form["waypoints"]), form["reason"]
        )
    return answer_json(address=url_for("pages.route", charting_id=charting_id))


def _page_data(
    charting_id: str, planned: ChartingRevision, shown: ChartingRevision
) -> dict[str, Any]:
    """Return the waypoints of the revision shown, to be saved after the one planned last."""
    summary, plan, edit = planned.summary or {}, shown.plan or {}, shown.edit or {}
    times = {each["waypointIndex"]: each["eta"] for each in edit.get("timesOrdered", [])}
    return {
        "waypoints": [_edited(each, times.get(n)) for n, each in enumerate(plan["waypoints"])],
        "base": trace_legs((planned.plan or {})["waypoints"]),
        "isRestored": shown is not planned,
        "opened": {key: summary[key] for key in ("eta", "fuelMt", "distanceNm")},
        "checkAddress": url_for(
            "pages.check_edited_route", charting_id=charting_id, revision=planned.revision
        ),
        "saveAddress": url_for(
            "pages.save_edited_route", charting_id=charting_id, revision=planned.revision
        ),
    }


def _edited(point: dict[str, Any], ordered_eta: str | None) -> dict[str, Any]:
    """Present a waypoint for editing, with the planned speed through the water of its leg."""
    kept = {key: point.get(key) for key in _OF_LEG}
    speed = point.get("speedThroughWaterKn")
    return kept | {
        "legGeometry": point.get("legGeometry") or LegGeometry.RHUMB.value,
        "speedKn": None if speed is None else max(1.0, min(40.0, speed)),
        "eta": ordered_eta,
    }


def _read(waypoints: Sequence[Mapping[str, Any]]) -> list[GivenWaypoint]:
    """Convert waypoints to the engine's records."""
    return [
        GivenWaypoint(
            Position(each["lat"], each["lng"]),
            LegGeometry(each["legGeometry"] or LegGeometry.RHUMB),
            speed_kn=each["speedKn"],
            due=each["eta"] if number else None,
            passage=each["passage"],
        )
        for number, each in enumerate(waypoints)
    ]
