"""Changes of users' e-mail addresses, confirmed by a one-time link to the new address.

Until then the user signs in with the former one. A mailed link proves that the user reads the
address; without mail, an admin hands over the link and is responsible for it.
"""

from datetime import timedelta
from typing import Final

from sqlalchemy.orm import Session

from app.models import User
from app.services.errors import Conflict, Unauthenticated
from app.services.identity import links, mail, users
from app.services.platform.actor import Actor

#: Validity of the confirmation link.
LASTS: Final = timedelta(days=1)
PAGE: Final = "confirm-address"

_SUBJECT: Final = "Confirm your new Chartroom address"
_LETTER: Final = """{former} signs in to Chartroom with this address once you confirm it.

Confirm it within a day: {link}

If you do not use Chartroom, do nothing.
"""
_SUBJECT_CHANGED: Final = "Your Chartroom address was changed"
_CHANGED: Final = """You sign in to Chartroom as {email} from now on, no longer with this address.

If you did not ask for this, inform an admin of your organization.
"""


def is_another(user: User, email: str) -> bool:
    """Return whether an address differs from the user's own, ignoring case."""
    return user.email.lower() != email.lower()


def request(
    session: Session, user: User, email: str, actor: Actor, root_url: str
) -> links.LinkLetter:
    """Request a new address; return the mail to it with the link that confirms it.

    Raises :class:`Conflict` if another user of the same organization has the address; other
    organizations may use it.
    """
    if users.find_in(session, user.organization_id, email) is not None:
        raise users.email_taken()
    link = links.issue(session, user, actor, LASTS, root_url, page=PAGE, new_email=email)
    text = _LETTER.format(former=user.email, link=link)
    return links.LinkLetter(email, _SUBJECT, text, link)


def confirm(token: str, origin: str | None = None) -> str:
    """Set the new address of the link's user, return it, and inform the former address.

    ``origin`` is the network address of the request.

    Raises :class:`Unauthenticated` for an invalid link, and with the same text if another user
    has taken the address meanwhile.
    """
    try:
        with links.using(token, origin, is_for_address=True) as (session, user, link):
            former = user.email
            users.change(session, user, {"email": link.new_email})
            email = user.email
    except Conflict as error:
        raise Unauthenticated(links.NO_GOOD) from error
    mail.send(former, _SUBJECT_CHANGED, _CHANGED.format(email=email))
    return email
