"""The organization's settings, which admins change."""

from flask import render_template, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from werkzeug.utils import redirect
from wtforms import BooleanField

from app.pages.access import organization_id
from app.pages.admin import require_admin
from app.pages.blueprint import pages
from app.services import organizations
from app.services.sessions import organization_session


class OrganizationForm(FlaskForm):  # type: ignore[misc]
    """The settings."""

    planners_manage_webhooks = BooleanField()


@pages.get("/admin/organization")
def admin_organization() -> ResponseReturnValue:
    """Show the organization and its settings."""
    require_admin()
    with organization_session(organization_id()) as session:
        row = organizations.get(session, organization_id())
        return render_template("admin/organization.html", organization=row, form=OrganizationForm())


@pages.post("/admin/organization")
def change_organization() -> ResponseReturnValue:
    """Change the settings."""
    require_admin()
    form = OrganizationForm()
    wanted = {"planners_manage_webhooks": form.planners_manage_webhooks.data}
    with organization_session(organization_id()) as session:
        organizations.change(session, organization_id(), wanted)
    return redirect(url_for("pages.admin_organization"))  # type: ignore[return-value]
