"""Noon reports in requests and answers."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.telemetry import TelemetryQuerySchema
from app.datasources.noon_reports import Choice, DateOrder, NoonTable
from app.datasources.noon_reports.reading import ASSUMED
from app.records.fields import Choice as ChoiceField
from app.records.fields import QueryFlag, RequestSchema, Text
from app.records.figures import count
from app.records.noon_report import BY_NAME, LABELS
from app.services.errors import MOST_FAULTS
from app.services.vessels.noon_reports import Imported

NoonReportQuerySchema = TelemetryQuerySchema


class ImportQuerySchema(ma.Schema):
    """What becomes of good rows when others are at fault."""

    keep_good_rows = QueryFlag(
        data_key="keepGoodRows",
        load_default=False,
        metadata={"description": "Store the good rows; otherwise any fault refuses all"},
    )


class ColumnChoiceSchema(RequestSchema):
    """What a column of a file is."""

    column = Text(
        required=True, longest=300, metadata={"description": "Its header as the file has it"}
    )
    field = ChoiceField(
        sorted(LABELS),
        allow_none=True,
        load_default=None,
        metadata={"description": "The field of a noon report; null: left out"},
    )
    unit = Text(
        longest=20,
        allow_none=True,
        load_default=None,
        metadata={
            "description": "Its unit, such as kn, km/h, mt/day, kg; null: as the header says"
        },
    )


class FileChoiceSchema(RequestSchema):
    """What a user says of a file."""

    mapping = fields.List(
        fields.Nested(ColumnChoiceSchema),
        load_default=[],
        validate=validate.Length(max=300),
        metadata={"description": "Columns that are not what their headers say"},
    )
    dateOrder = ChoiceField(
        list(DateOrder),
        allow_none=True,
        load_default=None,
        metadata={"description": "Of dates such as 03/04/2026; null: the whole column decides"},
    )


class ColumnSchema(ma.Schema):
    """A column of a file as it is understood."""

    class Meta:
        title = "NoonColumn"

    column = fields.String(required=True, metadata={"description": "Its header"})
    field = fields.String(
        required=True, allow_none=True, metadata={"description": "The field that it is, or null"}
    )
    unit = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The unit it is taken in, as UDUNITS writes it"},
    )
    isUnitAssumed = fields.Boolean(
        required=True, metadata={"description": "Neither the header nor the request names a unit"}
    )
    samples = fields.List(
        fields.String(), required=True, metadata={"description": "Its first values"}
    )
    fault = fields.String(
        required=True, allow_none=True, metadata={"description": "What is wrong with the choice"}
    )


class RowFaultSchema(ma.Schema):
    """What is wrong with a cell of a file."""

    row = count("Row as the spreadsheet counts it, or item of the list from 1", least=1)
    column = fields.String(required=True, metadata={"description": "Header, or name of the field"})
    value = fields.String(required=True, metadata={"description": "What stands there"})
    detail = fields.String(required=True, metadata={"description": "Why, and what is right"})


class NoonPreviewSchema(ma.Schema):
    """A file of noon reports as it is understood."""

    form = fields.String(required=True, metadata={"description": "How the file was read"})
    rows = count("Rows read")
    goodRows = count("Rows without a fault")
    dateOrder = fields.String(
        required=True,
        allow_none=True,
        validate=validate.OneOf([*DateOrder, None]),
        metadata={"description": "Order of day and month, where dates are written in numbers"},
    )
    columns = fields.List(
        fields.Nested(ColumnSchema), required=True, metadata={"description": "Its columns"}
    )
    missing = fields.List(
        fields.List(fields.String()),
        required=True,
        metadata={"description": "Fields of which a column is needed: one of each list"},
    )
    faultCount = count("Faults in all")
    faults = fields.List(
        fields.Nested(RowFaultSchema),
        required=True,
        metadata={"description": f"Faults by row, at most {MOST_FAULTS}"},
    )


class NoonImportSchema(NoonPreviewSchema):
    """What became of noon reports."""

    stored = count("Reports stored")
    duplicates = count("Reports that were stored before, the same in all")


class DeletedSchema(ma.Schema):
    """How many there were."""

    class Meta:
        title = "DeletedNoonReports"

    deleted = count("Reports deleted")


def read_choices(asked: dict[str, Any]) -> tuple[dict[str, Choice], DateOrder | None]:
    """What a user says of a file, for the reader of it."""
    chosen = {each["column"]: Choice(each["field"], each["unit"]) for each in asked["mapping"]}
    order = asked["dateOrder"]
    return chosen, DateOrder(order) if order else None


def present_table(table: NoonTable) -> dict[str, Any]:
    """A table as JSON, without its reports."""
    return {
        "form": table.form,
        "rows": len(table.rows),
        "goodRows": len(table.good),
        "dateOrder": table.order,
        "columns": [
            {
                "column": column.header,
                "field": column.field,
                "unit": column.unit or _assumed_unit(column.field),
                "isUnitAssumed": column.field in BY_NAME and column.unit is None,
                "samples": list(table.samples.get(column.header, ())),
                "fault": column.fault,
            }
            for column in table.columns
        ],
        "missing": [list(choices) for choices in table.missing],
        "faultCount": len(table.faults),
        "faults": [fault._asdict() for fault in table.faults[:MOST_FAULTS]],
    }


def _assumed_unit(field: str | None) -> str | None:
    if field is None or field not in BY_NAME:
        return None
    return ASSUMED.get(field, BY_NAME[field].unit)


def present_import(imported: Imported) -> dict[str, Any]:
    """What became of a table as JSON."""
    counts = {"stored": imported.stored, "duplicates": imported.duplicates}
    return present_table(imported.table) | counts
