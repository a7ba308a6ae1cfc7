"""The organization that a key belongs to."""

from flask import Response

from app.api import present
from app.api.conditional import state_tag, tagged
from app.api.operation import ApiBlueprint, Call, json_response
from app.api.schemas.organization import OrganizationSchema
from app.services import organizations

blueprint = ApiBlueprint("Organization", __name__, description="Whose key this is")


@blueprint.operation("GET", "/organization")
@blueprint.response(200, OrganizationSchema)
def get_organization(call: Call) -> Response:
    """Tell which organization the key belongs to, and so that the key is good."""
    row = organizations.get(call.session, call.actor.organization_id)
    payload = present.organization(row)
    return tagged(json_response(payload), state_tag(payload))
