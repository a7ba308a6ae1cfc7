"""Schemas that many operations share."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.records.fields import QueryNumber
from app.records.figures import Word, count, parts, text
from app.services.platform.paging import DEFAULT_PAGE_SIZE
from app.services.problem_codes import ProblemCode


class FaultSchema(ma.Schema):
    """One thing that is wrong with a request."""

    pointer = text("JSON pointer to the place; empty for the whole")
    detail = text("What is wrong there")


class ProblemSchema(ma.Schema):
    """A problem (RFC 9457)."""

    class Meta:
        title = "Problem"

    type = fields.String(
        required=True,
        metadata={
            "description": "Where the service describes the code, as a path from its address",
            "format": "uri-reference",
        },
    )
    title = text("The status in words")
    status = fields.Integer(
        required=True,
        validate=validate.Range(400, 599),
        metadata={"description": "The status of the answer"},
    )
    detail = text("What is wrong, for people")
    instance = text("Path that was asked")
    requestId = text("Id by which the operator finds the request")
    code = Word(ProblemCode, "Stable, for programs")
    errors = fields.List(
        fields.Nested(FaultSchema), metadata={"description": "Each thing that is not valid"}
    )
    data = fields.Dict(metadata={"description": "The figures behind the detail"})


class PageQuerySchema(ma.Schema):
    """Page of a list."""

    page = QueryNumber(
        load_default=1,
        validate=validate.Range(1, 999_999_999),
        description="Page, counted from 1; one past the end is empty",
    )
    page_size = QueryNumber(
        data_key="pageSize",
        load_default=DEFAULT_PAGE_SIZE,
        validate=validate.Range(1, 200),
        description="Items per page",
    )


class OptionalPageQuerySchema(ma.Schema):
    """Page of a list that is answered whole where neither is given."""

    page = QueryNumber(
        load_default=None,
        validate=validate.Range(1, 999_999_999),
        description="Page, counted from 1; without page and pageSize the whole list",
    )
    page_size = QueryNumber(
        data_key="pageSize",
        load_default=None,
        validate=validate.Range(1, 200),
        description=f"Items per page, {DEFAULT_PAGE_SIZE} unless given",
    )


def page_of(item: type[ma.Schema]) -> type[ma.Schema]:
    """A schema for pages of ``item``."""
    name = item.__name__.removesuffix("Schema").removesuffix("Record")
    return type(
        f"{name}PageSchema",
        (ma.Schema,),
        {
            "__doc__": "One page of a list.",
            "items": _items(item, "Those of this page"),
            "page": count("This page, counted from 1", least=1),
            "pageSize": count("Items per page", least=1),
            "total": count("Items on all pages"),
            "totalPages": count("Pages there are"),
        },
    )


def list_of(item: type[ma.Schema]) -> type[ma.Schema]:
    """A schema for lists of ``item`` that have no pages."""
    name = item.__name__.removesuffix("Schema").removesuffix("Record")
    return type(
        f"{name}ListSchema",
        (ma.Schema,),
        {
            "__doc__": "A whole list.",
            "items": _items(item, "All of them"),
            "total": count("How many there are"),
        },
    )


def list_or_page_of(item: type[ma.Schema]) -> type[ma.Schema]:
    """A schema for lists of ``item`` that have pages where they are asked for."""
    whole = list_of(item)
    return type(
        whole.__name__,
        (whole,),
        {
            "__doc__": "A whole list, or the page of it that was asked for.",
            "items": _items(item, "All of them, or those of this page"),
            "page": count("This page, where one was asked for", least=1, required=False),
            "pageSize": count("Items per page, where one was asked for", least=1, required=False),
            "totalPages": count("Pages there are, where one was asked for", required=False),
        },
    )


def _items(item: type[ma.Schema], description: str) -> fields.List[Any]:
    return parts(item, description)
