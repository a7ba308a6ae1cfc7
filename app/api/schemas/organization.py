"""Organizations in requests and answers."""

from marshmallow import fields, validate

from app.api.schemas.fields import Flag, RequestSchema


class OrganizationSchema(RequestSchema):
    """What admins set for their organization."""

    read_only = frozenset({"id", "name", "ukcMarginM", "createdAt"})

    planners_manage_webhooks = Flag(
        data_key="plannersManageWebhooks",
        metadata={"description": "Whether planners may manage webhooks, as admins may"},
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
    createdAt = fields.DateTime(required=True, metadata={"description": "When it was made"})
