"""The fleet: each vessel's particulars, her fuel curve and her voyages."""

from typing import Any

from flask import render_template, url_for
from flask.typing import ResponseReturnValue
from werkzeug.utils import redirect

from app.engine.vessel import FocEstimate
from app.pages import rows
from app.pages.access import organization_id
from app.pages.blueprint import pages
from app.services import charting_search, consumption, vessels
from app.services.sessions import organization_session
from app.services.vessel_particulars import VESSEL_TYPES

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
    """Show one vessel among the fleet."""
    with organization_session(organization_id()) as session:
        shown = vessels.get(session, organization_id(), vessel_id)
        all_vessels = vessels.list_page(session, organization_id(), 1, _MOST_VESSELS).items
        voyages = charting_search.list_page(
            session, organization_id(), 1, _VOYAGES, vessel_id=vessel_id
        )
        estimate = consumption.estimate_of(shown)
        return render_template(
            "fleet/fleet.html",
            fleet=all_vessels,
            vessel=shown,
            types=VESSEL_TYPES,
            voyages=rows.chartings(session, voyages.items),
            voyages_total=voyages.total,
            consumption=estimate,
            page_data=_page_data(estimate),
        )


def _page_data(estimate: FocEstimate) -> dict[str, Any]:
    return {
        "serviceSpeedKn": estimate.service_speed_kn,
        "focMtPerDay": estimate.foc_mt_per_day,
        "curve": {
            "speedKn": [round(point.speed_kn, 2) for point in estimate.curve],
            "focMtPerDay": [round(point.foc_mt_per_day, 2) for point in estimate.curve],
        },
    }
