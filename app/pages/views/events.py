"""Server-sent events for open pages, resumed by ``Last-Event-ID``."""

from flask import Response, request

from app.pages.blueprint import pages
from app.pages.web.access import organization_id
from app.pages.web.own import own_session
from app.services.platform import event_stream
from app.services.platform.event_stream import MEDIA_TYPE, Place

#: Time after which a page reconnects [ms]; no thread waits meanwhile.
_RETRY_MS = 5000


@pages.get("/events")
def events() -> Response:
    """Return the events since the last one that the page has received."""
    named = request.headers.get("Last-Event-ID")
    with own_session() as session:
        if named is None:
            text = event_stream.write_place(event_stream.find_place(session), _RETRY_MS)
        else:
            found = event_stream.list_after(session, organization_id(), Place.read(named))
            text = event_stream.write_events(found, _RETRY_MS)
    return Response(text, mimetype=MEDIA_TYPE, headers={"Cache-Control": "no-store"})
