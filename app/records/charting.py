"""Schema of a charting request: limits, default and description of each field."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import fields, validate

from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Objective, Risk, TrackKind
from app.records.departures import depart_duration, depart_from, depart_step, depart_to
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
)
from app.records.figures import listed, parts

#: Speeds ordered through the water [kn].
SPEEDS_KN: Final = validate.Range(1, 40)
#: Limits on significant waves and mean wind, in any unit beyond all that occur; on a scale the
#: services know its highest degree.
WAVES_M: Final = validate.Range(0, 100)
WINDS_MS: Final = validate.Range(0, 150)
#: Most waypoints of a reference route.
MOST_WAYPOINTS: Final = 5000


def _required(description: str, limits: validate.Range) -> Number:
    return Number(required=True, validate=limits, description=description)


def _text(description: str, longest: int = 200) -> Text:
    return Text(longest=longest, description=description, **OPTIONAL)


def _port_code(end: str) -> Text:
    return _text(
        f"UN/LOCODE of the {end}, or id of a port of GET /v1/ports. UN/LOCODEs that are not among"
        " those are taken too. The plan warns if the port lies more than 100 nm from the position,"
        " which is the one that counts"
    )


def _flag(description: str, default: bool) -> Flag:
    return Flag(load_default=default, description=description)


class ReferencePointSchema(RequestSchema):
    """A waypoint of a reference route, and the leg that leads to it."""

    lat = Latitude(required=True, description="Latitude [deg]")
    lng = Longitude(required=True, description="Longitude [deg]")
    # without a default: what was not given is not returned
    legGeometry = Choice(
        list(LegGeometry),
        description="Line of the leg; a great circle if not given",
        allow_none=True,
        required=False,
    )


class ReferenceRouteSchema(RequestSchema):
    """A route to price for comparison with the planned one."""

    name = Text(required=True, description="Name of the route")
    waypoints = parts(
        ReferencePointSchema, "Its waypoints, in order", validate=validate.Length(2, MOST_WAYPOINTS)
    )


class ChartingSchema(RequestSchema):
    """An order for a route."""

    latFrom = Latitude(required=True, description="Departure latitude [deg]")
    lngFrom = Longitude(required=True, description="Departure longitude [deg]")
    nidFrom = _port_code("departure")
    portFromName = Text(required=True, description="Name of the departure")
    latTo = Latitude(required=True, description="Arrival latitude [deg]")
    lngTo = Longitude(required=True, description="Arrival longitude [deg]")
    nidTo = _port_code("arrival")
    portToName = Text(required=True, description="Name of the arrival")
    startDate = Instant(required=True, description="Departure time, RFC 3339")
    endDate = Instant(description="Arrive at or before, RFC 3339", **OPTIONAL)
    vesselId = Text(required=True, description="Id of one of your vessels")
    speedRangeMin = _required("Lowest speed ordered through the water [kn]", SPEEDS_KN)
    speedRangeMax = _required("Highest speed ordered through the water [kn]", SPEEDS_KN)
    draft = _required("Mean draught on this voyage [m]", validate.Range(0.5, 30))
    trim = _required("Aft minus fore draught [m]", validate.Range(-15, 15))
    rpm = _required("Highest shaft speed ordered [1/min]", validate.Range(1, 1000))
    dwt = _required("Deadweight on board on this voyage [t]", validate.Range(1, 600_000))
    lbp = _required("Length between perpendiculars [m]", validate.Range(5, 480))
    pitch = _required("Propeller pitch [m]", validate.Range(0.1, 15))
    optimizationType = Choice(
        list(Objective),
        required=True,
        description="FUEL least fuel, ETA earliest arrival, BAL a balance of both",
    )
    routeType = Choice(
        list(TrackKind),
        required=True,
        description="WX by weather, GC shortest navigable, RL shortest on rhumb lines",
    )
    risk = Choice(
        list(Risk),
        description="Choose track and speeds by the members of the forecast: limits kept in"
        " at least 9 of 10 members (WORST: in all), or in as many as can be, then least mean"
        " (EXPECTED), 90th percentile (P90) or greatest (WORST) cost; null chooses by the"
        " forecast alone",
        **OPTIONAL,
    )
    ciiTarget = Choice(
        "ABCDE",
        description="Worst carbon intensity rating of the voyage without a warning; it does not"
        " limit the speed",
        **OPTIONAL,
    )
    departFrom = depart_from(**OPTIONAL)
    departTo = depart_to(**OPTIONAL)
    departStepH = depart_step(**OPTIONAL)
    departDurationH = depart_duration(**OPTIONAL)
    maxWaveHeight = Number(
        validate=WAVES_M, description="Highest significant wave, in waveUnit", **OPTIONAL
    )
    maxWindBf = Number(
        validate=WINDS_MS, description="Highest mean wind at 10 m, in windUnit", **OPTIONAL
    )
    maxNorthLat = Number(
        validate=validate.Range(-90, 90),
        description="Northernmost latitude [deg]; 75 or more opens the Arctic",
        **OPTIONAL,
    )
    maxSouthLat = Number(
        validate=validate.Range(-90, 90),
        description="Southernmost latitude [deg], south negative",
        **OPTIONAL,
    )
    waveUnit = Choice(
        ["meters", "douglas"],
        load_default="meters",
        description="A Douglas degree counts as its upper bound",
    )
    windUnit = Choice(
        ["m/s", "bf"], load_default="bf", description="A Beaufort number counts as its upper bound"
    )
    noGoAreas = listed(
        fields.Raw(
            error_messages={"null": "Must be an area in GeoJSON, not null."},
            metadata={
                "description": "GeoJSON Polygon, MultiPolygon or Feature of one (properties name,"
                " start_date, end_date and no others), or a bare ring of [longitude, latitude]"
            },
        ),
        "Areas that this voyage keeps clear of; lists leave them out",
        validate=validate.Length(max=100),
        **OPTIONAL,
    )
    avoidEca = _flag("Weigh the distance inside emission control areas more", default=False)
    avoidPiracyAreas = _flag("Keep out of areas of piracy", default=True)
    avoidWarZones = _flag("Keep out of areas of war risk", default=True)
    importedData = parts(
        ReferenceRouteSchema,
        "Routes to price for comparison with the planned one; lists leave them out",
        validate=validate.Length(max=10),
        **OPTIONAL,
    )
    owner = _text("Stored and returned unchanged")
    triggeredBy = _text(
        "Stored and returned unchanged. If it is the e-mail address of a user of the organization,"
        " the planning page shows this user a message when a planning that a key ordered ends"
    )
    onboardingUploadedFileKey = _text("Stored and returned unchanged", longest=1024)
    isAlterFrom = _flag("The departure is a position under way, not a harbour", default=False)
    organization_id = Text(
        longest=36, data_key="orgId", description="Id of your organization", **OPTIONAL
    )


#: What holds for a field that a request leaves out.
DEFAULTS: Final[Mapping[str, Any]] = {
    name: field.load_default
    for name, field in ChartingSchema._declared_fields.items()
    if not field.required and name != "organization_id"
}

#: Fields that the check of a route has in common with a charting.
CHECKED: Final = (
    "draft", "maxWaveHeight", "maxWindBf", "maxNorthLat", "maxSouthLat", "waveUnit", "windUnit",
    "noGoAreas", "avoidEca", "avoidPiracyAreas", "avoidWarZones",
)  # fmt: skip

#: Fields that a quote has in common with a charting.
QUOTED: Final = (
    "latFrom", "lngFrom", "latTo", "lngTo", "draft", "maxNorthLat", "maxSouthLat",
    "avoidEca", "avoidPiracyAreas", "avoidWarZones",
)  # fmt: skip
