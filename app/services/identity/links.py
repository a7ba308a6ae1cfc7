"""One-time links with which users choose their passwords or confirm new addresses.

The token is in the URL's fragment, which browsers never send to a server; the
page's script puts it into the form.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.extensions import chartroom
from app.models import OneTimeLink, User, utc_now
from app.services.errors import Conflict, Unauthenticated
from app.services.identity import mail, users
from app.services.identity.ciphers import digest
from app.services.platform import audit, auditing
from app.services.platform.actor import Actor
from app.services.platform.ids import lock_row
from app.services.platform.sessions import cross_tenant_session, organization_session

#: Validity of links: an invitation may be read days later, a reset is requested just now.
INVITATION_LASTS: Final = timedelta(days=7)
RESET_LASTS: Final = timedelta(hours=1)

SUBJECT: Final = "Choose your Chartroom password"
_INVITATION: Final = """You are invited to Chartroom as {email}.

Choose your password within a week: {link}
"""
_RESET: Final = """An admin of your organization asked you to choose a new password for Chartroom,
where you sign in as {email}.

Choose it within an hour: {link}
"""

_OF_PROVIDER: Final = "Users sign in with their organization's account; passwords are disabled."

NO_GOOD: Final = "This link has been used or has expired. Ask for a new one."


def can_set_passwords() -> bool:
    """Return whether links set passwords: users may sign in by an OpenID provider only."""
    return chartroom().settings.has_local_sign_in


def issue(
    session: Session,
    user: User,
    actor: Actor,
    lasts: timedelta,
    root_url: str,
    *,
    page: str = "choose-password",
    new_email: str | None = None,
    keeps_longer: bool = False,
) -> str:
    """Create a link to a page for a user, and invalidate the user's earlier links.

    ``keeps_longer`` keeps those that last longer than the new one: whoever asks for a reset
    without signing in must not end an invitation.

    ``root_url`` is the root of the request's URL; ``PUBLIC_URL`` has priority.
    A link with ``new_email`` confirms that address and does not set a password.

    Raises :class:`Conflict` for a deactivated user, for whom no link works, and for a link that
    sets a password where none is used, or for a user who signs in at an OpenID provider only.
    """
    if new_email is None and not can_set_passwords():
        raise Conflict(_OF_PROVIDER)
    lock_row(session, user, "user", lets_refer=True)
    if not user.is_active:
        raise Conflict("The user is deactivated. Activate the user first.")
    if new_email is None and users.is_of_provider(user):
        raise Conflict(_OF_PROVIDER)
    token, now = secrets.token_urlsafe(32), utc_now()
    which = [OneTimeLink.expires_at <= now + lasts] if keeps_longer else []
    users.use_up_links(session, user, *which)
    session.add(
        OneTimeLink(
            organization_id=user.organization_id,
            user_id=user.id,
            token_sha256=digest(token),
            created_by=actor.name,
            created_at=now,
            expires_at=now + lasts,
            new_email=new_email,
        )
    )
    session.flush()
    use = {"password": True} if new_email is None else {"email": new_email}
    audit.record(session, actor, audit.Action.LINK_ISSUED, user.id, after=use)
    base = (chartroom().settings.public_url or root_url).rstrip("/")
    return f"{base}/{page}#{token}"


class LinkLetter(NamedTuple):
    """A mail with a link."""

    to: str
    subject: str
    text: str
    link: str

    def hand_over(self) -> str | None:
        """Mail the link; return ``None``, or the link if it could not be mailed.

        To be called after the transaction: a server may take seconds to answer.
        """
        return None if mail.send(self.to, self.subject, self.text) else self.link


def invite(session: Session, user: User, actor: Actor, root_url: str) -> LinkLetter:
    """Issue a link with which a new user chooses a password; raises as :func:`issue` does."""
    link = issue(session, user, actor, INVITATION_LASTS, root_url)
    return LinkLetter(user.email, SUBJECT, _INVITATION.format(email=user.email, link=link), link)


def offer_reset(session: Session, user: User, actor: Actor, root_url: str) -> LinkLetter:
    """Issue a link to choose another password; raises as :func:`issue` does."""
    link = issue(session, user, actor, RESET_LASTS, root_url)
    return LinkLetter(user.email, SUBJECT, _RESET.format(email=user.email, link=link), link)


def redeem(token: str, password: str, origin: str | None) -> str:
    """Set the password of the link's user, once; return their e-mail address.

    ``origin`` is the network address of the request.

    Raises :class:`Unauthenticated` for an invalid link, and
    :class:`app.services.errors.Invalid` for an unacceptable password; the link stays valid.
    """
    with using(token, origin, is_for_address=False) as (session, user, _):
        users.change(session, user, {"password": password})
        return user.email


@contextmanager
def using(
    token: str, origin: str | None, *, is_for_address: bool
) -> Iterator[tuple[Session, User, OneTimeLink]]:
    """Use a link and the user's other links up; yield a session, the link's user, and the link.

    The user is the session's actor.

    Raises :class:`Unauthenticated` for an invalid link. It stays valid if the block raises.
    """
    link_id, organization_id, user_id = _find(token)
    with organization_session(organization_id) as session:
        user = users.get(session, organization_id, str(user_id))
        users.lock(session, user)  # before the link, as other changes of users do
        link = session.get_one(OneTimeLink, link_id, with_for_update=True)
        is_of_kind = (link.new_email is not None) == is_for_address
        if link.used_at is not None or not is_of_kind or not user.is_active:
            raise Unauthenticated(NO_GOOD)
        auditing.name_actor(user.email, origin)
        yield session, user, link
        users.use_up_links(session, user)


def _find(token: str) -> tuple[UUID, UUID, UUID]:
    """Ids of a token's link, its organization and user; raises :class:`Unauthenticated`."""
    columns = OneTimeLink.id, OneTimeLink.organization_id, OneTimeLink.user_id
    query = select(*columns).where(
        OneTimeLink.token_sha256 == digest(token),
        OneTimeLink.used_at.is_(None),
        OneTimeLink.expires_at > utc_now(),
    )
    with cross_tenant_session() as session:
        row = session.execute(query).one_or_none()
    if row is None:
        raise Unauthenticated(NO_GOOD)
    return row.id, row.organization_id, row.user_id
