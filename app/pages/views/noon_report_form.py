"""Form of one noon report; its record reads and checks what is typed."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Final

import cf_units
from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from werkzeug.utils import redirect
from wtforms import SelectField, StringField, TextAreaField
from wtforms.validators import InputRequired

from app.datasources.noon_reports.numbers import has_decimal_comma, is_blank, read_numbers
from app.datasources.noon_reports.reading import ASSUMED
from app.models import Role
from app.pages.blueprint import pages
from app.pages.presenters.filters import sentence_case
from app.pages.web.access import actor
from app.pages.web.forms import FormMessages, read_fields, read_form, read_time
from app.pages.web.own import own_vessel
from app.records.fields import Number
from app.records.instants import format_instant
from app.records.noon_report import BY_NAME, REPORT_TYPES, SYMBOLS, TIME, NoonReportSchema
from app.services.errors import Invalid
from app.services.vessels import noon_reports

_NO_TIME: Final = "Enter a time in UTC, like 14 Jan 2026 12:00."
#: Groups of the form: title, and fields in the order in which officers report them.
GROUPS: Final = (
    ("Position", ("latitude", "longitude", "utcOffset")),
    (
        "Since the last report",
        ("steamingHours", "distance", "speedOverGround", "speedThroughWater", "heading"),
    ),
    (
        "Fuel since the last report",
        (
            *("fuel", "fuelHfo", "fuelLsfo", "fuelDistillate", "fuelLng"),
            *("auxiliaryFuel", "boilerFuel"),
        ),
    ),
    ("Draught and engine", ("draftFore", "draftAft", "draftMean", "trim", "rpm", "power")),
    (
        "Wind and sea",
        (
            *("windFrom", "windFromRelative", "windBeaufort", "windSpeed", "seaState"),
            *("waveHeight", "waveFrom", "swellHeight", "swellFrom"),
        ),
    ),
)


class NoonReportForm(FlaskForm):
    """A noon report as typed; its numbers have the names of the record's."""

    timestamp = StringField(validators=[InputRequired(_NO_TIME)])
    reportType = SelectField(choices=[*REPORT_TYPES])  # noqa: N815 - the record's name
    remarks = TextAreaField()


for _name in BY_NAME:
    setattr(NoonReportForm, _name, StringField())


class TypedReportSchema(FormMessages, NoonReportSchema):
    """A noon report with the messages of forms."""

    messages: ClassVar = {
        TIME: _NO_TIME,
        "latitude": "Enter a latitude, like 51 30.5 N.",
        "longitude": "Enter a longitude, like 004 15.0 W.",
        Number: "Enter a number.",
    }


@pages.route("/fleet/<vessel_id>/noon-reports/new", methods=["GET", "POST"])
def enter_noon_report(vessel_id: str) -> ResponseReturnValue:
    """Show the form of a noon report, and store the report.

    ``voyage`` in the query string is the voyage whose page the form was opened from.
    """
    actor().require(Role.MASTER)
    voyage = request.args.get("voyage")
    form = NoonReportForm()
    if form.validate_on_submit() and (stored := _store(form, vessel_id)):
        return redirect(_go_on(vessel_id, voyage, entered=format_instant(stored)))
    with own_vessel(vessel_id) as (_, vessel):
        page = render_template(
            "fleet/noon_report_form.html",
            vessel=vessel,
            form=form,
            groups=[(title, [BY_NAME[name] for name in names]) for title, names in GROUPS],
            units={name: SYMBOLS[unit] for name, unit in ASSUMED.items()},
            back=_go_on(vessel_id, voyage),
        )
    return page, 422 if form.errors else 200


def _go_on(vessel_id: str, voyage: str | None, **stored: Any) -> str:
    """Return the address of the voyage's page, or else of the vessel's reports."""
    if voyage:
        return url_for("pages.voyage_progress", charting_id=voyage, **stored)
    return url_for("pages.noon_reports_page", vessel_id=vessel_id, **stored)


def _store(form: NoonReportForm, vessel_id: str) -> datetime | None:
    """Store the report and return its time; ``None`` with the errors at their fields."""
    try:
        report = read_form(TypedReportSchema(), _read_typed(read_fields(form)))
        with own_vessel(vessel_id) as (session, vessel):
            noon_reports.add(session, actor(), vessel, report)
    except Invalid as refused:
        for fault in refused.faults:
            field = form[fault.pointer.removeprefix("/")]
            field.errors = [*field.errors, f"{sentence_case(fault.detail).removesuffix('.')}."]
        return None
    time: datetime = report[TIME]
    return time


def _read_typed(typed: Mapping[str, str]) -> dict[str, Any]:
    """Read typed values as those of a file are read; one that is none stays as typed."""
    given = {name: text.strip() for name, text in typed.items() if not is_blank(text)}
    decimal_comma = has_decimal_comma(given[name] for name in BY_NAME if name in given)
    report: dict[str, Any] = {}
    for name, text in given.items():
        if name == TIME:
            report[name] = _read_time(text)
        elif name in BY_NAME:
            (value,), faults = read_numbers(name, [text], decimal_comma=decimal_comma)
            report[name] = text if faults else _to_stored_unit(name, float(value))
        else:
            report[name] = text
    return report


def _to_stored_unit(name: str, value: float) -> float:
    """Convert a value from the unit in which officers state it."""
    unit = BY_NAME[name].unit
    return float(cf_units.Unit(ASSUMED[name]).convert(value, unit)) if name in ASSUMED else value


def _read_time(text: str) -> str:
    try:
        return format_instant(read_time(text))
    except ValueError:
        return text
