"""Schemas that many operations share."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.fields import QueryNumber


class FaultSchema(ma.Schema):
    """One thing that is wrong with a request."""

    pointer = fields.String(
        required=True, metadata={"description": "JSON pointer to the place; empty for the whole"}
    )
    detail = fields.String(required=True)


class ProblemSchema(ma.Schema):
    """A problem (RFC 9457)."""

    class Meta:
        title = "Problem"

    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True)
    instance = fields.String(required=True)
    requestId = fields.String(required=True)
    code = fields.String(required=True, metadata={"description": "Stable, for programs"})
    errors = fields.List(fields.Nested(FaultSchema))
    data = fields.Dict(metadata={"description": "The figures behind the detail"})


class PageQuerySchema(ma.Schema):
    """Which page of a list."""

    page = QueryNumber(
        load_default=1,
        validate=validate.Range(1, 999_999_999),
        metadata={"description": "Page, counted from 1; one past the end is empty"},
    )
    page_size = QueryNumber(
        data_key="pageSize",
        load_default=20,
        validate=validate.Range(1, 200),
        metadata={"description": "Items per page"},
    )


def page_of(item: type[ma.Schema]) -> type[ma.Schema]:
    """A schema for pages of ``item``."""
    count: dict[str, Any] = {"required": True, "validate": validate.Range(min=0)}
    name = item.__name__.removesuffix("Schema").removesuffix("Record")
    return type(
        f"{name}PageSchema",
        (ma.Schema,),
        {
            "__doc__": "One page of a list.",
            "items": fields.List(fields.Nested(item), required=True),
            "page": fields.Integer(**count),
            "pageSize": fields.Integer(**count),
            "total": fields.Integer(**count),
            "totalPages": fields.Integer(**count),
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
            "items": fields.List(fields.Nested(item), required=True),
            "total": fields.Integer(required=True, validate=validate.Range(min=0)),
        },
    )
