"""Server-sent events, resumed by ``Last-Event-ID``."""

from typing import Any

from flask import Response, request

from app.api.operation import ApiBlueprint, RequestContext
from app.api.schemas.webhook import EventStreamQuerySchema
from app.api.waiting import LONGEST_WAIT_S, wait_while_unchanged
from app.models import Scope
from app.services.platform import event_stream
from app.services.platform.event_stream import MEDIA_TYPE, Place

blueprint = ApiBlueprint("Events", __name__, description="Events of chartings and voyages")

#: Time after which a client reconnects [ms].
_RETRY_MS = 1000


@blueprint.operation("GET", "/events/stream", Scope.READ, produces=MEDIA_TYPE)
@blueprint.arguments(EventStreamQuerySchema, location="query")
@blueprint.response(200, {"type": "string"}, content_type=MEDIA_TYPE)
def stream_events(context: RequestContext, query: dict[str, Any]) -> Response:
    """Stream the organization's events as server-sent events, of the kinds that webhooks carry.

    Each event has an `id`, its kind as `event` and the body of the webhook as `data`. The response
    ends with the next events, or after 30 seconds without one. A client of server-sent events then
    reconnects with the header `Last-Event-ID` and misses no event of the last 30 days. Without that
    header the response ends at once, with an `id` after which the next event follows.
    """
    named = request.headers.get("Last-Event-ID") or query["after"]
    if named is None:
        place = event_stream.find_place(context.session)
        return _answer(event_stream.write_place(place, _RETRY_MS))
    place = Place.read(named)
    found = event_stream.list_after(context.session, context.organization_id, place)
    if not found:
        wait_while_unchanged(place, LONGEST_WAIT_S)
    return _answer(event_stream.write_events(found, _RETRY_MS))


def _answer(text: str) -> Response:
    return Response(text, mimetype=MEDIA_TYPE)
