"""Change of a user's e-mail address by an admin, confirmed by a one-time link."""

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm

from app.pages.blueprint import pages
from app.pages.views.admin_users import UserForm, UserLink, email_field, show_users
from app.pages.views.passwords import LINK_NEEDED, TokenForm
from app.pages.web.access import actor, organization_id
from app.pages.web.own import own_session
from app.services.errors import Conflict, Unauthenticated
from app.services.identity import addresses, users


class NewAddressForm(FlaskForm):
    """New e-mail address of a user."""

    email = email_field("Enter the new address.")


@pages.post("/admin/users/<user_id>/address")
def change_address(user_id: str) -> ResponseReturnValue:
    """Send a link to confirm a new address; the old one is valid until then."""
    form = NewAddressForm()
    if not form.validate_on_submit():
        return show_users(UserForm(formdata=None), fault=" ".join(form.email.errors)), 422
    email = form.email.data
    try:
        with own_session() as session:
            user = users.get(session, organization_id(), user_id)
            letter = addresses.request(session, user, email, actor(), request.url_root)
    except Conflict as error:
        return show_users(UserForm(formdata=None), fault=error.detail), 409
    made = UserLink(email, letter.hand_over(), is_address=True)
    return show_users(UserForm(formdata=None), made=made), 201


@pages.route("/confirm-address", methods=["GET", "POST"])
def confirm_address() -> ResponseReturnValue:
    """Ask for confirmation, so that mail scanners that open links confirm nothing."""
    form, fault, status = TokenForm(), "", 200
    if form.validate_on_submit():
        try:
            addresses.confirm(form.token.data, request.remote_addr)
            return redirect(url_for("pages.sign_in", confirmed="yes"))
        except Unauthenticated as error:
            fault, status = error.detail, 401
    elif form.is_submitted():
        fault, status = (LINK_NEEDED if form.token.errors else ""), 422
    return render_template("sign_in/confirm_address.html", form=form, fault=fault), status
