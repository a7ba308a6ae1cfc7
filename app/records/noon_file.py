"""Noon report files: column mapping, preview, and result of an import."""

from enum import StrEnum
from typing import Final

import marshmallow as ma
from marshmallow import fields, validate

from app.records.fault import FaultSchema
from app.records.fields import OPTIONAL, Choice, RequestSchema, Text
from app.records.figures import (
    Word,
    count,
    figure,
    flag,
    instant,
    kept,
    listed,
    parts,
    text,
    texts,
)
from app.records.noon_report import LABELS
from app.records.record import Record

#: Largest number of listed faults of a file: more usually repeat the same fault.
MOST_SHOWN: Final = 100
DATE_ORDERS: Final = ("DMY", "MDY")


class ImportFailure(StrEnum):
    """Reason for which a file was not imported."""

    INVALID_FILE = "INVALID_FILE"
    REFUSED = "REFUSED"
    TIMEOUT = "TIMEOUT"
    INTERNAL = "INTERNAL"


class ColumnChoiceSchema(RequestSchema):
    """Meaning of a column of a file."""

    column = Text(required=True, longest=300, description="Header of the column, as in the file")
    field = Choice(
        sorted(LABELS), **OPTIONAL, description="The field of a noon report; null: left out"
    )
    unit = Text(
        longest=20,
        **OPTIONAL,
        description="Unit of the column, such as kn, km/h, mt/day, kg; null: that of the header",
    )


class FileChoiceSchema(RequestSchema):
    """Settings of a user for a file."""

    mapping = parts(
        ColumnChoiceSchema,
        "Columns whose field or unit differs from their header",
        load_default=[],
        validate=validate.Length(max=300),
    )
    dateOrder = Choice(
        DATE_ORDERS,
        **OPTIONAL,
        description="Order of day and month in dates such as 03/04/2026; null: found from the"
        " whole column",
    )


class ColumnSchema(ma.Schema):
    """A column of a file as it is understood."""

    class Meta:
        title = "NoonColumn"

    column = text("Header of the column")
    field = text("Field of the noon report, or null", allow_none=True)
    unit = text("Unit of the values, in UDUNITS notation", allow_none=True)
    isUnitAssumed = flag("Neither the header nor the request names a unit")
    samples = texts("First values of the column")
    fault = text("Fault of the choice of field or unit; null if none", allow_none=True)
    remark = text(
        "Reason for which the column is left out, or an assumption about it; null if none",
        allow_none=True,
    )


class RowFaultSchema(ma.Schema):
    """A fault of a cell of a file."""

    row = count("Row as the spreadsheet counts it, or item of the list from 1", least=1)
    column = text("Header, or name of the field")
    value = text("Content of the cell")
    detail = text("Fault and what would be right")


class NoonPreviewSchema(ma.Schema):
    """A file of noon reports as it is understood."""

    form = text("Format in which the file was read")
    rows = count("Rows read")
    goodRows = count("Rows without a fault")
    dateOrder = text(
        "Order of day and month, where dates are written in numbers",
        allow_none=True,
        validate=validate.OneOf([*DATE_ORDERS, None]),
    )
    columns = parts(ColumnSchema, "Its columns")
    missing = listed(
        fields.List(fields.String()), "Fields of which a column is needed: one of each list"
    )
    faultCount = count("Faults in all")
    faults = parts(RowFaultSchema, f"Faults by row, at most {MOST_SHOWN}")


class NoonImportFailureSchema(ma.Schema):
    """Reason for which a file was not imported."""

    code = Word(
        ImportFailure,
        "INVALID_FILE: the file is at fault; REFUSED: the vessel may not have so many reports, or"
        " is gone; TIMEOUT: it took longer than its worker may; INTERNAL: the service's own fault,"
        " or its worker died three times",
    )
    detail = text("Reason in words")
    errors = parts(
        FaultSchema,
        "Faults of the file, at most 100; pointers are /rows/ROW/COLUMN",
        required=False,
    )


class NoonImportSchema(NoonPreviewSchema):
    """Result of an import of noon reports."""

    stored = count("Reports stored")
    duplicates = count("Reports that were stored before, the same in all")


class NoonImportRunSchema(Record):
    """An import in the background."""

    id = text("Its id")
    vesselId = text("The vessel")
    status = Word(
        ("QUEUED", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"),
        "QUEUED, RUNNING: not finished; FAILED, CANCELLED: nothing is stored",
        attribute="status",
    )
    progress = figure("Share of the import that is done", 3, greatest=1.0)
    stage = text("Present step; null unless RUNNING", allow_none=True)
    failure = kept(
        NoonImportFailureSchema,
        "Reason of the failure; null unless FAILED",
        required=False,
        allow_none=True,
    )
    createdAt = instant("Time of the request")
    createdBy = text("User or key that requested it")
    finishedAt = instant("Time of the end; null before it", allow_none=True)
    result = kept(
        NoonImportSchema,
        "Counts of the import; null unless COMPLETED",
        required=False,
        allow_none=True,
    )
