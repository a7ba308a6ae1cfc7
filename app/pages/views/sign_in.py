"""Sign-in and sign-out."""

import re
import time
from uuid import UUID

from flask import redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_login import logout_user
from flask_wtf import FlaskForm
from flask_wtf.csrf import generate_csrf
from wtforms import PasswordField
from wtforms.validators import InputRequired, Length

from app.pages.blueprint import answer_json, pages
from app.pages.web.access import (
    leave_session,
    record_in_audit_log,
    require_local_sign_in,
    start_session,
)
from app.pages.web.factor_form import CodeForm, Step, check_factor, show_step
from app.pages.web.forms import own_email_field, prepare_refusal
from app.pages.web.security import prefers_html
from app.pages.web.visitor import current_user
from app.services.errors import TooManyRequests, Unauthenticated
from app.services.identity import sign_in_attempts, user_sessions, users
from app.services.platform import audit

#: Session key of a user who has given only the password, and its lifetime [s].
_PENDING = "pending"
_PENDING_S = 300

#: A local path. Browsers read "//" and "/\\" as another host and ignore white space.
_LOCAL_PATH = re.compile(r"/(?![/\\])[^\\\s\x00-\x20\x7f]*")

_TOO_LATE = "The password was entered more than 5 minutes ago. Enter it again."
STALE = "This page was open for too long. Sign in again."


class SignInForm(FlaskForm):
    """E-mail address and password."""

    email = own_email_field()
    password = PasswordField(validators=[InputRequired("Enter your password."), Length(max=1024)])


@pages.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> ResponseReturnValue:
    """Sign in with e-mail address and password."""
    if current_user.is_authenticated and request.method == "GET":
        return redirect(next_page())
    form = SignInForm()
    fault, status = "", 200
    if request.method == "POST":
        require_local_sign_in()
    if form.validate_on_submit():
        try:
            known = _check_password(form.email.data.strip(), form.password.data)
            if known.has_second_factor:
                return _ask_for_code(known)
            start_session(known)
            return redirect(next_page()) if prefers_html(request) else answer_json()
        except (Unauthenticated, TooManyRequests) as error:
            fault, status = error.detail, prepare_refusal(error)
    elif form.errors:
        fault, status = STALE if "csrf_token" in form.errors else "", 422
    if not prefers_html(request):
        return answer_json(detail=fault or "Enter your password."), status
    return render_template("sign_in/sign_in.html", form=form, fault=fault), status


@pages.route("/sign-in/code", methods=["GET", "POST"])
def sign_in_code() -> ResponseReturnValue:
    """Ask for the code or passkey after the password."""
    known = find_pending()
    if known is None:
        session.pop(_PENDING, None)
        if not prefers_html(request):
            return answer_json(detail=_TOO_LATE, passwordNeeded=True), 401
        return redirect(url_for("pages.sign_in", next=request.args.get("next")))
    form, status = CodeForm(), 200
    if form.is_submitted():
        status = check_factor(known, form)
        if status == 200:
            start_session(known)
            return redirect(next_page()) if prefers_html(request) else answer_json()
    if not prefers_html(request):
        detail = " ".join((*form.code.errors, *form.credential.errors))
        return answer_json(detail=detail or STALE), status
    return show_step(_step_of(known), form, known), status


@pages.get("/session")
def session_state() -> ResponseReturnValue:
    """Return the signed-in user and the current CSRF token, for pages open a long time.

    An address may have users in several organizations, so pages compare the user's id.
    Browsers do not let other sites read the response.
    """
    is_signed_in = current_user.is_authenticated
    return answer_json(
        user=str(current_user.user_id) if is_signed_in else None,
        email=current_user.email if is_signed_in else None,
        csrfToken=generate_csrf(),
    )


@pages.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End the session."""
    if current_user.is_authenticated:
        record_in_audit_log(current_user.known, audit.Action.SIGNED_OUT)
    leave_session()
    logout_user()
    return redirect(url_for("pages.sign_in"))


@pages.post("/sign-out-everywhere")
def sign_out_everywhere() -> ResponseReturnValue:
    """End all sessions of the user."""
    user_sessions.end_all(current_user.user_id)
    return sign_out()


def _ask_for_code(known: users.SignedIn) -> ResponseReturnValue:
    """Store the user in the session and ask for the code."""
    leave_session()
    session[_PENDING] = {
        "id": str(known.user_id), "stamp": known.stamp, "at": int(time.time())
    }  # fmt: skip
    if not prefers_html(request):
        return answer_json(codeNeeded=True, hasPasskey=known.has_passkey)
    return redirect(url_for("pages.sign_in_code", next=request.args.get("next")))


def _step_of(known: users.SignedIn) -> Step:
    means = ["a recovery code"]
    if known.has_authenticator:
        means.insert(0, "the six digits that your authenticator shows")
    if known.has_passkey:
        means.insert(0, "your passkey")
    title = "Use your passkey" if known.has_passkey else "Enter the code"
    text = f"{known.email}: {', '.join(means[:-1])}, or {means[-1]}."
    return Step(title, text, "Sign in", (url_for("pages.sign_in"), "Sign in with another account"))


def find_pending() -> users.SignedIn | None:
    """Find the user who has given the password and still needs a second factor."""
    pending = session.get(_PENDING)
    if not pending or time.time() - pending["at"] > _PENDING_S:
        return None
    known = users.find_active(UUID(pending["id"]))
    return known if known and known.stamp == pending["stamp"] else None


def _check_password(email: str, password: str) -> users.SignedIn:
    origin = request.remote_addr or "unknown"
    sign_in_attempts.count(email, origin)
    try:
        known = users.sign_in(email, password)
    except Unauthenticated:
        for named in users.list_known(email):
            record_in_audit_log(named, audit.Action.SIGN_IN_FAILED)
        raise
    sign_in_attempts.remember(email, origin)
    # Whoever rules one user of an address must not reset the delay of the others.
    is_alone = len(users.list_by_email(email)) <= 1
    (sign_in_attempts.forget if is_alone else sign_in_attempts.take_back)(email, origin)
    return known


def next_page() -> str:
    """Return the requested page if it is a local path, else the home page."""
    wanted = request.args.get("next", "")
    return wanted if _LOCAL_PATH.fullmatch(wanted) else url_for("pages.home")
