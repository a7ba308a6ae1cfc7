"""OpenID sign-in: a person's organization, role and user.

The operator's settings or a claim name the organization; the domain of the e-mail
address does not determine it.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import OpenIdSettings
from app.models import Role, User
from app.services.errors import Conflict, NotAllowed
from app.services.identity import organizations, users
from app.services.identity.users import SignedIn
from app.services.platform.sessions import cross_tenant_session, organization_session
from app.services.problem_codes import ProblemCode

_NOT_HERE: Final = "Your account has no access here. Ask an admin of your organization."
_INACTIVE: Final = "Your account here is inactive. Ask an admin of your organization."

#: Longest e-mail address (RFC 5321, 4.5.3.1.3) and name [characters].
_LONGEST_EMAIL: Final = 254
_LONGEST_NAME: Final = 200

Claims = Mapping[str, Any]


def sign_in(settings: OpenIdSettings, claims: Claims) -> SignedIn:
    """Sign in the user of verified claims, created at the first sign-in, with the claims' role.

    Raises :class:`NotAllowed` with a message for the person.
    """
    try:
        return _sign_in(settings, claims)
    except Conflict as conflict:
        if conflict.problem_code != ProblemCode.EMAIL_TAKEN:
            raise
        # another first sign-in, as in a second tab, has created the user at the same moment
        return _sign_in(settings, claims)


def _sign_in(settings: OpenIdSettings, claims: Claims) -> SignedIn:
    organization_id = _organization_of(settings, claims)
    role = _role_of(settings, claims)
    subject = f"{settings.issuer} {claims['sub']}"
    with cross_tenant_session() as gate:
        known = gate.execute(
            select(User.id, User.organization_id).where(User.oidc_subject == subject)
        ).one_or_none()
    if known is not None and known.organization_id != organization_id:
        raise NotAllowed(_NOT_HERE)
    with organization_session(organization_id) as session:
        user = (
            users.get(session, organization_id, str(known.id))
            if known
            else _join(session, organization_id, subject, claims, role or Role.VIEWER)
        )
        if not user.is_active:
            raise NotAllowed(_INACTIVE)
        _link(session, user, subject)
        if role is not None and role != user.role:
            _change_role(session, user, role)
    signed_in = users.find_active(user.id)
    if signed_in is None:
        raise NotAllowed(_INACTIVE)
    return signed_in


def _organization_of(settings: OpenIdSettings, claims: Claims) -> UUID:
    name = settings.organization
    if settings.organization_claim is not None:
        name = claims.get(settings.organization_claim)
    found = organizations.find_by_name(name) if isinstance(name, str) and name else None
    if found is None:
        raise NotAllowed(_NOT_HERE)
    return found


def _role_of(settings: OpenIdSettings, claims: Claims) -> Role | None:
    """The highest role in the claims; ``None`` if roles are managed here."""
    if not settings.roles:
        return None
    given = claims.get(settings.role_claim)
    names = given if isinstance(given, list) else [given]
    known = (settings.roles.get(name) for name in names if isinstance(name, str))
    roles = [Role(role) for role in known if role is not None]
    if not roles:
        raise NotAllowed(_NOT_HERE)
    return max(roles, key=list(Role).index)


def _join(
    session: Session, organization_id: UUID, subject: str, claims: Claims, role: Role
) -> User:
    """Find the organization's user by verified address, or create one."""
    email, is_verified = _text_of(claims, "email", _LONGEST_EMAIL), _is_verified(claims)
    if email is None or "@" not in email or is_verified is False:
        raise NotAllowed("Your provider gives no verified e-mail address for you.")
    user = users.find_in(session, organization_id, email)
    if user is None:
        name = _text_of(claims, "name", _LONGEST_NAME)
        return users.create(session, organization_id, email=email, role=role, name=name)
    users.lock(session, user)
    if user.oidc_subject == subject:  # created or linked at the same moment
        return user
    if user.oidc_subject is not None or is_verified is not True:
        raise NotAllowed(_NOT_HERE)
    return user


def _link(session: Session, user: User, subject: str) -> None:
    """Link a user to an account of the provider.

    An invitation would let them choose a password even after the provider has shut them out.
    """
    is_new = user.oidc_subject != subject
    user.oidc_subject = subject
    if is_new and users.is_of_provider(user):
        users.use_up_links(session, user)


def _text_of(claims: Claims, name: str, longest: int) -> str | None:
    """Read a claim of visible text; ``None`` if it is missing or none that can be stored."""
    given = claims.get(name)
    text = given.strip() if isinstance(given, str) else ""
    return text if text.isprintable() and 0 < len(text) <= longest else None


def _is_verified(claims: Claims) -> bool | None:
    """Return whether the address is verified, ``None`` if unknown; some providers send text."""
    given = claims.get("email_verified")
    if isinstance(given, str):
        return {"true": True, "false": False}.get(given.lower())
    return given if isinstance(given, bool) else None


def _change_role(session: Session, user: User, role: Role) -> None:
    """Set the provider's role; the last admin keeps the role of admin."""
    before = user.role
    try:
        users.change(session, user, {"role": role})
    except Conflict:
        user.role = before
