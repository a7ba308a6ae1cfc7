"""Noon report files in JSON types, for the API and for pages."""

from collections.abc import Mapping
from typing import Any

from app.datasources.noon_reports.dates import DateOrder
from app.datasources.noon_reports.mapping import Choice
from app.datasources.noon_reports.reading import ASSUMED, NoonTable
from app.records.noon_file import MOST_SHOWN
from app.records.noon_report import BY_NAME
from app.services.vessels.noon_reports import Imported


def read_choices(asked: Mapping[str, Any]) -> tuple[dict[str, Choice], DateOrder | None]:
    """Read a user's column mapping and date order."""
    chosen = {each["column"]: Choice(each["field"], each["unit"]) for each in asked["mapping"]}
    order = asked["dateOrder"]
    return chosen, DateOrder(order) if order else None


def present_table(table: NoonTable) -> dict[str, Any]:
    """A table as JSON, without its reports."""
    return {
        "form": table.form,
        "rows": table.row_count,
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
        "faults": [fault._asdict() for fault in table.faults[:MOST_SHOWN]],
    }


def _assumed_unit(field: str | None) -> str | None:
    if field is None or field not in BY_NAME:
        return None
    return ASSUMED.get(field, BY_NAME[field].unit)


def present_import(imported: Imported) -> dict[str, Any]:
    """The result of an import as JSON."""
    counts = {"stored": imported.stored, "duplicates": imported.duplicates}
    return present_table(imported.table) | counts
