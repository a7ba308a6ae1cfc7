"""Audit log."""

from typing import Any

from flask import Response

from app.api import present
from app.api.operation import ApiBlueprint, RequestContext, json_response
from app.api.schemas.audit import AuditEntrySchema
from app.api.schemas.common import PageQuerySchema, page_of
from app.models import Scope
from app.services.platform import audit

blueprint = ApiBlueprint("Audit", __name__, description="Log of changes, sign-ins and exports")


@blueprint.operation("GET", "/audit", Scope.ADMIN)
@blueprint.arguments(PageQuerySchema, location="query")
@blueprint.response(200, page_of(AuditEntrySchema))
def list_audit_entries(context: RequestContext, query: dict[str, Any]) -> Response:
    """List changes, sign-ins and exports, newest first."""
    found = audit.list_page(context.session, context.organization_id, **query)
    return json_response(present.page(found, AuditEntrySchema.write))
