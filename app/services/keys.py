"""Keys to the API: issued, told apart, rotated, revoked."""

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.models import ApiKey, Role, new_id, utc_now
from app.services.actor import Actor
from app.services.errors import Conflict, NotFound, Unauthenticated
from app.services.ids import find_id
from app.services.problem_codes import ProblemCode
from app.services.sessions import FoundKey, gate_session, key_session

KeyKind = Literal["live", "test"]

#: How exactly the last use of a key is kept; finer would write on every request.
LAST_USED_STEP = timedelta(minutes=1)

_PREFIX_LENGTH = len("vk_live_") + 8
_LONGEST_SECRET = 100

_NO_GOOD = "The key is not known, has expired or has been revoked."


class KeyState(StrEnum):
    """Whether a key is good, and why not."""

    ACTIVE = "ACTIVE"
    EXPIRED = "EXPIRED"
    REVOKED = "REVOKED"


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key with its secret, which is never to be seen again."""

    key: ApiKey
    secret: str


def issue(
    session: Session,
    organization_id: UUID,
    role: Role,
    *,
    kind: KeyKind = "live",
    name: str | None = None,
    expires_at: datetime | None = None,
    is_operator: bool = False,
) -> IssuedKey:
    """Make a key for an organization."""
    secret = f"vk_{kind}_{secrets.token_urlsafe(32)}"
    key = ApiKey(
        id=new_id(),
        organization_id=organization_id,
        prefix=secret[:_PREFIX_LENGTH],
        secret_sha256=_digest(secret),
        role=role,
        is_operator=is_operator,
        name=name,
        expires_at=expires_at,
        created_at=utc_now(),
    )
    session.add(key)
    session.flush()
    return IssuedKey(key, secret)


def list_keys(session: Session, organization_id: UUID) -> list[ApiKey]:
    """All keys of an organization, newest first, without their secrets."""
    query = select(ApiKey).where(ApiKey.organization_id == organization_id)
    return list(session.scalars(query.order_by(ApiKey.id.desc())))


def get_key(session: Session, organization_id: UUID, key_id: str) -> ApiKey:
    """One key; raises :class:`NotFound`."""
    query = select(ApiKey).where(
        ApiKey.organization_id == organization_id, ApiKey.id == find_id(key_id)
    )
    key = session.scalar(query)
    if key is None:
        raise NotFound("There is no key with this id.")
    return key


def rotate(session: Session, organization_id: UUID, key_id: str, overlap: timedelta) -> IssuedKey:
    """Issue a key like this one, which itself stays good for ``overlap`` more.

    A successor lives as long as its predecessor was given to live. Raises
    :class:`Conflict` for a key that is no good or has a successor already.
    """
    old = get_key(session, organization_id, key_id)
    session.refresh(old, with_for_update=True)
    now = utc_now()
    if not _is_good(old, now):
        raise Conflict("Only a key that is still good can be rotated.")
    if session.scalar(select(ApiKey.id).where(ApiKey.rotated_from_id == old.id)):
        raise Conflict(
            "The key has been rotated already; issue another.", code=ProblemCode.KEY_ROTATED
        )
    issued = issue(
        session,
        organization_id,
        Role(old.role),
        kind=kind_of(old),
        name=old.name,
        is_operator=old.is_operator,
        expires_at=now + (old.expires_at - old.created_at) if old.expires_at else None,
    )
    issued.key.rotated_from_id = old.id
    old.expires_at = min(filter(None, (old.expires_at, now + overlap)))
    return issued


def revoke(session: Session, organization_id: UUID, key_id: str) -> ApiKey:
    """Make a key worthless from now on."""
    key = get_key(session, organization_id, key_id)
    key.revoked_at = key.revoked_at or utc_now()
    return key


def kind_of(key: ApiKey) -> KeyKind:
    """What sort of key it is, by its beginning."""
    return "test" if key.prefix.startswith("vk_test_") else "live"


def state_of(key: ApiKey) -> KeyState:
    """Whether a key is good now."""
    if key.revoked_at is not None:
        return KeyState.REVOKED
    return KeyState.ACTIVE if _is_good(key, utc_now()) else KeyState.EXPIRED


def authenticate(secret: str) -> Actor:
    """Find out whose key this is; raises :class:`Unauthenticated`."""
    with session_by_key(secret) as (_, actor):
        return actor


@contextmanager
def session_by_key(secret: str) -> Iterator[tuple[Session, Actor]]:
    """A session of the organization whose key this is, and who asks by it.

    Raises :class:`Unauthenticated`, in the same words whatever is wrong, so
    that nobody learns from them which keys there are.
    """
    if not secret.startswith("vk_") or len(secret) > _LONGEST_SECRET:
        raise Unauthenticated(_NO_GOOD)
    with key_session(secret[:_PREFIX_LENGTH], _digest(secret)) as entered:
        key, now = entered.key, utc_now()
        if key is None or not _is_good(key, now):
            raise Unauthenticated(_NO_GOOD)
        if key.last_used_at is None or now - key.last_used_at > LAST_USED_STEP:
            _note_use(key.id, now)
        yield entered.session, _actor_of(key)


def _actor_of(key: FoundKey) -> Actor:
    return Actor(
        organization_id=key.organization_id,
        name=key.name or key.prefix,
        role=Role(key.role),
        is_operator=key.is_operator,
    )


def _note_use(key_id: UUID, now: datetime) -> None:
    """Note a use in a transaction of its own, so that requests don't wait for each other."""
    with gate_session() as session:
        session.execute(update(ApiKey).where(ApiKey.id == key_id).values(last_used_at=now))


def _is_good(key: ApiKey | FoundKey, now: datetime) -> bool:
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
