"""Noon reports: unit, limits, column and known headers of each field."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import marshmallow as ma

from app.records.fields import OPTIONAL, Choice, Instant, RequestSchema, Text, number_of
from app.records.figures import instant, text
from app.records.record import Record

#: Earliest time of a report, and largest difference of a ship's clock ahead of the service's.
EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
MOST_AHEAD: Final = timedelta(hours=1)
#: Longest period of a report: a day of 25 h, when clocks are set back, and some delay.
MOST_STEAMING_H: Final = 30.0
LONGEST_REMARKS: Final = 2000
REPORT_TYPES: Final = ("NOON", "DEPARTURE", "ARRIVAL", "PORT", "OTHER")


@dataclass(frozen=True, slots=True)
class NoonField:
    """A number of a noon report; ``unit`` as UDUNITS reads it, bounds inclusive.

    ``header`` matches the names that spreadsheets give it, in lower case with ``_`` for all but
    letters and digits. Names of the Standardised Vessel Dataset for noon reports (Smart Maritime
    Network, 2024), such as ``SpeedOverGround``, are among them. ``other`` matches those among them
    that name something else, such as a stock of fuel.
    """

    name: str
    column: str
    label: str
    description: str
    unit: str
    least: float
    greatest: float
    header: str
    other: str = ""

    @property
    def symbol(self) -> str:
        """The unit's usual symbol."""
        return SYMBOLS.get(self.unit, self.unit)

    def is_named(self, name: str) -> bool:
        """Return whether a spreadsheet's simplified header names the field."""
        is_other = self.other and re.search(rf"(^|_)({self.other})(_|$)", name)
        return not is_other and re.search(self.header, name) is not None


#: Usual symbols of units in UDUNITS notation.
SYMBOLS: Final[Mapping[str, str]] = {
    "nautical_mile": "nm",
    "knot": "kn",
    "degree": "°",
    "t": "mt",
    "hour": "h",
    "min-1": "rpm",
    "1": "",
}


#: Words of headers about other machinery than the main engine.
_OTHER_MACHINERY: Final = (
    r"(ae|dg|d_g|ge|gen|generators?|boilers?|blr|igg?)_?\d?|aux\w*|incin\w*|shaft_gen\w*"
)
#: Words about fuel that is not burnt, about other liquids, and about machinery that burns fuel.
_NOT_BURNT: Final = (
    r"rob|remain\w*|stock|supplied|received|type|grade|temp\w*|dens\w*|visc\w*"
    r"|lo|lub\w*|cyl\w*|(?<!24_)(hours|hrs)|(running|run|working|operating|op)_?time|counter|power|load|kwh?"
    r"|press\w*|rpm|mcr|sfoc|sfc|bdn|projected|lcv|price|cost|index|rack|water|bunkered"
)


def _grade(name: str, column: str, label: str, words: str) -> NoonField:
    pattern = (
        rf"^(me|main_engine)_?(fuel_|fo_)?(cons(umption|_)?_?)?({words})"
        rf"|^({words})_(cons\w*_)?(me(_|$)|main_engine)|^({words})_(cons|consumption|consumed)$"
    )
    return NoonField(
        name, column, f"ME fuel, {label}", f"Main engine's fuel of it, {label} [mt]", "t", 0, 500,
        pattern, f"{_NOT_BURNT}|{_OTHER_MACHINERY}",
    )  # fmt: skip


#: The order decides: a header belongs to the first field that it fits.
FIELDS: Final = (
    NoonField(
        "utcOffset", "utc_offset_h", "UTC offset", "Ship's time ahead of UTC [h]", "hour", -14, 14,
        r"^(utc|gmt)_?(offset|diff\w*)|^(time_?)?zone|^(time_)?offset"
        r"|^time_?diff\w*_(utc|gmt)",
        r"desc\w*|zone_time",
    ),
    NoonField(
        "latitude", "latitude", "Latitude", "Latitude [deg north]", "degree", -90, 90,
        r"^(ship_|position_|pos_|noon_)?lat(itude)?(_|$)",
    ),
    NoonField(
        "longitude", "longitude", "Longitude", "Longitude [deg east]", "degree", -180, 360,
        r"^(ship_|position_|pos_|noon_)?(lng|lon|long|longitude)(_|$)",
    ),
    NoonField(
        "steamingHours", "steaming_hours", "Steaming hours",
        "Hours under way that the report covers [h]", "hour", 0, MOST_STEAMING_H,
        r"^(steaming|elapsed|sailing|sea|running)_?(time|hours|hrs?)|^(hours|hrs)$|^duration"
        r"|^(hours|hrs|time)_(steamed|under_?way|sailed|at_sea|elapsed_sailing"
        r"|since_(last|previous)(_report|$))|^stmg_?(time|hrs?)",
        rf"{_OTHER_MACHINERY}|(?<!noon_)to|left|stopp\w*|idle|(in|at)_port|anch\w*|drift\w*|counter"
        r"|time_(utc|gmt|lt|local)|s?eca|ice|rest",
    ),
    NoonField(
        "distance", "distance_nm", "Distance", "Distance over ground in that time [nm]",
        "nautical_mile", 0, 1500,
        r"^(observed_|obs_|sailed_|noon_)?dist(ance)?(_(over_ground|og|run|sailed|made_good|obs"
        r"|observed|gps|noon|since\w*|24h|nm|nmi|miles|km))*$",
    ),
    NoonField(
        "speedThroughWater", "speed_through_water_kn", "Speed through water",
        "Mean speed through the water [kn]", "knot", 0, 75,
        r"^(avg_|average_|mean_)?(stw|speed_through_(the_)?water|speed_tw|log_speed|speed_log"
        r"|water_speed)",
    ),
    NoonField(
        "speedOverGround", "speed_over_ground_kn", "Speed over ground",
        "Mean speed over ground [kn]", "knot", 0, 75,
        r"^(avg_|average_|mean_|obs_|observed_)?(sog|speed_over_(the_)?ground|speed_og|gps_speed"
        r"|speed_gps|speed_made_good|ship_speed|speed)(_(kn|kts?|knots?|km_?h|kph|kmph|m_?s|avg"
        r"|average|mean))*$",
    ),
    NoonField(
        "heading", "heading_deg", "Heading", "Heading, or course made good [deg true]", "degree",
        0, 360, r"^(ship_)?(true_)?(heading|hdg|course|cog)(_|$)",
        r"to|next|ordered|mag\w*|compass",
    ),
    NoonField(
        "draftFore", "draft_fore_m", "Draught fore", "Draught forward [m]", "m", 0, 30,
        r"^dra(f|ugh)t_?(actual_)?(fore|fwd|forward|f)(_|$)|^(fore|fwd|forward|f)_dra(f|ugh)t",
    ),
    NoonField(
        "draftAft", "draft_aft_m", "Draught aft", "Draught aft [m]", "m", 0, 30,
        r"^dra(f|ugh)t_?(actual_)?(aft|a)(_|$)|^(aft|a)_dra(f|ugh)t",
    ),
    NoonField(
        "draftMean", "draft_mean_m", "Draught, mean", "Mean draught [m]", "m", 0, 30,
        r"^(mean_|mid_|ship_)?dra(f|ugh)t(_|$)",
        r"max\w*|min\w*|limit|allow\w*|air|design|scantling|summer|ballast|recommended"
        r"|fore|fwd|forward|aft|arr(ival)?|dep(arture)?",
    ),
    NoonField(
        "trim", "trim_m", "Trim", "Trim, by the stern above 0 [m]", "m", -15, 15, r"^trim(_|$)",
    ),
    NoonField(
        "rpm", "rpm", "Shaft speed", "Shaft speed [1/min]", "min-1", 0, 3000,
        r"^(avg_|average_|mean_|me_|main_engine_|engine_|shaft_|propeller_)*(rpm|revs)(_|$)"
        r"|^(speed_propeller|propeller_speed)",
        rf"{_OTHER_MACHINERY}|counter|max\w*|ordered|tc|turbo\w*",
    ),
    NoonField(
        "power", "power_kw", "Power", "Main engine's power [kW]", "kW", 0, 120_000,
        r"^(avg_|average_|mean_)?(me_|main_engine_|engine_|shaft_|brake_)*(power|output|load_kw)",
        rf"{_OTHER_MACHINERY}|mcr|pct|percent|kwh|mwh|max\w*|limit|factor|index|shore",
    ),
    _grade("fuelHfo", "fuel_hfo_t", "HFO", "hfo|hsfo|ifo|rmg|rmk"),
    _grade("fuelLsfo", "fuel_lsfo_t", "VLSFO", "v?lsfo|ulsfo|lfo"),
    _grade("fuelDistillate", "fuel_distillate_t", "MDO or MGO", "l?s?m[dg]o|go\\b"),
    _grade("fuelLng", "fuel_lng_t", "LNG", "lng|bog"),
    NoonField(
        "boilerFuel", "boiler_fuel_t", "Boilers' fuel",
        "Boilers' fuel in the time of the report [mt]", "t", 0, 500,
        r"^fuel_consumed_by_auxiliary_boiler|^boilers?(_|$)|^(fuel|fo|foc|cons)\w*_boilers?(_|$)",
        _NOT_BURNT,
    ),
    NoonField(
        "auxiliaryFuel", "auxiliary_fuel_t", "Auxiliaries' fuel",
        "Generators' fuel in the time of the report [mt]", "t", 0, 500,
        r"^fuel_consumed_by_(diesel_generator|auxiliary_engine)"
        r"|^(ae|aux|dg|ge|auxiliary|auxiliaries|generators?)s?(_|$)"
        r"|^(fuel|fo|foc|cons)\w*_(ae|aux\w*|dg|generators?)(_|$)",
        rf"{_NOT_BURNT}|boilers?",
    ),
    NoonField(
        "fuel", "fuel_t", "Main engine's fuel",
        "Main engine's fuel in the time of the report [mt]", "t", 0, 500,
        r"^fuel_consumed_by_main_engine|^(me|m_e|main_engine)_?(fuel|fo|foc|cons|total)"
        r"|^(?!.*_total(_|$))(fuel|foc|fo_cons|fo_consumption|consumption|bunkers?_cons)",
        rf"{_NOT_BURNT}|{_OTHER_MACHINERY}|sulph?\w*",
    ),
    NoonField(
        "windFromRelative", "wind_from_relative_deg", "Wind, off the bow",
        "Wind from, clockwise off the bow [deg]", "degree", -180, 360,
        r"^rel\w*_wind_(dir|from|angle)|^wind_rel\w*_(dir|from|ang)"
        r"|^wind_dir\w*_(estimated_)?rel",
    ),
    NoonField(
        "windFrom", "wind_from_deg", "Wind from", "True wind from [deg true]", "degree", 0, 360,
        r"^(true_)?wind_(true_)?(dir|from|angle)",
        r"rel\w*|app\w*",
    ),
    NoonField(
        "windBeaufort", "wind_beaufort", "Wind force", "Wind force [Beaufort]", "1", 0, 12,
        r"^(beaufort|bft|bf)(_|$)|^(true_)?wind_?(speed_)?(force|bf|bft|beaufort|scale)",
    ),
    NoonField(
        "windSpeed", "wind_speed_ms", "Wind speed", "True wind [m/s]", "m s-1", 0, 120,
        r"^(true_)?wind(_true)?(_speed|_vel\w*|_kn|_kts?|_m_?s)?(_|$)",
        r"rel\w*|app\w*|bf|bft|beaufort|waves?|sea|chill|factor|gusts?|max\w*",
    ),
    NoonField(
        "seaState", "sea_state", "Sea state", "Sea state [Douglas degree]", "1", 0, 9,
        r"^(sea_state|state_of_sea|douglas|sea_scale|sea$)",
        r"dir\w*|from",
    ),
    NoonField(
        "swellFrom", "swell_from_deg", "Swell from", "Swell from [deg true]", "degree", 0, 360,
        r"^swell_(dir|from)",
    ),
    NoonField(
        "swellHeight", "swell_height_m", "Swell height", "Height of the swell [m]", "m", 0, 30,
        r"^swell(_h\w*|_m)?$",
    ),
    NoonField(
        "waveFrom", "wave_from_deg", "Waves from", "Waves from [deg true]", "degree", 0, 360,
        r"^(waves?|seas?)_(dir|from)",
    ),
    NoonField(
        "waveHeight", "wave_height_m", "Wave height", "Significant wave height [m]", "m", 0, 30,
        r"^(significant_|sig_)?(waves?|sea)(_height|_h|_ht|_m)*$|^(hs|swh)(_|$)",
    ),
)  # fmt: skip

BY_NAME: Final[Mapping[str, NoonField]] = {field.name: field for field in FIELDS}
#: Headers that name a field only where no other column does: "Speed", with a column "SOG".
SECOND_CHOICE: Final = (
    r"^(hours|hrs|time)_since_"
    r"|^(true_)?wind(_true)?$|^((avg|average|mean)_)?speed$"
    r"|^(fuel|foc?|consumption)(_(oil|cons|consumption|consumed))*$"
)
GRADES: Final = ("fuelHfo", "fuelLsfo", "fuelDistillate", "fuelLng")

#: Fields of a report besides numbers.
TIME, TIME_OF_DAY, REPORT_TYPE, REMARKS = "timestamp", "timeOfDay", "reportType", "remarks"
TEXT_HEADERS: Final[Mapping[str, str]] = {
    REPORT_TYPE: r"^(report|event|message)_?type|^event$|^type$",
    REMARKS: r"^(voyage_|noon_)?(remarks?|comments?|notes?)(_|$)",
    TIME: r"^((ship_)?report(ing)?_date|(noon_|utc_|local_)?date|datetime|timestamp)(_|$|time)",
    TIME_OF_DAY: r"^(utc_|gmt_|local_|report(ing)?_|noon_|ship(_?s)?_|zone_)?time"
    r"(_(utc|gmt|lt|of_day|local(_time)?|(ship(_?s)?|zone)_time))?$",
}
LABELS: Final[Mapping[str, str]] = {
    TIME: "Date and time",
    TIME_OF_DAY: "Time of day",
    REPORT_TYPE: "Report type",
    REMARKS: "Remarks",
    **{field.name: field.label for field in FIELDS},
}

#: Columns that describe a report, the time first.
COLUMNS: Final = ("timestamp", *(field.column for field in FIELDS), "report_type", "remarks")

#: The first that fits is the type.
_TYPES: Final = (
    ("DEPARTURE", r"(?<![a-z])dep|\b([bcs]osp|faop)\b|sailed|full away"
                  r"|(begin|start|commence)\w*( of)?( the)? (sea )?passage"),
    ("ARRIVAL", r"(?<![a-z])arr|\b(eosp|fwe)\b|berth|finished with engine"
                r"|end( of)?( the)? (sea )?passage"),
    ("OTHER", r"\bsts\b"),
    ("PORT", r"(?<!re)port|anchor|drift|bunker|canal"),
    ("NOON", r"noon|sea|daily|position|^$"),
)  # fmt: skip


def find_report_type(words: str) -> str:
    """Find the type of report in a free text."""
    simple = words.strip().lower().replace("_", " ")
    return next((kind for kind, pattern in _TYPES if re.search(pattern, simple)), "OTHER")


def find_time_fault(instant: datetime, now: datetime) -> str | None:
    """Find an error of a report's time; ``None`` if there is none."""
    if instant > now + MOST_AHEAD:
        return "lies in the future"
    return "lies before 2000" if instant < EARLIEST else None


class _NoonReportBase(RequestSchema):
    """Time and words of a report."""

    timestamp = Instant(required=True, description="End of the time that it covers")


_Numbers: Any = _NoonReportBase.from_dict(
    {
        f.name: number_of(f.name, f.column, f.description, f.least, f.greatest, **OPTIONAL)
        for f in FIELDS
    }
)


class NoonReportSchema(_Numbers):  # type: ignore[misc]
    """A ship's report of the hours since the one before; what it does not say is null."""

    reportType = Choice(
        REPORT_TYPES,
        attribute="report_type",
        load_default="NOON",
        description="Kind of report",
    )
    remarks = Text(longest=LONGEST_REMARKS, is_multiline=True, **OPTIONAL, description="Remarks")

    @ma.post_load
    def keep(self, data: dict[str, Any], **_ignored: Any) -> dict[str, Any]:
        """Cut the time to the second."""
        return data | {"timestamp": data["timestamp"].replace(microsecond=0)}


class NoonReportRecordSchema(NoonReportSchema, Record):
    """A stored noon report."""

    vesselId = text("Id of the vessel", required=False, dump_only=True)
    receivedAt = instant("Time of storage", required=False, dump_only=True)
