"""A vessel's particulars: entered, looked over while they are, saved."""

from collections.abc import Mapping
from typing import Any

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue
from marshmallow import RAISE, Schema, ValidationError, fields, validate

from app.engine.particulars import FuelType, IceClass
from app.engine.vessel.form_figures import FormFigures, find_form_figures
from app.models import Role, Vessel
from app.pages.access import actor, organization_id
from app.pages.blueprint import answer_json, pages
from app.pages.forms import check_line
from app.services import vessel_particulars, vessels
from app.services.engine_mapping import build_ship_particulars
from app.services.errors import FieldError, Invalid
from app.services.sessions import organization_session
from app.services.vessel_particulars import VESSEL_TYPES

_NUMBER: dict[str, Any] = dict.fromkeys(("required", "invalid", "null"), "Enter a number.")
_DAY: dict[str, Any] = dict.fromkeys(
    ("required", "invalid", "null"), "Enter a day, like 1 Jun 2015."
)

#: Numbers of the form: name in requests, label, unit, column.
DIMENSIONS = (
    ("dwt", "Deadweight", "t", "dwt_t"),
    ("loa", "Length overall", "m", "loa_m"),
    ("lbp", "Length b.p.", "m", "lbp_m"),
    ("breadth", "Breadth", "m", "breadth_m"),
    ("depth", "Depth", "m", "depth_m"),
    ("draftDesign", "Design draught", "m", "draft_design_m"),
    ("draftScant", "Scantling draught", "m", "draft_scantling_m"),
    ("serviceSpeed", "Service speed", "kn", "service_speed_kn"),
    ("pitch", "Propeller pitch", "m", "pitch_m"),
)
MACHINERY = (
    ("propellerDiameter", "Propeller diameter", "m", "propeller_diameter_m"),
    ("installedPowerKw", "Installed power", "kW", "installed_power_kw"),
    ("gt", "Gross tonnage", "GT", "gross_tonnage"),
    ("auxiliaryMtPerDay", "Auxiliaries", "mt/day", "auxiliary_t_per_day"),
)
#: What the master slows down for in heavy weather, with the most that can be given.
MOTIONS = (
    ("slammingLimit", "Slams per wave", "", "slamming_limit", 1.0),
    ("deckWetnessLimit", "Water on deck per wave", "", "deck_wetness_limit", 1.0),
    ("bowAccelerationLimit", "Acceleration at the bow", "g rms", "bow_acceleration_limit_g", 1.0),
)


def _number(column: str, **more: Any) -> fields.Float:
    above_nothing = validate.Range(0, min_inclusive=False, error="Enter more than 0.")
    return fields.Float(attribute=column, validate=above_nothing, error_messages=_NUMBER, **more)


def _motion(column: str, most: float) -> fields.Float:
    bounds = validate.Range(
        0, most, min_inclusive=False, error=f"Enter more than 0, at most {most:g}."
    )
    return fields.Float(
        attribute=column,
        validate=bounds,
        error_messages=_NUMBER,
        load_default=None,
        allow_none=True,
    )


def _text(longest: int) -> fields.String:
    words = f"Enter up to {longest} characters."
    limit = validate.Length(max=longest, error=words)
    return fields.String(load_default=None, allow_none=True, validate=(limit, check_line))


_FORM = Schema.from_dict(
    {name: _number(column, required=True) for name, _, _, column in DIMENSIONS}
    | {
        name: _number(column, load_default=None, allow_none=True)
        for name, _, _, column in MACHINERY
    }
    | {name: _motion(column, most) for name, _, _, column, most in MOTIONS}
    | {
        "name": _text(200),
        "captain": _text(200),
        "imo": _text(7),
        "dateConstructed": fields.Date(
            attribute="date_constructed", required=True, error_messages=_DAY
        ),
        "type": fields.Integer(
            attribute="type_code",
            load_default=None,
            allow_none=True,
            validate=validate.OneOf(list(VESSEL_TYPES)),
        ),
        "fuelType": fields.String(
            attribute="fuel_type", load_default=None, validate=validate.OneOf(list(FuelType))
        ),
        "iceClass": fields.String(
            attribute="ice_class", load_default=None, validate=validate.OneOf(list(IceClass))
        ),
    },
    name="VesselForm",
)


@pages.get("/fleet/new")
def new_vessel() -> ResponseReturnValue:
    """Ask for a new vessel's particulars."""
    actor().require(Role.PLANNER)
    return _show(None)


@pages.get("/fleet/<vessel_id>/edit")
def edit_vessel(vessel_id: str) -> ResponseReturnValue:
    """Show a vessel's particulars for changing."""
    actor().require(Role.PLANNER)
    with organization_session(organization_id()) as session:
        return _show(vessels.get(session, organization_id(), vessel_id))


@pages.post("/fleet/new")
def add_vessel() -> ResponseReturnValue:
    """Register a vessel."""
    actor().require(Role.PLANNER)
    particulars = _read(request.get_json(silent=True))
    with organization_session(organization_id()) as session:
        return _saved(vessels.create(session, actor(), particulars))


@pages.put("/fleet/<vessel_id>")
def change_vessel(vessel_id: str) -> ResponseReturnValue:
    """Change a vessel's particulars; voyages that were planned keep theirs."""
    actor().require(Role.PLANNER)
    particulars = _read(request.get_json(silent=True))
    with organization_session(organization_id()) as session:
        vessel = vessels.get(session, organization_id(), vessel_id)
        return _saved(vessels.update(session, vessel, particulars))


@pages.post("/fleet/check")
def check_vessel() -> ResponseReturnValue:
    """Say what is wrong with particulars as they stand, and what figures derive from them."""
    actor().require(Role.PLANNER)
    body = request.get_json(silent=True) or {}
    try:
        particulars = _FORM().load(body, unknown=RAISE)
    except ValidationError as error:
        hints = _faults_of_form(error, body)
        return answer_json(hints=[fault._asdict() for fault in hints], figures=None)
    hints = vessel_particulars.find_faults(particulars)
    figures = None if hints else find_form_figures(build_ship_particulars(particulars))
    return answer_json(
        hints=[fault._asdict() for fault in hints],
        figures=_in_words(figures) if figures else None,
    )


def _read(body: Any) -> dict[str, Any]:
    try:
        found: dict[str, Any] = _FORM().load(body if isinstance(body, dict) else {}, unknown=RAISE)
    except ValidationError as error:
        raise Invalid(_faults_of_form(error, body)) from None
    return found


def _faults_of_form(error: ValidationError, body: Any) -> list[FieldError]:
    """List the errors that can be found even if others prevent a full check of the ship."""
    messages: Mapping[str, list[str]] = error.normalized_messages()
    faults = [FieldError(f"/{name}", " ".join(words)) for name, words in messages.items()]
    imo = body.get("imo") if isinstance(body, dict) else None
    if isinstance(imo, str) and "imo" not in messages:
        faults += vessel_particulars.find_imo_faults(imo)
    return faults


def _in_words(figures: FormFigures) -> list[list[str]]:
    return [
        ["Displacement", f"{figures.displacement_t:,.0f} t".replace(",", "\u202f")],
        ["Block coefficient", f"{figures.block_coefficient:.2f}"],
        ["Length to breadth", f"{figures.length_to_breadth:.1f}"],
        ["Breadth to draught", f"{figures.breadth_to_draft:.1f}"],
        ["Froude number", f"{figures.froude_number:.2f}"],
    ]


def _saved(vessel: Vessel) -> ResponseReturnValue:
    return answer_json(address=url_for("pages.vessel", vessel_id=vessel.id))


def _show(vessel: Vessel | None) -> str:
    if vessel is None:
        address, method = url_for("pages.add_vessel"), "POST"
    else:
        address, method = url_for("pages.change_vessel", vessel_id=vessel.id), "PUT"
    check = url_for("pages.check_vessel")
    return render_template(
        "fleet/vessel_form.html",
        vessel=vessel,
        dimensions=DIMENSIONS,
        machinery=MACHINERY,
        motions=MOTIONS,
        types=VESSEL_TYPES,
        fuels=[(fuel.value, fuel.value) for fuel in FuelType],
        ice_classes=[
            (ice_class.value, ice_class.label) for ice_class in IceClass if ice_class.is_classed
        ],
        page_data={"address": address, "method": method, "check": check},
    )
