"""Stable codes of warnings, failures and findings, each with its meaning."""

from enum import StrEnum, auto
from typing import Self


class Code(StrEnum):
    """A machine-readable code with a ``meaning`` for people; the word of each is its name."""

    meaning: str

    @staticmethod
    def _generate_next_value_(name: str, *_others: object) -> str:
        return name

    def __new__(cls, word: str, meaning: str = "") -> Self:
        """Create the code and attach its meaning."""
        code = str.__new__(cls, word)
        code._value_ = word
        code.meaning = meaning
        return code


class WarningCode(Code):
    """Warnings of a plan."""

    EDIT_DANGER = (
        auto(),
        "The check of an edited route found a danger, and it was saved with a reason. detail names"
        " it; edit.findings has its position.",
    )
    ENDDATE_UNREACHABLE = (
        auto(),
        "The voyage cannot arrive by endDate. The plan gives the earliest arrival; an edited route"
        " gives its own.",
    )
    CII_TARGET_MISSED = (
        auto(),
        "The voyage has a worse carbon intensity rating than ciiTarget. Lower speeds or a later"
        " arrival improve it.",
    )
    POSITION_MOVED = (
        auto(),
        "The departure or arrival lies ashore. The route begins or ends at the nearest navigable"
        " water, more than a mile away.",
    )
    PORT_MISMATCH = (
        auto(),
        "The port of nidFrom or nidTo lies more than 100 nm from the position given. The route is"
        " planned for the position.",
    )
    DEPARTURE_PAST = (
        auto(),
        "startDate lies more than a day before the request. Areas, emission control areas and"
        " weather are those of that time.",
    )
    AREA_ENTERED = (
        auto(),
        "The departure or arrival lies inside or behind an area to avoid. The route enters the"
        " area as little as possible.",
    )
    ICE = (
        auto(),
        "The route leads through ice, or through waters where ice or icebergs are usual. detail"
        " names the ice class or the icebreaker that is needed and the speed allowed for.",
    )
    SEASON_CLOSED = (
        auto(),
        "The route passes locks near the day on which they open or close for the winter. Check"
        " the dates announced for the year.",
    )
    LATITUDE_LIMIT = (
        auto(),
        "The departure or arrival lies beyond maxNorthLat or maxSouthLat. The route sails as few"
        " miles as possible beyond it.",
    )
    REFERENCE_UNSAFE = (
        auto(),
        "A route of importedData crosses land, shoals, areas or limits, or leads between other"
        " places. It is priced, not recommended.",
    )
    WAITS = (
        auto(),
        "The ship waits at sea, or departs later, for an area to open or for weather to pass."
        " facts.waits says where and how long.",
    )
    LOW_UKC = (
        auto(),
        "The least known under-keel clearance is below the required margin, or the ship slows"
        " down to keep it. Check tide, speed and squat there.",
    )
    PASSAGE_LIMIT = (
        auto(),
        "The departure or arrival is reached along a passage that takes no ship of this size,"
        " draught or air draught. detail names the limit. Ask the port before sailing.",
    )
    AIR_DRAFT_UNKNOWN = (
        auto(),
        "The route leads below bridges, and the vessel has no keelToMast from which its air draught"
        " follows. detail names the passages and bridges and their limits. Check them before"
        " sailing.",
    )
    UNPROVEN_WATER = (
        auto(),
        "The route crosses water of unknown depth, or a passage whose limits are unknown. Check"
        " it on the chart before sailing.",
    )
    DEPTH_UNKNOWN = (
        auto(),
        "No depth is known on a part of the route, all of it wide enough to be taken as deep"
        " enough or in passages with a draught limit. Check it on the chart before sailing.",
    )
    DEPTH_DETOUR = (
        auto(),
        "The route is much longer than one over unproven water, of unknown depth and not wide"
        " enough to be taken as deep enough, which it avoids. detail gives both distances. Check"
        " the shorter one on the chart.",
    )
    SPEED_LOSS = (
        auto(),
        "Power or shaft speed is too low to keep the ordered speed on a part of the route.",
    )
    DUE_TIME_MISSED = (
        auto(),
        "An edited route reaches a waypoint after the time due there. detail names the earliest"
        " time.",
    )
    SPEED_OUTSIDE_METHOD = (
        auto(),
        "speedRangeMin is below the lowest speed for which the ship model is valid, or the ship"
        " sails above the highest one. Power and fuel of such speeds are extrapolated; detail names"
        " that speed.",
    )
    HULL_OUTSIDE_METHOD = (
        auto(),
        "The hull at this draught is longer or broader for its size than those on which the"
        " resistance method rests: power and fuel are less certain than stated; declared"
        " consumption or a calibration binds them. Or the draught or trim is beyond the ship model,"
        " which then uses the nearest that is not.",
    )
    HEADWAY_IN_DOUBT = (
        auto(),
        "On a part of the route the sea may be heavier than the engine can overcome: 2 kn at full"
        " power are assumed, and times are not reliable.",
    )
    SPEED_REDUCED = (
        auto(),
        "In heavy weather the ship sails slower than ordered: otherwise slamming, deck wetness,"
        " accelerations or following seas would exceed the vessel's motion limits.",
    )
    LIMITS_COST_FUEL = (
        auto(),
        "With risk, the plan burns more fuel than another route found, in order to keep the limits"
        " in more members of the forecast. detail names the fuel of both and the probability of"
        " exceeding each limit.",
    )
    DETOUR_IN_DOUBT = (
        auto(),
        "No forecast covers the voyage, and a longer track that is better in the climatology's mean"
        " is not better with a probability of 0.9 in changing weather, or enters polar waters. The"
        " shortest is planned. detail names the other. Plan again when a forecast covers the"
        " departure.",
    )
    NO_WEATHER = auto(), "No weather data is installed. Times and fuel are those of a calm sea."
    STALE_FORECAST = (
        auto(),
        "The forecast was more than 24 hours old at planning, or at a departure in the past."
        " detail names its age. Plan again when a newer one is in the store.",
    )
    LOADING_DISAGREES = (
        auto(),
        "The draught and the deadweight of the request differ by more than 20 % of the"
        " displacement, or the trim is more than 3 % of the length or makes an end more than 1/24"
        " deeper than the scantling draught. The plan uses draught and trim.",
    )
    POWER_DISAGREES = (
        auto(),
        "The vessel's installed power is less than half, or more than six times, what its hull"
        " and service speed usually need; for a container ship, also more than the fastest ones"
        " need. The plan uses it; detail names both.",
    )
    PLAN_OF_EARLIER_REVISION = (
        auto(),
        "The route shown belongs to an earlier revision: the newest one has no plan (yet).",
    )


class FailureCode(Code):
    """Reasons for which planning fails."""

    NO_ROUTE = (
        auto(),
        "No navigable water connects the departure and the arrival for this vessel and these"
        " areas.",
    )
    LIMITS_TOO_TIGHT = (
        auto(),
        "A limit on waves, wind, latitude or shaft speed leaves no route. detail names the limit"
        " and a value that works.",
    )
    DRAFT_TOO_DEEP = auto(), "Every route crosses water that is too shallow for the draught."
    CANAL_LIMIT = auto(), "The vessel is too large for a canal that every route passes."
    END_INSIDE_AREA = (
        auto(),
        "The departure or arrival lies inside an area that must not be entered.",
    )
    SEASON_CLOSED = (
        auto(),
        "Locks that every route leads through are closed when the vessel would be there. detail"
        " names them and when they open.",
    )
    PORT_ON_LAND = (
        auto(),
        "No navigable water is near enough to the position: within 30 nm, or 1 nm for a departure"
        " under way. Give a position afloat.",
    )
    DATA_MISSING = (
        auto(),
        "A data set that the plan needs is not installed. The operator can install it.",
    )
    TIMEOUT = (
        auto(),
        "The planning exceeded its time limit. Request it again, with fewer constraints or a"
        " narrower speed range.",
    )
    INTERNAL = (
        auto(),
        "The planning stopped on an unexpected error. Send the operator the chartingId.",
    )


class AlternativeKind(Code):
    """Kinds of routes listed with the planned route."""

    TOPOLOGY = (
        auto(),
        "Another route between the same ports, such as by the Cape instead of by Suez.",
    )
    BASELINE = auto(), "The shortest route at one constant speed. Savings are measured against it."
    REFERENCE = auto(), "A route from importedData, priced with the same vessel, weather and times."


class Severity(StrEnum):
    """Severity of a finding on a route, the highest first."""

    DANGER = "danger"
    WARNING = "warning"
    #: Not known to be safe.
    UNKNOWN = "unknown"
    NOTE = "note"


class FindingCode(Code):
    """Subjects of findings on a route."""

    LAND_CROSSED = auto(), "The leg crosses land."
    TOO_SHALLOW = auto(), "The leg crosses water charted too shallow for the ship."
    LOW_UKC = auto(), "The under-keel clearance, squat included, is below the required margin."
    DEPTH_UNKNOWN = auto(), "No depth is known for the leg, or for part of it."
    CORRIDOR_TOO_WIDE = (
        auto(),
        "The cross-track distance claimed reaches land or water charted too shallow.",
    )
    AREA_ENTERED = auto(), "The leg enters an area while it is in force."
    SEASON_CLOSED = auto(), "The leg enters ice or waters that are closed by season."
    LATITUDE_LIMIT = auto(), "The leg passes a latitude limit."
    PASSAGE_LIMIT = auto(), "The ship is too large, too deep or too high for a passage or bridge."
    AIR_DRAFT_UNKNOWN = auto(), "The leg leads below a bridge; the ship's air draught is unknown."
    WRONG_WAY = auto(), "The leg follows a one-way lane against its direction, or crosses it so."
    TURN_TOO_TIGHT = auto(), "The turn is tighter than the ship can make."
    LEG_TOO_SHORT = auto(), "The leg has no room for the turns at its ends."
    TURN_OUTSIDE_CORRIDOR = (
        auto(),
        "The arc of the turn leaves the clear water on either side of the legs.",
    )
    SPEED_NOT_HELD = (
        auto(),
        "The ship cannot keep the speed ordered or the time due in the weather of that hour.",
    )
    WEATHER_LIMIT = auto(), "Waves or wind exceed a limit."
    WEATHER_UNKNOWN = (
        auto(),
        "No weather is installed: times, speeds and limits are those of a calm sea.",
    )
    WEATHER_CLIMATOLOGY = (
        auto(),
        "No forecast covers the voyage, or a part of it: the weather there is climatology.",
    )
    DEPARTURE_PAST = auto(), "The departure is past."
    ETA_INCONSISTENT = (
        auto(),
        "The times at the ends of the leg do not agree with its length and speed.",
    )
    SCHEDULE_REVERSED = auto(), "A waypoint is due no later than one before it."
    SCHEDULE_MISSING = (
        auto(),
        "The route has no time of departure, or neither times nor speeds; the message names the"
        " one that is taken.",
    )
    DUPLICATE_ID = auto(), "Two waypoints of the file have the same id."
    DUPLICATE_WAYPOINT = auto(), "Two consecutive waypoints have one position."
    POSITION_SWAPPED = auto(), "Latitude and longitude seem to be exchanged."
    POSITION_SIGN = auto(), "Latitude or longitude seems to have the wrong sign."
    OTHER_ENDS = (
        auto(),
        "The route begins or ends more than 30 nm from the departure or arrival of the plan that it"
        " is compared with, or an edit more than 0.5 nm from those ordered.",
    )
    ARRIVAL_LATE = auto(), "An edit arrives after the latest arrival asked for."
    OUT_OF_ORDER = auto(), "Two consecutive waypoints seem to be exchanged."
    FILE_FAULT = auto(), "The file breaks a rule of its format; line says where."
