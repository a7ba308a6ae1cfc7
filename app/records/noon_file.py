"""A file of noon reports: what a user says of it, how it is understood, what became of it."""

from typing import Final

import marshmallow as ma
from marshmallow import fields, validate

from app.records.fields import Choice, RequestSchema, Text
from app.records.figures import count
from app.records.noon_report import LABELS

#: Faults of a file that are shown: more are usually the same one repeated.
MOST_SHOWN: Final = 100
DATE_ORDERS: Final = ("DMY", "MDY")


class ColumnChoiceSchema(RequestSchema):
    """What a column of a file is."""

    column = Text(
        required=True, longest=300, metadata={"description": "Its header as the file has it"}
    )
    field = Choice(
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
    dateOrder = Choice(
        DATE_ORDERS,
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
        validate=validate.OneOf([*DATE_ORDERS, None]),
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
        metadata={"description": f"Faults by row, at most {MOST_SHOWN}"},
    )


class NoonImportSchema(NoonPreviewSchema):
    """What became of noon reports."""

    stored = count("Reports stored")
    duplicates = count("Reports that were stored before, the same in all")
