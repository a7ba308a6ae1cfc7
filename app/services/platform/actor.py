"""Actors: the key or user behind a request."""

from dataclasses import dataclass
from uuid import UUID

from app.models import ALL_SCOPES, Role, Scope
from app.services.errors import NotAllowed


@dataclass(frozen=True, slots=True)
class Actor:
    """A key or user of one organization.

    Audit columns store ``name``: a user's e-mail address, or any name that a key was given.
    Several keys may have the same name; ``key_id`` identifies one.
    ``is_user`` is true for users, false for keys and the operator. ``is_operator`` allows
    operations on other organizations. A key may be limited to some scopes; users have all of them.
    """

    organization_id: UUID
    name: str
    role: Role
    is_operator: bool = False
    is_user: bool = False
    scopes: frozenset[Scope] = ALL_SCOPES
    key_id: UUID | None = None

    def require(self, role: Role) -> None:
        """Raise :class:`NotAllowed` unless this actor's role includes ``role``."""
        if not self.role.includes(role):
            raise NotAllowed(
                f"This needs the role {role}; yours is {self.role}.", required=str(role)
            )

    def require_scope(self, scope: Scope | None) -> None:
        """Raise :class:`NotAllowed` unless this actor has the scope; ``None`` needs none."""
        if scope is not None and scope not in self.scopes:
            owned = ", ".join(scope for scope in Scope if scope in self.scopes)
            raise NotAllowed(
                f"This needs a key with the scope {scope}; yours has {owned}.", scope=str(scope)
            )


def operator_of(organization_id: UUID) -> Actor:
    """Return the operator, who gives commands, as an actor of an organization."""
    return Actor(organization_id, "operator", Role.ADMIN, is_operator=True)
