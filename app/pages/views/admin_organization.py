"""Settings of the organization, for admins."""

from typing import Any

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from werkzeug.utils import redirect
from wtforms import BooleanField, FloatField, IntegerField
from wtforms.validators import NumberRange, Optional

from app.models import Organization
from app.pages.blueprint import pages
from app.pages.web.access import organization_id
from app.pages.web.forms import read_fields
from app.pages.web.own import own_session
from app.services.identity import organizations
from app.services.identity.organizations import (
    LARGEST_ADVICE_THRESHOLD,
    LARGEST_UKC_MARGIN_M,
    LONGEST_KEY_LIFETIME_DAYS,
)


class AmountField(FloatField):
    """A number from 0 to ``most``, typed with a decimal comma or point."""

    def __init__(self, most: int, **options: Any) -> None:
        within = NumberRange(0, most, message=f"Enter 0 to {most}.")
        super().__init__(validators=[within], **options)

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read the number; text that is no number fails as one out of range does."""
        try:
            self.data = float("".join(valuelist).replace(",", "."))
        except ValueError:
            self.data = None


class OrganizationForm(FlaskForm):
    """Form of the settings."""

    ukc_margin_m = AmountField(LARGEST_UKC_MARGIN_M)
    planners_manage_webhooks = BooleanField()
    requires_second_factor = BooleanField()
    key_lifetime_days = IntegerField(
        validators=[
            Optional(),
            NumberRange(
                1,
                LONGEST_KEY_LIFETIME_DAYS,
                message=f"Enter 1 to {LONGEST_KEY_LIFETIME_DAYS} days, or nothing.",
            ),
        ]
    )
    advice_fuel_pct = AmountField(LARGEST_ADVICE_THRESHOLD)
    advice_fuel_t = AmountField(LARGEST_ADVICE_THRESHOLD)
    advice_eta_h = AmountField(LARGEST_ADVICE_THRESHOLD)


@pages.get("/admin/organization")
def admin_organization() -> ResponseReturnValue:
    """Show the organization and its settings."""
    with own_session() as session:
        row = organizations.get(session, organization_id())
        return _show(row, OrganizationForm(obj=row))


@pages.post("/admin/organization")
def change_organization() -> ResponseReturnValue:
    """Change the settings."""
    form = OrganizationForm()
    with own_session() as session:
        if not form.validate_on_submit():
            return _show(organizations.get(session, organization_id()), form), 422
        wanted = read_fields(form)
        organizations.change(session, organization_id(), wanted)
    return redirect(url_for("pages.admin_organization", done="saved"))


def _show(row: Organization, form: OrganizationForm) -> str:
    return render_template(
        "admin/organization.html", organization=row, form=form, done=request.args.get("done")
    )
