"""Queries of chartings, and batches of orders."""

import base64
import json
from dataclasses import fields as dataclass_fields
from typing import Any
from uuid import UUID

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.common import PageQuerySchema
from app.api.waiting import LONGEST_WAIT_S
from app.exports.rtz import RtzVersion
from app.models import ChartingStatus
from app.records.fields import (
    Choice,
    Described,
    QueryFlag,
    QueryNumber,
    RequestSchema,
    Text,
    moment,
)
from app.records.instants import format_instant, parse_instant
from app.services.chartings.charting_search import ChartingFilter, ChartingSort, Cursor

#: Most orders of one batch.
MOST_ORDERS = 100


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
    return Text(data_key=key, longest=longest, load_default=None, description=description)


class ListCursor(Described):
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
        description="Every word must occur in a port's name, the vessel's name or IMO"
        " number, or begin the charting's id",
    )
    status = Choice(
        list(ChartingStatus),
        load_default=None,
        description="Chartings whose newest revision stands so",
    )
    vessel_id = Text(data_key="vesselId", load_default=None, description="Chartings of a vessel")
    imo = _filter("imo", "Chartings of the vessel with this IMO number", longest=7)
    owner = _filter("owner", "Chartings whose owner is exactly this")
    triggered_by = _filter("triggeredBy", "Chartings whose triggeredBy is exactly this")
    departs_from = moment("startDateFrom", "Departures from here on", at_end=False)
    departs_to = moment("startDateTo", "Departures up to here", at_end=True)
    created_from = moment("createdFrom", "Ordered from here on", at_end=False)
    created_to = moment("createdTo", "Ordered up to here", at_end=True)
    archived = QueryFlag(
        load_default=False, description="Archived chartings instead of those that are not"
    )
    sort = Choice(
        list(ChartingSort),
        load_default=str(ChartingSort.NEWEST),
        description="Order of the list; a minus is for descending",
    )
    after = ListCursor(
        data_key="cursor",
        load_default=None,
        description="nextCursor of the answer before, with the same filters and sort: the"
        " next items, whatever was ordered meanwhile. Instead of page",
        metadata={"type": "string"},
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
        data_key="addCharting", load_default=True, description="With waypoints and alternatives"
    )
    revision = QueryNumber(
        load_default=None,
        validate=validate.Range(1, 999_999_999),
        description="This revision instead of the newest completed one",
    )


class ChartingWaitQuerySchema(ChartingQuerySchema):
    """How much of a charting, which revision, and whether to wait for its next state."""

    wait = QueryNumber(
        load_default=0,
        validate=validate.Range(0, LONGEST_WAIT_S),
        description="Answer at the next change of status, or after so many seconds [s]",
    )


class RevisionQuerySchema(ma.Schema):
    """Which revision."""

    revision = QueryNumber(
        load_default=None,
        validate=validate.Range(1, 999_999_999),
        description="This revision instead of the newest completed one",
    )


class RtzQuerySchema(RevisionQuerySchema):
    """Which revision, in which version of the format."""

    version = Choice(
        RtzVersion, load_default=RtzVersion.V1_1.value, description="Version of the format"
    )
