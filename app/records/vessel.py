"""Schema of a vessel: limits and description of each particular."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, Final

import marshmallow as ma
from marshmallow import fields, validate

from app.engine.particulars import Basis, CiiType, FuelType, IceClass, PointSource
from app.records.fields import (
    OPTIONAL,
    CalendarDate,
    Choice,
    Flag,
    Number,
    PatternText,
    RequestSchema,
    Text,
    WholeNumber,
)
from app.records.figures import instant, parts, text
from app.records.record import Record

#: Vessel types by code.
VESSEL_TYPES: Final[Mapping[int, str]] = {
    1: "bulk carrier",
    2: "crude or product tanker",
    3: "chemical tanker",
    4: "gas carrier",
    5: "container ship",
    6: "general cargo",
    7: "ro-ro",
    8: "passenger or cruise ship",
    9: "other",
    10: "LNG carrier",
}

_CODES = ", ".join(f"{code} {name}" for code, name in VESSEL_TYPES.items())


def _positive(description: str, most: float | None = None, **options: Any) -> Number:
    return Number(
        validate=validate.Range(0, most, min_inclusive=False),
        description=description,
        metadata={"minimum": 0, "exclusiveMinimum": True},
        **options,
    )


#: At one g a bow is in free fall.
MOST_ACCELERATION_G = 1.0
#: A cruise ship's hotel load of 20 MW takes 90 t/day; a chemical tanker heating cargo less.
MOST_AUXILIARY_T_PER_DAY = 200.0


def _required(attribute: str, key: str, description: str) -> Number:
    return _positive(description, attribute=attribute, data_key=key, required=True)


def _optional(attribute: str, key: str, description: str) -> Number:
    return _positive(description, attribute=attribute, data_key=key, **OPTIONAL)


def _text(description: str, longest: int = 200, **options: Any) -> Text:
    return Text(longest=longest, **OPTIONAL, description=description, **options)


def _motion_limit(
    attribute: str,
    key: str,
    most: float,
    description: str,
    usual: str = "the usual limit for its length",
) -> Number:
    words = (
        f"{description}. Beyond it the ship is slowed down in heavy weather;"
        f" null: {usual} (NORDFORSK 1987)"
    )
    return _positive(words, most, attribute=attribute, data_key=key, **OPTIONAL)


#: Identities of ships' stations begin with the digits of a country, 201 to 775.
_MMSI_PATTERN: Final = "[2-7][0-9]{8}"


class MaintenanceKind(StrEnum):
    """Cleaning or docking that removes fouling from a hull."""

    DRY_DOCKING = "DRY_DOCKING"
    HULL_CLEANING = "HULL_CLEANING"


#: Rows of a speed and consumption table.
MOST_PERFORMANCE_POINTS: Final = 60
#: Largest consumption [t/day] and speed [kn] of a merchant ship.
_MOST_FOC_MT_PER_DAY, _MOST_SPEED_KN = 600.0, 45.0


class PerformancePointSchema(RequestSchema):
    """A row of the vessel's speed and consumption table."""

    speed = _positive("Speed through the water [kn]", _MOST_SPEED_KN, required=True)
    focMtPerDay = _positive(
        "Consumption at that speed [t/day]", _MOST_FOC_MT_PER_DAY, required=True
    )
    loading = Choice(
        ("LADEN", "BALLAST"),
        load_default="LADEN",
        description="At the design draught, or at the type's usual ballast draught",
    )
    draft = Number(
        **OPTIONAL,
        validate=validate.Range(0, min_inclusive=False),
        description="Mean draught of the row, if it differs from that of loading [m]",
    )
    beaufort = Number(
        load_default=4.0,
        validate=validate.Range(0, 8),
        description="Wind of the row [Beaufort], averaged over all directions, with its sea",
    )
    withAuxiliaries = Flag(
        load_default=False, description="The figure includes generators and boilers"
    )
    source = Choice(
        list(PointSource),
        load_default=PointSource.OWNER.value,
        description="Source of the figure. Sea trials are of a clean hull and bind"
        " closest, charter parties and owners' tables to about 5 %",
    )
    basis = Choice(
        list(Basis),
        **OPTIONAL,
        description="Conditions of the figure: CALM a clean hull without sea, SERVICE hull and"
        " sea of ordinary service (Beaufort 5), CHARTER_PARTY hull of service in the row's"
        " Beaufort; null: by its source, in the row's Beaufort",
    )


#: Loads of a shop test.
MOST_SHOP_TEST_POINTS: Final = 20


class ShopTestPointSchema(RequestSchema):
    """Consumption of the main engine at a load on the maker's test bed."""

    loadPct = Number(required=True, validate=validate.Range(10, 110), description="Load [% of MCR]")
    sfoc = Number(
        required=True,
        validate=validate.Range(100, 350),
        description="Consumption at ISO conditions, of fuel with 42.7 MJ/kg [g/kWh]",
    )


#: Dockings and cleanings of a ship's life.
MOST_MAINTENANCE: Final = 100


class Day(CalendarDate):
    """A calendar date that is stored as text."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return super()._deserialize(value, attr, data, **kwargs).isoformat()

    codec = (str, str)


class MaintenanceSchema(RequestSchema):
    """A day on which the hull was cleaned."""

    date = Day(
        required=True,
        description="The day it was finished",
    )
    kind = Choice(
        list(MaintenanceKind),
        required=True,
        description="In dry dock, or a cleaning of the hull afloat",
    )


#: Web addresses, and the empty text of clients without a picture. Another scheme could run a script
#: where the picture is shown. Each text is matched in one way only: a pattern that tries several
#: takes seconds for a text made for it.
_IMAGE_PATTERN: Final = r"([Hh][Tt][Tt][Pp][Ss]?://[^\s/?#]+([/?#]\S*)?)?"


#: Earliest year of construction of ships in service, and most years from an order to delivery.
_EARLIEST_YEAR: Final = 1850
MOST_YEARS_AHEAD: Final = 10


def _check_delivery(delivered: date) -> None:
    latest = datetime.now(UTC).year + MOST_YEARS_AHEAD
    if not _EARLIEST_YEAR <= delivered.year <= latest:
        raise ma.ValidationError(
            f"{delivered.isoformat()} is no date of delivery: enter one from {_EARLIEST_YEAR} to"
            f" {latest}, {MOST_YEARS_AHEAD} years ahead."
        )


class VesselSchema(RequestSchema):
    """A vessel's particulars."""

    name = _text("Name", is_name=True)
    image = PatternText(
        _IMAGE_PATTERN,
        "is not the web address of a picture: image begins with https:// or http://, such as"
        " https://fleet.example/noordster.jpg.",
        longest=2048,
        **OPTIONAL,
        description="Address of a picture, which begins with https:// or http://",
    )
    date_constructed = CalendarDate(
        required=True,
        data_key="dateConstructed",
        validate=_check_delivery,
        description=f"Date of delivery, from {_EARLIEST_YEAR} to {MOST_YEARS_AHEAD} years ahead",
    )
    captain = _text("Master's name")
    dwt = _required("dwt_t", "dwt", "Deadweight at scantling draught [t]")
    loa = _required("loa_m", "loa", "Length overall [m]")
    lbp = _required("lbp_m", "lbp", "Length between perpendiculars [m]")
    breadth = _required("breadth_m", "breadth", "Moulded breadth [m]")
    depth = _required("depth_m", "depth", "Moulded depth [m]")
    draft_design = _required("draft_design_m", "draftDesign", "Design draught [m]")
    service_speed = _required("service_speed_kn", "serviceSpeed", "Service speed [kn]")
    draft_scant = _required("draft_scantling_m", "draftScant", "Scantling draught [m]")
    pitch = _required("pitch_m", "pitch", "Propeller pitch [m]")
    imo = Text(
        longest=7, **OPTIONAL, description="IMO number: seven digits, the last a check digit"
    )
    mmsi = PatternText(
        _MMSI_PATTERN,
        "is not the MMSI of a ship: nine digits, the first from 2 to 7.",
        longest=9,
        **OPTIONAL,
        description="MMSI of its AIS station: nine digits, the first from 2 to 7",
    )
    organization_id = _text("Your organization's id", longest=36, data_key="orgId")
    type = WholeNumber(
        attribute="type_code",
        data_key="type",
        **OPTIONAL,
        validate=validate.OneOf(
            list(VESSEL_TYPES), error="No vessel type has this code; there are: " + _CODES + "."
        ),
        description="Vessel type code: " + _CODES,
    )
    cii_type = Choice(
        list(CiiType),
        data_key="ciiType",
        **OPTIONAL,
        description="Ship type of MEPC.353(78) by which the carbon intensity (CII) is rated;"
        " null: by type, ro-ro as ro-ro cargo ships and passenger ships as cruise ships."
        " RO_RO_PASSENGER and VEHICLE_CARRIER also say which hulls the ship is estimated by.",
    )
    registrar_id = _text("Id in the register", data_key="registrarId")
    owner = _text("Owner")
    gt = _optional("gross_tonnage", "gt", "Gross tonnage")
    fuel_type = Choice(
        list(FuelType),
        data_key="fuelType",
        **OPTIONAL,
        description="Fuel outside emission control areas; default VLSFO",
    )
    installed_power_kw = _optional(
        "installed_power_kw", "installedPowerKw", "Maximum continuous rating [kW]"
    )
    keel_to_mast = _optional(
        "keel_to_mast_m",
        "keelToMast",
        "Height of the highest point above the keel [m]; less the draught it is the air draught,"
        " by which routes pass below bridges; null: unknown, bridges are warned of",
    )
    propeller_diameter = _optional(
        "propeller_diameter_m", "propellerDiameter", "Propeller diameter [m]"
    )
    auxiliary = Number(
        attribute="auxiliary_t_per_day",
        data_key="auxiliaryMtPerDay",
        **OPTIONAL,
        validate=validate.Range(0, MOST_AUXILIARY_T_PER_DAY),
        description="Consumption of generators and boilers at sea, in fuelType [t/day]; with it"
        " summaries have totals",
    )
    slamming_limit = _motion_limit(
        "slamming_limit",
        "slammingLimit",
        1.0,
        "Greatest share of waves with slamming [0 to 1], usually 0.01 to 0.03; 1: no limit",
    )
    deck_wetness_limit = _motion_limit(
        "deck_wetness_limit",
        "deckWetnessLimit",
        1.0,
        "Share of waves met that wet the deck [0 to 1]; 1 is never reached",
        usual="0.05",
    )
    bow_acceleration_limit = _motion_limit(
        "bow_acceleration_limit_g",
        "bowAccelerationLimit",
        MOST_ACCELERATION_G,
        "Vertical acceleration at the bow, root mean square [g], usually 0.275 to 0.05",
    )
    performance: fields.Field[Any] = parts(
        PerformancePointSchema,
        "Declared speed and consumption. The ship's model is fitted to it within"
        " physical bounds: plans, quotes and consumption estimates rest on the fit; null:"
        " on the particulars alone",
        **OPTIONAL,
        validate=validate.Length(max=MOST_PERFORMANCE_POINTS),
    )
    shop_test: fields.Field[Any] = parts(
        ShopTestPointSchema,
        "The main engine's consumption at its shop test; null: usual for its size and year",
        data_key="shopTest",
        **OPTIONAL,
        validate=validate.Length(max=MOST_SHOP_TEST_POINTS),
    )
    maintenance: fields.Field[Any] = parts(
        MaintenanceSchema,
        "Hull cleanings and dockings: from each on a calibration takes its growth to begin anew",
        **OPTIONAL,
        validate=validate.Length(max=MOST_MAINTENANCE),
    )
    ice_class = Choice(
        list(IceClass),
        data_key="iceClass",
        **OPTIONAL,
        description="Finnish-Swedish ice class or IACS polar class; NONE unless given",
    )


class VesselRecordSchema(VesselSchema, Record):
    """A registered vessel."""

    id = text("Id, elsewhere called vesselId", dump_only=True)
    createdAt = instant("Time of registration", dump_only=True)
    updatedAt = instant("Time of the last change", dump_only=True)
