"""Signed-in users and what they may see."""

import time
from typing import Any
from uuid import UUID

from flask import Flask, Response, g, redirect, request, session, url_for
from flask_login import LoginManager, login_user

from app.pages.blueprint import pages
from app.pages.web.security import wants_page
from app.pages.web.visitor import Visitor, current_user
from app.rate_limit import count_page
from app.services.errors import NotAllowed, Unauthenticated
from app.services.identity import user_sessions, users
from app.services.platform import audit
from app.services.platform.actor import Actor
from app.services.platform.ids import find_id
from app.services.platform.sessions import organization_session

#: What can be seen without signing in.
_OPEN = frozenset(
    {
        "pages.sign_in",
        "pages.sign_in_code",
        "pages.choose_password",
        "pages.forgotten_password",
        "pages.confirm_address",
        "pages.openid_sign_in",
        "pages.openid_callback",
        "pages.session_state",
    }
)
#: What a user sees who has yet to set up the second factor that the organization wants.
_BEFORE_FACTOR = frozenset(
    {
        "pages.second_factor",
        "pages.confirm_second_factor",
        "pages.sign_out",
        "pages.sign_out_everywhere",
    }
)

#: How long admins act after they have shown who they are [s].
PROOF_LASTS_S = 1800
_PROVED_AT = "proved_at"

login_manager = LoginManager()


def note_proof() -> None:
    """Remember that the session's user has just shown who they are."""
    session[_PROVED_AT] = int(time.time())


def is_proof_fresh() -> bool:
    """Return whether the session's user has shown lately who they are."""
    return time.time() - int(session.get(_PROVED_AT, 0)) < PROOF_LASTS_S


def init_app(app: Flask) -> None:
    """Let Flask-Login keep who is signed in."""
    login_manager.init_app(app)


def let_in(signed_in: users.SignedIn) -> None:
    """Begin a session; one that somebody else may have begun in this browser ends here."""
    session.clear()
    session.permanent = True
    login_user(Visitor(signed_in, user_sessions.begin(signed_in.user_id)))
    note_in_audit(signed_in, audit.SIGNED_IN)
    note_proof()


def note_in_audit(who: users.SignedIn, action: str) -> None:
    """Keep in the audit record what a user did, or somebody in their name, from where."""
    g.acting = (who.email, request.remote_addr)
    with organization_session(who.actor.organization_id) as own:
        audit.record(own, who.actor, action, who.user_id)


def actor() -> Actor:
    """Return the user of this page as an actor."""
    signed_in: Actor = current_user.actor
    return signed_in


def organization_id() -> UUID:
    """Return the organization whose data this page shows."""
    return actor().organization_id


@login_manager.user_loader
def load_visitor(visitor_id: str) -> Visitor | None:
    """Find the user that a session's cookie names, if they may still come in.

    Who is signed in since before their password was changed may not.
    """
    user_id, _, rest = visitor_id.partition(" ")
    name, known = rest.partition(" ")[0], find_id(user_id)
    signed_in = users.find_signed_in(known, name) if known else None
    visitor = Visitor(signed_in, name) if signed_in else None
    return visitor if visitor and visitor.id == visitor_id else None


@login_manager.unauthorized_handler
def ask_to_sign_in() -> Response:
    """Send people to the sign-in page; answer scripts that their session has ended."""
    if not wants_page(request):
        raise Unauthenticated("Your session has ended. Sign in again.")
    return redirect(url_for("pages.sign_in", next=request.full_path.rstrip("?")))  # type: ignore[return-value]


@pages.before_request
def require_sign_in() -> Any:
    """Let only signed-in users see pages, but for those that are open."""
    if request.endpoint in _OPEN:
        return None
    if not current_user.is_authenticated:
        return login_manager.unauthorized()
    g.acting = (current_user.email, request.remote_addr)
    count_page(current_user.user_id)
    # whom the provider vouches for has the provider's second factor
    needs_factor = current_user.known.needs_second_factor and "by_oidc" not in session
    if needs_factor and request.endpoint not in _BEFORE_FACTOR:
        return _ask_for_second_factor()
    return None


def _ask_for_second_factor() -> Response:
    """Lead to the page that sets one up: the organization wants it."""
    if not wants_page(request):
        raise NotAllowed("Your organization requires a second factor. Set it up under your name.")
    return redirect(url_for("pages.second_factor"))  # type: ignore[return-value]


@pages.before_request
def require_proof() -> Any:
    """Let admins act only after they have shown lately who they are."""
    is_admin_page = request.endpoint is not None and request.path.startswith("/admin")
    signed_in = current_user.is_authenticated and current_user.is_admin
    if not (is_admin_page and signed_in) or is_proof_fresh():
        return None
    back = request.full_path.rstrip("?") if request.method == "GET" else url_for("pages.admin")
    return redirect(url_for("pages.confirm", next=back))


@pages.app_context_processor
def visitor_context() -> dict[str, Any]:
    """Return the signed-in user, for templates."""
    return {"signed_in": current_user if current_user.is_authenticated else None}
