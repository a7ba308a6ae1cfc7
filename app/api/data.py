"""Data export and erasure, for admins."""

import hashlib
import tempfile

from flask import Response, request, send_file

from app.api import present
from app.api.conditional import check_preconditions, state_tag, tagged
from app.api.operation import ApiBlueprint, RequestContext, created, json_response, no_content
from app.api.schemas.common import list_of
from app.api.schemas.data import ErasureSchema
from app.models import Scope, utc_now
from app.services.platform import audit
from app.services.upkeep import data_export, data_subjects, erasing
from app.services.upkeep.data_export import ZIP

_FILE = {"type": "string", "format": "binary"}

blueprint = ApiBlueprint("Data", __name__, description="Exports and erasures, for admins")


@blueprint.operation("GET", "/exports/<kind>/<subject_id>", Scope.ADMIN, produces=ZIP)
@blueprint.response(200, _FILE, content_type=ZIP)
def export_data(context: RequestContext, kind: str, subject_id: str) -> Response:
    """Export all data of an organization, vessel, charting or user as a ZIP archive.

    The archive has a file of newline-delimited JSON for each table. Secrets are left out.
    """
    subject = data_subjects.find(context.session, context.organization_id, kind, subject_id)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the answer closes it when it is sent
    data_export.write(context.session, subject, utc_now(), file)
    if request.method == "GET":
        audit.record_export(context.session, context.actor, subject.kind, subject.id, ZIP)
    file.seek(0)
    tag = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0)
    response = send_file(
        file,
        mimetype=ZIP,
        as_attachment=True,
        download_name=data_export.file_name(subject),
        etag=tag,
        max_age=0,
    )
    response.call_on_close(file.close)
    return response


@blueprint.operation("GET", "/erasures", Scope.ADMIN)
@blueprint.response(200, list_of(ErasureSchema))
def list_erasures(context: RequestContext) -> Response:
    """List pending and completed erasures, newest first."""
    found = erasing.list_erasures(context.session, context.organization_id)
    return json_response(present.listed(found, ErasureSchema.write))


@blueprint.operation("POST", "/erasures/<kind>/<subject_id>", Scope.ADMIN)
@blueprint.response(201, ErasureSchema)
def request_erasure(context: RequestContext, kind: str, subject_id: str) -> Response:
    """Request the erasure of an organization, vessel, charting or user with all its data.

    The data is erased after the organization's `eraseAfterDays`. Until then an organization works
    as before; a vessel is deleted, a charting archived and a user deactivated at once.
    """
    row = erasing.request(context.session, context.actor, kind, subject_id)
    shown = ErasureSchema.write(row)
    return tagged(created(shown, f"/v1/erasures/{row.id}"), state_tag("erasure", shown))


@blueprint.operation("GET", "/erasures/<erasure_id>", Scope.ADMIN)
@blueprint.response(200, ErasureSchema)
def get_erasure(context: RequestContext, erasure_id: str) -> Response:
    """Get an erasure."""
    row = erasing.get(context.session, context.organization_id, erasure_id)
    shown = ErasureSchema.write(row)
    return tagged(json_response(shown), state_tag("erasure", shown))


@blueprint.operation("DELETE", "/erasures/<erasure_id>", Scope.ADMIN, errors=(409, 412))
@blueprint.response(204)
def take_erasure_back(context: RequestContext, erasure_id: str) -> Response:
    """Cancel an erasure before it is due; an erased vessel returns to the fleet."""
    row = erasing.get(context.session, context.organization_id, erasure_id)
    check_preconditions(state_tag("erasure", ErasureSchema.write(row)))
    erasing.take_back(context.session, context.actor, row)
    return no_content()
