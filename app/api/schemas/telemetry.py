"""Telemetry in requests and responses."""

from typing import Any

import marshmallow as ma
from marshmallow import validate

from app.api.schemas.common import PageQuerySchema, items_per_page
from app.models import utc_now
from app.records.fault import FaultSchema
from app.records.fields import OPTIONAL, Instant, RequestSchema, moment, number_of
from app.records.figures import count, instant, parts, text
from app.records.record import Record
from app.services.vessels.telemetry_batch import LineStatus, decode_record
from app.services.vessels.telemetry_fields import (
    COLUMNS,
    FIELDS,
    find_time_fault,
    to_millisecond,
)


class _TelemetryTimes(RequestSchema):
    """Time of a record, and checks of the record as a whole."""

    timestamp = Instant(
        required=True,
        description="Time, stored to the millisecond; at most 5 min in the future",
    )

    @ma.post_load
    def keep(self, data: dict[str, Any], **_ignored: Any) -> dict[str, Any]:
        """Truncate the time to the millisecond and check it."""
        instant = to_millisecond(data["timestamp"])
        fault = find_time_fault(instant, utc_now())
        if fault is not None:
            raise ma.ValidationError(fault, "timestamp")
        return data | {"timestamp": instant}


_Numbers: Any = _TelemetryTimes.from_dict(
    {
        f.name: number_of(
            f.name,
            f.column,
            f.description,
            f.least,
            f.greatest,
            **({"required": True} if f.is_required else OPTIONAL),
        )
        for f in FIELDS
    }
)


class TelemetrySchema(_Numbers):  # type: ignore[misc]
    """Telemetry record of a ship at one time."""

    @classmethod
    def decode(cls, body: bytes) -> dict[str, Any] | None:
        """Read a record in compiled code; return ``None`` if the schema has to check it."""
        values = decode_record(body, utc_now())
        return None if values is None else dict(zip(COLUMNS, values, strict=True))


class TelemetryRecordSchema(TelemetrySchema, Record):
    """A stored telemetry record."""

    vesselId = text("Id of the vessel", required=False, dump_only=True)
    receivedAt = instant("Time of storage", required=False, dump_only=True)


class PeriodQuerySchema(ma.Schema):
    """A time range, both ends included."""

    since = moment("from", "Start of the range, inclusive", at_end=False)
    until = moment("to", "End of the range, inclusive", at_end=True)


class TelemetryQuerySchema(PeriodQuerySchema, PageQuerySchema):
    """Time range and page of records."""

    page_size = items_per_page(100, most=1000)


class LineReportSchema(Record):
    """Result of one line of a batch."""

    left_out_empty = frozenset({"errors"})

    line = count("Number of the line or item, from 1; blank lines are counted, too", least=1)
    status = text("Result", validate=validate.OneOf([*LineStatus]))
    errors = parts(
        FaultSchema, "Errors, with JSON pointers into the line", required=False, attribute="faults"
    )


class BatchReportSchema(ma.Schema):
    """Result of a batch."""

    stored = count("Lines stored")
    duplicates = count("Lines already stored")
    rejected = count("Lines that are invalid or conflict with a stored record")
    items = parts(LineReportSchema, "Result of each line")
