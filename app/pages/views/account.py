"""Account page: change of password and e-mail address."""

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from werkzeug.utils import redirect
from wtforms import PasswordField
from wtforms.validators import InputRequired, Length

from app.pages.blueprint import pages
from app.pages.views.admin_users import email_field
from app.pages.web.access import actor, renew_session, require_own_password
from app.pages.web.factor_form import check_own_password
from app.pages.web.own import own_session, own_user
from app.pages.web.visitor import current_user
from app.services.errors import Conflict, Invalid
from app.services.identity import addresses, mail, user_sessions, users
from app.services.identity.passwords import LENGTH, LONGEST_PASSWORD, SHORTEST_PASSWORD

_WRONG = "The password is wrong. Enter the one that you signed in with."


def _own_password() -> PasswordField:
    return PasswordField(validators=[InputRequired("Enter the password that you signed in with.")])


class PasswordForm(FlaskForm):
    """Current and new password."""

    current = _own_password()
    new = PasswordField(
        validators=[
            InputRequired("Enter a new password."),
            Length(SHORTEST_PASSWORD, LONGEST_PASSWORD, message=LENGTH),
        ]
    )


class OwnAddressForm(FlaskForm):
    """New e-mail address, and the current password."""

    email = email_field("Enter the new address.")
    own_password = _own_password()


@pages.route("/account", methods=["GET", "POST"])
def account() -> ResponseReturnValue:
    """Show the account, and change the password."""
    if request.method == "POST":
        require_own_password()
    form = PasswordForm()
    status = 200
    if form.validate_on_submit():
        status = check_own_password(form.current, _WRONG)
        if status == 200:
            try:
                _set_password(form.new.data)
                return redirect(url_for("pages.account", changed="yes"))
            except Invalid as error:
                form.new.errors, status = (error.detail,), 422
    elif form.errors:
        status = 422
    has_changed = "changed" in request.args and not form.errors
    return show_account(form, has_changed=has_changed), status


def show_account(
    form: PasswordForm, *, address: OwnAddressForm | None = None, **more: object
) -> str:
    """Render the page, with the form for a new address if mail is configured."""
    return render_template(
        "account/account.html",
        form=form,
        address=address or OwnAddressForm(formdata=None),
        can_mail=mail.is_configured(),
        **more,
    )


@pages.post("/account/address")
def change_own_address() -> ResponseReturnValue:
    """Mail a link to a new address; the response is the same if the address is in use."""
    require_own_password()
    form, passwords = OwnAddressForm(), PasswordForm(formdata=None)
    if not (mail.is_configured() and form.validate_on_submit()):
        return show_account(passwords, address=form), 422
    status = check_own_password(form.own_password, _WRONG)
    if status != 200:
        return show_account(passwords, address=form), status
    _mail_link(form.email.data)
    return show_account(passwords, mailed_to=form.email.data), 200


def _mail_link(email: str) -> None:
    """Mail the link, unless the address is in use."""
    with own_session() as session:
        try:
            letter = addresses.request(session, own_user(session), email, actor(), request.url_root)
        except Conflict:
            return
    mail.send_later([letter[:3]])


def _set_password(new: str) -> None:
    """Set a new password; all other sessions of the user end."""
    user_id = current_user.user_id
    with own_session() as own:
        users.change(own, own_user(own), {"password": new})
    user_sessions.end_all(user_id)
    known = users.find_active(user_id)
    if known is not None:
        renew_session(known)
