"""One's own account: another password, another e-mail address."""

from threading import Thread

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from werkzeug.utils import redirect
from wtforms import PasswordField, StringField
from wtforms.validators import InputRequired, Length, Regexp

from app.extensions import chartroom
from app.pages.blueprint import pages
from app.pages.views.admin_users import ADDRESS
from app.pages.web.access import let_in, organization_id
from app.pages.web.visitor import current_user
from app.services.errors import Conflict, Invalid, TooManyRequests, Unauthenticated
from app.services.identity import addresses, mail, sign_in_attempts, user_sessions, users
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


class OwnAddressForm(FlaskForm):
    """Another address, and the password of who asks for it."""

    email = StringField(
        validators=[
            InputRequired("Enter the new address."),
            Length(max=254, message="Enter up to 254 characters."),
            Regexp(ADDRESS, message="Enter an address like mate@ship.example."),
        ],
        filters=[lambda typed: typed.strip() if typed else typed],
    )
    own_password = PasswordField(
        validators=[InputRequired("Enter the password that you signed in with.")]
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
    return show_account(form, has_changed=has_changed), status


def show_account(form: PasswordForm, **more: object) -> str:
    """The page, with the form for another address where one can be mailed to."""
    address = more.pop("address", None) or OwnAddressForm(formdata=None)
    can_mail = mail.is_configured()
    return render_template(
        "account/account.html", form=form, address=address, can_mail=can_mail, **more
    )


@pages.post("/account/address")
def change_own_address() -> ResponseReturnValue:
    """Mail a link to another address; the answer is the same where somebody has it."""
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
    """Mail it in a separate thread, so that the answer's time reveals nothing."""
    with organization_session(organization_id()) as session:
        user = users.get(session, organization_id(), str(current_user.user_id))
        try:
            link = addresses.issue(session, user, email, user.email, request.url_root)
        except Conflict:
            return
        letter = (email, addresses.SUBJECT, addresses.write_letter(user, link))
    Thread(target=mail.send_by, args=(chartroom().settings, *letter)).start()


def _check_password(current: str) -> None:
    """Make sure that who is signed in knows the password; raises :class:`Unauthenticated`."""
    email, origin = current_user.email, request.remote_addr or "unknown"
    sign_in_attempts.check(email, origin)
    try:
        users.sign_in(email, current)
    except Unauthenticated:
        sign_in_attempts.count_failure(email, origin)
        raise


def _change_password(current: str, new: str) -> None:
    """Set a new password; every other session of this user ends, this one goes on."""
    email = current_user.email
    _check_password(current)
    with organization_session(organization_id()) as own:
        users.set_password(own, organization_id(), email, new)
    user_sessions.end_all(current_user.user_id)
    let_in(users.sign_in(email, new))
