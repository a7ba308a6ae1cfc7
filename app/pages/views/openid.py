"""Sign-in by OpenID Connect: authorization code flow with PKCE, state and nonce."""

import logging
import time

from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import FlaskOAuth2App, OAuth
from flask import Flask, abort, current_app, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from joserfc.errors import JoseError
from requests.exceptions import RequestException

from app.config import OpenIdSettings
from app.extensions import chartroom
from app.pages.blueprint import pages
from app.pages.views.sign_in import SignInForm, next_page
from app.pages.web.access import BY_PROVIDER, start_session
from app.pages.web.visitor import current_user
from app.services.errors import NotAllowed, Unauthenticated
from app.services.identity import openid
from app.services.platform.ids import find_id

logger = logging.getLogger(__name__)

#: Session keys: page to return to, and user who has to sign in again.
_NEXT, _AGAIN = "oidc_next", "oidc_again"

#: Name of the provider, and prefix of the session keys in which Authlib keeps started sign-ins.
_NAME = "provider"
_STARTED = f"_state_{_NAME}_"
#: Largest number of started sign-ins, as of several tabs: all are in one cookie, and browsers
#: ignore one of more than 4 kB.
_MOST_STARTED = 5

_TIMEOUT_S = 10
#: Greatest age of the provider's authentication when a user signs in again [s].
_AGAIN_S = 300

_FAILED = "Signing in failed. Try again."
_AWAY = "The sign-in provider does not respond. Try again later."


def init_app(app: Flask) -> None:
    """Register the provider, if one is configured."""
    settings = app.extensions["chartroom"].settings.openid
    oauth = OAuth(app)
    app.extensions["openid"] = oauth
    if settings is not None:
        oauth.register(
            _NAME,
            client_id=settings.client_id,
            client_secret=settings.client_secret,
            server_metadata_url=f"{settings.issuer}/.well-known/openid-configuration",
            client_kwargs={
                "scope": settings.scope,
                "code_challenge_method": "S256",
                "timeout": _TIMEOUT_S,
            },
        )


@pages.get("/sign-in/openid")
def openid_sign_in() -> ResponseReturnValue:
    """Redirect the browser to the provider."""
    _settings()
    session[_NEXT] = next_page()
    more: dict[str, object] = {}
    session.pop(_AGAIN, None)
    if current_user.is_authenticated:
        session[_AGAIN] = _user_again()
        more = {"prompt": "login", "max_age": 0}
    _forget_oldest()
    callback = url_for("pages.openid_callback", _external=True)
    base = chartroom().settings.public_url
    if base is not None:
        callback = base.rstrip("/") + url_for("pages.openid_callback")
    try:
        answer: ResponseReturnValue = _provider().authorize_redirect(callback, **more)
    except (OAuthError, RequestException, ValueError) as error:
        return _refuse(_AWAY, error, 503)
    return answer


@pages.get("/sign-in/openid/callback")
def openid_callback() -> ResponseReturnValue:
    """Check the provider's response and start a session."""
    settings = _settings()
    wanted, again = session.get(_NEXT), session.get(_AGAIN)
    try:
        token = _provider().authorize_access_token(
            # settings leave the final slash of an issuer out
            claims_options={
                "iss": {"essential": True, "values": [settings.issuer, f"{settings.issuer}/"]}
            }
        )
        claims = token.get("userinfo")
        if not claims:
            raise OAuthError(description="the answer holds no ID token")
        known = openid.sign_in(settings, claims)
        _check_again(again, str(known.user_id), claims.get("auth_time"))
    except (NotAllowed, Unauthenticated) as error:
        return _refuse(error.detail, error, 403)
    except (OAuthError, JoseError, ValueError, KeyError) as error:
        return _refuse(_FAILED, error, 401)
    except RequestException as error:
        return _refuse(_AWAY, error, 503)
    start_session(known)
    session[BY_PROVIDER] = True
    return redirect(wanted or url_for("pages.home"))


def _forget_oldest() -> None:
    """Remove the oldest started sign-ins from the session, so that another one fits in."""
    started = [key for key in session if key.startswith(_STARTED)]
    started.sort(key=lambda key: session[key]["exp"], reverse=True)
    for key in started[_MOST_STARTED - 1 :]:
        session.pop(key)


def _user_again() -> str:
    """Return the id of the user who has to sign in again: of the open page, or the session.

    They differ if another user has signed in in this browser since the page was opened.
    """
    return str(find_id(request.args.get("user", "")) or current_user.user_id)


def _check_again(again: str | None, user_id: str, signed_in_at: object) -> None:
    """Raise :class:`Unauthenticated` for another user or an old authentication."""
    if again is None:
        return
    is_now = isinstance(signed_in_at, int) and time.time() - signed_in_at < _AGAIN_S
    if again != user_id or not is_now:
        raise Unauthenticated("Sign in again with the same account.")


def _refuse(words: str, error: Exception, status: int) -> ResponseReturnValue:
    logger.warning("sign-in by OpenID failed: %s", type(error).__name__)
    return render_template("sign_in/sign_in.html", form=SignInForm(), fault=words), status


def _settings() -> OpenIdSettings:
    settings = chartroom().settings.openid
    if settings is None:
        abort(404)
    return settings


def _provider() -> FlaskOAuth2App:
    oauth: OAuth = current_app.extensions["openid"]
    provider: FlaskOAuth2App = oauth.provider
    return provider


@pages.app_context_processor
def openid_context() -> dict[str, object]:
    """Return the available sign-in methods, for the sign-in page."""
    settings = chartroom().settings
    label = settings.openid.label if settings.openid else None
    return {"openid_label": label, "has_local_sign_in": settings.has_local_sign_in}
