"""Objects of the signed-in user's organization, opened for one request."""

from collections.abc import Iterator
from contextlib import contextmanager

from flask import request
from sqlalchemy.orm import Session

from app.models import Charting, Vessel
from app.pages.web.access import organization_id
from app.services.chartings import chartings
from app.services.chartings.charting_search import ChartingView
from app.services.platform.sessions import organization_session
from app.services.vessels import vessels


def asked_revision() -> int | None:
    """Return the revision in the query string, ``None`` for the latest plan."""
    return request.args.get("revision", type=int)


@contextmanager
def own_session() -> Iterator[Session]:
    """Open a session of the user's organization."""
    with organization_session(organization_id()) as session:
        yield session


@contextmanager
def own_vessel(vessel_id: str) -> Iterator[tuple[Session, Vessel]]:
    """Open a session with a vessel; raises :class:`NotFound`."""
    with own_session() as session:
        yield session, vessels.get(session, organization_id(), vessel_id)


@contextmanager
def own_charting(charting_id: str) -> Iterator[tuple[Session, Charting]]:
    """Open a session with a charting; raises :class:`NotFound`."""
    with own_session() as session:
        yield session, chartings.get(session, organization_id(), charting_id)


@contextmanager
def own_plan(
    charting_id: str, revision: int | None = None
) -> Iterator[tuple[Session, ChartingView]]:
    """Open a session with a charting's plan; raises :class:`Conflict` before there is one."""
    with own_session() as session:
        yield session, chartings.get_planned(session, organization_id(), charting_id, revision)
