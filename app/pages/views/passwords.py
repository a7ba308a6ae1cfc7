"""Choice of a password by a one-time link, and request of such a link."""

from uuid import UUID

from flask import abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import HiddenField, PasswordField
from wtforms.validators import InputRequired, Length

from app.extensions import chartroom
from app.models import Role
from app.pages.blueprint import pages
from app.pages.web.forms import own_email_field, prepare_refusal
from app.services.errors import Invalid, TooManyRequests, Unauthenticated
from app.services.identity import links, mail, organizations, sign_in_attempts, users
from app.services.platform import auditing
from app.services.platform.actor import Actor
from app.services.platform.sessions import organization_session

LINK_NEEDED = "Open this page with the link that you received."
_RESET = """A new password for {email} at Chartroom, {organization}, was requested.

Choose it within an hour: {link}

If you did not request it, do nothing: your password stays the same.
"""


class TokenForm(FlaskForm):
    """Token of a one-time link, filled in by the page's script."""

    token = HiddenField(validators=[InputRequired(), Length(max=100)])


class ChoiceForm(TokenForm):
    """Token of the link, and the password."""

    password = PasswordField(validators=[InputRequired("Enter a password.")])


class AddressForm(FlaskForm):
    """Form for a forgotten password."""

    email = own_email_field()


def _abort_if_disabled() -> None:
    """Abort with 404 if passwords are disabled."""
    if not chartroom().settings.has_local_sign_in:
        abort(404)


@pages.route("/choose-password", methods=["GET", "POST"])
def choose_password() -> ResponseReturnValue:
    """Set the password of the link's user."""
    _abort_if_disabled()
    form, fault, status = ChoiceForm(), "", 200
    if form.validate_on_submit():
        try:
            links.redeem(form.token.data, form.password.data, request.remote_addr)
            return redirect(url_for("pages.sign_in", chosen="yes"))
        except Unauthenticated as error:
            fault, status = error.detail, 401
        except Invalid as error:
            form.password.errors, status = (error.faults[0].detail,), 422
    elif form.is_submitted():
        fault, status = (LINK_NEEDED if form.token.errors else ""), 422
    return render_template("sign_in/choose_password.html", form=form, fault=fault), status


@pages.route("/forgotten-password", methods=["GET", "POST"])
def forgotten_password() -> ResponseReturnValue:
    """Mail a link to the address; the response is the same if the address is unknown."""
    _abort_if_disabled()
    form, status, is_sent = AddressForm(), 200, False
    if mail.is_configured() and form.validate_on_submit():
        try:
            _mail_link(form.email.data.strip())
            is_sent = True
        except TooManyRequests as error:
            form.email.errors, status = (error.detail,), prepare_refusal(error)
    elif form.is_submitted():
        status = 422
    return render_template(
        "sign_in/forgotten.html", form=form, is_sent=is_sent, can_mail=mail.is_configured()
    ), status


def _mail_link(email: str) -> None:
    """Mail links to the users of an address, but none to those of an OpenID provider."""
    name, origin = f"reset {email}", request.remote_addr or "unknown"
    sign_in_attempts.count(name, origin)
    known = [
        row for row in users.list_by_email(email) if row.is_active and not users.is_of_provider(row)
    ]
    root_url = request.url_root
    mail.send_later(_write_letter(row.organization_id, row.id, origin, root_url) for row in known)


def _write_letter(
    organization_id: UUID, user_id: UUID, origin: str, root_url: str
) -> tuple[str, str, str]:
    """Return address, subject and text of the mail to one organization's user.

    ``origin`` is the network address of the request, ``root_url`` the root of its URL.
    """
    with organization_session(organization_id) as session:
        user = users.get(session, organization_id, str(user_id))
        requester = Actor(organization_id, user.email, Role(user.role), is_user=True)
        auditing.name_actor(user.email, origin)
        link = links.issue(session, user, requester, links.RESET_LASTS, root_url, keeps_longer=True)
        name = organizations.get(session, organization_id).name
        text = _RESET.format(email=user.email, organization=name, link=link)
        return user.email, links.SUBJECT, text
