"""Which areas bind a voyage."""

from collections.abc import Iterator

from sqlalchemy.orm import Session

from app.engine.voyage import Area
from app.models import ChartingRevision
from app.services.no_go_areas import parse_no_go_areas


def list_areas(session: Session, revision: ChartingRevision) -> Iterator[Area]:
    """Every area that a revision's planning is to know of."""
    yield from parse_no_go_areas(revision.request["noGoAreas"] or [])
