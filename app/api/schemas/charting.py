"""Chartings in requests and answers."""

import base64
import json
from dataclasses import fields as dataclass_fields
from typing import Any
from uuid import UUID

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.common import PageQuerySchema
from app.api.waiting import LONGEST_WAIT_S
from app.engine.voyage import Objective, TrackKind
from app.models import ChartingStatus
from app.records.fields import (
    Choice,
    Flag,
    Instant,
    Latitude,
    Longitude,
    Number,
    QueryFlag,
    QueryNumber,
    RequestSchema,
    Text,
    moment,
)
from app.records.instants import format_instant, parse_instant
from app.services.charting_search import ChartingFilter, ChartingSort, Cursor

_OPTIONAL: dict[str, Any] = {"allow_none": True, "load_default": None}
_POSITIVE = validate.Range(min=0, min_inclusive=False)
_NOT_NEGATIVE = validate.Range(min=0)

#: Most orders of one batch.
MOST_ORDERS = 100

#: What the service sets and a client may send back unread.
READ_ONLY = frozenset(
    {
        "id", "status", "progress", "stage", "queuePosition", "failure",
        "revision", "latestRevision", "vesselName",
        "createdAt", "archivedAt", "queuedAt", "startedAt", "finishedAt",
        "summary", "label", "waypoints", "facts", "alternatives", "front", "warnings", "provenance",
    }
)  # fmt: skip


def _required(description: str, limits: validate.Range = _POSITIVE) -> Number:
    return Number(required=True, validate=limits, metadata={"description": description})


def _text(description: str, longest: int = 200) -> Text:
    return Text(longest=longest, metadata={"description": description}, **_OPTIONAL)


def _flag(description: str, default: bool) -> Flag:
    return Flag(load_default=default, metadata={"description": description})


class ReferencePointSchema(ma.Schema):
    """A position of a reference route."""

    class Meta:
        unknown = ma.RAISE

    lat = Latitude(required=True, metadata={"description": "Latitude [deg]"})
    lng = Longitude(required=True, metadata={"description": "Longitude [deg]"})


class ReferenceRouteSchema(ma.Schema):
    """A route from elsewhere, to be priced beside the planned one."""

    class Meta:
        unknown = ma.RAISE

    name = Text(required=True, metadata={"description": "Name of the route"})
    waypoints = fields.List(
        fields.Nested(ReferencePointSchema),
        required=True,
        validate=validate.Length(2, 5000),
        metadata={"description": "Its waypoints, in order"},
    )


class ChartingSchema(RequestSchema):
    """An order for a route."""

    read_only = READ_ONLY

    latFrom = Latitude(required=True, metadata={"description": "Departure latitude [deg]"})
    lngFrom = Longitude(required=True, metadata={"description": "Departure longitude [deg]"})
    nidFrom = _text("UN/LOCODE of the departure, or id of a port of GET /v1/ports")
    portFromName = Text(required=True, metadata={"description": "Departure's name"})
    latTo = Latitude(required=True, metadata={"description": "Arrival latitude [deg]"})
    lngTo = Longitude(required=True, metadata={"description": "Arrival longitude [deg]"})
    nidTo = _text("UN/LOCODE of the arrival, or id of a port of GET /v1/ports")
    portToName = Text(required=True, metadata={"description": "Arrival's name"})
    startDate = Instant(required=True, metadata={"description": "Departure time, RFC 3339"})
    endDate = Instant(metadata={"description": "Arrive at or before, RFC 3339"}, **_OPTIONAL)
    vesselId = Text(required=True, metadata={"description": "Id of one of your vessels"})
    speedRangeMin = _required("Lowest speed ordered through the water [kn]", validate.Range(1, 40))
    speedRangeMax = _required("Highest speed ordered through the water [kn]", validate.Range(1, 40))
    draft = _required("Mean draught on this voyage [m]", validate.Range(0.5, 30))
    trim = _required("Aft minus fore draught [m]", validate.Range(-15, 15))
    rpm = _required("Highest shaft speed ordered [1/min]", validate.Range(1, 1000))
    dwt = _required("Deadweight on board on this voyage [t]", validate.Range(1, 600_000))
    lbp = _required("Length between perpendiculars [m]", validate.Range(5, 480))
    pitch = _required("Propeller pitch [m]", validate.Range(0.1, 15))
    optimizationType = Choice(
        list(Objective),
        required=True,
        metadata={"description": "FUEL least fuel, ETA earliest arrival, BAL both weighed"},
    )
    routeType = Choice(
        list(TrackKind),
        required=True,
        metadata={
            "description": "WX by weather, GC shortest navigable, RL shortest on rhumb lines"
        },
    )
    maxWaveHeight = Number(
        validate=_NOT_NEGATIVE,
        metadata={"description": "Highest significant wave, in waveUnit"},
        **_OPTIONAL,
    )
    maxWindBf = Number(
        validate=_NOT_NEGATIVE,
        metadata={"description": "Highest mean wind at 10 m, in windUnit"},
        **_OPTIONAL,
    )
    maxNorthLat = Number(
        validate=validate.Range(-90, 90),
        metadata={"description": "Northernmost latitude [deg]; 75 or more opens the Arctic"},
        **_OPTIONAL,
    )
    maxSouthLat = Number(
        validate=validate.Range(-90, 90),
        metadata={"description": "Southernmost latitude [deg], south negative"},
        **_OPTIONAL,
    )
    waveUnit = Choice(
        ["meters", "douglas"],
        load_default="meters",
        metadata={"description": "A Douglas degree means its upper bound"},
    )
    windUnit = Choice(
        ["m/s", "bf"],
        load_default="bf",
        metadata={"description": "A Beaufort number means its upper bound"},
    )
    noGoAreas = fields.List(
        fields.Raw(
            metadata={
                "description": "GeoJSON Polygon, MultiPolygon or Feature of one (properties name,"
                " start_date, end_date and no others), or a bare ring of [longitude, latitude]"
            }
        ),
        validate=validate.Length(max=100),
        metadata={"description": "Areas that this voyage keeps clear of"},
        **_OPTIONAL,
    )
    avoidEca = _flag("Price miles inside emission control areas up", default=False)
    avoidPiracyAreas = _flag("Keep out of areas of piracy", default=True)
    avoidWarZones = _flag("Keep out of areas of war risk", default=True)
    importedData = fields.List(
        fields.Nested(ReferenceRouteSchema),
        validate=validate.Length(max=10),
        metadata={"description": "Routes to be priced beside the planned one"},
        **_OPTIONAL,
    )
    owner = _text("Kept and given back")
    triggeredBy = _text("Kept and given back")
    onboardingUploadedFileKey = _text("Kept and given back", longest=1024)
    isAlterFrom = _flag("The departure is a position under way, not a harbour", default=False)
    organization_id = Text(
        longest=36,
        data_key="orgId",
        metadata={"description": "Your organization's id"},
        **_OPTIONAL,
    )


class ChartingBatchSchema(RequestSchema):
    """Many orders in one request."""

    common = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={"description": "Fields that every order has unless it gives them itself"},
    )
    items = fields.List(
        fields.Dict(
            keys=fields.String(),
            metadata={"description": "An order, as the body of POST /v1/charting; the fields of"
                      " common may be left out"},
        ),
        required=True,
        validate=validate.Length(1, MOST_ORDERS),
        metadata={"description": f"Orders, at most {MOST_ORDERS}"},
    )  # fmt: skip


def _filter(key: str, description: str, longest: int = 200) -> Text:
    return Text(
        data_key=key, longest=longest, load_default=None, metadata={"description": description}
    )


class ListCursor(fields.Field[Any]):
    """The place in a list that an answer named."""

    default_error_messages = {"invalid": "Not a nextCursor of this list."}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Cursor:
        try:
            departs_at, id_ = json.loads(base64.urlsafe_b64decode(value))
            instant = None if departs_at is None else parse_instant(departs_at)
            return Cursor(instant, UUID(id_))
        except (ValueError, TypeError, AttributeError) as error:
            raise self.make_error("invalid") from error


def write_cursor(place: Cursor) -> str:
    """A place in a list as a text without meaning to others."""
    departs_at = None if place.departs_at is None else format_instant(place.departs_at)
    written = json.dumps([departs_at, str(place.id)], separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode()).decode()


class ChartingListQuerySchema(PageQuerySchema):
    """Which chartings, and which page of them."""

    search = Text(
        load_default="",
        metadata={
            "description": "Every word must occur in a port's name, the vessel's name or IMO"
            " number, or begin the charting's id"
        },
    )
    status = Choice(
        list(ChartingStatus),
        load_default=None,
        metadata={"description": "Chartings whose newest revision stands so"},
    )
    vessel_id = Text(
        data_key="vesselId", load_default=None, metadata={"description": "Chartings of a vessel"}
    )
    imo = _filter("imo", "Chartings of the vessel with this IMO number", longest=7)
    owner = _filter("owner", "Chartings whose owner is exactly this")
    triggered_by = _filter("triggeredBy", "Chartings whose triggeredBy is exactly this")
    departs_from = moment("startDateFrom", "Departures from here on", at_end=False)
    departs_to = moment("startDateTo", "Departures up to here", at_end=True)
    created_from = moment("createdFrom", "Ordered from here on", at_end=False)
    created_to = moment("createdTo", "Ordered up to here", at_end=True)
    archived = QueryFlag(
        load_default=False,
        metadata={"description": "Archived chartings instead of those that are not"},
    )
    sort = Choice(
        list(ChartingSort),
        load_default=str(ChartingSort.NEWEST),
        metadata={"description": "Order of the list; a minus is for descending"},
    )
    after = ListCursor(
        data_key="cursor",
        load_default=None,
        metadata={
            "type": "string",
            "description": "nextCursor of the answer before, with the same filters and sort: what"
            " follows, whatever was ordered meanwhile. Instead of page",
        },
    )

    @ma.post_load
    def gather(self, data: dict[str, Any], **_ignored: Any) -> dict[str, Any]:
        """Keep the filters as one record, and the cursor to its own order."""
        names = [field.name for field in dataclass_fields(ChartingFilter)]
        wanted = ChartingFilter(**{name: data.pop(name) for name in names})
        sort = ChartingSort(data["sort"])
        cursor = data.pop("after")
        if cursor is not None and data["page"] != 1:
            raise ma.ValidationError("Send either page or cursor.", "cursor")
        if cursor is not None and (cursor.departs_at is not None) != sort.by_departure:
            raise ma.ValidationError("Comes from a list in another order (sort).", "cursor")
        return data | {"wanted": wanted, "sort": sort, "after": cursor}


class ChartingQuerySchema(ma.Schema):
    """How much of a charting, and which revision."""

    add_charting = QueryFlag(
        data_key="addCharting",
        load_default=True,
        metadata={"description": "With waypoints and alternatives"},
    )
    revision = QueryNumber(
        load_default=None,
        validate=validate.Range(1, 999_999_999),
        metadata={"description": "This revision instead of the newest completed one"},
    )


class ChartingWaitQuerySchema(ChartingQuerySchema):
    """How much of a charting, which revision, and whether to wait for its next state."""

    wait = QueryNumber(
        load_default=0,
        validate=validate.Range(0, LONGEST_WAIT_S),
        metadata={
            "description": "Answer at the next change of status, or after so many seconds [s]"
        },
    )


class RevisionQuerySchema(ma.Schema):
    """Which revision."""

    revision = QueryNumber(
        load_default=None,
        validate=validate.Range(1, 999_999_999),
        metadata={"description": "This revision instead of the newest completed one"},
    )
