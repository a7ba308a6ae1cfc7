"""Organizations in requests and answers."""

from marshmallow import fields, validate

from app.api.schemas.fields import Flag, RequestSchema, WholeNumber
from app.services.organizations import LONGEST_KEY_LIFETIME_DAYS

_LIFETIME = "How long a key lasts unless its end is given [days]; null: for ever"


class OrganizationSchema(RequestSchema):
    """What admins set for their organization."""

    read_only = frozenset({"id", "name", "ukcMarginM", "createdAt"})

    planners_manage_webhooks = Flag(
        data_key="plannersManageWebhooks",
        metadata={"description": "Whether planners may manage webhooks, as admins may"},
    )
    key_lifetime_days = WholeNumber(
        data_key="keyLifetimeDays",
        allow_none=True,
        validate=validate.Range(1, LONGEST_KEY_LIFETIME_DAYS),
        metadata={"description": _LIFETIME},
    )


class OrganizationRecordSchema(OrganizationSchema):
    """An organization."""

    id = fields.String(
        required=True, metadata={"description": "The id that vessels and chartings call orgId"}
    )
    name = fields.String(required=True, metadata={"description": "Name"})
    ukcMarginM = fields.Float(
        required=True,
        validate=validate.Range(min=0),
        metadata={"description": "Water wanted under the keel [m]"},
    )
    planners_manage_webhooks = Flag(
        required=True,
        data_key="plannersManageWebhooks",
        metadata={"description": "Whether planners may manage webhooks, as admins may"},
    )
    key_lifetime_days = WholeNumber(
        required=True,
        data_key="keyLifetimeDays",
        allow_none=True,
        validate=validate.Range(1, LONGEST_KEY_LIFETIME_DAYS),
        metadata={"description": _LIFETIME},
    )
    createdAt = fields.DateTime(required=True, metadata={"description": "When it was made"})
