"""API keys: issue, authenticate, rotate, revoke."""

import logging
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from app.extensions import chartroom
from app.models import ALL_SCOPES, ApiKey, Role, Scope, utc_now
from app.network_addresses import read_address, read_network
from app.services.errors import Conflict, NotAllowed, Unauthenticated
from app.services.identity import organizations
from app.services.identity.ciphers import digest
from app.services.platform.actor import Actor
from app.services.platform.ids import get_row, lock_row
from app.services.platform.sessions import FoundKey, cross_tenant_session, key_session
from app.services.problem_codes import ProblemCode

logger = logging.getLogger(__name__)

#: Least role that can use each scope; planners may manage webhooks, if the organization allows it.
LEAST_ROLES: Final = {
    Scope.READ: Role.VIEWER,
    Scope.PLAN: Role.MASTER,
    Scope.TELEMETRY: Role.PLANNER,
    Scope.ADMIN: Role.PLANNER,
}

#: Networks from which one key may be used, at most.
MOST_NETWORKS: Final = 50

KeyKind = Literal["live", "test"]

#: Resolution of the last use of a key; a finer one would write on every request.
LAST_USED_STEP = timedelta(minutes=1)
#: Name of storing the last use among what is put off.
_NOTING: Final = "last uses of keys"

_PREFIX_LENGTH = len("vk_live_") + 8
_LONGEST_SECRET = 100
_LAST_INSTANT: Final = datetime.max.replace(tzinfo=UTC)

_NO_GOOD = "The key is not known, has expired or has been revoked."


class KeyState(StrEnum):
    """State of a key."""

    ACTIVE = "ACTIVE"
    EXPIRED = "EXPIRED"
    REVOKED = "REVOKED"


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key with its secret, which is not stored and shown only once."""

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
    scopes: Iterable[str] = ALL_SCOPES,
    networks: Iterable[str] = (),
) -> IssuedKey:
    """Create a key for an organization; ``networks`` as :func:`read_networks` returns them."""
    secret = f"vk_{kind}_{secrets.token_urlsafe(32)}"
    key = ApiKey(
        organization_id=organization_id,
        prefix=secret[:_PREFIX_LENGTH],
        secret_sha256=digest(secret),
        role=role,
        scopes=[str(scope) for scope in Scope if scope in set(scopes)],
        networks=list(networks),
        is_operator=is_operator,
        name=name,
        expires_at=expires_at,
    )
    session.add(key)
    session.flush()
    return IssuedKey(key, secret)


def find_scope_fault(role: Role, scopes: Iterable[Scope]) -> str | None:
    """Find out that a role can use none of a key's scopes; ``None`` if it can use one."""
    needed = {scope: LEAST_ROLES[scope] for scope in scopes}
    if any(role.includes(least) for least in needed.values()):
        return None
    listed = ", ".join(f"{scope} needs the role {least}" for scope, least in needed.items())
    return f"A {role} can use none of these scopes: {listed}. Add read, or choose another role."


def default_expiry(session: Session, organization_id: UUID) -> datetime | None:
    """Return the default expiry of a key issued now; ``None`` is never."""
    days = organizations.get(session, organization_id).key_lifetime_days
    return utc_now() + timedelta(days=days) if days else None


def read_networks(texts: Iterable[str]) -> list[str]:
    """CIDR blocks in canonical spelling; an address becomes a block of one.

    Raises :class:`ValueError` with a message for users if a text is neither, and for too many.
    """
    texts = list(texts)
    if len(texts) > MOST_NETWORKS:
        raise ValueError(f"A key has up to {MOST_NETWORKS} networks; these are {len(texts)}.")
    return [_read_network(text) for text in texts]


def _read_network(text: str) -> str:
    try:
        return str(read_network(text.strip()))
    except ValueError:
        raise ValueError(
            f"{text.strip()!r} is not a network. Give an address or a CIDR block without host bits,"
            " such as 203.0.113.0/24."
        ) from None


def list_keys(session: Session, organization_id: UUID) -> list[ApiKey]:
    """All keys of an organization, newest first, without their secrets."""
    query = select(ApiKey).where(ApiKey.organization_id == organization_id)
    return list(session.scalars(query.order_by(ApiKey.id.desc())))


def get_key(session: Session, organization_id: UUID, key_id: str) -> ApiKey:
    """One key; raises :class:`NotFound`."""
    query = select(ApiKey).filter_by(organization_id=organization_id)
    return get_row(session, query, key_id, "key")


def is_known(session: Session, organization_id: UUID, secret: str) -> bool:
    """Return whether a secret belongs to any key of the organization, valid or not."""
    query = select(ApiKey.id).where(
        ApiKey.organization_id == organization_id, ApiKey.secret_sha256 == digest(secret)
    )
    return session.scalar(query) is not None


def rotate(
    session: Session,
    organization_id: UUID,
    key_id: str,
    overlap: timedelta,
    *,
    by_operator: bool = False,
) -> IssuedKey:
    """Issue a successor of a key, which itself stays valid for ``overlap``.

    The successor has the same lifetime as its predecessor. Raises :class:`Conflict`
    for an invalid key and for one that has a successor already, and :class:`NotAllowed`
    for an operator's key, unless ``by_operator``.
    """
    old = get_key(session, organization_id, key_id)
    if old.is_operator and not by_operator:
        raise NotAllowed("An operator's key can only be rotated from the command line.")
    lock_row(session, old, "key")
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
        scopes=old.scopes,
        networks=old.networks,
        expires_at=_successor_expiry(old, now),
    )
    issued.key.rotated_from_id = old.id
    old.expires_at = min(filter(None, (old.expires_at, now + overlap)))
    return issued


def _successor_expiry(old: ApiKey, now: datetime) -> datetime | None:
    """Return the expiry of a key with the lifetime of an older one, at most the last instant."""
    if old.expires_at is None:
        return None
    return now + min(old.expires_at - old.created_at, _LAST_INSTANT - now)


def revoke(session: Session, organization_id: UUID, key_id: str) -> ApiKey:
    """Revoke a key at once."""
    key = get_key(session, organization_id, key_id)
    key.revoked_at = key.revoked_at or utc_now()
    return key


def kind_of(key: ApiKey) -> KeyKind:
    """Return a key's kind, from its prefix."""
    return "test" if key.prefix.startswith("vk_test_") else "live"


def state_of(key: ApiKey) -> KeyState:
    """Return the present state of a key."""
    if key.revoked_at is not None:
        return KeyState.REVOKED
    return KeyState.ACTIVE if _is_good(key, utc_now()) else KeyState.EXPIRED


@contextmanager
def session_by_key(secret: str, origin: str | None) -> Iterator[tuple[Session, Actor]]:
    """Open a session of the organization of a key; yield it with the key's actor.

    ``origin`` is the network address of the request. Raises :class:`Unauthenticated`
    for an unknown, expired or revoked key, always with the same text so that it does
    not reveal which keys exist, and :class:`NotAllowed` for a valid key that may not
    be used from ``origin``.
    """
    if not secret.startswith("vk_") or len(secret) > _LONGEST_SECRET:
        raise Unauthenticated(_NO_GOOD)
    with key_session(secret[:_PREFIX_LENGTH], digest(secret)) as (session, key):
        now = utc_now()
        if key is None or not _is_good(key, now):
            raise Unauthenticated(_NO_GOOD)
        if not is_allowed_from(key.networks, origin):
            raise NotAllowed(f"This key may not be used from {origin}.")
        if key.last_used_at is None or now - key.last_used_at > LAST_USED_STEP:
            _note_use(key.id, now)
        yield session, _actor_of(key)


def is_allowed_from(networks: Sequence[str], origin: str | None) -> bool:
    """Return whether a key may be used from an address; from any if it has no networks."""
    if not networks:
        return True
    try:
        address = read_address(origin or "")
    except ValueError:
        return False
    return any(address in read_network(network) for network in networks)


def _actor_of(key: FoundKey) -> Actor:
    return Actor(
        organization_id=key.organization_id,
        name=key.name or key.prefix,
        role=Role(key.role),
        is_operator=key.is_operator,
        scopes=frozenset(map(Scope, key.scopes)),
        key_id=key.id,
    )


def _note_use(key_id: UUID, now: datetime) -> None:
    """Store the time of use in a separate transaction, so that requests do not block each other.

    A database that takes no writes, as with a full disk, can still be read. Each refusal of a
    read-only one costs the pool its connections, so the next uses are not stored.
    """
    put_off = chartroom().put_off
    if time.monotonic() < put_off.get(_NOTING, 0.0):
        return
    try:
        with cross_tenant_session() as session:
            session.execute(update(ApiKey).where(ApiKey.id == key_id).values(last_used_at=now))
    except DBAPIError as error:
        put_off[_NOTING] = time.monotonic() + LAST_USED_STEP.total_seconds()
        logger.warning("the use of key %s is not stored: %s", key_id, error)


def _is_good(key: ApiKey | FoundKey, now: datetime) -> bool:
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)
