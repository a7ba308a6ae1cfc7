"""Rows that several groups of operations find by the id in their path."""

from app.api.operation import RequestContext
from app.models import Charting
from app.services.chartings import chartings


def find_charting(context: RequestContext, charting_id: str) -> Charting:
    """Return a charting of the caller's organization; raises :class:`NotFound`."""
    return chartings.get(context.session, context.actor.organization_id, charting_id)
