"""Re-planning of a charting for another arrival."""

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from app.engine.request import Objective
from app.records.instants import parse_instant
from app.services.chartings import chartings
from app.services.chartings.charting_search import ChartingView
from app.services.chartings.departure_windows import WINDOW_FIELDS
from app.services.platform.actor import Actor


def order_arrival(
    session: Session, actor: Actor, charting_id: str, arrival: datetime
) -> ChartingView:
    """Re-plan a charting with the same request, for the least fuel by ``arrival``.

    The former objective is dropped: the user chose the arrival by its fuel.

    Raises
    ------
    Conflict
        Before there is a plan, and while another is being made.
    Invalid
        For an arrival that cannot be requested.
    """
    view = chartings.get_planned(session, actor.organization_id, charting_id)
    asked = view.planned.request
    changes: dict[str, Any] = dict.fromkeys(WINDOW_FIELDS) | {
        "startDate": parse_instant(asked["startDate"]),
        "endDate": arrival,
        "optimizationType": str(Objective.FUEL),
    }
    return chartings.resubmit(session, actor, view.charting, asked | changes)
