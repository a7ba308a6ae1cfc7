"""Printed passage plan."""

from datetime import datetime, timedelta
from typing import Any, Final

from flask import render_template
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.engine.area import AreaKind
from app.models import utc_now
from app.pages.blueprint import pages
from app.pages.charts.chart_areas import list_areas_of_plan
from app.pages.charts.chart_print import draw_chart
from app.pages.presenters.departures import describe_departure, find_even_words
from app.pages.presenters.presenters import list_departures
from app.pages.presenters.provenance import describe_provenance
from app.pages.presenters.spread import describe_spread
from app.pages.views.chart_data import tiles_folder
from app.pages.views.reviews import list_points
from app.pages.web.own import own_plan
from app.records.instants import format_instant, parse_instant
from app.services.areas.area_impact import find_newly_crossed
from app.services.areas.area_stays import CrossedArea
from app.services.chartings import departure_windows, plan_reading
from app.services.chartings.charting_search import ChartingView

KIND_WORDS: Final = {
    AreaKind.CONSTRAINT: "Constraint",
    AreaKind.CLIENT_DATA: "Client data",
    AreaKind.NO_GO: "No-go area",
    AreaKind.PIRACY: "Piracy",
    AreaKind.WAR_RISK: "War risk",
    AreaKind.ECA: "Emission control",
    AreaKind.ICE: "Ice",
    AreaKind.SEASON: "Closed season",
    AreaKind.CHART: "Chart",
    AreaKind.ADVISORY: "Advisory",
}

#: Intervals of the weather table [h]; the shortest with at most this many lines is used.
_EVERY_H: Final = (1, 3, 6, 12, 24, 48)
_MOST_LINES: Final = 60


@pages.get("/voyages/<charting_id>/revisions/<int:revision>/passage-plan")
def passage_plan(charting_id: str, revision: int) -> ResponseReturnValue:
    """Show a revision's passage plan for A4."""
    with own_plan(charting_id, revision) as (session, view):
        planned = view.planned
        plan, profile = planned.plan or {}, planned.profile or []
        points, crossed = list_points(session, planned), find_newly_crossed(session, planned)
        return render_template(
            "route/passage_plan.html",
            charting=view.charting,
            planned=planned,
            waypoints=plan["waypoints"],
            leaving_times=list_departures(plan["waypoints"]),
            points=points,
            chart=draw_chart(
                tiles_folder(),
                plan["waypoints"],
                points,
                list_areas_of_plan(planned, crossed),
            ),
            weather=sample_weather(profile),
            areas=[_area(met) for met in plan_reading.list_areas_met(planned)],
            crossed=crossed,
            spread=describe_spread(plan.get("spread"), profile),
            best_departure=_best_departure(session, view),
            explanation=plan_reading.explain_plan(session, planned),
            provenance=describe_provenance(planned),
            printed_at=format_instant(utc_now()),
        )


def _best_departure(session: Session, view: ChartingView) -> str | None:
    """Describe the best compared departure of the voyage."""
    compared = departure_windows.find_view(session, view.charting)
    if compared is None or compared.row.revision > view.planned.revision:
        return None
    best = compared.best
    if best is None:
        return None
    return find_even_words(compared.departures) or describe_departure(best)


def sample_weather(profile: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Thin the dense profile to equal intervals, with its last point."""
    if not profile:
        return []
    start, end = (parse_instant(profile[at]["time"]) for at in (0, -1))
    hours = (end - start) / timedelta(hours=1)
    every = timedelta(hours=next((h for h in _EVERY_H if hours / h <= _MOST_LINES), _EVERY_H[-1]))
    kept, due = [], start
    for point in profile[:-1]:
        time: datetime = parse_instant(point["time"])
        if time >= due:
            kept.append(point)
            due += every * ((time - due) // every + 1)
    return [*kept, profile[-1]]


def _area(met: CrossedArea) -> dict[str, Any]:
    return {
        "name": met.area.name,
        "kind": KIND_WORDS[met.area.kind],
        "entersAt": met.crossing.from_time,
        "leavesAt": met.crossing.to_time,
        "distanceNm": met.crossing.inside_nm,
    }
