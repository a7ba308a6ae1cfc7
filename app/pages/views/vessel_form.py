"""Form of a vessel's particulars, checked while they are typed."""

import re
from typing import Any, ClassVar, Final

from flask import render_template, request, url_for
from flask.typing import ResponseReturnValue

from app.engine.particulars import CiiType, FuelType, IceClass
from app.models import Role, Vessel
from app.pages.blueprint import answer_json, pages
from app.pages.presenters import presenters
from app.pages.web.access import actor
from app.pages.web.forms import FormMessages, read_body, read_form
from app.pages.web.own import own_session, own_vessel
from app.pages.web.text_lines import (
    MaintenanceLines,
    ShopTestLines,
    SpeedTable,
    write_maintenance,
    write_shop_test,
    write_speed_table,
)
from app.records.fields import CalendarDate, Number, Text
from app.records.vessel import VESSEL_TYPES, VesselSchema
from app.services.engine_mapping import build_ship_particulars
from app.services.errors import Invalid, PreconditionFailed
from app.services.vessels import vessel_particulars, vessels

#: Number fields: name in requests, label, unit, column.
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
#: The height, by which bridges are passed.
HEIGHTS = (("keelToMast", "Keel to mast, for bridges", "m", "keel_to_mast_m"),)
MACHINERY = (
    ("propellerDiameter", "Propeller diameter", "m", "propeller_diameter_m"),
    ("installedPowerKw", "Installed power", "kW", "installed_power_kw"),
    ("gt", "Gross tonnage", "GT", "gross_tonnage"),
    ("auxiliaryMtPerDay", "Auxiliaries", "mt/day", "auxiliary_t_per_day"),
)
#: Limits of motions, at which the master slows down.
MOTIONS = (
    ("slammingLimit", "Slams per wave", "", "slamming_limit"),
    ("deckWetnessLimit", "Water on deck per wave", "", "deck_wetness_limit"),
    ("bowAccelerationLimit", "Acceleration at the bow", "g rms", "bow_acceleration_limit_g"),
)
#: What certificates print before an IMO number, and spaces in it.
_IMO_MARK: Final = re.compile(r"^\s*IMO(?:\s*No)?[.:\s]*|\s", re.IGNORECASE)


class ImoText(Text):
    """An IMO number as typed; its check digit is checked with the whole ship."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        return _IMO_MARK.sub("", super()._deserialize(value, attr, data, **kwargs))


class VesselForm(FormMessages, VesselSchema):
    """The form: a vessel's particulars except those set by programs only."""

    imo = ImoText(allow_none=True, load_default=None)
    performance = SpeedTable(allow_none=True, load_default=None)
    shop_test = ShopTestLines(data_key="shopTest", allow_none=True, load_default=None)
    maintenance = MaintenanceLines(allow_none=True, load_default=None)

    messages: ClassVar = {Number: "Enter a number.", CalendarDate: "Enter a day, like 1 Jun 2015."}

    class Meta(VesselSchema.Meta):
        """All fields except those that the form does not have."""

        exclude = ("image", "organization_id", "registrar_id", "owner")


@pages.get("/fleet/new")
def new_vessel() -> ResponseReturnValue:
    """Show the form of a new vessel."""
    actor().require(Role.PLANNER)
    return _show(None)


@pages.get("/fleet/<vessel_id>/edit")
def edit_vessel(vessel_id: str) -> ResponseReturnValue:
    """Show the form of a vessel's particulars."""
    actor().require(Role.PLANNER)
    with own_vessel(vessel_id) as (_, vessel):
        return _show(vessel)


@pages.post("/fleet/new")
def add_vessel() -> ResponseReturnValue:
    """Register a vessel."""
    actor().require(Role.PLANNER)
    particulars = _read()
    with own_session() as session:
        return _saved(vessels.create(session, actor(), particulars))


@pages.put("/fleet/<vessel_id>")
def change_vessel(vessel_id: str) -> ResponseReturnValue:
    """Change a vessel's particulars, unless another user has changed them since.

    ``If-Match`` names the version that was opened. Completed plans keep their particulars.
    """
    actor().require(Role.PLANNER)
    particulars = _read()
    with own_vessel(vessel_id) as (session, vessel):
        if not request.if_match.contains(str(vessel.version)):
            raise PreconditionFailed(
                "The vessel was changed after you opened this form. Nothing is saved yet."
            )
        return _saved(vessels.update(session, vessel, particulars))


@pages.post("/fleet/check")
def check_vessel() -> ResponseReturnValue:
    """Return the errors of particulars, and the figures derived from them."""
    actor().require(Role.PLANNER)
    figures = None
    try:
        particulars = _read()
        hints = vessel_particulars.find_faults(particulars)
        if not hints:
            figures = presenters.derived_figures(build_ship_particulars(particulars))
    except Invalid as invalid:
        hints = [*invalid.faults]
    return answer_json(hints=[fault._asdict() for fault in hints], figures=figures)


def _read() -> dict[str, Any]:
    """Read the form; its errors prevent the check of the ship as a whole, not of its IMO number."""
    body = read_body()
    try:
        return read_form(VesselForm(), body)
    except Invalid as invalid:
        imo = body.get("imo") if isinstance(body, dict) else None
        if isinstance(imo, str) and all(fault.pointer != "/imo" for fault in invalid.faults):
            found = vessel_particulars.find_imo_faults(_IMO_MARK.sub("", imo))
            raise Invalid([*invalid.faults, *found]) from None
        raise


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
        heights=HEIGHTS,
        machinery=MACHINERY,
        motions=MOTIONS,
        speed_table=write_speed_table(vessel.performance if vessel else None),
        shop_test=write_shop_test(vessel.shop_test if vessel else None),
        maintenance=write_maintenance(vessel.maintenance if vessel else None),
        types=VESSEL_TYPES,
        cii_types=[(cii_type.value, cii_type.label) for cii_type in CiiType],
        fuels=[(fuel.value, fuel.value) for fuel in FuelType],
        ice_classes=[
            (ice_class.value, ice_class.label) for ice_class in IceClass if ice_class.is_classed
        ],
        page_data={
            "address": address,
            "method": method,
            "check": check,
            "version": vessel and vessel.version,
        },
    )
