"""Signing in and out."""

from urllib.parse import urlsplit

from flask import redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user, login_user, logout_user
from flask_wtf import FlaskForm
from flask_wtf.csrf import generate_csrf
from wtforms import PasswordField, StringField
from wtforms.validators import InputRequired, Length

from app.pages.access import Visitor
from app.pages.blueprint import answer_json, pages
from app.pages.security import wants_page
from app.services import sign_in_attempts, users
from app.services.errors import TooManyRequests, Unauthenticated

_STALE = "This page was open for too long. Sign in again."


class SignInForm(FlaskForm):  # type: ignore[misc]
    """E-mail address and password."""

    email = StringField(validators=[InputRequired("Enter your e-mail address."), Length(max=254)])
    password = PasswordField(validators=[InputRequired("Enter your password."), Length(max=1024)])


@pages.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> ResponseReturnValue:
    """Ask who it is, and let them in."""
    if current_user.is_authenticated and request.method == "GET":
        return redirect(_next_page())
    form = SignInForm()
    fault, status = "", 200
    if form.validate_on_submit():
        try:
            _let_in(form.email.data.strip(), form.password.data)
            return redirect(_next_page()) if wants_page(request) else answer_json()
        except (Unauthenticated, TooManyRequests) as error:
            fault, status = error.detail, 401 if isinstance(error, Unauthenticated) else 429
    elif form.errors:
        fault, status = _STALE if "csrf_token" in form.errors else "", 422
    if not wants_page(request):
        return answer_json(detail=fault or "Enter your password."), status
    return render_template("sign_in/sign_in.html", form=form, fault=fault), status


@pages.get("/session")
def session_state() -> ResponseReturnValue:
    """Tell a page that was open for long whether its user is still signed in.

    The token is the one that forms need now; the browser lets no other site read it.
    """
    return answer_json(
        email=current_user.email if current_user.is_authenticated else None,
        csrfToken=generate_csrf(),
    )


@pages.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """Forget who it was."""
    logout_user()
    session.clear()
    return redirect(url_for("pages.sign_in"))


def _let_in(email: str, password: str) -> None:
    origin = request.remote_addr or "unknown"
    sign_in_attempts.check(email, origin)
    try:
        known = users.sign_in(email, password)
    except Unauthenticated:
        sign_in_attempts.count_failure(email, origin)
        raise
    sign_in_attempts.forget(email)
    # A session that somebody else may have begun ends here.
    session.clear()
    session.permanent = True
    login_user(Visitor(known))


def _next_page() -> str:
    """The page that was asked for, if it is one of ours."""
    wanted = urlsplit(request.args.get("next", ""))
    ours = not wanted.scheme and not wanted.netloc and wanted.path.startswith("/")
    return wanted.geturl() if ours and "\\" not in wanted.path else url_for("pages.home")
