"""Sign-in and access to pages."""

import time
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from flask import Flask, Response, g, redirect, request, session, url_for
from flask_login import LoginManager, login_user

from app.extensions import chartroom
from app.models import Role
from app.pages.blueprint import pages
from app.pages.web.security import prefers_html
from app.pages.web.visitor import Visitor, current_user
from app.rate_limit import count_page
from app.services.errors import NotAllowed, Unauthenticated
from app.services.identity import user_sessions, users
from app.services.platform import audit
from app.services.platform.actor import Actor
from app.services.platform.ids import find_id
from app.services.platform.sessions import organization_session
from app.services.webhooks.webhook_endpoints import find_required_role

#: Pages that need no sign-in.
_OPEN = frozenset(
    {
        "pages.sign_in",
        "pages.sign_in_code",
        "pages.sign_in_passkey",
        "pages.sole_passkey_options",
        "pages.passkey_options",
        "pages.choose_password",
        "pages.forgotten_password",
        "pages.confirm_address",
        "pages.openid_sign_in",
        "pages.openid_callback",
        "pages.session_state",
    }
)
#: Pages for users who must set up a second factor first.
_BEFORE_FACTOR = frozenset(
    {
        "pages.second_factor",
        "pages.confirm_second_factor",
        "pages.new_passkey_options",
        "pages.add_passkey",
        "pages.confirm",
        "pages.sign_out",
        "pages.sign_out_everywhere",
    }
)

#: Time after confirming their identity in which admins may act [s].
PROOF_LASTS_S = 1800
_PROVED_AT = "proved_at"

#: Key of sessions that an OpenID provider started, which has its own second factor.
BY_PROVIDER = "by_oidc"

login_manager = LoginManager()


def store_proof() -> None:
    """Store that the session's user has just confirmed their identity."""
    session[_PROVED_AT] = int(time.time())


def is_proof_fresh() -> bool:
    """Return whether the session's user has recently confirmed their identity."""
    return time.time() - int(session.get(_PROVED_AT, 0)) < PROOF_LASTS_S


def init_app(app: Flask) -> None:
    """Set up Flask-Login."""
    login_manager.init_app(app)


def start_session(signed_in: users.SignedIn) -> None:
    """Start a session; an earlier session of this browser ends."""
    leave_session()
    session.permanent = True
    login_user(Visitor(signed_in, user_sessions.begin(signed_in.user_id)))
    record_in_audit_log(signed_in, audit.Action.SIGNED_IN)
    store_proof()


def leave_session() -> None:
    """End the session of this browser, if it has one; copies of its cookie become invalid."""
    if current_user.is_authenticated:
        user_sessions.end(current_user.user_id, current_user.session_name)
    session.clear()


def renew_session(signed_in: users.SignedIn) -> None:
    """Start a session that proves as much as the present one, after a change of password.

    The password alone must not renew the proof of a user with a second factor.
    """
    kept = {name: session[name] for name in (_PROVED_AT, BY_PROVIDER) if name in session}
    start_session(signed_in)
    session.update(kept)


def record_in_audit_log(
    who: users.SignedIn, action: str, *, after: dict[str, Any] | None = None
) -> None:
    """Record an action of a user, with its IP address, in the audit log."""
    g.acting = (who.email, request.remote_addr)
    with organization_session(who.actor.organization_id) as own:
        audit.record(own, who.actor, action, who.user_id, after=after)


def actor() -> Actor:
    """Return the signed-in user as an actor."""
    signed_in: Actor = current_user.actor
    return signed_in


def organization_id() -> UUID:
    """Return the organization of the signed-in user."""
    return actor().organization_id


@login_manager.user_loader
def load_visitor(visitor_id: str) -> Visitor | None:
    """Find the user of a session cookie, if the session is still valid.

    Changing the password ends earlier sessions.
    """
    user_id, _, rest = visitor_id.partition(" ")
    name, known = rest.partition(" ")[0], find_id(user_id)
    signed_in = users.find_signed_in(known, name) if known else None
    visitor = Visitor(signed_in, name) if signed_in else None
    return visitor if visitor and visitor.id == visitor_id else None


def require_local_sign_in() -> None:
    """Raise :class:`NotAllowed` if users sign in by their organization's provider only."""
    if not chartroom().settings.has_local_sign_in:
        raise NotAllowed("Passwords and passkeys are disabled. Sign in with your organization.")


def has_own_password() -> bool:
    """Return whether the signed-in user signs in with a password, and so may change it."""
    return chartroom().settings.has_local_sign_in and current_user.known.has_password


def require_own_password() -> None:
    """Raise :class:`NotAllowed` for users whom only their organization's provider lets in."""
    if not has_own_password():
        raise NotAllowed("You sign in with your organization's account, without a password.")


def signs_in_again_by_provider() -> bool:
    """Return whether a page whose session has ended leads to the provider, not to a password."""
    settings = chartroom().settings
    by_provider = BY_PROVIDER in session or not settings.has_local_sign_in
    return by_provider and settings.openid is not None


@login_manager.unauthorized_handler
def ask_to_sign_in() -> Response:
    """Redirect browsers to the sign-in page; raise :class:`Unauthenticated` for scripts."""
    if not prefers_html(request):
        raise Unauthenticated("Your session has ended. Sign in again.")
    return redirect(url_for("pages.sign_in", next=request.full_path.rstrip("?")))  # type: ignore[return-value]


@pages.before_request
def require_sign_in() -> Any:
    """Require sign-in, except for open pages."""
    if request.endpoint in _OPEN:
        return None
    if not current_user.is_authenticated:
        return login_manager.unauthorized()
    g.acting = (current_user.email, request.remote_addr)
    count_page(current_user.user_id)
    needs_factor = current_user.known.needs_second_factor and BY_PROVIDER not in session
    if needs_factor and request.endpoint not in _BEFORE_FACTOR:
        return _ask_for_second_factor()
    return None


def _ask_for_second_factor() -> Response:
    """Redirect to the page that sets up a second factor."""
    if not prefers_html(request):
        raise NotAllowed(
            "Your organization requires a second factor. Set it up in the account menu."
        )
    return redirect(url_for("pages.second_factor"))  # type: ignore[return-value]


@pages.before_request
def find_webhook_right() -> None:
    """Find whether a planner may manage webhooks, for the navigation of whole pages."""
    is_planner = current_user.is_authenticated and current_user.role == Role.PLANNER
    if is_planner and prefers_html(request):
        with organization_session(organization_id()) as session:
            required = find_required_role(session, actor())
        current_user.may_manage_webhooks = actor().role.includes(required)


@pages.before_request
def require_proof() -> Any:
    """Require admins to confirm their identity again after some time."""
    is_admin_page = request.endpoint is not None and request.path.startswith("/admin")
    signed_in = current_user.is_authenticated and current_user.is_admin
    if not (is_admin_page and signed_in) or is_proof_fresh():
        return None
    if request.method == "GET":
        return redirect(url_for("pages.confirm", next=request.full_path.rstrip("?")))
    return redirect(url_for("pages.confirm", next=_find_form_page(), unsaved=1))


def _find_form_page() -> str:
    """Return the path of the admin page that a form was sent from, as the browser names it."""
    page = urlsplit(request.referrer or "")
    is_own = page.netloc == request.host and page.path.startswith("/admin")
    return page.path if is_own else url_for("pages.admin")


@pages.app_context_processor
def visitor_context() -> dict[str, Any]:
    """Return the signed-in user and their ways to sign in, for templates."""
    if not current_user.is_authenticated:
        return {"signed_in": None}
    return {
        "signed_in": current_user,
        "has_own_password": has_own_password(),
        "signs_in_again_by_provider": signs_in_again_by_provider(),
    }
