"""Security headers and the forms' CSRF token."""

import secrets
from collections.abc import Mapping
from typing import Any, ClassVar

from flask import Flask, Request, Response, g, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from flask_wtf.csrf import CSRFError, CSRFProtect
from werkzeug.exceptions import BadRequest

from app.pages.blueprint import pages
from app.pages.web.visitor import current_user

#: Content security policy: inline scripts need the request's nonce, other hosts are forbidden.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'nonce-{nonce}'",
        "style-src 'self' 'nonce-{nonce}'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

#: Duration of HTTP Strict Transport Security [s].
_YEAR_S = 365 * 86_400

csrf = CSRFProtect()

#: Forms before sign-in; their views check the token and show the form again.
_OWN_CHECK = frozenset(
    {
        "pages.sign_in",
        "pages.sign_in_code",
        "pages.sign_in_passkey",
        "pages.choose_password",
        "pages.forgotten_password",
        "pages.confirm_address",
    }
)


class FormExpired(BadRequest):
    """The CSRF token of a form is not that of the session."""

    #: The page's script requests a new token when it sees this header.
    problem_headers: ClassVar[Mapping[str, str]] = {"X-Form-Expired": "1"}
    description = "This page is older than your session. Reload it and try again."


class SessionInterface(SecureCookieSessionInterface):
    """Sessions with a secure, host-only cookie if the request uses HTTPS."""

    def get_cookie_name(self, app: Flask) -> str:
        """Return the cookie's name; with HTTPS it has the prefix ``__Host-`` (RFC 6265bis)."""
        name = super().get_cookie_name(app)
        return f"__Host-{name}" if request.is_secure else name

    def get_cookie_secure(self, app: Flask) -> bool:
        """Return whether the cookie is sent over HTTPS only."""
        return request.is_secure

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Open the session of the cookie; API requests have no session."""
        return None if request.path.startswith("/v1/") else super().open_session(app, request)

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Send the session cookie, except with immutable responses.

        A cookie would make them vary by session, so that they are never reused.
        """
        if not response.cache_control.immutable:
            super().save_session(app, session, response)


def init_app(app: Flask) -> None:
    """Configure session cookies and CSRF protection of forms."""
    app.config.update(
        SESSION_COOKIE_NAME="chartroom",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=12 * 3600,
        WTF_CSRF_CHECK_DEFAULT=False,
        # Tokens are valid as long as the session, because a chart stays open all watch.
        WTF_CSRF_TIME_LIMIT=None,
    )
    app.session_interface = SessionInterface()
    csrf.init_app(app)


@pages.before_request
def check_form() -> None:
    """Check the CSRF token of requests by signed-in users.

    Other users cannot change anything and are asked to sign in. The sign-in form checks its own
    token, so that it can be shown again.
    """
    if not current_user.is_authenticated or request.endpoint in _OWN_CHECK:
        return
    try:
        csrf.protect()
    except CSRFError as error:
        raise FormExpired from error


@pages.before_app_request
def make_nonce() -> None:
    """Create the nonce of the response's scripts."""
    g.csp_nonce = secrets.token_urlsafe(16)


@pages.app_context_processor
def nonce_context() -> dict[str, Any]:
    """Return the nonce for templates."""
    return {"csp_nonce": g.get("csp_nonce", "")}


@pages.after_app_request
def add_headers(response: Response) -> Response:
    """Add security headers to pages."""
    if response.mimetype == "text/html" and "Content-Security-Policy" not in response.headers:
        response.headers["Content-Security-Policy"] = _POLICY.format(nonce=g.get("csp_nonce", ""))
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers["Cache-Control"] = "no-store"
    elif (request.endpoint or "").startswith("pages."):
        response.headers.setdefault("Cache-Control", "private, no-store")
    response.headers["X-Content-Type-Options"] = "nosniff"
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = f"max-age={_YEAR_S}"
    return response


def prefers_html(asked: Request) -> bool:
    """Return whether a request prefers HTML, as browsers do."""
    accepted = asked.accept_mimetypes
    return not asked.path.startswith("/v1/") and (
        accepted["text/html"] > accepted["application/json"]
    )
