"""Ordering a voyage that is planned for another arrival."""

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from app.engine.request import Objective
from app.records.instants import parse_instant
from app.services.chartings import chartings
from app.services.chartings.chartings import ChartingView
from app.services.chartings.departure_windows import WINDOW_FIELDS
from app.services.platform.actor import Actor


def order_arrival(
    session: Session, actor: Actor, charting_id: str, arrival: datetime
) -> ChartingView:
    """Order a planned charting anew, as before but with the least fuel by ``arrival``.

    Whatever it was planned for: an arrival chosen by its fuel leaves no other wish.

    Raises
    ------
    Conflict
        Before there is a plan, and while another is being made.
    Invalid
        When the arrival cannot be asked for.
    """
    view = chartings.get_planned(session, actor.organization_id, charting_id)
    asked = view.planned.request
    changes: dict[str, Any] = dict.fromkeys(WINDOW_FIELDS) | {
        "startDate": parse_instant(asked["startDate"]),
        "endDate": arrival,
        "optimizationType": str(Objective.FUEL),
    }
    return chartings.resubmit(session, actor, view.charting, asked | changes)
