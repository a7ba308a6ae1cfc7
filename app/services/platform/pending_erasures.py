"""Erasures that are requested and not done, which others must not work against."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models import Erasure, SubjectKind
from app.services.errors import Conflict
from app.services.problem_codes import ProblemCode


def refuse_pending(
    session: Session, organization_id: UUID, kind: SubjectKind, subject_ids: Collection[UUID]
) -> None:
    """Raise :class:`Conflict` if the erasure of one of some subjects is requested and not done."""
    own = Erasure.organization_id == organization_id, Erasure.subject_id.in_(subject_ids)
    erasure = session.scalar(select(Erasure).where(*own, Erasure.done_at.is_(None)).limit(1))
    if erasure is not None:
        raise Conflict(
            f"The {kind} is erased on {erasure.due_at:%Y-%m-%d}. Cancel erasure {erasure.id}"
            " first.",
            code=ProblemCode.ERASURE_REQUESTED,
            erasureId=str(erasure.id),
        )
