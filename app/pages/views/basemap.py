"""Tiles of the base map, for signed-in users because making one takes up to a second."""

from pathlib import Path

from flask import Response, abort, current_app, request

from app.pages.blueprint import pages
from app.services.sea import basemap

_YEAR_S = 365 * 24 * 3600


def tiles_folder() -> Path:
    """Return the folder of built tiles."""
    return Path(current_app.root_path).parent / "var" / "basemap"


@pages.get("/basemap/<version>/<int:z>/<int:x>/<int:y>")
def basemap_tile(version: str, z: int, x: int, y: int) -> Response:
    """Return a tile of coast and depth.

    Its address has a version, so that browsers may cache it for a year.
    """
    if version != basemap.VERSION:
        abort(404)
    try:
        packed = basemap.get_tile(tiles_folder(), z, x, y)
    except basemap.NoSuchTile:
        abort(404)
    response = Response(packed, mimetype="application/json")
    response.content_encoding = "gzip"
    response.cache_control.max_age = _YEAR_S
    response.cache_control.private = True
    response.cache_control.immutable = True
    response.set_etag(f"{version}-{z}-{x}-{y}")
    response.make_conditional(request)
    return response
