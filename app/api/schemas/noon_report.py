"""Noon reports in requests and answers."""

import marshmallow as ma

from app.api.schemas.telemetry import TelemetryQuerySchema
from app.records.fields import QueryFlag
from app.records.figures import count

NoonReportQuerySchema = TelemetryQuerySchema


class ImportQuerySchema(ma.Schema):
    """What becomes of good rows when others are at fault."""

    keep_good_rows = QueryFlag(
        data_key="keepGoodRows",
        load_default=False,
        description="Store the good rows; otherwise any fault refuses all",
    )


class DeletedSchema(ma.Schema):
    """How many there were."""

    class Meta:
        title = "DeletedNoonReports"

    deleted = count("Reports deleted")
