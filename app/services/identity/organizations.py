"""Organizations: created by the operator, read and changed by their users."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models import Organization, new_id
from app.services.errors import Conflict, Invalid, NotFound
from app.services.identity import mail
from app.services.platform.sessions import cross_tenant_session, operator_session

#: Ten years.
LONGEST_KEY_LIFETIME_DAYS: Final = 3650
#: Largest under-keel clearance that an organization may require [m].
LARGEST_UKC_MARGIN_M: Final = 20
#: Largest threshold of advice: [%], [t] or [h].
LARGEST_ADVICE_THRESHOLD: Final = 1000
#: Largest number of addresses for advice mail.
MOST_ADVICE_MAIL: Final = 20
#: A hundred years.
LONGEST_KEPT_DAYS: Final = 36_500
LONGEST_ERASE_AFTER_DAYS: Final = 365


def create(name: str) -> UUID:
    """Create an organization; raises :class:`Conflict` if the name is taken, in any case."""
    same = func.lower(Organization.name) == func.lower(name)
    with cross_tenant_session() as session:
        taken = session.scalar(select(Organization.name).where(same).limit(1))
    if taken is not None:
        raise Conflict(f"There is already an organization named {taken!r}.")
    organization_id = new_id()
    with operator_session(organization_id) as session:
        session.add(Organization(id=organization_id, name=name))
    return organization_id


def find_by_name(name: str) -> UUID | None:
    """Find the id of the organization of this name."""
    with cross_tenant_session() as session:
        return session.scalar(select(Organization.id).where(Organization.name == name))


def get_by_name(name: str) -> UUID:
    """The id of the organization of this name; raises :class:`NotFound`."""
    organization_id = find_by_name(name)
    if organization_id is None:
        raise NotFound(f"There is no organization named {name!r}.")
    return organization_id


def list_ids() -> list[UUID]:
    """The ids of all organizations, for commands that name none."""
    with cross_tenant_session() as session:
        return [*session.scalars(select(Organization.id).order_by(Organization.id))]


def exists(organization_id: UUID) -> bool:
    """Return whether there is an organization with this id."""
    with cross_tenant_session() as session:
        found = session.scalar(select(Organization.id).where(Organization.id == organization_id))
    return found is not None


def change(session: Session, organization_id: UUID, wanted: Mapping[str, Any]) -> Organization:
    """Change an organization's settings; raises :class:`Invalid`."""
    if wanted.get("advice_mail") and not mail.is_configured():
        words = "This installation sends no mail: its operator sets SMTP_URL. Give no address."
        raise Invalid.at("/adviceMail", words)
    organization = get(session, organization_id)
    for name, value in wanted.items():
        setattr(organization, name, value)
    session.flush()
    return organization


def get(session: Session, organization_id: UUID) -> Organization:
    """An organization; raises :class:`NotFound`."""
    organization = session.get(Organization, organization_id)
    if organization is None:
        raise NotFound("There is no such organization.")
    return organization
