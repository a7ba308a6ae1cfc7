"""User sessions, stored on the server so that it can end them."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.models import User, utc_now
from app.services.platform.sessions import cross_tenant_session

#: Longest duration of a session, in use or not (NIST SP 800-63B-4, 2.2.3).
LONGEST: Final = timedelta(hours=24)
#: Largest number of sessions of one user; beyond it the oldest ends.
MOST_OF_USER: Final = 20


def begin(user_id: UUID) -> str:
    """Begin a session of a user who has proved all that is asked; return its name."""
    name, now = uuid4().hex, utc_now()
    with cross_tenant_session() as session:
        kept = sorted(_live(_of(session, user_id)).items(), key=lambda item: item[1])
        kept = kept[-(MOST_OF_USER - 1) :]
        _keep(session, user_id, dict(kept) | {name: now.isoformat()})
        session.execute(update(User).where(User.id == user_id).values(last_signed_in_at=now))
    return name


def end(user_id: UUID, name: str) -> None:
    """End one session."""
    with cross_tenant_session() as session:
        _keep(session, user_id, {k: v for k, v in _of(session, user_id).items() if k != name})


def end_all(user_id: UUID) -> None:
    """End all sessions of a user, on all devices."""
    with cross_tenant_session() as session:
        end_all_in(session, user_id)


def end_all_in(session: Session, user_id: UUID) -> None:
    """End all sessions of a user in the caller's transaction, without an audit entry."""
    _keep(session, user_id, {})


def is_live(sessions: dict[str, str], name: str) -> bool:
    """Return whether a session exists and is not too old."""
    return name in _live(sessions)


def _live(sessions: dict[str, str]) -> dict[str, str]:
    oldest = utc_now() - LONGEST
    return {name: at for name, at in sessions.items() if datetime.fromisoformat(at) > oldest}


def _of(session: Session, user_id: UUID) -> dict[str, str]:
    query = select(User.id, User.sessions).where(User.id == user_id).with_for_update(of=User)
    row = session.execute(query).one_or_none()
    return dict(row.sessions) if row else {}


def _keep(session: Session, user_id: UUID, sessions: dict[str, str]) -> None:
    session.execute(update(User).where(User.id == user_id).values(sessions=sessions))
