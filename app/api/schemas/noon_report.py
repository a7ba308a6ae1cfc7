"""Noon reports in requests and responses."""

import marshmallow as ma

from app.records.fields import QueryFlag
from app.records.figures import count


class ImportQuerySchema(ma.Schema):
    """Options of an import of noon reports."""

    keep_good_rows = QueryFlag(
        data_key="keepGoodRows",
        load_default=False,
        description="Store the valid rows even if others have errors",
    )


class DeletedSchema(ma.Schema):
    """Number of deleted noon reports."""

    class Meta:
        title = "DeletedNoonReports"

    deleted = count("Reports deleted")
