"""The fleet: each vessel's particulars, her fuel curve and her voyages."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session
from werkzeug.utils import redirect

from app.engine.vessel import FocEstimate
from app.pages import rows
from app.pages.access import organization_id
from app.pages.blueprint import pages
from app.services import charting_search, chartings, consumption, vessel_statistics, vessels
from app.services.instants import first_instant, last_instant
from app.services.sessions import organization_session
from app.services.vessel_particulars import VESSEL_TYPES
from app.services.vessel_statistics import VesselStatistics

_MOST_VESSELS = 200
_VOYAGES = 12


@pages.get("/fleet")
def fleet() -> ResponseReturnValue:
    """Open the fleet on its newest vessel."""
    with organization_session(organization_id()) as session:
        newest = vessels.list_page(session, organization_id(), 1, 1).items
    if newest:
        return redirect(url_for("pages.vessel", vessel_id=newest[0].id))  # type: ignore[return-value]
    return render_template("fleet/fleet.html", fleet=[], vessel=None)


@pages.get("/fleet/<vessel_id>")
def vessel(vessel_id: str) -> ResponseReturnValue:
    """Show one vessel among the fleet, with her statistics of a period."""
    period = read_period(request.args)
    with organization_session(organization_id()) as session:
        shown = vessels.get(session, organization_id(), vessel_id)
        all_vessels = vessels.list_page(session, organization_id(), 1, _MOST_VESSELS).items
        voyages = charting_search.list_page(
            session, organization_id(), 1, _VOYAGES, vessel_id=vessel_id
        )
        estimate = consumption.estimate_of(shown)
        found = vessel_statistics.describe(session, shown, period.since, period.until)
        return render_template(
            "fleet/fleet.html",
            fleet=all_vessels,
            vessel=shown,
            types=VESSEL_TYPES,
            voyages=rows.chartings(session, voyages.items),
            voyages_total=voyages.total,
            consumption=estimate,
            period=period,
            statistics=found,
            comparisons=_comparisons(session, found),
            page_data=_page_data(estimate, found),
        )


class Period(NamedTuple):
    """A period as it was typed, and as it was understood; an end may be open."""

    first_day: str
    last_day: str
    since: datetime | None
    until: datetime | None
    fault: str


def read_period(typed: Mapping[str, str]) -> Period:
    """Read two calendar days; what is no period is told and then left open."""
    first, last = typed.get("from", "").strip(), typed.get("to", "").strip()
    try:
        since = first_instant(date.fromisoformat(first)) if first else None
        until = last_instant(date.fromisoformat(last)) if last else None
    except ValueError:
        return Period(first, last, None, None, "Enter days like 2026-01-14.")
    if since and until and until < since:
        return Period(first, last, None, None, "The last day is before the first.")
    return Period(first, last, since, until, "")


def _comparisons(session: Session, found: VesselStatistics) -> list[dict[str, Any]]:
    """Voyages whose fuel was both planned and recorded, by name."""
    compared = []
    for voyage in found.comparisons:
        charting = chartings.get(session, organization_id(), str(voyage.charting_id))
        compared.append(
            {
                "address": url_for("pages.route", charting_id=charting.id),
                "name": f"{charting.port_from_name} to {charting.port_to_name}",
                "predicted_fuel_t": voyage.predicted_fuel_t,
                "actual_fuel_t": voyage.actual_fuel_t,
                "off_pct": 100 * (voyage.actual_fuel_t / voyage.predicted_fuel_t - 1),
            }
        )
    return compared


def _page_data(estimate: FocEstimate, found: VesselStatistics) -> dict[str, Any]:
    recorded = found.recorded.speed_curve if found.recorded else ()
    return {
        "recorded": [[point.speed_kn, point.fuel_t_per_day] for point in recorded],
        "serviceSpeedKn": estimate.service_speed_kn,
        "focMtPerDay": estimate.foc_mt_per_day,
        "curve": {
            "speedKn": [round(point.speed_kn, 2) for point in estimate.curve],
            "focMtPerDay": [round(point.foc_mt_per_day, 2) for point in estimate.curve],
        },
    }
