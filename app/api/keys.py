"""API keys, for admins."""

from datetime import timedelta
from typing import Any

from flask import Response

from app.api import present
from app.api.conditional import check_preconditions, split_tag, tagged
from app.api.operation import ApiBlueprint, RequestContext, created, json_response, no_content
from app.api.schemas.common import list_of
from app.api.schemas.key import IssuedKeySchema, KeyRecordSchema, KeySchema, RotationSchema
from app.models import ApiKey, Role, Scope
from app.services.identity import keys
from app.services.identity.keys import IssuedKey

blueprint = ApiBlueprint("Keys", __name__, description="API keys, for admins")


@blueprint.operation("GET", "/keys", Scope.ADMIN)
@blueprint.response(200, list_of(KeyRecordSchema))
def list_keys(context: RequestContext) -> Response:
    """List the organization's keys, newest first, with expired and revoked ones."""
    found = keys.list_keys(context.session, context.organization_id)
    return json_response(present.listed(found, KeyRecordSchema.write))


@blueprint.operation("POST", "/keys", Scope.ADMIN, shown_once="secret")
@blueprint.arguments(KeySchema)
@blueprint.response(201, IssuedKeySchema)
def issue_key(context: RequestContext, body: dict[str, Any]) -> Response:
    """Issue a key; its secret is returned only once."""
    organization_id, role = context.organization_id, Role(body.pop("role"))
    if "expires_at" not in body:
        body["expires_at"] = keys.default_expiry(context.session, organization_id)
    return _issued(keys.issue(context.session, organization_id, role, **body))


@blueprint.operation("GET", "/keys/<key_id>", Scope.ADMIN)
@blueprint.response(200, KeyRecordSchema)
def get_key(context: RequestContext, key_id: str) -> Response:
    """Get a key, without its secret."""
    key = _find(context, key_id)
    return tagged(json_response(KeyRecordSchema.write(key)), *_tags(key))


@blueprint.operation("POST", "/keys/<key_id>/rotate", Scope.ADMIN, shown_once="secret")
@blueprint.arguments(RotationSchema, required=False)
@blueprint.response(201, IssuedKeySchema)
def rotate_key(context: RequestContext, body: dict[str, Any], key_id: str) -> Response:
    """Issue a replacement for a key; the old key stays valid for the overlap.

    The new key has the same name, role and lifetime. An operator's key can only be rotated from the
    command line.
    """
    overlap = timedelta(hours=body["overlap_h"])
    return _issued(keys.rotate(context.session, context.organization_id, key_id, overlap))


@blueprint.operation("DELETE", "/keys/<key_id>", Scope.ADMIN, errors=(412,))
@blueprint.response(204)
def revoke_key(context: RequestContext, key_id: str) -> Response:
    """Revoke a key at once; it remains in the list."""
    check_preconditions(_tags(_find(context, key_id))[0])
    keys.revoke(context.session, context.organization_id, key_id)
    return no_content()


def _find(context: RequestContext, key_id: str) -> ApiKey:
    return keys.get_key(context.session, context.organization_id, key_id)


def _issued(issued: IssuedKey) -> Response:
    payload = KeyRecordSchema.write(issued.key) | {"secret": issued.secret}
    return tagged(created(payload, f"/v1/keys/{issued.key.id}"), *_tags(issued.key))


def _tags(key: ApiKey) -> tuple[str, str]:
    return split_tag("key", KeyRecordSchema.write(key), "lastUsedAt")
