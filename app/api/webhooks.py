"""Webhooks, for admins and for planners if their organization allows it."""

from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Any

from flask import Response

from app.api import present
from app.api.conditional import check_preconditions, split_tag, tagged
from app.api.describing import describe_callback
from app.api.operation import ApiBlueprint, RequestContext, created, json_response, no_content
from app.api.schemas.common import PageQuerySchema, list_of, page_of
from app.api.schemas.key import RotationSchema
from app.api.schemas.webhook import (
    RevealedWebhookSchema,
    WebhookDeliverySchema,
    WebhookEventSchema,
    WebhookRecordSchema,
    WebhookSchema,
    WebhookUpdateSchema,
)
from app.models import Role, Scope, WebhookEndpoint
from app.services.platform.ids import lock_row
from app.services.webhooks import webhook_dispatch, webhook_endpoints

DESCRIPTION = (
    "Endpoints that receive events. Admins manage webhooks; planners may too if the organization's"
    " `plannersManageWebhooks` is true."
)

blueprint = ApiBlueprint("Webhooks", __name__, description=DESCRIPTION)
_operation = partial(
    blueprint.operation,
    scope=Scope.ADMIN,
    role=Role.PLANNER,
    role_text="admin, or planner if the organization's `plannersManageWebhooks` is true,",
)


@_operation("GET", "/webhooks")
@blueprint.response(200, list_of(WebhookRecordSchema))
def list_webhooks(context: RequestContext) -> Response:
    """List the organization's webhooks, newest first."""
    found = webhook_endpoints.list_endpoints(context.session, context.actor)
    return json_response(present.listed(found, WebhookRecordSchema.write))


@_operation("POST", "/webhooks", shown_once="secret")
@blueprint.arguments(WebhookSchema)
@blueprint.response(201, RevealedWebhookSchema)
@blueprint.doc(callbacks={"event": describe_callback(WebhookEventSchema)})
def create_webhook(context: RequestContext, body: dict[str, Any]) -> Response:
    """Register a webhook; its secret is returned only once."""
    revealed = webhook_endpoints.create(context.session, context.actor, body)
    row = revealed.endpoint
    payload = WebhookRecordSchema.write(row) | {"secret": revealed.secret}
    return tagged(created(payload, f"/v1/webhooks/{row.id}"), *_tags(row))


@_operation("GET", "/webhooks/<webhook_id>")
@blueprint.response(200, WebhookRecordSchema)
def get_webhook(context: RequestContext, webhook_id: str) -> Response:
    """Get a webhook, without its secret."""
    return _shown(_find(context, webhook_id))


@_operation("PUT", "/webhooks/<webhook_id>", errors=(412,))
@blueprint.arguments(WebhookUpdateSchema(read_back=WebhookRecordSchema))
@blueprint.response(200, WebhookRecordSchema)
def update_webhook(context: RequestContext, body: dict[str, Any], webhook_id: str) -> Response:
    """Change a webhook, which ends a pause.

    Switching it on or changing its URL clears its failure state.
    """
    row = _find_matching(context, webhook_id)
    return _shown(webhook_endpoints.change(context.session, row, body))


@_operation("DELETE", "/webhooks/<webhook_id>", errors=(412,))
@blueprint.response(204)
def delete_webhook(context: RequestContext, webhook_id: str) -> Response:
    """Delete a webhook and its delivery log."""
    row = _find_matching(context, webhook_id)
    webhook_endpoints.delete(context.session, row)
    return no_content()


@_operation("POST", "/webhooks/<webhook_id>/rotate", shown_once="secret")
@blueprint.arguments(RotationSchema, required=False)
@blueprint.response(200, RevealedWebhookSchema)
def rotate_webhook_secret(
    context: RequestContext, body: dict[str, Any], webhook_id: str
) -> Response:
    """Issue a new secret; deliveries carry both signatures during the overlap.

    While the previous secret still signs, only a rotation without overlap is possible (409). It
    ends both secrets at once.
    """
    overlap = timedelta(hours=body["overlap_h"])
    revealed = webhook_endpoints.rotate(context.session, _find(context, webhook_id), overlap)
    row = revealed.endpoint
    return tagged(
        json_response(WebhookRecordSchema.write(row) | {"secret": revealed.secret}), *_tags(row)
    )


@_operation("POST", "/webhooks/<webhook_id>/test")
@blueprint.response(202, WebhookDeliverySchema)
def send_webhook_test(context: RequestContext, webhook_id: str) -> Response:
    """Send a webhook.test event once; its result is listed with the deliveries."""
    delivery = webhook_dispatch.send_test(context.session, _find(context, webhook_id))
    return json_response(WebhookDeliverySchema.write(delivery), HTTPStatus.ACCEPTED)


@_operation("GET", "/webhooks/<webhook_id>/deliveries")
@blueprint.arguments(PageQuerySchema, location="query")
@blueprint.response(200, page_of(WebhookDeliverySchema))
def list_webhook_deliveries(
    context: RequestContext, query: dict[str, Any], webhook_id: str
) -> Response:
    """List deliveries of the last 30 days with all attempts, newest first."""
    found = webhook_dispatch.list_page(context.session, _find(context, webhook_id), **query)
    return json_response(present.page(found, WebhookDeliverySchema.write))


@_operation("POST", "/webhooks/<webhook_id>/deliveries/<delivery_id>/redeliver")
@blueprint.response(202, WebhookDeliverySchema)
def redeliver_webhook(context: RequestContext, webhook_id: str, delivery_id: str) -> Response:
    """Send a delivery again that was given up, under the same webhook-id."""
    endpoint = _find(context, webhook_id)
    delivery = webhook_dispatch.redeliver(context.session, endpoint, delivery_id)
    return json_response(WebhookDeliverySchema.write(delivery), HTTPStatus.ACCEPTED)


def _find(context: RequestContext, webhook_id: str) -> WebhookEndpoint:
    return webhook_endpoints.get(context.session, context.actor, webhook_id)


def _find_matching(context: RequestContext, webhook_id: str) -> WebhookEndpoint:
    """Lock and return a webhook.

    Raises :class:`PreconditionFailed` if ``If-Match`` has another state.
    """
    row = _find(context, webhook_id)
    lock_row(context.session, row, "webhook")
    check_preconditions(_tags(row)[0])
    return row


def _shown(row: WebhookEndpoint) -> Response:
    return tagged(json_response(WebhookRecordSchema.write(row)), *_tags(row))


def _tags(row: WebhookEndpoint) -> tuple[str, str]:
    return split_tag("webhook", WebhookRecordSchema.write(row), "failingSince", "pausedUntil")
