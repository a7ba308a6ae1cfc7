"""Organizations in answers."""

import marshmallow as ma
from marshmallow import fields


class OrganizationSchema(ma.Schema):
    """An organization."""

    id = fields.String(
        required=True, metadata={"description": "The id that vessels and chartings call orgId"}
    )
    name = fields.String(required=True)
    ukcMarginM = fields.Float(
        required=True, metadata={"description": "Water wanted under the keel [m]"}
    )
    createdAt = fields.DateTime(required=True)
