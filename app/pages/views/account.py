"""One's own account: another password."""

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from werkzeug.utils import redirect
from wtforms import PasswordField
from wtforms.validators import InputRequired, Length

from app.pages.blueprint import pages
from app.pages.web.access import let_in, organization_id
from app.pages.web.visitor import current_user
from app.services.errors import Invalid, TooManyRequests, Unauthenticated
from app.services.identity import sign_in_attempts, user_sessions, users
from app.services.identity.passwords import LENGTH, LONGEST_PASSWORD, SHORTEST_PASSWORD
from app.services.platform.sessions import organization_session

_WRONG = "This is not the password that you signed in with."


class PasswordForm(FlaskForm):
    """The password that one has, and the one to have."""

    current = PasswordField(
        validators=[InputRequired("Enter the password that you signed in with.")]
    )
    new = PasswordField(
        validators=[
            InputRequired("Enter a new password."),
            Length(SHORTEST_PASSWORD, LONGEST_PASSWORD, message=LENGTH),
        ]
    )


@pages.route("/account", methods=["GET", "POST"])
def account() -> ResponseReturnValue:
    """Show who is signed in, and change their password."""
    form = PasswordForm()
    status = 200
    if form.validate_on_submit():
        try:
            _change_password(form.current.data, form.new.data)
            return redirect(url_for("pages.account", changed="yes"))
        except (Unauthenticated, TooManyRequests) as error:
            throttled = isinstance(error, TooManyRequests)
            form.current.errors = (error.detail if throttled else _WRONG,)
            status = 429 if throttled else 401
        except Invalid as error:
            form.new.errors, status = (error.detail,), 422
    elif form.errors:
        status = 422
    has_changed = "changed" in request.args and not form.errors
    return render_template("account/account.html", form=form, has_changed=has_changed), status


def _change_password(current: str, new: str) -> None:
    """Set a new password; every other session of this user ends, this one goes on."""
    email, origin = current_user.email, request.remote_addr or "unknown"
    sign_in_attempts.check(email, origin)
    try:
        users.sign_in(email, current)
    except Unauthenticated:
        sign_in_attempts.count_failure(email, origin)
        raise
    with organization_session(organization_id()) as own:
        users.set_password(own, organization_id(), email, new)
    user_sessions.end_all(current_user.user_id)
    let_in(users.sign_in(email, new))
