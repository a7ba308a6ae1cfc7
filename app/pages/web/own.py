"""Objects of the signed-in user's organization, opened for one request."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from flask import Response, request
from sqlalchemy.orm import Session

from app.models import Charting, User, Vessel
from app.pages.web.access import actor, organization_id
from app.pages.web.visitor import current_user
from app.services.chartings import chartings
from app.services.chartings.charting_search import ChartingView
from app.services.identity import users
from app.services.platform import idempotency
from app.services.platform.sessions import organization_session
from app.services.vessels import vessels


def asked_revision() -> int | None:
    """Return the revision in the query string, ``None`` for the latest plan."""
    return request.args.get("revision", type=int)


def own_session() -> AbstractContextManager[Session]:
    """Open a session of the user's organization."""
    return organization_session(organization_id())


def own_user(session: Session) -> User:
    """Return the row of the signed-in user."""
    return users.get(session, organization_id(), str(current_user.user_id))


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


def answer_once(session: Session, act: Callable[[], Response]) -> Response:
    """Return the response of ``act``, or the stored one of an earlier request with the same key.

    The key is the header ``Idempotency-Key``. Raises :class:`Conflict` while the earlier request
    is in progress.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return act()
    digest = idempotency.request_digest(request.method, request.path, request.get_data())
    kept = idempotency.find_answer(session, actor(), key, digest)
    if kept is not None:
        return Response(kept.body, kept.status, kept.headers)
    response = act()
    headers = {"Content-Type": response.content_type, "Cache-Control": "no-store"}
    answer = idempotency.Answer(response.status_code, headers, response.get_data())
    idempotency.keep_answer(session, actor(), key, digest, answer)
    return response
