"""Who is signed in, and what that lets them see."""

from typing import Any
from uuid import UUID

from flask import Flask, Response, redirect, request, url_for
from flask_login import LoginManager, UserMixin, current_user

from app.models import Role
from app.pages.blueprint import pages
from app.pages.security import wants_page
from app.services import users
from app.services.actor import Actor
from app.services.errors import Unauthenticated
from app.services.ids import find_id

#: What can be seen without signing in.
_OPEN = frozenset({"pages.sign_in", "pages.session_state", "pages.basemap_tile"})

login_manager = LoginManager()


class Visitor(UserMixin):
    """A signed-in user, as Flask-Login holds them."""

    def __init__(self, signed_in: users.SignedIn) -> None:
        self.id = f"{signed_in.user_id} {signed_in.stamp}"
        self.email = signed_in.email
        self.name = signed_in.name
        self.actor = signed_in.actor
        self.role = str(signed_in.actor.role)

    @property
    def may_plan(self) -> bool:
        """Whether this user may order routes and draw areas."""
        return self.actor.role.includes(Role.PLANNER)

    @property
    def may_review(self) -> bool:
        """Whether this user may tick critical points, as the bridge does."""
        return self.actor.role.includes(Role.MASTER)

    @property
    def is_admin(self) -> bool:
        """Whether this user manages keys and users."""
        return self.actor.role.includes(Role.ADMIN)


def init_app(app: Flask) -> None:
    """Let Flask-Login keep who is signed in."""
    login_manager.init_app(app)


def actor() -> Actor:
    """Who is at work on this page."""
    signed_in: Actor = current_user.actor
    return signed_in


def organization_id() -> UUID:
    """Whose data this page shows."""
    return actor().organization_id


@login_manager.user_loader
def load_visitor(visitor_id: str) -> Visitor | None:
    """Find the user that a session's cookie names, if they may still come in.

    Who is signed in since before their password was changed may not.
    """
    known = find_id(visitor_id.partition(" ")[0])
    signed_in = users.find_signed_in(known) if known else None
    visitor = Visitor(signed_in) if signed_in else None
    return visitor if visitor and visitor.id == visitor_id else None


@login_manager.unauthorized_handler
def ask_to_sign_in() -> Response:
    """Send people to the sign-in page and tell scripts that their session ended."""
    if not wants_page(request):
        raise Unauthenticated("Your session has ended. Sign in again.")
    return redirect(url_for("pages.sign_in", next=request.full_path.rstrip("?")))  # type: ignore[return-value]


@pages.before_request
def require_sign_in() -> Any:
    """Let only signed-in users see pages, but for those that are open."""
    if request.endpoint in _OPEN or current_user.is_authenticated:
        return None
    return login_manager.unauthorized()


@pages.app_context_processor
def visitor_context() -> dict[str, Any]:
    """Who is signed in, for templates."""
    return {"signed_in": current_user if current_user.is_authenticated else None}
