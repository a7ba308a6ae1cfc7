"""Users: invited, changed and deactivated by admins."""

from typing import NamedTuple

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from werkzeug.utils import redirect
from wtforms import RadioField, StringField
from wtforms.validators import InputRequired, Length, Regexp

from app.models import Role, User
from app.pages.blueprint import pages
from app.pages.views.admin import faults_at_fields
from app.pages.views.admin_keys import ROLES
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import optional_line, require_line
from app.pages.web.own import own_session
from app.pages.web.visitor import current_user
from app.services.errors import Conflict, Invalid
from app.services.identity import links, second_factors, users

#: Without the special characters of RFC 5322, 3.2.3, which mail servers read as several addresses.
_SIGNS = r'[^@\s,:;<>()\[\]"\\]+'
_ADDRESS = rf"^{_SIGNS}@{_SIGNS}\.{_SIGNS}$"


def email_field(missing: str) -> StringField:
    """Return a form field of an e-mail address; ``missing`` is the message if it is empty."""
    return StringField(
        validators=[
            InputRequired(missing),
            Length(max=254, message="Enter up to 254 characters."),
            require_line,
            Regexp(_ADDRESS, message="Enter an address like mate@ship.example."),
        ],
        filters=[lambda typed: typed.strip() if typed else typed],
    )


class UserForm(FlaskForm):
    """Form of a new user."""

    email = email_field("Enter an e-mail address.")
    name = optional_line()
    role = RadioField(choices=ROLES, default=Role.PLANNER.value)


class UserLink(NamedTuple):
    """A link for a user: mailed, or shown once to the admin."""

    email: str
    link: str | None
    #: Whether it confirms the address instead of setting a password.
    is_address: bool = False
    #: False for a new user who needs none, as passwords are disabled.
    is_needed: bool = True


@pages.get("/admin/users")
def admin_users() -> ResponseReturnValue:
    """List the users, with a form to invite one."""
    return show_users(UserForm())


@pages.post("/admin/users")
def add_user() -> ResponseReturnValue:
    """Create a user, and mail or show the link to choose a password, if passwords are used."""
    form = UserForm()
    if not form.validate_on_submit():
        return show_users(form), 422
    try:
        with own_session() as session:
            user = users.create(
                session,
                organization_id(),
                email=form.email.data,
                role=Role(form.role.data),
                name=(form.name.data or "").strip() or None,
            )
            letter = None
            if links.can_set_passwords():
                letter = links.invite(session, user, actor(), request.url_root)
    except Conflict as error:
        form.email.errors = (error.detail,)
        return show_users(form), 409
    link = letter.hand_over() if letter else None
    made = UserLink(user.email, link, is_needed=letter is not None)
    return show_users(UserForm(formdata=None), made=made), 201


@pages.post("/admin/users/<user_id>")
def change_user(user_id: str) -> ResponseReturnValue:
    """Change the role of a user, or activate or deactivate them."""
    changes: dict[str, object] = {}
    if "role" in request.form:
        changes["role"] = _read_role(request.form["role"])
    if "active" in request.form:
        changes["is_active"] = request.form["active"] == "yes"
    try:
        with own_session() as session:
            users.change(session, users.get(session, organization_id(), user_id), changes)
    except Conflict as error:
        return show_users(UserForm(formdata=None), fault=faults_at_fields(error)[""]), 409
    changed = user_id if "role" in changes else None
    return redirect(url_for("pages.admin_users", changed=changed))


@pages.post("/admin/users/<user_id>/password")
def renew_password(user_id: str) -> ResponseReturnValue:
    """Issue a link to choose a new password; the old one stays valid until then."""
    try:
        with own_session() as session:
            user: User = users.get(session, organization_id(), user_id)
            letter = links.offer_reset(session, user, actor(), request.url_root)
    except Conflict as error:
        return show_users(UserForm(formdata=None), fault=error.detail), 409
    made = UserLink(letter.to, letter.hand_over())
    return show_users(UserForm(formdata=None), made=made), 201


@pages.post("/admin/users/<user_id>/second-factor")
def remove_second_factor_of(user_id: str) -> ResponseReturnValue:
    """Remove all second factors of a user who has lost them; one's own need a code."""
    if user_id == str(current_user.user_id):
        fault = "Remove your own second factor on the page Second factor."
        return show_users(UserForm(formdata=None), fault=fault), 409
    with own_session() as session:
        user = users.get(session, organization_id(), user_id)
        second_factors.remove_all(session, user, actor())
    return redirect(url_for("pages.admin_users"))


def _read_role(text: str) -> Role:
    if text not in list(Role):
        raise Invalid.at("/role", "Choose viewer, master, planner or admin.")
    return Role(text)


def show_users(form: UserForm, *, made: UserLink | None = None, fault: str = "") -> str:
    """Render the page of users, with a new link, a changed role or an error."""
    with own_session() as session:
        listed = users.list_users(session, organization_id())
        return render_template(
            "admin/users.html",
            form=form,
            users=listed,
            with_factor=second_factors.users_with(session, organization_id()),
            roles=ROLES,
            made=made,
            changed=request.args.get("changed"),
            fault=fault,
        )
