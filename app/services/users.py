"""People who sign in."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from app.models import Role, User, new_id
from app.services.actor import Actor
from app.services.errors import Conflict, Fault, Invalid, Unauthenticated
from app.services.sessions import gate_session

SHORTEST_PASSWORD = 12

_hasher = PasswordHasher()  # argon2id by the parameters of RFC 9106, second choice
#: What a wrong address is checked against, so that it takes as long as a wrong password.
_NOBODY = _hasher.hash("nobody has this password")

_GATE_COLUMNS = (
    User.id,
    User.organization_id,
    User.email,
    User.name,
    User.password_hash,
    User.role,
    User.is_active,
)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A user who has shown who they are."""

    user_id: UUID
    email: str
    name: str | None
    actor: Actor


def create(
    session: Session,
    organization_id: UUID,
    *,
    email: str,
    password: str,
    role: Role,
    name: str | None = None,
) -> User:
    """Make a user; an e-mail address has one user in the whole installation."""
    if len(password) < SHORTEST_PASSWORD:
        detail = f"A password needs at least {SHORTEST_PASSWORD} characters."
        raise Invalid([Fault("/password", detail)])
    if find_by_email(email) is not None:
        raise Conflict("There is already a user with this e-mail address.")
    user = User(
        id=new_id(),
        organization_id=organization_id,
        email=email,
        password_hash=_hasher.hash(password),
        role=role,
        name=name,
    )
    session.add(user)
    session.flush()
    return user


def set_password(session: Session, organization_id: UUID, email: str, password: str) -> None:
    """Give a user of an organization another password."""
    query = select(User).where(
        User.organization_id == organization_id, func.lower(User.email) == email.lower()
    )
    session.scalars(query).one().password_hash = _hasher.hash(password)


def sign_in(email: str, password: str) -> SignedIn:
    """Find out whether this is who they say.

    Raises :class:`Unauthenticated`, in the same words and after the same time
    whether the address or the password is wrong.
    """
    row = find_by_email(email)
    try:
        _hasher.verify(row.password_hash if row else _NOBODY, password)
    except VerificationError:
        row = None
    if row is None or not row.is_active:
        raise Unauthenticated("E-mail address or password is not right.")
    return _signed_in(row)


def find_signed_in(user_id: UUID) -> SignedIn | None:
    """Who an earlier sign-in belongs to, if they may still come in."""
    with gate_session() as session:
        row = session.execute(select(*_GATE_COLUMNS).where(User.id == user_id)).one_or_none()
    return _signed_in(row) if row is not None and row.is_active else None


def find_by_email(email: str) -> Row[*tuple[Any, ...]] | None:
    """What signing in needs to know of the user with this address."""
    with gate_session() as session:
        query = select(*_GATE_COLUMNS).where(func.lower(User.email) == email.lower())
        return session.execute(query).one_or_none()


def _signed_in(row: Row[*tuple[Any, ...]]) -> SignedIn:
    actor = Actor(organization_id=row.organization_id, name=row.email, role=Role(row.role))
    return SignedIn(user_id=row.id, email=row.email, name=row.name, actor=actor)
