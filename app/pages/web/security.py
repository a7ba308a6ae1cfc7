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

#: No inline script or style without the request's nonce, and nothing from another host.
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

#: How long browsers are to come by HTTPS only [s].
_YEAR_S = 365 * 86_400

csrf = CSRFProtect()

#: Forms of those who are not signed in; they check their tokens and are shown again.
_OWN_CHECK = frozenset(
    {
        "pages.sign_in",
        "pages.sign_in_code",
        "pages.choose_password",
        "pages.forgotten_password",
        "pages.confirm_address",
    }
)


class FormExpired(BadRequest):
    """A form's token is not that of the session: the page is older, or not ours."""

    #: By this the page's script knows that it only needs a new token.
    problem_headers: ClassVar[Mapping[str, str]] = {"X-Form-Expired": "1"}
    description = "This page is older than your session. Reload it and try again."


class SessionInterface(SecureCookieSessionInterface):
    """Sessions whose cookie is kept to HTTPS, and to this host, wherever the page came by HTTPS."""

    def get_cookie_name(self, app: Flask) -> str:
        """The cookie's name; browsers let no other host set one of the prefix (RFC 6265bis)."""
        name = super().get_cookie_name(app)
        return f"__Host-{name}" if request.is_secure else name

    def get_cookie_secure(self, app: Flask) -> bool:
        """Return whether the cookie may travel by HTTPS only."""
        return request.is_secure

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Open the cookie's session; the API has none, so that its answers differ by no cookie."""
        return None if request.path.startswith("/v1/") else super().open_session(app, request)

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Send the session's cookie, but not with what browsers keep for good.

        That would be kept by cookie (``Vary``), and each answer has a new one.
        """
        if not response.cache_control.immutable:
            super().save_session(app, session, response)


def init_app(app: Flask) -> None:
    """Set cookie flags and protect the pages' forms; the API has keys instead."""
    app.config.update(
        SESSION_COOKIE_NAME="chartroom",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=12 * 3600,
        WTF_CSRF_CHECK_DEFAULT=False,
        # as long as the session itself: a chart stays open on a bridge all watch
        WTF_CSRF_TIME_LIMIT=None,
    )
    app.session_interface = SessionInterface()
    csrf.init_app(app)


@pages.before_request
def check_form() -> None:
    """Refuse a change that another site's page asked for.

    Whoever is not signed in can change nothing: they are asked to sign in, without a word about
    a token. The sign-in form checks its own token, so that it can be shown again.
    """
    if not current_user.is_authenticated or request.endpoint in _OWN_CHECK:
        return
    try:
        csrf.protect()
    except CSRFError as error:
        raise FormExpired from error


@pages.before_app_request
def make_nonce() -> None:
    """Draw the nonce that this answer's own scripts carry."""
    g.csp_nonce = secrets.token_urlsafe(16)


@pages.app_context_processor
def nonce_context() -> dict[str, Any]:
    """The nonce, for templates."""
    return {"csp_nonce": g.get("csp_nonce", "")}


@pages.after_app_request
def add_headers(response: Response) -> Response:
    """Send the policy with every page."""
    if response.mimetype == "text/html" and "Content-Security-Policy" not in response.headers:
        response.headers["Content-Security-Policy"] = _POLICY.format(nonce=g.get("csp_nonce", ""))
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers["Cache-Control"] = "no-store"
    elif (request.endpoint or "").startswith("pages."):
        response.headers.setdefault("Cache-Control", "private, no-store")
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = f"max-age={_YEAR_S}"
    return response


def wants_page(asked: Request) -> bool:
    """Return whether a person's browser asks, not a program."""
    accepted = asked.accept_mimetypes
    return not asked.path.startswith("/v1/") and (
        accepted["text/html"] > accepted["application/json"]
    )
