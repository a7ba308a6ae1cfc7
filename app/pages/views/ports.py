"""Port search for the planning form."""

from flask import request
from flask.typing import ResponseReturnValue

from app.datasources.port_search import find_other_name, find_similar_ports, search_ports
from app.pages.blueprint import answer_json, pages

_MOST = 8
_SHORTEST = 2


@pages.get("/ports")
def ports() -> ResponseReturnValue:
    """Return ports whose names begin with the typed text, best match first; else similar ones."""
    typed = request.args.get("search", "").strip()
    found = search_ports(typed, _MOST) if len(typed) >= _SHORTEST else []
    similar = [] if found else find_similar_ports(typed, _MOST)
    return answer_json(
        isSimilar=bool(similar),
        items=[
            {
                "name": port.name,
                "otherName": find_other_name(port, typed),
                "locode": port.locode,
                "country": port.country,
                "lat": port.position.lat,
                "lng": port.position.lng,
            }
            for port in found or similar
        ],
    )
