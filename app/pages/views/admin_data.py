"""Usage, retention, exports and erasures of an organization, for admins."""

import tempfile
from typing import Any

from flask import Response, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from werkzeug.utils import redirect
from wtforms import IntegerField
from wtforms.validators import InputRequired, NumberRange, Optional

from app.models import Organization, SubjectKind, utc_now
from app.pages.blueprint import pages
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import read_fields
from app.pages.web.own import own_session
from app.services.errors import Conflict, Invalid, NotFound
from app.services.identity import organizations, users
from app.services.identity.organizations import LONGEST_ERASE_AFTER_DAYS, LONGEST_KEPT_DAYS
from app.services.platform import audit, quotas
from app.services.upkeep import data_export, data_subjects, erasing
from app.services.vessels import vessels

_USAGE = (
    (quotas.ACTIVE_ORDERS, "Active route requests"),
    (quotas.AREAS, "Stored areas"),
    (quotas.TELEMETRY, "Telemetry records"),
)


def _days(longest: int) -> NumberRange:
    return NumberRange(1, longest, message=f"Enter 1 to {longest} days.")


class RetentionForm(FlaskForm):
    """Retention periods [days]."""

    keep_charting_days = IntegerField(validators=[Optional(), _days(LONGEST_KEPT_DAYS)])
    keep_telemetry_days = IntegerField(validators=[Optional(), _days(LONGEST_KEPT_DAYS)])
    keep_audit_days = IntegerField(validators=[Optional(), _days(LONGEST_KEPT_DAYS)])
    erase_after_days = IntegerField(
        validators=[InputRequired("Enter a number of days."), _days(LONGEST_ERASE_AFTER_DAYS)]
    )


@pages.get("/admin/data")
def admin_data() -> ResponseReturnValue:
    """Show usage, retention and erasures."""
    return _show()


@pages.post("/admin/data")
def change_retention() -> ResponseReturnValue:
    """Change the retention periods."""
    form = RetentionForm()
    if not form.validate_on_submit():
        return _show(form), 422
    wanted = read_fields(form)
    with own_session() as session:
        organizations.change(session, organization_id(), wanted)
    return redirect(url_for("pages.admin_data", done="saved"))


@pages.get("/admin/data/export")
def export_subject() -> ResponseReturnValue:
    """Download all data of the chosen subject."""
    with own_session() as session:
        try:
            subject = data_subjects.find(session, organization_id(), *_chosen(request.args))
        except (Invalid, NotFound) as error:
            return _show(fault=_describe(error)), 422 if isinstance(error, Invalid) else 404
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the answer closes it when it is sent
        data_export.write(session, subject, utc_now(), file)
        if request.method == "GET":
            audit.record_export(session, actor(), subject.kind, subject.id, data_export.ZIP)
    file.seek(0)
    name = data_export.file_name(subject)
    response: Response = send_file(
        file, mimetype=data_export.ZIP, as_attachment=True, download_name=name, etag=False
    )
    response.headers["Cache-Control"] = "private, no-store"
    response.call_on_close(file.close)
    return response


@pages.post("/admin/data/erase")
def erase_subject() -> ResponseReturnValue:
    """Request the erasure of the chosen subject."""
    try:
        with own_session() as session:
            erasing.request(session, actor(), *_chosen(request.form))
    except (Conflict, Invalid, NotFound) as error:
        return _show(fault=_describe(error)), 409
    return redirect(url_for("pages.admin_data"))


@pages.post("/admin/data/erasures/<erasure_id>/keep")
def keep_subject(erasure_id: str) -> ResponseReturnValue:
    """Cancel an erasure."""
    try:
        with own_session() as session:
            row = erasing.get(session, organization_id(), erasure_id)
            kind = row.kind
            erasing.take_back(session, actor(), row)
    except Conflict as error:
        return _show(fault=error.detail), 409
    return redirect(url_for("pages.admin_data", done=f"kept-{kind}"))


def _chosen(sent: Any) -> tuple[str, str]:
    """Return kind and id of the chosen subject; a voyage's id is typed.

    Raises :class:`Invalid` if a voyage and another subject are given.
    """
    typed, chosen = (sent.get(name, "").strip() for name in ("charting", "subject"))
    if typed and chosen:
        raise Invalid.at("/charting", "Select a subject or enter a voyage's id, not both.")
    if typed:
        return SubjectKind.CHARTING, typed
    kind, _, id_ = chosen.partition(" ")
    return kind, id_


def _describe(error: Conflict | Invalid | NotFound) -> str:
    """Describe an error in the page's words."""
    return error.detail.replace(f"no {SubjectKind.CHARTING} with", "no voyage with")


def _show(form: RetentionForm | None = None, *, fault: str = "") -> str:
    with own_session() as session:
        row = session.get_one(Organization, organization_id())
        found = quotas.describe(session, row.id)
        return render_template(
            "admin/data.html",
            form=form or RetentionForm(formdata=None, obj=row),
            organization=row,
            usage=[(label, found[name]) for name, label in _USAGE],
            vessels=vessels.list_all(session, row.id),
            users=users.list_users(session, row.id),
            erasures=erasing.list_erasures(session, row.id),
            fault=fault,
            done=request.args.get("done"),
        )
