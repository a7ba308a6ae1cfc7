"""Webhooks, for admins and for planners if their organization allows it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from sqlalchemy.orm import Session
from werkzeug.utils import redirect
from wtforms import SelectMultipleField, StringField
from wtforms.validators import InputRequired, Length

from app.models import WebhookEndpoint, utc_now
from app.pages.blueprint import pages
from app.pages.views.admin import faults_at_fields
from app.pages.views.admin_keys import OVERLAP
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import fetch_asked_page, optional_line
from app.pages.web.own import own_session
from app.services.errors import Conflict, Invalid
from app.services.platform.paging import DEFAULT_PAGE_SIZE
from app.services.webhooks import webhook_dispatch, webhook_endpoints
from app.services.webhooks.webhook_addresses import LONGEST_URL
from app.services.webhooks.webhook_endpoints import SUBSCRIBABLE_EVENTS, Revealed

#: Names of the events to choose from.
EVENTS = [kind.value for kind in SUBSCRIBABLE_EVENTS]


class WebhookForm(FlaskForm):
    """Form of a webhook."""

    url = StringField(
        validators=[
            InputRequired("Enter the URL that receives the events."),
            Length(max=LONGEST_URL, message=f"Enter up to {LONGEST_URL} characters."),
        ],
        filters=[lambda typed: typed.strip() if typed else typed],
    )
    event_kinds = SelectMultipleField(
        choices=EVENTS, default=EVENTS, validators=[InputRequired("Choose at least one event.")]
    )
    description = optional_line()

    def read(self) -> dict[str, Any]:
        """Return the values to store."""
        return {
            "url": self.url.data,
            "event_kinds": self.event_kinds.data,
            "description": (self.description.data or "").strip() or None,
        }

    def show(self, error: Invalid) -> None:
        """Show the errors of a service at their fields."""
        for name, detail in faults_at_fields(error).items():
            self[name].errors = (detail,)


@pages.get("/admin/webhooks")
def admin_webhooks() -> ResponseReturnValue:
    """List the webhooks, with a form to add one."""
    return _show_list(WebhookForm())


@pages.post("/admin/webhooks")
def add_webhook() -> ResponseReturnValue:
    """Add a webhook and show its secret once."""
    form = WebhookForm()
    if not form.validate_on_submit():
        return _show_list(form), 422
    try:
        with own_session() as session:
            revealed = webhook_endpoints.create(session, actor(), form.read())
    except Invalid as error:
        form.show(error)
        return _show_list(form), 422
    except Conflict as error:
        return _show_list(form, fault=error.detail), 409
    return _show_list(WebhookForm(formdata=None), revealed=revealed), 201


@pages.get("/admin/webhooks/<webhook_id>")
def admin_webhook(webhook_id: str) -> ResponseReturnValue:
    """Show a webhook with its recent deliveries."""
    with _own_webhook(webhook_id) as (session, row):
        return _show(session, row, WebhookForm(obj=row))


@pages.post("/admin/webhooks/<webhook_id>")
def change_webhook(webhook_id: str) -> ResponseReturnValue:
    """Change URL, events and description of a webhook."""
    form = WebhookForm()
    with _own_webhook(webhook_id) as (session, row):
        if not form.validate_on_submit():
            return _show(session, row, form), 422
        try:
            webhook_endpoints.change(session, row, form.read())
        except Invalid as error:
            form.show(error)
            return _show(session, row, form), 422
    return _show_again(webhook_id)


@pages.post("/admin/webhooks/<webhook_id>/active")
def switch_webhook(webhook_id: str) -> ResponseReturnValue:
    """Enable or disable a webhook."""
    with _own_webhook(webhook_id) as (session, row):
        wanted = {"url": row.url, "is_active": request.form.get("active") == "yes"}
        webhook_endpoints.change(session, row, wanted)
    return _show_again(webhook_id)


@pages.post("/admin/webhooks/<webhook_id>/rotate")
def rotate_webhook(webhook_id: str) -> ResponseReturnValue:
    """Issue a new secret and show it once; the old one also signs for a day, or ends at once."""
    overlap = timedelta(0) if request.form.get("overlap") == "no" else OVERLAP
    with _own_webhook(webhook_id) as (session, row):
        try:
            revealed = webhook_endpoints.rotate(session, row, overlap)
        except Conflict as error:
            return _show_refused(session, row, error), 409
    form = WebhookForm(formdata=None)
    return _show_list(form, revealed=revealed, is_rotated=True), 201


@pages.post("/admin/webhooks/<webhook_id>/test")
def send_webhook_test(webhook_id: str) -> ResponseReturnValue:
    """Send a test, which is listed with the deliveries."""
    with _own_webhook(webhook_id) as (session, row):
        try:
            webhook_dispatch.send_test(session, row)
        except Conflict as error:
            return _show_refused(session, row, error), 409
    return _show_again(webhook_id)


@pages.post("/admin/webhooks/<webhook_id>/delete")
def delete_webhook(webhook_id: str) -> ResponseReturnValue:
    """Delete a webhook with its deliveries."""
    with _own_webhook(webhook_id) as (session, row):
        webhook_endpoints.delete(session, row)
    return redirect(url_for("pages.admin_webhooks"))


@contextmanager
def _own_webhook(webhook_id: str) -> Iterator[tuple[Session, WebhookEndpoint]]:
    """Open a session with a webhook that the user may manage."""
    with own_session() as session:
        yield session, webhook_endpoints.get(session, actor(), webhook_id)


def _show_again(webhook_id: str) -> ResponseReturnValue:
    return redirect(url_for("pages.admin_webhook", webhook_id=webhook_id))


def _show_list(
    form: WebhookForm,
    *,
    revealed: Revealed | None = None,
    is_rotated: bool = False,
    fault: str = "",
) -> str:
    with own_session() as session:
        return render_template(
            "admin/webhooks.html",
            form=form,
            webhooks=webhook_endpoints.list_endpoints(session, actor()),
            newest=webhook_dispatch.find_newest(session, organization_id()),
            revealed=revealed,
            is_rotated=is_rotated,
            fault=fault,
        )


def _show_refused(session: Session, row: WebhookEndpoint, error: Conflict) -> str:
    return _show(session, row, WebhookForm(formdata=None, obj=row), fault=error.detail)


def _show(session: Session, row: WebhookEndpoint, form: WebhookForm, *, fault: str = "") -> str:
    found = fetch_asked_page(
        lambda page: webhook_dispatch.list_page(session, row, page, DEFAULT_PAGE_SIZE)
    )
    is_overlap = len(row.secrets_at(utc_now())) > 1
    return render_template(
        "admin/webhook.html",
        form=form,
        webhook=row,
        found=found,
        previous_secret_until=row.previous_secret_until if is_overlap else None,
        fault=fault,
    )
