"""Schemas shared by several operations."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.records.fault import FaultSchema
from app.records.fields import QueryNumber
from app.records.figures import Word, count, mapped, parts, text
from app.services.platform.paging import DEFAULT_PAGE_SIZE
from app.services.problem_codes import ProblemCode


class ProblemSchema(ma.Schema):
    """A problem (RFC 9457)."""

    class Meta:
        title = "Problem"

    type = fields.String(
        required=True,
        metadata={
            "description": "Path of the page that describes the code",
            "format": "uri-reference",
        },
    )
    title = text("Name of the HTTP status")
    status = fields.Integer(
        required=True,
        validate=validate.Range(400, 599),
        metadata={"description": "HTTP status"},
    )
    detail = text("Explanation, for people")
    instance = text("Path of the request")
    requestId = text("Id of the request, for the operator")
    code = Word(ProblemCode, "Stable code, for programs")
    errors = parts(FaultSchema, "Errors by field", required=False)
    data = mapped("Values behind the detail", required=False)


def _page(default: int | None, description: str) -> QueryNumber:
    limits = validate.Range(1, 999_999_999)
    return QueryNumber(load_default=default, validate=limits, description=description)


def items_per_page(
    default: int | None, most: int = 200, description: str = "Items per page"
) -> QueryNumber:
    """Return a query parameter for the number of items per page."""
    limits = validate.Range(1, most)
    return QueryNumber(
        data_key="pageSize", load_default=default, validate=limits, description=description
    )


class PageQuerySchema(ma.Schema):
    """Page number and size."""

    page = _page(1, "Page number, from 1; a page past the end is empty")
    page_size = items_per_page(DEFAULT_PAGE_SIZE)


class OptionalPageQuerySchema(ma.Schema):
    """Optional page number and size; without them a list is returned whole."""

    page = _page(None, "Page number, from 1; without page and pageSize the whole list")
    page_size = items_per_page(None, description=f"Items per page; default {DEFAULT_PAGE_SIZE}")


def _derive(
    item: type[ma.Schema], kind: str, doc: str, **declared: fields.Field[Any]
) -> type[ma.Schema]:
    name = item.__name__.removesuffix("Schema").removesuffix("Record")
    return type(f"{name}{kind}Schema", (ma.Schema,), {"__doc__": doc, **declared})


def page_of(item: type[ma.Schema]) -> type[ma.Schema]:
    """Return a schema for pages of ``item``."""
    return _derive(
        item,
        "Page",
        "A page of a list.",
        items=parts(item, "Items of this page"),
        page=count("Page number, from 1", least=1),
        pageSize=count("Items per page", least=1),
        total=count("Number of items on all pages"),
        totalPages=count("Number of pages"),
    )


def list_of(item: type[ma.Schema]) -> type[ma.Schema]:
    """Return a schema for lists of ``item`` without pages."""
    return _derive(
        item,
        "List",
        "A whole list.",
        items=parts(item, "All items"),
        total=count("Number of items"),
    )


def list_or_page_of(item: type[ma.Schema]) -> type[ma.Schema]:
    """Return a schema for lists of ``item`` with optional pages."""
    return _derive(
        item,
        "List",
        "A whole list, or the requested page of it.",
        items=parts(item, "All items, or those of the page"),
        total=count("Number of items"),
        page=count("Page number, if a page was requested", least=1, required=False),
        pageSize=count("Items per page, if a page was requested", least=1, required=False),
        totalPages=count("Number of pages, if a page was requested", required=False),
    )
