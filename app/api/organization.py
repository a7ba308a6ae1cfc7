"""Organization of a key, and its audit log."""

from typing import Any

from flask import Response

from app.api import present
from app.api.conditional import check_preconditions, state_tag, tagged
from app.api.operation import ApiBlueprint, RequestContext, json_response
from app.api.schemas.audit import AuditEntrySchema
from app.api.schemas.common import PageQuerySchema, page_of
from app.api.schemas.organization import OrganizationRecordSchema, OrganizationSchema, UsageSchema
from app.models import Organization, Scope
from app.services.identity import organizations
from app.services.platform import audit, quotas
from app.services.platform.ids import lock_row

blueprint = ApiBlueprint("Organization", __name__, description="Your organization and its usage")
audit_log = ApiBlueprint("Audit", __name__, description="Log of changes, sign-ins and exports")


@blueprint.operation("GET", "/organization", None)
@blueprint.response(200, OrganizationRecordSchema)
def get_organization(context: RequestContext) -> Response:
    """Get the organization of the key; useful to check a key."""
    return _shown(organizations.get(context.session, context.organization_id))


@blueprint.operation("PATCH", "/organization", Scope.ADMIN, errors=(412,))
@blueprint.arguments(OrganizationSchema.of_changes(OrganizationRecordSchema))
@blueprint.response(200, OrganizationRecordSchema)
def patch_organization(context: RequestContext, body: dict[str, Any]) -> Response:
    """Change the given settings of the organization."""
    row = organizations.get(context.session, context.organization_id)
    lock_row(context.session, row, "organization")
    check_preconditions(_tag(row))
    return _shown(organizations.change(context.session, row.id, body))


@blueprint.operation("GET", "/organization/usage", Scope.READ)
@blueprint.response(200, UsageSchema)
def get_usage(context: RequestContext) -> Response:
    """Get the organization's usage and its limits."""
    found = quotas.describe(context.session, context.organization_id)
    return json_response(UsageSchema.write(found))


@audit_log.operation("GET", "/audit", Scope.ADMIN)
@audit_log.arguments(PageQuerySchema, location="query")
@audit_log.response(200, page_of(AuditEntrySchema))
def list_audit_entries(context: RequestContext, query: dict[str, Any]) -> Response:
    """List changes, sign-ins and exports, newest first."""
    found = audit.list_page(context.session, context.organization_id, **query)
    return json_response(present.page(found, AuditEntrySchema.write))


def _shown(row: Organization) -> Response:
    return tagged(json_response(OrganizationRecordSchema.write(row)), _tag(row))


def _tag(row: Organization) -> str:
    return state_tag(OrganizationRecordSchema.write(row))
