"""Vessel positions from AIS and from logs of NMEA 0183 sentences."""

from typing import Any, Final

from flask import Response, request
from werkzeug.exceptions import UnsupportedMediaType

from app.api import present
from app.api.operation import ApiBlueprint, RequestContext, json_response
from app.api.parsing import read_body
from app.api.schemas.ais import AisPositionSchema, AisReportSchema
from app.api.schemas.common import page_of
from app.api.schemas.telemetry import TelemetryQuerySchema
from app.api.vessels import find_vessel
from app.config import MAX_BODY_BYTES
from app.datasources.nmea import read_positions
from app.models import Scope, Vessel, utc_now
from app.services.errors import Invalid
from app.services.vessels import ais

blueprint = ApiBlueprint("AIS", __name__, description="Vessel positions from AIS")

#: Lines that one request may have; this many take some seconds to read.
MOST_LINES: Final = 50_000
_TEXT: Final = "text/plain"
_SENTENCES: Final = {
    "required": True,
    "content": {
        _TEXT: {
            "schema": {
                "type": "string",
                "description": "NMEA 0183 sentences, one per line: VDM and VDO of AIS, RMC, ZDA",
            }
        }
    },
}


@blueprint.operation("GET", "/telemetry/<vessel_id>/ais", Scope.READ)
@blueprint.arguments(TelemetryQuerySchema, location="query")
@blueprint.response(200, page_of(AisPositionSchema))
def list_ais_positions(context: RequestContext, query: dict[str, Any], vessel_id: str) -> Response:
    """List a vessel's AIS positions in a time range, oldest first."""
    vessel = find_vessel(context, vessel_id)
    found = ais.list_page(context.session, vessel, **query)
    return json_response(present.page(found, AisPositionSchema.write))


@blueprint.operation(
    "POST", "/telemetry/<vessel_id>/ais", Scope.TELEMETRY, most_bytes=MAX_BODY_BYTES
)
@blueprint.doc(requestBody=_SENTENCES)
@blueprint.response(200, AisReportSchema)
def import_ais_positions(context: RequestContext, vessel_id: str) -> Response:
    """Import a vessel's positions from NMEA 0183 sentences, up to 50,000 lines.

    AIS messages are matched to the vessel by MMSI; those of other ships are ignored. RMC sentences
    are taken as the vessel's own, also where it has no MMSI. The time of a line is taken from its
    tag block (c:), from a Unix or ISO 8601 time before or after the sentence, or from the last RMC
    or ZDA before it.
    """
    vessel = find_vessel(context, vessel_id)
    fleet: dict[str | None, Vessel] = {None: vessel}
    if vessel.mmsi is not None:
        fleet[vessel.mmsi] = vessel
    found = read_positions(_read_lines())
    received = ais.store(context.session, context.organization_id, fleet, found, utc_now())
    return json_response(AisReportSchema.write(received))


def _read_lines() -> list[bytes]:
    if request.mimetype != _TEXT:
        raise UnsupportedMediaType(f"Send {_TEXT}.")
    lines = read_body(request).splitlines()
    if len(lines) > MOST_LINES:
        detail = f"The file has {len(lines):,} lines; send at most {MOST_LINES:,}."
        raise Invalid.at("", detail)
    return lines
