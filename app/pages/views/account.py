"""Account page: change of password and e-mail address."""

from threading import Thread

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from werkzeug.utils import redirect
from wtforms import PasswordField
from wtforms.validators import InputRequired, Length

from app.extensions import chartroom
from app.pages.blueprint import pages
from app.pages.views.admin_users import email_field
from app.pages.web.access import organization_id, start_session
from app.pages.web.visitor import current_user
from app.services.errors import Conflict, Invalid, TooManyRequests, Unauthenticated
from app.services.identity import addresses, mail, sign_in_attempts, user_sessions, users
from app.services.identity.passwords import LENGTH, LONGEST_PASSWORD, SHORTEST_PASSWORD
from app.services.platform.sessions import organization_session

_WRONG = "The password is wrong. Enter the one that you signed in with."


class PasswordForm(FlaskForm):
    """Current and new password."""

    current = PasswordField(
        validators=[InputRequired("Enter the password that you signed in with.")]
    )
    new = PasswordField(
        validators=[
            InputRequired("Enter a new password."),
            Length(SHORTEST_PASSWORD, LONGEST_PASSWORD, message=LENGTH),
        ]
    )


class OwnAddressForm(FlaskForm):
    """New e-mail address, and the current password."""

    email = email_field("Enter the new address.")
    own_password = PasswordField(
        validators=[InputRequired("Enter the password that you signed in with.")]
    )


@pages.route("/account", methods=["GET", "POST"])
def account() -> ResponseReturnValue:
    """Show the account, and change the password."""
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
    return show_account(form, has_changed=has_changed), status


def show_account(form: PasswordForm, **more: object) -> str:
    """Render the page, with the form for a new address if mail is configured."""
    address = more.pop("address", None) or OwnAddressForm(formdata=None)
    can_mail = mail.is_configured()
    return render_template(
        "account/account.html", form=form, address=address, can_mail=can_mail, **more
    )


@pages.post("/account/address")
def change_own_address() -> ResponseReturnValue:
    """Mail a link to a new address; the response is the same if the address is in use."""
    form, passwords = OwnAddressForm(), PasswordForm(formdata=None)
    if not (mail.is_configured() and form.validate_on_submit()):
        return show_account(passwords, address=form), 422
    try:
        _check_password(form.own_password.data)
    except (Unauthenticated, TooManyRequests) as error:
        throttled = isinstance(error, TooManyRequests)
        form.own_password.errors = (error.detail if throttled else _WRONG,)
        return show_account(passwords, address=form), 429 if throttled else 401
    _mail_link(form.email.data)
    return show_account(passwords, mailed_to=form.email.data), 200


def _mail_link(email: str) -> None:
    """Mail the link in a thread, so that the response time reveals nothing."""
    with organization_session(organization_id()) as session:
        user = users.get(session, organization_id(), str(current_user.user_id))
        try:
            link = addresses.issue(session, user, email, user.email, request.url_root)
        except Conflict:
            return
        letter = (email, addresses.SUBJECT, addresses.write_letter(user, link))
    Thread(target=mail.send_by, args=(chartroom().settings, *letter)).start()


def _check_password(current: str) -> None:
    """Check the signed-in user's password; raises :class:`Unauthenticated` if it is wrong."""
    email, origin = current_user.email, request.remote_addr or "unknown"
    sign_in_attempts.check(email, origin)
    try:
        users.sign_in(email, current)
    except Unauthenticated:
        sign_in_attempts.count_failure(email, origin)
        raise


def _change_password(current: str, new: str) -> None:
    """Set a new password; all other sessions of the user end."""
    email = current_user.email
    _check_password(current)
    with organization_session(organization_id()) as own:
        users.set_password(own, organization_id(), email, new)
    user_sessions.end_all(current_user.user_id)
    start_session(users.sign_in(email, new))
