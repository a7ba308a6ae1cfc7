"""Queries of chartings, and batches of requests."""

import base64
import json
from dataclasses import fields as dataclass_fields
from typing import Any, Final
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
from app.records.figures import listed
from app.records.instants import parse_instant, write_instant
from app.services.chartings.charting_search import ChartingFilter, ChartingSort, Cursor
from app.services.errors import refuse_reversed

#: Requests that one batch may have.
MOST_ORDERS = 100
#: Error of an item or the common fields of a batch that are no JSON object.
_NO_OBJECT: Final[dict[str, Any]] = dict.fromkeys(("null", "invalid"), "Must be a JSON object.")
#: Longest cursor [characters]; :func:`write_cursor` makes shorter ones.
_LONGEST_CURSOR = 200


class ChartingBatchSchema(RequestSchema):
    """A batch of requests for routes."""

    common = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        error_messages=_NO_OBJECT,
        metadata={"description": "Default fields of all items"},
    )
    items = listed(
        fields.Dict(
            keys=fields.String(),
            error_messages=_NO_OBJECT,
            metadata={"description": "A body of POST /v1/charting; fields given in common may be"
                      " left out"},
        ),
        f"Requests, at most {MOST_ORDERS}",
        validate=validate.Length(1, MOST_ORDERS),
    )  # fmt: skip


def _filter(key: str, description: str, longest: int = 200) -> Text:
    return Text(data_key=key, longest=longest, load_default=None, description=description)


class ListCursor(Described):
    """A cursor of a list of chartings."""

    default_error_messages = {"invalid": "Not a cursor of this list."}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Cursor:
        if len(value) > _LONGEST_CURSOR:  # nested brackets would reach Python's recursion limit
            raise self.make_error("invalid")
        try:
            departs_at, id_ = json.loads(base64.urlsafe_b64decode(value))
            instant = None if departs_at is None else parse_instant(departs_at)
            return Cursor(instant, UUID(id_))
        except (ValueError, TypeError, AttributeError) as error:
            raise self.make_error("invalid") from error


def write_cursor(place: Cursor) -> str:
    """Encode a place in a list as an opaque cursor."""
    parts = [write_instant(place.departs_at), str(place.id)]
    written = json.dumps(parts, separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode()).decode()


class ChartingListQuerySchema(PageQuerySchema):
    """Filters, order and page of a list of chartings."""

    search = Text(
        load_default="",
        description="Search words; each must occur in a port name, the vessel's name or IMO"
        " number, or start the charting's id; case and accents are ignored",
    )
    status = Choice(
        list(ChartingStatus),
        load_default=None,
        description="Status of the latest revision",
    )
    vessel_id = Text(data_key="vesselId", load_default=None, description="Chartings of a vessel")
    imo = _filter("imo", "Chartings of the vessel with this IMO number", longest=7)
    owner = _filter("owner", "Chartings with exactly this owner")
    triggered_by = _filter("triggeredBy", "Chartings with exactly this triggeredBy")
    departs_from = moment("startDateFrom", "Earliest departure", at_end=False)
    departs_to = moment("startDateTo", "Latest departure", at_end=True)
    created_from = moment("createdFrom", "Earliest creation time", at_end=False)
    created_to = moment("createdTo", "Latest creation time", at_end=True)
    archived = QueryFlag(
        load_default=False, description="List archived chartings instead of the others"
    )
    sort = Choice(
        list(ChartingSort),
        load_default=str(ChartingSort.NEWEST),
        description="Sort order; a minus means descending",
    )
    after = ListCursor(
        data_key="cursor",
        load_default=None,
        description="nextCursor of the previous response, with the same filters and sort; returns"
        " the next items even if chartings were added since. Instead of page",
        metadata={"type": "string", "maxLength": _LONGEST_CURSOR},
    )

    @ma.post_load
    def gather(self, data: dict[str, Any], **_ignored: Any) -> dict[str, Any]:
        """Gather the filters in one record and check the cursor."""
        names = [field.name for field in dataclass_fields(ChartingFilter)]
        wanted = ChartingFilter(**{name: data.pop(name) for name in names})
        refuse_reversed(wanted.departs_from, wanted.departs_to, "startDateFrom", "startDateTo")
        refuse_reversed(wanted.created_from, wanted.created_to, "createdFrom", "createdTo")
        order = ChartingSort(data.pop("sort")).order
        cursor = data.pop("after")
        if cursor is not None and data["page"] != 1:
            raise ma.ValidationError("Send either page or cursor.", "cursor")
        if cursor is not None and (cursor.departs_at is not None) != order.by_departure:
            raise ma.ValidationError("Not a cursor of this sort; send the same sort.", "cursor")
        return data | {"wanted": wanted, "order": order, "after": cursor}


_REVISION = QueryNumber(
    load_default=None,
    validate=validate.Range(1, 999_999_999),
    description="Revision; the latest completed one if left out",
)


class ChartingWaitQuerySchema(ma.Schema):
    """Detail and revision of a charting, and time to wait for its next status."""

    add_charting = QueryFlag(
        data_key="addCharting", load_default=True, description="Include waypoints and alternatives"
    )
    revision = _REVISION
    wait = QueryNumber(
        load_default=0,
        validate=validate.Range(0, LONGEST_WAIT_S),
        description="Longest time to wait for a change of status [s]",
    )


class RevisionQuerySchema(ma.Schema):
    """Revision of a charting."""

    revision = _REVISION


class RtzQuerySchema(RevisionQuerySchema):
    """Revision of a charting and version of the RTZ format."""

    version = Choice(RtzVersion, load_default=RtzVersion.V1_1.value, description="RTZ version")
