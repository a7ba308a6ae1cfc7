"""API keys: issued, rotated and revoked by admins."""

from datetime import date, timedelta
from typing import Any

from flask import render_template, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from werkzeug.utils import redirect
from wtforms import DateField, RadioField, SelectMultipleField, StringField
from wtforms.validators import InputRequired, Length, Optional, ValidationError

from app.models import Role, Scope, utc_now
from app.pages.blueprint import pages
from app.pages.web.access import organization_id
from app.pages.web.forms import optional_line, read_day
from app.pages.web.own import own_session
from app.records.instants import last_instant
from app.services.errors import Conflict
from app.services.identity import keys
from app.services.identity.keys import IssuedKey

#: Time that a replaced key stays valid.
OVERLAP = timedelta(hours=24)

#: Scopes by name.
SCOPES = [scope.value for scope in Scope]

#: Roles by name, least rights first.
ROLES = [role.value for role in Role]


class DayField(DateField):
    """A day as typed on all pages."""

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read the day; raises ``ValueError`` with a message if it is not valid."""
        self.data = None
        typed = "".join(valuelist).strip()
        try:
            self.data = read_day(typed) if typed else None
        except ValueError:
            raise ValueError("Enter a day, like 14 Jan 2026.") from None


class KeyForm(FlaskForm):
    """Form to issue a key."""

    name = optional_line()
    role = RadioField(choices=ROLES, default=Role.PLANNER.value)
    kind = RadioField(choices=["live", "test"], default="live")
    last_day = DayField(validators=[Optional()], format="%d %b %Y")
    scopes = SelectMultipleField(
        choices=SCOPES,
        default=[Scope.READ, Scope.PLAN, Scope.TELEMETRY],
        validators=[InputRequired("Choose what the key may be used for.")],
    )
    networks = StringField(validators=[Length(max=2000, message="Enter up to 2000 characters.")])

    @property
    def listed_networks(self) -> list[str]:
        """Return the networks, separated by commas or spaces; raises ``ValueError``."""
        return keys.read_networks((self.networks.data or "").replace(",", " ").split())

    def validate_networks(self, _field: StringField) -> None:
        """Check the networks."""
        try:
            _ = self.listed_networks
        except ValueError as error:
            raise ValidationError(str(error)) from None

    def validate_scopes(self, field: SelectMultipleField) -> None:
        """Check that the role can use one of the scopes."""
        role = next((each for each in Role if each == self.role.data), None)
        scopes = [each for each in Scope if each in field.data]
        fault = keys.find_scope_fault(role, scopes) if role and scopes else None
        if fault:
            raise ValidationError(fault)

    def validate_last_day(self, field: DateField) -> None:
        """Check that the day is not in the past."""
        if isinstance(field.data, date) and field.data < utc_now().date():
            raise ValidationError("This day has passed. Enter today or later.")


@pages.get("/admin/keys")
def admin_keys() -> ResponseReturnValue:
    """List the organization's keys, with a form to issue another."""
    return _show(KeyForm())


@pages.post("/admin/keys")
def issue_key() -> ResponseReturnValue:
    """Issue a key and show its secret once."""
    form = KeyForm()
    if not form.validate_on_submit():
        return _show(form), 422
    with own_session() as session:
        issued = keys.issue(
            session,
            organization_id(),
            Role(form.role.data),
            kind=form.kind.data,
            name=form.name.data.strip() or None,
            expires_at=last_instant(form.last_day.data) if form.last_day.data else None,
            scopes=form.scopes.data,
            networks=form.listed_networks,
        )
    return _show(KeyForm(formdata=None), issued=issued), 201


@pages.post("/admin/keys/<key_id>/rotate")
def rotate_key(key_id: str) -> ResponseReturnValue:
    """Issue a replacement for a key; the old key stays valid for a day."""
    try:
        with own_session() as session:
            issued = keys.rotate(session, organization_id(), key_id, OVERLAP)
    except Conflict as error:
        return _show(KeyForm(formdata=None), fault=error.detail), 409
    return _show(KeyForm(formdata=None), issued=issued), 201


@pages.post("/admin/keys/<key_id>/revoke")
def revoke_key(key_id: str) -> ResponseReturnValue:
    """Revoke a key at once."""
    with own_session() as session:
        keys.revoke(session, organization_id(), key_id)
    return redirect(url_for("pages.admin_keys"))


def _show(form: KeyForm, *, issued: IssuedKey | None = None, fault: str = "") -> str:
    with own_session() as session:
        ends = keys.default_expiry(session, organization_id())
        if not form.is_submitted() or issued or fault:
            form.last_day.data = ends.date() if ends else None
        listed: list[dict[str, Any]] = [
            {"key": key, "state": keys.state_of(key).value}
            for key in keys.list_keys(session, organization_id())
        ]
        predecessor = issued.key.rotated_from_id if issued else None
        return render_template(
            "admin/keys.html",
            form=form,
            listed=listed,
            issued=issued,
            replaced=next((row["key"] for row in listed if row["key"].id == predecessor), None),
            fault=fault,
        )
