"""Constraints and client data: areas that routes avoid."""

from functools import partial
from typing import Any

from flask import Response

from app.api import present
from app.api.conditional import check_preconditions, state_tag, tagged
from app.api.operation import (
    MOST_GEOMETRY_BYTES,
    ApiBlueprint,
    RequestContext,
    created,
    json_response,
    no_content,
)
from app.api.schemas.area import (
    ClientDataListQuerySchema,
    ClientDataRecordSchema,
    ClientDataSchema,
    ConstraintListQuerySchema,
    ConstraintRecordSchema,
    ConstraintSchema,
)
from app.api.schemas.common import list_or_page_of
from app.models import AreaCollection, AreaRecord, Scope
from app.services.areas import areas
from app.services.platform.paging import DEFAULT_PAGE_SIZE, fetch_page

constraints = ApiBlueprint(
    "Constraints", __name__, description="Areas that all later chartings avoid"
)
client_data = ApiBlueprint(
    "Client Data", __name__, description="Areas that only your own organization's chartings avoid"
)

_CONSTRAINT = AreaCollection.CONSTRAINT
_CLIENT_DATA = AreaCollection.CLIENT_DATA


@constraints.operation("GET", "/constraints", Scope.READ)
@constraints.arguments(ConstraintListQuerySchema, location="query")
@constraints.response(200, list_or_page_of(ConstraintRecordSchema))
def list_constraints(context: RequestContext, query: dict[str, Any]) -> Response:
    """List your organization's and the operator's constraints, newest first.

    Without ``page`` and ``pageSize`` the whole list is returned.
    """
    return _listed(context, _CONSTRAINT, **query)


@constraints.operation("POST", "/constraints", Scope.PLAN, most_bytes=MOST_GEOMETRY_BYTES)
@constraints.arguments(ConstraintSchema)
@constraints.response(201, ConstraintRecordSchema)
def create_constraint(context: RequestContext, body: dict[str, Any]) -> Response:
    """Create a constraint; later chartings that it applies to avoid it."""
    return _created(context, _CONSTRAINT, body, "/v1/constraints")


@constraints.operation("GET", "/constraints/<constraint_id>", Scope.READ)
@constraints.response(200, ConstraintRecordSchema)
def get_constraint(context: RequestContext, constraint_id: str) -> Response:
    """Get a constraint."""
    return _shown(context, _find(context, _CONSTRAINT, constraint_id))


@constraints.operation(
    "PUT",
    "/constraints/<constraint_id>",
    Scope.PLAN,
    errors=(409, 412),
    most_bytes=MOST_GEOMETRY_BYTES,
)
@constraints.arguments(ConstraintSchema(read_back=ConstraintRecordSchema))
@constraints.response(200, ConstraintRecordSchema)
def update_constraint(
    context: RequestContext, body: dict[str, Any], constraint_id: str
) -> Response:
    """Replace a constraint; completed chartings are not affected."""
    return _updated(context, _find(context, _CONSTRAINT, constraint_id), body)


@constraints.operation("DELETE", "/constraints/<constraint_id>", Scope.PLAN, errors=(409, 412))
@constraints.response(204)
def delete_constraint(context: RequestContext, constraint_id: str) -> Response:
    """Delete a constraint; completed chartings are not affected."""
    return _deleted(context, _find(context, _CONSTRAINT, constraint_id))


@client_data.operation("GET", "/client-data", Scope.READ)
@client_data.arguments(ClientDataListQuerySchema, location="query")
@client_data.response(200, list_or_page_of(ClientDataRecordSchema))
def list_client_data(context: RequestContext, query: dict[str, Any]) -> Response:
    """List your organization's client data, newest first.

    Without ``page`` and ``pageSize`` the whole list is returned.
    """
    return _listed(context, _CLIENT_DATA, **query)


@client_data.operation("POST", "/client-data", Scope.PLAN, most_bytes=MOST_GEOMETRY_BYTES)
@client_data.arguments(ClientDataSchema)
@client_data.response(201, ClientDataRecordSchema)
def create_client_data(context: RequestContext, body: dict[str, Any]) -> Response:
    """Create a client data entry; your later chartings that it applies to avoid it."""
    return _created(context, _CLIENT_DATA, body, "/v1/client-data")


@client_data.operation("GET", "/client-data/<constraint_id>", Scope.READ)
@client_data.response(200, ClientDataRecordSchema)
def get_client_data(context: RequestContext, constraint_id: str) -> Response:
    """Get a client data entry."""
    return _shown(context, _find(context, _CLIENT_DATA, constraint_id))


@client_data.operation(
    "PUT",
    "/client-data/<constraint_id>",
    Scope.PLAN,
    errors=(409, 412),
    most_bytes=MOST_GEOMETRY_BYTES,
)
@client_data.arguments(ClientDataSchema(read_back=ClientDataRecordSchema))
@client_data.response(200, ClientDataRecordSchema)
def update_client_data(
    context: RequestContext, body: dict[str, Any], constraint_id: str
) -> Response:
    """Replace a client data entry; completed chartings are not affected."""
    return _updated(context, _find(context, _CLIENT_DATA, constraint_id), body)


@client_data.operation("DELETE", "/client-data/<constraint_id>", Scope.PLAN, errors=(409, 412))
@client_data.response(204)
def delete_client_data(context: RequestContext, constraint_id: str) -> Response:
    """Delete a client data entry; completed chartings are not affected."""
    return _deleted(context, _find(context, _CLIENT_DATA, constraint_id))


def _find(context: RequestContext, collection: AreaCollection, area_id: str) -> AreaRecord:
    return areas.get(context.session, context.organization_id, collection, area_id)


def _listed(
    context: RequestContext,
    collection: AreaCollection,
    *,
    page: int | None,
    page_size: int | None,
    **wanted: Any,
) -> Response:
    write = partial(present.area, reader=context.actor)
    query = areas.select_areas(context.organization_id, collection, **wanted)
    if page is None and page_size is None:
        return json_response(present.listed(context.session.scalars(query).all(), write))
    shown = fetch_page(context.session, query, page or 1, page_size or DEFAULT_PAGE_SIZE)
    return json_response(present.page(shown, write))


def _created(
    context: RequestContext, collection: AreaCollection, body: dict[str, Any], address: str
) -> Response:
    area = areas.create(context.session, context.actor, collection, body)
    return tagged(created(present.area(area, context.actor), f"{address}/{area.id}"), _tag(area))


def _updated(context: RequestContext, area: AreaRecord, body: dict[str, Any]) -> Response:
    areas.refuse_change(context.actor, area)
    check_preconditions(_tag(area))
    return _shown(context, areas.update(context.session, context.actor, area, body))


def _deleted(context: RequestContext, area: AreaRecord) -> Response:
    areas.refuse_change(context.actor, area)
    check_preconditions(_tag(area))
    areas.delete(context.session, context.actor, area)
    return no_content()


def _shown(context: RequestContext, area: AreaRecord) -> Response:
    return tagged(json_response(present.area(area, context.actor)), _tag(area))


def _tag(area: AreaRecord) -> str:
    return state_tag("area", area.id, area.version)
