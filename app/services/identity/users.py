"""Users: create, change, sign in."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import ColumnElement, Row, func, select, update
from sqlalchemy.orm import Session

from app.models import (
    OneTimeLink,
    Organization,
    Passkey,
    Role,
    SecondFactor,
    SubjectKind,
    User,
    utc_now,
)
from app.services.errors import Conflict, NotFound, Unauthenticated
from app.services.identity import passwords, user_sessions
from app.services.platform.actor import Actor
from app.services.platform.ids import flush, get_row, lock_row
from app.services.platform.pending_erasures import refuse_pending
from app.services.platform.sessions import cross_tenant_session
from app.services.problem_codes import ProblemCode

_hasher = PasswordHasher()  # argon2id by the parameters of RFC 9106, second choice
#: Hash that an unknown address is checked against, so that it takes as long as a wrong password:
#: that of discarded random bytes, written out because hashing would slow down every start.
_NOBODY: Final = (
    "$argon2id$v=19$m=65536,t=3,p=4"
    "$n7zGJkPkBssvPHcApw7C8Q"
    "$8tg4n5EnjI7HjrMNCRAmDpr4++xT46xHkDApg2RPbtQ"
)
#: Least number of hashes that a sign-in checks, so that its duration does not show if an address
#: has a user in another organization. Only the operator creates organizations, each with at most
#: one user of an address, which limits the largest number.
_LEAST_TRIED: Final = 2

_KNOWN = select(
    User.id,
    User.organization_id,
    User.email,
    User.name,
    User.password_hash,
    User.oidc_subject,
    User.role,
    User.is_active,
    User.sessions,
    select(SecondFactor.user_id)
    .where(SecondFactor.user_id == User.id, SecondFactor.confirmed_at.isnot(None))
    .exists()
    .label("has_authenticator"),
    select(Passkey.user_id).where(Passkey.user_id == User.id).exists().label("has_passkey"),
    select(Organization.requires_second_factor)
    .where(Organization.id == User.organization_id)
    .scalar_subquery()
    .label("requires_second_factor"),
)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """An authenticated user."""

    user_id: UUID
    #: Changes with the password, so that sessions begun with the old one end.
    stamp: str
    email: str
    name: str | None
    actor: Actor
    has_password: bool
    has_authenticator: bool = False
    has_passkey: bool = False
    #: True if the organization requires a second factor of its users.
    requires_second_factor: bool = False

    @property
    def has_second_factor(self) -> bool:
        """Return whether the user signs in with an authenticator or a passkey."""
        return self.has_authenticator or self.has_passkey

    @property
    def needs_second_factor(self) -> bool:
        """Return whether the user has to set up a second factor first."""
        return self.requires_second_factor and not self.has_second_factor


def create(
    session: Session,
    organization_id: UUID,
    *,
    email: str,
    role: Role,
    password: str | None = None,
    name: str | None = None,
) -> User:
    """Create a user; an e-mail address may have one in each organization, independently.

    Without a password, the user chooses one with a link, see :mod:`app.services.identity.links`.
    """
    user = User(
        organization_id=organization_id,
        email=email,
        password_hash=None if password is None else _hash(password, email, name),
        role=role,
        name=name,
        is_active=True,
    )
    session.add(user)
    _flush(session)
    return user


def list_users(session: Session, organization_id: UUID) -> list[User]:
    """All users of an organization, newest first."""
    query = select(User).where(User.organization_id == organization_id)
    return list(session.scalars(query.order_by(User.id.desc())))


def get(session: Session, organization_id: UUID, user_id: str) -> User:
    """A user; raises :class:`NotFound`."""
    query = select(User).filter_by(organization_id=organization_id)
    return get_row(session, query, user_id, "user")


def lock(session: Session, user: User) -> list[User]:
    """Lock a user for a change, after the admins, and read the row again; return the admins."""
    admins = _lock_admins(session, user.organization_id)
    lock_row(session, user, "user")
    return admins


def get_by_email(session: Session, organization_id: UUID, email: str) -> User:
    """The organization's user with this address; raises :class:`NotFound`."""
    user = find_in(session, organization_id, email)
    if user is None:
        raise NotFound(f"There is no user with the address {email} in this organization.")
    return user


def find_in(session: Session, organization_id: UUID, email: str) -> User | None:
    """Find the organization's user with this address."""
    query = select(User).where(User.organization_id == organization_id)
    return session.scalar(query.where(func.lower(User.email) == email.lower()))


def change(session: Session, user: User, changes: Mapping[str, Any]) -> User:
    """Change the named attributes; ``password`` is hashed.

    A new password uses up the user's links, as does deactivation, which also ends all sessions.

    Raises :class:`Conflict` if the organization would have no admin left, if another user has the
    new address, and if a user to activate is about to be erased;
    :class:`app.services.errors.Invalid` for a password that is easily guessed.
    """
    changed = dict(changes)
    if "password" in changed:
        own = changed.get("email", user.email), changed.get("name", user.name)
        changed["password_hash"] = _hash(changed.pop("password"), *own)
    admins = lock(session, user)
    if changed.get("is_active") and not user.is_active:
        refuse_pending(session, user.organization_id, SubjectKind.USER, [user.id])
    for attribute, value in changed.items():
        setattr(user, attribute, value)
    if user in admins and not any(each.is_active and each.role == Role.ADMIN for each in admins):
        raise Conflict("An organization keeps at least one admin.", code=ProblemCode.LAST_ADMIN)
    _flush(session)
    if "password_hash" in changed or not user.is_active:
        use_up_links(session, user)
    if not user.is_active:
        user_sessions.end_all_in(session, user.id)
    return user


def use_up_links(session: Session, user: User, *which: ColumnElement[bool]) -> None:
    """Invalidate a locked user's one-time links, or those that meet the conditions."""
    unused = OneTimeLink.user_id == user.id, OneTimeLink.used_at.is_(None)
    session.execute(update(OneTimeLink).where(*unused, *which).values(used_at=utc_now()))


def sign_in(email: str, password: str) -> SignedIn:
    """Authenticate a user by e-mail address and password.

    If an address has users in several organizations, the password selects the user.

    Raises :class:`Unauthenticated` with the same text and after the same time for a
    wrong address and for a wrong password.
    """
    fitting = _list_fitting(email, password)
    if not fitting:
        raise Unauthenticated("Wrong e-mail address or password.")
    return _signed_in(fitting[0])


def _list_fitting(email: str, password: str) -> list[Row[*tuple[Any, ...]]]:
    """List the active users with this address and password, the oldest first.

    Checks at least ``_LEAST_TRIED`` hashes.
    """
    rows = [row for row in list_by_email(email) if row.is_active and row.password_hash]
    for _ in range(len(rows), _LEAST_TRIED):
        _is_password(_NOBODY, password)
    return [row for row in rows if _is_password(row.password_hash, password)]


def check_password(user_id: UUID, password: str) -> None:
    """Raise :class:`Unauthenticated` unless this is the password of this active user.

    Users of other organizations with the same address do not count.
    """
    row = _find_active(user_id)
    if row is None or not _is_password(row.password_hash or _NOBODY, password):
        raise Unauthenticated("Wrong password.")


def _is_password(password_hash: str, password: str) -> bool:
    try:
        return _hasher.verify(password_hash, password)
    except VerificationError:
        return False


def find_signed_in(user_id: UUID, session_name: str) -> SignedIn | None:
    """Return the user of a live session, if still allowed to sign in."""
    row = _find_active(user_id)
    if row is None or not user_sessions.is_live(row.sessions, session_name):
        return None
    return _signed_in(row)


def list_known(email: str) -> list[SignedIn]:
    """The users with this address, active or not."""
    return [*map(_signed_in, list_by_email(email))]


def find_active(user_id: UUID) -> SignedIn | None:
    """Find an active user by id."""
    row = _find_active(user_id)
    return None if row is None else _signed_in(row)


def is_of_provider(user: User | Row[*tuple[Any, ...]]) -> bool:
    """Return whether an OpenID provider decides whether a user may sign in.

    Such a user has no password. With one, or with a passkey, they could sign in after the
    provider has shut them out.
    """
    return user.oidc_subject is not None and user.password_hash is None


def _find_active(user_id: UUID) -> Row[*tuple[Any, ...]] | None:
    with cross_tenant_session() as session:
        return session.execute(_KNOWN.where(User.id == user_id, User.is_active)).one_or_none()


def list_by_email(email: str) -> list[Row[*tuple[Any, ...]]]:
    """Sign-in data of the users with this address, the oldest first."""
    query = _KNOWN.where(func.lower(User.email) == email.lower())
    with cross_tenant_session() as session:
        return list(session.execute(query.order_by(User.id)))


def _lock_admins(session: Session, organization_id: UUID) -> list[User]:
    """Lock and return the active admins, who cannot change before this transaction ends."""
    query = select(User).where(
        User.organization_id == organization_id, User.role == Role.ADMIN, User.is_active
    )
    return list(session.scalars(query.order_by(User.id).with_for_update()))


def _hash(password: str, email: str, name: str | None) -> str:
    passwords.check(password, email, name)
    return _hasher.hash(password)


def email_taken() -> Conflict:
    """Return the conflict of an address that another user of the organization has."""
    detail = "There is already a user with this e-mail address."
    return Conflict(detail, code=ProblemCode.EMAIL_TAKEN)


def _flush(session: Session) -> None:
    flush(session, {"uq_app_user_email_organization_id": email_taken()})


def _signed_in(row: Row[*tuple[Any, ...]]) -> SignedIn:
    actor = Actor(row.organization_id, row.email, Role(row.role), is_user=True)
    stamp = hashlib.sha256((row.password_hash or "").encode()).hexdigest()[:16]
    return SignedIn(
        user_id=row.id,
        stamp=stamp,
        email=row.email,
        name=row.name,
        actor=actor,
        has_password=row.password_hash is not None,
        has_authenticator=row.has_authenticator,
        has_passkey=row.has_passkey,
        requires_second_factor=row.requires_second_factor,
    )
