"""Noon reports of a vessel: preview and background import of a file, list and deletion."""

import json
from typing import Any, Final

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.utils import redirect

from app.models import NoonImport, Role
from app.pages.blueprint import answer_json, pages
from app.pages.presenters.presenters import run_state
from app.pages.web.access import actor
from app.pages.web.forms import fetch_asked_page, read_form
from app.pages.web.own import own_vessel
from app.records.fields import find_instant
from app.records.noon_file import FileChoiceSchema
from app.records.noon_report import BY_NAME, LABELS, SYMBOLS
from app.services.errors import Invalid
from app.services.platform import background_runs
from app.services.platform.paging import DEFAULT_PAGE_SIZE
from app.services.vessels import noon_imports, noon_reports

#: Fields to choose from, with the stored unit.
_FIELDS: Final = [
    {"name": name, "label": label, "unit": BY_NAME[name].symbol if name in BY_NAME else ""}
    for name, label in LABELS.items()
]


@pages.get("/fleet/<vessel_id>/noon-reports")
def noon_reports_page(vessel_id: str) -> ResponseReturnValue:
    """Show the import form, the newest import and the stored reports."""
    actor().require(Role.MASTER)
    with own_vessel(vessel_id) as (session, vessel):
        newest = noon_imports.find_newest(session, vessel)
        return render_template(
            "fleet/noon_reports.html",
            vessel=vessel,
            run=newest and _describe_run(newest),
            entered=find_instant(request.args.get("entered")),
            found=fetch_asked_page(
                lambda page: noon_reports.list_page(
                    session, vessel, None, None, page, DEFAULT_PAGE_SIZE, newest_first=True
                )
            ),
            page_data={
                "preview": url_for("pages.preview_noon_reports", vessel_id=vessel.id),
                "import": url_for("pages.import_noon_reports", vessel_id=vessel.id),
                "fields": _FIELDS,
                "symbols": SYMBOLS,
            },
        )


@pages.post("/fleet/<vessel_id>/noon-reports/preview")
def preview_noon_reports(vessel_id: str) -> ResponseReturnValue:
    """Return the preview of a file; nothing is stored."""
    actor().require(Role.MASTER)
    content, choices = _read_form()
    with own_vessel(vessel_id) as (_, vessel):
        service_speed_kn = vessel.service_speed_kn
    table = noon_reports.read_file(
        content, *noon_reports.read_choices(choices), service_speed_kn=service_speed_kn
    )
    return answer_json(**noon_reports.present_table(table))


@pages.post("/fleet/<vessel_id>/noon-reports")
def import_noon_reports(vessel_id: str) -> ResponseReturnValue:
    """Start the import of a file; invalid rows reject it unless the form allows skipping them."""
    actor().require(Role.MASTER)
    content, choices = _read_form()
    keep_good_rows = request.form.get("keepGoodRows") == "true"
    with own_vessel(vessel_id) as (session, vessel):
        started = noon_imports.start(
            session, actor(), vessel, content, choices, keep_good_rows=keep_good_rows
        )
        return answer_json(status=started.status)


@pages.post("/fleet/<vessel_id>/noon-reports/imports/<import_id>/cancel")
def cancel_noon_import(vessel_id: str, import_id: str) -> ResponseReturnValue:
    """Cancel an import; nothing is stored."""
    with own_vessel(vessel_id) as (session, vessel):
        found = noon_imports.get(session, vessel, import_id)
        background_runs.cancel(session, actor(), found)
        return answer_json(status=found.status)


@pages.post("/fleet/<vessel_id>/noon-reports/delete")
def delete_noon_reports(vessel_id: str) -> ResponseReturnValue:
    """Delete all reports, or the one of the time in the form."""
    actor().require(Role.ADMIN)
    with own_vessel(vessel_id) as (session, vessel):
        if "timestamp" in request.form:
            instant = find_instant(request.form["timestamp"])
            row = noon_reports.get(session, vessel, instant)
            noon_reports.delete(session, actor(), row)
        else:
            noon_reports.delete_all(session, actor(), vessel)
    return redirect(url_for("pages.noon_reports_page", vessel_id=vessel_id))


def _describe_run(found: NoonImport) -> dict[str, Any]:
    """Describe the progress or the result of an import."""
    ids: dict[str, Any] = {"vessel_id": found.vessel_id, "import_id": found.id}
    return {
        **run_state(found),
        "requestedAt": found.created_at,
        "faults": _list_faults(found.failure) if found.failure else [],
        "result": found.result,
        "cancel": url_for("pages.cancel_noon_import", **ids),
    }


def _list_faults(failure: dict[str, Any]) -> list[str]:
    """List the errors of the file, or the only reason of a failure."""
    return [error["detail"] for error in failure.get("errors", ())] or [failure["detail"]]


def _read_form() -> tuple[bytes, dict[str, Any]]:
    file = request.files.get("file")
    if file is None or not file.filename:
        raise Invalid.at("/file", "Choose a file of noon reports.")
    return file.read(), _read_choices()


def _read_choices() -> dict[str, Any]:
    try:
        asked = json.loads(request.form.get("request") or "{}")
    except (ValueError, RecursionError) as error:
        raise Invalid.at("/request", "The field is not valid JSON.") from error
    return read_form(FileChoiceSchema(), asked)
