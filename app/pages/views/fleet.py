"""Fleet page: particulars, fuel curve, statistics and voyages of a vessel."""

from operator import attrgetter
from typing import Any

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session
from werkzeug.utils import redirect

from app.engine.calibration.declared import find_contradictions
from app.engine.vessel import FocEstimate, estimate_foc, stated_fuel_error
from app.models import Vessel, utc_now
from app.pages.blueprint import answer_json, pages
from app.pages.charts.route_map import lay_out_chart, render
from app.pages.presenters import presenters
from app.pages.presenters.period import Period, list_periods, qualify_rating, read_period
from app.pages.views.calibrations import describe_run, list_versions
from app.pages.web.access import organization_id
from app.pages.web.own import own_session, own_vessel
from app.pages.web.text_lines import write_maintenance
from app.pages.web.visitor import current_user
from app.records.vessel import VESSEL_TYPES
from app.services.chartings import charting_search, chartings
from app.services.chartings.charting_search import ChartingFilter
from app.services.engine_mapping import build_registered_ship, read_declared_points
from app.services.vessels import fleet_summary, vessel_statistics, vessels
from app.services.vessels.vessel_statistics import VesselStatistics

_VOYAGES = 12


@pages.get("/fleet")
def fleet() -> ResponseReturnValue:
    """Redirect to the newest vessel."""
    with own_session() as session:
        newest = vessels.list_page(session, organization_id(), 1, 1).items
    if newest:
        return redirect(url_for("pages.vessel", vessel_id=newest[0].id))
    return render_template("fleet/empty.html", may_plan=current_user.may_plan)


@pages.get("/fleet/summaries")
def fleet_summaries() -> ResponseReturnValue:
    """Return the figures of all vessels in the list, by vessel."""
    with own_session() as session:
        listed = vessels.list_fleet(session, organization_id())
        found = list(fleet_summary.summarise(session, organization_id(), listed, utc_now()))
    figures = {
        str(row.vessel_id): {
            "rating": row.rating,
            "kgPerNm": row.fuel_kg_per_nm,
            "offPct": row.off_pct,
        }
        for row in found
    }
    return answer_json(vessels=figures)


@pages.get("/fleet/<vessel_id>")
def vessel(vessel_id: str) -> ResponseReturnValue:
    """Show a vessel with its statistics in a period."""
    period = read_period(request.args)
    with own_vessel(vessel_id) as (session, shown):
        all_vessels = vessels.list_fleet(session, organization_id())
        voyages = charting_search.list_page(
            session, organization_id(), 1, _VOYAGES, ChartingFilter(vessel_id=vessel_id)
        )
        ship = build_registered_ship(shown)
        estimate = estimate_foc(ship)
        found = vessel_statistics.describe(session, shown, period.since, period.until)
        return render_template(
            "fleet/fleet.html",
            fleet=all_vessels,
            vessel=shown,
            types=VESSEL_TYPES,
            cii_type=ship.cii_type,
            voyages=presenters.chartings(session, voyages.items),
            voyages_total=voyages.total,
            consumption=estimate,
            period=period,
            statistics=found,
            cii_doubt=qualify_rating(found, utc_now()),
            comparisons=_comparisons(session, found),
            figures=presenters.derived_figures(ship),
            # Without records there is no track.
            chart_parts=render(lay_out_chart()) if found.recorded else None,
            may_plan=current_user.may_plan,
            quick_periods=list_periods(shown, utc_now().date()),
            versions=list_versions(session, shown),
            run=describe_run(session, shown),
            rests_on=ship.response.rests_on,
            fuel_error_pct=100.0 * stated_fuel_error(ship),
            maintenance=write_maintenance(shown.maintenance).splitlines(),
            contradictions=_describe_contradictions(shown),
            page_data=_page_data(shown, estimate, found) | _addresses(shown, period),
        )


def _addresses(shown: Vessel, period: Period) -> dict[str, str]:
    chosen: dict[str, Any] = period.query
    return {
        "records": url_for("pages.vessel_months", vessel_id=shown.id, **chosen),
        "summaries": url_for("pages.fleet_summaries"),
        "statisticsCsv": url_for("pages.vessel_statistics_csv", vessel_id=shown.id, **chosen),
        "telemetryCsv": url_for("pages.vessel_telemetry_csv", vessel_id=shown.id, **chosen),
    }


def _comparisons(session: Session, found: VesselStatistics) -> list[dict[str, Any]]:
    """List voyages with planned and recorded fuel, newest first."""
    ids = [voyage.charting_id for voyage in found.comparisons]
    sailed = chartings.get_all(session, organization_id(), ids)
    compared = []
    for voyage in sorted(found.comparisons, key=attrgetter("departs_at"), reverse=True):
        charting = sailed[voyage.charting_id]
        compared.append(
            {
                "address": url_for("pages.route", charting_id=charting.id),
                "name": f"{charting.port_from_name} to {charting.port_to_name}",
                "departs_at": voyage.departs_at,
                "predicted_fuel_t": voyage.predicted_fuel_t,
                "actual_fuel_t": voyage.actual_fuel_t,
                "off_pct": 100 * (voyage.actual_fuel_t / voyage.predicted_fuel_t - 1),
            }
        )
    return compared


def _describe_contradictions(shown: Vessel) -> list[str]:
    """Describe pairs of declared points of which the faster consumes less."""
    points = tuple(read_declared_points({"performance": shown.performance}))
    return [
        f"{points[i].speed_kn:g} kn at {points[i].fuel_t_per_day:g} mt/day and"
        f" {points[j].speed_kn:g} kn at {points[j].fuel_t_per_day:g} mt/day"
        for i, j in find_contradictions(points)
    ]


def _page_data(shown: Vessel, estimate: FocEstimate, found: VesselStatistics) -> dict[str, Any]:
    recorded = found.recorded.speed_curve if found.recorded else ()
    return {
        "recorded": [[point.speed_kn, point.fuel_t_per_day] for point in recorded],
        "declared": [
            [point["speed"], point["focMtPerDay"], point["loading"] == "LADEN"]
            for point in shown.performance or ()
        ],
        "serviceSpeedKn": estimate.service_speed_kn,
        "focMtPerDay": estimate.foc_mt_per_day,
        "curve": {
            "speedKn": [round(point.speed_kn, 2) for point in estimate.curve],
            "focMtPerDay": [round(point.foc_mt_per_day, 2) for point in estimate.curve],
        },
    }
