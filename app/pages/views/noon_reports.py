"""Importing a vessel's noon reports: a file dropped, looked over, stored."""

import json
from typing import Any, Final

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.datasources.noon_reports import NoonTable
from app.models import Role, Vessel
from app.pages.blueprint import answer_json, pages
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import read_form
from app.records.noon_file import FileChoiceSchema
from app.records.noon_report import BY_NAME, LABELS
from app.services.errors import FieldError, Invalid
from app.services.platform.sessions import organization_session
from app.services.vessels import noon_reports, vessels
from app.services.vessels.noon_files import present_import, present_table, read_choices

#: Fields as the page offers them, with the unit that is stored.
_FIELDS: Final = [
    {"name": name, "label": label, "unit": BY_NAME[name].symbol if name in BY_NAME else ""}
    for name, label in LABELS.items()
]


@pages.get("/fleet/<vessel_id>/noon-reports")
def noon_reports_page(vessel_id: str) -> ResponseReturnValue:
    """Show the form that a file of noon reports is dropped on."""
    actor().require(Role.PLANNER)
    with organization_session(organization_id()) as session:
        vessel = _get(session, vessel_id)
        return render_template(
            "fleet/noon_reports.html",
            vessel=vessel,
            stored=noon_reports.count(session, vessel),
            page_data={
                "preview": url_for("pages.preview_noon_reports", vessel_id=vessel.id),
                "import": url_for("pages.import_noon_reports", vessel_id=vessel.id),
                "fields": _FIELDS,
            },
        )


@pages.post("/fleet/<vessel_id>/noon-reports/preview")
def preview_noon_reports(vessel_id: str) -> ResponseReturnValue:
    """Answer how a file is understood; nothing is stored."""
    actor().require(Role.PLANNER)
    with organization_session(organization_id()) as session:
        return answer_json(**present_table(_read_file(_get(session, vessel_id))))


@pages.post("/fleet/<vessel_id>/noon-reports")
def import_noon_reports(vessel_id: str) -> ResponseReturnValue:
    """Store the reports of a file; the good ones alone only where that is ticked."""
    actor().require(Role.PLANNER)
    with organization_session(organization_id()) as session:
        vessel = _get(session, vessel_id)
        imported = noon_reports.store(
            session,
            actor(),
            vessel,
            _read_file(vessel),
            keep_good_rows=request.form.get("keepGoodRows") == "true",
        )
        return answer_json(**present_import(imported))


def _get(session: Session, vessel_id: str) -> Vessel:
    return vessels.get(session, organization_id(), vessel_id)


def _read_file(vessel: Vessel) -> NoonTable:
    file = request.files.get("file")
    if file is None or not file.filename:
        raise Invalid([FieldError("/file", "Choose a file of noon reports.")])
    return noon_reports.read_file(vessel, file.read(), *read_choices(_read_choices()))


def _read_choices() -> dict[str, Any]:
    try:
        asked = json.loads(request.form.get("request") or "{}")
    except ValueError as error:
        raise Invalid([FieldError("/request", "This is not JSON.")]) from error
    return read_form(FileChoiceSchema(), asked)
