"""Reviews of critical points: user and time of each tick, stored per revision."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.engine.report.critical_points import CriticalPoint
from app.models import ChartingRevision, PointReview, Role, utc_now
from app.services.errors import NotFound
from app.services.platform.actor import Actor


class PointKey(NamedTuple):
    """Key of a critical point in a revision."""

    waypoint_index: int
    eta: datetime

    @classmethod
    def of(cls, point: CriticalPoint) -> "PointKey":
        """The key of a point."""
        return cls(point.waypoint_index, point.eta)


def list_reviews(
    session: Session, revision: ChartingRevision, points: Sequence[CriticalPoint]
) -> Mapping[PointKey, PointReview]:
    """The valid reviews: of points whose description has not changed since the review."""
    query = select(PointReview).where(
        PointReview.organization_id == revision.organization_id,
        PointReview.charting_id == revision.charting_id,
        PointReview.revision == revision.revision,
    )
    kept = {PointKey(row.waypoint_index, row.eta): row for row in session.scalars(query)}
    described = {PointKey.of(point): point.description for point in points}
    return {key: row for key, row in kept.items() if described.get(key) == row.description}


def review(
    session: Session,
    actor: Actor,
    revision: ChartingRevision,
    points: Sequence[CriticalPoint],
    key: PointKey,
    *,
    name: str | None,
) -> PointReview:
    """Store a review of a point; an existing review keeps its name and time.

    Raises :class:`NotFound` if the revision has no such point, and
    :class:`NotAllowed` for users below the role of master.
    """
    actor.require(Role.MASTER)
    point = next((point for point in points if PointKey.of(point) == key), None)
    if point is None:
        raise NotFound("The route has no such critical point.")
    row = list_reviews(session, revision, points).get(key)
    if row is None:
        row = session.merge(
            PointReview(
                organization_id=revision.organization_id,
                charting_id=revision.charting_id,
                revision=revision.revision,
                waypoint_index=key.waypoint_index,
                eta=key.eta,
                description=point.description,
                reviewed_at=utc_now(),
                reviewed_by=actor.name,
                reviewer_name=name,
            )
        )
        session.flush()
    return row


def take_back(
    session: Session,
    actor: Actor,
    revision: ChartingRevision,
    key: PointKey,
) -> None:
    """Delete the review of a point, if there is one."""
    actor.require(Role.MASTER)
    row = session.get(PointReview, (revision.charting_id, revision.revision, *key))
    if row is not None:
        session.delete(row)
