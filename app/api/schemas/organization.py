"""Organizations in answers."""

import marshmallow as ma
from marshmallow import fields, validate


class OrganizationSchema(ma.Schema):
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
    createdAt = fields.DateTime(required=True, metadata={"description": "When it was made"})
