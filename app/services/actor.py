"""Who asks."""

from dataclasses import dataclass
from uuid import UUID

from app.models import Role
from app.services.errors import NotAllowed


@dataclass(frozen=True, slots=True)
class Actor:
    """A key or a user at work for one organization.

    ``name`` is what audit columns keep; ``is_operator`` allows what touches
    other organizations.
    """

    organization_id: UUID
    name: str
    role: Role
    is_operator: bool = False

    def require(self, role: Role) -> None:
        """Raise :class:`NotAllowed` unless this actor's role includes ``role``."""
        if not self.role.includes(role):
            raise NotAllowed(
                f"This needs the role {role}; yours is {self.role}.", required=str(role)
            )
