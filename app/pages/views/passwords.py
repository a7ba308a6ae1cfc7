"""Choosing a password by a one-time link, and asking for such a link."""

from threading import Thread

from flask import abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import HiddenField, PasswordField, StringField
from wtforms.validators import InputRequired, Length

from app.extensions import chartroom
from app.pages.blueprint import pages
from app.services.errors import Invalid, TooManyRequests, Unauthenticated
from app.services.identity import links, mail, sign_in_attempts, users
from app.services.platform.sessions import organization_session

_NOT_BY_LINK = "Open this page with the link that you received."
_RESET = """A new password for {email} at Chartroom was requested.

Choose it within an hour: {link}

If you did not request it, do nothing: your password stays the same.
"""


class ChoiceForm(FlaskForm):
    """A password, and the token of the link, which the page's script puts in."""

    token = HiddenField(validators=[InputRequired(), Length(max=100)])
    password = PasswordField(validators=[InputRequired("Enter a password.")])


class AddressForm(FlaskForm):
    """Form for a forgotten password."""

    email = StringField(validators=[InputRequired("Enter your e-mail address."), Length(max=254)])


def require_local_sign_in() -> None:
    """Answer 404 where nobody signs in by a password."""
    if not chartroom().settings.has_local_sign_in:
        abort(404)


@pages.route("/choose-password", methods=["GET", "POST"])
def choose_password() -> ResponseReturnValue:
    """Ask for a password, and give it to the link's user."""
    require_local_sign_in()
    form, fault, status = ChoiceForm(), "", 200
    if form.validate_on_submit():
        try:
            links.redeem(form.token.data, form.password.data)
            return redirect(url_for("pages.sign_in", chosen="yes"))
        except Unauthenticated as error:
            fault, status = error.detail, 401
        except Invalid as error:
            form.password.errors, status = (error.faults[0].detail,), 422
    elif form.is_submitted():
        fault, status = (_NOT_BY_LINK if form.token.errors else ""), 422
    return render_template("sign_in/choose_password.html", form=form, fault=fault), status


@pages.route("/forgotten-password", methods=["GET", "POST"])
def forgotten_password() -> ResponseReturnValue:
    """Mail a link to whoever has the address; the answer is the same whether anybody has."""
    require_local_sign_in()
    form, status, is_sent = AddressForm(), 200, False
    if mail.is_configured() and form.validate_on_submit():
        try:
            _mail_link(form.email.data.strip())
            is_sent = True
        except TooManyRequests as error:
            form.email.errors, status = (error.detail,), 429
    elif form.is_submitted():
        status = 422
    return render_template(
        "sign_in/forgotten.html", form=form, is_sent=is_sent, can_mail=mail.is_configured()
    ), status


def _mail_link(email: str) -> None:
    """Mail a link in a separate thread, so that the answer's time reveals nothing."""
    name, origin = f"reset {email}", request.remote_addr or "unknown"
    sign_in_attempts.check(name, origin)
    sign_in_attempts.count_failure(name, origin)
    row = users.find_by_email(email)
    if row is None or not row.is_active:
        return
    with organization_session(row.organization_id) as session:
        user = users.get(session, row.organization_id, str(row.id))
        link = links.issue(session, user, user.email, links.RESET_LASTS, request.url_root)
    text = _RESET.format(email=user.email, link=link)
    Thread(
        target=mail.send_by, args=(chartroom().settings, user.email, links.SUBJECT, text)
    ).start()
