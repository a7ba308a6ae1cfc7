"""Route checks in requests and responses."""

from datetime import timedelta
from typing import Final

from marshmallow import validate

from app.engine.codes import FindingCode, Severity
from app.engine.facts import ExtraCost
from app.engine.geodesy.leg import LegGeometry
from app.records.charting import CHECKED, MOST_WAYPOINTS, SPEEDS_KN, ChartingSchema
from app.records.fields import (
    OPTIONAL,
    Choice,
    Flag,
    Instant,
    Latitude,
    Longitude,
    Number,
    RequestSchema,
    Text,
    optional_instant,
    optional_number,
)
from app.records.figures import (
    Word,
    count,
    figure,
    known,
    latitude,
    listed,
    longitude,
    part,
    parts,
    text,
)
from app.records.plan import SummarySchema, WaypointSchema
from app.records.record import Record
from app.records.rounding import POSITION_DECIMALS, round_longitude, round_to
from app.records.vessel import VesselSchema

#: Longest route, and longest time that it takes. A voyage round the world has 25,000 nm; memory and
#: time of a check grow with both.
LONGEST_ROUTE_NM: Final = 60_000.0
LONGEST_ROUTE: Final = timedelta(days=366)


class GivenWaypointSchema(RequestSchema):
    """A waypoint of a route that is given, and the leg that leads to it."""

    lat = Latitude(required=True, description="Latitude [deg]")
    lng = Longitude(required=True, description="Longitude [deg]")
    id = Text(description="Its id in your system", **OPTIONAL)
    legGeometry = Choice(
        list(LegGeometry), description="Line of the leg; a rhumb line if not given", **OPTIONAL
    )
    speedKn = optional_number("Speed through the water ordered on the leg [kn]", SPEEDS_KN)
    eta = optional_instant("Time of arrival here")
    etd = optional_instant("Time of departure from here")
    xtdM = optional_number(
        "Cross-track distance that is claimed to be clear [m]", validate.Range(0, 100_000)
    )
    turnRadiusNm = optional_number("Radius of the turn here [nm]", validate.Range(0, 100))


class _GivenRoute(RequestSchema):
    """Track and schedule of a route."""

    speed = optional_number(
        "Speed through the water on legs for which the route has neither time nor speed [kn]; the"
        " highest allowed",
        SPEEDS_KN,
    )
    speeds = listed(
        Number(validate=SPEEDS_KN),
        "The same for each leg, instead of speed [kn]",
        validate=validate.Length(1, MOST_WAYPOINTS),
        **OPTIONAL,
    )
    etas = listed(
        Instant(),
        "Times of arrival at the end of each leg, of a route that has none, at most"
        f" {LONGEST_ROUTE.days} days after the departure",
        validate=validate.Length(1, MOST_WAYPOINTS),
        **OPTIONAL,
    )
    waypoints = parts(
        GivenWaypointSchema,
        f"The route, unless a file is sent: at most {LONGEST_ROUTE_NM:,.0f} nm and"
        f" {LONGEST_ROUTE.days} days",
        validate=validate.Length(2, MOST_WAYPOINTS),
        **OPTIONAL,
    )


class RouteComparisonRequestSchema(_GivenRoute):
    """A route to be compared with a plan."""


class _CheckShip(_GivenRoute):
    """Vessel, schedule and track of a check."""

    vesselId = Text(description="Id of one of your vessels", **OPTIONAL)
    particulars = part(
        VesselSchema, "A ship that is not registered, instead of vesselId", **OPTIONAL
    )
    startDate = optional_instant(
        "Departure time, RFC 3339. The times of a route that has its own departure are moved to it;"
        " null: the route's own, or now"
    )
    speed = optional_number(
        "Speed through the water on legs for which the route has neither time nor speed [kn]; the"
        " service speed",
        SPEEDS_KN,
    )
    price = Flag(
        load_default=False,
        description="Answer with fuel and weather at each waypoint, and with the best speeds, too",
    )


class RouteCheckRequestSchema(
    _CheckShip.from_dict(  # type: ignore[misc]
        {name: ChartingSchema._declared_fields[name] for name in CHECKED}
    )
):
    """A route to be checked for a ship."""


class FindingSchema(Record):
    """One thing found on a route."""

    code = Word(FindingCode, "Kind of the finding")
    severity = Word(Severity, "danger, warning, unknown (no data decide it) or note")
    message = text("The finding in one sentence; it counts waypoints from 1")
    waypointIndex = count("The waypoint, from 0; null for others", allow_none=True)
    legIndex = count(
        "The leg that begins at the waypoint of that index, from 0; null for others",
        allow_none=True,
    )
    lat = latitude("Latitude [deg]; null where it has no place", attribute="position.lat",
                   allow_none=True, write=round_to(POSITION_DECIMALS))  # fmt: skip
    lng = longitude("Longitude [deg], below 180; null where it has no place",
                    attribute="position.lng", allow_none=True, write=round_longitude)  # fmt: skip
    measured = known("Value found [in the unit that the message names]", 3, least=None)
    required = known("Value needed or allowed [in the same unit]", 3, least=None)
    line = count("Line of the file; null where none is known", least=1, allow_none=True)


class RouteCheckSchema(Record):
    """Findings on a route, the most severe first, and its figures."""

    findings = parts(FindingSchema, "Findings by severity, then along the route")
    summary = part(
        SummarySchema,
        "The route in figures at its own times; null where it cannot be sailed at all",
        allow_none=True,
    )
    waypoints = parts(WaypointSchema, "Fuel, speeds and weather by waypoint; empty without price")
    atBestSpeeds = part(
        SummarySchema,
        "The same track at the speeds that burn least for the same arrival; null without price",
        allow_none=True,
    )


class ExtraCostSchema(Record):
    """Differences of a route from a plan; positive where the route takes more."""

    record = ExtraCost

    extraNm = figure("Distance [nm]", 2, least=None, attribute="distance_nm")
    extraH = figure("Duration [h]", 3, least=None, attribute="duration_h")
    extraFuelMt = figure(
        "Main engine's fuel [t]: by track, speeds and time of arrival",
        3,
        least=None,
        attribute="fuel_t",
    )
    trackMt = figure("Fuel by the track [t]", 3, least=None)
    depthMt = figure("Part of that by shallower water [t]", 3, least=None)
    speedMt = figure("Fuel by the speeds [t]", 3, least=None)
    arrivalMt = figure("Fuel by the time of arrival [t]", 3, least=None)


class RouteComparisonSchema(Record):
    """A route compared with the plan of a charting, both in present weather."""

    revision = count("Revision of the plan", least=1)
    findings = parts(FindingSchema, "Findings by severity, then along the route")
    plan = part(SummarySchema, "The plan in figures, simulated anew on its own schedule")
    summary = part(
        SummarySchema,
        "The route in figures at its own times, moved to the plan's departure; null where it cannot"
        " be sailed at all",
        allow_none=True,
    )
    atBestSpeeds = part(
        SummarySchema,
        "The same track at the speeds that burn least for the same arrival; null with extra",
        allow_none=True,
    )
    extra = part(
        ExtraCostSchema,
        "Cost of the route over the plan; null with summary, and where the route begins or"
        " ends more than 30 nm from the plan's departure or arrival (OTHER_ENDS)",
        allow_none=True,
    )
    explanation = text(
        "The same, or why it is not compared, in one sentence; null with summary", allow_none=True
    )
