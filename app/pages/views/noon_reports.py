"""Import of a vessel's noon reports: preview and background import of a file."""

import json
from typing import Any, Final

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue

from app.models import NoonImport, Role
from app.pages.blueprint import answer_json, pages
from app.pages.web.access import actor
from app.pages.web.forms import read_form
from app.pages.web.own import own_vessel
from app.records.noon_file import FileChoiceSchema, NoonImportRunSchema
from app.records.noon_report import BY_NAME, LABELS, SYMBOLS
from app.services.errors import Invalid
from app.services.platform import background_runs
from app.services.vessels import noon_imports, noon_reports
from app.services.vessels.noon_files import present_table, read_choices

#: Fields to choose from, with the stored unit.
_FIELDS: Final = [
    {"name": name, "label": label, "unit": BY_NAME[name].symbol if name in BY_NAME else ""}
    for name, label in LABELS.items()
]


@pages.get("/fleet/<vessel_id>/noon-reports")
def noon_reports_page(vessel_id: str) -> ResponseReturnValue:
    """Show the import form."""
    actor().require(Role.PLANNER)
    with own_vessel(vessel_id) as (session, vessel):
        return render_template(
            "fleet/noon_reports.html",
            vessel=vessel,
            stored=noon_reports.count(session, vessel),
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
    actor().require(Role.PLANNER)
    content, choices = _read_form()
    with own_vessel(vessel_id) as (_, vessel):
        table = noon_reports.read_file(vessel, content, *read_choices(choices))
        return answer_json(**present_table(table))


@pages.post("/fleet/<vessel_id>/noon-reports")
def import_noon_reports(vessel_id: str) -> ResponseReturnValue:
    """Start the import of a file; invalid rows reject it unless the form allows skipping them."""
    actor().require(Role.PLANNER)
    content, choices = _read_form()
    keep_good_rows = request.form.get("keepGoodRows") == "true"
    with own_vessel(vessel_id) as (session, vessel):
        started = noon_imports.start(
            session, actor(), vessel, content, choices, keep_good_rows=keep_good_rows
        )
        return _show_import(started)


@pages.get("/fleet/<vessel_id>/noon-reports/imports/<import_id>")
def noon_import(vessel_id: str, import_id: str) -> ResponseReturnValue:
    """Return the progress and result of an import."""
    with own_vessel(vessel_id) as (session, vessel):
        return _show_import(noon_imports.get(session, vessel, import_id))


@pages.post("/fleet/<vessel_id>/noon-reports/imports/<import_id>/cancel")
def cancel_noon_import(vessel_id: str, import_id: str) -> ResponseReturnValue:
    """Cancel an import; nothing is stored."""
    actor().require(Role.PLANNER)
    with own_vessel(vessel_id) as (session, vessel):
        found = noon_imports.get(session, vessel, import_id)
        background_runs.cancel(session, found)
        return _show_import(found)


def _show_import(found: NoonImport) -> ResponseReturnValue:
    ids: dict[str, Any] = {"vessel_id": found.vessel_id, "import_id": found.id}
    return answer_json(
        **NoonImportRunSchema.write(found),
        address=url_for("pages.noon_import", **ids),
        cancel=url_for("pages.cancel_noon_import", **ids),
    )


def _read_form() -> tuple[bytes, dict[str, Any]]:
    file = request.files.get("file")
    if file is None or not file.filename:
        raise Invalid.at("/file", "Choose a file of noon reports.")
    return file.read(), _read_choices()


def _read_choices() -> dict[str, Any]:
    try:
        asked = json.loads(request.form.get("request") or "{}")
    except ValueError as error:
        raise Invalid.at("/request", "The field is not valid JSON.") from error
    return read_form(FileChoiceSchema(), asked)
