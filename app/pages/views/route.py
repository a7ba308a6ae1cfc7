"""Route page of a charting."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from flask import Response, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.exports.csv import content_hash, render_csv
from app.models import Charting, ChartingRevision, ChartingStatus, ExecutionState, Role, SubjectKind
from app.pages.blueprint import answer_file, answer_json, pages
from app.pages.charts.chart_areas import list_areas_of_plan
from app.pages.charts.route_map import (
    ChartParts,
    draw_alternative,
    draw_route,
    lay_out_chart,
    render,
    show_all,
    unwrap,
)
from app.pages.presenters import presenters
from app.pages.presenters.compare import (
    compare_routes,
    list_alternative_profiles,
    list_alternatives,
)
from app.pages.presenters.departures import describe_comparison
from app.pages.presenters.presenters import list_departures
from app.pages.presenters.provenance import describe_provenance
from app.pages.presenters.spread import caution_exceedances, describe_spread, describe_tracks
from app.pages.views.chart_data import describe_unproven
from app.pages.views.departures import list_arrivals
from app.pages.views.reviews import list_points
from app.pages.web.access import actor, organization_id
from app.pages.web.own import asked_revision, own_charting, own_plan, own_session
from app.records.instants import format_instant, parse_instant
from app.services import charting_request
from app.services.areas.area_impact import find_newly_crossed
from app.services.chartings import chartings, departure_windows, plan_reading
from app.services.chartings.charting_search import ChartingView, list_revisions
from app.services.engine_mapping import load_plan
from app.services.errors import NotFound
from app.services.monitoring import advices
from app.services.monitoring.voyage_progress import find_current, find_position_age_h, is_stale
from app.services.platform import audit
from app.services.sea.sea_scales import wave_limit_m, wind_limit_ms

_USUAL_WINDOW: Final = timedelta(days=3)
_TRACK = ("lat", "lng", "time", "cumulativeNm", "courseDeg", "speedKn", "speedThroughWaterKn",
          "powerKw", "depthM")  # fmt: skip
_TRACK_WEATHER = ("waveHeightM", "waveDirDeg", "windSpeedMs", "windDirDeg", "currentSpeedKn")


@pages.get("/voyages/<charting_id>")
def route(charting_id: str) -> ResponseReturnValue:
    """Show a charting, or one revision of it: plan, progress of planning, or the failure."""
    with own_session() as session:
        view = chartings.get_view(session, organization_id(), charting_id, asked_revision())
        planned = view.planned if view.planned.status == ChartingStatus.COMPLETED else None
        charting = presenters.charting(view.charting, view.state, planned)
        plan = planned.plan if planned else None
        crossed = find_newly_crossed(session, planned) if planned else []
        data = _page_data(view, charting, plan)
        data["areas"] = list_areas_of_plan(view.planned, crossed)
        reading = _read(session, planned, data["limits"]) if planned else {}
        voyage = find_current(session, view.charting)
        under_way = voyage if voyage and voyage.state == ExecutionState.UNDER_WAY else None
        progress = under_way and under_way.progress
        data["ship"] = progress and _ship(view.charting, progress)
        return render_template(
            "route/route.html",
            under_way=under_way,
            progress=progress,
            is_stale=under_way is not None and is_stale(under_way),
            position_age_h=under_way and find_position_age_h(under_way),
            charting=charting,
            state=view.state,
            planned=planned,
            plan=plan,
            shown_revision=view.planned.revision,
            latest_plan=view.charting.completed_revision,
            is_latest=view.planned.revision == view.charting.completed_revision,
            revisions=list_revisions(session, view.charting),
            chart_parts=_chart(view, plan),
            page_data=data | {"criticalPoints": reading.get("critical_points", [])},
            advice=advices.find_open(session, view.charting),
            crossed=crossed,
            departures=describe_comparison(departure_windows.find_view(session, view.charting)),
            may_compare=plan is not None
            or departure_windows.another_departure_may_do(view.planned),
            window=_usual_window(view.planned),
            **reading,
        )


@pages.get("/voyages/<charting_id>/state")
def route_state(charting_id: str) -> ResponseReturnValue:
    """Return the progress of planning."""
    with own_session() as session:
        view = chartings.get_view(session, organization_id(), charting_id, with_plan=False)
        return answer_json(**presenters.planning_state(view.charting, view.state))


@pages.get("/voyages/<charting_id>/revisions/<int:revision>/alternatives/<int:number>")
def alternative(charting_id: str, revision: int, number: int) -> ResponseReturnValue:
    """Return the dense profile of an alternative of a plan by its number from 0."""
    with own_plan(charting_id, revision) as (_, view):
        planned = view.planned
        profiles = list_alternative_profiles(planned.plan or {}, planned.alternative_profiles or [])
        if number >= len(profiles):
            raise NotFound("No profile of this alternative is stored.")
        return answer_json(**_columns(profiles[number]))


@pages.post("/voyages/<charting_id>/cancel")
def cancel_planning(charting_id: str) -> ResponseReturnValue:
    """Cancel the planning of a charting."""
    actor().require(Role.PLANNER)
    with own_charting(charting_id) as (session, charting):
        view = chartings.cancel(session, charting)
        return answer_json(**presenters.planning_state(charting, view.state))


def _read(
    session: Session, planned: ChartingRevision, limits: dict[str, float | None]
) -> dict[str, Any]:
    """Return template variables of a plan: critical points, explanation, alternatives, files."""
    points = list_points(session, planned)
    spread = (planned.plan or {}).get("spread")
    return {
        "critical_points": points,
        "reviewed_count": sum(point["review"] is not None for point in points),
        "explanation": plan_reading.explain_plan(session, planned),
        "routes": compare_routes(
            planned.label or "", planned.summary or {}, planned.plan or {}, limits
        ),
        "arrivals": list_arrivals(planned.plan or {}, planned.summary or {}),
        "leaving_times": list_departures((planned.plan or {}).get("waypoints", [])),
        "spread": describe_spread(spread, planned.profile or []),
        "provenance": describe_provenance(planned),
        "warnings": planned.warnings or [],
        "exceeded": caution_exceedances(spread),
        "files": {
            kind: url_for(
                "pages.route_file",
                charting_id=planned.charting_id,
                kind=kind,
                revision=planned.revision,
            )
            for kind in ("rtz", "csv")
        },
        "print_address": url_for(
            "pages.passage_plan", charting_id=planned.charting_id, revision=planned.revision
        ),
    }


def _chart(view: ChartingView, plan: dict[str, Any] | None) -> ChartParts:
    chart = lay_out_chart()
    if plan is None:
        asked = view.state.request
        ends = charting_request.departure_of(asked), charting_request.arrival_of(asked)
        show_all(chart, unwrap(ends))
        return render(chart)
    for number, other in enumerate(list_alternatives(plan)):
        draw_alternative(chart, other["waypoints"], number)
    draw_route(chart, plan["waypoints"])
    return render(chart)


def _page_data(
    view: ChartingView, charting: dict[str, Any], plan: dict[str, Any] | None
) -> dict[str, Any]:
    asked = view.planned.request
    return {
        "charting": charting,
        "stateAddress": url_for("pages.route_state", charting_id=charting["id"]),
        "reviewAddress": url_for(
            "pages.review_point", charting_id=charting["id"], revision=view.planned.revision
        ),
        "alternativeAddress": url_for(
            "pages.alternative",
            charting_id=charting["id"],
            revision=view.planned.revision,
            number=0,
        ).removesuffix("0"),
        "limits": {"waveM": wave_limit_m(asked), "windMs": wind_limit_ms(asked)},
        "weather": {
            "address": url_for("pages.chart_weather"),
            "limitM": wave_limit_m(asked),
            "planned": (view.planned.provenance or {}).get("weatherRuns", []),
        },
        "waypoints": [
            {key: point[key] for key in ("lat", "lng", "eta", "courseDeg", "cumulativeNm")}
            for point in (plan["waypoints"] if plan else [])
        ],
        "exceededAt": _find_exceeded(view.state),
        "ensembleTracks": describe_tracks(plan and plan.get("spread")),
        "unproven": describe_unproven(asked["draft"]),
        "track": _columns(view.planned.profile or [] if plan else []),
    }


def _find_exceeded(state: ChartingRevision) -> list[float] | None:
    """Find the position at which a failed planning exceeds a limit."""
    found = (state.failure or {}).get("data") or {}
    return [found["lat"], found["lng"]] if "lat" in found else None


def _ship(charting: Charting, progress: dict[str, Any]) -> dict[str, Any]:
    """Describe the ship of a voyage under way at its last position, for the chart."""
    return {
        "name": charting.current_vessel_name,
        "address": url_for("pages.voyage_progress", charting_id=charting.id),
        "lat": progress["lat"],
        "lng": progress["lng"],
        "speedKn": progress["speedKn"],
        "at": progress["time"],
    }


def _usual_window(planned: ChartingRevision) -> dict[str, str]:
    """Return the default window of departures."""
    first = parse_instant(planned.request["startDate"])
    return {"first": format_instant(first), "last": format_instant(first + _USUAL_WINDOW)}


def _columns(profile: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Convert the dense profile to columns, which are smaller to send than points."""
    columns: dict[str, list[Any]] = {name: [point[name] for point in profile] for name in _TRACK}
    weathers = [point["weather"] or {} for point in profile]
    columns |= {name: [met.get(name) for met in weathers] for name in _TRACK_WEATHER}
    waves, winds = (
        [met["sources"][name] if met else None for met in weathers] for name in ("wave", "wind")
    )
    columns["source"] = [wave or wind for wave, wind in zip(waves, winds, strict=True)]
    for name in ("waveHeightM", "waveDirDeg"):
        # unknown waves are stored as none
        known = zip(columns[name], waves, strict=True)
        columns[name] = [value if source else None for value, source in known]
    return columns


@pages.get("/voyages/<charting_id>/<kind>")
def route_file(charting_id: str, kind: str) -> Response:
    """Download the latest plan, or that of the revision asked for, as a file."""
    if kind not in _WRITERS:
        abort(404)
    write, mimetype = _WRITERS[kind]
    with own_plan(charting_id, asked_revision()) as (session, view):
        planned = view.planned
        response = answer_file(
            write(planned), mimetype, f"{plan_reading.name_route(planned)}.{kind}"
        )
        if request.method == "GET":
            audit.record_export(
                session, actor(), SubjectKind.CHARTING, planned.charting_id, mimetype
            )
    response.headers["X-Content-Hash"] = content_hash(response.get_data())
    return response


_WRITERS: dict[str, tuple[Callable[[ChartingRevision], bytes], str]] = {
    "rtz": (plan_reading.write_rtz, "application/xml"),
    "csv": (lambda planned: render_csv(load_plan(planned)), "text/csv"),
}
